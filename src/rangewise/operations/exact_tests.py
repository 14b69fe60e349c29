"""Exact one-sided tests for few observations: is the last week worse than those before? All condition on the observed totals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_CELLS = 20_000_000
_FINEST = 50
"""Large counts are rounded so that those of the largest possible sum are about this or more on average; where that needs too many cells,
the sum is taken as normal."""
_MOST_JOINED = 10_000
"""The largest sum over several groups, whose distributions are convolved."""
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


def permutation(
    now: Sequence[float], before: Sequence[float], *, ranked: bool, groups: tuple[Sequence[int], ...] | None = None
) -> OneSided:
    """Permutation test of the sum of ``now``: exact, or a normal approximation for large samples with many distinct values.

    With ``ranked`` the ranks of the values are added (the test of Wilcoxon, ties sharing their mean rank), else the values, which are
    counts. Large counts are rounded, which keeps the test exact: the sum of any function of the values can be tested. ``groups`` has the
    group of each value, of ``now`` and of ``before``; values are then exchanged only within their group.

    >>> permutation([9, 8, 9], [1, 2, 1, 1, 2, 0, 1, 2], ranked=False).p_higher < 0.01
    True
    """
    values = np.concatenate([np.asarray(now, dtype=np.float64), np.asarray(before, dtype=np.float64)])
    counts = _double_ranks(values) if ranked else values.astype(np.int64)
    parts = _parts(counts, len(now), np.zeros(len(values)) if groups is None else np.concatenate(groups))
    if not parts:
        return OneSided(1.0, 1.0, 1.0)
    most = sum(int(np.sort(own)[-size:].sum()) for own, size in parts) + 1
    allowed = _MOST_CELLS // sum(size * len(own) for own, size in parts)
    if len(parts) > 1:
        allowed = min(allowed, _MOST_JOINED)
    if most > allowed:
        if allowed < _FINEST * sum(size for _, size in parts):
            return _normal(parts)
        factor = -(-most // allowed)
        parts = [(own // factor, size) for own, size in parts]
    observed = sum(int(own[:size].sum()) for own, size in parts)
    ways = _sums(*parts[0])
    for part in parts[1:]:
        other = _sums(*part)
        ways = np.convolve(ways / ways.max(), other / other.max())
    total = float(ways.sum())
    sums = np.arange(len(ways))
    possible = sums[ways > 0]
    smallest = float(min(ways[possible[0]], ways[possible[-1]])) / total
    return OneSided(float(ways[sums >= observed].sum()) / total, float(ways[sums <= observed].sum()) / total, smallest)


def _parts(counts: NDArray[np.int64], size: int, groups: NDArray[Any]) -> list[tuple[NDArray[np.int64], int]]:
    """The counts of each group, and how many of them, the first ones, are of now. A group that is all now or all before decides nothing."""
    is_now = np.arange(len(counts)) < size
    parts = [(counts[groups == group], int((is_now & (groups == group)).sum())) for group in np.unique(groups)]
    return [(own, own_size) for own, own_size in parts if 0 < own_size < len(own)]


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


def _normal(parts: list[tuple[NDArray[np.int64], int]]) -> OneSided:
    observed = sum(int(own[:size].sum()) for own, size in parts)
    mean = sum(size * own.mean() for own, size in parts)
    variance = sum(size * (len(own) - size) / (len(own) - 1) * own.var() for own, size in parts)
    deviation = math.sqrt(variance) or 1.0
    high, low = (0.5 * math.erfc((sign * (observed - mean) - 0.5) / deviation / math.sqrt(2)) for sign in (1, -1))
    return OneSided(high, low, 0.0)
