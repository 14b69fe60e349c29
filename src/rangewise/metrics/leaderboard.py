"""The nine columns of the TSB-AD leaderboard in one call, exact or as its program publishes them."""

from __future__ import annotations

import math
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.metrics.affiliations import NO_IGNORED_TIME, affiliation, best_affiliation_fbeta
from rangewise.metrics.buffers import tsb_ad_buffer
from rangewise.metrics.over_thresholds import best_range_fbeta
from rangewise.metrics.overlaps import overlaps_of
from rangewise.metrics.point_adjust import best_point_adjust_fbeta
from rangewise.metrics.point_areas import auc_pr, auc_roc, best_point_fbeta
from rangewise.metrics.volumes import volumes
from rangewise.model.model import RangeModel, range_fbeta

_SAMPLED_AREA, _SAMPLED_BEST = 250, 100
_ALMOST_NOTHING = 1e-15

_RANGE_BASED: dict[str, Any] = {"alpha": 0.2, "cardinality": "reciprocal"}


def best_composite_fbeta(real: RangesLike | Case, scores: Any = None, *, beta: float = 1.0, **options: Unpack[CaseOptions]) -> float:
    r"""The largest F of event recall and point precision over all thresholds; TSB-AD calls it Event-based-F1.

    .. math:: \max_t F_\beta \left( \frac{TP_t}{N_t}, \frac{|\{k : R_k \cap P_t \ne \emptyset\}|}{N_r} \right)

    From 0 to 1, higher is better; 0 when nothing is real. It uses the labels to choose the threshold: an upper bound, not a fair score.

    >>> round(best_composite_fbeta([(1, 4), (6, 7)], [0.1, 0.9, 0.2, 0.2, 0.1, 0.5, 0.4, 0.1]), 4)
    0.8889
    """
    return best_range_fbeta(real, scores, alpha=1.0, as_points="predicted", beta=beta, **options)


def best_tsb_range_f1(real: RangesLike | Case, scores: Any = None, **options: Unpack[CaseOptions]) -> float:
    r"""The largest F of the range model with :math:`\alpha = 0.2` and cardinality :math:`1/x`; TSB-AD calls it R-based-F1.

    .. math:: \max_t F_1(R, \{i : s_i \ge t\})

    From 0 to 1, higher is better; 0 when nothing is real. It uses the labels to choose the threshold: an upper bound, not a fair score.

    >>> round(best_tsb_range_f1([(1, 4), (6, 7)], [0.1, 0.9, 0.2, 0.2, 0.1, 0.5, 0.4, 0.1]), 4)
    0.8571
    """
    return best_range_fbeta(real, scores, **_RANGE_BASED, **options)


def tsb_ad(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    buffer: int | Literal["tsb-ad"] | None = None,
    values: Any = None,
    exact: bool = True,
    **options: Unpack[CaseOptions],
) -> dict[str, float]:
    """The nine columns of the TSB-AD leaderboard, under its own names.

    Each from 0 to 1, higher is better; 0 when nothing is real. ``buffer`` is the longest buffer of VUS, the median length of the real
    ranges when left out; ``buffer="tsb-ad"`` is the leaderboard's rule (:func:`tsb_ad_buffer`) for the ``values`` of the series.
    ``exact=True`` uses all thresholds everywhere. ``exact=False`` gives the published numbers, including errors: VUS at 250 thresholds, the
    last five at others (see docs/metrics/tsb_ad.md); Affiliation-F is nan for a constant score then.

    >>> columns = tsb_ad([(3, 6)], [0, 0, 0.7, 0.9, 0.8, 0.1, 0, 0, 0.2, 0], buffer=4)
    >>> {name: round(value, 3) for name, value in columns.items()}
    {'AUC-PR': 0.867, 'AUC-ROC': 0.905, 'VUS-PR': 0.915, 'VUS-ROC': 0.941, 'Standard-F1': 0.8, 'PA-F1': 1.0,
     'Event-based-F1': 1.0, 'R-based-F1': 0.846, 'Affiliation-F': 0.983}
    """
    case = Case.of_scores(real, scores, options, "tsb_ad", ignore=NO_IGNORED_TIME)
    assert case.scores is not None
    points = _buffer(buffer, values, len(case.scores))
    roc, pr = volumes(case, points, "all" if exact else _SAMPLED_AREA, any_buffer=isinstance(buffer, str))
    columns = {"AUC-PR": auc_pr(case), "AUC-ROC": auc_roc(case), "VUS-PR": pr, "VUS-ROC": roc}
    if not exact:
        return columns | _published_best(case.real, case.scores)
    return columns | {
        "Standard-F1": best_point_fbeta(case),
        "PA-F1": best_point_adjust_fbeta(case),
        "Event-based-F1": best_composite_fbeta(case),
        "R-based-F1": best_tsb_range_f1(case),
        "Affiliation-F": best_affiliation_fbeta(case),
    }


