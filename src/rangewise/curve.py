"""Curve: precision, recall and F at every threshold of a detector's scores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import share_of_points
from rangewise.inputs.case import Case, CaseOptions, check_options, check_outside, refuse_weights
from rangewise.inputs.clocks import on_rows, row_clock
from rangewise.inputs.ignored import Ignored, read_ignored, without
from rangewise.inputs.ranges import Ranges, as_ranges
from rangewise.inputs.scored_ranges import ScoredRanges, align_scored, cut_scored
from rangewise.model.result import Score
from rangewise.model.rewards import can_sweep, sweep_scored, sweep_scores
from rangewise.model.tally import f_scores
from rangewise.number_text import share_text
from rangewise.tables import Frames

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rangewise.model.model import RangeModel

MOST_ONE_BY_ONE = 2_000
"""A model that cannot be evaluated in one pass is evaluated at every threshold up to this number of distinct scores."""


def is_high_alert_rate(alert_rate: float, real_share: float) -> bool:
    """Whether an alert rate is so high that the score says little: over 1/2 and twice the real share, or over 1/5 and five times it.

    >>> is_high_alert_rate(0.998, 0.1), is_high_alert_rate(0.3, 0.02), is_high_alert_rate(0.3, 0.1), is_high_alert_rate(0.6, 0.4)
    (True, True, False, False)
    """
    return alert_rate > highest_fair_rate(real_share)


def highest_fair_rate(real_share: float) -> float:
    """The alert rate above which :func:`is_high_alert_rate` holds.

    >>> highest_fair_rate(0.02), highest_fair_rate(0.3)
    (0.2, 0.6)
    """
    return min(max(0.5, 2 * real_share), max(0.2, 5 * real_share))


def alert_rates_at(thresholds: NDArray[Any], scores: NDArray[Any]) -> NDArray[np.float64]:
    """The share of the scores that reach each threshold.

    >>> alert_rates_at(np.array([0.9, 0.5]), np.array([0.5, 0.9, 0.1, 0.2])).tolist()
    [0.25, 0.5]
    """
    below = np.searchsorted(np.sort(scores), thresholds, side="left")
    return (len(scores) - below) / max(len(scores), 1)


def within_alert_rate(alert_rates: NDArray[np.float64], max_alert_rate: float) -> NDArray[np.bool_]:
    """Mask of the thresholds whose alert rate is allowed; an error if none is."""
    allowed = alert_rates <= share_of_points("max_alert_rate", max_alert_rate)
    if not allowed.any():
        raise ValueError(f"every threshold predicts more than {share_text(max_alert_rate)} of the points; raise max_alert_rate")
    return allowed


class HighAlertRateWarning(UserWarning):
    """The threshold with the largest F predicts a large part of the series as anomalous: one giant range costs little precision."""


def warn_of_high_alert_rate(alert_rate: float, real_share: float) -> None:
    """For ``best`` of a curve, whose caller is shown."""
    if is_high_alert_rate(alert_rate, real_share):
        warnings.warn(
            f"the best threshold has an alert rate of {share_text(alert_rate)}; {share_text(real_share)} of the points are real: one "
            "giant range costs little precision; limit it with best(max_alert_rate=0.2) (--max-alert-rate 0.2)",
            HighAlertRateWarning,
            stacklevel=3,
        )


class Threshold(NamedTuple):
    """A threshold and its score."""

    threshold: float
    score: Score

    @property
    def alert_rate(self) -> float:
        """Share of points predicted anomalous at this threshold."""
        return self.score.alert_rate or 0.0


@dataclass(frozen=True, eq=False)
class Curve(Frames):
    """Precision, recall and F of a model, one entry for each threshold, thresholds descending; arrays of equal length.

    A point is predicted where ``score >= threshold``.

    >>> import rangewise as rw
    >>> curve = rw.RangeModel().curve([(1, 3)], [0.1, 0.9, 0.8, 0.3])
    >>> curve.best().threshold, curve.best().score.f
    (0.8, 1.0)
    """

    model: RangeModel
    thresholds: NDArray[Any]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    case: Case = field(repr=False)
    """The real ranges and the scores, not copied."""

    @cached_property
    def f(self) -> NDArray[np.float64]:
        """F at each threshold, with the model's beta."""
        return f_scores(self.precision, self.recall, self.model.beta)

    def best(self, beta: float | None = None, *, max_alert_rate: float | None = None, warn: bool = True) -> Threshold:
        """The threshold with the largest F, and its score; the highest threshold on ties.

        ``beta`` replaces the model's; ``max_alert_rate`` allows only thresholds that predict at most that share of all points as
        anomalous. Without it, a threshold may win that predicts nearly every point, because one giant false range costs no more
        precision than a small one. A :class:`HighAlertRateWarning` is issued if the alert rate is above 1/2 and twice the real share,
        or above 1/5 and five times it. The result unpacks: ``threshold, score = curve.best()``.
        """
        if not len(self):
            raise ValueError("a curve without scores has no best threshold")
        model = self.model if beta is None else replace(self.model, beta=beta)
        f = np.nan_to_num(self.f if beta is None else f_scores(self.precision, self.recall, model.beta), nan=-1.0)
        if max_alert_rate is not None:
            f = np.where(within_alert_rate(self.alert_rates(), max_alert_rate), f, -2.0)
        best = self._at(model, self.thresholds[int(np.argmax(f))])
        if warn and max_alert_rate is None:
            warn_of_high_alert_rate(best.alert_rate, self.case.real_share)
        return best

    def at(self, threshold: float) -> Score:
        """The score at any threshold, on the curve or between its entries; ``.alert_rate`` is its share of points predicted."""
        return self._at(self.model, threshold).score

    def _at(self, model: RangeModel, threshold: Any) -> Threshold:
        return Threshold(np.asarray(threshold).item(), model.score(self.case.at(threshold)))

    def alert_rates(self) -> NDArray[np.float64]:
        """The alert rate at each threshold, as a share of the points that count."""
        return alert_rates_at(self.thresholds, self.case.counted_scores)

    @property
    def average_precision(self) -> float:
        r"""The area under interpolated precision.

        .. math:: AP = \sum_k (r_k - r_{k-1}) \max \{ p_i : r_i \ge r_k \}

        over the distinct recalls :math:`r_1 < r_2 < \dots` of the curve, with :math:`r_0 = 0`: the best precision at that recall or
        more. Recall with a cardinality is not monotone in the threshold, so sums along the thresholds fail, and trapezoids
        reward constant detectors; this definition avoids both. From 0 to 1, higher is better; 0 without scores, nan when recall is.
        """
        if np.isnan(self.recall).any():
            return float("nan")
        order = np.argsort(self.recall, kind="stable")
        steps = np.diff(self.recall[order], prepend=0.0)
        best_from_here = np.maximum.accumulate(self.precision[order][::-1])[::-1]
        return float(steps @ best_from_here)

    def columns(self) -> dict[str, NDArray[Any]]:
        """One row per threshold, by column, for a data frame of any library."""
        return {"threshold": self.thresholds, "precision": self.precision, "recall": self.recall, "f": self.f}

    def to_dict(self, threshold: float | None = None, *, max_alert_rate: float | None = None) -> dict[str, Any]:
        """The summary that ``rangewise curve --json`` prints: at the best threshold, or at ``threshold``.

        >>> import rangewise as rw
        >>> summary = rw.RangeModel().curve([(1, 3)], [0.1, 0.9, 0.8, 0.3]).to_dict()
        >>> [summary[name] for name in ("thresholds", "average_precision", "best_threshold", "f", "alert_rate")]
        [4, 1.0, 0.8, 1.0, 0.5]
        """
        there = self.best(max_alert_rate=max_alert_rate) if threshold is None else Threshold(threshold, self.at(threshold))
        score = there.score
        return {
            "thresholds": len(self),
            "average_precision": self.average_precision,
            "best_threshold" if threshold is None else "threshold": there.threshold,
            "precision": score.precision,
            "recall": score.recall,
            "f": score.f,
            "alert_rate": there.alert_rate,
            "model": str(self.model),
            **({} if score.ignored is None else {"ignored": score.ignored.to_dict()}),
        }

    def thin(self, k: int) -> Curve:
        """At most ``k`` entries for plotting: both ends, the largest precision, recall and F, the rest evenly along the curve."""
        if k < 5:
            raise ValueError(f"a thin curve keeps both ends and three best entries, so k is 5 or more; got {k}")
        if len(self) <= k:
            return self
        kept = {0, len(self) - 1, *(int(np.argmax(np.nan_to_num(values))) for values in (self.precision, self.recall, self.f))}
        ranks = np.arange(len(self)) / len(self)
        moved = sum(np.abs(np.diff(np.nan_to_num(values), prepend=values[0])) for values in (self.precision, self.recall, ranks))
        way = np.cumsum(moved)
        even = np.searchsorted(way, np.linspace(0.0, way[-1], k - len(kept)))
        chosen = np.unique([*kept, *even])
        return replace(self, thresholds=self.thresholds[chosen], precision=self.precision[chosen], recall=self.recall[chosen])

    @overload
    def plot(self, *, ax: None = None, name: str | None = None) -> Figure: ...
    @overload
    def plot(self, *, ax: Axes, name: str | None = None) -> Axes: ...
    def plot(self, *, ax: Axes | None = None, name: str | None = None) -> Figure | Axes:
        """Precision over recall, and precision, recall and F over the thresholds, the best F marked. Needs the extra ``plots``.

        With ``ax``, precision over recall on these axes, beside the curves that are there, with ``name`` in the legend: call it once for
        each detector. Returns the figure or axes; ``savefig`` of a figure writes PNG, SVG or PDF by the file's ending.
        """
        from rangewise.plots.curve_picture import draw_precision_recall, plot_curve

        return plot_curve(self, name) if ax is None else draw_precision_recall(self, ax, name)

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return f"Curve({len(self)} thresholds, average precision {self.average_precision:.4g}, {self.model})"


