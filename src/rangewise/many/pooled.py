"""``pooled_curve``: every threshold of one detector over many series at once, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import whole
from rangewise.curve import MOST_ONE_BY_ONE, Curve, Threshold, alert_rates_at, warn_of_high_alert_rate, within_alert_rate
from rangewise.inputs.case import Case
from rangewise.inputs.clocks import RepeatedTimes
from rangewise.inputs.ignored import Clipping, without
from rangewise.inputs.ranges import Ranges, trusted_ranges
from rangewise.inputs.scores import Missing, check_missing, fill_missing, read_threshold, score_array
from rangewise.inputs.scores import close_gaps as close_score_gaps
from rangewise.many.batches import Columns, series_columns
from rangewise.many.gathered import many_scores
from rangewise.many.ignored import IgnoredIntervals, ManyIgnored
from rangewise.many.scores import ManyScores
from rangewise.many.scoring import read_table, refuse_times, triples_of
from rangewise.many.segments import WholeSeries, collect, joined_scores
from rangewise.model.means import MacroScore
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.model.rewards import can_sweep, sweep_scores
from rangewise.model.tally import f_scores
from rangewise.tables import Frames


@dataclass(frozen=True, eq=False, repr=False)
class PooledCurve(Frames):
    """Precision, recall and F of all ranges of all series at every threshold; thresholds descending, arrays of equal length.

    ``real`` and ``scores`` are those of all series, one after the other.

    >>> import rangewise as rw
    >>> curve = rw.pooled_curve({"a": ([0, 1, 1], [0.1, 0.9, 0.8]), "b": ([1, 0], [0.8, 0.2])})
    >>> curve.best().threshold, curve.best().score.f, curve.macro(0.9).f
    (0.8, 1.0, 0.3333333333333333)
    """

    model: RangeModel
    names: tuple[Any, ...]
    thresholds: NDArray[Any]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    real: Ranges
    scores: NDArray[Any]
    _borders: NDArray[np.int64] = field(repr=False)
    ignored: ManyIgnored | None = None
    """How ignored intervals changed the real ranges; None if there were none. Scores at a threshold cover predicted ranges too."""
    _ignored_rows: Ranges = field(default_factory=Ranges, repr=False)

    @cached_property
    def f(self) -> NDArray[np.float64]:
        """F at each threshold, with the model's beta."""
        return f_scores(self.precision, self.recall, self.model.beta)

    @property
    def average_precision(self) -> float:
        """The area under interpolated precision, as :attr:`rangewise.Curve.average_precision`."""
        return self._curve().average_precision

    def best(self, beta: float | None = None, *, max_alert_rate: float | None = None, warn: bool = True) -> Threshold:
        """The threshold with the largest pooled F, and its score; the highest threshold on ties.

        ``beta`` replaces the model's; ``max_alert_rate`` allows only thresholds that predict at most that share of the points of all
        series as anomalous. A high alert rate without it gives the warning of :meth:`rangewise.Curve.best`.
        """
        if not len(self):
            raise ValueError("a curve without scores has no best threshold")
        model = self.model if beta is None else replace(self.model, beta=beta)
        f = np.nan_to_num(f_scores(self.precision, self.recall, model.beta), nan=-1.0)
        if max_alert_rate is not None:
            f = np.where(within_alert_rate(self.alert_rates(), max_alert_rate), f, -2.0)
        threshold = self.thresholds[int(np.argmax(f))]
        best = Threshold(threshold.item(), self._pooled(model, threshold))
        if warn and max_alert_rate is None:
            real, _, _ = without(self.real, self._ignored_rows)
            warn_of_high_alert_rate(best.alert_rate, int(real.lengths.sum()) / len(self._counted))
        return best

    def alert_rates(self) -> NDArray[np.float64]:
        """The alert rate at each threshold, as a share of the points of all series that count."""
        return alert_rates_at(self.thresholds, self._counted)

    def at(self, threshold: float) -> Score:
        """The pooled score at any threshold, on the curve or between its entries."""
        return self._pooled(self.model, threshold)

    def macro(self, threshold: float) -> MacroScore:
        """The mean of the scores of the series at a threshold."""
        return self.series_at(threshold).macro

    def series_at(self, threshold: float) -> ManyScores:
        """The score of each series at a threshold."""
        return self._scored(self.model, threshold)

    def columns(self) -> dict[str, NDArray[Any]]:
        """One row per threshold, by column, for a data frame of any library."""
        return self._curve().columns()

    def to_dict(self, threshold: float | None = None, *, max_alert_rate: float | None = None) -> dict[str, Any]:
        """The summary that ``rangewise curve --json`` prints for a table of many series: at the best threshold, or at ``threshold``."""
        there = self.best(max_alert_rate=max_alert_rate) if threshold is None else Threshold(threshold, self.at(threshold))
        scores = self.series_at(there.threshold)
        return {
            "average_precision": self.average_precision,
            "best_threshold" if threshold is None else "threshold": there.threshold,
            "precision": there.score.precision,
            "recall": there.score.recall,
            "f": there.score.f,
            "macro_f": scores.macro.f,
            "alert_rate": there.alert_rate,
            "series": len(self.names),
            "thresholds": len(self),
            "model": str(self.model),
            **({} if scores.ignored is None else {"ignored": scores.ignored.to_dict()}),
        }

    def thin(self, k: int) -> Curve:
        """At most ``k`` entries for plotting, as :meth:`rangewise.Curve.thin`; without its ``best`` and ``at``."""
        return self._curve().thin(k)

    def _curve(self) -> Curve:
        return Curve(self.model, self.thresholds, self.precision, self.recall, Case(self.real, None, self.scores, len(self.scores)))

    def _pooled(self, model: RangeModel, threshold: float) -> Score:
        counted = self._counted
        pooled = self._scored(model, threshold).pooled
        predicted_points = int(np.count_nonzero(counted >= read_threshold(threshold, counted)))
        return replace(pooled, length=len(counted), predicted_points=predicted_points)

    @cached_property
    def _counted(self) -> NDArray[Any]:
        """The scores of the rows that count."""
        return self.scores if not len(self._ignored_rows) else self.scores[self._ignored_rows.to_labels(len(self.scores)) == 0]

    def _scored(self, model: RangeModel, threshold: float) -> ManyScores:
        real, predicted, ignored = self.real, self._predicted(threshold), self.ignored
        if ignored is not None:
            real, _, _ = without(real, self._ignored_rows)
            predicted, _, clipping = without(predicted, self._ignored_rows)
            ignored = replace(ignored, predicted=clipping)
        return many_scores(model, self.names, real, predicted, self._borders, ignored)

    def _predicted(self, threshold: float) -> Ranges:
        labels = self.scores >= read_threshold(threshold, self.scores)
        return trusted_ranges(kernel.find_series_ranges(labels, self._borders)) if self.names else Ranges()

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return (
            f"PooledCurve({len(self.names)} series, {len(self)} thresholds, average precision {self.average_precision:.4g}, {self.model})"
        )


