"""The certainty of a ranking over many series, by resampling the series (cluster bootstrap)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rangewise.model.tally import UNIT_BITS, f_scores
from rangewise.rankings.borders import EQUAL, coefficients
from rangewise.rankings.settings import Settings
from rangewise.rankings.tracks import Counts

FIRM = 0.95
"""Dominance that holds in this share of the resamples is called firm."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RankingResamples:
    """Pooled mean rewards: ``precision`` and ``overlap`` by resample, detector and (cardinality, bias), ``existence`` by the first two."""

    settings: Settings
    precision: Array
    overlap: Array
    existence: Array

    def __len__(self) -> int:
        return len(self.existence)

    def _f(self, at: int, alpha: float | Array, beta: float) -> Array:
        overlap = self.overlap[:, :, at]
        return f_scores(self.precision[:, :, at], overlap + alpha * (self.existence - overlap), beta)

    def lead_shares(self, at: int, alpha: float, beta: float) -> list[float]:
        """The share of resamples in which each detector leads, under the ``at``-th cardinality and bias; ties are split."""
        f = self._f(at, alpha, beta)
        best = f.max(axis=1, keepdims=True)
        leads = f >= best - EQUAL * np.abs(best)
        shares: list[float] = (leads / leads.sum(axis=1, keepdims=True)).mean(axis=0).tolist()
        return shares

    def never_below(self) -> Array:
        """The share of resamples in which one detector (row) is never below another (column), under any of the settings."""
        low, high = self.settings.low, self.settings.high
        holds = np.ones((len(self), self.existence.shape[1], self.existence.shape[1]), dtype=bool)
        for at in range(self.precision.shape[2]):
            parts = self.precision[:, :, at], self.overlap[:, :, at], self.existence
            one, other = tuple(part[:, :, None] for part in parts), tuple(part[:, None, :] for part in parts)
            for beta in self.settings.betas:
                _, c1, c2 = coefficients(one, other, beta)
                # The quadratic is lowest at an end or at its vertex. Evaluate F there: where F is 0 the quadratic is not meaningful.
                with np.errstate(divide="ignore", invalid="ignore"):
                    vertex = np.clip(np.nan_to_num(-c1 / (2 * c2), nan=low), low, high)
                for alpha in (low, high, vertex):
                    mine, theirs = (
                        f_scores(np.broadcast_to(p, vertex.shape), np.broadcast_to(o + alpha * (e - o), vertex.shape), beta)
                        for p, o, e in (one, other)
                    )
                    holds &= mine >= theirs - EQUAL * theirs
        shares: Array = holds.mean(axis=0)
        return shares


def resample(settings: Settings, counts: Sequence[Sequence[Counts]], resamples: int, seed: int) -> RankingResamples:
    """Resample all series with replacement, ``resamples`` times; ``counts`` are by detector and then by series."""
    if resamples < 1:
        raise ValueError(f"resamples must be 1 or more; got {resamples}")
    series = len(counts[0])
    weights = np.random.default_rng(seed).multinomial(series, np.full(series, 1 / series), size=resamples).astype(np.float64)

    def pooled(name: str) -> Array:
        """Sums over the drawn series: resamples x detectors (x settings)."""
        values = np.array([[getattr(one, name) for one in row] for row in counts], dtype=np.float64)
        sums: Array = np.tensordot(weights, values, axes=(1, 1))
        return sums

    def mean(rewards: Array, ranges: Array) -> Array:
        return rewards * 0.5**UNIT_BITS / np.maximum(ranges, 1.0)

    real, predicted = pooled("real_ranges"), pooled("predicted_ranges")
    precision, overlap = mean(pooled("correct"), predicted[:, :, None]), mean(pooled("overlap"), real[:, :, None])
    return RankingResamples(settings, precision, overlap, mean(pooled("existence"), real))
