"""Positions as rows, times or numbers: as text, and as data for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.instants import duration_text, time_text
from rangewise.inputs.ranges import Ranges, array_of
from rangewise.reports.pack import Packed, packed

_MILLISECONDS = "datetime64[ms]"


@dataclass(frozen=True, eq=False)
class PageClock:
    """The positions ``first`` to ``last``; ``times`` has one entry per row, or is None; with ``ticks``, positions are UTC nanoseconds."""

    first: int
    last: int
    times: NDArray[Any] | None = None
    ticks: bool = False
    epoch: int = 0
    """Nanoseconds from 1970 to position 0, if positions are times."""
    elapsed: bool = False
    """Whether times count from the start of a recording instead of having dates."""
    zone: str = ""
    """The time zone in which times are shown; by default UTC, or that of the input."""

    @property
    def rows(self) -> int | None:
        """The number of points; None if positions are times without rows."""
        return None if self.ticks else self.last

    def text(self, position: int) -> str:
        """A position as text.

        >>> PageClock(0, 10).text(1234)
        'row 1,234'
        """
        if self.ticks and self.elapsed:
            return time_text(np.timedelta64((position + self.epoch) // 10**6, "ms"))
        if self.ticks:
            return _date_text(np.datetime64(position + self.epoch + self._offset(position + self.epoch), "ns"))
        if self.times is None:
            return f"row {position:,}"
        time = self.times[min(position, len(self.times) - 1)]
        return _date_text(time) if self.times.dtype.kind == "M" else f"{time:g}"

    def _offset(self, instant: int) -> int:
        """Nanoseconds from UTC to the zone at an instant."""
        if self.zone in ("", "UTC"):
            return 0
        offset = datetime.fromtimestamp(instant // 10**9, ZoneInfo(self.zone)).utcoffset()
        return 0 if offset is None else int(offset.total_seconds()) * 10**9

    def range_text(self, start: int, stop: int) -> str:
        """A range as text: its start and its length."""
        if self.ticks:
            return f"{self.text(start)} · {duration_text(stop - start)}"
        points = stop - start
        return f"{self.text(start)} · {points:,} {'point' if points == 1 else 'points'}"

    def packed(self) -> Packed:
        """The data that the page needs for the same text."""
        if self.ticks:
            data: Packed = {"kind": "ticks", "first": str(self.first), "last": str(self.last), "epoch": str(self.epoch)}
            return data | ({"elapsed": True} if self.elapsed else {}) | ({"zone": self.zone} if self.zone else {})
        data = {"kind": "rows", "first": 0, "last": self.last}
        if self.times is None or not len(self.times):
            return data
        is_date = self.times.dtype.kind == "M"
        values = self.times.astype(_MILLISECONDS).astype(np.int64).astype(np.float64) if is_date else self.times.astype(np.float64)
        steps = np.diff(values)
        data["kind"] = "dates" if is_date else "numbers"
        if len(steps) and (steps == steps[0]).all():
            return data | {"start": float(values[0]), "step": float(steps[0])}
        return data | {"at": packed(values)}


def read_times(times: Any, points: int) -> NDArray[Any]:
    """One time or number per row, checked."""
    array = array_of(times, "times")
    if array.dtype.kind in "OU":
        try:
            array = array.astype("datetime64[ns]")
        except (TypeError, ValueError) as error:
            raise TypeError(f"times must be dates or numbers, one per point; got {array[:1].tolist()!r:.60}") from error
    if array.ndim != 1 or array.dtype.kind not in "Miuf":
        raise TypeError(f"times must be dates or numbers, one per point; got dtype {array.dtype} and shape {array.shape}")
    if len(array) != points:
        raise ValueError(f"there are {points:,} points but {len(array):,} times; give one time per point")
    missing = np.flatnonzero(np.isnat(array) if array.dtype.kind == "M" else np.isnan(array.astype(np.float64)))
    if missing.size:
        raise ValueError(f"time {missing[0]} is missing; give the time of every point, or leave times= out")
    return array


def _date_text(time: np.datetime64) -> str:
    text = str(np.datetime_as_string(time, unit="s")).replace("T", " ")
    return text.removesuffix(":00")


def clock_of(points: int, times: Any) -> PageClock:
    """Rows, with their times if there are any."""
    return PageClock(0, points, None if times is None else read_times(times, points))


def tick_clock(sides: Sequence[Ranges], epoch: int = 0, elapsed: bool = False) -> PageClock:
    """Times without rows: from the first start to the last stop."""
    bounds = [np.asarray(side) for side in sides if len(side)]
    if not bounds:
        return PageClock(0, 1, ticks=True, epoch=epoch, elapsed=elapsed)
    first, last = int(min(side[0, 0] for side in bounds)), int(max(side[-1, 1] for side in bounds))
    return PageClock(first, last, ticks=True, epoch=epoch, elapsed=elapsed)
