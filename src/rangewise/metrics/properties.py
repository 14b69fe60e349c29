"""Properties expected of every metric, measured on synthetic detectors; a metric's row lists those that it breaks.

Most broken properties are faults; some are choices of design: :attr:`MetricProperty.choice`. Sources: Tatbul et al. (2018),
Kim et al. (2022), Huet et al. (2022), Wagner et al. (2023), Sorbo and Ruocco (2024), Paparrizos et al. (2022), Bhattacharya et al. (2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.ranges import Ranges
from rangewise.metrics.metric import Metric
from rangewise.metrics.scenarios import DRAWS, POINTS, REAL, SCENARIOS, Labels, evaluate, labels_of, noise, value_of, values_of

_CLOSE = 1e-9
_CHANCE, _EVERYTHING = 0.3, 0.5
_PAD = 500
_WALKS, _STEPS = 2, 40
_ALLOWANCE = 0.02


@dataclass(frozen=True)
class Measurement:
    """Whether a property holds for a metric, and the measurement as text, worded for a violation."""

    holds: bool
    words: str


@dataclass(frozen=True)
class MetricProperty:
    """A property: its name, its statement, and the function that measures it, which returns ``None`` if it does not apply."""

    name: str
    says: str
    measure: Callable[[Metric], Measurement | None]
    choice: bool = False
    """Whether some metrics break it by design, so that it is not a fault."""


def broken_properties(metric: Metric) -> tuple[str, ...]:
    """The names of the properties that a metric breaks, measured now; also of one that is not in the table.

    >>> from rangewise.metrics import METRICS, Metric
    >>> "random" in broken_properties(METRICS["point_adjust_fbeta"])
    True
    >>> always = Metric(name="always", function=lambda real, predicted: 1.0, family="point", summary="", reference="", page="")
    >>> broken_properties(always)[:3]
    ('nothing', 'random', 'all-ones')
    """
    measured = ((prop.name, prop.measure(metric)) for prop in PROPERTIES.values())
    return tuple(name for name, finding in measured if finding is not None and not finding.holds)


def _bounded(metric: Metric) -> Measurement:
    values = {name: value_of(metric, name) for name in SCENARIOS}
    for name, value in values.items():
        if not (metric.low <= value <= metric.high or (math.isnan(value) and math.isnan(metric.nothing))):
            return Measurement(False, f"{name} gives {value:.3g}")
    return Measurement(True, "every synthetic detector stays within them")


def _perfect(metric: Metric) -> Measurement:
    value = value_of(metric, "perfect")
    return Measurement(value == metric.best, f"a perfect detector gets {value:.3g}")


def _nothing(metric: Metric) -> Measurement | None:
    if metric.needs == "scores":
        return None
    value = evaluate(metric, REAL, labels_of([]))
    same = value == metric.nothing or (math.isnan(value) and math.isnan(metric.nothing))
    return Measurement(same, f"a silent detector gets {value:.3g}")


def _share(metric: Metric, value: float) -> float | None:
    """A value on a scale from 0, the least or what silence gets, to 1; None where there is no such scale."""
    if math.isinf(metric.high):
        return None
    return value if math.isinf(metric.low) else (value - metric.low) / (metric.high - metric.low) if metric.low >= 0 else value


def _below(limit: float, scenario: str, fires: str, scores: str) -> Callable[[Metric], Measurement | None]:
    """A property that a scenario, described for labels and for scores, stays below a limit."""

    def measure(metric: Metric) -> Measurement | None:
        value = value_of(metric, scenario)
        share = _share(metric, value)
        what = scores if metric.needs == "scores" else fires
        return None if share is None else Measurement(share < limit, f"{what} reaches {value:.2f}")

    return measure


def _ties(metric: Metric) -> Measurement | None:
    if metric.needs == "labels":
        return None
    random, constant = values_of(metric, "random 2 %"), value_of(metric, "all ones")
    two = float(np.mean([evaluate(metric, REAL, np.round(2 * noise(seed))) for seed in range(DRAWS)]))
    allowed = float(np.mean(random)) + _doubt(np.array(random)) + _ALLOWANCE
    words = f"a constant score gets {constant:.2f}, two random levels {two:.2f}, random scores without ties {np.mean(random):.2f}"
    return Measurement(constant <= allowed and two <= allowed, words)


def _increasing(metric: Metric) -> Measurement | None:
    if metric.needs == "labels":
        return None
    scores = SCENARIOS["lag 5"].labels(0) + noise(0)
    one, other = (evaluate(metric, REAL, made) for made in (scores, np.exp(3 * scores)))
    return Measurement(one == other, f"{one:.3g} becomes {other:.3g} when scores go through exp")


def _coverage(metric: Metric) -> Measurement:
    one, half, whole = (value_of(metric, name) for name in ("first point", "half front", "perfect"))
    rising = metric.merit(one) < metric.merit(half) < metric.merit(whole)
    return Measurement(rising, f"one point per range gets {one:.2f}, half of each range {half:.2f}, all of it {whole:.2f}")


def _false_alarm(metric: Metric) -> Measurement:
    without, one, two = (value_of(metric, name) for name in ("perfect", "1 false alarm", "2 false alarms"))
    falling = metric.merit(without) > metric.merit(one) > metric.merit(two)
    return Measurement(falling, f"perfect gets {without:.3g}, with one false alarm {one:.3g}, with two {two:.3g}")


def _ordered(better: str, worse: str, holds: Callable[[float, float], bool]) -> Callable[[Metric], Measurement]:
    """A property of the lead of one scenario over another and of its doubt."""

    def measure(metric: Metric) -> Measurement:
        lead, doubt, words = _compared(metric, better, worse)
        return Measurement(holds(lead, doubt), words)

    return measure


def _at_least(better: str, worse: str) -> Callable[[Metric], Measurement]:
    """A property that one scenario is worth no less than another."""
    return _ordered(better, worse, lambda lead, doubt: lead >= -doubt)


def _more_than(better: str, worse: str) -> Callable[[Metric], Measurement]:
    """A property that one scenario is worth more than another."""
    return _ordered(better, worse, lambda lead, doubt: lead > doubt)


def _compared(metric: Metric, one: str, other: str) -> tuple[float, float, str]:
    """By how much one scenario is better than another in the mean of the draws, how much of that chance explains, and both as text."""
    values = [values_of(metric, name) for name in (one, other)]
    words = ", ".join(f"{name} {np.mean(draws):.3f}" for name, draws in zip((one, other), values, strict=True))
    merits = [[metric.merit(value) for value in draws] for draws in values]
    if any(np.isinf(merits).ravel()):
        lead = float(np.isinf(merits[1]).any()) - float(np.isinf(merits[0]).any())
        return lead, 0.0, words
    difference = np.array(merits[0]) - np.array(merits[1])
    return float(difference.mean()), _doubt(difference), words


def _doubt(draws: NDArray[np.float64]) -> float:
    """Three standard errors of the mean of draws, and what rounding explains."""
    return _CLOSE + 3.0 * float(draws.std(ddof=1)) / math.sqrt(len(draws)) if len(draws) > 1 else _CLOSE


def _unchanged(
    metric: Metric, names: Sequence[str], real: Ranges, changed: Callable[[Labels], Labels], words: str, kept: str
) -> Measurement:
    """Whether made detectors keep their values when the series changes."""
    for name in names:
        made = _second(metric, SCENARIOS[name].labels(0))
        one, other = evaluate(metric, REAL, made), evaluate(metric, real, changed(made))
        if not _same(one, other):
            return Measurement(False, f"{name} gets {one:.3f}, and {other:.3f} {words}")
    return Measurement(True, kept)


def _mirror(metric: Metric) -> Measurement:
    turned = Ranges([(POINTS - stop, POINTS - start) for start, stop in reversed(list(REAL))])
    names = ("half front", "lag 5", "near miss", "first point")
    return _unchanged(metric, names, turned, np.flip, "with time reversed", "reversing time changes nothing")


def _padding(metric: Metric) -> Measurement:
    padded = Ranges([(start + _PAD, stop + _PAD) for start, stop in REAL])
    names, words = ("half front", "lag 5", "1 false alarm"), f"with {_PAD} normal points before and after"
    return _unchanged(metric, names, padded, lambda made: np.pad(made, _PAD), words, "normal points before and after change nothing")


def _doubling(metric: Metric) -> Measurement:
    twice = Ranges([*REAL, *((start + POINTS, stop + POINTS) for start, stop in REAL)])
    names, words = ("half front", "lag 5", "1 false alarm", "short missed"), "when the series is repeated"
    return _unchanged(metric, names, twice, lambda made: np.tile(made, 2), words, "repeating the series changes nothing")


def _walk(metric: Metric, *, real_points: bool, words: str) -> Measurement:
    """A random prediction that is corrected point by point: the value must never fall."""
    for seed in range(_WALKS):
        before = math.nan
        for labels in _turned_right(seed, real_points):
            value = evaluate(metric, REAL, _second(metric, labels))
            if metric.merit(value) < metric.merit(before) - _CLOSE:
                return Measurement(False, f"{words} changes {before:.5f} to {value:.5f}")
            before = value
    return Measurement(True, f"{words} never made it worse")


def _turned_right(seed: int, real_points: bool) -> Iterator[Labels]:
    """Predictions around the real ranges, in pieces, whose wrong points are corrected one after the other."""
    rng = np.random.default_rng(seed)
    real = REAL.to_labels(POINTS).astype(bool)
    near = np.convolve(real, np.ones(41), mode="same") > 0
    labels = ((np.convolve(rng.random(POINTS), np.ones(3) / 3, mode="same") > 0.5) & near).astype(np.int8)
    wrong = np.flatnonzero((labels == 0) & real if real_points else (labels == 1) & ~real)
    yield labels.copy()
    for point in rng.permutation(wrong)[:_STEPS]:
        labels[point] = 1 - labels[point]
        yield labels.copy()


def _labels_as_scores(metric: Metric) -> Measurement | None:
    """The best of a metric over the thresholds of 0/1 scores is that of the labels, or of predicting everything."""
    from rangewise.metrics.table import METRICS

    if metric.needs == "labels" or metric.of_labels not in METRICS:
        return None
    twin = METRICS[metric.of_labels]
    for name in ("half front", "lag 5", "2 false alarms"):
        labels = SCENARIOS[name].labels(0)
        expected = max(evaluate(twin, REAL, labels), value_of(twin, "all ones"))
        value = evaluate(metric, REAL, labels.astype(float))
        if not math.isclose(value, expected, abs_tol=_CLOSE):
            return Measurement(False, f"the labels of {name} as scores get {value:.3f}, {twin.name} gives {expected:.3f}")
    return Measurement(True, f"0/1 scores get what {twin.name} gives the labels")


def _second(metric: Metric, labels: Labels) -> NDArray[Any]:
    return labels + noise(0) if metric.needs == "scores" else labels


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE) or (math.isnan(one) and math.isnan(other))


PROPERTIES: dict[str, MetricProperty] = {
    prop.name: prop
    for prop in (
        MetricProperty("bounded", "every value lies within the metric's bounds", _bounded),
        MetricProperty("perfect", "a perfect detector gets the best value", _perfect),
        MetricProperty("nothing", "a silent detector has the value in the table", _nothing),
        MetricProperty("random", f"a detector that fires at random stays below {_CHANCE}",
                       _below(_CHANCE, "random 2 %", "a detector that fires at random", "a random score")),
        MetricProperty("all-ones", f"a detector that always fires stays below {_EVERYTHING}",
                       _below(_EVERYTHING, "all ones", "a detector that always fires", "a constant score")),
        MetricProperty("ties", "a score with few levels gains nothing over a random one", _ties),
        MetricProperty("increasing", "only the order of the scores matters", _increasing),
        MetricProperty("labels", "0/1 labels as scores get what the labels get", _labels_as_scores),
        MetricProperty("coverage", "one point per range is worth less than half of it, and half less than all", _coverage),
        MetricProperty("false-alarm", "a false alarm makes the value worse, and a second one again", _false_alarm),
        MetricProperty("lag", "a lag of 5 points is worth no less than one of 20", _at_least("lag 5", "lag 20")),
        MetricProperty("early", "the first half of a range is worth no less than its last half", _at_least("half front", "half back")),
        MetricProperty("fragments", "every second point is worth no more than half a range in one piece",
                       _at_least("half front", "every second")),
        MetricProperty("long-miss", "missing the longest range costs no less than missing the shortest",
                       _at_least("short missed", "long missed")),
        MetricProperty("more-hits", "finding one more point of a range never makes the value worse",
                       partial(_walk, real_points=True, words="one more point found")),
        MetricProperty("fewer-false", "one false point fewer never makes the value worse",
                       partial(_walk, real_points=False, words="one false point fewer")),
        MetricProperty("near-miss", "an alarm just before a range is worth more than one far away",
                       _more_than("near miss", "far miss"), choice=True),
        MetricProperty("events-equal", "missing a short range costs as much as missing a long one",
                       _ordered("short missed", "long missed", lambda lead, doubt: abs(lead) <= doubt), choice=True),
        MetricProperty("alarm-count", "two false alarms cost more than one of twice the length",
            _more_than("1 long alarm", "2 false alarms"), choice=True),
        MetricProperty("mirror", "reversing time changes nothing", _mirror, choice=True),
        MetricProperty("padding", "normal points before and after the series change nothing", _padding, choice=True),
        MetricProperty("doubling", "repeating the series changes nothing", _doubling, choice=True),
    )
}  # fmt: skip
"""The properties by name; the last six are choices."""
