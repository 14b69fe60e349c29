"""The series of a table as cases, one for each predicted column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import check_size
from rangewise.inputs.case import Case
from rangewise.inputs.clocks import RepeatedTimes
from rangewise.inputs.instants import time_text
from rangewise.inputs.ranges import Ranges
from rangewise.inputs.scores import Missing, is_scores
from rangewise.many.batches import AGAINST_REPEATS, Batch, Columns, Progress, batches, series_columns
from rangewise.many.ignored import IgnoredIntervals
from rangewise.rankings.cases import check_same_ignored

_A_CELL = 24
"""About the bytes of memory that a value takes, with the copy that puts the rows of a series together."""


@dataclass(frozen=True, eq=False)
class TableSeries:
    """A series of a table: its case for each predicted column, and its times and values where the table has them."""

    cases: dict[str, Case]
    times: NDArray[Any] | None = None
    values: NDArray[Any] | None = None


def table_cases(
    frame: Any,
    *,
    series: str | Sequence[str],
    real: str,
    predicted: Sequence[str],
    values: str | None = None,
    times: str | None = None,
    repeated_times: RepeatedTimes = "error",
    ignore: Any = None,
    close_gaps: int = 0,
    missing: Missing = "error",
) -> dict[Any, TableSeries]:
    """The series of a table by name; the arguments are those of ``score_many``, and ``values`` is one more column."""
    intervals = None if ignore is None else IgnoredIntervals.read(ignore)
    columns = Columns(
        series_columns(series), real, tuple(predicted), times=times, instants=intervals is not None and intervals.timed,
        repeated_times=repeated_times, missing=missing, values=values,
    )  # fmt: skip
    return read_cases(frame, columns, intervals, close_gaps)


def read_cases(
    frame: Any,
    columns: Columns,
    intervals: IgnoredIntervals | None,
    close_gaps: int,
    *,
    progress: Progress | None = None,
) -> dict[Any, TableSeries]:
    """The cases of each series."""
    by_name: dict[Any, TableSeries] = {}
    missing = columns.missing or "error"
    whole, zoned = _whole_series(frame, columns, progress)
    for name, values in whole.items():
        times = values.get(columns.times) if columns.times is not None else None
        ignore = None if intervals is None else _ignored_rows(intervals, name, len(values[columns.real]), times, zoned, columns)
        cases: dict[str, Case] = {}
        for column in columns.predicted:
            what = f"series {name!r}, column {column!r}"
            scores, labels = (values[column], None) if is_scores(values[column], what) else (None, values[column])
            try:
                cases[column] = Case.read(
                    values[columns.real], labels, scores=scores, close_gaps=close_gaps, name=column, ignore=ignore,
                    missing="error" if scores is None else missing,
                )  # fmt: skip
            except (TypeError, ValueError) as error:
                raise type(error)(f"{what}: {error}") from None
        check_same_ignored(cases, missing)
        by_name[name] = TableSeries(cases, times, None if columns.values is None else values[columns.values])
    if not by_name:
        raise ValueError("the table has no rows, so there is no series to score")
    if intervals is not None:
        intervals.check_names(by_name)
    return by_name


def _ignored_rows(
    intervals: IgnoredIntervals, name: Any, count: int, times: NDArray[Any] | None, zoned: bool | None, columns: Columns
) -> Ranges:
    """The ignored rows of a series, by the rule of :mod:`rangewise.many.ignored`, where times may repeat."""
    borders = np.array([0, count], dtype=np.int64)
    rows = intervals.rows([name], borders)
    if columns.instants and times is not None and count:
        following = np.append(times[1:], np.datetime64("NaT", "ns"))
        inside = intervals.meant([name], borders, times, following, zoned, f"column {columns.times!r}")
        rows = np.concatenate([rows, np.asarray(Ranges.from_labels(inside))])
    return Ranges.joined(rows)


def _whole_series(frame: Any, columns: Columns, progress: Progress | None) -> tuple[dict[Any, dict[str, NDArray[Any]]], bool | None]:
    """The values of each series by column, in the order of time where there is a column for it, and whether times have a time zone."""
    zoned: bool | None = None
    pieces: dict[Any, dict[str, list[NDArray[Any]]]] = {}
    wanted = [column for column in columns.all() if column not in columns.series]
    for batch in _batches(frame, columns):
        zoned = batch.zoned if zoned is None else zoned
        for column in wanted:
            if column == columns.times:
                values = batch.times
            else:
                values = batch.scores(column) if columns.missing and column in columns.predicted else batch.values(column)
            assert values is not None
            for name, start, stop in zip(batch.names, batch.borders[:-1].tolist(), batch.borders[1:].tolist(), strict=True):
                pieces.setdefault(name, {}).setdefault(column, []).append(values[start:stop])
        if progress is not None:
            progress(int(batch.borders[-1]))
    whole = {name: {column: np.concatenate(parts) for column, parts in own.items()} for name, own in pieces.items()}
    if columns.times is not None:
        whole = {name: _in_order(name, own, columns, columns.times) for name, own in whole.items()}
    return whole, zoned


def _batches(frame: Any, columns: Columns) -> Iterable[Batch]:
    if not isinstance(frame, (str, Path)):
        yield from batches(frame, columns)
        return
    from rangewise.many.parquet import parquet_files, tables_of

    for file in parquet_files(frame):
        held, cells = file.stat().st_size, 0
        for batch in batches(tables_of(file, columns.all()), columns, held):
            cells += int(batch.borders[-1]) * len(columns.all())
            check_size(_A_CELL * cells, held, f"{file}: {cells} values")
            yield batch


def _in_order(name: Any, values: dict[str, NDArray[Any]], columns: Columns, times: str) -> dict[str, NDArray[Any]]:
    """The rows of a series sorted by time, also over batches."""
    order = np.argsort(values[times], kind="stable")
    ordered = values[times][order]
    for row in np.flatnonzero((ordered[1:] == ordered[:-1]) & (columns.repeated_times == "error"))[:1]:
        raise ValueError(f"column {times!r}, series {name!r}: two rows have the same time, {time_text(ordered[row])}; {AGAINST_REPEATS}")
    return {column: own[order] for column, own in values.items()}
