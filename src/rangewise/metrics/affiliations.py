"""Affiliation: how near are predictions and real events to each other, compared with chance?

Every real event owns the part of the series that is nearest to it, its zone. Inside a zone a distance becomes the probability that a
random point is at least as far away: 1 is perfect, about 0.5 is chance. Huet, Navarro and Rossi (KDD 2022).

Time is continuous here: a half-open range ``[start, stop)`` of points is the interval from ``start`` to ``stop``, a series of n points
the interval from 0 to n. All integrals are of straight pieces and solved in closed form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import checked_beta, checked_zero_division
from rangewise.inputs.case import Case, CaseOptions, in_span
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.model.tally import checked_f, f_score, share

_Floats = NDArray[np.float64]

NO_IGNORED_TIME = "its chance level is drawn over all of the time around an event"


@dataclass(frozen=True, eq=False)
class Affiliation:
    """Affiliation precision and recall, and the same for each real event's zone.

    ``zone_starts`` and ``zone_stops`` bound the zones; ``zone_precision`` is nan where a zone has no prediction, ``zone_recall`` 0 there.
    """

    precision: float
    recall: float
    zone_starts: _Floats = field(repr=False)
    zone_stops: _Floats = field(repr=False)
    zone_precision: _Floats = field(repr=False)
    zone_recall: _Floats = field(repr=False)


def affiliation(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> Affiliation:
    r"""Affiliation precision and recall of each zone, and their means.

    Zones are cut half way between neighboring real events; the first begins at 0, the last ends at ``length``, the number of points of
    the series (needed if both are ranges; known for labels). With zone I, its event A and the predictions inside it P,

    .. math::
        Precision(I) = \frac{1}{|P|} \int_P \Pr_{X \sim U(I)} [dist(X, A) \ge dist(x, A)] \, dx

        Recall(I) = \frac{1}{|A|} \int_A \Pr_{X \sim U(I)} [|X - y| \ge dist(y, P)] \, dy

    Precision is the mean over the zones that have predictions, recall the mean over all zones, 0 for those without. Both from 0 to 1,
    higher is better; without predictions precision is ``zero_division``, without real events both are. For times, the series
    covers ``span``, (first, last), by default from the first start to the last end of both sides.

    >>> result = affiliation([(4, 6)], [(6, 8)], length=10)
    >>> result
    Affiliation(precision=0.6, recall=0.8)

    The chance of a point in 0..10 to be at least d from [4, 6] is (8 - 2 d) / 10 for d above 0, 0.6 in the mean over d from 0 to 2.
    """
    case = Case.of_labels(real, predicted, options, "affiliation", ignore=NO_IGNORED_TIME)
    if not isinstance(case.clock, Clock):
        real_ranges, predicted_ranges, points = case.series("affiliation zones reach to the ends of the series")
    elif case.length is not None:
        (real_ranges, predicted_ranges), points = case.sides(), case.length
    else:
        (real_ranges, predicted_ranges), points = in_span(*case.sides(), None)  # counted in ticks of the clock
    if not len(real_ranges):
        nothing, none = checked_zero_division(zero_division), np.empty(0)
        return Affiliation(nothing, nothing, none, none, none, none)
    cuts = (real_ranges.stops[:-1] + real_ranges.starts[1:]) / 2
    low, high = np.concatenate(([0.0], cuts)), np.concatenate((cuts, [float(points)]))
    precision, recall = _zone_rewards(low, high, real_ranges, predicted_ranges)
    predicted_zones = ~np.isnan(precision)
    return Affiliation(
        share(float(precision[predicted_zones].sum()), int(predicted_zones.sum()), zero_division),
        share(float(recall.sum()), len(recall), zero_division),
        low,
        high,
        precision,
        recall,
    )


def affiliation_precision(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    """How near the predictions are to the real events, compared with chance; formula in :func:`affiliation`.

    From 0 to 1, higher is better; ``zero_division`` when nothing is predicted or nothing is real.

    >>> affiliation_precision([(4, 6)], [(6, 8)], length=10)
    0.6
    """
    return affiliation(real, predicted, zero_division=zero_division, **options).precision


def affiliation_recall(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    """How near the real events are to a prediction, compared with chance; formula in :func:`affiliation`.

    From 0 to 1, higher is better; 0 when nothing is predicted, ``zero_division`` when nothing is real.

    >>> affiliation_recall([(4, 6)], [(6, 8)], length=10)
    0.8
    """
    return affiliation(real, predicted, zero_division=zero_division, **options).recall


def affiliation_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Weighted harmonic mean of affiliation precision and recall.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty.

    >>> round(affiliation_fbeta([(4, 6)], [(6, 8)], length=10), 4)
    0.6857
    """
    result = affiliation(real, predicted, zero_division=zero_division, **options)
    return checked_f(result.precision, result.recall, beta)


def best_affiliation_fbeta(real: RangesLike | Case, scores: Any = None, *, beta: float = 1.0, **options: Unpack[CaseOptions]) -> float:
    r"""The largest F of affiliation over all thresholds, in one sweep: O(n log n) for all of them.

    .. math:: \max_t F_\beta(R, \{i : s_i \ge t\})

    From 0 to 1, higher is better; 0 when nothing is real. It uses the labels to choose the threshold: an upper bound, not a fair score.

    >>> round(best_affiliation_fbeta([(4, 6)], [0, 0, 0, 0, 0, 0, 0.9, 0.8, 0.1, 0]), 4)
    0.7467
    """
    beta = checked_beta(beta)
    case = Case.of_scores(real, scores, options, "best_affiliation_fbeta", ignore=NO_IGNORED_TIME)
    assert case.scores is not None
    return kernel.best_affiliation_fbeta(case.real._bounds, case.scores, beta) if len(case.real) else 0.0