def pooled_curve(
    frame: Any,
    *,
    model: RangeModel | None = None,
    series: str | Sequence[str] | None = None,
    real: str | None = None,
    scores: str | None = None,
    close_gaps: int = 0,
    ignore: Any = None,
    times: str | None = None,
    repeated_times: RepeatedTimes = "error",
    missing: Missing = "error",
) -> PooledCurve:
    r"""Pooled precision, recall and F at every distinct score of many series: one threshold for all of them.

    .. math:: Recall(\theta) = \frac{\sum_s \sum_i Recall_T(R_{s,i}, P_s(\theta))}{\sum_s N_{r,s}}

    where :math:`P_s(\theta)` are the ranges of the series s with scores of at least :math:`\theta`, and precision alike: the same as adding
    up the tallies of the series at each threshold, in one sweep in which runs never join across series. ``frame`` is a mapping
    ``{name: (real, scores)}``, an iterable of ``(name, real, scores)``, or a table, Parquet files or a Dask DataFrame (as for
    :func:`rangewise.score_many`) with the names of its columns. ``real`` is whatever :meth:`RangeModel.curve` takes. Values lie in 0..1,
    higher is better; no series give a curve without entries. A model that cannot be swept for one series is evaluated threshold by
    threshold here, too. ``close_gaps`` is that of :meth:`RangeModel.curve`, for each series by itself. ``ignore``, ``times`` and
    ``repeated_times`` are those of :func:`rangewise.score_many`; the scores of ignored rows are not thresholds. ``missing`` handles a
    score that is nan or null, as in :meth:`rangewise.Case.read` for each series: an ``"error"``, the ``"lowest"`` of the other scores
    of its series, or a row to ``"ignore"``.

    >>> import rangewise as rw
    >>> curve = pooled_curve({"a": ([0, 1], [0.3, 0.9]), "b": ([1, 1], [0.9, 0.5])})
    >>> curve.thresholds.tolist(), curve.recall.tolist(), curve.precision.tolist()
    ([0.9, 0.5, 0.3], [0.75, 1.0, 1.0], [1.0, 1.0, 0.75])
    >>> pooled_curve({"a": ([0, 1, 1], [0.3, 0.9, float("nan")])}, missing="ignore").recall.tolist()
    [1.0, 1.0]
    """
    check_missing(missing)
    if model is not None and not isinstance(model, RangeModel):
        raise TypeError(f"model must be a RangeModel; got {model!r:.60}")
    most = whole("close_gaps", close_gaps, least=0)
    intervals = None if ignore is None else IgnoredIntervals.read(ignore)
    timed = intervals is not None and intervals.timed
    if series is None and real is None and scores is None:
        refuse_times(times, repeated_times)
        if timed:
            raise ValueError(
                "ignore is given in times, but scores are one number per row; give a table and its column of times=, or rows to ignore"
            )
        given = _of_mapping(frame, intervals, missing)
    elif series is None or real is None or scores is None:
        raise ValueError("a table needs the names of its columns: give series=, real= and scores=")
    else:
        columns = Columns(
            series_columns(series),
            real,
            scores=scores,
            times=times,
            instants=timed,
            repeated_times=repeated_times,
            missing=missing,
        )
        segments = read_table(frame, columns, partial(collect, columns=columns, intervals=intervals), None)
        given = segments.series_of(columns, 0, intervals)
    return _curve(RangeModel() if model is None else model, given, intervals, most, missing)


