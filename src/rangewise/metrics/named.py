"""Metrics as users name them, ``NAME`` or ``NAME:option=value,option=value``: on the command line and in ``rw.compare``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import unknown_name
from rangewise.inputs.case import NeedsGridError
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ranges import Ranges
from rangewise.metrics.metric import FAMILIES, Metric
from rangewise.metrics.table import METRICS


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
                f"give labels or --times FILE, or --metric {self.text}{',' if self.options else ':'}length=N"
            )
        try:
            return self.metric.function(real, predicted, **options)
        except NeedsGridError as error:
            if not self.asked_for:
                return math.nan
            raise ValueError(f"{self.text} of {name}: {error}") from error
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self.text} of {name}: {error}") from error


def headline_metrics() -> list[NamedMetric]:
    """One metric of each scoring model, for a user who names none."""
    return [NamedMetric(name, metric, {}, asked_for=False) for name, metric in METRICS.items() if metric.headline]


def named_metrics(texts: Iterable[str] | None, family: str | None = None) -> list[NamedMetric]:
    """The metrics that the texts name, each once, then the others of the family."""
    named = [named_metric(text) for text in dict.fromkeys(texts or ())]
    known = {one.metric.name for one in named}
    return named + [NamedMetric(metric.name, metric, {}) for metric in family_metrics(family) if metric.name not in known]


def family_metrics(family: str | None) -> list[Metric]:
    """The members of a family, in the order of the table; none without a family."""
    if family is None:
        return []
    if family not in FAMILIES:
        raise unknown_name("a family", family, FAMILIES)
    return [metric for metric in METRICS.values() if metric.belongs_to(family)]


def known_metric(name: str, where: str) -> Metric:
    """The metric of that name; ``where`` it was given is said when there is none."""
    if name not in METRICS:
        raise unknown_name(where, name, METRICS)
    return METRICS[name]


def named_metric(text: str) -> NamedMetric:
    """The metric of a text such as ``range_fbeta`` or ``point_adjust_fbeta:k=20``."""
    name, _, settings = text.partition(":")
    metric = known_metric(name, "a metric")
    options: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        option, separator, value = setting.partition("=")
        if not separator:
            raise ValueError(f"{text}: {setting!r} is not option=value")
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
