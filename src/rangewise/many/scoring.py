"""Many series at once: a table with a column that names the series, in memory or batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.model.model import RangeModel
from rangewise.model.score import Score
from rangewise.model.tally import MacroScore, Tally, macro
from rangewise.stream import Stream


@dataclass(frozen=True)
class SeriesScore:
    """The score of one series of many."""

    series: Any
    precision: float
    recall: float
    f: float
    real_ranges: int
    predicted_ranges: int


@dataclass(frozen=True)
class ManyScores:
    """A row a series, in the order they first came, and the totals under both ways to average."""

    model: RangeModel
    names: tuple[Any, ...]
    tallies: tuple[Tally, ...]

    @cached_property
    def rows(self) -> tuple[SeriesScore, ...]:
        scores = (tally.score() for tally in self.tallies)
        return tuple(
            SeriesScore(name, score.precision, score.recall, score.f, tally.real_ranges, tally.predicted_ranges)
            for name, tally, score in zip(self.names, self.tallies, scores, strict=True)
        )

    @property
    def pooled(self) -> Score:
        """All ranges of all series in one score ("micro")."""
        return sum(self.tallies, start=Tally(self.model, 0, 0, 0, 0)).score()

    @property
    def macro(self) -> MacroScore:
        """The mean of the series' own scores."""
        return macro(self.tallies)

    def columns(self) -> dict[str, list[Any]]:
        """The rows by column, for a data frame of any library."""
        return {name: [getattr(row, name) for row in self.rows] for name in SeriesScore.__dataclass_fields__}

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        pooled, mean = self.pooled, self.macro
        return f"ManyScores({len(self)} series, pooled F {pooled.f:.4g}, mean F {mean.f:.4g}, {self.model})"


def score_many(
    frame: Any,
    *,
    series: str,
    real: str,
    predicted: str,
    model: RangeModel | None = None,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> ManyScores:
    """Score every series of a table: a row a series, and the totals.

    ``frame`` is a polars, pandas or Arrow table; a polars ``LazyFrame``, which is read batch by batch (``pl.scan_parquet(...)``: the
    file may be larger than memory); or any iterable of such tables or Arrow record batches. ``series``, ``real`` and ``predicted``
    name columns; the labels of a series stand in its order of time, next to each other or mixed with others, across batches.
    The kernel works without the GIL, so ``threads`` help where series are long. ``progress`` is called with the number of rows
    after each batch. Values lie in 0..1, higher is better; no rows give no series and totals over nothing.

    >>> import polars as pl
    >>> table = pl.DataFrame({"name": ["a", "a", "b", "b"], "real": [0, 1, 1, 1], "predicted": [0, 1, 1, 0]})
    >>> found = score_many(table, series="name", real="real", predicted="predicted")
    >>> [(row.series, row.recall) for row in found.rows], found.pooled.recall
    ([('a', 1.0), ('b', 0.5)], 0.75)
    """
    from concurrent.futures import ThreadPoolExecutor

    chosen = RangeModel() if model is None else model
    if threads < 1:
        raise ValueError(f"threads is 1 or more; got {threads}")
    streams: dict[Any, Stream] = {}
    with ThreadPoolExecutor(threads) as pool:
        for batch in _batches(frame, (series, real, predicted)):
            parts = list(_parts(batch, series, real, predicted))
            for name, _, _ in parts:
                streams.setdefault(name, Stream(chosen))
            each = map if threads == 1 else pool.map
            list(each(lambda part: _update(streams[part[0]], *part), parts))
            if progress is not None:
                progress(len(batch))
    return ManyScores(chosen, tuple(streams), tuple(stream.tally() for stream in streams.values()))


def _update(stream: Stream, name: Any, real: NDArray[Any], predicted: NDArray[Any]) -> None:
    try:
        stream.update(real, predicted)
    except (TypeError, ValueError) as error:
        raise type(error)(f"series {name!r}, from its row {len(stream)} on: {error}") from None


def _batches(frame: Any, columns: tuple[str, str, str]) -> Iterator[Any]:
    """The tables of a frame as narwhals data frames of the three columns."""
    import narwhals.stable.v2 as nw

    table = nw.from_native(frame, pass_through=True)
    if isinstance(table, nw.LazyFrame):
        _check_columns(table.collect_schema().names(), columns)
        lazy = table.select(*dict.fromkeys(columns)).to_native()
        frame = lazy.collect_batches() if hasattr(lazy, "collect_batches") else [table.collect().to_native()]
    elif isinstance(table, nw.DataFrame):
        frame = [frame]
    elif isinstance(frame, (str, bytes)) or not isinstance(frame, Iterable):
        raise TypeError(f"expected a polars, pandas or Arrow table, a LazyFrame, or an iterable of tables; got {type(frame).__name__}")
    for given in frame:
        batch = nw.from_native(_as_table(given), eager_only=True)
        _check_columns(batch.columns, columns)
        yield batch


def _as_table(batch: Any) -> Any:
    """Arrow record batches become tables of one batch, without copying."""
    if type(batch).__name__ == "RecordBatch" and type(batch).__module__.startswith("pyarrow"):
        import pyarrow as pa

        return pa.Table.from_batches([batch])
    return batch


def _check_columns(there: list[str], wanted: tuple[str, str, str]) -> None:
    for name in wanted:
        if name not in there:
            raise ValueError(f"the table has no column {name!r}; it has {', '.join(map(repr, there))}")


def _parts(batch: Any, series: str, real: str, predicted: str) -> Iterator[tuple[Any, NDArray[Any], NDArray[Any]]]:
    """Name and labels of each series in a batch, its rows in order."""
    if not len(batch):
        return
    for name in (series, real, predicted):
        if (missing := batch[name].is_null()).any():
            raise ValueError(f"column {name!r}: row {missing.arg_true()[0]} of the batch is missing; every row needs a value")
    names = batch[series]
    starts = np.flatnonzero(np.concatenate(([True], (names != names.shift(1)).to_numpy()[1:].astype(bool))))
    found = names[starts.tolist()].to_list()
    labels = batch[real].to_numpy(), batch[predicted].to_numpy()
    stops = np.append(starts[1:], len(batch))
    if len(set(found)) < len(found):
        # Series that are mixed with each other: bring the rows of each together, in their order.
        numbers = {name: number for number, name in enumerate(dict.fromkeys(found))}
        codes = np.repeat([numbers[name] for name in found], stops - starts)
        order = np.argsort(codes, kind="stable")
        labels = labels[0][order], labels[1][order]
        stops = np.cumsum(np.bincount(codes))
        starts, found = np.concatenate(([0], stops[:-1])), list(numbers)
    for name, start, stop in zip(found, starts, stops, strict=True):
        yield name, labels[0][start:stop], labels[1][start:stop]
