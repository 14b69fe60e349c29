"""Time-tolerant precision, recall and F of points: a near miss is correct.

A predicted point is correct if an anomalous one lies within ``tolerance`` points of it; an anomalous point is found if a predicted
one does. Scharwaechter and Mueller (2020) test the significance of such counts; Sorbo and Ruocco (2024) discuss them.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import whole
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.metrics.overlaps import overlaps_of
from rangewise.metrics.ranked import MetricCurve, Ranked
from rangewise.model.tally import checked_f, share


def tolerant_precision(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    tolerance: int = 10,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Share of the predicted points that lie within ``tolerance`` points of an anomalous one.

    .. math:: Precision = \frac{|\{p \in P : \min_{r \in R} |p - r| \le tolerance\}|}{|P|}

    From 0 to 1, higher is better; ``zero_division`` when nothing is predicted.

    >>> tolerant_precision([(5, 7)], [(2, 4), (8, 9)], tolerance=2)
    0.6666666666666666
    """
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "tolerant_precision").rows("tolerance")
    return _near(predicted_ranges, real_ranges, whole("tolerance", tolerance, least=0), zero_division)


def tolerant_recall(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    tolerance: int = 10,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Share of the anomalous points that lie within ``tolerance`` points of a predicted one.

    .. math:: Recall = \frac{|\{r \in R : \min_{p \in P} |p - r| \le tolerance\}|}{|R|}

    From 0 to 1, higher is better; ``zero_division`` when nothing is real.

    >>> tolerant_recall([(5, 9)], [(2, 4)], tolerance=3)
    0.5
    """
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "tolerant_recall").rows("tolerance")
    return _near(real_ranges, predicted_ranges, whole("tolerance", tolerance, least=0), zero_division)


def tolerant_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    tolerance: int = 10,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Weighted harmonic mean of :func:`tolerant_precision` and :func:`tolerant_recall`.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty. ``tolerance=0`` is the
    classical F of points.

    >>> tolerant_fbeta([(5, 9)], [(2, 4)], tolerance=3)
    0.6666666666666666
    """
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "tolerant_fbeta").rows("tolerance")
    points = whole("tolerance", tolerance, least=0)
    precision, recall = (
        _near(own, other, points, zero_division) for own, other in ((predicted_ranges, real_ranges), (real_ranges, predicted_ranges))
    )
    return checked_f(precision, recall, beta)


def tolerant_curve(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    tolerance: int = 10,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> MetricCurve:
    """The tolerant precision, recall and F at every threshold: one sort, and a sliding maximum.

    An anomalous point is found from the threshold on that is the largest score within its tolerance; which predicted points are right
    does not depend on the threshold. Recall is ``zero_division`` when nothing is real.

    >>> curve = tolerant_curve([0, 0, 1, 1, 0], [0.1, 0.9, 0.2, 0.3, 0.4], tolerance=1)
    >>> curve.precision.tolist(), curve.recall.tolist()
    ([1.0, 1.0, 1.0, 1.0, 0.8], [0.5, 1.0, 1.0, 1.0, 1.0])
    """
    points = whole("tolerance", tolerance, least=0)
    ranked = Ranked.of(Case.of_scores(real, scores, options, "tolerant_curve"))
    labels = _dilated(ranked.real, points, ranked.length).to_labels(ranked.length)
    precision = ranked.summed(labels[ranked.order].astype(np.int64)) / ranked.predicted
    # The threshold at which each point enters; ignored ones never do.
    step = np.full(ranked.length, len(ranked.ends), dtype=np.int64)
    step[ranked.order] = np.searchsorted(ranked.ends, np.arange(len(ranked.order)))
    found_at = _sliding_minimum(step, points)[ranked.real.points().starts]
    found = np.cumsum(np.bincount(found_at, minlength=len(ranked.ends))[: len(ranked.ends)])
    return ranked.curve(precision, ranked.share_of(found, ranked.real_points, zero_division), beta)


def best_tolerant_fbeta(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    tolerance: int = 10,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""The largest time-tolerant F over all thresholds (see :func:`tolerant_fbeta`).

    .. math:: \max_t F_\beta(R, \{i : s_i \ge t\})

    From 0 to 1, higher is better; ``zero_division`` without scores. It uses the labels to choose the threshold.

    >>> best_tolerant_fbeta([0, 0, 1, 1, 0], [0.1, 0.9, 0.2, 0.3, 0.4], tolerance=1)
    1.0
    """
    return tolerant_curve(real, scores, tolerance=tolerance, beta=beta, zero_division=zero_division, **options).best_f(zero_division)


def _near(own: Ranges, other: Ranges, tolerance: int, zero_division: float) -> float:
    """Share of one side's points within the tolerance of the other side."""
    last = int(own.stops[-1]) if len(own) else 0
    covered = int(overlaps_of(own, _dilated(other, tolerance, last)).covered.sum())
    return share(covered, int(own.lengths.sum()), zero_division)


def _dilated(ranges: Ranges, tolerance: int, length: int) -> Ranges:
    """The ranges extended by the tolerance at both ends, clipped to 0 and ``length``, and joined if they then touch."""
    tolerance = min(tolerance, length + (int(ranges.stops[-1]) if len(ranges) else 0))  # no sum beyond 64 bits
    starts, stops = np.maximum(ranges.starts - tolerance, 0), np.minimum(ranges.stops + tolerance, length)
    inside = starts < stops
    starts, stops = starts[inside], stops[inside]
    if not len(starts):
        return Ranges()
    apart = starts[1:] > stops[:-1]
    return Ranges(np.column_stack((starts[np.append(True, apart)], stops[np.append(apart, True)])))


def _sliding_minimum(values: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
    """The smallest value within ``reach`` places of each, in O(n) for any reach: minima from both ends of blocks."""
    length, reach = len(values), min(reach, max(len(values) - 1, 0))
    if not reach:
        return values
    width = 2 * reach + 1
    largest = np.iinfo(np.int64).max
    padded = np.full(-(-(length + 2 * reach) // width) * width, largest)
    padded[reach : reach + length] = values
    blocks = padded.reshape(-1, width)
    from_front = np.minimum.accumulate(blocks, axis=1).ravel()
    from_back = np.minimum.accumulate(blocks[:, ::-1], axis=1)[:, ::-1].ravel()
    # A window of one block's width begins in one block and ends in the next (or is a block).
    return np.minimum(from_back[:length], from_front[width - 1 : width - 1 + length])
