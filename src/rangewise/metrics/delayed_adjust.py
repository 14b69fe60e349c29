"""Point-adjust with a deadline (k-delay): a range counts as found if one of its first k points is predicted, and as missed otherwise.

The rule of the AIOps challenge of 2018 and of Ren et al. (2019): a late alarm does not count.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from rangewise.checks import whole
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import RangesLike
from rangewise.metrics.overlaps import overlaps_of
from rangewise.metrics.ranked import MetricCurve, Ranked
from rangewise.model.tally import checked_f, share


def delayed_adjust_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    k: int = 10,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""F of points, after ranges hit within their first ``k`` points count as found completely and all others as missed.

    .. math:: TP = \sum_{i : R_i^{1..k} \cap P \neq \emptyset} |R_i|, \quad FP = |P \setminus R|, \quad
        Precision = \frac{TP}{TP + FP}, \quad Recall = \frac{TP}{\sum_i |R_i|}

    A prediction in a range after its first ``k`` points is neither right nor wrong. From 0 to 1, higher is better; 0 when both are
    0. Precision is ``zero_division`` when no range is found and no normal point is predicted, recall when nothing is real.

    The first range is hit at its second point, the second at its fourth:

    >>> delayed_adjust_fbeta([(0, 4), (10, 14)], [(1, 2), (13, 14)], k=3)
    0.6666666666666666

    Ren et al. (2019), section 5.
    """
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "delayed_adjust_fbeta").rows("point-adjust")
    met = overlaps_of(real_ranges, predicted_ranges)
    in_time = (met.count > 0) & (met.begin - real_ranges.starts < whole("k", k, least=1))
    granted = int(real_ranges.lengths[in_time].sum())
    false_points = int(predicted_ranges.lengths.sum()) - int(met.covered.sum())
    precision = share(granted, granted + false_points, zero_division)
    return checked_f(precision, share(granted, int(real_ranges.lengths.sum()), zero_division), beta)


def delayed_adjust_curve(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    k: int = 10,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> MetricCurve:
    """Precision, recall and F after the adjustment with a deadline, at every threshold: one sort, then a sum.

    >>> delayed_adjust_curve([0, 1, 1, 1, 0], [0.1, 0.2, 0.9, 0.3, 0.5], k=1).recall.tolist()
    [0.0, 0.0, 0.0, 1.0, 1.0]
    """
    points = whole("k", k, least=1)
    ranked = Ranked.of(Case.of_scores(real, scores, options, "delayed_adjust_curve"))
    share(0, 1, zero_division)  # an error for a bad one
    places = np.flatnonzero(ranked.entering >= 0)
    places = places[ranked.order[places] - ranked.real.starts[ranked.entering[places]] < points]
    # The first point in time that enters brings all of its range.
    ranges, first = np.unique(ranked.entering[places], return_index=True)
    gains = np.zeros(len(ranked.order), dtype=np.int64)
    gains[places[first]] = ranked.real.lengths[ranges]
    granted = ranked.summed(gains)
    counted = granted + ranked.false_points
    precision = np.full(len(granted), float(zero_division))
    np.divide(granted, counted, out=precision, where=counted > 0)
    return ranked.curve(precision, ranked.share_of(granted, ranked.real_points, zero_division), beta)


def best_delayed_adjust_fbeta(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    k: int = 10,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""The largest F of :func:`delayed_adjust_fbeta` over all thresholds.

    .. math:: \max_t F_\beta(R, \{i : s_i \ge t\})

    From 0 to 1, higher is better; ``zero_division`` without scores. It uses the labels to choose the threshold.

    >>> best_delayed_adjust_fbeta([0, 1, 1, 1, 0], [0.1, 0.2, 0.9, 0.3, 0.5], k=1)
    0.8571428571428571
    """
    return delayed_adjust_curve(real, scores, k=k, beta=beta, zero_division=zero_division, **options).best_f(zero_division)
