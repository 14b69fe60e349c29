"""The contribution of one series to a score: rewards and counts that add up exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import checked_beta, checked_zero_division, shown
from rangewise.model.result import Score

if TYPE_CHECKING:
    from rangewise.model.model import RangeModel

UNIT_BITS = 94
"""Rewards are whole numbers of ``2 ** -94`` (``RewardSum`` in cpp/overlap.hpp), so that addition is exact in any order."""


def whole_reward(high: int, low: int, ones: int) -> int:
    """A sum of rewards as the kernel gives it, in units of ``2 ** -94``."""
    return (high << 64 | low) + (ones << UNIT_BITS)


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
    if math.isinf(weight):
        return recall if precision else 0.0  # the limit of F
    divisor = weight * precision + recall
    return (1.0 + weight) * precision * recall / divisor if divisor else 0.0


def checked_f(precision: float, recall: float, beta: float) -> float:
    """F of a precision and a recall, with ``beta`` checked.

    >>> checked_f(0.5, 0.25, 1)
    0.3333333333333333
    """
    return f_score(precision, recall, checked_beta(beta))


def share(part: float, whole: float, zero_division: float) -> float:
    """``part`` of ``whole``; ``zero_division`` when there is no whole.

    >>> share(1, 4, 0.0), share(0, 0, 1.0)
    (0.25, 1.0)
    """
    nothing = checked_zero_division(zero_division)
    return float(part / whole) if whole else nothing


def f_scores(precision: NDArray[np.float64], recall: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """:func:`f_score` of whole arrays."""
    weight = beta * beta
    if math.isinf(weight):
        return np.where(precision == 0.0, 0.0 * recall, recall + 0.0 * precision)
    divisor = weight * precision
    divisor += recall
    # Where both are 0 the numerator is 0 too, so any divisor gives 0; nan stays nan.
    divisor[divisor == 0.0] = 1.0
    f = (1.0 + weight) * precision
    f *= recall
    f /= divisor
    return f


@dataclass(frozen=True, slots=True, repr=False)
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

    def __repr__(self) -> str:
        score = self.score()
        recall = f"recall {score.recall:.4g} of {self.real_ranges} real"
        return f"Tally({recall}, precision {score.precision:.4g} of {self.predicted_ranges} predicted, {self.model})"

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and the model's text, for JSON and for other machines."""
        return {item.name: getattr(self, item.name) for item in fields(self)} | {"model": str(self.model)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]] | None = None) -> Tally:
        """The inverse of :meth:`to_dict`; pass your own functions in ``functions``, as for :meth:`RangeModel.parse`.

        >>> import rangewise as rw
        >>> tally = rw.early.tally([(0, 4)], [(2, 6)])
        >>> rw.Tally.from_dict(tally.to_dict()) == tally
        True
        """
        from rangewise.model.model import RangeModel

        names = [item.name for item in fields(cls)]
        if not isinstance(values, Mapping):
            raise TypeError(f"a tally is read from a mapping with the keys {', '.join(names)}; got {shown(values)}")
        if set(values) != set(names):
            raise ValueError(f"a tally has the keys {', '.join(names)}; got {', '.join(map(str, values))}")
        counts = [values[name] for name in names[1:]]
        if not all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts):
            raise ValueError(f"rewards and numbers of ranges are whole numbers, 0 or more; got {counts}")
        for reward, ranges in (names[1:3], names[3:5]):
            if values[reward] > values[ranges] << UNIT_BITS:
                raise ValueError(
                    f"{reward} is {values[reward] / 2**UNIT_BITS:.4g} ranges' worth and {ranges} is {values[ranges]}; "
                    f"a range earns at most 1, which is 2**{UNIT_BITS}"
                )
        return cls(RangeModel.parse(values["model"], functions), *counts)