def _curve(model: RangeModel, series: WholeSeries, intervals: IgnoredIntervals | None, close_gaps: int, missing: Missing) -> PooledCurve:
    names, real, borders, rows = series.names, series.real, series.borders, series.ignored
    if series.scores is None:
        empty, ignored = np.zeros(0), None if intervals is None else intervals.report(names, Clipping(), None)
        return PooledCurve(model, (), empty, empty, empty, Ranges(), empty, np.zeros(1, dtype=np.int64), ignored)
    scores, absent = _filled(series.scores, names, borders, missing)
    if len(absent):
        # Ignored intervals and rows together, none over a border between series.
        labels = rows.to_labels(int(borders[-1]))
        labels[absent] = 1
        rows = trusted_ranges(kernel.find_series_ranges(labels, borders))
    ignored = None if intervals is None else intervals.report(names, without(real, rows)[2], None)
    if len(absent):
        touched = len(np.unique(_series_of(rows.starts, borders)))
        ignored = ManyIgnored(len(rows), touched, without(real, rows)[2], None)
    if close_gaps:
        scores = np.concatenate([close_score_gaps(part, close_gaps) for part in np.split(scores, borders[1:-1])])
    if can_sweep(model):
        return PooledCurve(model, names, *_swept(model, real, scores, borders, rows), real, scores, borders, ignored, rows)
    blank = PooledCurve(model, names, np.zeros(0), np.zeros(0), np.zeros(0), real, scores, borders, ignored, rows)
    distinct = np.unique(blank._counted)[::-1]
    if len(distinct) > MOST_ONE_BY_ONE:
        raise ValueError(
            "a bias for precision or a size function of your own is evaluated threshold by threshold, "
            f"up to {MOST_ONE_BY_ONE:,} of them; there are {len(distinct):,} distinct scores, so round them first"
        )
    pooled = [blank.at(threshold) for threshold in distinct]
    precision, recall = (np.array([getattr(one, name) for one in pooled]) for name in ("precision", "recall"))
    return replace(blank, thresholds=distinct, precision=precision, recall=recall)


