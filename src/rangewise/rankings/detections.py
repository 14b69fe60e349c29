"""What each detector earns along alpha, from its predictions or from its scores and a policy for the threshold."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number, unknown_name
from rangewise.inputs.case import check_fits, check_no_nan, read_both, read_scores
from rangewise.inputs.gaps import closed_ranges, closed_scores
from rangewise.inputs.ranges import Ranges, RangesLike, array_of, as_ranges, read_side
from rangewise.model.model import RangeModel
from rangewise.model.tally import mean_reward
from rangewise.rankings.borders import Line, Track, best_track
from rangewise.rankings.settings import Family, Settings

ThresholdChoice: TypeAlias = "Mapping[str, float] | str | None"
"""``{name: threshold}``, ``"best-f"``, ``"equal-share"`` or ``"equal-share:0.05"``."""

_POLICIES = ("best-f", "equal-share")
_EXISTENCE = RangeModel(alpha=1.0)


@dataclass(frozen=True)
class Detection:
    """A detector's ranges on one series; or its scores, when each setting chooses a threshold of its own."""

    ranges: Ranges | None
    scores: NDArray[Any] | None = None
    threshold: float | None = None

    def tracks(self, settings: Settings, real: Ranges) -> dict[Family, Track]:
        """The detector's track under each family of settings."""
        if self.ranges is not None:
            return fixed_tracks(settings, real, self.ranges)
        return best_tracks(settings, real, self.scores)


@dataclass(frozen=True)
class Counts:
    """Sums over ranges: what the real side earns by existence and, under each bias and cardinality, by overlap; and precision's."""

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
    """A model for each cardinality and bias: one pass of the kernel each tells all about every alpha and beta."""
    return [settings.model(bias, cardinality) for cardinality in settings.cardinalities for bias in settings.biases]


def count(models: list[RangeModel], real: Ranges, predicted: Ranges) -> Counts:
    tallies = [model.tally(real, predicted) for model in models]
    existence = _EXISTENCE.tally(real, predicted)
    return Counts(
        existence.real_ranges,
        existence.predicted_ranges,
        existence.real_reward,
        tuple(tally.real_reward for tally in tallies),
        tuple(tally.predicted_reward for tally in tallies),
    )


def fixed_tracks(settings: Settings, real: Ranges, predicted: Ranges) -> dict[Family, Track]:
    """A prediction's track under each family of settings: one line, the same for every beta."""
    return tracks_of_lines(settings, count(kernel_models(settings), real, predicted).lines())


def tracks_of_lines(settings: Settings, lines: list[Line]) -> dict[Family, Track]:
    tracks = iter([Track((line,)) for line in lines for _ in settings.betas])
    return {family: next(tracks) for family in settings.families()}


def best_tracks(settings: Settings, real: Ranges, scores: Any) -> dict[Family, Track]:
    """A detector's track when every setting takes the threshold that is best for it."""
    existence = _EXISTENCE.curve(real, scores).recall
    found: dict[Family, Track] = {}
    for cardinality in settings.cardinalities:
        for bias in settings.biases:
            curve = settings.model(bias, cardinality).curve(real, scores)
            lines, thresholds = (curve.precision, curve.recall, existence), curve.thresholds.astype(np.float64)
            for beta in settings.betas:
                found[Family(bias, cardinality, beta)] = best_track(lines, thresholds, beta, settings.low, settings.high)
    return {family: found[family] for family in settings.families()}


def read_detections(
    real: RangesLike, predicted: Mapping[str, Any], threshold: ThresholdChoice, where: str = "", close_gaps: int = 0
) -> tuple[Ranges, dict[str, Detection]]:
    """The real ranges and each detector's detection; ``where`` is how complaints call the series."""
    real_ranges, length = read_side(real, f"{where}real")
    found: dict[str, Detection] = {}
    for name, given in predicted.items():
        scores = _scores_or_none(given, f"{where}{name}")
        try:
            if scores is None:
                side = read_both(real_ranges if length is None else real, given)[1]
                found[name] = Detection(closed_ranges(side, close_gaps, "the prediction"))
                continue
        except (ValueError, TypeError) as error:
            raise type(error)(f"{where}{name}: {error}") from None
        check_fits(real_ranges, length, len(scores), (f"{where}real", name))
        found[name] = _at_threshold(name, closed_scores(scores, close_gaps), real_ranges, threshold)
    return real_ranges, found


