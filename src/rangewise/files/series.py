"""Series: values with their real anomalies, from and to the columns of tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.files.source import Source
from rangewise.inputs.instants import read_instants
from rangewise.inputs.ranges import Ranges, RangesLike, as_ranges

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIME_COLUMN = "timestamp"


@dataclass(frozen=True, eq=False)
class Series:
    """A time series and its real anomalies. Frozen; validates itself.

    ``values`` has one row per point and one column per channel (one dimension becomes one channel). ``timestamps`` is None, integers or
    times of any library, one per row, stored in UTC. ``train`` is the half-open range of training rows, or None. Values are copied,
    unless they are a read-only float64 array (``flags.writeable = False``) that owns its memory.

    >>> series = Series("example", [1.0, 2.0, 9.0, 9.5, 2.0], real=[(2, 4)])
    >>> len(series), series.channels, series.labels.tolist()
    (5, 1, [0, 0, 1, 1, 0])
    """

    name: str
    values: NDArray[np.float64]
    timestamps: NDArray[Any] | None = None
    real: Ranges = field(default_factory=Ranges)
    train: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        values = self.values if _is_locked(self.values) else np.array(self.values, dtype=np.float64)
        if values.ndim == 1:
            values = values[:, np.newaxis]
        if values.ndim != 2:
            raise ValueError(f"series {self.name}: values have shape {values.shape}; expected (points,) or (points, channels)")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        real = as_ranges(self.real, f"series {self.name}: real")
        if len(real) and real.stops[-1] > len(values):
            raise ValueError(f"series {self.name} has {len(values)} points, but a real range stops at {real.stops[-1]}")
        object.__setattr__(self, "real", real)
        if self.timestamps is not None:
            timestamps = _instants(self.timestamps, self.name)
            if timestamps.shape != (len(values),):
                raise ValueError(f"series {self.name}: expected {len(values)} timestamps, one per point; got shape {timestamps.shape}")
            timestamps.flags.writeable = False
            object.__setattr__(self, "timestamps", timestamps)
        if self.train is not None:
            start, stop = self.train
            if not 0 <= start < stop <= len(values):
                raise ValueError(
                    f"series {self.name}: the training part {self.train} is not a range (start, stop) within its {len(values)} rows"
                )

    @property
    def channels(self) -> int:
        return int(self.values.shape[1])

    @property
    def labels(self) -> NDArray[np.uint8]:
        """The real anomalies as 0/1 labels, one per row."""
        return self.real.to_labels(len(self))

    def split(self, at: float | int | None = None) -> tuple[Series, Series]:
        """Split the series at a row, at a share of the points (a float between 0 and 1), or at the end of its training part.

        Real ranges are never split: a cut inside one moves to its nearer end (its start, if both are equally near). An empty part is an
        error.

        >>> before, after = Series("example", [1.0, 2.0, 9.0, 9.5, 2.0], real=[(2, 4)]).split(0.5)
        >>> len(before), after.real
        (2, Ranges([(0, 2)]))
        """
        row = self._row_to_cut(at)
        around = np.flatnonzero((self.real.starts < row) & (row < self.real.stops))
        if around.size:
            start, stop = self.real[int(around[0])]
            # Do not cut at an end of the series.
            ends = [end for end in (start, stop) if 0 < end < len(self)]
            if not ends:
                raise ValueError(f"series {self.name}: its real range [{start}, {stop}) covers all points, so it cannot be split")
            row = min(ends, key=lambda end: (abs(end - row), end))
        return self._part(0, row), self._part(row, len(self))

    def _row_to_cut(self, at: float | int | None) -> int:
        if at is None:
            if self.train is None or self.train[1] == len(self):
                raise ValueError(f"series {self.name} has no training part followed by other rows; say where to split, e.g. split(0.5)")
            return self.train[1]
        if isinstance(at, bool) or not isinstance(at, (int, float, np.integer, np.floating)):
            raise TypeError(f"split takes a row, or a share of the points between 0 and 1; got {at!r}")
        is_share = isinstance(at, (float, np.floating))
        row = round(at * len(self)) if is_share and 0 < at < 1 else -1 if is_share else int(at)
        if not 0 < row < len(self):
            raise ValueError(
                f"series {self.name} has {len(self)} points: split at a row from 1 to {len(self) - 1}, or at a share between 0 and 1 "
                f"that leaves two parts; got {at}"
            )
        return row

    def _part(self, start: int, stop: int) -> Series:
        inside = (self.real.starts >= start) & (self.real.stops <= stop)
        train = None
        if self.train is not None:
            first, last = max(self.train[0], start) - start, min(self.train[1], stop) - start
            train = (first, last) if first < last else None
        timestamps = None if self.timestamps is None else self.timestamps[start:stop]
        return Series(self.name, self.values[start:stop], timestamps, Ranges(np.asarray(self.real)[inside] - start), train)

    def plot(self, predicted: RangesLike | None = None) -> Figure:
        """Plot the values with shaded real ranges; predicted ranges fill the lower half and real ranges the upper half.

        Returns a matplotlib figure. Needs the extra ``plots``.
        """
        from rangewise.plots.series_picture import draw_series

        return draw_series(self, None if predicted is None else as_ranges(predicted, "predicted"))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Series({self.name!r}, {len(self)} points, {self.channels} channels, {len(self.real)} real ranges)"


def _instants(timestamps: Any, name: str) -> NDArray[Any]:
    """Timestamps as integers, or as times in UTC."""
    times = np.array(timestamps)
    return times if times.dtype.kind != "O" else read_instants(timestamps, f"series {name}: timestamps").times


def _is_locked(values: Any) -> bool:
    """Whether the values are a read-only float64 array that is not a view of another array."""
    return type(values) is np.ndarray and values.dtype == np.float64 and values.flags.owndata and not values.flags.writeable


def series_of(
    source: Source,
    *,
    values: list[str],
    timestamp: str | None = None,
    label: str | None = None,
    train: tuple[int, int] | None = None,
    ascending: bool = True,
) -> Series:
    """A series from the named columns of a table; an empty cell is a missing value, nan."""
    table = source.table
    if not len(table):
        raise ValueError(f"{source.name} has column names, but no rows")
    numbers = [table.numbers(column, may_be_empty=True) for column in values]
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
