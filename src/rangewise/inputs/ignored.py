"""Ignored intervals: maintenance windows, parts without labels, parts for training.

Both sides lose the ignored parts. A range inside an ignored interval is removed; a range that is cut in the middle counts as two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.clocks import MOST_TICKS, Clock, ClockedRanges, RowClock, common_kind, common_zone, on_rows, read_times
from rangewise.inputs.ranges import Ranges, RangesLike, array_of, joined_rows, may_be_times, read_side


@dataclass(frozen=True)
class Clipping:
    """How many ranges of one side the ignored intervals shortened, removed, and split in the middle."""

    shortened: int = 0
    removed: int = 0
    split: int = 0

    @classmethod
    def of(
        cls,
        starts: NDArray[np.int64],
        stops: NDArray[np.int64],
        bounds: NDArray[np.int64],
        source: NDArray[np.int64],
        pieces: NDArray[np.int64],
    ) -> Clipping:
        """Compare ranges with the result of :func:`pieces_outside`."""
        changed = (bounds[:, 0] != starts[source]) | (bounds[:, 1] != stops[source])
        return cls(
            int(np.count_nonzero(changed & (pieces[source] == 1))), int(np.count_nonzero(pieces == 0)), int(np.count_nonzero(pieces > 1))
        )

    def __add__(self, other: Clipping) -> Clipping:
        return Clipping(self.shortened + other.shortened, self.removed + other.removed, self.split + other.split)

    def __str__(self) -> str:
        return f"{self.shortened} shortened, {self.removed} removed, {self.split} split"


@dataclass(frozen=True, eq=False)
class Ignored:
    """The ignored intervals, and their effect on each side."""

    intervals: Ranges
    real: Clipping
    predicted: Clipping | None
    """None for scores, which have no ranges before a threshold."""

    def __add__(self, other: Ignored) -> Ignored:
        """The effect of the same intervals on further ranges, such as those of another class, together with this one."""
        predicted = None if self.predicted is None or other.predicted is None else self.predicted + other.predicted
        return replace(self, real=self.real + other.real, predicted=predicted)

    def __str__(self) -> str:
        intervals = f"{len(self.intervals)} interval{'' if len(self.intervals) == 1 else 's'}"
        return f"{intervals}; real ranges: {self.real}" + ("" if self.predicted is None else f"; predicted: {self.predicted}")

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        sides = {"real": self.real} | ({} if self.predicted is None else {"predicted": self.predicted})
        return {"intervals": len(self.intervals), **{name: vars(clipping) for name, clipping in sides.items()}}


def read_ignored(given: RangesLike, like: Ranges | None, name: str = "ignore") -> Ranges:
    """Intervals in any form of a side, possibly overlapping, on the clock of ``like``. Touching intervals are joined.

    Two sides without ranges and without a length may be rows or times; ``like`` is None then, and the intervals stay as they are.
    """
    intervals = join_intervals(given, name)
    if like is None:
        return intervals.merge_touching()
    clock = like.clock
    if intervals.clock is None and not len(intervals):
        return intervals
    if isinstance(clock, RowClock):
        # Intervals outside the series have no effect.
        return on_rows(intervals, clock, name, None).merge_touching()
    if isinstance(intervals, ClockedRanges) and isinstance(intervals.clock, Clock):
        if not isinstance(clock, Clock):
            raise ValueError(f"{name} is in times, but the sides are in rows; give the time of each row with times=")
        common_zone([("real", clock.zoned), (name, intervals.clock.zoned)])
        common_kind([("real", clock.elapsed), (name, intervals.clock.elapsed)])
        # Rounded outwards, like the sides; intervals before the clock's origin have no effect.
        last = min(2**63 - 1, clock.origin + MOST_TICKS * clock.tick)
        starts, stops = (np.clip(times.view(np.int64), clock.origin, last) for times in (intervals.start_times, intervals.stop_times))
        bounds = np.column_stack([(starts - clock.origin) // clock.tick, -((clock.origin - stops) // clock.tick)])[starts < stops]
        return ClockedRanges(Ranges.joined(bounds), clock).merge_touching()
    if isinstance(clock, Clock):
        raise ValueError(f"{name} is in rows, but the sides are in times; give the ignored intervals as times too")
    return intervals.merge_touching()


def label_count(given: RangesLike) -> int | None:
    """The number of labels, if the ignored rows are given as labels."""
    return None if isinstance(given, Ranges) or np.ndim(given) != 1 else read_side(given, "ignore")[1]


def check_label_count(labels: int | None, points: int | None, name: str = "ignore", series: str = "the series") -> None:
    """Refuse ignored rows that are given as labels of a series of another length."""
    if labels is not None and points is not None and labels != points:
        raise ValueError(f"{name} has {labels} labels, but {series} has {points} points; give one label per point")


def join_intervals(given: RangesLike, name: str) -> Ranges:
    """Intervals in any form of a side, in rows or times; overlapping intervals are joined."""
    if isinstance(given, Ranges):
        return given
    pairs = read_times(given, name) if may_be_times(given) else None
    if pairs is not None:
        return pairs.joined()
    array = array_of(given, name)
    return joined_rows(array, name) if array.ndim == 2 else read_side(array, name)[0]


def without(ranges: Ranges, ignored: Ranges) -> tuple[Ranges, NDArray[np.int64], Clipping]:
    """The parts of ranges outside the ignored intervals, the index of the range of each part, and what was clipped.

    >>> without(Ranges([(0, 10), (12, 14), (20, 30)]), Ranges([(4, 6), (11, 22)]))
    (Ranges([(0, 4), (6, 10), (22, 30)]), array([0, 0, 2]), Clipping(shortened=1, removed=1, split=1))
    """
    ignored = ignored.merge_touching()
    bounds, source, pieces = pieces_outside(ranges.starts, ranges.stops, ignored.starts, ignored.stops)
    clipping = Clipping.of(ranges.starts, ranges.stops, bounds, source, pieces)
    if isinstance(ranges, ClockedRanges):
        names = None if ranges.names is None else [ranges.names[row] for row in source.tolist()]
        return ClockedRanges(bounds, ranges.clock, names), source, clipping
    return Ranges(bounds), source, clipping


def inside(ignored: Ranges, length: int) -> Ranges:
    """The parts of the intervals inside a series of ``length`` rows."""
    kept = ignored[: int(np.searchsorted(ignored.starts, length))]
    return Ranges(np.column_stack([kept.starts, np.minimum(kept.stops, length)]))


def pieces_outside(
    starts: NDArray[np.int64], stops: NDArray[np.int64], ignored_starts: NDArray[np.int64], ignored_stops: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Bounds of the parts outside sorted intervals that do not touch, the range of each part, and the number of parts of each range.

    The ranges may overlap, in any order.
    """
    limit = np.iinfo(np.int64)
    gap_starts, gap_stops = np.append(limit.min, ignored_stops), np.append(ignored_starts, limit.max)
    first = np.searchsorted(gap_stops, starts, side="right")
    pieces = np.searchsorted(gap_starts, stops, side="left") - first
    source = np.repeat(np.arange(len(starts)), pieces)
    gap = np.arange(len(source)) - np.repeat(np.cumsum(pieces) - pieces, pieces) + first[source]
    bounds = np.column_stack([np.maximum(starts[source], gap_starts[gap]), np.minimum(stops[source], gap_stops[gap])])
    return bounds, source, pieces
