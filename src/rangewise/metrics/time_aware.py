"""TaPR and eTaPR: detection and share, with thresholds on both.

Hwang et al. (CIKM 2019; SAC 2022) for attacks on control systems: a range is detected if enough of it is covered, a prediction is
correct if enough of it lies in ranges, and in eTaPR the two sides prune each other. After a range, ``delta`` adds an ambiguous zone
in which predictions still count, with decreasing weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number_between, whole
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.metrics.overlaps import overlaps_of
from rangewise.model.tally import checked_f, share

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EnhancedTimeAware:
    """eTaPR's precision, recall and F, and their parts: the share of ranges detected, and how much of the detected was covered."""

    precision: float
    recall: float
    f: float
    precision_detection: float
    precision_portion: float
    recall_detection: float
    recall_portion: float


def etapr(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    theta_p: float = 0.5,
    theta_r: float = 0.1,
    delta: float = 0.0,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> EnhancedTimeAware:
    r"""Enhanced time-aware precision and recall, with their parts.

    With the overlap :math:`O_{kj}` of real range k and prediction j, rows whose sum is positive but below ``theta_r`` of the range's
    length are set to 0, then columns whose sum is below ``theta_p`` of the prediction's, until nothing changes. Then

    .. math::
        Recall = \frac{1}{N_r} \sum_k [r_k \ge \theta_r] \frac{1 + \min(1, r_k)}{2}, \quad r_k = \frac{\sum_j O_{kj}}{|R_k|}

        Precision = \frac{\sum_j w_j [c_j \ge \theta_p] (1 + c_j) / 2}{\sum_j w_j}, \quad c_j = \frac{\sum_k O_{kj}}{|P_j|}, \;
        w_j = \sqrt{|P_j|}

    ``delta`` opens a zone of ``int(delta * (|R_k| - 1)) + 1`` points after each range whose predicted points add the weight
    :math:`1 / (1 + e^x)`, x from -6 to 6. From 0 to 1, higher is better; precision is ``zero_division`` when nothing is predicted,
    recall when nothing is real. A theta of 0 counts everything as detected.

    >>> result = etapr([(6, 9), (37, 42)], [(38, 42)])
    >>> result.precision, result.recall, result.recall_detection, result.recall_portion
    (1.0, 0.45, 0.5, 0.4)

    Hwang et al. (2022). The authors' program has theta_p 0.7 as default, its documentation 0.5: print which one you used.
    """
    theta_p = number_between("theta_p", theta_p, 0, 1, "is the share of a prediction that must be right")
    theta_r = number_between("theta_r", theta_r, 0, 1, "is the share of a range that must be covered")
    delta = number_between("delta", delta, 0, np.inf, "is the length of the zone after a range, in lengths of the range")
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "etapr").sides()
    zones = np.asarray(np.minimum(delta * (real_ranges.lengths - 1), 2.0**62), dtype=np.int64)
    pairs = _pruned(_overlaps(real_ranges, predicted_ranges, zones), real_ranges, predicted_ranges, theta_p, theta_r)
    covered = pairs.by_real(len(real_ranges)) / real_ranges.lengths
    right = pairs.by_predicted(len(predicted_ranges)) / predicted_ranges.lengths
    detected, accepted = covered >= theta_r, right >= theta_p
    weights = np.sqrt(predicted_ranges.lengths)
    all_weight = float(weights.sum())
    recall_detection = share(int(detected.sum()), len(real_ranges), zero_division)
    recall_portion = share(float(np.minimum(covered, 1.0)[detected].sum()), len(real_ranges), zero_division)
    precision_detection = share(float(weights[accepted].sum()), all_weight, zero_division)
    precision_portion = share(float((weights * right)[accepted].sum()), all_weight, zero_division)
    precision, recall = (precision_detection + precision_portion) / 2, (recall_detection + recall_portion) / 2
    return EnhancedTimeAware(
        precision, recall, checked_f(precision, recall, beta), precision_detection, precision_portion, recall_detection, recall_portion
    )


