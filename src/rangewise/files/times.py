"""Time ranges as files tell them, and the rows of a time index that they mean, by the rule of :mod:`rangewise.inputs.clocks`.

A file's time range holds its first and its last time, unless its format excludes the end. Some have no end yet. They come in any order and
may overlap: where they become ranges, those that share a row or a tick of the clock are joined.

Times without a zone are UTC. Seconds since the start of a recording are ``timedelta64``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.inputs.clocks import ClockedRanges, Names, Outside, RowClock, TimePairs, common_kind, rows_of
from rangewise.inputs.instants import OPEN, Times, time_index, time_text
from rangewise.inputs.ranges import Ranges

__all__ = ["Outside", "TimeRanges"]


@dataclass(frozen=True, eq=False)
class TimeRanges:
    """Time ranges in any order, closed unless ``inclusive`` is False. Frozen; checks itself. The last time of an open one is NaT.

    ``holds`` is for how long the last sample counts, where ranges are made of samples; ``labels`` are what a file says of each range.

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
    """Whether the file gives its times with a zone; None where there are none to tell."""
    notes: tuple[str, ...] = ()
    """What was left out of the file, and why."""
    origin: np.datetime64 | None = None
    """When the recording began, where times are seconds since then and the file tells."""

    def __post_init__(self) -> None:
        for side in ("firsts", "lasts"):
            times = np.array(getattr(self, side))
            times = times.astype("timedelta64[ns]" if times.dtype.kind == "m" else "datetime64[ns]")
            times.flags.writeable = False
            object.__setattr__(self, side, times)
        if self.firsts.shape != self.lasts.shape or self.firsts.ndim != 1:
            raise ValueError(f"{self.name}: firsts have shape {self.firsts.shape} and lasts {self.lasts.shape}; expected as many of both")
        backward = np.flatnonzero(np.isnat(self.firsts) | (self.lasts < self.firsts))
        if backward.size:
            raise ValueError(f"{self.name}: range {backward[0]} is {self._shown(backward[0])}; a range ends at or after its start")

    @classmethod
    def of_rows(cls, ranges: Ranges, timestamps: ArrayLike | Any, name: str = "time ranges") -> TimeRanges:
        """From the time of the first row to that of the last row of each range."""
        index = time_index(timestamps)
        if len(ranges) and ranges.stops[-1] > len(index):
            raise ValueError(f"{name}: a range stops at row {ranges.stops[-1]}, but there are only {len(index)} timestamps")
        return cls(index[ranges.starts], index[ranges.stops - 1], name)

    def closed(self, until: np.datetime64 | None) -> TimeRanges:
        """Open ranges end at ``until``; those that have not begun by then are dropped."""
        is_open = np.isnat(self.lasts)
        if until is None or not is_open.any():
            return self
        return replace(self, lasts=np.where(is_open, np.maximum(until, self.firsts), self.lasts)).chosen(self.begun(until))

    def begun(self, until: np.datetime64 | None) -> NDArray[np.bool_]:
        """Which ranges :meth:`closed` keeps."""
        return np.ones(len(self.firsts), dtype=np.bool_) if until is None else ~np.isnat(self.lasts) | (self.firsts < until)

    def chosen(self, rows: NDArray[Any]) -> TimeRanges:
        """Some of the ranges, by their numbers or by a mask."""
        at = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        names = None if self.names is None else tuple(self.names[row] for row in at.tolist())
        labels = None if self.labels is None else tuple(self.labels[row] for row in at.tolist())
        return replace(self, firsts=self.firsts[at], lasts=self.lasts[at], names=names, labels=labels)

    def rows(self, timestamps: ArrayLike | Any, outside: Outside | None = "error") -> Ranges:
        """The rows of an ascending time index that the ranges mean; they keep the index, and their names.

        A range wholly outside is an error; with ``outside="drop"`` it is dropped with an ``OutsideWarning`` that says
        how many were, and dropping all is an error; with None it is left out without a word.
        """
        self._check_closed()
        clock = timestamps if isinstance(timestamps, RowClock) else RowClock(time_index(timestamps))
        if len(self):
            common_kind([("the timestamps", clock.elapsed), (self.name, self.elapsed)])
        starts, stops = (side.view(np.int64) for side in (self.firsts, self.lasts))
        return rows_of(starts, stops, clock, self.name, included=self.inclusive, outside=outside, names=self.names)

    @property
    def elapsed(self) -> bool:
        """Whether times are seconds since the start of a recording."""
        return self.firsts.dtype.kind == "m"

    def pairs(self) -> TimePairs:
        """For a clock, where an end is a moment, included or not. What has no length lasts a nanosecond."""
        starts, ends = self.firsts.view(np.int64), self.lasts.view(np.int64)
        stops = np.where(ends == OPEN, OPEN, np.maximum(ends + self.holds, starts + 1))
        return TimePairs(starts, stops, self.zoned, self.name, self.names, self.elapsed)

    def on_clock(self) -> ClockedRanges:
        """Ranges of times; those that overlap are joined."""
        self._check_closed()
        return self.pairs().joined()

    def half_open(self) -> ClockedRanges:
        """For an index that is not known yet: the ranges of times that mean the same rows, an included end being a nanosecond more."""
        self._check_closed()
        starts, ends = self.firsts.view(np.int64), self.lasts.view(np.int64)
        stops = np.maximum(ends + self.inclusive, starts + 1)
        return TimePairs(starts, stops, self.zoned, self.name, self.names, self.elapsed).joined()

    def _check_closed(self) -> None:
        for row in np.flatnonzero(np.isnat(self.lasts))[:1]:
            called = f" {self.names[row]}" if self.names is not None and self.names[row] else ""
            raise ValueError(
                f"{self.name}: range {row}{called} begins {time_text(self.firsts[row])} and has no end: it is still open; say until when "
                "it counts with --until, e.g. --until 2024-05-01T12:00, or leave it out"
            )

    def __len__(self) -> int:
        return len(self.firsts)

    def _shown(self, where: int | np.intp) -> str:
        return f"{time_text(self.firsts[where])} to {time_text(self.lasts[where])}"
