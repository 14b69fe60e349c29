"""Clocks: ranges given as pairs of times, with or without rows.

Internally, times are integer ticks of a clock with an origin in UTC. A tick is one nanosecond unless a coarser ``resolution`` is requested.
So everything that accepts :class:`Ranges` accepts times. Ranges on a clock are half-open too: ``[start, stop)``.

A time index, the instant of each row, maps times to rows. A range covers the rows whose instant is inside it; a range between two rows
covers the row before it, the newest at that time. A range that begins before the index or ends after it is cut. A range outside the index
is an error, or dropped with a warning; dropping all ranges is an error. Ranges that share a row are joined. The last row of a grid lasts a
whole step; the last row of any other index has no duration.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.instants import (
    OPEN,
    Instants,
    Times,
    as_times,
    duration,
    mixed_zones,
    read_index,
    read_instants,
    span_text,
    time_text,
)
from rangewise.inputs.ranges import DURATION, ONSET, Names, Ranges, RangesLike, join, join_names, named_pair, read_side

Outside = Literal["error", "drop"]
RepeatedTimes = Literal["error", "keep"]


class OutsideWarning(UserWarning):
    """Some ranges were outside the time index and were dropped because of ``outside="drop"``."""


MOST_TICKS = 2**62
"""The kernel is exact up to this many ticks: 146 years of nanoseconds."""
_NAMES = ("name", "id")
_SHOWN_IN_REPR = 6


@dataclass(frozen=True)
class Clock:
    """Ticks of ``tick`` nanoseconds, starting ``origin`` nanoseconds after 1970-01-01 in UTC.

    An ``elapsed`` clock has no date: it counts from the start of the recording.
    """

    origin: int = 0
    tick: int = 1
    zoned: bool | None = None
    elapsed: bool = False

    def times(self, ticks: Any) -> Times:
        """The instants at which ticks begin: ``datetime64``, or ``timedelta64`` on an elapsed clock."""
        return as_times(np.asarray(ticks, dtype=np.int64) * self.tick + self.origin, self.elapsed)

    def durations(self, ticks: Any) -> NDArray[np.timedelta64]:
        """The durations of numbers of ticks."""
        return (np.asarray(ticks, dtype=np.int64) * self.tick).astype("timedelta64[ns]")


@dataclass(frozen=True, eq=False)
class RowClock:
    """The instant of each row. A row lasts until the next one; the last row lasts as long as the one before it."""

    index: Times
    zoned: bool | None = None
    end: int | None = None
    """The end of the last row, in nanoseconds; None if only its start is known."""

    @property
    def elapsed(self) -> bool:
        """Whether rows have elapsed times since the start of a recording instead of dates."""
        return self.index.dtype.kind == "m"

    def times(self, rows: Any) -> Times:
        """The instants at which rows begin; for one past the last row, its end."""
        index, rows = self.index, np.asarray(rows, dtype=np.int64)
        if not rows.size:
            return index[:0]
        last = index[-1] - index[-2] if len(index) > 1 else np.timedelta64(1, "ns")
        return np.asarray(np.where(rows < len(index), index[np.minimum(rows, len(index) - 1)], index[-1] + last))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowClock) and (self.index is other.index or np.array_equal(self.index, other.index))

    def __hash__(self) -> int:
        return hash(self.index.tobytes())


class ClockedRanges(Ranges):
    """Ranges with times: ticks of a clock, or rows of a time index. ``names`` has one name per range, or is None.

    ``starts``, ``stops`` and ``lengths`` are ticks or rows, as every metric needs them; ``start_times``, ``stop_times`` and ``durations``
    are the corresponding times.

    >>> ranges = ClockedRanges.of([("2024-05-01T10:02", "2024-05-01T10:47")])
    >>> ranges
    Ranges([2024-05-01 10:02 to 10:47 (45 min)])
    >>> ranges.durations[0] == np.timedelta64(45, "m")
    np.True_
    """

    __slots__ = ("clock", "names")
    clock: Clock | RowClock
    names: Names

    def __init__(self, pairs: Any, clock: Clock | RowClock | None = None, names: Sequence[str] | None = None) -> None:
        if clock is None:
            return  # `Ranges(pairs)` returned an instance of this class, and Python calls __init__ again
        super().__init__(pairs)
        object.__setattr__(self, "clock", clock)
        object.__setattr__(self, "names", None if names is None else tuple(names))

    @classmethod
    def of(cls, given: Any, name: str = "ranges", *, join: bool = False) -> ClockedRanges:
        """From pairs of times, a table with two columns of times, or an interval index. ``join`` joins overlapping ranges."""
        times = read_times(given, name)
        if times is None:
            raise TypeError(f"{name} are not times; expected pairs of datetime64, datetime, ISO 8601 text, or seconds as floats")
        return times.joined() if join else times.ranges()

    @property
    def start_times(self) -> Times:
        return self.clock.times(self.starts)

    @property
    def stop_times(self) -> Times:
        return self.clock.times(self.stops)

    @property
    def durations(self) -> NDArray[np.timedelta64]:
        return self.stop_times - self.start_times

    def points(self) -> Ranges:
        try:
            return ClockedRanges(super().points(), self.clock)
        except ValueError as error:
            if not isinstance(self.clock, Clock):
                raise
            raise ValueError(
                "times have a point for each tick of their clock, too many to list one by one; give a grid, e.g. step='1min'"
            ) from error

    def close_gaps(self, max_gap: int) -> Ranges:
        """As for rows, counted in ticks of the clock; a joined range has the names of all its parts."""
        closed = super().close_gaps(max_gap)
        return ClockedRanges(
            closed, self.clock, None if self.names is None else join_names(self.names, np.isin(self.starts, closed.starts))
        )

    def __getitem__(self, index: Any) -> Any:
        chosen = super().__getitem__(index)
        if isinstance(index, slice):
            # Ranges stay sorted, whatever the direction of the slice.
            rows = sorted(range(len(self))[index])
            return ClockedRanges(chosen, self.clock, None if self.names is None else [self.names[row] for row in rows])
        return chosen

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranges):
            return NotImplemented
        if not isinstance(other, ClockedRanges):
            rows = isinstance(self.clock, RowClock)
            return np.array_equal(self._bounds, np.asarray(other)) if rows else not len(self) and not len(other)
        if isinstance(self.clock, RowClock) and isinstance(other.clock, RowClock):
            return np.array_equal(self._bounds, other._bounds)
        return np.array_equal(self.start_times, other.start_times) and np.array_equal(self.stop_times, other.stop_times)

    def __hash__(self) -> int:
        if isinstance(self.clock, RowClock):
            return super().__hash__()
        return hash((self.start_times.tobytes(), self.stop_times.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return ClockedRanges, (np.array(self), self.clock, self.names)

    def __repr__(self) -> str:
        if isinstance(self.clock, RowClock):
            return super().__repr__()
        shown = range(len(self)) if len(self) <= _SHOWN_IN_REPR else range(_SHOWN_IN_REPR // 2)
        texts = [self.text(row) for row in shown]
        if len(self) <= _SHOWN_IN_REPR:
            return f"Ranges([{', '.join(texts)}])"
        return f"Ranges([{', '.join(texts)}, ..., {self.text(len(self) - 1)}], {len(self)} ranges)"

    def text(self, row: int) -> str:
        """One range as text."""
        start, stop = self.clock.times(self._bounds[row])
        return span_text(start, stop, "UTC" if self.clock.zoned else "")


@dataclass(frozen=True, eq=False)
class TimePairs:
    """Starts and stops in nanoseconds as given: in any order, possibly overlapping. The stop of an open range is ``OPEN``."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    zoned: bool | None
    name: str
    names: Names = None
    elapsed: bool = False

    def ranges(self, *, resolution: int = 1) -> ClockedRanges:
        """Sorted and disjoint. Overlaps are an error, unless they come from a coarser clock: then the ranges are joined."""
        self.check()
        order = np.argsort(self.starts, kind="stable")
        clashes = np.flatnonzero(self.starts[order][1:] < self.stops[order][:-1])
        if clashes.size:
            one, other = order[clashes[0]], order[clashes[0] + 1]
            raise ValueError(
                f"{self.name}: range {one} {self._shown(one)} and range {other} {self._shown(other)} overlap; the ranges of one side "
                "must be disjoint (join them with Ranges.joined, or drop the duplicates)"
            )
        return self.joined(resolution=resolution)

    def joined(self, *, resolution: int = 1) -> ClockedRanges:
        """Sorted, with overlapping ranges joined, including their names; touching ranges stay separate."""
        self.check()
        clock = Clock(tick=resolution, zoned=self.zoned, elapsed=self.elapsed)
        return clocked(self.starts, self.stops, clock, self.name, self.names)

    def check(self) -> None:
        """Refuse ranges without a start or an end, and empty ranges."""
        for row in np.flatnonzero(self.starts == OPEN)[:1]:
            raise ValueError(f"{self.name}: range {row} has no start; give it one or drop it")
        for row in np.flatnonzero(self.stops == OPEN)[:1]:
            raise ValueError(
                f"{self.name}: range {row}, which begins {_instant_text(self.starts[row], self.elapsed)}, has no end; "
                "give the end of open ranges with until= (on the command line --until), or drop it"
            )
        for row in np.flatnonzero(self.stops <= self.starts)[:1]:
            what = "is empty" if self.stops[row] == self.starts[row] else "ends before it starts"
            raise ValueError(f"{self.name}: range {row} {self._shown(row)} {what}; a range [start, stop) stops after it starts")

    def closed(self, until: int | None) -> TimePairs:
        """End open ranges at ``until``, and drop those that start later."""
        if until is None or not np.any(self.stops == OPEN):
            return self
        is_open = self.stops == OPEN
        kept = ~is_open | (self.starts < until)
        names = None if self.names is None else tuple(name for name, keep in zip(self.names, kept, strict=True) if keep)
        return TimePairs(self.starts[kept], np.where(is_open, until, self.stops)[kept], self.zoned, self.name, names, self.elapsed)

    def _shown(self, row: int | np.intp) -> str:
        return _shown(self.starts[row], self.stops[row], self.elapsed)


