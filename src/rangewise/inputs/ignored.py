"""Zones that do not count: maintenance windows, parts without labels, parts for training.

Both sides are clipped to what is left. A range that lies wholly in a zone vanishes, one that a zone cuts in the middle counts as two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.clocks import MOST_TICKS, Clock, ClockedRanges, RowClock, common_zone, on_rows, read_times
from rangewise.inputs.ranges import Ranges, RangesLike, array_of, read_side


@dataclass(frozen=True)
class Clipping:
    """What zones did to the ranges of one side: shortened at an end, emptied, or cut in the middle."""

    clipped: int = 0
    emptied: int = 0
    cut: int = 0

    @classmethod
    def of(
        cls,
        starts: NDArray[np.int64],
        stops: NDArray[np.int64],
        bounds: NDArray[np.int64],
        source: NDArray[np.int64],
        pieces: NDArray[np.int64],
    ) -> Clipping:
        """Of ranges before, and what :func:`pieces_outside` left of them."""
        changed = (bounds[:, 0] != starts[source]) | (bounds[:, 1] != stops[source])
        return cls(
            int(np.count_nonzero(changed & (pieces[source] == 1))), int(np.count_nonzero(pieces == 0)), int(np.count_nonzero(pieces > 1))
        )

    def __add__(self, other: Clipping) -> Clipping:
        return Clipping(self.clipped + other.clipped, self.emptied + other.emptied, self.cut + other.cut)

    def __str__(self) -> str:
        return f"{self.clipped} clipped, {self.emptied} emptied, {self.cut} cut in the middle"


@dataclass(frozen=True, eq=False)
class Ignored:
    """The zones that did not count, and what that did to each side."""

    zones: Ranges
    real: Clipping
    predicted: Clipping | None
    """None where scores are the other side, which have no ranges before a threshold."""

    def __str__(self) -> str:
        zones = f"{len(self.zones)} zone{'' if len(self.zones) == 1 else 's'}"
        return f"{zones}: of the real ranges {self.real}" + ("" if self.predicted is None else f"; of the predicted {self.predicted}")

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        sides = {"real": self.real} | ({} if self.predicted is None else {"predicted": self.predicted})
        return {"zones": len(self.zones), **{name: vars(clipping) for name, clipping in sides.items()}}


def read_zones(given: RangesLike, like: Ranges, name: str = "ignore") -> Ranges:
    """Zones as whatever a side may be, overlapping or not, on the clock that ``like`` is on."""
    zones = join_zones(given, name)
    clock = like.clock
    if zones.clock is None and not len(zones):
        return zones
    if isinstance(clock, RowClock):
        # What lies outside the series has nothing to ignore.
        return on_rows(zones, clock, name, None).merge_touching()
    if isinstance(zones, ClockedRanges) and isinstance(zones.clock, Clock):
        if not isinstance(clock, Clock):
            raise ValueError(f"{name} is given in times, but the sides are rows; say when the rows are with times=, one time a row")
        common_zone([("real", clock.zoned), (name, zones.clock.zoned)])
        # Rounded outwards, as the sides are; what lies before the clock's origin has nothing to ignore.
        last = min(2**63 - 1, clock.origin + MOST_TICKS * clock.tick)
        starts, stops = (np.clip(times.view(np.int64), clock.origin, last) for times in (zones.start_times, zones.stop_times))
        bounds = np.column_stack([(starts - clock.origin) // clock.tick, -((clock.origin - stops) // clock.tick)])[starts < stops]
        return ClockedRanges(Ranges.joined(bounds), clock).merge_touching()
    if isinstance(clock, Clock):
        raise ValueError(f"{name} is given in rows, but the sides are times; give the zones as times too")
    return zones.merge_touching()


def join_zones(given: RangesLike, name: str) -> Ranges:
    """Zones as whatever a side may be, in rows or in times as they were given, those that overlap as one."""
    if isinstance(given, Ranges):
        return given
    if isinstance(given, (list, tuple)) and not given:
        return Ranges()
    timed = read_times(given, name) if not _are_rows(given) else None
    if timed is not None:
        return timed.joined()
    array = array_of(given, name)
    return Ranges.joined(array) if array.ndim == 2 else read_side(array, name)[0]


def _are_rows(given: Any) -> bool:
    if isinstance(given, (list, tuple)):
        return not (isinstance(given[0], (list, tuple)) and len(given[0]) == 2 and not isinstance(given[0][0], (int, np.integer)))
    return isinstance(given, (range, str, bytes, dict, set, type(None)))


def without(ranges: Ranges, zones: Ranges) -> tuple[Ranges, NDArray[np.int64], Clipping]:
    """What is left of ranges outside of zones, which range each piece is of, and what was clipped, emptied and cut.

    >>> without(Ranges([(0, 10), (12, 14), (20, 30)]), Ranges([(4, 6), (11, 22)]))
    (Ranges([(0, 4), (6, 10), (22, 30)]), array([0, 0, 2]), Clipping(clipped=1, emptied=1, cut=1))
    """
    zones = zones.merge_touching()
    bounds, source, pieces = pieces_outside(ranges.starts, ranges.stops, zones.starts, zones.stops)
    clipping = Clipping.of(ranges.starts, ranges.stops, bounds, source, pieces)
    if isinstance(ranges, ClockedRanges):
        names = None if ranges.names is None else [ranges.names[row] for row in source.tolist()]
        return ClockedRanges(bounds, ranges.clock, names), source, clipping
    return Ranges(bounds), source, clipping


def inside(zones: Ranges, length: int) -> Ranges:
    """Zones of a series of so many rows."""
    kept = zones[: int(np.searchsorted(zones.starts, length))]
    return Ranges(np.column_stack([kept.starts, np.minimum(kept.stops, length)]))


def rows_left(real: Ranges, scores: NDArray[Any], zones: Ranges) -> tuple[Ranges, NDArray[Any], Clipping]:
    """The series without the rows of zones: real ranges in the rows that are left, the scores of these, and what became of the ranges.

    Rows on both sides of a zone are neighbours then. What is left of a range on both sides stays two ranges that touch.

    >>> rows_left(Ranges([(0, 5)]), np.arange(8), Ranges([(2, 4), (6, 9)]))
    (Ranges([(0, 2), (2, 3)]), array([0, 1, 4, 5]), Clipping(clipped=0, emptied=0, cut=1))
    """
    counts = inside(zones, len(scores)).to_labels(len(scores)) == 0
    if len(scores) and not counts.any():
        raise ValueError(f"the zones cover all {len(scores):,} rows, so nothing is left to score")
    left, _, clipping = without(real, zones)
    row = np.cumsum(counts) - counts
    return Ranges(np.column_stack([row[left.starts], row[left.stops - 1] + 1])), scores[counts], clipping


@dataclass(frozen=True, eq=False)
class Ranked:
    """A series for a sweep over the rows outside of zones. One row stands for each zone, lower than any score: what it cuts stays cut."""

    real: Ranges
    """What is left of the real ranges, in the rows that stay."""
    ranks: NDArray[np.int64]
    """Of the rows that stay: 0 for one that stands for a zone, else one more than the place of its score in ``distinct``."""
    distinct: NDArray[Any]
    place: NDArray[np.int64]
    """Where each row is among those that stay; where the next one is, if it does not."""

    def thresholds(self, swept: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Which of the swept ranks are scores, and which scores these are."""
        above = swept > 0
        return above, self.distinct[swept[above] - 1]


