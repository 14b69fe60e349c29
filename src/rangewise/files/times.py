"""Time ranges of files, and their rows of a time index, by the rule of :mod:`rangewise.inputs.clocks`.

A time range of a file includes its first and its last time, unless its format excludes the end. Some have no end yet. They come in any
order and may overlap: on conversion to ranges, those that share a row or a tick of the clock are joined.

Times without a time zone are UTC. Seconds since the start of a recording are ``timedelta64``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.inputs.clocks import ClockedRanges, Outside, RowClock, TimePairs, common_kind, rows_of
from rangewise.inputs.instants import OPEN, Times, time_index, time_text
from rangewise.inputs.ranges import Names, Ranges

__all__ = ["Outside", "TimeRanges"]


@dataclass(frozen=True, eq=False)
class TimeRanges:
    """Time ranges in any order. They include their end unless ``inclusive`` is False. The last time of an open range is NaT. Frozen.

    ``holds`` is the duration of the last sample, if ranges consist of samples; ``labels`` are the other fields of each range.

    >>> from rangewise.inputs.instants import parse_times
    >>> index = np.datetime64("2014-07-01T00:00") + np.arange(6) * np.timedelta64(30, "m")
    >>> ranges = TimeRanges(parse_times(["2014-07-01 00:30"]), parse_times(["2014-07-01 01:45"]))
    >>> ranges.rows(index)
    Ranges([(1, 4)])
    """

    firsts: Times
    lasts: Times
    name: str = "time ranges"
    inclusive: bool = True
    holds: int = 0
    names: Names = None
    labels: tuple[Mapping[str, str], ...] | None = None
    zoned: bool | None = None
    """Whether the times of the file have a time zone; None if there are no times."""
    notes: tuple[str, ...] = ()
    """What was left out of the file, and why."""
    origin: np.datetime64 | None = None
    """The start of the recording, if times are seconds since then and the file has it."""

    def __post_init__(self) -> None:
        for side in ("firsts", "lasts"):
            times = np.array(getattr(self, side))
            times = times.astype("timedelta64[ns]" if times.dtype.kind == "m" else "datetime64[ns]")
            times.flags.writeable = False
            object.__setattr__(self, side, times)
        if self.firsts.shape != self.lasts.shape or self.firsts.ndim != 1:
            raise ValueError(
                f"{self.name}: firsts have shape {self.firsts.shape} and lasts {self.lasts.shape}; expected the same number of both"
            )
        backward = np.flatnonzero(np.isnat(self.firsts) | (self.lasts < self.firsts))
        if backward.size:
            raise ValueError(f"{self.name}: range {backward[0]} is {self._shown(backward[0])}; a range must not end before it starts")

    @classmethod
    def of_rows(cls, ranges: Ranges, timestamps: ArrayLike | Any, name: str = "time ranges") -> TimeRanges:
        """From the time of the first row to the time of the last row of each range."""
        index = time_index(timestamps)
        if len(ranges) and ranges.stops[-1] > len(index):
            raise ValueError(f"{name}: a range stops at row {ranges.stops[-1]}, but there are only {len(index)} timestamps")
        return cls(index[ranges.starts], index[ranges.stops - 1], name)

    def closed(self, until: np.datetime64 | None) -> TimeRanges:
        """End open ranges at ``until``, and drop those that start later."""
        is_open = np.isnat(self.lasts)
        if until is None or not is_open.any():
            return self
        return replace(self, lasts=np.where(is_open, np.maximum(until, self.firsts), self.lasts)).chosen(self.begun(until))

    def begun(self, until: np.datetime64 | None) -> NDArray[np.bool_]:
        """Which ranges :meth:`closed` keeps."""
        return np.ones(len(self.firsts), dtype=np.bool_) if until is None else ~np.isnat(self.lasts) | (self.firsts < until)

    def chosen(self, rows: NDArray[Any]) -> TimeRanges:
        """Some of the ranges, by index or mask."""
        at = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        names = None if self.names is None else tuple(self.names[row] for row in at.tolist())
        labels = None if self.labels is None else tuple(self.labels[row] for row in at.tolist())
        return replace(self, firsts=self.firsts[at], lasts=self.lasts[at], names=names, labels=labels)

    def rows(self, timestamps: ArrayLike | Any, outside: Outside | None = "error") -> Ranges:
        """The ranges as rows of an ascending time index, with the index and their names.

        A range outside the index is an error; with ``outside="drop"`` it is dropped with an ``OutsideWarning`` that has the number of
        dropped ranges, and dropping all is an error; with None it is dropped silently.
        """
        self.check_closed()
        clock = timestamps if isinstance(timestamps, RowClock) else RowClock(time_index(timestamps))
        if len(self):
            common_kind([("the timestamps", clock.elapsed), (self.name, self.elapsed)])
        starts, stops = (side.view(np.int64) for side in (self.firsts, self.lasts))
        if not self.inclusive:
            stops = np.maximum(stops, starts + 1)  # a range without length is in the row of its time
        return rows_of(starts, stops, clock, self.name, included=self.inclusive, outside=outside, names=self.names)

    @property
    def elapsed(self) -> bool:
        """Whether times are seconds since the start of a recording."""
        return self.firsts.dtype.kind == "m"

    def pairs(self) -> TimePairs:
        """For a clock, where it does not matter whether the end is included. A range without length lasts a nanosecond."""
        starts, ends = self.firsts.view(np.int64), self.lasts.view(np.int64)
        stops = np.where(ends == OPEN, OPEN, np.maximum(ends + self.holds, starts + 1))
        return TimePairs(starts, stops, self.zoned, self.name, self.names, self.elapsed)

    def on_clock(self) -> ClockedRanges:
        """Ranges of times; overlapping ranges are joined."""
        self.check_closed()
        return self.pairs().joined()

    def half_open(self) -> ClockedRanges:
        """Half-open ranges of times for the same rows of an index that is not known yet: an included end moves by a nanosecond."""
        self.check_closed()
        starts, ends = self.firsts.view(np.int64), self.lasts.view(np.int64)
        stops = np.maximum(ends + self.inclusive, starts + 1)
        return TimePairs(starts, stops, self.zoned, self.name, self.names, self.elapsed).joined()

    def check_closed(self) -> None:
        """Refuse open ranges."""
        for row in np.flatnonzero(np.isnat(self.lasts))[:1]:
            called = f" {self.names[row]}" if self.names is not None and self.names[row] else ""
            raise ValueError(
                f"{self.name}: range {row}{called}, which begins {time_text(self.firsts[row])}, has no end; give the end of open ranges "
                "with --until, e.g. --until 2024-05-01T12:00, or remove it"
            )

    def __len__(self) -> int:
        return len(self.firsts)

    def _shown(self, where: int | np.intp) -> str:
        return f"{time_text(self.firsts[where])} to {time_text(self.lasts[where])}"
