"""Series as tables: a column of times if there is one, columns of values, a column of labels if there is one.

Covers plain tables (``timestamp,value`` as in NAB's data, any table with a column of labels) and NAB's result files
(``timestamp,value,anomaly_score,label,...``). Labels are a row a point, so there is no end to include or not.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.datasets.series import Series
from rangewise.datasets.source import Source, SourceLike, as_source
from rangewise.ranges import Ranges

TIME_COLUMN = "timestamp"
LABEL_COLUMNS = ("label", "labels", "is_anomaly", "anomaly")


def read_series_table(path: SourceLike, column: str | None = None) -> Series:
    """A CSV or Parquet table as a series: ``timestamp``, if it is the first column, the labels in ``column``, the values in the others.

    Without ``column``, a last column called ``label``, ``is_anomaly`` or so holds the labels; a table without one has no real ranges.
    Beside labels, columns that are not numbers are left out.
    """
    source = as_source(path)
    columns = source.table.columns
    label = column if column is not None else label_column(source)
    timestamp = TIME_COLUMN if columns[0] == TIME_COLUMN != label else None
    values = [name for name in columns if name not in (timestamp, label) and (label is None or source.table.is_numeric(name))]
    # Labels are by row, so times may repeat or go back; where ranges are mapped to times, they may not.
    return series_of(source, timestamp=timestamp, values=values, label=label, ascending=False)


def read_nab_result(path: SourceLike) -> Series:
    """A result file of a NAB detector: ``timestamp``, ``value``, and the real windows in ``label``. The scores are not read."""
    # The same file may go back in time, as the machine-temperature data does: rows count, not times.
    return series_of(as_source(path), timestamp="timestamp", values=["value"], label="label", ascending=False)


def label_column(source: Source) -> str | None:
    """The last column, if its name says that it holds labels."""
    last = source.table.columns[-1]
    return last if last.lower() in LABEL_COLUMNS else None


def series_of(
    source: Source,
    *,
    values: list[str],
    timestamp: str | None = None,
    label: str | None = None,
    train: tuple[int, int] | None = None,
    ascending: bool = True,
) -> Series:
    """A series of the named columns of a table."""
    table = source.table
    if not len(table):
        raise ValueError(f"{source.name} has column names, but no rows")
    found = [table.numbers(column) for column in values]
    timestamps = None
    if timestamp is not None:
        timestamps = table.timestamps(timestamp, ascending=ascending)
    real = Ranges() if label is None else Ranges.from_labels(table.labels(label))
    channels = np.column_stack(found) if found else np.empty((len(table), 0))
    if train is not None and train[1] > len(table):
        raise ValueError(f"{source.name}: its name says that {train[1]} rows are for training, but it has only {len(table)} rows")
    return Series(PurePath(source.file_name).stem, channels, timestamps, real, train)


def series_columns(series: Series, *, timestamp: str | None, values: list[str], label: str) -> dict[str, NDArray[Any]]:
    """The columns of a table that holds a series; without times, rows count as such."""
    columns: dict[str, NDArray[Any]] = {}
    if timestamp is not None:
        columns[timestamp] = np.arange(len(series)) if series.timestamps is None else series.timestamps
    columns |= {name: series.values[:, channel] for channel, name in enumerate(values)}
    columns[label] = series.labels
    return columns


def channel_names(series: Series, single: str) -> list[str]:
    """``value``, or ``value-0``, ``value-1`` and so on."""
    return [single] if series.channels == 1 else [f"{single}-{channel}" for channel in range(series.channels)]
