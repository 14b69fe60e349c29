"""Synthetic detectors with one known fault each, on one synthetic series, to measure the properties of metrics.

The series has 2,000 points and three anomalies of 60, 40 and 100 points. A scenario is what a detector predicts there, as labels; for a
metric of scores it becomes scores that are higher at every predicted point than anywhere else, over noise, so that no two are equal; its
value is then the mean of ten draws of the noise.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.ranges import Ranges
from rangewise.metrics.metric import Metric

POINTS = 2000
REAL = Ranges([(300, 360), (800, 840), (1400, 1500)])
DRAWS = 10
_RANDOM_RATE = 0.02
_ALARM = 6
_FAR = (100, 1750)

Labels = NDArray[np.int8]


@dataclass(frozen=True)
class Scenario:
    """A synthetic detector: its name, what it does, and its labels (random ones depend on the seed)."""

    name: str
    says: str
    labels: Callable[[int], Labels]
    random: bool = False


def labels_of(ranges: list[tuple[int, int]]) -> Labels:
    """Labels with 1 in the half-open ranges, which may overlap."""
    labels = np.zeros(POINTS, dtype=np.int8)
    for start, stop in ranges:
        labels[start:stop] = 1
    return labels


def noise(seed: int) -> NDArray[np.float64]:
    """Noise between 0 and one half, all values different."""
    return np.asarray((np.random.default_rng(seed).permutation(POINTS) + 1.0) / (2 * POINTS + 2))


def _random_labels(seed: int) -> Labels:
    labels = labels_of([])
    labels[np.random.default_rng(seed).choice(POINTS, round(_RANDOM_RATE * POINTS), replace=False)] = 1
    return labels


def _fixed(name: str, says: str, labels: Labels) -> Scenario:
    return Scenario(name, says, lambda seed: labels)


def _of_each(piece: Callable[[int, int], tuple[int, int]]) -> Labels:
    return labels_of([piece(start, stop) for start, stop in REAL])


def _every_second() -> Labels:
    labels = REAL.to_labels(POINTS).astype(np.int8)
    labels[1::2] = 0
    return labels


_PERFECT = REAL.to_labels(POINTS).astype(np.int8)
_ONE_ALARM, _TWO_ALARMS = (_PERFECT | labels_of([(at, at + _ALARM) for at in _FAR[:count]]) for count in (1, 2))

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        _fixed("perfect", "predicts exactly the real ranges", _PERFECT),
        Scenario("random 2 %", "predicts 2 % of the points at random (for scores: random scores); mean of 10 draws",
                 _random_labels, random=True),
        _fixed("all ones", "predicts every point (for scores: a constant)", labels_of([(0, POINTS)])),
        _fixed("first point", "predicts the first point of each range", _of_each(lambda start, stop: (start, start + 1))),
        _fixed("last point", "predicts the last point of each range", _of_each(lambda start, stop: (stop - 1, stop))),
        _fixed("half front", "predicts the first half of each range", _of_each(lambda start, stop: (start, (start + stop) // 2))),
        _fixed("half back", "predicts the last half of each range", _of_each(lambda start, stop: ((start + stop) // 2, stop))),
        _fixed("every second", "predicts every second point of each range", _every_second()),
        _fixed("near miss", "predicts the 8 points before each range", _of_each(lambda start, stop: (start - 8, start))),
        _fixed("far miss", "predicts 8 points 200 points before each range", _of_each(lambda start, stop: (start - 200, start - 192))),
        _fixed("1 false alarm", f"is perfect, except for one false alarm of {_ALARM} points far away", _ONE_ALARM),
        _fixed("2 false alarms", f"is perfect, except for two false alarms of {_ALARM} points", _TWO_ALARMS),
        _fixed("1 long alarm", f"is perfect, except for one false alarm of {2 * _ALARM} points",
               _PERFECT | labels_of([(_FAR[0], _FAR[0] + 2 * _ALARM)])),
        _fixed("lag 5", "predicts each range 5 points late", _of_each(lambda start, stop: (start + 5, stop + 5))),
        _fixed("lag 20", "predicts each range 20 points late", _of_each(lambda start, stop: (start + 20, stop + 20))),
        _fixed("short missed", "is perfect, but misses the shortest range", labels_of([(300, 360), (1400, 1500)])),
        _fixed("long missed", "is perfect, but misses the longest range", labels_of([(300, 360), (800, 840)])),
    )
}  # fmt: skip
"""The artificial detectors that properties are measured on, by name."""


def value_of(metric: Metric, scenario: str) -> float:
    """The metric's value for a scenario, the mean where there are draws; nan when it has none."""
    return float(np.mean(values_of(metric, scenario)))


@cache
def values_of(metric: Metric, scenario: str) -> tuple[float, ...]:
    """One value per random draw of a scenario: of its predicted points, or of the noise in its scores."""
    made = SCENARIOS[scenario]
    if metric.needs == "labels":
        return tuple(evaluate(metric, REAL, made.labels(seed)) for seed in range(DRAWS if made.random else 1))
    if scenario == "all ones":
        return (evaluate(metric, REAL, np.ones(POINTS)),) * DRAWS
    return tuple(evaluate(metric, REAL, noise(seed) if made.random else made.labels(0) + noise(seed)) for seed in range(DRAWS))


def evaluate(metric: Metric, real: Ranges, second: NDArray[Any]) -> float:
    """The metric's value for labels or scores of a whole series, without the warnings that synthetic detectors cause."""
    length = {"length": len(second)} if metric.takes_length else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return metric.function(real, second if metric.needs == "scores" else Ranges.from_labels(second), **length)
