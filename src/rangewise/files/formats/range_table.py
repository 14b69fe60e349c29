"""Range tables: ``start,end`` with one line per range, and a column ``series`` if a table has several series.

Other common names of the two columns are detected (``opened_at,resolved_at``), and any can be given. A range of times without an end is
open. All other columns are kept; a column such as ``id`` or ``name`` names the ranges.

Integers are rows with the end excluded; ISO 8601 times have the end included (as slices in pandas). ``inclusive`` overrides both. Numbers
with a fraction are seconds since the start of a recording, with the end excluded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown_names, shown_text
from rangewise.files.annotations import Annotations
from rangewise.files.events import (
    ANNOTATOR_NAMES,
    CLASS_NAMES,
    CONFIDENCE_NAMES,
    EventTable,
    column_of,
    nanoseconds,
    numbers_or_none,
)
from rangewise.files.formats.base import TIMES_END, ZONE_IN_BOTH, Choices, Format, dated_times
from rangewise.files.source import Source, SourceLike, as_source, is_number
from rangewise.files.tables import FileTable
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.instants import Times, as_times, time_text
from rangewise.inputs.ranges import Ranges

START, END, SERIES, SEVERITY = "start", "end", "series", "severity"
_STARTS = (
    START, "startedat", "openedat", "starttime", "startdate", "started", "opened", "begin", "startsat", "from", "impactstartdate",
    "impactstart", "triggeredat", "triggeredon", "triggered", "firedat", "detectedat", "createdat", "createdon", "created",
)  # fmt: skip
_ENDS = (
    END, "stop", "endedat", "resolvedat", "resolvedon", "closedat", "closedon", "endtime", "enddate", "ended", "resolved", "closed",
    "endsat", "until", "to", "impactenddate", "impactend", "clearedat", "cleared",
)  # fmt: skip
"""Names of the two columns in lower case, without spaces and underscores, in order of preference."""
_NAMES = ("id", "name", "incident", "incidentid", "eventid", "number", "incidentnumber", "key", "title", "alertname", "rule")


def read_range_table(
    path: SourceLike,
    timestamps: NDArray[Any] | None = None,
    *,
    series: str | None = None,
    inclusive: bool | None = None,
    outside: Outside = "error",
) -> Ranges:
    """Read the ranges of a table; ``timestamps`` map ranges of times to rows."""
    return range_table_annotations(as_source(path), Choices(series=series, inclusive=inclusive)).rows(timestamps, outside)


def range_table_annotations(source: Source, how: Choices) -> Annotations:
    chosen = rows_of_series(source, how)
    return Annotations(source.name, ranges_of_rows(source, how, chosen), weights=_weights(source.table, how, chosen))


def _weights(table: FileTable, how: Choices, chosen: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """The weight of each range in chronological order."""
    if not how.has("weights") or how.weights is None:
        return None
    begin, _ = bound_columns(table.columns, how, table.name)
    starts: NDArray[Any]
    starts = table.numbers(begin) if table.is_numeric(begin) else table.instants(begin, tz=how.tz).times
    return table.numbers(how.weights)[chosen][np.argsort(starts[chosen], kind="stable")]


def ranges_of_rows(source: Source, how: Choices, chosen: NDArray[np.bool_]) -> Ranges | TimeRanges:
    """The ranges of the chosen rows of the table."""
    return _read_rows(source, how)(np.flatnonzero(chosen))


def ranges_by_series(source: Source, how: Choices) -> dict[str, Ranges | TimeRanges]:
    """The ranges of each series of the table."""
    series, codes = np.unique(np.array(source.table.texts(SERIES), dtype=np.str_), return_inverse=True)
    ranges_of = _read_rows(source, how)
    rows = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    # An empty table has one part, which is empty and has no name.
    return {name: ranges_of(own) for name, own in zip(series.tolist(), rows, strict=False)}


def _read_rows(source: Source, how: Choices) -> Callable[[NDArray[np.int64]], Ranges | TimeRanges]:
    """Read and check the table, and return a function that gives the ranges of some rows."""
    table = source.table
    begin, finish = bound_columns(table.columns, how, table.name)
    starts, ends = table.integers(begin), table.integers(finish)
    if starts is not None and ends is not None:
        pairs = np.column_stack([starts, _row_stops(table, starts, ends, how)])
        return lambda rows: Ranges.joined(pairs[rows]) if how.joined else _disjoint(table, pairs, rows)
    zoned: bool | None = None
    firsts: Times
    lasts: Times
    if _are_seconds(table, begin, finish):
        if how.inclusive:
            raise ValueError(f"{table.name} has seconds with fractions, whose end is excluded; leave --inclusive out")
        firsts, lasts = (as_times(nanoseconds(table.numbers(column), table.name), True) for column in (begin, finish))
        closed = False
    else:
        for column, other in ((begin, ends), (finish, starts)):
            if other is not None and len(table):
                row = table.first_not_integer(column)
                raise ValueError(
                    f"{table.where(row)}: {shown_text(table.texts(column)[row])} in column {column!r} is not a row, but the other end is "
                    "(rows are integers below 2^63)"
                )
        _refuse_mixed(table, begin, finish)
        sides = table.instants(begin, tz=how.tz), table.instants(finish, may_miss=True, tz=how.tz)
        zoned = _one_zone(table.name, begin, finish, *(side.zoned for side in sides))
        firsts, lasts = (side.times for side in sides)
        # Whether the end is included matters only if times become rows, which is not known here.
        how.uses.add(TIMES_END)
        closed = vars(how)["inclusive"] is not False
    for row in np.flatnonzero(lasts < firsts)[:1]:
        raise ValueError(f"{table.where(int(row))}: {time_text(firsts[row])} to {time_text(lasts[row])} ends before it starts")
    texts_of = texts_of_rows(table, (begin, finish, SERIES))

    def times(rows: NDArray[np.int64]) -> TimeRanges:
        names, labels = texts_of(rows.tolist())
        return TimeRanges(firsts[rows], lasts[rows], source.name, closed, names=names, labels=labels, zoned=zoned)

    return times


def _disjoint(table: FileTable, pairs: NDArray[np.int64], rows: NDArray[np.int64]) -> Ranges:
    """The ranges of some rows of the table; an error names the lines of two that overlap."""
    order = rows[np.argsort(pairs[rows, 0], kind="stable")]
    for clash in np.flatnonzero(pairs[order[1:], 0] < pairs[order[:-1], 1])[:1]:
        one, other = sorted(order[clash : clash + 2].tolist())
        earlier, later = ("[{}, {})".format(*pairs[row]) for row in (one, other))
        place = table.where(one).removeprefix(f"{table.name}, ")
        raise ValueError(
            f"{table.where(other)}: {later} overlaps {earlier} in {place}; the ranges of one side must be disjoint: join the two"
        )
    return Ranges(pairs[rows])


def _refuse_mixed(table: FileTable, begin: str, finish: str) -> None:
    """Refuse cells that are no numbers below numbers; the first time of a column decides that it has times."""
    for column in (begin, finish):
        texts = table.texts(column)
        if texts and is_number(texts[0]):
            for row, text in enumerate(texts):
                if text and not is_number(text):
                    raise ValueError(
                        f"{table.where(row)}: {shown_text(text)} in column {column!r} is not a number, but those before it are"
                    )


def _row_stops(table: FileTable, starts: NDArray[np.int64], ends: NDArray[np.int64], how: Choices) -> NDArray[np.int64]:
    """The excluded ends of ranges of rows."""
    stops = ends + bool(how.inclusive)
    for row in np.flatnonzero((starts < 0) | (stops <= starts))[:1]:
        rule = "included" if how.inclusive else "excluded (included: --inclusive)"
        raise ValueError(
            f"{table.where(int(row))}: {starts[row]} to {ends[row]} is not a range of rows: rows count from 0, the end is {rule}"
        )
    return stops


def _one_zone(name: str, begin: str, finish: str, start: bool | None, end: bool | None) -> bool | None:
    if start is not None and end is not None and start != end:
        with_zone, without = (begin, finish) if start else (finish, begin)
        raise ValueError(
            f"{name}: times in column {with_zone!r} have a time zone, but those in column {without!r} have none; {ZONE_IN_BOTH}"
        )
    return end if start is None else start


def _are_seconds(table: FileTable, begin: str, finish: str) -> bool:
    """Whether they are numbers and some have a fraction; integers are rows."""
    if not len(table) or not (table.is_numeric(begin) and table.is_numeric(finish)):
        return False
    return any(sign in text for column in (begin, finish) for text in table.texts(column) for sign in ".eE")


def range_table_events(source: Source, how: Choices) -> EventTable:
    """The ranges of a table with the class, the confidence and the annotator of each, if it has such columns."""
    table = source.table
    begin, finish = bound_columns(table.columns, how)
    kept = rows_of_series(source, how)
    starts, ends = table.integers(begin), table.integers(finish)
    if starts is not None and ends is not None:
        return EventTable(source.name, starts, _row_stops(table, starts, ends, how), "rows", **details(table, how)).chosen(kept)
    times = _read_rows(source, how)(np.arange(len(table)))
    assert isinstance(times, TimeRanges)
    kept &= times.begun(how.until)
    nowhere = np.zeros(len(table), dtype=np.int64)
    about = EventTable(source.name, nowhere, nowhere, "rows", **details(table, how)).chosen(kept)
    events = events_of_times(times.chosen(kept).closed(how.until))
    return replace(events, classes=about.classes, confidences=about.confidences, annotators=about.annotators)


def events_of_times(times: TimeRanges, **more: Any) -> EventTable:
    """Times as events; open ranges are an error."""
    times.on_clock()
    pairs = times.pairs()
    return EventTable(times.name, pairs.starts, pairs.stops, "seconds" if times.elapsed else "dates", origin=times.origin, **more)


def details(table: FileTable, how: Choices, rows: Sequence[int] | None = None) -> dict[str, Any]:
    """Classes, confidences and annotators in these rows of a table of events, by default all, if it has such columns."""
    chosen = range(len(table)) if rows is None else rows
    names = {"classes": class_column(table, how), "annotators": column_of(table.columns, ANNOTATOR_NAMES)}
    columns: dict[str, Any] = {key: _cells(table, column, chosen) for key, column in names.items() if column is not None}
    confidence = column_of(table.columns, CONFIDENCE_NAMES)
    if confidence is not None:
        columns["confidences"] = numbers_or_none(_cells(table, confidence, chosen), lambda at: table.where(chosen[at]))
    return columns


def class_column(table: FileTable, how: Choices) -> str | None:
    """The column with the classes of events, if the table has one."""
    return how.column or column_of(table.columns, CLASS_NAMES)


def _cells(table: FileTable, column: str, rows: Sequence[int]) -> tuple[str, ...]:
    texts = table.texts(column)
    return tuple(texts[row] for row in rows)


_RowTexts = tuple[tuple[str, ...] | None, tuple[dict[str, str], ...]]


def texts_of_rows(table: FileTable, bounds: tuple[str, ...]) -> Callable[[list[int]], _RowTexts]:
    """A function that gives the names of rows, if there is a column of names, and their other columns."""
    texts = {column: table.texts(column) for column in table.columns if column not in bounds}
    called = next((texts[column] for column in texts if plain_name(column) in _NAMES), None)

    def of_rows(rows: list[int]) -> _RowTexts:
        names = None if called is None else tuple(called[row] for row in rows)
        return names, tuple({column: cells[row] for column, cells in texts.items()} for row in rows)

    return of_rows


def bound_columns(columns: list[str], how: Choices, name: str = "the table") -> tuple[str, str]:
    """The columns of starts and ends: as given, or detected by their names."""
    bounds = []
    for given, known, which in ((how.start_column, _STARTS, "start"), (how.end_column, _ENDS, "end")):
        column = given or next((column for wanted in known for column in columns if plain_name(column) == wanted), None)
        if column is None:
            raise ValueError(f"{name}: none of the columns {', '.join(columns)} is recognized as {which}s; name one with --{which}-column")
        bounds.append(column)
    return bounds[0], bounds[1]


def plain_name(column: str) -> str:
    """The normalized name of a column: ``Created At``, ``created_at`` and ``createdAt`` are the same.

    >>> plain_name("Created At") == plain_name("created_at") == plain_name("createdAt")
    True
    """
    return "".join(letter for letter in column.lower() if letter.isalnum())


def rows_of_series(source: Source, how: Choices) -> NDArray[np.bool_]:
    """The rows of the chosen series; all rows if the table has no names of series."""
    table, series = source.table, how.series
    if SERIES not in table.columns:
        if series is not None:
            raise ValueError(f"{source.name} has no column {SERIES!r}, so {series!r} cannot be chosen")
        return np.ones(len(table), dtype=np.bool_)
    names = table.texts(SERIES)
    known = sorted(set(names))
    if series is None and len(known) > 1:
        raise ValueError(f"{source.name} has {len(known)} series, {shown_names(known)}; choose one with --series")
    if series is not None and known and series not in known and not how.may_lack_series:
        raise ValueError(f"{source.name} has no series {series!r}; it has {shown_names(known)}")
    return np.array([series is None or name == series for name in names], dtype=np.bool_)


def range_table_columns(annotations: Annotations) -> dict[str, NDArray[Any]]:
    """Rows with the end excluded if rows are known, otherwise times with the end included."""
    if isinstance(annotations.ranges, TimeRanges):
        if annotations.ranges.elapsed:
            sides = annotations.ranges.firsts, annotations.ranges.lasts
            return {name: times.astype(np.int64) / 1e9 for name, times in zip((START, END), sides, strict=True)}
        dated = dated_times(annotations, "ranges", may_be_open=True)
        zone = "Z" if dated.zoned else ""
        # An open range has an empty end.
        texts = (["" if np.isnat(time) else f"{time_text(time)}{zone}" for time in times] for times in (dated.firsts, dated.lasts))
        return {name: np.array(side, dtype=np.str_) for name, side in zip((START, END), texts, strict=True)}
    ranges = annotations.rows()
    return {START: ranges.starts, END: ranges.stops}


def counts_seconds(source: Source) -> bool:
    """Whether it is a table ``start,end,severity`` with numeric starts, as Orion writes them."""
    return {START, END, SEVERITY} <= set(source.columns) and source.table.is_numeric(START)


FORMAT = Format(
    name="ranges",
    about="a table start,end (or other names), rows or times, optionally with series",
    end="rows: excluded, times: included (--inclusive, --exclusive)",
    kinds=("table",),
    columns=(_STARTS, _ENDS),
    plain_name=plain_name,
    looks=lambda source: not counts_seconds(source),
    reads=range_table_annotations,
    writes=lambda annotations, name: range_table_columns(annotations),
    events=range_table_events,
)
