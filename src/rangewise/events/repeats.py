"""Repeated answers of one detector, such as a language model that was asked five times: mean and spread of the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rangewise.checks import whole
from rangewise.inputs.ranges import RangesLike
from rangewise.model.model import RangeModel
from rangewise.model.result import Score


@dataclass(frozen=True)
class RepeatScores:
    """The score of each answer. ``refused`` and ``unreadable`` count answers without intervals, which are scored as empty predictions."""

    scores: tuple[Any, ...]
    refused: int = 0
    unreadable: int = 0

    def values(self, name: str = "f") -> list[float]:
        """One score of each answer, e.g. ``"precision"``; ``"f"`` is also the F1 of an event protocol."""
        return [float(getattr(score, "f1" if name == "f" and not hasattr(score, "f") else name)) for score in self.scores]

    def mean(self, name: str = "f") -> float:
        """The mean over the answers with a defined score; nan if there are none."""
        values = self._defined(name)
        return math.fsum(values) / len(values) if values else math.nan

    def standard_deviation(self, name: str = "f") -> float:
        """The sample standard deviation over the same answers; nan for a single answer."""
        values = self._defined(name)
        return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan

    def _defined(self, name: str) -> list[float]:
        return [value for value in self.values(name) if not math.isnan(value)]

    def __str__(self) -> str:
        values = self._defined("f") or [math.nan]
        lines = [f"F mean {self.mean():.4f}, standard deviation {self.standard_deviation():.4f}, {min(values):.4f} to {max(values):.4f}"]
        lines.append(f"{len(self.scores)} answers, {self.refused} refused, {self.unreadable} unreadable")
        return "\n".join(lines)


def score_repeats(
    real: RangesLike,
    answers: Sequence[RangesLike | None],
    *,
    model: RangeModel | None = None,
    score: Callable[[Any, Any], Any] | None = None,
    unreadable: int = 0,
) -> RepeatScores:
    """Score several predictions of the same series, with mean and spread.

    An answer of None has no intervals, because the detector refused or its answer could not be parsed. It is scored as an empty
    prediction. ``unreadable`` is the number of answers that could not be parsed; the other Nones count as refused.

    :param score: ``(real, predicted) -> score`` instead of a model, e.g. :func:`rangewise.score_events` with its options.

    >>> repeats = score_repeats([(10, 20)], [[(10, 20)], [(10, 15)], None])
    >>> repeats.values("recall"), round(repeats.mean("recall"), 3), repeats.refused
    ([1.0, 0.5, 0.0], 0.5, 1)
    """
    if not len(answers):
        raise ValueError("there are no answers to score; give at least one")
    missing = sum(answer is None for answer in answers)
    unreadable = whole("unreadable", unreadable, least=0, most=missing)
    if score is not None and model is not None:
        raise ValueError("model= and score= cannot be combined; give one of them")
    scores: Callable[[Any, Any], Score | Any] = score or (model or RangeModel()).score
    return RepeatScores(tuple(scores(real, [] if each is None else each) for each in answers), missing - unreadable, unreadable)
