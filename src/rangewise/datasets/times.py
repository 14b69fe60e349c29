"""Time ranges, and the rows of a time index that they mean.

A time range is closed: it holds its first and its last time. It means the rows whose time lies in it. A range between two rows, that
holds neither, means the row before it: the newest one at that time. A range that begins before the index or ends after it is cut there;
one that lies wholly outside is an error, or dropped. Ranges that share a row are joined.

Times without a zone are UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.ranges import Ranges

Times = NDArray[np.datetime64]
Outside = Literal["error", "drop"]

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
# Counted since 1970, seconds reach 10^11 in the year 5138; milliseconds are there in 1973.
_SMALLEST_EPOCH = (("s", 10**8), ("ms", 10**11), ("us", 10**14), ("ns", 10**17))


@dataclass(frozen=True, eq=False)
class TimeRanges:
    """Closed time ranges, in any order. Frozen; checks itself.

    >>> index = np.datetime64("2014-07-01T00:00") + np.arange(6) * np.timedelta64(30, "m")
    >>> ranges = TimeRanges(parse_times(["2014-07-01 00:30"]), parse_times(["2014-07-01 01:45"]))
    >>> ranges.rows(index)
    Ranges([(1, 4)])
    """

    firsts: Times
    lasts: Times
    name: str = "time ranges"

    def __post_init__(self) -> None:
        for side in ("firsts", "lasts"):
            times = np.array(getattr(self, side), dtype="datetime64[ns]")
            times.flags.writeable = False
            object.__setattr__(self, side, times)
        if self.firsts.shape != self.lasts.shape or self.firsts.ndim != 1:
            raise ValueError(f"{self.name}: firsts have shape {self.firsts.shape} and lasts {self.lasts.shape}; expected as many of both")
        backward = np.flatnonzero(~(self.firsts <= self.lasts))
        if backward.size:
            raise ValueError(f"{self.name}: range {backward[0]} is {self._shown(backward[0])}; a range ends at or after its start")

    @classmethod
    def of_rows(cls, ranges: Ranges, timestamps: ArrayLike | Any, name: str = "time ranges") -> TimeRanges:
        """From the time of the first row to that of the last row of each range."""
        index = time_index(timestamps)
        if len(ranges) and ranges.stops[-1] > len(index):
            raise ValueError(f"{name}: a range stops at row {ranges.stops[-1]}, but there are only {len(index)} timestamps")
        return cls(index[ranges.starts], index[ranges.stops - 1], name)

    def rows(self, timestamps: ArrayLike | Any, outside: Outside = "error") -> Ranges:
        """The rows of an ascending time index that the ranges mean, by the rule above."""
        index = time_index(timestamps)
        firsts, lasts = self.firsts, self.lasts
        if not len(self):
            return Ranges()
        if not len(index):
            raise ValueError(f"{self.name}: the time index is empty, so there is no row for {self._shown(0)}")
        wholly = (lasts < index[0]) | (firsts > index[-1])
        if wholly.any():
            if outside == "error":
                where = int(np.flatnonzero(wholly)[0])
                raise ValueError(
                    f"{self.name}: range {where} {self._shown(where)} lies outside the time index, "
                    f"{time_text(index[0])} to {time_text(index[-1])}; drop such ranges with outside='drop' (--outside drop)"
                )
            firsts, lasts = firsts[~wholly], lasts[~wholly]
        starts = np.searchsorted(index, firsts, side="left")
        stops = np.searchsorted(index, lasts, side="right")
        starts = np.minimum(starts, stops - 1)
        return _joined(starts, stops)

    def __len__(self) -> int:
        return len(self.firsts)

    def _shown(self, where: int | np.intp) -> str:
        return f"{time_text(self.firsts[where])} to {time_text(self.lasts[where])}"


def _joined(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> Ranges:
    """Ranges that share a row, as one; those that only touch stay apart."""
    order = np.argsort(starts, kind="stable")
    starts, stops = starts[order], np.maximum.accumulate(stops[order])
    apart = starts[1:] >= stops[:-1]
    return Ranges(
        np.column_stack([starts[np.concatenate(([True], apart))[: len(starts)]], stops[np.concatenate((apart, [True]))[: len(stops)]]])
    )


def time_index(timestamps: ArrayLike | Any, name: str = "the time index") -> Times:
    """Timestamps as ``datetime64[ns]``, each later than the one before it. Integers count since 1970, in the unit that their size tells.

    >>> time_index([1404172800, 1404174600])[1]
    np.datetime64('2014-07-01T00:30:00.000000000')
    """
    found = np.asarray(timestamps)
    if found.dtype.kind in "iu":
        found = _from_epoch_integers(found.astype(np.int64), name)
    elif found.dtype.kind != "M":
        raise TypeError(f"{name} has dtype {found.dtype}; expected datetime64, or integers that count since 1970")
    index = found.astype("datetime64[ns]")
    check_ascending(index, name)
    return index


def check_ascending(times: NDArray[Any], name: str, first_line: int | None = None) -> None:
    """Complain about the first time that is not later than the one before it."""
    wrong = np.flatnonzero(~(times[1:] > times[:-1]))
    if wrong.size:
        row = int(wrong[0]) + 1
        where = f"row {row}" if first_line is None else f"line {row + first_line}"
        what = "repeats the time before it" if times[row] == times[row - 1] else "goes back in time"
        raise ValueError(f"{name}, {where}: {time_text(times[row])} {what}; sort the rows and drop duplicates, or give ranges as rows")


def _from_epoch_integers(counts: NDArray[np.int64], name: str) -> NDArray[Any]:
    largest = int(np.abs(counts).max(initial=0))
    unit = next((unit for unit, smallest in reversed(_SMALLEST_EPOCH) if largest >= smallest), None)
    if unit is None and len(counts):
        raise ValueError(f"{name} is integers up to {largest}: they count rows, not time since 1970, so times cannot be mapped to them")
    return counts.astype(f"datetime64[{unit or 's'}]")


def from_epoch(counts: Sequence[Any], unit: str, name: str) -> Times:
    """Numbers that count seconds or milliseconds since 1970; fractions are kept to the millisecond."""
    found = np.empty(len(counts), dtype=np.int64)
    for where, count in enumerate(counts):
        if isinstance(count, bool) or not isinstance(count, (int, float)) or not abs(count) * NANOSECONDS[unit] < 2**63:
            raise ValueError(f"{name}, range {where}: {count!r} is not a time; expected a number of {unit} since 1970")
        milliseconds = count * (NANOSECONDS[unit] // NANOSECONDS["ms"])
        found[where] = round(milliseconds) * NANOSECONDS["ms"]
    return found.astype("datetime64[ns]")


def to_epoch(times: Times, unit: str, name: str) -> NDArray[np.int64]:
    """Times as whole seconds or milliseconds since 1970; finer times are an error, since they would not come back."""
    counts = times.astype("datetime64[ns]").astype(np.int64)
    finer = np.flatnonzero(counts % NANOSECONDS[unit])
    if finer.size:
        raise ValueError(f"{name} counts whole {unit}, but {time_text(times[finer[0]])} is finer; choose another format")
    return counts // NANOSECONDS[unit]


def parse_times(texts: Sequence[str], name: str = "times", where: Callable[[int], str] | None = None) -> Times:
    """ISO 8601 texts as UTC: all of them with a zone, or none. ``where`` is how complaints call a text by its number.

    >>> bool(parse_times(["2014-07-01T02:00:00+02:00"])[0] == parse_times(["2014-07-01"])[0])
    True
    """
    found: list[int] = []
    zoned: bool | None = None
    for number, text in enumerate(texts):
        place = f"{name}, time {number}" if where is None else where(number)
        try:
            time = datetime.fromisoformat(text.strip())
        except (ValueError, AttributeError) as error:
            raise ValueError(f"{place}: {text!r} is not a time; expected ISO 8601, e.g. 2014-07-01T00:30:00") from error
        if zoned is not None and zoned != (time.tzinfo is not None):
            raise ValueError(f"{place}: {text!r} {mixed_zones(zoned)}")
        zoned = time.tzinfo is not None
        since = (time if zoned else time.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
        found.append((since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000)
    try:
        return np.array(found, dtype=np.int64).astype("datetime64[ns]")
    except OverflowError as error:
        raise ValueError(f"{name}: times lie in the years 1678 to 2261") from error


def mixed_zones(before_zoned: bool) -> str:
    """The complaint about a time that has a zone where those before have none, or the other way round."""
    this, before = ("has no zone", "have one") if before_zoned else ("has a zone", "have none")
    return f"{this}, but the times before it {before}; give all of them a zone, or none (then they are UTC)"


def time_text(time: Any) -> str:
    """ISO 8601 to the second, and finer only where needed.

    >>> time_text(np.datetime64("2014-07-01")), time_text(np.datetime64("2014-07-01T00:00:00.500"))
    ('2014-07-01T00:00:00', '2014-07-01T00:00:00.5')
    """
    if not isinstance(time, np.datetime64):
        return str(time)
    text = str(np.datetime_as_string(time, unit="ns"))
    return text.rstrip("0").rstrip(".") if "." in text else text
