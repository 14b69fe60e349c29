"""Point-adjust and PA%K: points, after whole real ranges are granted for a part of them.

Read the warning in docs/metrics/point_adjust.md first: with long anomalies a random detector scores high.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.metrics.overlaps import overlaps_of
from rangewise.metrics.ranked import MetricCurve, Ranked
from rangewise.metrics.shares import checked_f, number_between, share
from rangewise.model.tally import f_scores


@dataclass(frozen=True)
class _Counts:
    """Points after the adjustment."""

    hits: int
    predicted: int
    real: int


def point_adjust_precision(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    k: float = 0.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Share of the predicted points that are anomalous, after the adjustment.

    A real range of which more than ``k`` % of the points are predicted counts as predicted whole; ``k=0`` is point-adjust (any point
    will do), ``k=100`` changes nothing. Points are rows: sides that are times need a grid, a row every ``step`` over ``span``.

    .. math:: Precision = \frac{TP}{TP + FP}, \quad
        TP = \sum_i \begin{cases} |R_i| & |R_i \cap P| > \frac{k}{100} |R_i| \\ |R_i \cap P| & \text{else} \end{cases}

    From 0 to 1, higher is better; ``zero_division`` when no point is predicted.

    >>> point_adjust_precision([(0, 8)], [(7, 9)])
    0.8888888888888888

    Xu et al. (2018), section 4.2; Kim et al. (2022), equation 12.
    """
    counts = _adjusted(*Case.of_labels(real, predicted, options, "point_adjust_precision").rows("point-adjust"), k)
    return share(counts.hits, counts.predicted, zero_division)


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
    counts = _adjusted(*Case.of_labels(real, predicted, options, "point_adjust_recall").rows("point-adjust"), k)
    return share(counts.hits, counts.real, zero_division)


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
    counts = _adjusted(*Case.of_labels(real, predicted, options, "point_adjust_fbeta").rows("point-adjust"), k)
    return checked_f(share(counts.hits, counts.predicted, zero_division), share(counts.hits, counts.real, zero_division), beta)


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
    hits = ranked.summed(_gains(ranked, _points_needed(ranked.real, k), ranked.grouped()))
    precision = hits / (hits + ranked.false_points)
    found = ranked.curve(precision, ranked.share_of(hits, ranked.real_points, zero_division), beta)
    return PointAdjustCurve(found.thresholds, found.precision, found.recall, found.f, found.beta, float(k))


def best_point_adjust_f(
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

    >>> best_point_adjust_f([0, 1, 1, 1, 0], [0.1, 0.2, 0.4, 0.3, 0.5])
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

    Half of a range of four points is granted for K below 50: F is 1 there, and 2/3 (precision 1, recall 1/2) beyond.

    >>> point_adjust_area([(0, 4)], [(0, 2)])
    0.8333333333333333

    Kim et al. (2022), section 4.
    """
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "point_adjust_area").rows("point-adjust")
    checked_f(0.0, 0.0, beta)  # complains of a bad beta
    share(0, 0, zero_division)  # and of a bad zero_division, also where it is not needed
    covered = overlaps_of(real_ranges, predicted_ranges).covered
    total, outside = int(real_ranges.lengths.sum()), int(predicted_ranges.lengths.sum()) - int(covered.sum())
    if not total or not outside + int(covered.sum()):
        return checked_f(share(0, outside + int(covered.sum()), zero_division), share(0, total, zero_division), beta)
    shares = covered / real_ranges.lengths
    order = np.argsort(shares, kind="stable")
    # K between the shares of two neighbours grants all ranges from the upper one on.
    granted_from = np.append(np.cumsum(real_ranges.lengths[order][::-1])[::-1], 0)
    counted_before = np.append(0, np.cumsum(covered[order]))
    hits = granted_from + counted_before
    widths = np.diff(np.concatenate(([0.0], shares[order], [1.0])))
    return float(widths @ f_scores(hits / (hits + outside), hits / total, float(beta)))


def best_point_adjust_area(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    every: float = 1.0,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""PA%K without a choice of K or of a threshold: the largest F over all thresholds, its mean over K = 0, every, .., 100.

    .. math:: \frac{1}{100} \int_0^{100} \max_t F_\beta(K, t) \, dK

    by the trapezoid rule over K; exact over the thresholds, one sort for all K. From 0 to 1, higher is better; ``zero_division`` without
    scores. It uses the labels to choose the thresholds.

    >>> round(best_point_adjust_area([0, 1, 1, 1, 1, 0], [0.1, 0.9, 0.8, 0.2, 0.1, 0.5]), 4)
    0.9212

    Kim et al. (2022), section 4.
    """
    width = number_between("every", every, 0.01, 100, "is the distance of two K in percent")
    ranked = Ranked.of(Case.of_scores(real, scores, options, "best_point_adjust_area"))
    if not len(ranked.thresholds):
        return share(0, 0, zero_division)
    grouped, false_points = ranked.grouped(), ranked.false_points
    percents = np.append(np.arange(0.0, 100.0, width), 100.0)
    found = []
    for k in percents.tolist():
        hits = ranked.summed(_gains(ranked, _points_needed(ranked.real, k), grouped))
        recall = ranked.share_of(hits, ranked.real_points, zero_division)
        found.append(ranked.curve(hits / (hits + false_points), recall, beta).best_f(zero_division))
    best = np.array(found)
    return float((best[1:] + best[:-1]) / 2 @ np.diff(percents) / 100.0)


def _points_needed(real: Ranges, k: float) -> NDArray[np.int64]:
    """The smallest number of predicted points that grants each range: the first whole number above k % of its length."""
    percent = number_between("k", k, 0, 100, "is the percentage of a range that must be exceeded")
    return np.asarray(np.floor(percent * real.lengths / 100.0), dtype=np.int64) + 1


def _adjusted(real: Ranges, predicted: Ranges, k: float) -> _Counts:
    needed = _points_needed(real, k)
    covered = overlaps_of(real, predicted).covered
    hits = int(np.where(covered >= needed, real.lengths, covered).sum())
    outside = int(predicted.lengths.sum()) - int(covered.sum())
    return _Counts(hits, hits + outside, int(real.lengths.sum()))


def _gains(ranked: Ranked, needed: NDArray[np.int64], grouped: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many hits each point brings when it enters; ``grouped`` are the places of anomalous points, range by range."""
    lengths = ranked.real.lengths
    # A point's place in its group is how many of its range came before it.
    rank = np.arange(len(grouped)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    missing = np.repeat(needed, lengths) - 1 - rank
    gains = np.zeros(len(ranked.order), dtype=np.int64)
    # Before the range is granted a point counts for itself; the one that grants it brings all the rest; later ones nothing.
    gains[grouped] = np.where(missing > 0, 1, np.where(missing == 0, np.repeat(lengths - needed + 1, lengths), 0))
    return gains
