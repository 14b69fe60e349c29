"""Instants and durations: parsed from any common type into nanoseconds since 1970 in UTC, and formatted as text.

An instant is a ``datetime64``, a ``datetime`` or ``date``, a ``pd.Timestamp``, ISO 8601 text, or a column of them. Either all instants of
one score have a time zone or none has; without a zone they are UTC. Years outside 1678 to 2261 are errors.

An instant may also be elapsed time since the start of a recording: a float in seconds, a ``timedelta`` or ``timedelta64``. Either all
instants of one score are dates or all are elapsed times. Arrays of elapsed times have the dtype ``timedelta64[ns]``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

Times = NDArray[np.datetime64]
"""Dates as ``datetime64[ns]``; elapsed times as ``timedelta64[ns]``."""

NANOSECONDS = {
    "w": 604_800 * 10**9,
    "d": 86_400 * 10**9,
    "h": 3_600 * 10**9,
    "min": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
_OTHER_UNITS = {"": "s", "m": "min", "t": "min", "sec": "s", "hr": "h", "day": "d", "days": "d", "week": "w", "weeks": "w", "µs": "us"}
YEARS = "times must be in the years 1678 to 2261"
_TIME_KINDS = "datetime64, datetime, pd.Timestamp or ISO 8601 text, or floats in seconds or timedelta for time since the start"
MOST_SECONDS = 3.2e9
OPEN = np.iinfo(np.int64).min
"""A missing instant, as in NumPy: NaT."""
_EPOCH, _EPOCH_DAY = datetime(1970, 1, 1, tzinfo=UTC), date(1970, 1, 1)
# Seconds since 1970 reach 10^11 in the year 5138; milliseconds reached it in 1973.
_SMALLEST_EPOCH = (("s", 10**8), ("ms", 10**11), ("us", 10**14), ("ns", 10**17))
# Patterns are compiled when a time is parsed: `import rangewise` does not wait for them.
# Logs and dashboards write the time zone as a word after a space.
_UTC = r" (UTC|GMT|Z)$"
# What follows the microseconds of a time; `datetime` drops it.
_FINER = r"[-0-9W]{8,10}.[0-9]{2}:?[0-9]{2}:?[0-9]{2}[.,][0-9]{6}([0-9]+)"
_DURATION = r"\s*([0-9]*\.?[0-9]+)\s*([a-zA-Zµ]*)\s*"
_PART = r"\s*([0-9]*\.?[0-9]+)\s*([a-zA-Zµ]+)"


@dataclass(frozen=True, eq=False)
class Instants:
    """Nanoseconds since 1970 (``OPEN`` for missing ones), and whether they have a time zone (None if there are no instants).

    If ``elapsed``, nanoseconds since the start of the recording.
    """

    nanoseconds: NDArray[np.int64]
    zoned: bool | None
    elapsed: bool = False

    @property
    def times(self) -> Times:
        return as_times(self.nanoseconds, self.elapsed)


def as_times(nanoseconds: Any, elapsed: bool) -> Times:
    """Nanoseconds as dates, or as elapsed times."""
    return np.asarray(nanoseconds, dtype=np.int64).view("timedelta64[ns]" if elapsed else "datetime64[ns]")


def read_instants(given: Any, name: str, where: Callable[[int], str] | None = None) -> Instants:
    """A column of instants of any library; ``where`` formats the place of an entry in errors.

    >>> read_instants([datetime(1970, 1, 1, 0, 0, 1)], "real").nanoseconds.tolist()
    [1000000000]
    """
    place = where or (lambda row: f"{name}: time {row}")
    zone: Any = None
    if not isinstance(given, (np.ndarray, list, tuple)):
        import narwhals.stable.v2 as nw

        column = nw.from_native(given, series_only=True, pass_through=True)
        if isinstance(column, nw.Series):
            if isinstance(column.dtype, nw.Datetime) and column.dtype.time_zone is not None:
                zone = column.dtype.time_zone
                column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
            given = column.to_numpy()
        elif getattr(given, "tz", None) is not None:  # an index of pandas
            zone, given = given.tz, given.tz_convert(None).to_numpy()
    array = np.asarray(given)
    if array.dtype.kind == "M":
        return Instants(_from_datetime64(array, place), zone is not None if len(array) else None)
    if array.dtype.kind == "m" or (array.dtype.kind == "f" and array.size):
        return Instants(_elapsed_nanoseconds(array, place), None, elapsed=True)
    if array.dtype.kind == "U":
        array = array.astype(object)
    if array.dtype.kind != "O" and array.size:
        raise TypeError(f"{name} has dtype {array.dtype}; expected times: {_TIME_KINDS}")
    values = array.tolist() if array.dtype.kind == "O" else []
    if any(isinstance(value, (timedelta, np.timedelta64)) for value in values):
        return Instants(np.array([_elapsed(value, place(row)) for row, value in enumerate(values)], dtype=np.int64), None, elapsed=True)
    return _one_by_one(values, place)


def _elapsed_nanoseconds(array: NDArray[Any], place: Callable[[int], str]) -> NDArray[np.int64]:
    """Seconds or ``timedelta64`` as nanoseconds; nan and NaT are missing."""
    if array.dtype.kind == "m":
        if np.datetime_data(array.dtype)[0] == "generic" and array.size:
            raise ValueError(f"{place(0)} is {array[0]!r}, which has no unit; give one, e.g. np.timedelta64(5, 's')")
        durations = array.astype("timedelta64[ns]")
        # A duration that does not fit wraps around and does not round-trip.
        wrong = (durations.astype(array.dtype) != array) & ~np.isnat(array)
    else:
        missing = np.isnan(array)
        wrong = ~missing & ~(np.abs(array) < MOST_SECONDS)
        counts = np.rint(np.where(missing | wrong, 0.0, array).astype(np.float64) * NANOSECONDS["s"]).astype(np.int64)
        durations = np.where(missing, OPEN, counts)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"{place(row)} is {array[row]}; seconds since the start of a recording must be within a century")
    return np.asarray(durations).view(np.int64)


def is_missing(value: Any) -> bool:
    """Whether a value is None, nan, NaT or pandas' NA.

    >>> is_missing(None), is_missing(float("nan")), is_missing("2024-05-01")
    (True, True, False)
    """
    if value is None:
        return True
    try:
        return bool(value != value)  # nan and NaT are not equal to themselves
    except (TypeError, ValueError):  # NA is neither equal nor unequal
        return True


def _elapsed(value: Any, where: str) -> int:
    if is_missing(value):
        return OPEN
    if isinstance(value, (str, datetime, date, np.datetime64)):
        raise ValueError(f"{where} is {value!s}, a date, but others are durations; give all as dates, or all as time since the start")
    return duration(value, where)


def _from_datetime64(array: NDArray[Any], place: Callable[[int], str]) -> NDArray[np.int64]:
    converted = array.astype("datetime64[ns]")
    # A time that does not fit wraps around silently and does not round-trip.
    wrapped = np.flatnonzero((converted.astype(array.dtype) != array) & ~np.isnat(array))
    if wrapped.size:
        row = int(wrapped[0])
        raise ValueError(f"{place(row)} is {array[row]}; {YEARS}")
    return converted.view(np.int64)


def _one_by_one(values: Sequence[Any], place: Callable[[int], str]) -> Instants:
    parsed, zoned = np.empty(len(values), dtype=np.int64), None
    for row, value in enumerate(values):
        if is_missing(value):
            parsed[row] = OPEN
            continue
        nanoseconds, has_zone = _instant(value, row, place)
        if zoned is not None and zoned != has_zone:
            raise ValueError(f"{place(row)}: {value!s} {mixed_zones(zoned)}")
        zoned = has_zone
        if not -(2**63) < nanoseconds < 2**63:
            raise ValueError(f"{place(row)} is {value!s}; {YEARS}")
        parsed[row] = nanoseconds
    return Instants(parsed, zoned)


def _instant(value: Any, row: int, place: Callable[[int], str]) -> tuple[int, bool]:
    if isinstance(value, np.datetime64):
        return int(_from_datetime64(np.array([value]), lambda _: place(row))[0]), False
    finer = 0
    if isinstance(value, str):
        text = re.sub(_UTC, "+00:00", value.strip())
        try:
            value = datetime.fromisoformat(text)
        except ValueError as error:
            raise ValueError(f"{place(row)}: {value!r} is not a time; expected ISO 8601, e.g. 2014-07-01T00:30:00") from error
        if match := re.match(_FINER, text):
            if match[1][3:].strip("0"):
                raise ValueError(f"{place(row)}: {text} is finer than a nanosecond; times have at most 9 decimals")
            finer = int(match[1][:3].ljust(3, "0"))
    if isinstance(value, datetime):
        zoned = value.tzinfo is not None
        since = (value if zoned else value.replace(tzinfo=UTC)) - _EPOCH
        # Only pandas timestamps are finer than a microsecond.
        return exact(since) + int(getattr(value, "nanosecond", 0)) + finer, zoned
    if isinstance(value, date):
        return (value - _EPOCH_DAY).days * NANOSECONDS["d"], False
    raise TypeError(f"{place(row)} is {value!r:.40}; expected a time: {_TIME_KINDS}")


def exact(duration: timedelta) -> int:
    """The nanoseconds of a ``timedelta``, computed without floats."""
    return (duration.days * 86_400 + duration.seconds) * NANOSECONDS["s"] + duration.microseconds * NANOSECONDS["us"]


def mixed_zones(before_zoned: bool) -> str:
    """The error about a time with a time zone after times without one, or vice versa."""
    this, before = ("has no time zone", "have one") if before_zoned else ("has a time zone", "have none")
    return f"{this}, but the times before it {before}; give all of them a zone, or none (for UTC)"


def in_zone(instants: Instants, tz: str | None, place: Callable[[int], str]) -> Instants:
    """Interpret instants without a time zone as local times of ``tz``, e.g. Europe/Berlin. Without ``tz``, nothing changes.

    A local time that a daylight-saving change skips or repeats is an error.

    >>> read = read_instants(["2024-07-01T12:00"], "real")
    >>> str(in_zone(read, "Europe/Berlin", str).times[0])[:16]
    '2024-07-01T10:00'
    """
    if tz is None or instants.zoned or not len(instants.nanoseconds):
        return instants
    zone = known_zone(tz)
    shifted = instants.nanoseconds.copy()
    for row in np.flatnonzero(shifted != OPEN).tolist():
        seconds, rest = divmod(int(shifted[row]), NANOSECONDS["s"])
        local = (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=zone)
        first, second = local.utcoffset(), local.replace(fold=1).utcoffset()
        if first != second:
            what = "happens twice" if (first or timedelta(0)) > (second or timedelta(0)) else "does not exist"
            raise ValueError(
                f"{place(row)}: {local.replace(tzinfo=None)} {what} in {tz} (daylight-saving change); write it with an offset, "
                f"e.g. {local.isoformat()}"
            )
        shifted[row] = round((local - _EPOCH).total_seconds()) * NANOSECONDS["s"] + rest
    return Instants(shifted, True)


def known_zone(tz: str) -> ZoneInfo:
    """A time zone by its name."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(
            f"unknown time zone {tz!r}; expected a name such as Europe/Berlin or UTC (if the system has no time zones: pip install tzdata)"
        ) from error


def local_time(time: np.datetime64, tz: str | None) -> np.datetime64:
    """The local time of a time in UTC; without a zone, the time itself.

    >>> str(local_time(np.datetime64("2024-07-01T10:00:00"), "Europe/Berlin"))[:16]
    '2024-07-01T12:00'
    """
    if tz is None:
        return time
    nanoseconds = int(time.astype("datetime64[ns]").astype(np.int64))
    moment = _EPOCH + timedelta(seconds=nanoseconds // NANOSECONDS["s"])
    offset = moment.astimezone(known_zone(tz)).utcoffset() or timedelta(0)
    return np.datetime64(nanoseconds + exact(offset), "ns")


def read_texts(texts: Sequence[Any], name: str, where: Callable[[int], str], tz: str | None = None) -> Instants:
    """ISO 8601 texts of a file: all with a time zone or none, unless ``tz`` is the zone of those without one."""
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"{where(number)}: {text!r} is not a time; expected ISO 8601, e.g. 2014-07-01T00:30:00")
    if tz is None:
        return _one_by_one(texts, where)
    parsed = np.empty(len(texts), dtype=np.int64)
    for row, text in enumerate(texts):
        place = partial(_placed, where, row)
        parsed[row] = in_zone(_one_by_one([text], place), tz, place).nanoseconds[0]
    return Instants(parsed, True if len(texts) else None)