def check_names(predicted: Any) -> list[str]:
    """The names of the detectors, which are text."""
    if not isinstance(predicted, Mapping):
        raise TypeError(f"predicted names each detector: {{'a': ranges, 'b': ranges}}; got {type(predicted).__name__}")
    if not predicted:
        raise ValueError("predicted names no detector; give at least one, like {'a': ranges}")
    for name in predicted:
        if not isinstance(name, str):
            raise TypeError(f"a detector's name is text; got {name!r}")
    return list(predicted)


def check_same_series(real: Mapping[Any, Any], predicted: Mapping[str, Any]) -> None:
    """Over many series: real names at least one, and each detector the same ones."""
    if not real:
        raise ValueError("real names no series; give at least one, like {'monday': ranges}")
    for name, given in predicted.items():
        if not isinstance(given, Mapping):
            raise TypeError(f"real has a series a name, so {name} does too: {{series: ranges}}; got {type(given).__name__}")
        if odd := [series for series in (*real, *given) if series not in given or series not in real]:
            raise ValueError(f"{name} and real name different series: {odd[0]!r} is in one of them only")


def check_threshold(threshold: ThresholdChoice, names: list[str]) -> None:
    if threshold is None:
        return
    if isinstance(threshold, Mapping):
        for name, value in threshold.items():
            if name not in names:
                raise unknown_name("a detector with a threshold", name, tuple(names))
            if math.isnan(number(f"the threshold of {name}", value)):
                raise ValueError(f"the threshold of {name} is nan; give a number that scores can reach")
    elif isinstance(threshold, str):
        if threshold.partition(":")[0] not in _POLICIES:
            raise unknown_name("threshold", threshold, _POLICIES)
    else:
        raise TypeError(f"threshold is {{name: number}}, 'best-f' or 'equal-share'; got {threshold!r:.60}")


def _scores_or_none(given: Any, name: str) -> NDArray[Any] | None:
    """Scores, or None where the values are 0 and 1 or are pairs: a prediction."""
    if isinstance(given, Ranges):
        return None
    array = array_of(given, name)
    if array.ndim != 1 or array.dtype.kind not in "iuf" or bool(np.all((array == 0) | (array == 1))):
        return None
    scores = read_scores(array, name)
    check_no_nan(scores, f"{name}: ")
    return scores


def _at_threshold(name: str, scores: NDArray[Any], real: Ranges, threshold: ThresholdChoice) -> Detection:
    if threshold is None:
        raise ValueError(
            f"{name} holds scores, not 0 and 1; say where an alarm begins: "
            f"threshold={{{name!r}: 0.5}}, threshold='best-f' or threshold='equal-share'"
        )
    if threshold == "best-f":
        return Detection(None, scores)
    if isinstance(threshold, str):
        value = _equal_share(scores, _share(threshold, real, len(scores)))
    elif name not in threshold:
        raise ValueError(f"threshold has no number for {name}; it has {', '.join(map(str, threshold)) or 'none'}")
    else:
        value = float(threshold[name])
    return Detection(as_ranges(scores >= value), scores, value)


def _share(policy: str, real: Ranges, length: int) -> float:
    """The share to mark: as given, or as many points as are really anomalous."""
    given = policy.partition(":")[2]
    if not given:
        return float(real.lengths.sum()) / length
    try:
        share = float(given)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"equal-share takes a share of points in 0..1, like 'equal-share:0.05'; got {policy!r}")
    return share


def _equal_share(scores: NDArray[Any], share: float) -> float:
    """The threshold that marks the share of points nearest to this one; of two as near, the one that marks fewer. Maybe none."""
    values, numbers = np.unique(scores, return_counts=True)
    marked = np.concatenate([[0], np.cumsum(numbers[::-1])])
    at = int(np.argmin(np.abs(marked - share * len(scores))))
    return float(values[::-1][at - 1]) if at else float(np.inf)
