"""Latency-aware F: a range counts from its first hit to its end.

Points before the first alarm are missed; points after it count as found, because the operator is looking by then. Doshi et al. (2022).
"""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import unknown_name
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import RangesLike
from rangewise.metrics.overlaps import overlaps_of
from rangewise.metrics.ranked import MetricCurve, Ranked
from rangewise.model.tally import checked_f, share

_PUBLISHED_ADDED = 0.00001


def latency_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    beta: float = 1.0,
    variant: Literal["exact", "published"] = "exact",
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""F of points, after each range counts as found from its first predicted point on.

    .. math:: TP = \sum_i \left( \max R_i - \min (R_i \cap P) + 1 \right), \quad FP = |P \setminus R|, \quad
        Precision = \frac{TP}{TP + FP}, \quad Recall = \frac{TP}{\sum_i |R_i|}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty. A later first hit is worth
    less, but a random detector that hits a long range early is given the rest of it: see the page. ``variant="published"`` adds 0.00001
    to both denominators, as the programs do whose numbers are published: a perfect prediction is then a little below 1.

    Hit at its third point of four, so two of four points count as found:

    >>> latency_fbeta([(0, 4)], [(2, 3)])
    0.6666666666666666

    Doshi, Abudalou and Yilmaz (2022), section 3.
    """
    if variant not in ("exact", "published"):
        raise unknown_name("variant", variant, ("exact", "published"))
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "latency_fbeta").rows("latency")
    met = overlaps_of(real_ranges, predicted_ranges)
    granted = int((real_ranges.stops - met.begin)[met.count > 0].sum())
    false_points = int(predicted_ranges.lengths.sum()) - int(met.covered.sum())
    counted, anomalous = granted + false_points, int(real_ranges.lengths.sum())
    added = _PUBLISHED_ADDED if variant == "published" else 0
    precision = share(granted, counted + added if counted else 0, zero_division)
    return checked_f(precision, share(granted, anomalous + added if anomalous else 0, zero_division), beta)


def latency_curve(
    real: RangesLike | Case, scores: Any = None, *, beta: float = 1.0, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> MetricCurve:
    """Latency-aware precision, recall and F at every threshold: one sort, then a sum.

    >>> latency_curve([0, 1, 1, 1, 0], [0.1, 0.2, 0.9, 0.3, 0.5]).recall.round(3).tolist()
    [0.667, 0.667, 0.667, 1.0, 1.0]
    """
    ranked = Ranked.of(Case.of_scores(real, scores, options, "latency_curve"))
    granted = ranked.summed(_gains(ranked))
    precision = granted / (granted + ranked.false_points)
    return ranked.curve(precision, ranked.share_of(granted, ranked.real_points, zero_division), beta)


def best_latency_fbeta(
    real: RangesLike | Case, scores: Any = None, *, beta: float = 1.0, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    r"""The largest latency-aware F over all thresholds (see :func:`latency_fbeta`).

    .. math:: \max_t F_\beta(R, \{i : s_i \ge t\})

    From 0 to 1, higher is better; ``zero_division`` without scores. It uses the labels to choose the threshold.

    >>> best_latency_fbeta([0, 1, 1, 1, 0], [0.1, 0.2, 0.9, 0.3, 0.5])
    0.8571428571428571
    """
    return latency_curve(real, scores, beta=beta, zero_division=zero_division, **options).best_f(zero_division)


def _gains(ranked: Ranked) -> NDArray[np.int64]:
    """How many points each point brings when it enters: those by which it moves the first hit of its range towards the front."""
    gains = np.zeros(len(ranked.order), dtype=np.int64)
    places = np.flatnonzero(ranked.entering >= 0)
    # From the last range to the first: every point lies before all points of the ranges already seen, so one running minimum serves all.
    grouped = places[np.argsort(-ranked.entering[places], kind="stable")]
    if len(grouped):
        points, ranges = ranked.order[grouped], ranked.entering[grouped]
        first_hits = np.minimum.accumulate(points)
        before = np.append(0, first_hits[:-1])
        new_range = np.append(True, ranges[1:] != ranges[:-1])
        before[new_range] = ranked.real.stops[ranges[new_range]]
        gains[grouped] = before - first_hits
    return gains
