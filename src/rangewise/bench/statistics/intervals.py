"""Intervals of pooled precision, recall and F: the jackknife over series on the logit scale. And of means and medians."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.bench.statistics.tallies import TallyTable
from rangewise.number_text import score_text

FEWEST_SERIES = 10
"""Below so many series an interval says little; reports say so."""


@dataclass(frozen=True)
class Interval:
    """An estimate, between ``low`` and ``high`` with the chance ``level``; nan bounds where there is too little to tell."""

    value: float
    low: float
    high: float
    level: float = 0.95

    def __str__(self) -> str:
        return self._text(signed=False)

    def difference_text(self) -> str:
        """As a difference, with its sign."""
        return self._text(signed=True)

    def _text(self, *, signed: bool) -> str:
        value, low, high = (score_text(each, signed=signed) for each in (self.value, self.low, self.high))
        return value if math.isnan(self.low) else f"{value} [{low}, {high}]"


def pooled_intervals(table: TallyTable, level: float = 0.95) -> dict[str, dict[str, Interval]]:
    r"""Precision, recall and F of each detector with an interval, by detector and then by part.

    .. math::
        \operatorname{logit}^{-1}\left( \operatorname{logit} s \pm t_{n-1} \sqrt{\tfrac{n-1}{n} \sum_i (\ell_{-i} - \bar\ell)^2} \right)

    where :math:`\ell_{-i}` is the logit of the score without series i. Series are drawn, not ranges: ranges of one series are not
    independent. No random numbers. Where the score is 0 or 1 the logit has no value; the other end is then a one-sided bound, as if each
    series were one trial. Below two series there is no interval (nan).

    >>> import rangewise as rw
    >>> tallies = [rw.early.tally([(0, 4)], [(start, 6)]) for start in (0, 1, 1, 2, 2, 3)]
    >>> print(pooled_intervals(TallyTable.of({"a": tallies}))["a"]["f"])
    0.5071 [0.2805, 0.7309]
    """
    _check_level(level)
    whole = table.pooled()
    total = table.counts.sum(axis=0)
    without = table.scores_of(total[np.newaxis] - table.counts)
    found = {}
    for number, detector in enumerate(table.detectors):
        found[detector] = {
            part: logit_jackknife(float(whole[number, place]), without[:, number, place], level)
            for place, part in enumerate(("precision", "recall", "f"))
        }
    return found


def logit_jackknife(value: float, without: NDArray[np.float64], level: float) -> Interval:
    """The interval of a share from its values without each series in turn."""
    count = len(without)
    if count < 2 or math.isnan(value):
        return Interval(value, math.nan, math.nan, level)
    if value <= 0.0 or value >= 1.0:
        # The largest share that would still give none in `count` trials with the chance 1 - level.
        bound = 1.0 - (1.0 - level) ** (1.0 / count)
        return Interval(value, 0.0, bound, level) if value <= 0.0 else Interval(value, 1.0 - bound, 1.0, level)
    # A series that holds all there is leaves a score of 0 or 1 behind: half a series of doubt keeps its logit finite.
    edge = 0.5 / (count + 1)
    inside = np.clip(np.where(np.isnan(without), value, without), min(edge, value), max(1.0 - edge, value))
    logits = np.log(inside) - np.log1p(-inside)
    middle = math.log(value) - math.log1p(-value)
    spread = math.sqrt((count - 1) / count * float(np.square(logits - logits.mean()).sum()))
    reach = t_quantile(0.5 + level / 2, count - 1) * spread
    return Interval(value, _share(middle - reach), _share(middle + reach), level)


def mean_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """The mean of series' own values with Student's interval; nan values are left out.

    >>> print(mean_interval([0.2, 0.4, 0.6, 0.8]))
    0.5000 [0.0891, 0.9109]
    """
    _check_level(level)
    found = _known(values)
    if not len(found):
        return Interval(math.nan, math.nan, math.nan, level)
    mean = math.fsum(found) / len(found)
    if len(found) < 2:
        return Interval(mean, math.nan, math.nan, level)
    reach = t_quantile(0.5 + level / 2, len(found) - 1) * float(found.std(ddof=1)) / math.sqrt(len(found))
    return Interval(mean, mean - reach, mean + reach, level)


def median_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """The median, between two order statistics that enclose it with at least the chance ``level``, whatever the distribution.

    Below 6 values no pair of them does for 95 %: the bounds are nan.

    >>> print(median_interval([1, 2, 3, 4, 5, 6, 7, 8]))
    4.5000 [1.0000, 8.0000]
    """
    _check_level(level)
    found = np.sort(_known(values))
    count = len(found)
    if not count:
        return Interval(math.nan, math.nan, math.nan, level)
    median = float(np.median(found))
    # P(fewer than k of n values lie below the median) is a binomial tail; the largest k with both tails within 1 - level.
    tail, chosen = 0.0, -1
    for k in range(count // 2 + 1):
        tail += math.exp(math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) - count * math.log(2))
        if 2 * tail > 1 - level:
            break
        chosen = k
    if chosen < 0:
        return Interval(median, math.nan, math.nan, level)
    return Interval(median, float(found[chosen]), float(found[count - 1 - chosen]), level)


def t_quantile(share: float, freedom: int) -> float:
    """The quantile of Student's t."""
    return float(scipy_special().stdtrit(freedom, share))


def scipy_special() -> Any:
    try:
        from scipy import special
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("statistics need scipy: pip install 'rangewise[bench]'") from error
    return special


def _known(values: ArrayLike) -> NDArray[np.float64]:
    found = np.asarray(values, dtype=np.float64).ravel()
    return found[~np.isnan(found)]


def _share(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-logit)) if logit > -700 else 0.0


def _check_level(level: float) -> None:
    if not 0.0 < level < 1.0:
        raise ValueError(f"level is a chance between 0 and 1, such as 0.95; got {level!r}")
