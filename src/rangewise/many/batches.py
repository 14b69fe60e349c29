"""Read tables of any library batch by batch: the rows of each series together, ordered by the time column if there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import unknown_name
from rangewise.inputs.clocks import RepeatedTimes
from rangewise.inputs.instants import read_row_times, time_text
from rangewise.inputs.ranges import Ranges, array_of, plain_numbers, read_side, trusted_ranges
from rangewise.inputs.scores import WAY_OUT, Missing

Progress = Callable[[int], object]
REPEATED_TIMES: tuple[RepeatedTimes, ...] = ("error", "keep")


@dataclass(frozen=True)
class Columns:
    """The columns of a table that are read, and how its rows are ordered."""

    series: tuple[str, ...]
    """The columns that name the series, together."""
    real: str
    predicted: tuple[str, ...] = ()
    scores: str | None = None
    times: str | None = None
    """The column that orders the rows of each series; None if they are already in order."""
    instants: bool = False
    """Whether the times must be instants, to be compared with other times. Otherwise any numbers are accepted."""
    repeated_times: RepeatedTimes = "error"
    missing: Missing | None = None
    """How to treat a missing score, in the column of scores or in the predicted ones; None if all predicted columns have labels."""
    values: str | None = None
    """The column with the values of the series."""

    def __post_init__(self) -> None:
        for number, name in enumerate(self.predicted):
            if not isinstance(name, str):
                raise TypeError(f"predicted must name one or several columns; got {name!r:.60}")
            if name in self.predicted[:number]:
                raise ValueError(f"predicted names the column {name!r} twice; give each once")
        if self.repeated_times not in REPEATED_TIMES:
            raise unknown_name("repeated_times", self.repeated_times, REPEATED_TIMES)
        if self.repeated_times != "error" and self.times is None:
            raise ValueError(
                f"repeated_times={self.repeated_times!r} applies to the column times=, which is not given; give it, or drop repeated_times="
            )
        if self.instants and self.times is None:
            raise ValueError("ignore is given in times; name the time column of the table with times=, or give rows to ignore")

    def all(self) -> tuple[str, ...]:
        given = (*self.series, self.real, *self.predicted, self.scores, self.times, self.values)
        return tuple(dict.fromkeys(column for column in given if column is not None))


@dataclass(frozen=True)
class Batch:
    """Series one after the other: their names, borders, and rows of the table."""

    names: list[Any]
    borders: NDArray[np.int64]
    table: Any
    order: NDArray[np.int64] | None
    where: str
    times: NDArray[Any] | None = None
    zoned: bool | None = None
    """Whether the times have a time zone; None if unknown."""
    held: int | None = None
    """The size of the source file in bytes; None for a table in memory."""

    def values(self, column: str) -> NDArray[Any]:
        """A column, the rows of each series together and in their order."""
        values: NDArray[Any] = plain_numbers(self.table[column]).to_numpy()
        return values if self.order is None else values[self.order]

    def scores(self, column: str) -> NDArray[Any]:
        """The same for scores; a missing one is nan."""
        values = array_of(self.table[column].to_native(), f"column {column!r}", "score")
        return values if self.order is None else values[self.order]

    def ranges(self, column: str, side: str) -> Ranges:
        """The ranges of a column of labels, none over a border between series."""
        labels = self.values(column)
        if labels.dtype.kind == "f" and labels.dtype.itemsize not in (4, 8):
            labels = labels.astype(np.float64)
        if labels.dtype.kind not in "biuf":
            raise self._error(0, column, side, labels)
        try:
            return trusted_ranges(kernel.find_series_ranges(labels, self.borders))
        except kernel.InvalidValueError as error:
            raise self._error(int(np.searchsorted(self.borders, int(str(error)), side="right")) - 1, column, side, labels) from None

    def _error(self, series: int, column: str, side: str, labels: NDArray[Any]) -> Exception:
        start, stop = self.borders[series : series + 2]
        try:
            read_side(labels[start:stop], side)
        except (TypeError, ValueError) as error:
            return type(error)(f"{self.where}series {self.names[series]!r}, column {column!r}: {error}")
        return TypeError(
            f"{self.where}column {column!r} has dtype {labels.dtype}; labels are bool, integers, or floats that are 0.0 or 1.0"
        )


def series_columns(given: Any) -> tuple[str, ...]:
    """The columns that name the series: one, or several in a list."""
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, (list, tuple)) else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"series names a column, or several in a list; got {given!r:.60}")
    if len(set(names)) < len(names):
        raise ValueError(f"series names a column twice: {', '.join(names)}; give each once")
    return names


def series_text(name: Any) -> str:
    """The name of a series as text; names of several columns have slashes between them.

    >>> series_text(("eu", "web1")), series_text(7)
    ('eu/web1', '7')
    """
    return "/".join(map(str, name)) if isinstance(name, tuple) else str(name)


def batches(frame: Any, columns: Columns, held: int | None = None) -> Iterator[Batch]:
    """The batches of a table, a lazy table, or an iterable of tables; ``held`` is the size of the source file."""
    for where, table in _tables(frame, columns.all()):
        if len(table):
            yield replace(_batch(table, columns, where), held=held)


def _tables(frame: Any, columns: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The tables of a frame as narwhals data frames, and the name of each for error messages."""
    import narwhals.stable.v2 as nw

    table = nw.from_native(frame, pass_through=True)
    if isinstance(table, nw.LazyFrame):
        check_columns(table.collect_schema().names(), columns)
        lazy = table.select(*columns).to_native()
        frame = lazy.collect_batches() if hasattr(lazy, "collect_batches") else [table.collect().to_native()]
    elif isinstance(table, nw.DataFrame):
        frame = [frame]
    elif isinstance(frame, Set):
        raise TypeError("a set of tables has no order, but the rows of a series must be in order of time; give a list")
    elif isinstance(frame, (str, bytes)) or not isinstance(frame, Iterable):
        raise TypeError(
            "expected a polars, pandas or Arrow table, a LazyFrame, an iterable of tables, a folder of Parquet files, a Dask DataFrame, "
            f"or a mapping of series; got {type(frame).__name__}"
        )
    for number, given in enumerate(frame):
        where = f"batch {number}: " if number else ""
        if type(given).__name__ == "RecordBatch" and type(given).__module__.startswith("pyarrow"):
            import pyarrow as pa

            given = pa.Table.from_batches([given])  # without a copy
        try:
            batch = nw.from_native(given, eager_only=True)
        except TypeError:
            raise TypeError(f"batch {number} is a {type(given).__name__}; expected a polars, pandas or Arrow table") from None
        check_columns(batch.columns, columns, where)
        if batch.implementation.is_pandas_like():
            batch = _native_order(batch, columns)
        elif batch.implementation.is_pyarrow():
            batch = _without_views(batch)
        yield where, batch