@dataclass(frozen=True)
class AffiliationGain:
    """Affiliation precision relative to chance, from -1 (as far away as possible) over 0 (chance) to 1; recall is unchanged."""

    precision: float
    recall: float

    @property
    def f(self) -> float:
        """Harmonic mean of both; nan if precision is below chance, because a mean of signed shares is not meaningful."""
        return f_score(self.precision, self.recall, 1.0) if self.precision >= 0 else math.nan


def affiliation_gain(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> AffiliationGain:
    r"""Affiliation against chance: how much better than random points are the predictions?

    A random prediction reaches an affiliation precision of about 1/2, which reads as half right. Relative to chance,

    .. math:: Precision_n = \frac{Precision - 1/2}{1/2}

    it reaches about 0. Recall has no such constant: chance depends on how much is predicted, so it is unchanged. Without predictions
    precision is ``zero_division``, without real events both are.

    >>> affiliation_gain([(4, 6)], [(6, 8)], length=10)
    AffiliationGain(precision=0.19999999999999996, recall=0.8)
    """
    result = affiliation(real, predicted, zero_division=zero_division, **options)
    if not np.any(~np.isnan(result.zone_precision)):
        return AffiliationGain(result.precision, result.recall)
    return AffiliationGain(2.0 * result.precision - 1.0, result.recall)


def affiliation_precision_gain(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    """Affiliation precision against chance; formula in :func:`affiliation_gain`.

    From -1 to 1, higher is better, chance is 0; ``zero_division`` when nothing is predicted or nothing is real.

    >>> affiliation_precision_gain([(4, 6)], [(0, 1)], length=10)
    -0.8
    """
    return affiliation_gain(real, predicted, zero_division=zero_division, **options).precision


def _zone_rewards(zone_low: _Floats, zone_high: _Floats, real: Ranges, predicted: Ranges) -> tuple[_Floats, _Floats]:
    """Precision and recall of each zone; without predictions in it, nan and 0."""
    # The predictions, cut at the ends of the zones, in order.
    first = np.searchsorted(zone_high[:-1], predicted.starts, side="right")
    count = np.searchsorted(zone_high[:-1], predicted.stops, side="left") - first + 1
    zone = np.repeat(first - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
    low, high = zone_low[zone], zone_high[zone]
    begin, end = np.maximum(np.repeat(predicted.starts, count), low), np.minimum(np.repeat(predicted.stops, count), high)
    # The event of each piece's zone, and how much of it the piece covers.
    start, stop = (ends.astype(np.float64)[zone] for ends in (real.starts, real.stops))
    inside = np.maximum(np.minimum(end, stop) - np.maximum(begin, start), 0.0)

    def total(values: _Floats) -> _Floats:
        """The sum of the values of each zone."""
        return np.bincount(zone, weights=values, minlength=len(zone_low)).astype(np.float64, copy=False)

    def chance(distance: _Floats) -> _Floats:
        """Integral from 0 to a distance of the measure of the zone's points that are further from the event than that."""
        near, far = np.minimum(distance, start - low), np.minimum(distance, high - stop)
        return near * (start - low - near / 2) + far * (high - stop - far / 2)

    before = chance(np.maximum(start - begin, 0.0)) - chance(np.maximum(start - end, 0.0))
    after = chance(np.maximum(end - stop, 0.0)) - chance(np.maximum(begin - stop, 0.0))
    length, points = zone_high - zone_low, total(end - begin)
    precision = np.full(len(zone_low), np.nan)
    np.divide(total(inside * (high - low) + before + after), points * length, out=precision, where=points > 0)

    same = zone[1:] == zone[:-1]
    middle = (end[:-1] + begin[1:]) / 2
    # Each piece is the nearest one from half way to its left neighbor to half way to its right one.
    from_left = np.concatenate((low[:1], np.where(same, middle, low[1:])))
    to_right = np.concatenate((np.where(same, middle, high[:-1]), high[-1:]))
    # A point y of the event at distance d from the piece's start s, so y = s - d, has high - s of the zone at least d to its right, and
    # y - d - low = 2 y - s - low to its left when that is positive. After the piece it is the mirror image.
    nearest, last = np.maximum(from_left, start), np.minimum(begin, stop)
    before = _ramp(np.minimum(nearest, last), last, high - begin, begin + low)
    nearest, last = np.maximum(end, start), np.minimum(to_right, stop)
    after = _ramp(-np.maximum(nearest, last), -nearest, end - low, -(end + high))
    recall = total(inside * (high - low) + before + after) / (real.lengths * length)
    # The arithmetic is exact for series of some million points; beyond, rounding may pass 1 by a hair.
    return np.minimum(precision, 1.0), np.minimum(recall, 1.0)


def _ramp(begin: _Floats, end: _Floats, base: _Floats, zero: _Floats) -> _Floats:
    """Integral of ``base + max(2 y - zero, 0)`` over y from begin to end."""
    foot, top = np.maximum(begin, zero / 2), np.maximum(end, zero / 2)
    return base * (end - begin) + (top - foot) * (top + foot - zero)
