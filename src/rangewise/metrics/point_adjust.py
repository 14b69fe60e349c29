"""Point-adjust and PA%K: points, after whole real ranges are granted for a part of them.

Read the warning in docs/metrics/point_adjust.md first: with long anomalies a random detector scores high.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.curve import check_no_nan, read_scores
from rangewise.metrics.overlaps import overlaps_of
from rangewise.metrics.shares import checked_f, number_between, share
from rangewise.model.tally import f_scores
from rangewise.ranges import Ranges, RangesLike, read_side, read_sides


@dataclass(frozen=True)
class _Counts:
    """Points after the adjustment."""

    hits: int
    predicted: int
    real: int


def point_adjust_precision(real: RangesLike, predicted: RangesLike, *, k: float = 0.0, zero_division: float = 0.0) -> float:
    r"""Share of the predicted points that are anomalous, after the adjustment.

    A real range of which more than ``k`` % of the points are predicted counts as predicted whole; ``k=0`` is point-adjust (any point
    will do), ``k=100`` changes nothing.

    .. math:: Precision = \frac{TP}{TP + FP}, \quad
        TP = \sum_i \begin{cases} |R_i| & |R_i \cap P| > \frac{k}{100} |R_i| \\ |R_i \cap P| & \text{else} \end{cases}

    From 0 to 1, higher is better; ``zero_division`` when no point is predicted.

    >>> point_adjust_precision([(0, 8)], [(7, 9)])
    0.8888888888888888

    Xu et al. (2018), section 4.2; Kim et al. (2022), equation 12.
    """
    counts = _adjusted(*read_sides(real, predicted), k)
    return share(counts.hits, counts.predicted, zero_division)


def point_adjust_recall(real: RangesLike, predicted: RangesLike, *, k: float = 0.0, zero_division: float = 0.0) -> float:
    r"""Share of the anomalous points that are predicted, after the adjustment (see :func:`point_adjust_precision`).

    .. math:: Recall = \frac{TP}{\sum_i |R_i|}

    From 0 to 1, higher is better; ``zero_division`` when no point is anomalous.

    >>> point_adjust_recall([(0, 8)], [(7, 9)]), point_adjust_recall([(0, 8)], [(7, 9)], k=20)
    (1.0, 0.125)
    """
    counts = _adjusted(*read_sides(real, predicted), k)
    return share(counts.hits, counts.real, zero_division)


def point_adjust_fbeta(real: RangesLike, predicted: RangesLike, *, k: float = 0.0, beta: float = 1.0, zero_division: float = 0.0) -> float:
    r"""Weighted harmonic mean of precision and recall after the adjustment (see :func:`point_adjust_precision`).

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty.

    >>> point_adjust_fbeta([(0, 8)], [(7, 9)])
    0.9411764705882353
    """
    counts = _adjusted(*read_sides(real, predicted), k)
    return checked_f(share(counts.hits, counts.predicted, zero_division), share(counts.hits, counts.real, zero_division), beta)


@dataclass(frozen=True)
class PointAdjustStep:
    """One threshold of a :class:`PointAdjustCurve`."""

    threshold: float
    precision: float
    recall: float
    f: float


@dataclass(frozen=True, eq=False)
class PointAdjustCurve:
    """Precision, recall and F after the adjustment at every distinct score, thresholds descending; arrays of equal length."""

    thresholds: NDArray[Any]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f: NDArray[np.float64]
    k: float
    beta: float

    def best(self) -> PointAdjustStep:
        """The threshold with the largest F, the highest of several. It is chosen on the labels: an upper bound, not a fair score."""
        if not len(self):
            raise ValueError("a curve without scores has no best threshold")
        at = int(np.argmax(np.nan_to_num(self.f, nan=-1.0)))
        return PointAdjustStep(*(float(array[at]) for array in (self.thresholds, self.precision, self.recall, self.f)))

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return f"PointAdjustCurve({len(self)} thresholds, k={self.k:g}, beta={self.beta:g})"


def point_adjust_curve(
    real: RangesLike, scores: ArrayLike | Any, *, k: float = 0.0, beta: float = 1.0, zero_division: float = 0.0
) -> PointAdjustCurve:
    """Point-adjust (``k=0``) or PA%K at every threshold, in one pass after a sort: O(n log n) for all of them.

    A point is predicted when its score is at or above the threshold; points of equal score enter together. Precision, recall and F as
    in :func:`point_adjust_precision`; recall is ``zero_division`` when no point is anomalous. Scores that are nan are an error.

    >>> curve = point_adjust_curve([0, 1, 1, 1, 0], [0.1, 0.2, 0.9, 0.3, 0.5])
    >>> curve.thresholds.tolist(), curve.recall.tolist()
    ([0.9, 0.5, 0.3, 0.2, 0.1], [1.0, 1.0, 1.0, 1.0, 1.0])
    >>> curve.best()
    PointAdjustStep(threshold=0.9, precision=1.0, recall=1.0, f=1.0)
    """
    values = read_scores(scores)
    check_no_nan(values)
    ranges, length = read_side(real, "real")
    if length is not None and length != len(values):
        raise ValueError(f"real has {length} labels and there are {len(values)} scores; give one score a label")
    if len(ranges) and ranges.stops[-1] > len(values):
        raise ValueError(f"real has a range that stops at {ranges.stops[-1]}, but there are only {len(values)} scores")
    checked_f(0.0, 0.0, beta)  # complains of a bad beta
    needed = _points_needed(ranges, k)

    order = np.argsort(values, kind="stable")[::-1]
    ordered = values[order]
    last_of_ties = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)])
    hits = np.cumsum(_gains(ranges, needed, order))[last_of_ties]
    inside = ranges.to_labels(len(values))[order]
    false_alarms = np.cumsum(inside == 0)[last_of_ties]
    real_points = int(ranges.lengths.sum())
    precision = hits / (hits + false_alarms)
    recall = hits / real_points if real_points else np.full(len(hits), share(0, 0, zero_division))
    return PointAdjustCurve(ordered[last_of_ties], precision, recall, f_scores(precision, recall, float(beta)), float(k), float(beta))


def best_point_adjust_f(
    real: RangesLike, scores: ArrayLike | Any, *, k: float = 0.0, beta: float = 1.0, zero_division: float = 0.0
) -> float:
    r"""The largest F after the adjustment over all thresholds (see :func:`point_adjust_curve`).

    .. math:: \max_t F_\beta(R, \{i : s_i \ge t\})

    From 0 to 1, higher is better; ``zero_division`` when there are no scores. It uses the labels to choose the threshold.

    >>> best_point_adjust_f([0, 1, 1, 1, 0], [0.1, 0.2, 0.4, 0.3, 0.5])
    0.8571428571428571
    """
    curve = point_adjust_curve(real, scores, k=k, beta=beta, zero_division=zero_division)
    return curve.best().f if len(curve) else share(0, 0, zero_division)


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


def _gains(real: Ranges, needed: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many hits each point brings when points are switched on in this order."""
    lengths = real.lengths
    range_of_point = np.full(len(order), -1, dtype=np.int64)
    range_of_point[real.points().starts] = np.repeat(np.arange(len(real)), lengths)
    entering = range_of_point[order]
    places = np.flatnonzero(entering >= 0)
    # Grouped by range, each group in the order of entering: a point's place in its group is how many came before it.
    grouped = places[np.argsort(entering[places], kind="stable")]
    rank = np.arange(len(grouped)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    missing = np.repeat(needed, lengths) - 1 - rank
    gains = np.zeros(len(order), dtype=np.int64)
    # Before the range is granted a point counts for itself; the one that grants it brings all the rest; later ones nothing.
    gains[grouped] = np.where(missing > 0, 1, np.where(missing == 0, np.repeat(lengths - needed + 1, lengths), 0))
    return gains
