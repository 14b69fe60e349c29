"""Range-AUC and VUS: areas under ROC and PR curves with buffers around the real ranges, and their mean over buffer lengths.

Paparrizos et al. (VLDB 2022). Programs differ in what a buffer is; ``variant`` names the program. Read docs/metrics/vus.md first.
"""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import unknown_name
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import RangesLike
from rangewise.metrics.buffers import checked_buffer

Variant = Literal["tsb_ad", "paper", "timeeval"]
VARIANTS: dict[str, kernel.VolumeVariant] = {
    "tsb_ad": kernel.VolumeVariant.tsb_ad,
    "paper": kernel.VolumeVariant.paper,
    "timeeval": kernel.VolumeVariant.timeeval,
}


def vus_pr(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    buffer: int | None = None,
    variant: Variant = "tsb_ad",
    thresholds: Literal["all"] | int = "all",
    **options: Unpack[CaseOptions],
) -> float:
    r"""Volume under the PR surface: the mean of :func:`range_auc_pr` over all buffer lengths from 0 to ``buffer``.

    .. math:: VUS = \frac{1}{W + 1} \sum_{w=0}^{W} RangeAUC_w

    From 0 to 1, higher is better; 0 without real ranges, 1 for a perfect score also when everything is real. ``buffer`` is in points,
    the median length of the real ranges when it is left out (:func:`suggested_buffer`). All thresholds count; ``thresholds=250``
    samples them as published programs do, which is biased (docs/metrics/vus.md). A constant score has one threshold, at which everything
    is predicted; aeon and TimeEval, whose slopes ``variant="paper"`` and ``"timeeval"`` are, return 0 for it.

    >>> round(vus_pr([(3, 6)], [0, 0, 0.7, 0.9, 0.8, 0.1, 0, 0, 0.2, 0], buffer=4), 4)
    0.9148
    """
    return _areas(Case.of_scores(real, scores, options, "vus_pr"), buffer, variant, thresholds, from_zero=True)[1]


def vus_roc(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    buffer: int | None = None,
    variant: Variant = "tsb_ad",
    thresholds: Literal["all"] | int = "all",
    **options: Unpack[CaseOptions],
) -> float:
    r"""Volume under the ROC surface: the mean of :func:`range_auc_roc` over all buffer lengths from 0 to ``buffer``.

    .. math:: VUS = \frac{1}{W + 1} \sum_{w=0}^{W} RangeAUC_w

    From 0 to 1, higher is better; options and edges as in :func:`vus_pr`. A random score reaches more than 1/2, the more the longer the
    buffer is, so never compare it across buffers.

    >>> round(vus_roc([(3, 6)], [0, 0, 0.7, 0.9, 0.8, 0.1, 0, 0, 0.2, 0], buffer=4), 4)
    0.9411
    """
    return _areas(Case.of_scores(real, scores, options, "vus_roc"), buffer, variant, thresholds, from_zero=True)[0]


def range_auc_pr(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    buffer: int | None = None,
    variant: Variant = "tsb_ad",
    thresholds: Literal["all"] | int = "all",
    **options: Unpack[CaseOptions],
) -> float:
    r"""Area under precision over recall, with a buffer of ``buffer`` points around the real ranges, half on each side.

    A point at distance d from a real range counts as :math:`e = \sqrt{1 - d / w}` of a hit, up to :math:`d = \lfloor w / 2 \rfloor`, and
    whole when two ranges are that near. With T the predicted points in real ranges, B the sum of e over the other predicted points, N all
    predicted points, P all real points and E the share of the real ranges (joined where their buffers meet) that are hit,

    .. math:: Recall = E \min \left( \frac{T + B}{P + B / 2}, 1 \right), \quad Precision = \frac{T + B}{N}

    and the area is the sum over the steps of recall, each times the precision at its end. From 0 to 1, higher is better; options and
    edges as in :func:`vus_pr`.

    >>> round(range_auc_pr([(3, 6)], [0, 0, 0.7, 0.9, 0.8, 0.1, 0, 0, 0.2, 0], buffer=4), 4)
    0.955
    """
    return _areas(Case.of_scores(real, scores, options, "range_auc_pr"), buffer, variant, thresholds, from_zero=False)[1]


def range_auc_roc(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    buffer: int | None = None,
    variant: Variant = "tsb_ad",
    thresholds: Literal["all"] | int = "all",
    **options: Unpack[CaseOptions],
) -> float:
    r"""Area under recall over the rate of false alarms, with a buffer around the real ranges; terms as in :func:`range_auc_pr`.

    .. math:: FPR = \frac{N - T - B}{n - P - B / 2}

    by trapezoids from (0, 0) to (1, 1). From 0 to 1, higher is better; options and edges as in :func:`vus_pr`.

    >>> round(range_auc_roc([(3, 6)], [0, 0, 0.7, 0.9, 0.8, 0.1, 0, 0, 0.2, 0], buffer=4), 4)
    0.9698
    """
    return _areas(Case.of_scores(real, scores, options, "range_auc_roc"), buffer, variant, thresholds, from_zero=False)[0]


def volumes(case: Case, buffer: int | None, thresholds: Literal["all"] | int, *, any_buffer: bool = False) -> tuple[float, float]:
    """VUS-ROC and VUS-PR as TSB-AD defines them, in one go; its own rule may give a buffer that is longer than the series."""
    return _areas(case, buffer, "tsb_ad", thresholds, from_zero=True, any_buffer=any_buffer)


def _areas(
    case: Case, buffer: int | None, variant: str, thresholds: Literal["all"] | int, *, from_zero: bool, any_buffer: bool = False
) -> tuple[float, float]:
    """ROC and PR."""
    if variant not in VARIANTS:
        raise unknown_name("variant", variant, tuple(VARIANTS))
    last = checked_buffer("buffer", buffer, case.real)
    scores, places = case.kernel_scores()
    if not any_buffer and last > (case.length or 0):
        raise ValueError(f"buffer is at most the number of points, {case.length}; got {last}")
    picks = sampled_places(thresholds, len(scores))
    if not len(case.real):
        return 0.0, 0.0
    return kernel.volume(case.real._bounds, scores, VARIANTS[variant], 0 if from_zero else last, last, picks, **places)


def sampled_places(thresholds: Literal["all"] | int, points: int) -> NDArray[np.int64] | None:
    """The places in the sorted scores whose scores are the thresholds of a sample; None for all."""
    if isinstance(thresholds, str) and thresholds == "all":
        return None
    if isinstance(thresholds, (bool, str)) or not isinstance(thresholds, (int, np.integer)) or thresholds < 2:
        raise ValueError(f'thresholds is "all", or how many to sample, 2 or more (250 as published); got {thresholds!r}')
    return np.linspace(0, max(points - 1, 0), min(int(thresholds), max(points, 2))).astype(np.int64)
