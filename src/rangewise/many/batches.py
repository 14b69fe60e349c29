"""Tables of any library, batch by batch, as labels of series that stand one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.inputs.ranges import Ranges, read_side, trusted_ranges


@dataclass(frozen=True)
class Columns:
    """The columns of a table that count."""

    series: str
    real: str
    predicted: tuple[str, ...]

    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.series, self.real, *self.predicted)))


@dataclass(frozen=True)
class Batch:
    """Series one after the other: a name each, where they begin and end, and the rows of a table that are theirs."""

    names: list[Any]
    borders: NDArray[np.int64]
    table: Any
    order: NDArray[np.int64] | None
    where: str
    held: int | None = None
    """The size of the files that the table comes from, in bytes; None where it is in memory already."""

    def values(self, column: str) -> NDArray[Any]:
        """A column, the rows of each series together and in their order."""
        found: NDArray[Any] = self.table[column].to_numpy()
        return found if self.order is None else found[self.order]

    def ranges(self, column: str, side: str) -> Ranges:
        """The ranges of a column of labels, none over a border between series."""
        labels = self.values(column)
        if labels.dtype.kind not in "biu" and not (labels.dtype.kind == "f" and labels.dtype.itemsize in (4, 8)):
            raise self._complaint(0, column, side, labels)
        found = kernel.find_series_ranges(labels, self.borders)
        if isinstance(found, int):
            raise self._complaint(int(np.searchsorted(self.borders, found, side="right")) - 1, column, side, labels)
        return trusted_ranges(found)

    def _complaint(self, series: int, column: str, side: str, labels: NDArray[Any]) -> Exception:
        start, stop = self.borders[series : series + 2]
        try:
            read_side(labels[start:stop], side)
        except (TypeError, ValueError) as error:
            return type(error)(f"{self.where}series {self.names[series]!r}, column {column!r}: {error}")
        return TypeError(
            f"{self.where}column {column!r} has dtype {labels.dtype}; labels are bool, integers, or floats that are 0.0 or 1.0"
        )


def batches(frame: Any, columns: Columns, held: int | None = None) -> Iterator[Batch]:
    """The batches of a table, of a lazy one, or of an iterable of tables; ``held`` is the size of the files that it comes from."""
    for number, table in enumerate(_tables(frame, columns.all())):
        if len(table):
            yield replace(_batch(table, columns, number), held=held)


def _tables(frame: Any, columns: tuple[str, ...]) -> Iterator[Any]:
    """The tables of a frame as narwhals data frames."""
    import narwhals.stable.v2 as nw

    table = nw.from_native(frame, pass_through=True)
    if isinstance(table, nw.LazyFrame):
        check_columns(table.collect_schema().names(), columns, 0)
        lazy = table.select(*columns).to_native()
        frame = lazy.collect_batches() if hasattr(lazy, "collect_batches") else [table.collect().to_native()]
    elif isinstance(table, nw.DataFrame):
        frame = [frame]
    elif isinstance(frame, Set):
        raise TypeError("a set of tables has no order, but the rows of a series are in their order of time; give a list")
    elif isinstance(frame, (str, bytes)) or not isinstance(frame, Iterable):
        raise TypeError(
            "expected a polars, pandas or Arrow table, a LazyFrame, an iterable of tables, a folder of Parquet files, a Dask DataFrame, "
            f"or a mapping of series; got {type(frame).__name__}"
        )
    for number, given in enumerate(frame):
        try:
            batch = nw.from_native(_as_table(given), eager_only=True)
        except TypeError:
            raise TypeError(f"batch {number} is a {type(given).__name__}; expected a polars, pandas or Arrow table") from None
        check_columns(batch.columns, columns, number)
        yield batch


def _as_table(batch: Any) -> Any:
    """Arrow record batches become tables of one batch, without copying."""
    if type(batch).__name__ == "RecordBatch" and type(batch).__module__.startswith("pyarrow"):
        import pyarrow as pa

        return pa.Table.from_batches([batch])
    return batch


def check_columns(there: list[str], wanted: tuple[str, ...], number: int = 0) -> None:
    for name in wanted:
        if name not in there:
            raise ValueError(f"{_where(number)}the table has no column {name!r}; it has {', '.join(map(repr, there))}")


def _where(number: int) -> str:
    return f"batch {number}: " if number else ""


def _batch(table: Any, columns: Columns, number: int) -> Batch:
    for name in columns.all():
        if table[name].null_count():
            row = table[name].is_null().arg_true()[0]
            raise ValueError(f"{_where(number)}column {name!r}: row {row} of the batch is missing; every row needs a value")
    column = table[columns.series]
    borders = _borders(column)
    names = column[borders[:-1].tolist()].to_list()
    if len(set(names)) == len(names):
        return Batch(names, borders, table, None, _where(number))
    # Series that are mixed with each other: bring the rows of each together, in their order.
    numbers = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = np.repeat([numbers[name] for name in names], np.diff(borders))
    stops = np.cumsum(np.bincount(codes))
    return Batch(list(numbers), np.concatenate(([0], stops)), table, np.argsort(codes, kind="stable"), _where(number))


def _borders(column: Any) -> NDArray[np.int64]:
    """Where the names of the series change, with both ends."""
    if column.dtype.is_integer():
        return kernel.series_borders(column.to_numpy())
    if column.implementation.is_pandas_like():
        names = column.to_numpy()
        changes = np.flatnonzero(names[1:] != names[:-1])
    else:
        changes = (column[1:] != column[:-1]).arg_true().to_numpy()
    return np.concatenate(([0], changes.astype(np.int64) + 1, [len(column)]))
