"""Point-adjust and PA%K: metrics of points, after real ranges that are partly predicted count as predicted completely.

Read the warning in docs/metrics/point_adjust.md first: with long anomalies a random detector scores high.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import checked_beta, checked_zero_division, flag, number_between
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.metrics.overlaps import overlaps_of
from rangewise.metrics.ranked import MetricCurve, Ranked
from rangewise.model.tally import checked_f, f_scores, share


def point_adjust_precision(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    k: float = 0.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Share of the predicted points that are anomalous, after the adjustment.

    A real range of which more than ``k`` % of the points are predicted counts as predicted completely; ``k=0`` is point-adjust (any point
    will do), ``k=100`` changes nothing. Points are rows: times need a grid, one row per ``step`` over ``span``.

    .. math:: Precision = \frac{TP}{TP + FP}, \quad
        TP = \sum_i \begin{cases} |R_i| & |R_i \cap P| > \frac{k}{100} |R_i| \\ |R_i \cap P| & \text{else} \end{cases}

    From 0 to 1, higher is better; ``zero_division`` when no point is predicted.

    >>> point_adjust_precision([(0, 8)], [(7, 9)])
    0.8888888888888888

    Xu et al. (2018), section 4.2; Kim et al. (2022), equation 12.
    """
    hits, adjusted, _ = _adjusted(Case.of_labels(real, predicted, options, "point_adjust_precision"), k)
    return share(hits, adjusted, zero_division)


