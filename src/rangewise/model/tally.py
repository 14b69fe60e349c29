"""The contribution of one series to a score: rewards and counts that add up exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import checked_beta, checked_zero_division
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


@dataclass(frozen=True, slots=True)
class MacroScore:
    """The mean of the scores of single series, and the number of series without predicted and without real ranges."""

    precision: float
    recall: float
    f: float
    series: int
    undefined_precision: int
    undefined_recall: int


def macro(tallies: Iterable[Tally]) -> MacroScore:
    """The mean over series ("macro") of precision, of recall and of F: every series counts the same, however many ranges it has.

    The means are over the series that have a real range: without one, recall and F are undefined. False alarms in other series count in
    pooled scores only. With ``zero_division=1.0`` all series count. From 0 to 1, higher is better; nan when no series has a value.

    >>> import rangewise as rw
    >>> macro([rw.RangeModel().tally([(0, 4)], [(2, 6)]), rw.RangeModel().tally([(0, 4)], []), rw.RangeModel().tally([], [])])
    MacroScore(precision=0.25, recall=0.25, f=0.25, series=3, undefined_precision=2, undefined_recall=1)
    """
    added = list(tallies)
    if len({tally.model for tally in added}) > 1:
        raise ValueError("the mean over series needs tallies of one model; got several models")
    scores = [tally.score() for tally in added]
    values = np.array([(score.precision, score.recall, score.f) for score in scores], dtype=np.float64).reshape(-1, 3).T
    counts = np.array([(tally.real_ranges, tally.predicted_ranges) for tally in added], dtype=np.int64).reshape(-1, 2).T
    return mean_of_series(added[0].model.zero_division if added else 0.0, *values, *counts)


def mean_of_series(
    zero_division: float,
    precision: NDArray[np.float64],
    recall: NDArray[np.float64],
    f: NDArray[np.float64],
    real_ranges: NDArray[np.int64],
    predicted_ranges: NDArray[np.int64],
) -> MacroScore:
    """:func:`macro` of scores that are known already."""
    counted = in_means(zero_division, real_ranges)
    means = [defined_mean(values[counted].tolist()) for values in (precision, recall, f)]
    no_precision, no_recall = (int(np.count_nonzero(counts == 0)) for counts in (predicted_ranges, real_ranges))
    return MacroScore(means[0], means[1], means[2], len(f), no_precision, no_recall)


def in_means(zero_division: float, real_ranges: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which series a mean over series counts: those with a real range; all, if it was chosen that an empty series scores 1."""
    return np.asarray((real_ranges > 0) | (zero_division == 1.0))


def defined_mean(values: Sequence[float]) -> float:
    """The mean without nan; nan if nothing remains."""
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan
