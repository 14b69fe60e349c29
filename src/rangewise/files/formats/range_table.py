"""Range tables: ``start,end`` with a line a range, and with a column ``series`` when one table tells of several.

Integers are rows and the end is excluded; ISO 8601 times have the end included (the rule of pandas for rows and for times). Both can be
forced with ``end_included``. Orion's tables, ``start,end,severity``, are seconds since 1970 with the end included.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.datasets.marks import Marks
from rangewise.datasets.source import Source, SourceLike, as_source
from rangewise.datasets.times import Outside, TimeRanges, from_epoch, time_text, to_epoch
from rangewise.ranges import Ranges

START, END, SERIES, SEVERITY = "start", "end", "series", "severity"
# From here on integers may be rows of a huge series or seconds since 1970.
EPOCH_LIKE = 10**8


def read_range_table(
    path: SourceLike,
    timestamps: NDArray[Any] | None = None,
    *,
    series: str | None = None,
    end_included: bool | None = None,
    outside: Outside = "error",
) -> Ranges:
    """The ranges of a table; ``timestamps`` map those given as times to rows."""
    return range_table_marks(as_source(path), series, end_included).rows(timestamps, outside)


def read_orion(path: SourceLike, timestamps: NDArray[Any], *, outside: Outside = "error") -> Ranges:
    """The ranges of an Orion table, seconds since 1970 with the end included, as rows of the timestamps."""
    return orion_times(as_source(path)).rows(timestamps, outside)


def range_table_marks(source: Source, series: str | None, end_included: bool | None) -> Marks:
    table = source.table
    chosen = _rows_of_series(source, series)
    starts, ends = table.integers(START), table.integers(END)
    if starts is not None and ends is not None:
        stops = ends + (end_included or False)
        wrong = np.flatnonzero((starts < 0) | (stops <= starts))
        if wrong.size:
            row = int(wrong[0])
            rule = "included" if end_included else "excluded (included: --end-included)"
            raise ValueError(f"{table.where(row)}: {starts[row]} to {ends[row]} is no range of rows: rows count from 0, the end is {rule}")
        return Marks(source.name, Ranges(np.column_stack([starts, stops])[chosen]))
    for column, other in ((START, ends), (END, starts)):
        if other is not None and len(table):
            row = next(row for row, text in enumerate(table.texts(column)) if not text.lstrip("+-").isdigit())
            raise ValueError(f"{table.where(row)}: {table.texts(column)[row]!r} in column {column!r} is not a row; the other end is")
    firsts, lasts = table.times(START), table.times(END)
    if end_included is False:
        lasts = lasts - np.timedelta64(1, "ns")
    wrong = np.flatnonzero(lasts < firsts)
    if wrong.size:
        row = int(wrong[0])
        raise ValueError(f"{table.where(row)}: {time_text(firsts[row])} to {time_text(lasts[row])} ends before it starts")
    return Marks(source.name, TimeRanges(firsts[chosen], lasts[chosen], source.name))


def _rows_of_series(source: Source, series: str | None) -> NDArray[np.bool_]:
    table = source.table
    if SERIES not in table.columns:
        if series is not None:
            raise ValueError(f"{source.name} has no column {SERIES!r}, so {series!r} cannot be chosen")
        return np.ones(len(table), dtype=np.bool_)
    names = table.texts(SERIES)
    known = sorted(set(names))
    if series is None and len(known) > 1:
        raise ValueError(f"{source.name} tells of {len(known)} series, {shown_names(known)}; choose one with --series")
    if series is not None and known and series not in known:
        raise ValueError(f"{source.name} does not tell of series {series!r}; it has {shown_names(known)}")
    return np.array([series is None or name == series for name in names], dtype=np.bool_)


def shown_names(names: list[str]) -> str:
    """Some of the names, for a complaint."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def orion_times(source: Source) -> TimeRanges:
    """The time ranges of an Orion table."""
    firsts, lasts = (from_epoch(source.table.numbers(column).tolist(), "s", source.name) for column in (START, END))
    return TimeRanges(firsts, lasts, source.name)


def range_table_columns(marks: Marks) -> dict[str, NDArray[Any]]:
    """Rows with the end excluded where rows are known, else times with the end included."""
    if isinstance(marks.ranges, TimeRanges):
        sides = (marks.ranges.firsts, marks.ranges.lasts)
        return {name: np.array([time_text(time) for time in times]) for name, times in zip((START, END), sides, strict=True)}
    ranges = marks.rows()
    return {START: ranges.starts, END: ranges.stops}


def orion_columns(times: TimeRanges) -> dict[str, NDArray[Any]]:
    """An Orion table; every severity is 1."""
    firsts, lasts = (to_epoch(side, "s", "an Orion table") for side in (times.firsts, times.lasts))
    return {START: firsts, END: lasts, SEVERITY: np.ones(len(times))}
