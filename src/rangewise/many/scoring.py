"""``score_many``: a score for each series of a table, a folder, a cluster, or a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from rangewise.checks import whole
from rangewise.inputs.case import read_both
from rangewise.inputs.gaps import closed_ranges
from rangewise.inputs.ignored import Clipping
from rangewise.inputs.ranges import Ranges
from rangewise.many.batches import Batch, Columns, batches
from rangewise.many.clippings import Clippings
from rangewise.many.gathered import Block, Gathered, Job, Tallied, tally_job
from rangewise.many.scores import ManyDetectors, ManyScores
from rangewise.many.series_zones import SeriesZones, ZonedRows, zoned_rows, zoned_table
from rangewise.many.whole_series import WholeSeries
from rangewise.model.model import RangeModel
from rangewise.model.sides import prepared_sides

Progress = Callable[[int], object]


@overload
def score_many(
    frame: Any,
    *,
    series: str | None = None,
    real: str | None = None,
    predicted: str | None = None,
    model: RangeModel | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    client: Any = None,
    close_gaps: int = 0,
    ignore: Any = None,
    times: str | None = None,
) -> ManyScores: ...
@overload
def score_many(
    frame: Any,
    *,
    series: str | None = None,
    real: str | None = None,
    predicted: str | Sequence[str] | None = None,
    model: RangeModel | Sequence[RangeModel] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    client: Any = None,
    close_gaps: int = 0,
    ignore: Any = None,
    times: str | None = None,
) -> ManyScores | ManyDetectors: ...
def score_many(
    frame: Any,
    *,
    series: str | None = None,
    real: str | None = None,
    predicted: str | Sequence[str] | None = None,
    model: RangeModel | Sequence[RangeModel] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    client: Any = None,
    close_gaps: int = 0,
    ignore: Any = None,
    times: str | None = None,
) -> ManyScores | ManyDetectors:
    """Score every series of a table: a row a series, and the totals.

    ``frame`` is a polars, pandas or Arrow table; a polars ``LazyFrame``, which is read batch by batch (``pl.scan_parquet(...)``: the
    file may be larger than memory); any iterable of such tables or Arrow record batches; a Parquet file, a folder of them or a pattern
    such as ``data/*.parquet``; or a Dask DataFrame. ``series``, ``real`` and ``predicted`` name columns; the labels of a series stand in
    its order of time, next to each other or mixed with others, across batches, files (in the order of their names, numbers in them as
    numbers) and partitions. Without column names, ``frame`` is a mapping ``{name: (real, predicted)}`` or an iterable of
    ``(name, real, predicted)``, whose sides are whatever :meth:`RangeModel.score` takes.

    All series of a batch are scored in one kernel call, without the GIL. The result is a :class:`ManyScores`; with a list of
    ``predicted`` columns (several detectors) or of models, a :class:`ManyDetectors`: ``found["a"]``, ``found["a", model]``. ``threads``
    share the columns and models of a batch. ``client`` is a ``distributed.Client``: partitions and files are scored by its workers, and
    neighbours join in a tree. The result is the same in every case, bit for bit. ``progress`` is called with the number of rows after
    each batch. Values lie in 0..1, higher is better; no rows give no series and totals over nothing.

    ``close_gaps`` joins the predicted ranges of a series with gaps of up to so many rows between them, before zones take anything away.
    Then the ranges of all series are in memory at once, 16 bytes each, and workers of a cluster, who see parts of series, are refused.

    ``ignore`` are zones that do not count, as in :meth:`RangeModel.score`: for every series, or of each series in a mapping
    ``{name: zones}`` or a table with the columns ``series``, ``start`` and ``stop`` (names are compared as text). Rows count from the
    beginning of each series. Zones in times need ``times``, the column that says when each row is; the table is then read twice, so an
    iterator is refused. ``found.ignored`` says how many ranges of all series were clipped, emptied and cut.

    >>> import polars as pl
    >>> table = pl.DataFrame({"name": ["a", "a", "b", "b"], "real": [0, 1, 1, 1], "predicted": [0, 1, 1, 0]})
    >>> found = score_many(table, series="name", real="real", predicted="predicted")
    >>> [(row.series, row.recall) for row in found.rows], found.pooled.recall
    ([('a', 1.0), ('b', 0.5)], 0.75)
    >>> score_many({"a": ([(1, 2)], [(1, 2)]), "b": ([0, 1, 1], [0, 1, 0])}).recall.tolist()
    [1.0, 0.5]
    >>> score_many(table, series="name", real="real", predicted="predicted", ignore={"b": [(1, 2)]}).recall.tolist()
    [1.0, 1.0]
    >>> score_many({"a": ([0, 1, 1, 1], [0, 1, 0, 1])}, close_gaps=1).recall.tolist()
    [1.0]
    """
    models = _models(model)
    most = whole("close_gaps", close_gaps, least=0)
    if threads < 1:
        raise ValueError(f"threads is 1 or more; got {threads}")
    if series is None and real is None and predicted is None:
        mapped = _mapped(frame, models, progress, SeriesZones.of_mapping(ignore, times), most)
        return _one_or_all(mapped, isinstance(model, RangeModel) or model is None)
    if series is None or real is None or predicted is None:
        raise ValueError("a table needs the names of its columns: give series=, real= and predicted=")
    columns = Columns(series, real, _names(predicted))
    zones = SeriesZones.of_table(ignore, times)
    jobs = tuple(Job(column, one) for column in columns.predicted for one in models)
    if most:
        if _is_dask(frame) or client is not None:
            raise ValueError(
                "close_gaps joins ranges over all rows of a series, and workers of a cluster see parts of them; "
                "score without a cluster, or close the gaps where the labels are made"
            )
        gathered = _gather_whole(frame, columns, jobs, threads, progress, zones, most)
    elif _is_dask(frame) or client is not None:
        from rangewise.many.cluster import gather_on_cluster

        gathered = gather_on_cluster(frame, columns, jobs, client, progress, zones)
    elif isinstance(frame, (str, Path)):
        from rangewise.many.parquet import gather_files

        gathered = gather_files(frame, columns, jobs, threads, progress, zones)
    else:
        zoned = None if zones is None else zoned_table(frame, series, zones)
        gathered = gather(frame, columns, jobs, threads, progress, zoned=zoned)
    found = gathered.scores()
    if zones is not None:
        found = _told(found, gathered, columns, zones)
    return _one_or_all(found, isinstance(predicted, str) and (model is None or isinstance(model, RangeModel)))


def _told(
    found: dict[tuple[str, RangeModel], ManyScores], gathered: Gathered, columns: Columns, zones: SeriesZones
) -> dict[tuple[str, RangeModel], ManyScores]:
    """The scores with what zones did to their sides."""
    real, *predicted = [side.total() for side in gathered.clippings] or [Clipping()] * (1 + len(columns.predicted))
    ignored = {column: zones.ignored(gathered.places, real, its) for column, its in zip(columns.predicted, predicted, strict=True)}
    return {(column, model): replace(scores, ignored=ignored[column]) for (column, model), scores in found.items()}


def gather(
    frame: Any,
    columns: Columns,
    jobs: tuple[Job, ...],
    threads: int = 1,
    progress: Progress | None = None,
    *,
    goes_on: bool = False,
    zoned: ZonedRows | None = None,
    held: int | None = None,
) -> Gathered:
    """All series of a table; ``goes_on`` when more of them may follow elsewhere, ``zoned`` are the rows that do not count, ``held`` is the
    size of the files that it comes from."""
    gathered = Gathered(jobs)
    with ThreadPoolExecutor(threads) as pool:
        for batch, last in _with_last(batches(frame, columns, held)):
            each: Any = map if threads == 1 else pool.map
            open_ended = goes_on or not last or gathered.knows_any(batch.names)
            zones = None if zoned is None else zoned.next(batch.names, batch.borders)
            gathered.check_size(batch)
            gathered.add(batch.names, *_block(batch, columns, jobs, each, open_ended, zones))
            if progress is not None:
                progress(int(batch.borders[-1]))
    return gathered


def _gather_whole(
    frame: Any,
    columns: Columns,
    jobs: tuple[Job, ...],
    threads: int,
    progress: Progress | None,
    zones: SeriesZones | None,
    close_gaps: int,
) -> Gathered:
    """All series of a table or of files, put together before they are scored."""
    zoned = None
    if isinstance(frame, (str, Path)):
        from rangewise.many.parquet import file_batches, parquet_files, survey_file

        files = parquet_files(frame)
        parts = file_batches(files, columns)
        if zones is not None:
            zoned = zoned_rows((survey_file(file, columns.series, zones) for file in files), zones)
    else:
        parts = batches(frame, columns)
        if zones is not None:
            zoned = zoned_table(frame, columns.series, zones)
    series = WholeSeries.of(_told_of(parts, progress), columns, close_gaps)
    gathered = Gathered(jobs)
    if series.names:
        inside = None if zoned is None else zoned.next(series.names, series.borders)
        with ThreadPoolExecutor(threads) as pool:
            gathered.add(series.names, *_block(series, columns, jobs, map if threads == 1 else pool.map, False, inside))
    return gathered


def _told_of(parts: Iterable[Batch], progress: Progress | None) -> Iterator[Batch]:
    for batch in parts:
        yield batch
        if progress is not None:
            progress(int(batch.borders[-1]))


def _block(
    batch: Batch | WholeSeries, columns: Columns, jobs: tuple[Job, ...], each: Any, open_ended: bool, zones: Ranges | None
) -> tuple[Block, tuple[Clippings, ...]]:
    """What each job found in a batch, and what zones did to each column."""

    def left(column: str, side: str) -> tuple[Ranges, tuple[Clippings, ...]]:
        ranges = batch.ranges(column, side)
        if zones is None:
            return ranges, ()
        kept, clippings = Clippings.of_batch(batch.names, batch.borders, ranges, zones)
        return kept, (clippings,)

    def column_tallies(column: str) -> tuple[list[Tallied], tuple[Clippings, ...]]:
        predicted, clippings = left(column, "predicted")
        return [tally_job(job.model, real, predicted, batch.borders, goes_on=open_ended) for job in jobs if job.column == column], clippings

    real, clippings = left(columns.real, "real")
    found: list[Tallied] = []
    for tallied, more in each(column_tallies, columns.predicted):
        found += tallied
        clippings += more
    return Block(np.diff(batch.borders), tuple(found)), clippings


def _with_last(items: Iterable[Batch]) -> Iterator[tuple[Batch, bool]]:
    """Each item, and whether it is the last."""
    waiting: Batch | None = None
    for item in items:
        if waiting is not None:
            yield waiting, False
        waiting = item
    if waiting is not None:
        yield waiting, True


def _mapped(
    frame: Any, models: tuple[RangeModel, ...], progress: Progress | None, zones: SeriesZones | None, close_gaps: int
) -> dict[tuple[str, RangeModel], ManyScores]:
    """The series of a mapping or of triples, each whole."""
    if isinstance(frame, Mapping):
        triples: Iterable[Any] = ((name, *_pair(name, sides)) for name, sides in frame.items())
    elif isinstance(frame, Iterable) and not hasattr(frame, "columns") and not isinstance(frame, (str, bytes)):
        triples = frame
    else:
        raise ValueError(
            "a table needs the names of its columns: give series=, real= and predicted=; "
            f"without them, give {{name: (real, predicted)}} or triples (name, real, predicted); got {type(frame).__name__}"
        )
    tallies: dict[Any, list[Any]] = {}
    real, predicted = Clipping(), Clipping()
    for number, triple in enumerate(triples):
        if not isinstance(triple, (tuple, list)) or len(triple) != 3:
            raise ValueError(f"series {number} is {triple!r:.60}; expected (name, real, predicted)")
        name, *sides = triple
        if name in tallies:
            raise ValueError(f"two series are called {name!r}; give each series once, or a table for series in several parts")
        try:
            if close_gaps:
                both = read_both(*sides)
                sides = [both[0], closed_ranges(both[1], close_gaps, "the prediction")]
            if zones is not None and (its := zones.of(name)) is not None:
                clipped = prepared_sides(sides[0], sides[1], ignore=its)
                assert clipped.ignored is not None
                assert clipped.ignored.predicted is not None
                sides, real, predicted = (
                    [clipped.real, clipped.predicted],
                    real + clipped.ignored.real,
                    predicted + clipped.ignored.predicted,
                )
            tallies[name] = [model.tally(*sides) for model in models]
        except (TypeError, ValueError) as error:
            raise type(error)(f"series {name!r}: {error}") from None
        if progress is not None:
            progress(1)
    found = zip(*tallies.values(), strict=True) if tallies else [()] * len(models)
    ignored = None if zones is None else zones.ignored(tallies, real, predicted)
    return {
        ("predicted", model): ManyScores.from_tallies(model, tuple(tallies), list(column), ignored=ignored)
        for model, column in zip(models, found, strict=True)
    }


def _pair(name: Any, sides: Any) -> tuple[Any, Any]:
    if not isinstance(sides, (tuple, list)) or len(sides) != 2:
        raise ValueError(f"series {name!r} is {sides!r:.60}; expected a pair (real, predicted)")
    return sides[0], sides[1]


def _one_or_all(found: dict[tuple[str, RangeModel], ManyScores], one: bool) -> ManyScores | ManyDetectors:
    return next(iter(found.values())) if one else ManyDetectors(found)


def _models(given: RangeModel | Sequence[RangeModel] | None) -> tuple[RangeModel, ...]:
    if given is None or isinstance(given, RangeModel):
        return (given or RangeModel(),)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"model is a RangeModel or a list of them; got {given!r:.60}")
    models = tuple(given)
    for number, model in enumerate(models):
        if not isinstance(model, RangeModel):
            raise TypeError(f"model {number} is {model!r:.60}; expected a RangeModel")
        if model in models[:number]:
            raise ValueError(f"models {models.index(model)} and {number} are equal, {model}; give each once")
    if not models:
        raise ValueError("the list of models is empty; give one, or leave model= out")
    return models


def _names(predicted: str | Sequence[str]) -> tuple[str, ...]:
    names = (predicted,) if isinstance(predicted, str) else tuple(predicted)
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"predicted names a column or several; got {predicted!r:.60}")
    for number, name in enumerate(names):
        if name in names[:number]:
            raise ValueError(f"predicted names the column {name!r} twice; give each once")
    return names


def _is_dask(frame: Any) -> bool:
    return type(frame).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(frame, "to_delayed")
