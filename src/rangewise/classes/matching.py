"""Maximum matching in a bipartite graph, by Hopcroft and Karp (1973)."""

from __future__ import annotations

from collections.abc import Sequence

_FREE = -1


def matching_size(neighbours: Sequence[Sequence[int]], others: int) -> int:
    """The largest number of pairs, each of a row and one of its neighbours, that share no member.

    Row i may go with any of ``neighbours[i]``, which are numbers below ``others``. Each phase finds shortest paths that make one pair more,
    as many as there are beside each other: O(E sqrt(V)).

    >>> matching_size([[0], [0, 1], [1]], 2)
    2
    """
    mine, theirs = [_FREE] * len(neighbours), [_FREE] * others
    while True:
        depth = _depths(neighbours, mine, theirs)
        grown = sum(_grow(row, neighbours, mine, theirs, depth) for row, other in enumerate(mine) if other == _FREE)
        if not grown:
            return sum(other != _FREE for other in mine)


def _depths(neighbours: Sequence[Sequence[int]], mine: list[int], theirs: list[int]) -> list[int]:
    """How many steps each row is away from a free one; rows beyond the nearest end of a path are left at -1."""
    depth = [0 if other == _FREE else -1 for other in mine]
    layer = [row for row, other in enumerate(mine) if other == _FREE]
    ended = False
    while layer and not ended:
        further = []
        for row in layer:
            for other in neighbours[row]:
                owner = theirs[other]
                ended |= owner == _FREE
                if owner != _FREE and depth[owner] < 0:
                    depth[owner] = depth[row] + 1
                    further.append(owner)
        layer = further
    return depth


def _grow(start: int, neighbours: Sequence[Sequence[int]], mine: list[int], theirs: list[int], depth: list[int]) -> bool:
    """Follow rising depths from a free row to a free neighbour, and swap the pairs on the way. Without recursion: paths may be long."""
    path = [(start, iter(neighbours[start]))]
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
                path.append((owner, iter(neighbours[owner])))
                break
        else:
            depth[row] = -2  # no path from here in this phase
            path.pop()
            if chosen:
                chosen.pop()
    return False