def ranked_without(real: Ranges, scores: NDArray[Any], zones: Ranges) -> Ranked:
    """The rows outside of zones by the rank of their score; zones lie inside the series, and those that touch keep a row each.

    >>> ranked_without(Ranges([(0, 5)]), np.array([7, 5, 9, 9, 5, 8]), Ranges([(2, 4)])).ranks.tolist()
    [2, 1, 0, 1, 3]
    """
    counts = zones.to_labels(len(scores)) == 0
    stays = counts.copy()
    stays[zones.starts] = True
    distinct, numbers = np.unique(scores[counts], return_inverse=True)
    ranks = np.zeros(len(scores), dtype=np.int64)
    ranks[counts] = numbers + 1
    place = np.cumsum(stays) - stays
    left, _, _ = without(real, zones)
    # A range that ends where a zone begins ends before the row that stands for it.
    return Ranked(Ranges(np.column_stack([place[left.starts], place[left.stops - 1] + 1])), ranks[stays], distinct, place)


def lowered(scores: NDArray[np.float64], zones: Ranges) -> NDArray[np.float64]:
    """Scores with the rows of zones just below all others: no threshold of the others marks them, and what a zone parts stays parted.

    >>> lowered(np.array([0.5, 0.9, 0.7]), Ranges([(1, 2)])).round(6).tolist()
    [0.5, 0.5, 0.7]
    """
    if np.isnan(scores).any() or np.isneginf(scores).any():
        raise ValueError("scores with zones that do not count are numbers above -inf; replace nan and -inf by a number")
    ignored = inside(zones, len(scores)).to_labels(len(scores)) == 1
    if not ignored.any():
        return scores
    if ignored.all():
        raise ValueError(f"the zones cover all {len(scores):,} rows, so nothing is left to score")
    return np.where(ignored, np.nextafter(scores[~ignored].min(), -np.inf), scores)


def pieces_outside(
    starts: NDArray[np.int64], stops: NDArray[np.int64], zone_starts: NDArray[np.int64], zone_stops: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Bounds of what lies outside of sorted zones that do not touch, which range each piece is of, and how many pieces each range leaves.

    The ranges may overlap, in any order.
    """
    limit = np.iinfo(np.int64)
    gap_starts, gap_stops = np.append(limit.min, zone_stops), np.append(zone_starts, limit.max)
    first = np.searchsorted(gap_stops, starts, side="right")
    pieces = np.searchsorted(gap_starts, stops, side="left") - first
    source = np.repeat(np.arange(len(starts)), pieces)
    gap = np.arange(len(source)) - np.repeat(np.cumsum(pieces) - pieces, pieces) + first[source]
    bounds = np.column_stack([np.maximum(starts[source], gap_starts[gap]), np.minimum(stops[source], gap_stops[gap])])
    return bounds, source, pieces