def _placed(where: Callable[[int], str], row: int, _: int) -> str:
    return where(row)


def parse_times(texts: Sequence[str], name: str = "times", where: Callable[[int], str] | None = None) -> Times:
    """ISO 8601 texts as UTC: all with a time zone, or none. ``where`` formats the place of a text in errors.

    >>> bool(parse_times(["2014-07-01T02:00:00+02:00"])[0] == parse_times(["2014-07-01"])[0])
    True
    """
    return read_texts(texts, name, where or (lambda number: f"{name}, time {number}")).times


def time_index(timestamps: Any, name: str = "the time index") -> Times:
    """Timestamps as ``datetime64[ns]``, strictly increasing. Integers count from 1970, in a unit detected from their size.

    >>> time_index([1404172800, 1404174600])[1]
    np.datetime64('2014-07-01T00:30:00.000000000')
    """
    return read_index(timestamps, name).times


def read_index(timestamps: Any, name: str) -> Instants:
    """:func:`time_index`, and whether the timestamps have a time zone."""
    index = read_row_times(timestamps, name)
    check_ascending(index.times, name)
    return index


def read_row_times(timestamps: Any, name: str) -> Instants:
    """The time of each row, in any order, as for rows of several series; instants that were read before are taken as they are."""
    if isinstance(timestamps, Instants):
        return timestamps
    plain = np.asarray(timestamps) if isinstance(timestamps, (list, tuple, np.ndarray)) else _plain_integers(timestamps)
    dtype = getattr(plain, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        index = Instants(_from_epoch_integers(np.asarray(plain), name), None)
    elif isinstance(dtype, np.dtype) and dtype.kind in "bc" and len(plain):
        raise TypeError(f"{name} has dtype {dtype}; expected datetime64, integers counted from 1970, or floats in seconds")
    else:
        index = read_instants(plain, name, lambda row: f"{name}, row {row}")
    missing = np.flatnonzero(index.nanoseconds == OPEN)
    if missing.size:
        raise ValueError(f"{name}, row {missing[0]}: the time is missing; every row needs a time")
    return index


def _plain_integers(column: Any) -> Any:
    """A column of integers of any library as an array; other input unchanged."""
    import narwhals.stable.v2 as nw

    series = nw.from_native(column, series_only=True, pass_through=True)
    return series.to_numpy() if isinstance(series, nw.Series) and series.dtype.is_integer() and not series.null_count() else column


def check_ascending(times: NDArray[Any], name: str, first_line: int | None = None) -> None:
    """Refuse times that are not strictly increasing."""
    wrong = np.flatnonzero(~(times[1:] > times[:-1]))
    if wrong.size:
        row = int(wrong[0]) + 1
        where = f"row {row}" if first_line is None else f"line {row + first_line}"
        what = "repeats the time before it" if times[row] == times[row - 1] else "goes back in time"
        raise ValueError(f"{name}, {where}: {time_text(times[row])} {what}; sort the rows and drop duplicates, or give ranges as rows")


def _from_epoch_integers(counts: NDArray[Any], name: str) -> NDArray[np.int64]:
    largest = max((abs(int(extreme)) for extreme in (counts.min(), counts.max())), default=0) if counts.size else 0
    unit = next((unit for unit, smallest in reversed(_SMALLEST_EPOCH) if largest >= smallest), None)
    if unit is None and counts.size:
        raise ValueError(f"{name} has integers up to {largest}: they count rows, not time since 1970, so times cannot be mapped to them")
    if largest * NANOSECONDS[unit or "ns"] >= 2**63:
        row = int(np.argmax(counts == counts.max()) if largest == int(counts.max()) else np.argmin(counts))
        raise ValueError(f"{name}, row {row} is {int(counts[row])} {unit} since 1970; {YEARS}")
    return counts.astype(np.int64) * NANOSECONDS[unit or "ns"]


def from_epoch(counts: Sequence[Any], unit: str, name: str) -> Times:
    """Numbers that count seconds or milliseconds since 1970; fractions are kept to the millisecond."""
    times = np.empty(len(counts), dtype=np.int64)
    for where, count in enumerate(counts):
        if isinstance(count, bool) or not isinstance(count, (int, float)) or not abs(count) * NANOSECONDS[unit] < 2**63:
            hint = f"; {YEARS}" if isinstance(count, (int, float)) and abs(count) < float("inf") else ""
            raise ValueError(f"{name}, range {where}: {count!r} is not a time; expected a number of {unit} since 1970{hint}")
        milliseconds = count * (NANOSECONDS[unit] // NANOSECONDS["ms"])
        # Rounding may exceed the last instant that fits.
        times[where] = max(min(round(milliseconds) * NANOSECONDS["ms"], 2**63 - 1), 1 - 2**63)
    return times.astype("datetime64[ns]")


def to_epoch(times: Times, unit: str, name: str) -> NDArray[np.int64]:
    """Times as whole seconds or milliseconds since 1970; finer times are an error, since they would not round-trip."""
    counts = times.astype("datetime64[ns]").astype(np.int64)
    finer = np.flatnonzero(counts % NANOSECONDS[unit])
    if finer.size:
        raise ValueError(f"{name} counts whole {unit}, but {time_text(times[finer[0]])} is finer; choose another format")
    return counts // NANOSECONDS[unit]


def duration(given: Any, name: str) -> int:
    """A duration in nanoseconds, from text such as ``"5min"`` or ``"1h30m"``, a ``timedelta`` of any library, or a number of seconds.

    >>> duration("1.5h", "lead") == duration(timedelta(minutes=90), "lead") == duration(5400, "lead")
    True
    """
    expected = f"{name} takes a duration, e.g. '30s', '5min', '1h', a timedelta, or a number of seconds"
    if isinstance(given, str):
        single = re.fullmatch(_DURATION, given)
        parts = re.findall(_PART, given) if re.fullmatch(rf"(?:{_PART})+\s*", given) else [single.groups()] if single else []
        lengths = [(float(count), _OTHER_UNITS.get(unit.lower(), unit.lower())) for count, unit in parts]
        if not parts or any(unit not in NANOSECONDS for _, unit in lengths):
            raise ValueError(f"{expected}; got {given!r} (units: {', '.join(NANOSECONDS)})")
        length: float = sum(count * NANOSECONDS[unit] for count, unit in lengths)
    elif is_missing(given):
        raise ValueError(f"{expected}; got {given!s}")
    elif isinstance(given, timedelta):
        length = exact(given) + int(getattr(given, "nanoseconds", 0))
    elif isinstance(given, np.timedelta64):
        if np.datetime_data(given.dtype)[0] == "generic":
            raise ValueError(f"{expected}; got {given!r}, which has no unit")
        nanoseconds = given.astype("timedelta64[ns]")
        # A duration that does not fit wraps around and does not round-trip.
        length = int(nanoseconds.astype(np.int64)) if nanoseconds.astype(given.dtype) == given else math.inf
    elif isinstance(given, (int, float, np.number)) and not isinstance(given, bool):
        length = float(given) * NANOSECONDS["s"]
    else:
        raise TypeError(f"{expected}; got {given!r:.40}")
    if not abs(length) < 2**62:
        raise ValueError(f"{expected}, up to a century; got {given!r}")
    return round(length)


def duration_text(nanoseconds: float) -> str:
    """A duration in at most two units.

    >>> [duration_text(count * 10**9) for count in (2700, 3900, 0.25, 59.6, 93600, 0)]
    ['45 min', '1 h 5 min', '250 ms', '59.6 s', '1 d 2 h', '0 s']
    """
    if nanoseconds < 0:
        return f"-{duration_text(-nanoseconds)}"
    if nanoseconds < NANOSECONDS["min"]:
        # At 999.5 of a unit three digits round to 1000, which is 1 of the next unit.
        unit = next((unit for unit in ("s", "ms", "us") if nanoseconds >= 0.9995 * NANOSECONDS[unit]), "ns" if nanoseconds else "s")
        text = f"{nanoseconds / NANOSECONDS[unit]:.3g}"
        return "1 min" if (text, unit) == ("60", "s") else f"{text} {unit}"
    # Rounded in the smaller of the two units that are shown, so that 59 min 59.9 s is 1 h.
    seconds = round(nanoseconds / NANOSECONDS["s"])
    minutes, hours = round(seconds / 60), round(seconds / 3600)
    for count, larger, size, smaller in ((seconds, "min", 60, "s"), (minutes, "h", 60, "min"), (hours, "d", 24, "h")):
        whole, rest = divmod(count, size)
        limit = {"min": 60, "h": 24, "d": 10**9}[larger]
        if whole < limit:
            return f"{whole} {larger} {rest} {smaller}" if rest else f"{whole} {larger}"
    raise AssertionError("days have no limit")


def time_text(time: Any) -> str:
    """ISO 8601 to the second, finer only if needed; elapsed time as seconds or ``mm:ss``.

    >>> time_text(np.datetime64("2014-07-01")), time_text(np.datetime64("2014-07-01T00:00:00.500"))
    ('2014-07-01T00:00:00', '2014-07-01T00:00:00.5')
    >>> [time_text(np.timedelta64(milliseconds, "ms")) for milliseconds in (500, 59_000, 125_250, 3_725_000)]
    ['0.5 s', '59 s', '02:05.25', '1:02:05']
    """
    if isinstance(time, np.timedelta64):
        return _elapsed_text(int(time.astype("timedelta64[ns]").astype(np.int64)))
    if not isinstance(time, np.datetime64):
        return str(time)
    text = str(np.datetime_as_string(time, unit="ns"))
    return text.rstrip("0").rstrip(".") if "." in text else text


def zoned_text(time: np.datetime64, zone: str) -> str:
    """ISO 8601 with the offset of a time zone, if there is one.

    >>> zoned_text(np.datetime64("2024-07-01T10:00"), "Europe/Berlin"), zoned_text(np.datetime64("2024-07-01T10:00"), "")
    ('2024-07-01T12:00:00+02:00', '2024-07-01T10:00:00')
    """
    if not zone:
        return time_text(time)
    local = local_time(time, zone)
    minutes = int((local - time.astype("datetime64[ns]")) / np.timedelta64(1, "m"))
    offset = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}" if minutes or zone != "UTC" else "Z"
    return time_text(local) + offset


def _elapsed_text(nanoseconds: int) -> str:
    if nanoseconds < 0:
        return f"-{_elapsed_text(-nanoseconds)}"
    seconds, rest = divmod(nanoseconds, NANOSECONDS["s"])
    fraction = f".{rest:09}".rstrip("0") if rest else ""
    if seconds < 60:
        return f"{seconds}{fraction} s"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}{fraction}" if hours else f"{minutes:02}:{seconds:02}{fraction}"


