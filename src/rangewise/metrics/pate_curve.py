"""PATE: precision and recall with weighted buffers before and after the real ranges, over all thresholds or of one prediction.

Ghorbani et al. (KDD 2024). Read the warning about ties in docs/metrics/pate.md first.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import product
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import flag, unknown_name, whole
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.metrics.buffers import checked_buffer
from rangewise.metrics.point_areas import Interpolation

_FEW_SCORES = 100
_PUBLISHED_THRESHOLDS = 250

_Integers = NDArray[np.int64]


def pate(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    early_buffer: int | None = None,
    delay_buffer: int | None = None,
    splits: int = 1,
    include_zero: bool = True,
    interpolation: Interpolation = "trapezoid",
    thresholds: Literal["all", "published"] = "all",
    **options: Unpack[CaseOptions],
) -> float:
    r"""Area under PATE's precision and recall, the mean over pairs of buffer lengths.

    With early buffer e and delay buffer d, a predicted point of a real range counts 1, one after it a weight that falls from its center
    to 0 at the end of the buffer, one before it the same when the range itself is hit. Missed points of a range that is hit cost less the
    later they are and the longer its first predicted run is (docs/metrics/pate.md has the formulas).

    .. math:: Precision = \frac{TP}{N}, \quad Recall = \frac{TP}{TP + FN}, \quad PATE = \frac{1}{|E||D|} \sum_{e, d} AUC_{e, d}

    The curve begins at (0, 1), leaves out thresholds where recall falls, and is joined by lines (``"trapezoid"``, as published) or by
    steps (``"step"``). Lines reward ties: a constant score gets more than a half, so fewer than 100 distinct scores give a warning.

    From 0 to 1, higher is better; 0 when nothing is real, 1 when everything is. Buffers are in points, the median length of the real
    ranges when left out, and end at the ends of the series; lengths are ``splits`` equal parts of them, and 0 unless ``include_zero``
    is False. All thresholds count; ``thresholds="published"`` uses the program's 250 percentiles.

    >>> scores = np.arange(200) % 7 + np.arange(200) / 1000 + (np.arange(200) // 50 == 1) * 5
    >>> round(pate([(50, 100)], scores, early_buffer=10, delay_buffer=10), 4)
    0.9077
    """
    case = Case.of_scores(real, scores, options, "pate")
    ranges, (values, places) = case.real, case.kernel_scores()
    if interpolation not in ("trapezoid", "step"):
        raise unknown_name("interpolation", interpolation, ("trapezoid", "step"))
    if thresholds not in ("all", "published"):
        raise unknown_name("thresholds", thresholds, ("all", "published"))
    pairs = _pairs(early_buffer, delay_buffer, splits, include_zero, ranges)
    if not len(ranges):
        return 0.0
    picks = _published_places(case) if thresholds == "published" else None
    areas = kernel.pate(ranges._bounds, values, *pairs, picks, interpolation == "step", False, **places)
    if interpolation == "trapezoid" and _has_few(values):
        warnings.warn(
            f"PATE rewards ties, and there are fewer than {_FEW_SCORES} distinct scores: a constant score gets more than 0.5; "
            'interpolation="step" does not',
            stacklevel=2,
        )
    return float(areas.mean())


def pate_f1(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    early_buffer: int | None = None,
    delay_buffer: int | None = None,
    splits: int = 1,
    include_zero: bool = True,
    **options: Unpack[CaseOptions],
) -> float:
    r"""F of PATE's precision and recall of one prediction, the mean over pairs of buffer lengths; terms and options as in :func:`pate`.

    .. math:: F_1 = \frac{1}{|E||D|} \sum_{e, d} \frac{2 P_{e, d} R_{e, d}}{P_{e, d} + R_{e, d}}

    From 0 to 1, higher is better; 0 when nothing is predicted or nothing is real. Buffers end at the ends of the series, so if both sides
    are ranges, ``length``, the number of points, is needed.

    >>> round(pate_f1([(4, 8)], [(5, 9)], early_buffer=2, delay_buffer=2, length=12), 4)
    0.7716
    """
    case = Case.of_labels(real, predicted, options, "pate_f1")
    ranges, predicted_ranges, _ = case.series("PATE's buffers end at the ends of the series")
    pairs = _pairs(early_buffer, delay_buffer, splits, include_zero, ranges)
    if not len(ranges) or not len(predicted_ranges):
        return 0.0
    labels, places = replace(case, scores=None).with_scores("pate_f1").kernel_scores()
    return float(kernel.pate(ranges._bounds, labels, *pairs, np.zeros(1, dtype=np.int64), False, True, **places).mean())


def _pairs(early: int | None, delay: int | None, splits: int, include_zero: bool, real: Ranges) -> tuple[_Integers, _Integers]:
    """Every pair of an early and a delay buffer."""
    parts, with_zero = whole("splits", splits, least=1), flag("include_zero", include_zero)
    lengths = []
    for name, buffer in (("early_buffer", early), ("delay_buffer", delay)):
        longest = checked_buffer(name, buffer, real)
        lengths.append(np.linspace(0 if with_zero else longest / parts, longest, parts + with_zero).astype(np.int64))
    pairs = np.array(list(product(*lengths)), dtype=np.int64)
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _published_places(case: Case) -> _Integers:
    """The places in the sorted scores where the published program's thresholds fall.

    It takes the distinct scores next to which the number of anomalous points changes, and 250 percentiles of those, which may lie between
    two scores. Points in buffers do not count as a change.
    """
    assert case.scores is not None
    scores, rows = case.counted_scores, case.counted
    if not np.isfinite(scores).all():
        raise ValueError('thresholds="published" uses percentiles of the scores, so they must be finite; thresholds="all" accepts any')
    order = np.argsort(scores, kind="stable")[::-1]
    ordered = scores[order].astype(np.float64)
    last_of_ties = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    labels = case.real.to_labels(len(case.scores))[slice(None) if rows is None else rows]
    hits = np.cumsum(labels[order].astype(np.int64))[last_of_ties]
    distinct = ordered[last_of_ties]
    if len(distinct) > 2:
        changes = np.diff(hits) != 0
        distinct = distinct[np.concatenate(([True], changes[:-1] | changes[1:], [True]))]
    wanted = np.percentile(distinct, np.linspace(100, 0, _PUBLISHED_THRESHOLDS))
    predicted = len(scores) - np.searchsorted(ordered[::-1], wanted, side="left")
    return np.maximum(predicted, 1).astype(np.int64) - 1


def _has_few(scores: NDArray[Any]) -> bool:
    """Whether there are fewer than 100 distinct scores; the first thousand nearly always decide."""
    return all(len(np.unique(some)) < _FEW_SCORES for some in (scores[: 10 * _FEW_SCORES], scores))
