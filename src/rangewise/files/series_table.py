"""Series as tables, for the formats of complete series: columns of values, optionally with times and labels."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.files.series import Series
from rangewise.files.source import Source
from rangewise.inputs.ranges import Ranges

TIME_COLUMN = "timestamp"


def series_of(
    source: Source,
    *,
    values: list[str],
    timestamp: str | None = None,
    label: str | None = None,
    train: tuple[int, int] | None = None,
    ascending: bool = True,
) -> Series:
    """A series from the named columns of a table."""
    table = source.table
    if not len(table):
        raise ValueError(f"{source.name} has column names, but no rows")
    numbers = [table.numbers(column) for column in values]
    timestamps = None
    if timestamp is not None:
        timestamps = table.timestamps(timestamp, ascending=ascending)
    real = Ranges() if label is None else Ranges.from_labels(table.labels(label))
    channels = np.column_stack(numbers) if numbers else np.empty((len(table), 0))
    if train is not None and train[1] > len(table):
        raise ValueError(f"{source.name}: according to its name, {train[1]} rows are for training, but it has only {len(table)} rows")
    return Series(PurePath(source.file_name).stem, channels, timestamps, real, train)


def series_columns(series: Series, *, timestamp: str | None, value: str, label: str) -> dict[str, NDArray[Any]]:
    """The columns of a table with a series; without times, the timestamps are row numbers. ``value`` is the name of a single channel."""
    columns: dict[str, NDArray[Any]] = {}
    if timestamp is not None:
        columns[timestamp] = np.arange(len(series)) if series.timestamps is None else series.timestamps
    columns |= {name: series.values[:, channel] for channel, name in enumerate(channel_names(series, value))}
    columns[label] = series.labels
    return columns


def channel_names(series: Series, single: str) -> list[str]:
    """``value``, or ``value-0``, ``value-1`` and so on."""
    return [single] if series.channels == 1 else [f"{single}-{channel}" for channel in range(series.channels)]
