"""The classical curves of points: areas and the best F over all thresholds. Points with equal scores enter together."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from rangewise import kernel
from rangewise.checks import checked_beta, unknown_name
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import RangesLike

Interpolation = Literal["step", "trapezoid"]


def auc_roc(real: RangesLike | Case, scores: Any = None, **options: Unpack[CaseOptions]) -> float:
    r"""Area under the ROC curve of points: the probability that an anomalous point scores higher than a normal one.

    .. math:: AUC = \Pr[s^+ > s^-] + \tfrac{1}{2} \Pr[s^+ = s^-]

    From 0 to 1, higher is better, 1/2 is chance; 0 when nothing is real, 1 when everything is.

    >>> auc_roc([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4])
    0.875
    """
    return _areas(Case.of_scores(real, scores, options, "auc_roc"))[0]


def auc_pr(real: RangesLike | Case, scores: Any = None, *, interpolation: Interpolation = "step", **options: Unpack[CaseOptions]) -> float:
    r"""Area under precision over recall of points, also called average precision.

    .. math:: AP = \sum_k (r_k - r_{k-1}) \, p_k

    over the distinct scores from the highest down. From 0 to 1, higher is better, the share of real points is chance; 0 when nothing is
    real, 1 when everything is. ``interpolation="trapezoid"`` joins the points of the curve from (0, 1) by lines, as some programs do:
    that rewards ties, and a constant score gets more than a half.

    >>> round(auc_pr([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4]), 4)
    0.8333
    >>> auc_pr([0, 1, 1, 0], [0, 0, 0, 0]), auc_pr([0, 1, 1, 0], [0, 0, 0, 0], interpolation="trapezoid")
    (0.5, 0.75)
    """
    if interpolation not in ("step", "trapezoid"):
        raise unknown_name("interpolation", interpolation, ("step", "trapezoid"))
    return _areas(Case.of_scores(real, scores, options, "auc_pr"))[1 if interpolation == "step" else 2]


def best_point_fbeta(real: RangesLike | Case, scores: Any = None, *, beta: float = 1.0, **options: Unpack[CaseOptions]) -> float:
    r"""The largest F of points over all thresholds.

    .. math:: \max_t F_\beta(R, \{i : s_i \ge t\})

    From 0 to 1, higher is better; 0 when nothing is real. It uses the labels to choose the threshold: an upper bound, not a fair score.

    >>> best_point_fbeta([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4])
    0.8
    """
    beta = checked_beta(beta)
    return _areas(Case.of_scores(real, scores, options, "best_point_fbeta"), beta)[3]


def _areas(case: Case, beta: float = 1.0) -> tuple[float, float, float, float]:
    """ROC area, PR area by steps and by trapezoids, and the largest F."""
    if not len(case.real):
        return 0.0, 0.0, 0.0, 0.0
    scores, places = case.kernel_scores()
    return kernel.point_areas(case.real._bounds, scores, beta, **places)
