"""Composite F: events for recall, points for precision.

Garg et al. (2021) count an event as found if any point of it is predicted, and weight false alarms by their length.
"""

from __future__ import annotations

from typing import Unpack

from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import RangesLike
from rangewise.metrics.events import event_recall
from rangewise.metrics.point import point_precision
from rangewise.model.tally import checked_f


def composite_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Weighted harmonic mean of the precision of points and the recall of events.

    .. math:: Precision = \frac{|P \cap R|}{|P|}, \quad Recall = \frac{|\{R_i : R_i \cap P \neq \emptyset\}|}{N_r}, \quad
        F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty.

    Both events are found, two of four predicted points are anomalous:

    >>> composite_fbeta([(2, 6), (10, 14)], [(0, 2), (5, 6), (13, 14)])
    0.6666666666666666

    At all thresholds it is the range model with ``alpha=1`` and predictions as points: see :func:`rangewise.metrics.best_composite_fbeta`.

    Garg et al. (2021), section III.
    """
    case = Case.of_labels(real, predicted, options, "composite_fbeta")
    case.rows("composite F")
    return checked_f(point_precision(case, zero_division=zero_division), event_recall(case, zero_division=zero_division), beta)