def span_text(start: Any, stop: Any, zone: str = "") -> str:
    """Start, end and duration, such as ``2024-05-01 10:02 to 10:47 (45 min)``, in local time if a zone is given.

    >>> span_text(np.datetime64("2024-05-01T10:02"), np.datetime64("2024-05-01T10:47"))
    '2024-05-01 10:02 to 10:47 (45 min)'
    >>> span_text(np.datetime64("2024-02-28T23:59:30"), np.datetime64("2024-02-29T00:00:30"))
    '2024-02-28 23:59:30 to 2024-02-29 00:00:30 (1 min)'
    >>> span_text(np.datetime64("2024-03-31T00:30"), np.datetime64("2024-03-31T01:30"), "Europe/Berlin")
    '2024-03-31 01:30 to 03:30 Europe/Berlin (1 h)'
    >>> span_text(np.timedelta64(90, "s"), np.timedelta64(150, "s"))
    '01:30 to 02:30 (1 min)'
    """
    if isinstance(start, np.timedelta64):
        length = int((stop - start).astype("timedelta64[ns]").astype(np.int64))
        return f"{time_text(start)} to {time_text(stop)} ({duration_text(length)})"
    texts = [time_text(local_time(time, zone or None)).replace("T", " ") for time in (start, stop)]
    if all(text.endswith(":00") and "." not in text for text in texts):
        texts = [text[:-3] for text in texts]
    begin, end = texts
    length = int((stop.astype("datetime64[ns]") - start.astype("datetime64[ns]")).astype(np.int64))
    return f"{begin} to {end[11:] if begin[:10] == end[:10] else end}{f' {zone}' if zone else ''} ({duration_text(length)})"