@dataclass(frozen=True, eq=False, repr=False)
class ScoredCurve(Curve):
    """The curve of ranges with a confidence: thresholds are the distinct confidences, and no point is counted.

    >>> import rangewise as rw
    >>> curve = rw.RangeModel().curve([(1.0, 3.0)], rw.ScoredRanges([(1.5, 3.0, 0.9), (10.0, 11.0, 0.2)]))
    >>> curve.thresholds.tolist(), curve.recall.tolist(), curve.precision.tolist()
    ([0.9, 0.2], [0.75, 0.75], [1.0, 0.5])
    """

    scored: ScoredRanges = field(default_factory=ScoredRanges, kw_only=True)

    def _at(self, model: RangeModel, threshold: Any) -> Threshold:
        return Threshold(np.asarray(threshold).item(), model.score(_scored_at(self.case, self.scored, threshold)))

    def alert_rates(self) -> NDArray[np.float64]:
        raise ValueError("the number of points is unknown for ranges with a confidence; drop max_alert_rate=")

    def _warn_of(self, best: Threshold) -> None:
        """Unknown without the number of points."""


def make_scored_curve(model: RangeModel, real: Any, scored: ScoredRanges, thresholds: Any, options: CaseOptions) -> Curve:
    """``RangeModel.curve`` of ranges with a confidence."""
    case, scored = _scored_case(real, scored, options)
    if thresholds is None and can_sweep(model):
        swept = sweep_scored(model, case.real, cut_scored(scored, case.ignored))
    else:
        chosen = scored.thresholds if thresholds is None else _given_thresholds(thresholds, scored.confidences)
        if thresholds is None:
            _check_few(len(chosen))
        scores = [model.score(_scored_at(case, scored, threshold)) for threshold in chosen]
        swept = chosen, np.array([each.precision for each in scores]), np.array([each.recall for each in scores])
    return ScoredCurve(model, *swept, case, scored=scored)


