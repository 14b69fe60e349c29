"""The values of a metric from a file: the response to a Prometheus range query, or a table with a column of times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown_text
from rangewise.files.formats.alertmanager import text_labels
from rangewise.files.formats.prometheus import query_result
from rangewise.files.source import Source
from rangewise.files.tables import FileTable
from rangewise.inputs.instants import Instants, from_epoch, in_zone, read_row_times

_TIMES = ("timestamp", "time", "ts", "date", "datetime", "@timestamp")


@dataclass(frozen=True, eq=False)
class MetricValues:
    """One column of ``values`` per label set, nan where a sample is absent; ``times`` are in nanoseconds."""

    name: str
    times: NDArray[np.datetime64]
    values: NDArray[np.float64]
    names: tuple[str, ...]
    zoned: bool | None

    def moments(self) -> Instants:
        """The times for :func:`rangewise.backtest`; as integers, times near 1970 would be taken for rows."""
        return Instants(self.times.astype("datetime64[ns]").view(np.int64), self.zoned)

    def by_name(self) -> dict[str, NDArray[np.float64]]:
        return {name: self.values[:, column] for column, name in enumerate(self.names)}


def read_metric_values(
    path: str, *, time_column: str | None = None, value_columns: Sequence[str] = (), tz: str | None = None
) -> MetricValues:
    """Read the values of a file; the column options apply to tables."""
    source = Source(path)
    if source.kind == "json":
        if time_column is not None or value_columns:
            raise ValueError(f"{source.name} is a Prometheus response; --time-column and --value-column apply to tables only")
        return _from_prometheus(source)
    return _from_table(source.table, time_column, value_columns, tz)


def _from_prometheus(source: Source) -> MetricValues:
    results = query_result(source)
    if not results:
        raise ValueError(f"{source.name}: the range query found no series, so there are no values to try thresholds on")
    columns = []
    for where, result in enumerate(results):
        samples = result.get("values") if isinstance(result, dict) else None
        if not isinstance(samples, list) or not all(isinstance(sample, list) and len(sample) == 2 for sample in samples):
            raise ValueError(
                f"{source.name}, result {where}: expected 'values', a list of [seconds, \"value\"] (use query_range, not query)"
            )
        times = from_epoch([sample[0] for sample in samples], "s", f"{source.name}, result {where}")
        try:
            values = np.array([float(sample[1]) for sample in samples])
        except (TypeError, ValueError) as error:
            raise ValueError(f"{source.name}, result {where}: a sample's value is not a number: {error}") from error
        columns.append((_series_name(text_labels(result.get("metric"))), times, values))
    every = np.unique(np.concatenate([times for _, times, _ in columns]))
    table = np.full((len(every), len(columns)), np.nan)
    for column, (_, times, values) in enumerate(columns):
        table[np.searchsorted(every, times), column] = values
    return MetricValues(source.name, every, table, tuple(name for name, _, _ in columns), True)


def _series_name(labels: dict[str, str]) -> str:
    within = ", ".join(f'{name}="{value}"' for name, value in sorted(labels.items()) if name != "__name__")
    return labels.get("__name__", "") + (f"{{{within}}}" if within else "")


def _from_table(table: FileTable, time_column: str | None, value_columns: Sequence[str], tz: str | None) -> MetricValues:
    named = time_column or next((column for wanted in _TIMES for column in table.columns if column.lower() == wanted), None)
    if named is None:
        raise ValueError(f"{table.name}: none of the columns {', '.join(table.columns)} is known to hold times; name it with --time-column")
    given = list(value_columns) or [column for column in table.columns if column != named]
    cells = {column: _numbers(table, column) for column in given}
    # Without names, all columns that hold numbers.
    chosen = list(value_columns) or [each for each, (numbers, bad) in cells.items() if bad is None and not np.isnan(numbers).all()]
    if not chosen:
        raise ValueError(f"{table.name} has no column of numbers beside {named!r}; name one with --value-column")
    counts = table.integers(named)
    if counts is not None:
        instants = read_row_times(counts, f"{table.name}, column {named!r}")
        zoned: bool | None = True  # counts since 1970 are in UTC
    else:
        instants = in_zone(table.instants(named, tz=tz), tz, table.where)
        zoned = instants.zoned
    for column in chosen:
        if (bad := cells[column][1]) is not None:
            text = shown_text(table.texts(column)[bad])
            raise ValueError(f"{table.where(bad)}: {text} in column {column!r} is not a number (absent: empty)")
    values = np.column_stack([cells[column][0] for column in chosen])
    return MetricValues(table.name, instants.times, values, tuple(chosen), zoned)


def _numbers(table: FileTable, column: str) -> tuple[NDArray[np.float64], int | None]:
    """The cells as numbers, nan for an absent sample; and the first row with a cell that is neither a number nor empty."""
    import polars as pl

    cells: Any = table.column(column)
    if isinstance(cells.dtype, pl.String):
        cells = cells.str.strip_chars()
    if isinstance(cells.dtype, pl.String) or cells.dtype.is_numeric():
        numbers = np.array(cells.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy(), dtype=np.float64)
    else:
        numbers = np.full(len(cells), np.nan)
    absent = np.flatnonzero(np.isnan(numbers))
    texts = table.texts(column) if len(absent) else []
    return numbers, next((row for row in absent.tolist() if texts[row].lower() not in ("", "nan", "null", "none")), None)
