"""Exact confidence intervals of a share and of a rate, for few events."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class ExactInterval:
    """An estimate and its two-sided interval, which covers the true value with probability at least ``level``."""

    value: float
    low: float
    high: float
    level: float = 0.95

    def overlaps(self, other: ExactInterval) -> bool:
        return self.low <= other.high and other.low <= self.high


def share_interval(count: int, of: int, level: float = 0.95) -> ExactInterval:
    """The share ``count / of`` with the interval of Clopper and Pearson (1934). For ``of=0`` the value is nan and the interval 0 to 1.

    >>> interval = share_interval(4, 5)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.2836, 0.9949)
    """
    if not 0 <= count <= of:
        raise ValueError(f"count must be between 0 and {of}; got {count}")
    tail = (1 - level) / 2
    low = 0.0 if count == 0 else _root(lambda p: binomial_tail(count, of, p) - tail, 0.0, 1.0)
    high = 1.0 if count == of else _root(lambda p: binomial_tail(count + 1, of, p) - (1 - tail), 0.0, 1.0)
    return ExactInterval(count / of if of else math.nan, low, high, level)


def rate_interval(count: int, time: float, level: float = 0.95) -> ExactInterval:
    """The rate ``count / time`` of independent events with the interval of Garwood (1936). For ``time=0`` it is 0 to infinity.

    >>> interval = rate_interval(3, 7.0)
    >>> round(interval.low * 7, 4), round(interval.high * 7, 4)
    (0.6187, 8.7673)
    """
    if not time > 0:
        return ExactInterval(math.nan, 0.0, math.inf, level)
    tail = (1 - level) / 2
    # The mean is below twice the count plus this much, except with a probability of about 1e-16.
    most = 2.0 * count + 100.0
    low = 0.0 if count == 0 else _root(lambda mean: poisson_tail(count, mean) - tail, 0.0, most)
    high = _root(lambda mean: poisson_tail(count + 1, mean) - (1 - tail), 0.0, most)
    return ExactInterval(count / time, low / time, high / time, level)


def binomial_tail(least: int, of: int, chance: float) -> float:
    """P(X >= least) for a binomial X.

    >>> round(binomial_tail(1, 2, 0.5), 6)
    0.75
    """
    if least <= 0:
        return 1.0
    if least > of or chance <= 0:
        return 0.0
    if chance >= 1:
        return 1.0
    terms = (
        math.exp(math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * math.log(chance) + (of - k) * math.log1p(-chance))
        for k in range(least, of + 1)
    )
    return min(math.fsum(terms), 1.0)


def poisson_tail(least: int, mean: float) -> float:
    """P(X >= least) for a Poisson X.

    >>> round(poisson_tail(1, 1.0), 6)
    0.632121
    """
    if mean <= 0:
        return 1.0 if least <= 0 else 0.0
    below = math.fsum(math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(least))
    return min(max(1.0 - below, 0.0), 1.0)


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
