"""Ranks over series, Friedman's test, and Nemenyi's test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.bench.statistics.groups import Groups, group_means
from rangewise.bench.statistics.pairs import Pair
from rangewise.bench.statistics.ties import settled


@dataclass(frozen=True)
class Friedman:
    """Friedman's test: ``statistic`` is chi squared with ``detectors - 1`` degrees of freedom, corrected for ties."""

    statistic: float
    p: float
    series: int
    detectors: int


def rank_rows(values: ArrayLike, *, higher_is_better: bool = True) -> NDArray[np.float64]:
    """Ranks within each row: 1 is best, ties get the mean rank, nan (a failure) ranks last. Values equal up to 1e-9 are tied.

    >>> rank_rows([[0.9, 0.5, 0.5], [0.1, 0.2, float("nan")]]).tolist()
    [[1.0, 2.5, 2.5], [2.0, 1.0, 3.0]]
    """
    table = settled(np.atleast_2d(np.asarray(values, dtype=np.float64)))
    badness = np.where(np.isnan(table), np.inf, -table if higher_is_better else table)
    smaller = (badness[:, np.newaxis, :] < badness[:, :, np.newaxis]).sum(axis=2)
    equal = (badness[:, np.newaxis, :] == badness[:, :, np.newaxis]).sum(axis=2)
    ranks: NDArray[np.float64] = smaller + (equal + 1) / 2
    return ranks


def mean_ranks(values: ArrayLike, *, higher_is_better: bool = True, groups: Groups | Sequence[object] | None = None) -> NDArray[np.float64]:
    """The mean rank of each column over the rows; with ``groups``, the collection of each row, over the means of collections."""
    ranks = rank_rows(values if groups is None else group_means(values, groups), higher_is_better=higher_is_better)
    return ranks.mean(axis=0) if len(ranks) else np.full(ranks.shape[1], math.nan)


def friedman(values: ArrayLike, *, groups: Groups | Sequence[object] | None = None) -> Friedman:
    """Test whether any detector tends to rank higher than another. Rows are series, columns detectors; rows with nan are skipped.

    Needs at least 3 detectors and 2 series; otherwise, and if everything is tied, p is 1.
    ``groups`` names the collection of each row: then the means of collections are ranked.
    """
    table = _whole_rows(values if groups is None else group_means(values, groups))
    series, detectors = table.shape
    if detectors < 3 or series < 2:
        return Friedman(math.nan, 1.0, series, detectors)
    ranks = rank_rows(table)
    ties = sum(float((np.unique(row, return_counts=True)[1] ** 3 - np.unique(row, return_counts=True)[1]).sum()) for row in ranks)
    correction = 1.0 - ties / (series * detectors * (detectors**2 - 1))
    if correction <= 0.0:
        return Friedman(0.0, 1.0, series, detectors)
    sums = ranks.sum(axis=0)
    statistic = (12.0 / (series * detectors * (detectors + 1)) * float(np.square(sums).sum()) - 3.0 * series * (detectors + 1)) / correction
    return Friedman(statistic, float(_stats().chi2.sf(statistic, detectors - 1)), series, detectors)


def nemenyi(values: ArrayLike) -> NDArray[np.float64]:
    """Nemenyi's p of every pair of detectors, as a matrix. It depends on which other detectors are compared; Wilcoxon-Holm does not."""
    table = _whole_rows(values)
    series, detectors = table.shape
    if detectors < 2 or series < 2:
        return np.ones((detectors, detectors))
    means = mean_ranks(table)
    distance = np.abs(means[:, np.newaxis] - means) / math.sqrt(detectors * (detectors + 1) / (6.0 * series))
    p: NDArray[np.float64] = _stats().studentized_range.sf(distance * math.sqrt(2.0), detectors, np.inf)
    np.fill_diagonal(p, 1.0)
    return p


def critical_difference(series: int, detectors: int, level: float = 0.95) -> float:
    """Nemenyi's critical difference of mean ranks."""
    q = float(_stats().studentized_range.ppf(level, detectors, np.inf)) / math.sqrt(2.0)
    return q * math.sqrt(detectors * (detectors + 1) / (6.0 * series))


def cliques(order: list[str], separated: Mapping[tuple[str, str], bool]) -> list[tuple[str, ...]]:
    """The longest runs in the order without a separated pair: the bars of a critical difference diagram.

    >>> cliques(["a", "b", "c"], {("a", "b"): False, ("a", "c"): True, ("b", "c"): False})
    [('a', 'b'), ('b', 'c')]
    """

    def apart(a: str, b: str) -> bool:
        return separated.get((a, b), separated.get((b, a), False))

    runs: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not any(apart(order[place], order[last + 1]) for place in range(first, last + 1)):
            last += 1
        if last > first and not any(a <= first and last <= b for a, b in runs):
            runs.append((first, last))
    return [tuple(order[first : last + 1]) for first, last in runs]


def standing(
    names: Sequence[str], ranks: Sequence[float], pairs: Sequence[Pair], level: float = 0.95
) -> tuple[list[tuple[str, float]], list[tuple[str, ...]]]:
    """Detectors by mean rank, and the bars of a critical difference diagram, which contain no separated pair."""
    order = sorted(zip(names, ranks, strict=True), key=lambda each: (each[1], each[0]))
    separated = {(pair.first, pair.second): pair.adjusted_p <= 1 - level for pair in pairs}
    return order, cliques([name for name, _ in order], separated)


def _whole_rows(values: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"values must have one row per series and one column per detector; got shape {table.shape}")
    return table[~np.isnan(table).any(axis=1)]


def _stats() -> Any:
    try:
        from scipy import stats
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("this test needs scipy: pip install 'rangewise[bench]'") from error
    return stats