def _shown(start: Any, stop: Any, elapsed: bool) -> str:
    return " to ".join(_instant_text(end, elapsed) for end in (start, stop))


def _instant_text(nanoseconds: Any, elapsed: bool) -> str:
    return time_text(as_times(np.array([nanoseconds]), elapsed)[0])


def read_times(given: Any, name: str) -> TimePairs | None:
    """A side in times, or None if it is in rows."""
    if isinstance(given, (list, tuple)):
        if not all(len(pair) == 2 for pair in given):
            raise ValueError(f"{name} is ragged; expected (start, stop) pairs of times")
        if all(isinstance(end, (int, float, np.number)) and not isinstance(end, np.timedelta64) for pair in given for end in pair):
            # Seconds: integers among floats are floats too.
            given = [(float(start), float(stop)) for start, stop in given]
        return _pairs([pair[0] for pair in given], [pair[1] for pair in given], None, name)
    if isinstance(given, np.ndarray):
        if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "MmOUf":
            return None
        return _pairs(given[:, 0], given[:, 1], None, name)
    if hasattr(given, "left") and hasattr(given, "right") and hasattr(given, "closed"):  # pd.IntervalIndex
        return _pairs(given.left, given.right, None, name) if getattr(given.left.dtype, "kind", "") in "Mmf" else None
    return _from_table(given, name)