def _filled(
    scores: NDArray[Any], names: Sequence[Any], borders: NDArray[np.int64], missing: Missing
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Scores without nan, each series filled by itself, and the rows to ignore; an error names the series and its row."""
    nothing = np.zeros(0, dtype=np.int64)
    if scores.dtype.kind != "f" or not len(scores) or not np.isnan(scores.min()):
        return scores, nothing
    rows = np.flatnonzero(np.isnan(scores))
    scores = scores.copy()
    for at in np.unique(_series_of(rows, borders)).tolist():
        own = slice(borders[at], borders[at + 1])
        scores[own] = fill_missing(scores[own], missing, f"series {names[at]!r}")[0]
    return scores, rows if missing == "ignore" else nothing


def _swept(
    model: RangeModel, real: Ranges, scores: NDArray[Any], borders: NDArray[np.int64], ignored: Ranges
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """Every threshold in one pass. A point that is never predicted separates two series."""
    if len(ignored):
        real = without(real, ignored)[0]
    moved = trusted_ranges(np.ascontiguousarray(np.asarray(real) + _series_of(real.starts, borders)[:, None]))
    if not len(ignored):
        return sweep_scores(model, moved, scores, borders=borders)
    rows = np.flatnonzero(ignored.to_labels(len(scores)) == 0)
    points = len(scores) + len(borders) - 2
    return sweep_scores(model, moved, scores[rows], rows=rows + _series_of(rows, borders), points=points)


def _series_of(rows: NDArray[np.int64], borders: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(borders, rows, side="right") - 1


def _of_mapping(frame: Any, intervals: IgnoredIntervals | None, missing: Missing) -> WholeSeries:
    names: list[Any] = []
    reals: list[Any] = []
    given: list[Any] = []
    for name, real, scores in triples_of(frame, "scores"):
        names.append(name)
        reals.append(real)
        given.append(scores)
    if not names:
        return WholeSeries((), np.zeros(1, dtype=np.int64), Ranges(), {}, Ranges(), None)
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"two series are called {twice!r}; give each series once, whole")
    ranges, values, borders = _at_once(reals, given) or _one_by_one(names, reals, given, missing)
    rows = Ranges() if intervals is None else trusted_ranges(intervals.rows(names, borders))
    return WholeSeries(tuple(names), borders, ranges, {}, rows, values)


_Sides = tuple[Ranges, NDArray[Any], NDArray[np.int64]]


def _at_once(reals: list[Any], given: list[Any]) -> _Sides | None:
    """Plain arrays of labels and of scores of one type, read together; None for other or invalid input."""
    for real, scores in zip(reals, given, strict=True):
        if type(real) is not np.ndarray or type(scores) is not np.ndarray or real.ndim != 1 or real.shape != scores.shape or not len(real):
            return None
    if {real.dtype.kind for real in reals} - set("biu") or len({scores.dtype for scores in given}) > 1:
        return None
    borders = np.cumsum([0, *map(len, given)], dtype=np.int64)
    try:
        ranges = kernel.find_series_ranges(np.concatenate(reals), borders)
    except kernel.InvalidValueError:
        return None
    return trusted_ranges(ranges), score_array(np.concatenate(given)), borders


def _one_by_one(names: list[Any], reals: list[Any], given: list[Any], missing: Missing) -> _Sides:
    values, bounds, borders = [], [], [0]
    for name, real, raw in zip(names, reals, given, strict=True):
        called = f"series {name!r}"
        # What is missing is filled in, and ignored, when all series are together.
        case = Case.read(real, scores=raw, missing="error" if missing == "error" else "lowest", called=(f"{called}: real", called))
        scores = score_array(raw, called)
        if not len(scores):
            raise ValueError(f"{called}: there are no scores; drop the series")
        values.append(scores)
        bounds.append(np.asarray(case.real) + borders[-1])
        borders.append(borders[-1] + len(scores))
    return trusted_ranges(np.concatenate(bounds)), joined_scores(values), np.array(borders, dtype=np.int64)