def point_adjust_recall(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    k: float = 0.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Share of the anomalous points that are predicted, after the adjustment (see :func:`point_adjust_precision`).

    .. math:: Recall = \frac{TP}{\sum_i |R_i|}

    From 0 to 1, higher is better; ``zero_division`` when no point is anomalous.

    >>> point_adjust_recall([(0, 8)], [(7, 9)]), point_adjust_recall([(0, 8)], [(7, 9)], k=20)
    (1.0, 0.125)
    """
    hits, _, points = _adjusted(Case.of_labels(real, predicted, options, "point_adjust_recall"), k)
    return share(hits, points, zero_division)


def point_adjust_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    k: float = 0.0,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Weighted harmonic mean of precision and recall after the adjustment (see :func:`point_adjust_precision`).

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty.

    >>> point_adjust_fbeta([(0, 8)], [(7, 9)])
    0.9411764705882353
    """
    hits, adjusted, points = _adjusted(Case.of_labels(real, predicted, options, "point_adjust_fbeta"), k)
    return checked_f(share(hits, adjusted, zero_division), share(hits, points, zero_division), beta)


@dataclass(frozen=True, eq=False)
class PointAdjustCurve(MetricCurve):
    """Precision, recall and F after the adjustment at every distinct score, thresholds descending; arrays of equal length."""

    k: float

    def __repr__(self) -> str:
        return f"PointAdjustCurve({len(self)} thresholds, k={self.k:g}, beta={self.beta:g})"


def point_adjust_curve(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    k: float = 0.0,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> PointAdjustCurve:
    """Point-adjust (``k=0``) or PA%K at every threshold, in one pass after a sort: O(n log n) for all of them.

    A point is predicted when its score is at or above the threshold; points of equal score enter together. Precision, recall and F as
    in :func:`point_adjust_precision`; recall is ``zero_division`` when no point is anomalous. Scores that are nan are an error.

    >>> curve = point_adjust_curve([0, 1, 1, 1, 0], [0.1, 0.2, 0.9, 0.3, 0.5])
    >>> curve.thresholds.tolist(), curve.recall.tolist()
    ([0.9, 0.5, 0.3, 0.2, 0.1], [1.0, 1.0, 1.0, 1.0, 1.0])
    >>> curve.best()
    ThresholdStep(threshold=0.9, precision=1.0, recall=1.0, f=1.0)
    """
    ranked = Ranked.of(Case.of_scores(real, scores, options, "point_adjust_curve"))
    hits = ranked.summed(_gains(ranked, _points_needed(ranked.real, k)))
    precision = hits / (hits + ranked.false_points)
    curve = ranked.curve(precision, ranked.share_of(hits, ranked.real_points, zero_division), beta)
    return PointAdjustCurve(curve.thresholds, curve.precision, curve.recall, curve.f, curve.beta, float(k))


def best_point_adjust_fbeta(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    k: float = 0.0,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""The largest F after the adjustment over all thresholds (see :func:`point_adjust_curve`).

    .. math:: \max_t F_\beta(R, \{i : s_i \ge t\})

    From 0 to 1, higher is better; ``zero_division`` when there are no scores. It uses the labels to choose the threshold.

    >>> best_point_adjust_fbeta([0, 1, 1, 1, 0], [0.1, 0.2, 0.4, 0.3, 0.5])
    0.8571428571428571
    """
    return point_adjust_curve(real, scores, k=k, beta=beta, zero_division=zero_division, **options).best_f(zero_division)


def point_adjust_area(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""PA%K without a choice of K: the mean of F over all K from 0 to 100, exactly.

    .. math:: \frac{1}{100} \int_0^{100} F_\beta(K) \, dK

    F changes only where K passes the share of a real range that is predicted, so the integral is a sum over the real ranges. From 0 to
    1, higher is better; 0 when nothing is hit, nan when ``zero_division`` is nan and a side is empty.

    Half of a range of four points is enough for K below 50: F is 1 there, and 2/3 (precision 1, recall 1/2) beyond.

    >>> point_adjust_area([(0, 4)], [(0, 2)])
    0.8333333333333333

    Kim et al. (2022), section 4.
    """
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "point_adjust_area").rows("point-adjust")
    beta = checked_beta(beta)
    zero_division = checked_zero_division(zero_division)
    covered = overlaps_of(real_ranges, predicted_ranges).covered
    total, outside = int(real_ranges.lengths.sum()), int(predicted_ranges.lengths.sum()) - int(covered.sum())
    if not total or not outside + int(covered.sum()):
        return checked_f(share(0, outside + int(covered.sum()), zero_division), share(0, total, zero_division), beta)
    shares = covered / real_ranges.lengths
    order = np.argsort(shares, kind="stable")
    # K between the shares of two neighbors grants all ranges from the upper one on.
    granted_from = np.append(np.cumsum(real_ranges.lengths[order][::-1])[::-1], 0)
    counted_before = np.append(0, np.cumsum(covered[order]))
    hits = granted_from + counted_before
    widths = np.diff(np.concatenate(([0.0], shares[order], [1.0])))
    return float(widths @ f_scores(hits / (hits + outside), hits / total, beta))


def best_point_adjust_area(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    beta: float = 1.0,
    zero_division: float = 0.0,
    published: bool = False,
    **options: Unpack[CaseOptions],
) -> float:
    r"""PA%K without a choice of K or of a threshold: the mean over all K from 0 to 100 of the largest F over all thresholds, exactly.

    .. math:: \frac{1}{100} \int_0^{100} \max_t F_\beta(K, t) \, dK

    At a threshold F changes only where K passes the share of a real range that is predicted; the largest of these step functions is one
    too. From 0 to 1, higher is better; ``zero_division`` without scores. It uses the labels to choose the thresholds.

    :param published: the trapezoid rule over K = 0, 1, .., 100 instead, as published programs sample it.

    Below K = 50 two of the four points are enough, and F is 1; from there on the fourth threshold is the best, with one false point.

    >>> real, scores = [0, 1, 1, 1, 1, 0], [0.1, 0.9, 0.8, 0.2, 0.1, 0.5]
    >>> round(best_point_adjust_area(real, scores), 4)
    0.9222
    >>> round(best_point_adjust_area(real, scores, published=True), 4)
    0.9212

    Kim et al. (2022), section 4.
    """
    published = flag("published", published)
    case = Case.of_scores(real, scores, options, "best_point_adjust_area")
    ranked = Ranked.of(case)
    beta = checked_beta(beta)
    nothing = checked_zero_division(zero_division)
    if not len(ranked.thresholds):
        return nothing
    if not ranked.real_points:
        return point_adjust_curve(case, beta=beta, zero_division=zero_division).best_f(zero_division)
    steps = _Steps(ranked, beta)
    if published:
        best = np.array([steps.f(_points_needed(ranked.real, k), steps.everything).max() for k in range(101)])
        return float((best[1:] + best[:-1]).mean() / 2)
    return steps.area()


@dataclass(frozen=True, eq=False)
class _Window:
    """Neighboring thresholds, and how many points of each real range entered before them."""

    first: int
    last: int
    covered: NDArray[np.int64]


class _Steps:
    """F as a function of K, at the thresholds where an anomalous point enters: at others F is smaller than at the one before."""

    def __init__(self, ranked: Ranked, beta: float) -> None:
        self._beta, self._lengths, self._total = beta, ranked.real.lengths, ranked.real_points
        places = np.flatnonzero(ranked.entering >= 0)
        self._range = ranked.entering[places]
        # The place of a point among those of its range, as they enter.
        grouped = np.argsort(self._range, kind="stable")
        self._rank = np.empty(len(places), dtype=np.int64)
        self._rank[grouped] = np.arange(len(places)) - np.repeat(np.cumsum(self._lengths) - self._lengths, self._lengths)
        thresholds, entered = np.unique(np.searchsorted(ranked.ends, places), return_counts=True)
        self._end = np.cumsum(entered)
        self._false = ranked.false_points[thresholds]
        self.everything = _Window(0, len(thresholds), np.zeros(len(self._lengths), dtype=np.int64))

    def f(self, needed: NDArray[np.int64], window: _Window) -> NDArray[np.float64]:
        """F at the thresholds of the window, if this many points adjust each range."""
        start, own = self._start(window.first), slice(window.first, window.last)
        entering = slice(start, self._end[window.last - 1])
        before = np.where(window.covered >= needed, self._lengths, window.covered).sum()
        ranges, rank = self._range[entering], self._rank[entering]
        hits = before + np.cumsum(_brought(rank, needed[ranges], self._lengths[ranges]))[self._end[own] - start - 1]
        weight = self._beta**2
        return np.asarray((1.0 + weight) * hits / (weight * self._total + hits + self._false[own]))

    def area(self) -> float:
        """The integral over K, as a share, of the largest F. That falls with K and changes only where K is the share of a whole number of
        points of some range: halve the K between until both ends are equal, or neighbors."""
        lengths = np.unique(self._lengths).tolist()
        cuts = np.append(np.unique(np.concatenate([np.arange(length) / length for length in lengths])), 1.0)

        def f_after(cut: int, window: _Window) -> NDArray[np.float64]:
            between = (cuts[cut] + cuts[cut + 1]) / 2
            return self.f(np.floor(between * self._lengths).astype(np.int64) + 1, window)

        last, low = len(cuts) - 2, f_after(0, self.everything)
        least = float(f_after(last, self.everything).max())
        parts, waiting = [least * (1.0 - cuts[last])], [(0, last, low, least, self.everything)]
        while waiting:
            first, end, low, least, window = waiting.pop()
            most = float(low.max())
            if most == least or end - first <= 1:
                parts.append(most * (cuts[end] - cuts[first]))
                continue
            # Beyond `first` F is at most its value there, so intervals below the best at `end` can be skipped.
            low, window = self._narrowed(low, least, window)
            middle = (first + end) // 2
            there = f_after(middle, window)
            waiting += [(first, middle, low, float(there.max()), window), (middle, end, there, least, window)]
        return math.fsum(parts)

    def _narrowed(self, f: NDArray[np.float64], least: float, window: _Window) -> tuple[NDArray[np.float64], _Window]:
        possible = np.flatnonzero(f >= least)
        first, last = int(possible[0]), int(possible[-1]) + 1
        passed = self._range[self._start(window.first) : self._start(window.first + first)]
        covered = window.covered + np.bincount(passed, minlength=len(self._lengths)) if first else window.covered
        return f[first:last], _Window(window.first + first, window.first + last, covered)

    def _start(self, threshold: int) -> int:
        return int(self._end[threshold - 1]) if threshold else 0


def _points_needed(real: Ranges, k: float) -> NDArray[np.int64]:
    """The smallest number of predicted points that adjusts each range: the first whole number above k % of its length."""
    percent = number_between("k", k, 0, 100, "is the percentage of a range that must be exceeded")
    return np.asarray(np.floor(percent * real.lengths / 100.0), dtype=np.int64) + 1


def _adjusted(case: Case, k: float) -> tuple[int, int, int]:
    """Hits and predicted points after the adjustment, and real points."""
    real, predicted = case.rows("point-adjust")
    needed, covered = _points_needed(real, k), overlaps_of(real, predicted).covered
    hits = int(np.where(covered >= needed, real.lengths, covered).sum())
    return hits, hits + int(predicted.lengths.sum()) - int(covered.sum()), int(real.lengths.sum())


def _gains(ranked: Ranked, needed: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many hits each point brings when it enters."""
    lengths = ranked.real.lengths
    # The places of anomalous points in the order of scores, range by range.
    places = np.flatnonzero(ranked.entering >= 0)
    grouped = places[np.argsort(ranked.entering[places], kind="stable")]
    # A point's place in its group is how many of its range came before it.
    rank = np.arange(len(grouped)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    gains = np.zeros(len(ranked.order), dtype=np.int64)
    gains[grouped] = _brought(rank, np.repeat(needed, lengths), np.repeat(lengths, lengths))
    return gains


def _brought(rank: NDArray[np.int64], needed: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Before its range is adjusted, a point counts as one; the point that adjusts it adds all the rest, later ones add nothing."""
    missing = needed - 1 - rank
    return np.where(missing > 0, 1, np.where(missing == 0, lengths - needed + 1, 0))