def _scored_case(real: Any, scored: ScoredRanges, options: CaseOptions) -> tuple[Case, ScoredRanges]:
    """The real side, its ignored intervals and the scored ranges, all on rows or on one clock."""
    if isinstance(real, Case):
        raise TypeError("ranges with a confidence need the real ranges or labels, not a Case")
    check_options(options)
    refuse_weights(options.get("weights"), "a curve")
    if options.get("close_gaps"):
        raise ValueError("close_gaps= is for one score per point; join ranges with a confidence before they are scored")
    if options.get("missing", "error") != "error":
        raise ValueError("missing= is for one score per point; ranges with a confidence have no missing points")
    for option in ("resolution", "step", "span", "length"):
        if options.get(option) is not None:
            raise ValueError(f"{option}= is not supported for ranges with a confidence; drop it")
    times, outside, ignore = options.get("times"), options.get("outside", "error"), options.get("ignore")
    if times is not None and scored.clock is not None:
        raise ValueError(
            "times= gives the times of rows, but these ranges are times already; give the real ranges as times too, without times="
        )
    check_outside(outside, times, ("real", real))
    ranges = as_ranges(real, "real") if times is None else on_rows(real, row_clock(times), "real", outside)
    ranges, scored = align_scored(ranges, scored)
    case = Case(ranges, None)
    if ignore is not None:
        ignored = read_ignored(ignore, ranges if ranges.clock is not None or len(ranges) or len(scored) else None)
        left, _, clipping = without(ranges, ignored)
        case = replace(case, real=left, clipping=Ignored(ignored, clipping, None))
    return case, scored


