"""Positions as rows, times or numbers: as text, and as data for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.instants import duration_text, local_time, time_text
from rangewise.inputs.ranges import Ranges, array_of
from rangewise.number_text import count_text
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
            time = local_time(np.datetime64(position + self.epoch, "ns"), self.zone or None)
        elif self.times is None:
            return f"row {position:,}"
        else:
            time = self.times[min(position, len(self.times) - 1)]
            if self.times.dtype.kind != "M":
                return f"{time:g}"
        return str(np.datetime_as_string(time, unit="s")).replace("T", " ").removesuffix(":00")

    def range_text(self, start: int, stop: int) -> str:
        """A range as text: its start and its length."""
        if self.ticks:
            return f"{self.text(start)} · {duration_text(stop - start)}"
        return f"{self.text(start)} · {count_text(stop - start, 'point')}"

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


def clock_of(points: int, times: Any) -> PageClock:
    """Rows, with one time or number per row if there are any."""
    if times is None:
        return PageClock(0, points)
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
    return PageClock(0, points, array)


def tick_clock(sides: Sequence[Ranges], epoch: int = 0, elapsed: bool = False) -> PageClock:
    """Times without rows: from the first start to the last stop."""
    first = min((int(side.starts[0]) for side in sides if len(side)), default=0)
    last = max((int(side.stops[-1]) for side in sides if len(side)), default=1)
    return PageClock(first, last, ticks=True, epoch=epoch, elapsed=elapsed)
