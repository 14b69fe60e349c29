"""Classical point-wise precision, recall and F: the range model with every point as a separate range.

There is no separate implementation: the paper's model subsumes the classical one (Tatbul et al. 2018, end of section 3.3), and the
tests compare both with sklearn's.
"""

from __future__ import annotations

from typing import Unpack

from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import RangesLike
from rangewise.model.model import score


def point_precision(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    r"""Share of the predicted points that are anomalous.

    .. math:: Precision = \frac{TP}{TP + FP}

    From 0 to 1, higher is better; ``zero_division`` when no point is predicted.

    >>> point_precision([0, 1, 1, 0], [0, 0, 1, 1])
    0.5
    """
    return score(Case.of_labels(real, predicted, options, "point_precision"), as_points="both", zero_division=zero_division).precision


def point_recall(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    r"""Share of the anomalous points that are predicted.

    .. math:: Recall = \frac{TP}{TP + FN}

    From 0 to 1, higher is better; ``zero_division`` when no point is anomalous.

    >>> point_recall([0, 1, 1, 0], [0, 0, 1, 1])
    0.5
    """
    return score(Case.of_labels(real, predicted, options, "point_recall"), as_points="both", zero_division=zero_division).recall


def point_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Weighted harmonic mean of the classical precision and recall.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty.

    >>> point_fbeta([0, 1, 1, 0], [0, 0, 1, 1], beta=2)
    0.5
    """
    return score(Case.of_labels(real, predicted, options, "point_fbeta"), as_points="both", beta=beta, zero_division=zero_division).f
