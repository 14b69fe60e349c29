"""Maximum matching in a bipartite graph, by Hopcroft and Karp (1973), optionally with preferred pairs."""

from __future__ import annotations

from collections.abc import Sequence

_FREE = -1
Neighbors = Sequence[Sequence[int]]


def matching_size(neighbors: Neighbors, others: int) -> int:
    """The largest number of pairs, each of a row and one of its neighbors, that share no member.

    Row i may go with any of ``neighbors[i]``, which are numbers below ``others``. Each phase finds a maximal set of
    disjoint shortest augmenting paths: O(E sqrt(V)).

    >>> matching_size([[0], [0, 1], [1]], 2)
    2
    """
    mine, theirs = [_FREE] * len(neighbors), [_FREE] * others
    return _largest(neighbors, mine, theirs)


def matching_sizes(first: Neighbors, second: Neighbors, others: int) -> tuple[int, int]:
    """The numbers of pairs of the first and of the second kind in a matching with the most pairs of the first kind, and among those, the
    most of the second.

    A largest matching of the first kind alone has a cover of the same size: rows and others of which every pair of the first kind has one
    (König, 1931). By duality a matching has the most pairs of the first kind just when every member of the cover is in one, each pair
    having one of them: pairs of the second kind have none. Among these pairs every largest matching that grows from the first one will do,
    since augmenting paths keep every matched member matched.

    >>> matching_sizes([[0], []], [[1], [0]], 2)
    (1, 0)
    >>> matching_sizes([[0, 1], []], [[], [0]], 2)
    (1, 1)
    """
    mine, theirs = [_FREE] * len(first), [_FREE] * others
    size = _largest(first, mine, theirs)
    rows, columns = _cover(first, mine, theirs)
    allowed = [
        [other for other in first[row] if rows[row] != columns[other]]
        + [other for other in second[row] if not (rows[row] or columns[other])]
        for row in range(len(first))
    ]
    return size, _largest(allowed, mine, theirs) - size


def _largest(neighbors: Neighbors, mine: list[int], theirs: list[int]) -> int:
    """Augment the matching until it is maximum; return its size."""
    while True:
        depth = _depths(neighbors, mine, theirs)
        grown = sum(_grow(row, neighbors, mine, theirs, depth) for row, other in enumerate(mine) if other == _FREE)
        if not grown:
            return sum(other != _FREE for other in mine)


def _cover(neighbors: Neighbors, mine: list[int], theirs: list[int]) -> tuple[list[bool], list[bool]]:
    """The smallest cover of a largest matching: rows that no path from a free row reaches, and others that one does."""
    reached, columns = [other == _FREE for other in mine], [False] * len(theirs)
    waiting = [row for row, free in enumerate(reached) if free]
    while waiting:
        for other in neighbors[waiting.pop()]:
            if not columns[other]:
                columns[other] = True
                owner = theirs[other]  # never free: the matching is a largest one
                if not reached[owner]:
                    reached[owner] = True
                    waiting.append(owner)
    return [not each for each in reached], columns


def _depths(neighbors: Neighbors, mine: list[int], theirs: list[int]) -> list[int]:
    """How many steps each row is away from a free one; rows beyond the nearest end of a path are left at -1."""
    depth = [0 if other == _FREE else -1 for other in mine]
    layer = [row for row, other in enumerate(mine) if other == _FREE]
    ended = False
    while layer and not ended:
        further = []
        for row in layer:
            for other in neighbors[row]:
                owner = theirs[other]
                ended |= owner == _FREE
                if owner != _FREE and depth[owner] < 0:
                    depth[owner] = depth[row] + 1
                    further.append(owner)
        layer = further
    return depth


def _grow(start: int, neighbors: Neighbors, mine: list[int], theirs: list[int], depth: list[int]) -> bool:
    """Follow rising depths from a free row to a free neighbor, and swap the pairs on the way. Without recursion: paths may be long."""
    path = [(start, iter(neighbors[start]))]
    chosen: list[int] = []
    while path:
        row, left = path[-1]
        for other in left:
            owner = theirs[other]
            if owner == _FREE:
                chosen.append(other)
                for (each, _), taken in zip(path, chosen, strict=True):
                    mine[each], theirs[taken] = taken, each
                return True
            if depth[owner] == depth[row] + 1:
                chosen.append(other)
                path.append((owner, iter(neighbors[owner])))
                break
        else:
            depth[row] = -2  # no path from here in this phase
            path.pop()
            if chosen:
                chosen.pop()
    return False
