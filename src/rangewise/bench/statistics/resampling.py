"""The series bootstrap from tallies, as products of matrices: all detectors are scored on the same drawn series."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rangewise.bench.statistics.groups import Groups, group_sums
from rangewise.bench.statistics.intervals import Interval
from rangewise.bench.statistics.ranks import rank_rows
from rangewise.bench.statistics.tallies import PARTS, TallyTable, check_part

_BLOCK = 500


@dataclass(frozen=True, eq=False)
class Resamples:
    """Scores in each resample: ``values[b, j]`` of resample b and detector j; ``point`` has the scores of the original series."""

    detectors: tuple[str, ...]
    point: NDArray[np.float64]
    values: NDArray[np.float64]
    series: int

    def rank_intervals(self, level: float = 0.95) -> dict[str, Interval]:
        """The rank of each detector; 1 is best, ties get the mean rank."""
        ranks = rank_rows(self.values)
        point = rank_rows(self.point[np.newaxis])[0]
        low, high = (1 - level) / 2, (1 + level) / 2
        bounds = np.quantile(ranks, (low, high), axis=0)
        return {
            name: Interval(float(point[place]), float(bounds[0, place]), float(bounds[1, place]), level)
            for place, name in enumerate(self.detectors)
        }

    def first_shares(self) -> dict[str, float]:
        """The share of the resamples in which each detector is first; ties are split."""
        best = self.values == self.values.max(axis=1, keepdims=True)
        return dict(zip(self.detectors, (best / best.sum(axis=1, keepdims=True)).mean(axis=0).tolist(), strict=True))

    def order_share(self) -> float:
        """The share of the resamples with the same complete order as the original series."""
        order = np.argsort(-self.point, kind="stable")
        return float(np.mean((np.diff(self.values[:, order], axis=1) <= 0).all(axis=1)))


def bootstrap(table: TallyTable, part: str = "f", *, resamples: int = 10_000, seed: int = 0) -> Resamples:
    """Bootstrap over series: draw as many series as there are, with replacement, many times, and pool each draw.

    The results are bit-identical for any order of the series: series are sorted first, and sums of rounded rewards are exact.

    >>> import rangewise as rw
    >>> near = [rw.early.tally([(0, 4)], [(start, 6)]) for start in (0, 0, 1, 1, 2, 2)]
    >>> far = [rw.early.tally([(0, 4)], [(start, 6)]) for start in (2, 2, 2, 3, 3, 3)]
    >>> drawn = bootstrap(TallyTable.of({"near": near, "far": far}), resamples=1000)
    >>> drawn.first_shares()["near"], drawn.order_share()
    (1.0, 1.0)
    """
    check_part(part)
    if resamples < 1:
        raise ValueError(f"resamples must be 1 or more; got {resamples}")
    place, count = PARTS.index(part), len(table)
    sums = np.empty((resamples, len(table.detectors), 4))
    flat = table.counts.reshape(count, -1)
    for first, weights in drawn_weights(count, resamples, seed):
        sums[first : first + len(weights)] = (weights @ flat).reshape(len(weights), -1, 4)
    return Resamples(table.detectors, table.pooled()[:, place], table.scores_of(sums)[:, :, place], count)


def bootstrap_means(
    values: NDArray[np.float64],
    detectors: tuple[str, ...],
    *,
    resamples: int = 10_000,
    seed: int = 0,
    groups: Groups | Sequence[object] | None = None,
) -> Resamples:
    """The same for means of any metric: ``values[i, j]`` of series i and detector j; nan values are skipped.

    ``groups`` names the collection of each series: then collections are drawn, each with all its series.
    """
    # Sorted by content, and in integer units, so that the order of the series does not change a sum.
    known = ~np.isnan(values)
    largest = float(np.abs(np.where(known, values, 0.0)).max(initial=0.0)) or 1.0
    bits = _WHOLE_BITS - math.ceil(math.log2(largest)) - math.ceil(math.log2(len(values) + 1))
    whole = np.rint(np.ldexp(np.where(known, values, 0.0), bits))
    counted = known.astype(np.float64)
    if groups is not None:
        collections = Groups.of(groups, len(values))
        whole, counted = group_sums(whole, collections)[0], group_sums(counted, collections)[0]
    order = np.lexsort((*counted.T, *whole.T))
    whole, counted = whole[order], counted[order]
    means = np.empty((resamples, values.shape[1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        for first, weights in drawn_weights(len(whole), resamples, seed):
            means[first : first + len(weights)] = np.ldexp((weights @ whole) / (weights @ counted), -bits)
        point = np.ldexp(whole.sum(axis=0) / counted.sum(axis=0), -bits)
    return Resamples(detectors, point, np.where(np.isnan(means), -np.inf, means), len(whole))


_WHOLE_BITS = 50


def drawn_weights(count: int, resamples: int, seed: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """How often each series is drawn, one row per resample, in blocks that fit the cache: (first resample, weights)."""
    random = np.random.default_rng(seed)
    for first in range(0, resamples, _BLOCK):
        rows = min(_BLOCK, resamples - first)
        drawn = random.integers(0, count, size=(rows, count), dtype=np.int32)
        drawn += (np.arange(rows, dtype=np.int32) * count)[:, np.newaxis]
        yield first, np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count).astype(np.float64)
