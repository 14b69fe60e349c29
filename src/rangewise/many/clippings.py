"""What zones did to the ranges of many series, counted batch by batch.

A range that reaches the end of a batch may go on in the next one, so what became of it is told when its end is known. Parts of a table
join in a tree, as their tallies do.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.ignored import Clipping, pieces_outside
from rangewise.inputs.ranges import Ranges


class Crossing(NamedTuple):
    """A range at a border, so far: the pieces that zones left, whether rows are lost, whether its first and its last row count."""

    pieces: int
    lost: bool
    first_counts: bool
    last_counts: bool

    def followed_by(self, other: Crossing) -> Crossing:
        """This range and its continuation behind the border: a piece that reaches the border from both sides is one."""
        pieces = self.pieces + other.pieces - (self.last_counts and other.first_counts)
        return Crossing(pieces, self.lost or other.lost, self.first_counts, other.last_counts)

    def clipping(self) -> Clipping:
        return Clipping(int(self.lost and self.pieces == 1), int(self.pieces == 0), int(self.pieces > 1))


_Ends = tuple[Crossing | None, Crossing | None]
_NO_ENDS: _Ends = (None, None)


@dataclass
class Clippings:
    """One side of some series: the counts of ranges whose ends are known, and by series the ranges at its first and its last row.

    A range that spans all rows of its series so far is both, the same object.
    """

    closed: Clipping = field(default_factory=Clipping)
    ends: dict[Any, _Ends] = field(default_factory=dict)

    @classmethod
    def of_batch(cls, names: list[Any], borders: NDArray[np.int64], ranges: Ranges, zones: Ranges) -> tuple[Ranges, Clippings]:
        """What zones leave of the ranges of a batch, and what they did to them; neither ranges nor zones reach over a border."""
        merged = zones.merge_touching()
        bounds, source, pieces = pieces_outside(ranges.starts, ranges.stops, merged.starts, merged.stops)
        series = np.searchsorted(borders, ranges.starts, side="right") - 1
        at_front, at_back = ranges.starts == borders[series], ranges.stops == borders[series + 1]
        inner = ~(at_front | at_back)
        kept = inner[source]
        renumbered = np.cumsum(inner) - inner
        closed = Clipping.of(ranges.starts[inner], ranges.stops[inner], bounds[kept], renumbered[source[kept]], pieces[inner])
        first, last = (np.zeros(len(ranges), dtype=np.bool_) for _ in range(2))
        first[source[bounds[:, 0] == ranges.starts[source]]] = True
        last[source[bounds[:, 1] == ranges.stops[source]]] = True
        whole = first & last & (pieces == 1)
        ends: dict[Any, _Ends] = {}
        for at in np.flatnonzero(~inner).tolist():
            crossing = Crossing(int(pieces[at]), not whole[at], bool(first[at]), bool(last[at]))
            head, tail = ends.get(names[series[at]], _NO_ENDS)
            ends[names[series[at]]] = crossing if at_front[at] else head, crossing if at_back[at] else tail
        return Ranges(bounds), cls(closed, ends)

    def add(self, other: Clippings, names: Iterable[Any], known: Container[Any]) -> None:
        """The next part of the table: ``names`` are its series, ``known`` those of the parts before it."""
        self.closed += other.closed
        for name in names:
            theirs = other.ends.get(name, _NO_ENDS)
            if name in known:
                self.ends[name] = self._joined(self.ends.get(name, _NO_ENDS), theirs)
            elif theirs is not _NO_ENDS:
                self.ends[name] = theirs

    def _joined(self, left: _Ends, right: _Ends) -> _Ends:
        """The ends of a series and of its continuation; a range that is inside of both together is counted."""
        middle = left[1] or right[0]
        if middle is None:
            return left[0], right[1]
        if left[1] is not None and right[0] is not None:
            middle = left[1].followed_by(right[0])
        spans_left, spans_right = left[1] is not None and left[1] is left[0], right[0] is not None and right[0] is right[1]
        if not spans_left and not spans_right:
            self.closed += middle.clipping()
        return middle if spans_left else left[0], middle if spans_right else right[1]

    def copy(self) -> Clippings:
        return replace(self, ends=dict(self.ends))

    def total(self) -> Clipping:
        """The counts when nothing goes on any more."""
        found = self.closed
        for head, tail in self.ends.values():
            found += head.clipping() if head is not None else Clipping()
            found += tail.clipping() if tail is not None and tail is not head else Clipping()
        return found


def joined_clippings(
    mine: tuple[Clippings, ...], theirs: tuple[Clippings, ...], names: Iterable[Any], known: Container[Any]
) -> tuple[Clippings, ...]:
    """Those of a part, side by side, and of the one behind it; a part without rows has none."""
    if not mine or not theirs:
        return mine or theirs
    for one, other in zip(mine, theirs, strict=True):
        one.add(other, names, known)
    return mine