def _scored_at(case: Case, scored: ScoredRanges, threshold: Any) -> Case:
    """The case with the ranges of at least this confidence as its prediction."""
    predicted: Ranges = scored.at(threshold)
    clipping = case.clipping
    if clipping is not None:
        predicted, _, clipped = without(predicted, clipping.intervals)
        clipping = replace(clipping, predicted=clipped)
    return replace(case, predicted=predicted, clipping=clipping, threshold=threshold)


def make_curve(model: RangeModel, case: Case, thresholds: Any = None) -> Curve:
    """``RangeModel.curve`` of a case of scores."""
    if thresholds is not None:
        assert case.scores is not None
        return _one_by_one(model, case, _given_thresholds(thresholds, case.scores))
    if can_sweep(model):
        scores, places = case.kernel_scores()
        return Curve(model, *sweep_scores(model, case.real, scores, **places), case)
    distinct = np.unique(case.counted_scores)[::-1]
    _check_few(len(distinct))
    return _one_by_one(model, case, distinct)


def _check_few(distinct: int) -> None:
    if distinct > MOST_ONE_BY_ONE:
        raise ValueError(
            "a bias for precision, a cardinality of the length for it or a size function of your own is evaluated "
            "threshold by threshold, "
            f"up to {MOST_ONE_BY_ONE:,} of them; there are {distinct:,} distinct scores, "
            "so give thresholds=, e.g. np.quantile(scores, np.linspace(0, 1, 200))"
        )


def _given_thresholds(thresholds: Any, scores: NDArray[Any]) -> NDArray[Any]:
    values = np.atleast_1d(np.asarray(thresholds))
    if values.dtype.kind not in "iuf" or values.ndim != 1 or np.isnan(values.astype(np.float64)).any():
        raise ValueError(f"thresholds must be numbers; got {thresholds!r:.60}")
    return np.unique(values.astype(scores.dtype) if scores.dtype.kind == "f" else values)[::-1]


def _one_by_one(model: RangeModel, case: Case, thresholds: NDArray[Any]) -> Curve:
    scores = [model.score(case.at(threshold)) for threshold in thresholds]
    precision = np.array([score.precision for score in scores], dtype=np.float64)
    recall = np.array([score.recall for score in scores], dtype=np.float64)
    return Curve(model, thresholds, precision, recall, case)
