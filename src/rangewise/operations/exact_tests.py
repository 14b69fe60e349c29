"""Exact one-sided tests for few observations: is the last week worse than those before? All condition on the observed totals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_CELLS = 20_000_000
_FINEST = 50
"""Large counts are rounded so that those of the largest possible sum are about this or more on average; where that needs too many cells,
the sum is taken as normal."""
_MOST_DOUBLINGS = 400
"""Each count at most doubles the largest number of ways, which must stay below 2^1024."""


@dataclass(frozen=True)
class OneSided:
    """The p-values of an outcome at least as high, or as low, as observed if nothing changed, and the smallest possible ones."""

    p_higher: float
    p_lower: float
    smallest: float


def fisher(hits: int, of: int, hits_before: int, of_before: int) -> OneSided:
    """Fisher's exact test of two shares: higher means a higher share now.

    >>> fisher(0, 4, 30, 30).p_lower < 0.001
    True
    """
    total, good = of + of_before, hits + hits_before
    low, high = max(0, good - of_before), min(of, good)
    ways, every = math.comb(good, low) * math.comb(total - good, of - low), math.comb(total, of)
    chances = {}
    for k in range(low, high + 1):
        chances[k] = ways / every
        ways = ways * (good - k) * (of - k) // ((k + 1) * (total - good - of + k + 1))
    higher = math.fsum(chance for k, chance in chances.items() if k >= hits)
    lower = math.fsum(chance for k, chance in chances.items() if k <= hits)
    return OneSided(min(higher, 1.0), min(lower, 1.0), min(chances[low], chances[high]))


def permutation(now: Sequence[float], before: Sequence[float], *, ranked: bool) -> OneSided:
    """Permutation test of the sum of ``now``: exact, or a normal approximation for large samples with many distinct values.

    With ``ranked`` the ranks of the values are added (the test of Wilcoxon, ties sharing their mean rank), else the values, which are
    counts. Large counts are rounded, which keeps the test exact: the sum of any function of the values can be tested.

    >>> permutation([9, 8, 9], [1, 2, 1, 1, 2, 0, 1, 2], ranked=False).p_higher < 0.01
    True
    """
    values = np.concatenate([np.asarray(now, dtype=np.float64), np.asarray(before, dtype=np.float64)])
    count = len(now)
    if not count or not len(before):
        return OneSided(1.0, 1.0, 1.0)
    counts = _double_ranks(values) if ranked else values.astype(np.int64)
    most = int(np.sort(counts)[-count:].sum()) + 1
    allowed = _MOST_CELLS // (count * len(counts))
    if most > allowed:
        if allowed < _FINEST * count:
            return _normal(counts, count, int(counts[:count].sum()))
        counts = counts // -(-most // allowed)
    observed = int(counts[:count].sum())
    ways = _sums(counts, count)
    total = float(ways.sum())
    sums = np.arange(len(ways))
    possible = sums[ways > 0]
    smallest = float(min(ways[possible[0]], ways[possible[-1]])) / total
    return OneSided(float(ways[sums >= observed].sum()) / total, float(ways[sums <= observed].sum()) / total, smallest)


def _double_ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Twice the rank of each value; equal ones share their mean."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((2 * ends - counts + 1)[places], dtype=np.int64)


def _sums(counts: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """The number of ways in which a given number of the counts adds up to each sum, up to a common factor."""
    most = int(np.sort(counts)[-size:].sum())
    ways = np.zeros((size + 1, most + 1))
    ways[0, 0] = 1.0
    for number, count in enumerate(counts.tolist(), start=1):
        ways[1:, count:] += ways[:-1, : most + 1 - count]
        if number % _MOST_DOUBLINGS == 0:
            ways /= ways.max()
    return np.asarray(ways[size])


def _normal(counts: NDArray[np.int64], size: int, observed: int) -> OneSided:
    total = len(counts)
    mean = size * counts.mean()
    deviation = math.sqrt(size * (total - size) / (total - 1) * counts.var()) or 1.0
    high, low = (0.5 * math.erfc((sign * (observed - mean) - 0.5) / deviation / math.sqrt(2)) for sign in (1, -1))
    return OneSided(high, low, 0.0)
