"""The rewards of each detector along alpha: sums over ranges, and the lines that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.inputs.case import Case, refuse_weights
from rangewise.inputs.ranges import Ranges, trusted_ranges
from rangewise.model.model import RangeModel
from rangewise.model.rewards import tally_rules
from rangewise.model.tally import UNIT_BITS, mean_reward
from rangewise.rankings.borders import Line, Track, best_track
from rangewise.rankings.settings import Family, Settings

_EXISTENCE = RangeModel(alpha=1.0)
_LAST_PLACE = 2**62
"""Series are put end to end up to this place; beyond it, places would overflow."""
_LOW_BITS = 64


@dataclass(frozen=True)
class Counts:
    """Sums over ranges: the existence reward, and under each bias and cardinality the overlap reward and precision."""

    real_ranges: int
    predicted_ranges: int
    existence: int
    overlap: tuple[int, ...]
    correct: tuple[int, ...]

    def lines(self) -> list[Line]:
        existence = mean_reward(self.existence, self.real_ranges, 0.0)
        return [
            Line(mean_reward(correct, self.predicted_ranges, 0.0), mean_reward(overlap, self.real_ranges, 0.0), existence)
            for overlap, correct in zip(self.overlap, self.correct, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class SeriesCounts:
    """The sums of one detector on each of many series.

    ``words`` has, by series and by model (the last one is existence), the high and low word of the real and of the predicted reward.
    """

    real_ranges: NDArray[np.int64]
    predicted_ranges: NDArray[np.int64]
    words: NDArray[np.uint64]

    def total(self) -> Counts:
        """The exact sums over all series."""
        sums = [[sum(column.tolist()) for column in model.T] for model in self.words.swapaxes(0, 1)]
        *models, existence = [(high << _LOW_BITS) + low for high, low, _, _ in sums]
        correct = tuple((high << _LOW_BITS) + low for _, _, high, low in sums[:-1])
        return Counts(int(self.real_ranges.sum()), int(self.predicted_ranges.sum()), existence, tuple(models), correct)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """The rewards as numbers: series x models x (real, predicted)."""
        pairs = self.words.reshape(*self.words.shape[:2], 2, 2).astype(np.float64)
        rewards: NDArray[np.float64] = pairs[..., 0] * 2.0 ** (_LOW_BITS - UNIT_BITS) + pairs[..., 1] * 2.0**-UNIT_BITS
        return rewards


@lru_cache(maxsize=16)
def kernel_models(settings: Settings) -> list[RangeModel]:
    """One model per cardinality and bias: one pass of the kernel for each covers every alpha and beta."""
    return [settings.model(bias, cardinality) for cardinality in settings.cardinalities for bias in settings.biases]


def count(models: list[RangeModel], case: Case) -> Counts:
    """The sums of one prediction."""
    tallies = [model.tally(case) for model in models]
    existence = _EXISTENCE.tally(case)
    return Counts(
        existence.real_ranges,
        existence.predicted_ranges,
        existence.real_reward,
        tuple(tally.real_reward for tally in tallies),
        tuple(tally.predicted_reward for tally in tallies),
    )


def count_series(models: list[RangeModel], cases: Sequence[Case]) -> SeriesCounts:
    """The sums of one detector on each of its series: one kernel call per model for all of them."""
    placed = end_to_end(cases)
    # Tables of a user's functions for all series at once may become too long.
    choices = ("recall_bias", "precision_bias", "recall_cardinality", "precision_cardinality")
    if placed is None or any(callable(getattr(model, choice)) for model in models for choice in choices):
        counts = [count(models, case) for case in cases]
        rewards = [[*zip(one.overlap, one.correct, strict=True), (one.existence, 0)] for one in counts]
        words = [[[part for reward in pair for part in divmod(reward, 1 << _LOW_BITS)] for pair in row] for row in rewards]
        real, predicted = np.array([(one.real_ranges, one.predicted_ranges) for one in counts], dtype=np.int64).T
        return SeriesCounts(real, predicted, np.array(words, dtype=np.uint64))
    (real_side, predicted_side), borders = placed
    sides = np.asarray(real_side), np.asarray(predicted_side)
    tallied = [kernel.tally_series(*sides, borders, *tally_rules(model, real_side, predicted_side)) for model in (*models, _EXISTENCE)]
    return SeriesCounts(tallied[-1][1], tallied[-1][2], np.stack([words.reshape(-1, 4) for words, *_ in tallied], axis=1))


def end_to_end(cases: Sequence[Case]) -> tuple[tuple[Ranges, Ranges], NDArray[np.int64]] | None:
    """Both sides of all cases, one series after the other, and where each series begins and ends; None if places would overflow."""
    for case in cases:
        refuse_weights(case.weights, "a tally")
    columns = tuple(zip(*(case.sides() for case in cases), strict=True))
    bounds = [np.concatenate([np.asarray(ranges) for ranges in column]) for column in columns]
    counts = [np.array([len(ranges) for ranges in column]) for column in columns]
    # At least 1, because borders must rise: a series may have no range.
    lengths = np.maximum(*(np.array([ranges.stops[-1] if len(ranges) else 1 for ranges in column]) for column in columns))
    if lengths.sum(dtype=np.float64) > _LAST_PLACE:
        return None
    borders = np.concatenate([[0], np.cumsum(lengths)])
    real, predicted = (
        trusted_ranges(all_ranges + np.repeat(borders[:-1], each)[:, None]) for all_ranges, each in zip(bounds, counts, strict=True)
    )
    return (real, predicted), borders


def case_tracks(settings: Settings, case: Case) -> dict[Family, Track]:
    """The track of a case under each family of settings; each setting uses its best threshold if none was chosen."""
    if case.predicted is not None:
        return tracks_of_lines(settings, count(kernel_models(settings), case).lines())
    existence = _EXISTENCE.curve(case).recall
    tracks: dict[Family, Track] = {}
    for model in kernel_models(settings):
        curve = model.curve(case)
        lines, thresholds = (curve.precision, curve.recall, existence), curve.thresholds.astype(np.float64)
        for beta in settings.betas:
            family = Family(model.recall_bias, model.recall_cardinality, beta)
            tracks[family] = best_track(lines, thresholds, beta, settings.low, settings.high)
    return tracks


def tracks_of_lines(settings: Settings, lines: list[Line]) -> dict[Family, Track]:
    """One line for each cardinality and bias, the same for every beta."""
    tracks = iter([Track((line,)) for line in lines for _ in settings.betas])
    return {family: next(tracks) for family in settings.families()}
