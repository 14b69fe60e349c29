"""The certainty of a ranking over many series, by resampling the series (cluster bootstrap)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rangewise.model.tally import f_scores
from rangewise.rankings.borders import EQUAL, coefficients
from rangewise.rankings.settings import Settings
from rangewise.rankings.tracks import SeriesCounts

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
        models = [(at, beta) for at in range(self.precision.shape[2]) for beta in self.settings.betas]
        holds = np.ones((len(self), self.existence.shape[1], self.existence.shape[1]), dtype=bool)
        for at, beta in models:
            for alpha in (low, high):
                f = self._f(at, alpha, beta)
                holds &= f[:, :, None] >= (f - EQUAL * f)[:, None, :]
        # The quadratic is lowest at an end or at its vertex. Evaluate F there: where F is 0 the quadratic is not meaningful.
        drawn, *pair = np.nonzero(holds)
        left = np.flatnonzero(holds)
        one, other = (drawn * holds.shape[1] + who for who in pair)
        for at, beta in models:
            parts = [np.ravel(part) for part in (self.precision[:, :, at], self.overlap[:, :, at], self.existence)]
            lines = [tuple(part[who] for part in parts) for who in (one, other)]
            _, c1, c2 = coefficients(lines[0], lines[1], beta)
            with np.errstate(divide="ignore", invalid="ignore"):
                vertex = np.clip(np.nan_to_num(-c1 / (2 * c2), nan=low), low, high)
            mine, theirs = (f_scores(p, o + vertex * (e - o), beta) for p, o, e in lines)
            kept = mine >= theirs - EQUAL * theirs
            left, one, other = left[kept], one[kept], other[kept]
        holds[...] = False
        holds.ravel()[left] = True
        shares: Array = holds.mean(axis=0)
        return shares


def resample(settings: Settings, counts: Sequence[SeriesCounts], resamples: int, seed: int) -> RankingResamples:
    """Resample all series with replacement, ``resamples`` times; ``counts`` are by detector."""
    if resamples < 1:
        raise ValueError(f"resamples must be 1 or more; got {resamples}")
    series = len(counts[0].real_ranges)
    weights = np.random.default_rng(seed).multinomial(series, np.full(series, 1 / series), size=resamples).astype(np.float64)

    def pooled(values: Sequence[Array]) -> Array:
        """Sums over the drawn series: resamples x detectors (x models x sides)."""
        sums: Array = np.tensordot(weights, np.stack(values, axis=1), axes=(1, 0))
        return sums

    real, predicted = (np.maximum(pooled([getattr(one, name) for one in counts]), 1.0) for name in ("real_ranges", "predicted_ranges"))
    rewards = pooled([one.rewards for one in counts])
    overlap, precision = rewards[..., 0] / real[:, :, None], rewards[:, :, :-1, 1] / predicted[:, :, None]
    return RankingResamples(settings, precision, overlap[:, :, :-1], overlap[:, :, -1])
