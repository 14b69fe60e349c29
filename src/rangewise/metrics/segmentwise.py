"""Segment-wise F: real ranges found against predicted ranges that find nothing.

Hundman et al. (2018) count a real range once, however many predictions overlap it, and every prediction without overlap as one false
alarm. :func:`rangewise.metrics.event_precision` differs: it counts predictions in numerator and denominator.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import RangesLike
from rangewise.metrics.overlaps import overlaps_of
from rangewise.model.tally import checked_f, share


def segment_precision(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    r"""Real ranges found, over themselves and the predicted ranges that find nothing.

    .. math:: Precision = \frac{TP}{TP + FP}, \quad
        TP = |\{R_i : R_i \cap P \neq \emptyset\}|, \quad FP = |\{P_j : P_j \cap R = \emptyset\}|

    From 0 to 1, higher is better; ``zero_division`` when nothing is predicted.

    Three predictions overlap one range, one overlaps nothing: 1 / (1 + 1); the precision of events is 3 / 4.

    >>> segment_precision([(2, 9)], [(2, 3), (4, 5), (6, 7), (20, 21)])
    0.5
    """
    found, false_alarms, _ = _counts(Case.of_labels(real, predicted, options, "segment_precision"))
    return share(found, found + false_alarms, zero_division)


def segment_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Weighted harmonic mean of :func:`segment_precision` and the share of real ranges that are found.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}, \quad Recall = \frac{TP}{N_r}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty. One prediction over the whole
    series scores 1.

    >>> segment_fbeta([(2, 9)], [(2, 3), (4, 5), (6, 7), (20, 21)])
    0.6666666666666666

    Hundman et al. (2018), section 4.3.
    """
    found, false_alarms, ranges = _counts(Case.of_labels(real, predicted, options, "segment_fbeta"))
    return checked_f(share(found, found + false_alarms, zero_division), share(found, ranges, zero_division), beta)


def _counts(case: Case) -> tuple[int, int, int]:
    """Real ranges found, predicted ranges that find nothing, all real ranges."""
    real_ranges, predicted_ranges = case.sides()
    found = int(np.count_nonzero(overlaps_of(real_ranges, predicted_ranges).count))
    met = int(np.count_nonzero(overlaps_of(predicted_ranges, real_ranges).count))
    return found, len(predicted_ranges) - met, len(real_ranges)