def _without_views(table: Any) -> Any:
    """An Arrow table whose text is no view, such as DataFusion's: Arrow has few functions for these."""
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    native = table.to_native()
    fields = [
        field.with_type(pa.large_string() if pa.types.is_string_view(field.type) else pa.large_binary())
        if pa.types.is_string_view(field.type) or pa.types.is_binary_view(field.type)
        else field
        for field in native.schema
    ]
    return table if fields == list(native.schema) else nw.from_native(native.cast(pa.schema(fields)), eager_only=True)


def _native_order(table: Any, columns: tuple[str, ...]) -> Any:
    """Numbers of a pandas table in the byte order of the machine; those read from files of other machines may have another."""
    import narwhals.stable.v2 as nw

    frame = table.to_native()
    dtypes = {column: frame[column].dtype for column in columns}
    swapped = {column: dtype.newbyteorder("=") for column, dtype in dtypes.items() if isinstance(dtype, np.dtype) and not dtype.isnative}
    return nw.from_native(frame.astype(swapped), eager_only=True) if swapped else table


def check_columns(there: list[str], wanted: tuple[str, ...], where: str = "") -> None:
    for name in wanted:
        if name not in there:
            raise ValueError(f"{where}the table has no column {name!r}; it has {', '.join(map(repr, there))}")