def _from_table(given: Any, name: str) -> TimePairs | None:
    import narwhals.stable.v2 as nw

    table = nw.from_native(given, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        return None
    pair = named_pair(table.columns, name) or (table.columns if len(table.columns) == 2 else ())
    columns = [table[column] for column in pair]
    if not columns or any(column.dtype == nw.Boolean for column in columns):
        return None
    if (
        all(column.dtype.is_numeric() for column in columns)
        and ONSET not in pair
        and not all(column.dtype.is_float() for column in columns)
    ):
        return None  # integers are rows, unless the names of the columns say that they are seconds
    columns = [column.cast(nw.Float64) if column.dtype.is_numeric() else column for column in columns]
    called = next((column for column in _NAMES if column in table.columns and column not in pair), None)
    names = None if called is None else tuple("" if each is None else str(each) for each in table[called].to_list())
    return _pairs(columns[0].to_native(), columns[1].to_native(), names, name, lasting=DURATION in pair)


def _pairs(starts: Any, stops: Any, names: Names, name: str, *, lasting: bool = False) -> TimePairs:
    """Pairs of instants; with ``lasting``, the second column has durations."""

    def place(end: str) -> Callable[[int], str]:
        return lambda row: f"{name}: the {end} of range {row}"

    sides = read_instants(starts, name, place("start")), read_instants(stops, name, place(DURATION if lasting else "stop"))
    if lasting:
        sides = sides[0], _stops_after(sides[0], sides[1], name)
    zoned = common_zone([(name, sides[0].zoned), (name, sides[1].zoned)])
    elapsed = common_kind([(name, side.elapsed) for side in sides if len(side.nanoseconds)])
    return TimePairs(sides[0].nanoseconds, sides[1].nanoseconds, zoned, name, names, elapsed)


def _stops_after(starts: Instants, durations: Instants, name: str) -> Instants:
    """The ends of ranges with these starts and durations; a range without a duration is open."""
    if not durations.elapsed and len(durations.nanoseconds):
        raise TypeError(f"{name}: column {DURATION!r} has dates; a duration is a number of seconds or a timedelta")
    missing = (starts.nanoseconds == OPEN) | (durations.nanoseconds == OPEN)
    return replace(starts, nanoseconds=np.where(missing, OPEN, starts.nanoseconds + durations.nanoseconds))


def common_kind(kinds: Sequence[tuple[str, bool]]) -> bool:
    """Whether all are elapsed times; an error if some are elapsed times and some are dates."""
    for name, elapsed in kinds:
        if elapsed != kinds[0][1]:
            dated, since = (kinds[0][0], name) if elapsed else (name, kinds[0][0])
            raise ValueError(
                f"{dated} has dates, but {since} has seconds since the start of a recording; give both as dates, or both as seconds"
            )
    return bool(kinds) and kinds[0][1]


def common_zone(zones: Sequence[tuple[str, bool | None]]) -> bool | None:
    """Whether all have a time zone; an error if only some have one."""
    known = [(name, zoned) for name, zoned in zones if zoned is not None]
    for name, zoned in known:
        if zoned != known[0][1]:
            raise ValueError(f"{name} {mixed_zones(bool(known[0][1]))}")
    return known[0][1] if known else None


def clocked(starts: NDArray[np.int64], stops: NDArray[np.int64], clock: Clock, name: str, names: Names = None) -> ClockedRanges:
    """Nanoseconds as ticks of a clock, rounded outwards; ranges that share a tick are joined. The clock counts from 1970 if possible."""
    first, last = (int(starts.min()), int(stops.max())) if len(starts) else (0, 0)
    tick = clock.tick
    origin = 0 if first >= 0 and last <= MOST_TICKS else first // tick * tick
    # Python's integers do not overflow.
    if -(-(last - origin) // tick) > MOST_TICKS:
        raise ValueError(f"{name}: {_shown(first, last, clock.elapsed)} is longer than 146 years, the limit of a clock in nanoseconds")
    low = (starts - origin) // tick
    high = -((origin - stops) // tick)
    bounds, joined_names = join(low, high, names)
    return ClockedRanges(bounds, replace(clock, origin=origin), joined_names)


def rows_of(
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    clock: RowClock,
    name: str,
    *,
    included: bool = False,
    outside: Outside | None = "error",
    names: Names = None,
) -> ClockedRanges:
    """Map ranges in nanoseconds, with their names, to rows of an ascending index.

    A range outside the index is an error, dropped with a warning, or (``outside`` is None) dropped silently, where it has no effect.
    """
    index = clock.index
    if not len(starts):
        return ClockedRanges(Ranges(), clock, None if names is None else ())
    if not len(index):
        raise ValueError(f"{name}: the time index is empty, so there is no row for {_shown(starts[0], stops[0], clock.elapsed)}")
    instants = index.view(np.int64)
    wholly = (stops < instants[0] if included else stops <= instants[0]) | (
        starts > instants[-1] if clock.end is None else starts >= clock.end
    )
    if wholly.any():
        if outside == "error":
            where = int(np.flatnonzero(wholly)[0])
            raise ValueError(
                f"{name}: range {where} {_shown(starts[where], stops[where], clock.elapsed)} lies outside the time index, "
                f"{time_text(index[0])} to {time_text(index[-1])}; drop such ranges with outside='drop' (--outside drop)"
            )
        if outside == "drop":
            _warn_dropped(int(np.count_nonzero(wholly)), len(starts), index, name)
        names = None if names is None else tuple(each for each, out in zip(names, wholly, strict=True) if not out)
        starts, stops = starts[~wholly], stops[~wholly]
    low = np.searchsorted(instants, starts, side="left")
    high = np.searchsorted(instants, stops, side="right" if included else "left")
    bounds, joined_names = join(np.minimum(low, high - 1), high, names)
    return ClockedRanges(bounds, clock, joined_names)


def _warn_dropped(dropped: int, count: int, index: Times, name: str) -> None:
    span = f"outside the timestamps, {time_text(index[0])} to {time_text(index[-1])}"
    if dropped == count:
        raise ValueError(f"{name}: all {dropped} ranges lie {span}, so none would be left; check that these are the right timestamps")
    warnings.warn(f"{name}: {dropped} of {count} ranges lie {span} and are dropped", OutsideWarning, stacklevel=4)


def coarser(ranges: Ranges, tick: int) -> Ranges:
    """Ranges on a clock with longer ticks, rounded outwards."""
    if not isinstance(ranges, ClockedRanges) or not isinstance(ranges.clock, Clock):
        return ranges
    if tick % ranges.clock.tick:
        raise ValueError(f"resolution must be a multiple of the clock's tick, {ranges.clock.tick} ns; got {tick} ns")
    starts, stops = (times.view(np.int64) for times in (ranges.start_times, ranges.stop_times))
    return clocked(starts, stops, replace(ranges.clock, tick=tick), "ranges", ranges.names)


def row_clock(times: Any) -> RowClock:
    """The clock of a time index of any library."""
    if isinstance(times, RowClock):
        return times
    index = read_index(times, "times")
    return RowClock(index.times, index.zoned)


def on_rows(given: RangesLike, clock: RowClock, name: str, outside: Outside | None = "error") -> Ranges:
    """A side, in any form, as rows of an index."""
    ranges, length = read_side(given, name)
    if isinstance(ranges, ClockedRanges) and isinstance(ranges.clock, Clock):
        common_zone([("times", clock.zoned), (name, ranges.clock.zoned)])
        common_kind([("times", clock.elapsed), (name, ranges.clock.elapsed)])
        starts, stops = (times.view(np.int64) for times in (ranges.start_times, ranges.stop_times))
        return rows_of(starts, stops, clock, name, outside=outside, names=ranges.names)
    if length is not None and length != len(clock.index):
        raise ValueError(f"{name} has {length} labels, but times has {len(clock.index)}; give one time per label")
    if len(ranges) and ranges.stops[-1] > len(clock.index):
        raise ValueError(f"{name} has a range that stops at {ranges.stops[-1]}, but there are only {len(clock.index)} times")
    return ClockedRanges(ranges, clock, getattr(ranges, "names", None))


def align(real: Ranges, predicted: Ranges, lengths: tuple[int | None, int | None] = (None, None)) -> tuple[Ranges, Ranges]:
    """Both sides on one clock. ``lengths`` are their numbers of rows, if they were given as labels."""
    one, other = real.clock, predicted.clock
    if one == other:
        return real, predicted
    if one is None or other is None:
        return _with_plain(real, predicted, lengths)
    if isinstance(one, RowClock) or isinstance(other, RowClock):
        if isinstance(one, RowClock) and isinstance(other, RowClock):
            raise ValueError("real and predicted are rows of different time indexes; give both on the same index")
        clock = one if isinstance(one, RowClock) else other
        assert isinstance(clock, RowClock)
        return on_rows(real, clock, "real"), on_rows(predicted, clock, "predicted")
    sides = on_one_clock({"real": real, "predicted": predicted})
    return sides[0], sides[1]


def on_one_clock(sides: Mapping[str, Ranges]) -> list[Ranges]:
    """Ranges of times on a clock that has the ticks of all of them; errors refer to them by name."""
    timed = {name: side for name, side in sides.items() if isinstance(side, ClockedRanges) and isinstance(side.clock, Clock)}
    clocks = {name: side.clock for name, side in timed.items() if isinstance(side.clock, Clock)}
    if len(set(clocks.values())) < 2:
        return list(sides.values())
    zoned = common_zone([(name, clock.zoned) for name, clock in clocks.items()])
    elapsed = common_kind([(name, clock.elapsed) for name, clock in clocks.items() if len(timed[name])])
    clock = Clock(tick=math.gcd(*(clock.tick for clock in clocks.values())), zoned=zoned, elapsed=elapsed)
    bounds = {name: (side.start_times.view(np.int64), side.stop_times.view(np.int64)) for name, side in timed.items()}
    # All get the origin of their ranges together.
    starts, stops = (np.concatenate([pair[end] for pair in bounds.values()]) for end in (0, 1))
    if not len(starts):
        return list(sides.values())
    extent = clocked(starts.min(keepdims=True), stops.max(keepdims=True), clock, " and ".join(timed))
    common = extent.clock
    assert isinstance(common, Clock)
    moved = {
        name: ClockedRanges(np.column_stack([(end - common.origin) // common.tick for end in bounds[name]]), common, side.names)
        for name, side in timed.items()
    }
    return [moved.get(name, side) for name, side in sides.items()]


def _with_plain(real: Ranges, predicted: Ranges, lengths: tuple[int | None, int | None]) -> tuple[Ranges, Ranges]:
    """One side has times, the other rows: allowed if both are rows of the index, or if the other side is empty."""
    clock = real.clock or predicted.clock
    if isinstance(clock, RowClock):
        return on_rows(real, clock, "real"), on_rows(predicted, clock, "predicted")
    for side, name, timed, length in ((real, "real", "predicted", lengths[0]), (predicted, "predicted", "real", lengths[1])):
        if side.clock is None and (len(side) or length is not None):
            hint = ", or write seconds as floats, 3.0 instead of 3" if clock is not None and clock.elapsed else ""
            raise ValueError(f"{timed} is in times, but {name} is in rows; give the time of each row with times={hint}")
    return (ClockedRanges(real, clock), predicted) if real.clock is None else (real, ClockedRanges(predicted, clock))


_MOST_GRID_ROWS = 10**8


def grid(step: Any, span: Any, *sides: Ranges) -> RowClock:
    """Rows at ``first``, ``first + step`` and so on, before ``last``; by default from the first start to the last end of the sides."""
    every = duration(step, "step")
    first, last, zoned = span_of(span, *sides)
    if every <= 0:
        raise ValueError(f"step must be a duration above 0; got {step!r}")
    if (last - first) // every > _MOST_GRID_ROWS:
        raise ValueError(
            f"a grid of step {step!r} over this span has {(last - first) // every:,} rows, above the limit of {_MOST_GRID_ROWS:,}"
        )
    rows = np.arange(first, last, every, dtype=np.int64)
    return RowClock(as_times(rows, any(side.clock is not None and side.clock.elapsed for side in sides)), zoned, last)


def span_of(span: Any, *sides: Ranges) -> tuple[int, int, bool | None]:
    """The first and the last nanosecond of a span, by default that of the sides, and whether it has a time zone."""
    timed = [side for side in sides if isinstance(side, ClockedRanges)]
    zones = [(f"side {number}", side.clock.zoned) for number, side in enumerate(timed)]
    if span is None:
        ends = [(side.start_times[0], side.stop_times[-1]) for side in timed if len(side)]
        first = min((int(start.astype(np.int64)) for start, _ in ends), default=0)
        return first, max((int(stop.astype(np.int64)) for _, stop in ends), default=first), common_zone(zones)
    if isinstance(span, Instants):
        instants = span
    elif (not isinstance(span, Sequence) and not isinstance(span, np.ndarray)) or len(span) != 2:
        raise ValueError(f"span must be (first, last), two times; got {span!r:.60}")
    else:
        bounds = _seconds(span) if any(side.clock.elapsed for side in timed) else span
        for which, end in zip(("first", "last"), bounds, strict=True):
            if isinstance(end, str) and any(isinstance(other, (int, float, np.number)) for other in bounds):
                raise ValueError(f"span: {which} is {end!r} beside a number of seconds; give two numbers of seconds or two times")
        instants = read_instants(bounds, "span", lambda row: f"span: {('first', 'last')[row]}")
    common_kind([("span", instants.elapsed), *((f"side {number}", side.clock.elapsed) for number, side in enumerate(timed) if len(side))])
    first, last = instants.nanoseconds.tolist()
    if OPEN in (first, last) or last <= first:
        raise ValueError(f"span must be (first, last), with last after first; got {span!r:.80}")
    return first, last, common_zone([*zones, ("span", instants.zoned)])


def _seconds(span: Sequence[Any] | NDArray[Any]) -> list[Any]:
    """Integers, and numbers as text, are seconds since the start of a recording; anything else is unchanged."""
    bounds: list[Any] = list(span)
    for row, end in enumerate(bounds):
        if isinstance(end, str) or (isinstance(end, (int, np.integer)) and not isinstance(end, np.timedelta64)):
            with suppress(ValueError):
                bounds[row] = float(end)
    return bounds
