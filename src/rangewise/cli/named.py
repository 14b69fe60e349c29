"""Metrics named on the command line: ``--metric NAME`` or ``--metric NAME:option=value,option=value``."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import unknown_name
from rangewise.cli.inputs import Reading
from rangewise.doors import NeedsGridError
from rangewise.metrics import FAMILIES, METRICS, Metric
from rangewise.ranges import Ranges, as_ranges
from rangewise.times import Clock
from rangewise.zones import Ignored, rows_left


@dataclass(frozen=True)
class NamedMetric:
    """A metric with the options that were given for it; ``text`` is how the user named it, ``asked_for`` whether the user did."""

    text: str
    metric: Metric
    options: dict[str, Any]
    asked_for: bool = True

    def value(self, real: Ranges, predicted: Ranges | NDArray[np.float64], length: int | None, name: str) -> float:
        """The value for the detector of that name; nan when it cannot be told and nobody asked for it."""
        options = self.options
        if self.metric.takes_length and "length" not in options:
            options = options | {"length": length}
        elif length is not None and options.get("length", length) != length:
            raise ValueError(f"{self.text} of {name}: length is {options['length']:g}, but the files have {length} points")
        on_clock = isinstance(real.clock, Clock)
        if on_clock and options.get("length", 0) is None:
            options = {option: value for option, value in options.items() if option != "length"}
        if options.get("length", 0) is None:
            if not self.asked_for:
                return math.nan
            raise ValueError(
                f"{self.text} needs the number of points of the series, which ranges do not tell: "
                f"give --times FILE, or --metric {self.text}{',' if self.options else ':'}length=N"
            )
        try:
            return self.metric.function(real, predicted, **options)
        except NeedsGridError as error:
            if not self.asked_for:
                return math.nan
            raise ValueError(f"{self.text} of {name}: {error}") from error
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self.text} of {name}: {error}") from error


@dataclass(frozen=True, eq=False)
class DetectorFile:
    """What was read of one detector: its anomalies, or its scores where a metric asks for them."""

    name: str
    real: Ranges
    predicted: Ranges | None
    scores: NDArray[np.float64] | None
    length: int | None
    zoned: tuple[Ranges, NDArray[np.float64], Ranges] | None = None
    """Real ranges, scores and zones before the rows of zones were taken out, for metrics that know better what to do with zones."""

    def values(self, chosen: list[NamedMetric]) -> list[float]:
        """The value of each metric; scores that are labels serve both kinds."""
        return [self._value(named) for named in chosen]

    def _value(self, named: NamedMetric) -> float:
        if self.zoned is not None and "ignore" in signature(named.metric.function).parameters:
            real, scores, zones = self.zoned
            return replace(named, options=named.options | {"ignore": zones}).value(real, scores, len(scores), self.name)
        return named.value(self.real, self._second(named.metric), self.length, self.name)

    @property
    def side(self) -> Ranges | NDArray[np.float64]:
        """Its scores where it has some, else its anomalies."""
        if self.scores is not None:
            return self.scores
        assert self.predicted is not None
        return self.predicted

    def _second(self, metric: Metric) -> Ranges | NDArray[np.float64]:
        return as_ranges(self.scores) if self.scores is not None and metric.needs == "labels" else self.side


def metric_values(chosen: list[NamedMetric], real: str, predicted: str, reading: Reading) -> list[float]:
    """The value of each metric for one detector's file."""
    return read_detector(chosen, real, predicted, reading).values(chosen)


def read_detector(chosen: list[NamedMetric], real: str, predicted: str, reading: Reading) -> DetectorFile:
    """One detector's file: scores when a metric asks for them, anomalies otherwise."""
    if any(named.metric.needs == "scores" for named in chosen):
        ranges, scores = reading.real_and_scores(real, predicted)
        odd = np.flatnonzero((scores != 0) & (scores != 1))
        for named in chosen:
            if named.metric.needs == "labels" and odd.size:
                raise ValueError(
                    f"{named.text} needs 0/1 labels, but {predicted} holds {scores[odd[0]]:g}; "
                    "score labels and scores in two runs, or label the scores at a threshold first"
                )
        zones = reading.zones(ranges, reading.real(real))
        if zones is None:
            return DetectorFile(predicted, ranges, None, scores, len(scores))
        left, kept, clipping = rows_left(ranges, scores, zones)
        reading.ignored.append(Ignored(zones, clipping, None))
        return DetectorFile(predicted, left, None, kept, len(kept), (ranges, scores, zones))
    try:
        sides, length = reading.sides(real, predicted)
    except ValueError as error:
        # Of several detectors, the user must know whose file it is.
        raise error if predicted in str(error) else ValueError(f"{predicted}: {error}") from error
    return DetectorFile(predicted, *sides, None, length)


def headline_metrics() -> list[NamedMetric]:
    """One metric of each scoring model, for a user who names none."""
    return [NamedMetric(name, metric, {}, asked_for=False) for name, metric in METRICS.items() if metric.headline]


def named_metrics(texts: list[str] | None, family: str | None = None) -> list[NamedMetric]:
    """The metrics that the texts name, each once, then the others of the family."""
    named = [_named(text) for text in dict.fromkeys(texts or ())]
    known = {one.metric.name for one in named}
    return named + [NamedMetric(metric.name, metric, {}) for metric in family_metrics(family) if metric.name not in known]


def family_metrics(family: str | None) -> list[Metric]:
    """The members of a family, in the order of the table; none without a family."""
    if family is None:
        return []
    if family not in FAMILIES:
        raise unknown_name("--family", family, FAMILIES)
    return [metric for metric in METRICS.values() if metric.belongs_to(family)]


def known_metric(name: str, where: str) -> Metric:
    """The metric of that name; ``where`` it was given is said when there is none."""
    if name not in METRICS:
        raise unknown_name(where, name, METRICS)
    return METRICS[name]


def _named(text: str) -> NamedMetric:
    name, _, settings = text.partition(":")
    metric = known_metric(name, "--metric")
    options: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        option, separator, value = setting.partition("=")
        if not separator:
            raise ValueError(f"--metric {text}: {setting!r} is not option=value")
        metric.check_option(option)
        options[option] = _number_or_word(value)
    return NamedMetric(text, metric, options)


def _number_or_word(text: str) -> float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
