"""What one series contributes to a score: rewards and counts that add up exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rangewise.model.score import Score

if TYPE_CHECKING:
    from rangewise.model.model import RangeModel

UNIT_BITS = 94
"""Rewards are whole numbers of ``2 ** -94`` (``RewardSum`` in cpp/overlap.hpp), so that addition is exact in any order."""


def mean_reward(reward: int, ranges: int, zero_division: float) -> float:
    """The average reward, correctly rounded; ``zero_division`` when there is no range."""
    return reward / (ranges << UNIT_BITS) if ranges else zero_division


def f_score(precision: float, recall: float, beta: float) -> float:
    r"""The weighted harmonic mean of precision and recall.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    From 0 to 1, higher is better; 0 when both are 0, nan when one of them is.

    >>> f_score(0.5, 0.25, 1.0)
    0.3333333333333333
    """
    if precision == 0.0 and recall == 0.0:
        return 0.0
    if math.isnan(precision) or math.isnan(recall):
        return math.nan
    weight = beta * beta
    return (1.0 + weight) * precision * recall / (weight * precision + recall)


@dataclass(frozen=True, slots=True)
class Tally:
    """Rewards earned and ranges present on each side of one series or of many.

    Rewards are whole numbers of ``2 ** -94``: tallies add up exactly, in any order and grouping.

    >>> import rangewise as rw
    >>> model = rw.RangeModel()
    >>> both = model.tally([(0, 4)], [(2, 6)]) + model.tally([(0, 4)], [(0, 4)])
    >>> both.score().recall
    0.75
    """

    model: RangeModel
    real_reward: int
    real_ranges: int
    predicted_reward: int
    predicted_ranges: int

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        if other.model != self.model:
            raise ValueError(f"tallies of different models do not add up: {self.model} and {other.model}")
        return Tally(
            self.model,
            self.real_reward + other.real_reward,
            self.real_ranges + other.real_ranges,
            self.predicted_reward + other.predicted_reward,
            self.predicted_ranges + other.predicted_ranges,
        )

    def __radd__(self, other: object) -> Tally:
        # sum() begins with 0.
        return self if other == 0 else NotImplemented

    def score(self) -> Score:
        """The pooled ("micro") score: every range counts the same, whichever series it is from."""
        model = self.model
        precision = mean_reward(self.predicted_reward, self.predicted_ranges, model.zero_division)
        recall = mean_reward(self.real_reward, self.real_ranges, model.zero_division)
        return Score(precision, recall, f_score(precision, recall, model.beta), model)