def _batch(table: Any, columns: Columns, where: str) -> Batch:
    for name in columns.all():
        has_scores = name == columns.scores or (columns.missing is not None and name in columns.predicted)
        if table[name].null_count() and not (has_scores and columns.missing in ("lowest", "ignore")):
            row = table[name].is_null().arg_true()[0]
            way_out = f", or {WAY_OUT}" if has_scores else ""
            raise ValueError(f"{where}column {name!r}: row {row} of the batch is missing; every row needs a value{way_out}")
    for name in columns.series:
        if table[name].dtype.is_nested():
            raise TypeError(f"{where}column {name!r} has dtype {table[name].dtype}; text, numbers, dates or times name a series")
    keys = [table[name] for name in columns.series]
    borders = _borders(keys[0]) if len(keys) == 1 else np.unique(np.concatenate([_borders(key) for key in keys]))
    parts = [key[borders[:-1].tolist()].to_list() for key in keys]
    names = parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))
    batch = Batch(names, borders, table, None, where)
    if len(set(names)) < len(names):
        # Interleaved series: group the rows of each, keeping their order.
        numbers = {name: place for place, name in enumerate(dict.fromkeys(names))}
        codes = np.repeat([numbers[name] for name in names], np.diff(borders))
        stops = np.cumsum(np.bincount(codes))
        batch = Batch(list(numbers), np.concatenate(([0], stops)), table, np.argsort(codes, kind="stable"), where)
    return batch if columns.times is None else _in_order_of_time(batch, columns, columns.times)


def _in_order_of_time(batch: Batch, columns: Columns, column: str) -> Batch:
    """The batch with the rows of each series sorted by time; rows with equal times keep their order, or raise an error."""
    times, zoned = _row_times(batch.table[column], f"{batch.where}column {column!r}", columns.instants)
    order, borders = batch.order, batch.borders
    times = times if order is None else times[order]
    inside = np.ones(max(len(times) - 1, 0), dtype=np.bool_)
    inside[borders[1:-1] - 1] = False  # both rows are of one series
    if np.any((times[1:] < times[:-1]) & inside):
        series = np.repeat(np.arange(len(batch.names)), np.diff(borders))
        sorted_by_time = np.lexsort((times, series))
        order = sorted_by_time if order is None else order[sorted_by_time]
        times = times[sorted_by_time]
    for row in np.flatnonzero((times[1:] == times[:-1]) & inside & (columns.repeated_times == "error"))[:1]:
        series_name = batch.names[int(np.searchsorted(borders, row, side="right")) - 1]
        pair = (row, row + 1) if order is None else order[row : row + 2]
        raise ValueError(
            f"{batch.where}column {column!r}, series {series_name!r}: rows {pair[0]} and {pair[1]} of the table have the same time, "
            f"{time_text(times[row])}; {AGAINST_REPEATS}"
        )
    return replace(batch, order=order, times=times, zoned=zoned)


AGAINST_REPEATS = "drop the duplicates, or keep such rows in their order with repeated_times='keep' (--repeated-times keep)"


def _row_times(column: Any, name: str, instants: bool) -> tuple[NDArray[Any], bool | None]:
    """The sort key of the rows: instants or, unless these are required, any numbers."""
    column = plain_numbers(column)
    if instants or not (column.dtype.is_integer() or column.dtype.is_float()):
        index = read_row_times(column.to_native(), name)
        return index.times, index.zoned
    numbers: NDArray[Any] = column.to_numpy()
    for row in np.flatnonzero(numbers != numbers)[:1]:
        raise ValueError(f"{name}: row {row} of the batch is nan; every row needs a time")
    return numbers, None


def _borders(column: Any) -> NDArray[np.int64]:
    """Where the names of the series change, with both ends."""
    if column.dtype.is_integer() and plain_numbers(column) is column:
        return kernel.series_borders(column.to_numpy())
    if column.implementation.is_pandas_like():
        names = column.to_numpy()
        changes = np.flatnonzero(names[1:] != names[:-1])
    else:
        changes = (column[1:] != column[:-1]).arg_true().to_numpy()
    return np.concatenate(([0], changes.astype(np.int64) + 1, [len(column)]))
