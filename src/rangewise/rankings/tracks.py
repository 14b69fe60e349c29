"""The rewards of each detector along alpha: sums over ranges, and the lines that follow from them."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rangewise.inputs.case import Case
from rangewise.model.model import RangeModel
from rangewise.model.tally import mean_reward
from rangewise.rankings.borders import Line, Track, best_track
from rangewise.rankings.settings import Family, Settings

_EXISTENCE = RangeModel(alpha=1.0)


@dataclass(frozen=True)
class Counts:
    """Sums over ranges: the existence reward, and under each bias and cardinality the overlap reward and precision."""

    real_ranges: int
    predicted_ranges: int
    existence: int
    overlap: tuple[int, ...]
    correct: tuple[int, ...]

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.real_ranges + other.real_ranges,
            self.predicted_ranges + other.predicted_ranges,
            self.existence + other.existence,
            tuple(map(operator.add, self.overlap, other.overlap)),
            tuple(map(operator.add, self.correct, other.correct)),
        )

    def lines(self) -> list[Line]:
        existence = mean_reward(self.existence, self.real_ranges, 0.0)
        return [
            Line(mean_reward(correct, self.predicted_ranges, 0.0), mean_reward(overlap, self.real_ranges, 0.0), existence)
            for overlap, correct in zip(self.overlap, self.correct, strict=True)
        ]


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


def case_tracks(settings: Settings, case: Case) -> dict[Family, Track]:
    """The track of a case under each family of settings; each setting uses its best threshold if none was chosen."""
    if case.predicted is not None:
        return tracks_of_lines(settings, count(kernel_models(settings), case).lines())
    return _best_tracks(settings, case)


def tracks_of_lines(settings: Settings, lines: list[Line]) -> dict[Family, Track]:
    """One line for each cardinality and bias, the same for every beta."""
    tracks = iter([Track((line,)) for line in lines for _ in settings.betas])
    return {family: next(tracks) for family in settings.families()}


def _best_tracks(settings: Settings, case: Case) -> dict[Family, Track]:
    existence = _EXISTENCE.curve(case).recall
    tracks: dict[Family, Track] = {}
    for cardinality in settings.cardinalities:
        for bias in settings.biases:
            curve = settings.model(bias, cardinality).curve(case)
            lines, thresholds = (curve.precision, curve.recall, existence), curve.thresholds.astype(np.float64)
            for beta in settings.betas:
                tracks[Family(bias, cardinality, beta)] = best_track(lines, thresholds, beta, settings.low, settings.high)
    return {family: tracks[family] for family in settings.families()}
