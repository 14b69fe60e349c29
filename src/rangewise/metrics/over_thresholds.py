"""The range model over all thresholds of a detector's scores, as one number."""

from __future__ import annotations

from typing import Any, Unpack

from rangewise.curve import Curve
from rangewise.inputs.case import Case, split_options
from rangewise.inputs.ranges import RangesLike
from rangewise.model.model import RangeModel, ScoreOptions


def range_average_precision(real: RangesLike | Case, scores: Any = None, **options: Unpack[ScoreOptions]) -> float:
    r"""Area under the interpolated precision of the range model; ``options`` are those of :func:`rangewise.score`.

    .. math:: AP = \sum_k (r_k - r_{k-1}) \max \{ p_i : r_i \ge r_k \}

    over the distinct recalls :math:`r_1 < r_2 < \dots` of all thresholds, with :math:`r_0 = 0`. From 0 to 1, higher is better; 0 without
    scores, ``zero_division`` decides without real ranges.

    >>> range_average_precision([(1, 3)], [0.1, 0.9, 0.3, 0.5])
    0.8333333333333333
    """
    # Adding up the steps may pass 1 by a rounding error.
    return min(_curve(real, scores, options).average_precision, 1.0)


def best_range_fbeta(real: RangesLike | Case, scores: Any = None, **options: Unpack[ScoreOptions]) -> float:
    r"""The largest F of the range model over all thresholds; ``options`` are those of :func:`rangewise.score`.

    .. math:: \max_t F_\beta(R, \{i : s_i \ge t\})

    From 0 to 1, higher is better; 0 without scores. It uses the labels to choose the threshold: an upper bound, not a fair score.

    >>> best_range_fbeta([(1, 3)], [0.1, 0.9, 0.8, 0.3])
    1.0
    """
    curve = _curve(real, scores, options)
    return curve.best(warn=False).score.f if len(curve) else 0.0


def _curve(real: RangesLike | Case, scores: Any, options: ScoreOptions) -> Curve:
    settings: dict[str, Any] = {**options}
    inputs = split_options(settings)
    return RangeModel(**settings).curve(real, scores, **inputs)
