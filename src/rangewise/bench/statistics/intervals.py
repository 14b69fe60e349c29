"""Confidence intervals of pooled scores, of their differences, of means and of medians, with notes if they are not reliable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.bench.statistics.groups import Groups, Unit, group_sums, unit_words
from rangewise.bench.statistics.tallies import PARTS, TallyTable, check_part
from rangewise.number_text import score_text

MIN_SERIES = 10
"""With fewer series, reports call intervals unreliable."""

_FEW = 4
_SKEWED = 1.0
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Interval:
    """An estimate with a confidence interval from ``low`` to ``high``; the bounds are nan if there is too little data.

    ``note`` is empty, or says why the coverage may be lower than ``level``, or why the interval is one-sided.
    """

    value: float
    low: float
    high: float
    level: float = 0.95
    note: str = ""

    def text(self, *, signed: bool = False) -> str:
        """The estimate, its bounds and the note; ``signed`` writes a plus sign, for differences.

        >>> Interval(0.0, 0.0, 0.139, note="no hit: a bound").text()
        '0.0000 [0.0000, 0.1390] (no hit: a bound)'
        """
        value, low, high = (score_text(each, signed=signed) for each in (self.value, self.low, self.high))
        bounds = "" if math.isnan(self.low) else f" [{low}, {high}]"
        return f"{value}{bounds}{f' ({self.note})' if self.note else ''}"

    def __str__(self) -> str:
        return self.text()


def pooled_intervals(table: TallyTable, level: float = 0.95, *, unit: Unit = "series") -> dict[str, dict[str, Interval]]:
    r"""Precision, recall and F of each detector with an interval, by detector and then by part.

    .. math::
        \operatorname{logit}^{-1}\left( \operatorname{logit} s \pm t_{m} \sqrt{\tfrac{n-1}{n} \sum_i (\ell_{-i} - \bar\ell)^2} \right)

    where :math:`\ell_{-i}` is the logit of the score without series i, and :math:`t_m` a quantile of Student's t. The rows of the table are
    left out in turn, not ranges: ranges of one series are not independent.

    - The degrees of freedom m are n - 1 for n series of equal weight, and fewer if a few series have most of the ranges or most of the
      hits (of scores above 1/2: of the misses): the effective number of series, :math:`(\sum w_i)^2 / \sum w_i^2`, by ranges less 1, by
      hits at least 2.
    - If the score without one series is exactly 0 or 1, it has no logit. The interval is then the exact binomial one for
      :math:`s (1 - s) / v` trials, with v the variance by the jackknife (Korn and Graubard, 1998).
    - A score of exactly 0 or 1 has a one-sided bound, as if each series were one trial: nothing is known about how hits cluster.
    - Below two series, and for a part of which nothing was counted, there is no interval (nan).

    docs/coverage.md has the measured coverage. The intervals are deterministic. ``unit`` is the name of a row of the table in notes.

    >>> import rangewise as rw
    >>> tallies = [rw.early.tally([(0, 4)], [(start, 6)]) for start in (0, 1, 1, 2, 2, 3)]
    >>> print(pooled_intervals(TallyTable.of({"a": tallies}))["a"]["f"])
    0.5071 [0.2746, 0.7366]
    """
    _check_level(level)
    return {
        name: {part: _pooled_share(table, number, part, unit).interval(level) for part in PARTS}
        for number, name in enumerate(table.detectors)
    }


def pooled_difference(
    table: TallyTable, first: str, second: str, part: str = "f", level: float = 0.95, *, unit: Unit = "series"
) -> Interval:
    r"""The pooled score of ``first`` minus that of ``second``, with an interval.

    .. math:: d - \sqrt{a^2 - 2 r a b + b^2}, \quad a = s_1 - low_1, \quad b = high_2 - s_2

    and the other end with the other bounds: the two intervals of :func:`pooled_intervals` are combined with the correlation r of the
    scores without each series in turn (Zou and Donner, 2008). So it is valid near 0 and 1, and if both scores are 0. From -1 to 1.

    >>> import rangewise as rw
    >>> near = [rw.early.tally([(0, 4)], [(start, 6)]) for start in (0, 0, 1, 1, 2, 2)]
    >>> far = [rw.early.tally([(0, 4)], [(start, 6)]) for start in (2, 2, 2, 3, 3, 3)]
    >>> print(pooled_difference(TallyTable.of({"near": near, "far": far}), "near", "far").text(signed=True))
    +0.3400 [+0.2034, +0.4568]
    """
    _check_level(level)
    check_part(part)
    shares = [_pooled_share(table, table.place_of(name), part, unit) for name in (first, second)]
    one, other = (share.interval(level) for share in shares)
    difference = one.value - other.value
    if math.isnan(one.low) or math.isnan(other.low):
        return Interval(difference, math.nan, math.nan, level)
    correlation = _correlation(*(share.without for share in shares))
    low = _both(one.value - one.low, other.high - other.value, correlation)
    high = _both(one.high - one.value, other.value - other.low, correlation)
    notes = dict.fromkeys(f"{name}: {each.note}" for name, each in ((first, one), (second, other)) if each.note)
    return Interval(difference, max(-1.0, difference - low), min(1.0, difference + high), level, "; ".join(notes))


def mean_interval(
    values: ArrayLike,
    level: float = 0.95,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    groups: Groups | Sequence[object] | None = None,
    unit: Unit = "series",
) -> Interval:
    r"""The mean of values with an interval; nan values are skipped.

    ``low`` and ``high`` are the bounds of a single value. With both, the interval is that of :func:`pooled_intervals` for series of equal
    weight. Otherwise it is Student's, with Hall's (1992) correction for skewness, and cut at the bounds. If the values are skewed
    (skewness beyond 1), a note says so: with long tails the coverage may be only 85 %.

    ``groups`` names the collection of each series. The mean stays that of the series; the interval comes from the jackknife over
    collections, and is cut at the bounds:

    .. math:: \bar v \pm t_{k-1} \sqrt{\tfrac{k-1}{k} \sum_g (\bar v_{-g} - \bar m)^2}

    where :math:`\bar v_{-g}` is the mean without collection g and :math:`\bar m` the mean of these. Below two collections the bounds are
    nan. If all values are at one of two bounds, the interval is one-sided, with each collection as one trial. ``unit`` is the name of a
    value in notes.

    >>> print(mean_interval([0.2, 0.4, 0.6, 0.8]))
    0.5000 [0.0891, 0.9109]
    >>> print(mean_interval([0.0] * 12, low=0.0, high=1.0))
    0.0000 [0.0000, 0.2209] (all values at the bound: one-sided)
    """
    _check_level(level)
    known = _known(values)
    if not low < high:
        raise ValueError(f"low must be below high; got {low} and {high}")
    if len(known) and (known.min() < low - _ROUNDING or known.max() > high + _ROUNDING):
        raise ValueError(f"values must be from {low:g} to {high:g}; got {known.min():g} to {known.max():g}")
    if groups is not None:
        return _mean_by_collection(np.asarray(values, dtype=np.float64).ravel(), groups, level, low, high)
    if not len(known):
        return Interval(math.nan, math.nan, math.nan, level)
    known = np.clip(known, low, high)
    mean = float(known.sum()) / len(known)
    if len(known) < 2 or not math.isfinite(mean):
        return Interval(mean, math.nan, math.nan, level)
    deviation = float(known.std()) if np.ptp(known) else 0.0
    skewness = float(np.mean(((known - mean) / deviation) ** 3)) if deviation else 0.0
    note = "skewed values" if abs(skewness) > _SKEWED else "" if deviation else "all values are equal"
    if math.isfinite(low) and math.isfinite(high):
        interval = _bounded_mean(mean, known, level, low, high, unit)
        return replace(interval, note=interval.note or note)
    spread, quantile = deviation / math.sqrt(len(known) - 1), t_quantile(0.5 + level / 2, len(known) - 1)
    below, above = (side * _hall(side * quantile, skewness, len(known)) for side in (1, -1))
    ends = mean - spread * max(quantile, below), mean + spread * max(quantile, above)
    return Interval(mean, max(low, ends[0]), min(high, ends[1]), level, note)


def _mean_by_collection(values: NDArray[np.float64], groups: Groups | Sequence[object], level: float, low: float, high: float) -> Interval:
    sums, counts = group_sums(values, Groups.of(groups, len(values)))
    sums, counts = sums[counts > 0], counts[counts > 0]
    if not len(sums):
        return Interval(math.nan, math.nan, math.nan, level)
    mean, count = math.fsum(sums) / math.fsum(counts), len(sums)
    if count < 2:
        return Interval(mean, math.nan, math.nan, level)
    without = (sums.sum() - sums) / (counts.sum() - counts)
    if not np.ptp(without):
        return _equal_means(mean, counts, level, low, high)
    spread = math.sqrt((count - 1) / count * float(np.square(without - without.mean()).sum()))
    reach = t_quantile(0.5 + level / 2, count - 1) * spread
    return Interval(mean, max(low, mean - reach), min(high, mean + reach), level)


def _equal_means(mean: float, counts: NDArray[np.float64], level: float, low: float, high: float) -> Interval:
    """The interval of collections with the same mean; ``counts`` are their numbers of series."""
    if not (math.isfinite(low) and math.isfinite(high)) or low < mean < high:
        return Interval(mean, mean, mean, level, f"all {unit_words(len(counts), 'collection')} score the same")
    share = 0.0 if mean <= low else 1.0
    bounds = _Share(share, np.full(len(counts), share), effective_number(counts), math.inf, "collection").interval(level)
    return Interval(mean, low + (high - low) * bounds.low, low + (high - low) * bounds.high, level, bounds.note)


def median_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """The median with a distribution-free interval between two order statistics, with coverage of at least ``level``.

    With fewer than 6 values there is no 95 % interval: the bounds are nan.

    >>> print(median_interval([1, 2, 3, 4, 5, 6, 7, 8]))
    4.5000 [1.0000, 8.0000]
    """
    _check_level(level)
    ordered = np.sort(_known(values))
    count = len(ordered)
    if not count:
        return Interval(math.nan, math.nan, math.nan, level)
    median = float(np.median(ordered))
    # P(fewer than k of n values lie below the median) is a binomial tail; the largest k with both tails within 1 - level.
    tail, chosen = 0.0, -1
    for k in range(count // 2 + 1):
        tail += math.exp(math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) - count * math.log(2))
        if 2 * tail > 1 - level:
            break
        chosen = k
    if chosen < 0:
        return Interval(median, math.nan, math.nan, level)
    return Interval(median, float(ordered[chosen]), float(ordered[count - 1 - chosen]), level)


@dataclass(frozen=True, eq=False)
class _Share:
    """A score from 0 to 1 over units that are left out in turn."""

    value: float
    without: NDArray[np.float64]
    """The score without each unit."""
    by_size: float
    """The effective number of units by weight; nan if nothing was counted."""
    by_mass: float
    """The effective number of units by hits, or by misses if those are fewer."""
    unit: Unit = "series"

    def interval(self, level: float) -> Interval:
        count = len(self.without)
        if count < 2 or math.isnan(self.value) or math.isnan(self.by_size):
            return Interval(self.value, math.nan, math.nan, level)
        if self.value <= 0.0 or self.value >= 1.0:
            # The largest share that gives no hit in this many trials with probability 1 - level.
            bound = 1.0 - (1.0 - level) ** (1.0 / self.by_size)
            low, high = (0.0, bound) if self.value <= 0.0 else (1.0 - bound, 1.0)
            return Interval(self.value, low, high, level, "all values at the bound: one-sided")
        if alone := int(np.count_nonzero((self.without <= 0.0) | (self.without >= 1.0))):
            low, high = self._binomial(level)
            return Interval(self.value, low, high, level, f"rests on {alone} {unit_words(alone, self.unit)}")
        logits = np.log(self.without) - np.log1p(-self.without)
        middle = math.log(self.value) - math.log1p(-self.value)
        spread = math.sqrt((count - 1) / count * float(np.square(logits - logits.mean()).sum()))
        reach = t_quantile(0.5 + level / 2, self._freedom(self.by_mass)) * spread
        return Interval(self.value, _logistic(middle - reach), _logistic(middle + reach), level, self._note())

    def _binomial(self, level: float) -> tuple[float, float]:
        special, count, value = scipy_special(), len(self.without), self.value
        variance = (count - 1) / count * float(np.square(self.without - value).sum())
        trials = value * (1.0 - value) / variance
        few = t_quantile(0.5 + level / 2, max(trials - 1.0, 1.0)) / t_quantile(0.5 + level / 2, self._freedom())
        trials *= few**2
        hits = trials * value
        low = special.betaincinv(hits, trials - hits + 1.0, 0.5 - level / 2)
        high = special.betaincinv(hits + 1.0, trials - hits, 0.5 + level / 2)
        return float(min(low, value)), float(max(high, value))

    def _freedom(self, by_mass: float = math.inf) -> float:
        return max(1.0, min(self.by_size - 1.0, max(by_mass, 2.0), len(self.without) - 1.0))

    def _note(self) -> str:
        count, effective = len(self.without), min(self.by_size, self.by_mass)
        if not np.ptp(self.without):
            return f"all {unit_words(count, self.unit)} score the same"
        return (
            f"rests on about {max(1, round(effective))} of {count} {unit_words(count, self.unit)}"
            if effective < min(_FEW, count / 2)
            else ""
        )


def _pooled_share(table: TallyTable, detector: int, part: str, unit: Unit) -> _Share:
    counts = table.counts[:, detector]
    at = PARTS.index(part)
    value = float(table.pooled()[detector, at])
    without = table.scores_of(counts.sum(axis=0) - counts)[:, at]
    # Without the only series that counts, the score is undefined: assume the most distant value.
    without = np.where(np.isnan(without), 0.0 if value > 0.5 else 1.0, without)
    sides = {"precision": (2,), "recall": (0,), "f": (0, 2)}[part]
    sizes = [size for side in sides if not math.isnan(size := effective_number(counts[:, side + 1]))]
    rewards = [counts[:, side] if value <= 0.5 else counts[:, side + 1] - counts[:, side] for side in sides]
    masses = [mass for reward in rewards if not math.isnan(mass := effective_number(reward))]
    return _Share(value, without, min(sizes, default=math.nan), min(masses, default=math.inf), unit)


def _bounded_mean(mean: float, values: NDArray[np.float64], level: float, low: float, high: float, unit: Unit) -> Interval:
    shares = (values - low) / (high - low)
    value = (mean - low) / (high - low)
    without = (shares.sum() - shares) / (len(shares) - 1)
    # Exactly at a bound if all others are, which a difference of float sums may miss.
    value, *without = (0.0 if each < 1e-12 else 1.0 if each > 1.0 - 1e-12 else each for each in (value, *without.tolist()))
    mass = effective_number(shares if value <= 0.5 else 1.0 - shares)
    share = _Share(value, np.array(without), float(len(shares)), math.inf if math.isnan(mass) else mass, unit).interval(level)
    return Interval(mean, low + (high - low) * share.low, low + (high - low) * share.high, level, share.note)


def effective_number(weights: ArrayLike) -> float:
    r"""The effective number of weights, :math:`(\sum w)^2 / \sum w^2`, from 1 to their number; nan without any weight.

    >>> effective_number([5, 5, 5]), round(effective_number([98, 1, 1]), 2)
    (3.0, 1.04)
    """
    values = np.asarray(weights, dtype=np.float64)
    squares = float(np.square(values).sum())
    return float(values.sum()) ** 2 / squares if squares > 0 else math.nan


def t_quantile(share: float, freedom: float) -> float:
    """The quantile of Student's t."""
    return float(scipy_special().stdtrit(freedom, share))


def scipy_special() -> Any:
    try:
        from scipy import special
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("statistics need scipy: pip install 'rangewise[bench]'") from error
    return special


def _hall(quantile: float, skewness: float, count: int) -> float:
    """The quantile of Student's t for a skewed sample: the inverse of Hall's cubic transformation."""
    step = skewness / math.sqrt(count)
    if abs(step) < 1e-9:
        return quantile
    return 3.0 / step * (float(np.cbrt(1.0 + step * (quantile - step / 6.0))) - 1.0)


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale > 0 else 0.0


def _both(a: float, b: float, correlation: float) -> float:
    return math.sqrt(max(0.0, a * a - 2.0 * correlation * a * b + b * b))


def _known(values: ArrayLike) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64).ravel()
    return numbers[~np.isnan(numbers)]


def _logistic(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-logit)) if logit > -700 else 0.0


def _check_level(level: float) -> None:
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, such as 0.95; got {level!r}")