def etapr_precision(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    theta_p: float = 0.5,
    theta_r: float = 0.1,
    delta: float = 0.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    """eTaPR's precision: how many predictions are correct, and to what extent; formula in :func:`etapr`.

    From 0 to 1, higher is better; ``zero_division`` when nothing is predicted.

    >>> etapr_precision([(0, 10)], [(0, 8), (20, 22)])
    0.6666666666666666
    """
    return etapr(real, predicted, theta_p=theta_p, theta_r=theta_r, delta=delta, zero_division=zero_division, **options).precision


def etapr_recall(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    theta_p: float = 0.5,
    theta_r: float = 0.1,
    delta: float = 0.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    """eTaPR's recall: how many ranges are detected, and how much of them is covered; formula in :func:`etapr`.

    From 0 to 1, higher is better; ``zero_division`` when nothing is real.

    >>> etapr_recall([(0, 10)], [(0, 8), (20, 22)])
    0.9
    """
    return etapr(real, predicted, theta_p=theta_p, theta_r=theta_r, delta=delta, zero_division=zero_division, **options).recall


def etapr_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    theta_p: float = 0.5,
    theta_r: float = 0.1,
    delta: float = 0.0,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Weighted harmonic mean of eTaPR's precision and recall; formula in :func:`etapr`.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty.

    >>> round(etapr_fbeta([(0, 10)], [(0, 8), (20, 22)]), 4)
    0.766
    """
    return etapr(real, predicted, theta_p=theta_p, theta_r=theta_r, delta=delta, beta=beta, zero_division=zero_division, **options).f


def tapr_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    alpha: float = 0.5,
    delta: int = 0,
    theta: float = 0.5,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""F of time-series aware precision and recall, the first of the two models.

    .. math::
        Recall = \alpha \frac{|\{k : r_k \ge \theta\}|}{N_r} + (1 - \alpha) \frac{1}{N_r} \sum_k \min(1, r_k), \quad
        r_k = \frac{\sum_j O_{kj}}{|R_k|}

    and precision the same over the predictions, with :math:`c_j = \sum_k O_{kj} / |P_j|`. ``delta`` is the length of the zone after a
    range in points (0: none); ``theta`` what counts as detected. From 0 to 1, higher is better; 0 when both are 0, nan when
    ``zero_division`` is nan and a side is empty.

    Half of the range is covered, which is detected; the prediction lies in it:

    >>> round(tapr_fbeta([(0, 10)], [(0, 5)]), 4)
    0.8571

    Hwang et al. (2019).
    """
    alpha = number_between("alpha", alpha, 0, 1, "weighs detection against portion")
    theta = number_between("theta", theta, 0, 1, "is the share that counts as detected")
    zone = whole("delta", delta, least=0)
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "tapr_fbeta").sides()
    pairs = _overlaps(real_ranges, predicted_ranges, np.full(len(real_ranges), zone))

    def mean(sums: _Floats, own: Ranges) -> float:
        shares = np.minimum(sums / own.lengths, 1.0)
        return share(float((alpha * (shares >= theta) + (1 - alpha) * shares).sum()), len(own), zero_division)

    precision = mean(pairs.by_predicted(len(predicted_ranges)), predicted_ranges)
    return checked_f(precision, mean(pairs.by_real(len(real_ranges)), real_ranges), beta)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Which real range and which prediction overlap, and by how much."""

    real: NDArray[np.int64]
    predicted: NDArray[np.int64]
    overlap: _Floats

    def by_real(self, count: int) -> _Floats:
        return np.bincount(self.real, weights=self.overlap, minlength=count).astype(np.float64, copy=False)

    def by_predicted(self, count: int) -> _Floats:
        return np.bincount(self.predicted, weights=self.overlap, minlength=count).astype(np.float64, copy=False)

    def kept(self, which: NDArray[np.bool_]) -> _Pairs:
        return _Pairs(self.real[which], self.predicted[which], self.overlap[which])


def _overlaps(real: Ranges, predicted: Ranges, zones: NDArray[np.int64]) -> _Pairs:
    """Every pair that overlaps, in its range or in the ``zones[k] + 1`` points after it."""
    owner, number, begin, end = _common(real.starts, real.stops, predicted)
    overlaps = [(owner, number, (end - begin).astype(np.float64))]
    # As published: the zone ends before the next range only when it reaches beyond that range's first point.
    first, last = real.stops, np.minimum(real.stops, 2**62) + zones
    following = np.append(real.starts[1:], np.iinfo(np.int64).max)[: len(real)]
    last = np.where(last > following, following - 1, last)
    used = np.flatnonzero(first < last)
    if len(used):
        owner, number, begin, end = _common(first[used], last[used] + 1, predicted)
        owner, lengths = used[owner], end - begin
        pair = np.repeat(np.arange(len(owner)), lengths)
        point = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(begin, lengths)
        way = (point - first[owner][pair]) / (last - first)[owner][pair]
        weights = 1.0 / (1.0 + np.exp(12.0 * way - 6.0))
        overlaps.append((owner, number, np.bincount(pair, weights=weights, minlength=len(owner)).astype(np.float64, copy=False)))
    real_side, predicted_side, overlap = (np.concatenate(column) for column in zip(*overlaps, strict=True))
    return _Pairs(real_side, predicted_side, overlap)


def _common(starts: NDArray[np.int64], stops: NDArray[np.int64], predicted: Ranges) -> tuple[NDArray[np.int64], ...]:
    """The overlaps of intervals and predictions, pair by pair: the number of each, where the overlap starts, and where it stops."""
    met = overlaps_of(Ranges(np.column_stack((starts, stops))), predicted)
    real = np.repeat(np.arange(len(starts)), met.count)
    number = np.arange(len(real)) - np.repeat(np.cumsum(met.count) - met.count, met.count) + np.repeat(met.first, met.count)
    return real, number, np.maximum(starts[real], predicted.starts[number]), np.minimum(stops[real], predicted.stops[number])


def _pruned(pairs: _Pairs, real: Ranges, predicted: Ranges, theta_p: float, theta_r: float) -> _Pairs:
    """What remains after repeatedly removing ranges with too little coverage and predictions with too low precision."""
    while True:
        before = len(pairs.real)
        covered = pairs.by_real(len(real)) / real.lengths
        pairs = pairs.kept((covered >= theta_r)[pairs.real])
        right = pairs.by_predicted(len(predicted)) / predicted.lengths
        pairs = pairs.kept((right >= theta_p)[pairs.predicted])
        if len(pairs.real) == before:
            return pairs
