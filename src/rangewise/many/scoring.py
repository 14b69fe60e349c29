"""``score_many``: a score for each series of a table, a folder, a cluster, or a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack, overload

from rangewise.checks import whole
from rangewise.inputs.case import Case
from rangewise.inputs.clocks import RepeatedTimes
from rangewise.inputs.ignored import Clipping
from rangewise.inputs.scores import Missing, check_missing, refuse_missing
from rangewise.many.batches import Columns, Progress, series_columns
from rangewise.many.gathered import BatchJob, Gathered, gather, many_scores
from rangewise.many.ignored import IgnoredIntervals
from rangewise.many.scores import ManyDetectors, ManyScores
from rangewise.many.segments import Segments, WholeSeries, collect
from rangewise.metrics.evaluate import MetricChoice
from rangewise.model.model import RangeModel

if TYPE_CHECKING:
    from rangewise.rankings.detector_table import DetectorTable


class _Options(TypedDict, total=False):
    """The options of :func:`score_many` that do not change the type of its result."""

    threads: int
    progress: Progress | None
    client: Any
    close_gaps: int
    ignore: Any
    times: str | None
    repeated_times: RepeatedTimes
    missing: Missing


@overload
def score_many(
    frame: Any,
    *,
    series: str | Sequence[str] | None = None,
    real: str | None = None,
    predicted: str | None = None,
    model: RangeModel | None = None,
    metrics: None = None,
    **options: Unpack[_Options],
) -> ManyScores: ...
@overload
def score_many(
    frame: Any,
    *,
    series: str | Sequence[str] | None = None,
    real: str | None = None,
    predicted: str | Sequence[str] | None = None,
    model: RangeModel | Sequence[RangeModel] | None = None,
    metrics: None = None,
    **options: Unpack[_Options],
) -> ManyScores | ManyDetectors: ...
@overload
def score_many(
    frame: Any,
    *,
    series: str | Sequence[str] | None = None,
    real: str | None = None,
    predicted: str | Sequence[str] | None = None,
    model: None = None,
    metrics: Iterable[MetricChoice] | Mapping[str, MetricChoice],
    **options: Unpack[_Options],
) -> DetectorTable: ...
def score_many(
    frame: Any,
    *,
    series: str | Sequence[str] | None = None,
    real: str | None = None,
    predicted: str | Sequence[str] | None = None,
    model: RangeModel | Sequence[RangeModel] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    client: Any = None,
    close_gaps: int = 0,
    ignore: Any = None,
    times: str | None = None,
    repeated_times: RepeatedTimes = "error",
    missing: Missing = "error",
    metrics: Iterable[MetricChoice] | Mapping[str, MetricChoice] | None = None,
) -> ManyScores | ManyDetectors | DetectorTable:
    """Score every series of a table: one row per series, and the totals.

    ``frame`` is a polars, pandas or Arrow table; a polars ``LazyFrame``, which is read batch by batch (``pl.scan_parquet(...)``: the
    file may be larger than memory); any iterable of such tables or Arrow record batches; a Parquet file, a folder of them or a pattern
    such as ``data/*.parquet``; or a Dask DataFrame. ``series``, ``real`` and ``predicted`` name columns; a list of ``series`` columns names
    a series by all of them together, as a tuple, e.g. ``series=["region", "host"]``. The labels of a series are in
    order of time, contiguous or interleaved with others, across batches, files (sorted by name, numbers in them as
    numbers) and partitions. Without column names, ``frame`` is a mapping ``{name: (real, predicted)}`` or an iterable of
    ``(name, real, predicted)``, with any input of :meth:`RangeModel.score`.

    All series of a batch are scored in one kernel call, without the GIL. The result is a :class:`ManyScores`; with a list of
    ``predicted`` columns (several detectors) or of models, a :class:`ManyDetectors`: ``scores["a"]``, ``scores["a", model]``.
    ``threads`` share the columns and models of a batch. ``client`` is a ``distributed.Client``: its workers score partitions and
    files, and neighbors are merged in a tree. The result is bit for bit the same in every case. ``progress`` is
    called with the number of rows after each batch. Values lie in 0..1, higher is better; no rows give no series and totals over nothing.

    ``times`` names the column that orders the rows of each series: times, or any numbers. The rows of a table, and of each batch, are
    sorted by it. Rows that go back in time from one batch to a later one are an error. So are two rows of a series at the same time, unless
    ``repeated_times="keep"`` keeps their order.

    ``close_gaps`` joins the predicted ranges of a series that have gaps of at most this many rows between them. ``ignore`` are intervals
    that do not count, as in :meth:`RangeModel.score`: for every series, or for some in a mapping ``{name: intervals}`` or a table with the
    columns ``series``, ``start`` and ``stop`` (names are compared as text). Intervals are rows, which count from the beginning of each
    series, or times, which need ``times``. Gaps are closed before ignored intervals are removed. ``scores.ignored`` counts the changed
    ranges. With any of these options the ranges of all series are in memory at once, 16 bytes each. ``missing`` is for scores, as in
    :func:`rangewise.pooled_curve`: with ``metrics``; without them, the predictions are labels and it is refused.

    A series with neither a real nor a predicted range is healthy: nothing to find, nothing predicted. Its scores are
    ``zero_division``, but the printed list shows them as undefined, lists it last, and says how many there are (``scores.healthy``).

    ``metrics`` are other metrics, as for :func:`rangewise.compare`, and the result is its :class:`DetectorTable` over the series, with a
    row for each ``predicted`` column, which may then hold scores, too. The columns are held in memory.

    >>> import polars as pl
    >>> table = pl.DataFrame({"name": ["a", "a", "b", "b"], "real": [0, 1, 1, 1], "predicted": [0, 1, 1, 0]})
    >>> scores = score_many(table, series="name", real="real", predicted="predicted")
    >>> [(row.series, row.recall) for row in scores.rows], scores.pooled.recall
    ([('a', 1.0), ('b', 0.5)], 0.75)
    >>> score_many({"a": ([(1, 2)], [(1, 2)]), "b": ([0, 1, 1], [0, 1, 0])}).recall.tolist()
    [1.0, 0.5]
    >>> score_many(table, series="name", real="real", predicted="predicted", ignore={"b": [(1, 2)]}).recall.tolist()
    [1.0, 1.0]
    >>> score_many({"a": ([0, 1, 1, 1], [0, 1, 0, 1])}, close_gaps=1).recall.tolist()
    [1.0]
    >>> score_many(table, series="name", real="real", predicted="predicted", metrics=["event_recall"]).values.ravel().tolist()
    [1.0, 1.0]
    """
    models = _models(model)
    check_missing(missing) if metrics is not None else refuse_missing(missing)
    most = whole("close_gaps", close_gaps, least=0)
    whole("threads", threads, least=1)
    intervals = None if ignore is None else IgnoredIntervals.read(ignore)
    if metrics is not None:
        if model is not None or client is not None or threads != 1:
            raise ValueError("metrics= takes the place of model=, and client= and threads= are for models; name a model among the metrics")
        if series is None or real is None or predicted is None:
            raise ValueError("metrics= scores a table: give series=, real= and predicted=; rw.compare takes series one by one")
        from rangewise.many.table_cases import read_cases
        from rangewise.metrics.evaluate import named_metrics
        from rangewise.rankings.detector_table import DetectorTable

        chosen, columns = named_metrics(metrics), _columns(series, real, predicted, intervals, times, repeated_times)
        columns = replace(columns, missing=missing)
        cases = {name: own.cases for name, own in read_cases(frame, columns, intervals, most, progress=progress).items()}
        if missing != "error" and all(case.scores is None for own in cases.values() for case in own.values()):
            raise ValueError(f"missing={missing!r} is for nan scores, but no column of predicted= has scores; leave it out")
        return replace(DetectorTable.of_cases(cases, chosen), keys=columns.series if len(columns.series) > 1 else ())
    if series is None and real is None and predicted is None:
        refuse_times(times, repeated_times)
        if client is not None:
            raise ValueError("client= shares a table among workers; these series are given one by one and scored here, so leave it out")
        by_job = _mapped(frame, models, progress, intervals, most)
    elif series is None or real is None or predicted is None:
        raise ValueError("a table needs the names of its columns: give series=, real= and predicted=")
    else:
        columns = _columns(series, real, predicted, intervals, times, repeated_times)
        jobs = tuple(BatchJob(column, one) for column in columns.predicted for one in models)
        if most or times is not None or intervals is not None:
            segments = read_table(frame, columns, partial(collect, columns=columns, intervals=intervals), progress, client)
            by_job = _whole_scores(segments.series_of(columns, most, intervals), jobs, threads, intervals)
        else:
            in_parts = client is not None or isinstance(frame, (str, Path)) or _is_dask(frame)
            read = partial(gather, columns=columns, jobs=jobs, threads=threads, goes_on=in_parts)
            by_job = read_table(frame, columns, read, progress, client).scores()
    if series is not None and not isinstance(series, str):
        by_job = {job: replace(scores, keys=series_columns(series)) for job, scores in by_job.items()}
    one = (predicted is None or isinstance(predicted, str)) and (model is None or isinstance(model, RangeModel))
    return next(iter(by_job.values())) if one else ManyDetectors(by_job)


def _columns(
    series: Any, real: str, predicted: str | Sequence[str], intervals: IgnoredIntervals | None, times: str | None, repeated: RepeatedTimes
) -> Columns:
    names = (predicted,) if isinstance(predicted, str) else tuple(predicted) if isinstance(predicted, Iterable) else ()
    if not names:
        raise TypeError(f"predicted must name one or several columns; got {predicted!r:.60}")
    timed = intervals is not None and intervals.timed
    return Columns(series_columns(series), real, names, times=times, instants=timed, repeated_times=repeated)


Part = TypeVar("Part", Gathered, Segments)


def read_table(frame: Any, columns: Columns, read: Callable[..., Part], progress: Progress | None, client: Any = None) -> Part:
    """Apply ``read`` to a table, to Parquet files one after the other, or to the parts on a cluster."""
    if _is_dask(frame) or client is not None:
        from rangewise.many.cluster import read_on_cluster

        return read_on_cluster(frame, columns, read, client, progress)
    if isinstance(frame, (str, Path)):
        from rangewise.many.parquet import parquet_files, read_file

        parts = [read_file(file, partial(read, progress=progress), columns.all()) for file in parquet_files(frame)]
        return type(parts[0]).joined(parts)
    return read(frame, progress=progress)


def _whole_scores(
    series: WholeSeries, jobs: tuple[BatchJob, ...], threads: int, intervals: IgnoredIntervals | None
) -> dict[tuple[str, RangeModel], ManyScores]:
    """The score of each series under each job, without ignored rows."""
    real, clipping = series.counted(series.real)
    ignored = None if intervals is None else intervals.report(series.names, clipping, None)

    def column_scores(column: str) -> list[ManyScores]:
        predicted, clipping = series.counted(series.predicted[column])
        of_both = None if ignored is None else replace(ignored, predicted=clipping)
        return [many_scores(job.model, series.names, real, predicted, series.borders, of_both) for job in jobs if job.column == column]

    with ThreadPoolExecutor(threads) as pool:
        each = map if threads == 1 else pool.map
        scored = [scores for some in each(column_scores, series.predicted) for scores in some]
    return {(job.column, job.model): scores for job, scores in zip(jobs, scored, strict=True)}


def _mapped(
    frame: Any, models: tuple[RangeModel, ...], progress: Progress | None, intervals: IgnoredIntervals | None, close_gaps: int
) -> dict[tuple[str, RangeModel], ManyScores]:
    """The complete series of a mapping or of triples."""
    tallies: dict[Any, list[Any]] = {}
    real, predicted = Clipping(), Clipping()
    for name, *sides in triples_of(frame, "predicted"):
        if name in tallies:
            raise ValueError(f"two series are called {name!r}; give each series once, or a table for series in several parts")
        try:
            case = Case.read(*sides, close_gaps=close_gaps, ignore=None if intervals is None else intervals.of(name))
            if intervals is not None:
                intervals.check_labels(name, case.length)
            if case.clipping is not None and case.clipping.predicted is not None:
                real, predicted = real + case.clipping.real, predicted + case.clipping.predicted
            tallies[name] = [model.tally(case) for model in models]
        except (TypeError, ValueError) as error:
            raise type(error)(f"series {name!r}: {error}") from None
        if progress is not None:
            progress(1)
    by_model = zip(*tallies.values(), strict=True) if tallies else [()] * len(models)
    ignored = None if intervals is None else intervals.report(tallies, real, predicted)
    return {
        ("predicted", model): ManyScores.from_tallies(model, tuple(tallies), list(column), ignored=ignored)
        for model, column in zip(models, by_model, strict=True)
    }


def triples_of(frame: Any, other: str) -> Iterator[Any]:
    """The name and the two sides of each series of a mapping or of triples; ``other`` is what the second side is called."""
    if isinstance(frame, Mapping):
        for name, sides in frame.items():
            if not isinstance(sides, (tuple, list)) or len(sides) != 2:
                raise ValueError(f"series {name!r} is {sides!r:.60}; expected a pair (real, {other})")
            yield (name, *sides)
        return
    if not isinstance(frame, Iterable) or hasattr(frame, "columns") or isinstance(frame, (str, bytes)):
        raise ValueError(
            f"a table needs the names of its columns: give series=, real= and {other}=; "
            f"without them, give {{name: (real, {other})}} or triples (name, real, {other}); got {type(frame).__name__}"
        )
    for number, triple in enumerate(frame):
        if not isinstance(triple, (tuple, list)) or len(triple) != 3:
            raise ValueError(f"series {number} is {triple!r:.60}; expected (name, real, {other})")
        yield triple


_DEFAULT = RangeModel()


def _models(given: RangeModel | Sequence[RangeModel] | None) -> tuple[RangeModel, ...]:
    if given is None or isinstance(given, RangeModel):
        return (given or _DEFAULT,)
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


def refuse_times(times: str | None, repeated_times: str) -> None:
    """Series that are given one by one are in their order."""
    if times is not None or repeated_times != "error":
        raise ValueError("times= and repeated_times= are about a column of a table; these series are given one by one, so leave both out")


def _is_dask(frame: Any) -> bool:
    return type(frame).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(frame, "to_delayed")