def _buffer(buffer: int | str | None, values: Any, points: int) -> int | None:
    if not isinstance(buffer, str):
        if values is not None:
            raise ValueError('values are used only by buffer="tsb-ad", which estimates their period; drop them')
        return buffer
    if buffer != "tsb-ad":
        raise ValueError(f'buffer is a number of points, "tsb-ad" or None; got {buffer!r}')
    if values is None:
        raise ValueError('buffer="tsb-ad" looks for the period of the series; give its values with values=')
    if len(values) != points:
        raise ValueError(f"values and scores are of the same points; got {len(values)} values and {points} scores")
    return tsb_ad_buffer(values)


def _published_best(real: Ranges, scores: NDArray[Any]) -> dict[str, float]:
    """The best F of each kind as published: over all thresholds for points, else over 100 levels, predicted *above* them."""
    names = ("Standard-F1", "PA-F1", "Event-based-F1", "R-based-F1", "Affiliation-F")
    if not len(real):
        return dict.fromkeys(names, 0.0)
    if not np.isfinite(scores).all():
        raise ValueError(
            "exact=False uses levels between the lowest and the highest score, so scores must be finite; exact=True accepts any"
        )
    labels = real.to_labels(len(scores))
    adjusted, composite, range_based, affiliated = [], [], [], []
    for level in np.linspace(scores.min(), scores.max(), _SAMPLED_BEST):
        predicted = scores > level
        ranges = Ranges.from_labels(predicted)
        adjusted.append(_published_adjusted(real, predicted, ranges))
        composite.append(_published_composite(real, predicted, labels))
        range_based.append(range_fbeta(real, ranges, **_RANGE_BASED))
        near = affiliation(real, ranges, length=len(scores), zero_division=math.nan)
        affiliated.append(_nearly_f(near.precision, near.recall))
    # Python's max keeps a nan that comes first and passes over later ones, as the published numbers do.
    return dict(zip(names, (_published_point_f(real, scores), *map(max, (adjusted, composite, range_based, affiliated))), strict=True))


def _nearly_f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall + _ALMOST_NOTHING)


def _published_point_f(real: Ranges, scores: NDArray[Any]) -> float:
    """With 0.00001 in the denominator, which keeps a perfect score below 1."""
    curve = RangeModel(as_points="both").curve(real, scores)
    return float(np.max(2 * curve.precision * curve.recall / (curve.precision + curve.recall + 0.00001)))


def _published_adjusted(real: Ranges, predicted: NDArray[np.bool_], ranges: Ranges) -> float:
    """Point-adjust never adjusts the first point of the series."""
    hits = int(real.lengths[overlaps_of(real, ranges).covered > 0].sum())
    if real.starts[0] == 0 and not predicted[0] and predicted[: real.stops[0]].any():
        hits -= 1
    outside = int(predicted.sum()) - int(overlaps_of(real, ranges).covered.sum())
    return 2 * hits / (hits + outside + int(real.lengths.sum()))


def _published_composite(real: Ranges, predicted: NDArray[np.bool_], labels: NDArray[Any]) -> float:
    """The last event ends one point early if the series ends inside it."""
    stops = real.stops.copy()
    if stops[-1] == len(predicted):
        stops[-1] -= 1
    before = np.concatenate(([0], np.cumsum(predicted)))
    recall = float(np.mean(before[stops] > before[real.starts]))
    return _nearly_f(int(predicted[labels == 1].sum()) / max(int(before[-1]), 1), recall)
