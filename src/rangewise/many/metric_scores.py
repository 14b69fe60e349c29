"""Any metrics for each series of a table: the part of ``score_many`` with ``metrics=``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import check_size
from rangewise.inputs.case import Case
from rangewise.inputs.instants import time_text
from rangewise.inputs.scores import is_scores
from rangewise.many.batches import AGAINST_REPEATS, Batch, Columns, Progress, batches
from rangewise.many.ignored import IgnoredIntervals
from rangewise.metrics.evaluate import read_metrics
from rangewise.metrics.named import MetricChoice
from rangewise.rankings.detector_table import DetectorTable

_A_CELL = 24
"""About the bytes of memory that a value takes, with the copy that puts the rows of a series together."""


def score_metrics(
    frame: Any,
    columns: Columns,
    metrics: Iterable[MetricChoice] | Mapping[str, MetricChoice],
    intervals: IgnoredIntervals | None,
    close_gaps: int,
    progress: Progress | None,
) -> DetectorTable:
    """Each predicted column of each series under each metric."""
    chosen = read_metrics(metrics)
    cases: dict[Any, dict[str, Case]] = {}
    for name, values in _whole_series(frame, columns, progress).items():
        times = values.get(columns.times) if columns.instants and columns.times is not None else None
        cases[name] = {}
        for column in columns.predicted:
            what = f"series {name!r}, column {column!r}"
            scores, labels = (values[column], None) if is_scores(values[column], what) else (None, values[column])
            try:
                cases[name][column] = Case.read(
                    values[columns.real], labels, scores=scores, times=times, close_gaps=close_gaps, name=column,
                    ignore=None if intervals is None else intervals.of(name),
                )  # fmt: skip
            except (TypeError, ValueError) as error:
                raise type(error)(f"{what}: {error}") from None
    if not cases:
        raise ValueError("the table has no rows, so there is no series to score")
    if intervals is not None:
        intervals.check_names(cases)
    table = DetectorTable.of_cases(cases, chosen)
    return replace(table, keys=columns.series) if len(columns.series) > 1 else table


def _whole_series(frame: Any, columns: Columns, progress: Progress | None) -> dict[Any, dict[str, NDArray[Any]]]:
    """The values of each series by column, in the order of time where there is a column for it."""
    pieces: dict[Any, dict[str, list[NDArray[Any]]]] = {}
    wanted = [column for column in columns.all() if column not in columns.series]
    for batch in _batches(frame, columns):
        for column in wanted:
            values = batch.times if column == columns.times else batch.values(column)
            assert values is not None
            for name, start, stop in zip(batch.names, batch.borders[:-1].tolist(), batch.borders[1:].tolist(), strict=True):
                pieces.setdefault(name, {}).setdefault(column, []).append(values[start:stop])
        if progress is not None:
            progress(int(batch.borders[-1]))
    found = {name: {column: np.concatenate(parts) for column, parts in own.items()} for name, own in pieces.items()}
    return found if columns.times is None else {name: _in_order(name, own, columns, columns.times) for name, own in found.items()}


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
