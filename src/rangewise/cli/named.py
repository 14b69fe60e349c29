"""Metrics named on the command line: ``--metric NAME`` or ``--metric NAME:option=value,option=value``."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.cli.inputs import Reading
from rangewise.metrics import METRICS, Metric
from rangewise.model.model import unknown_name
from rangewise.ranges import Ranges, as_ranges

MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        help="A metric of `rangewise metrics`, repeatable; options after a colon, e.g. point_adjust_fbeta:k=20.",
        metavar="NAME",
        show_default=False,
    ),
]


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
        if options.get("length", 0) is None:
            if not self.asked_for:
                return math.nan
            raise ValueError(
                f"{self.text} needs the number of points of the series, which ranges do not tell: "
                f"give --times FILE, or --metric {self.text}{',' if self.options else ':'}length=N"
            )
        try:
            return self.metric.function(real, predicted, **options)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self.text} of {name}: {error}") from error


def metric_values(chosen: list[NamedMetric], real: str, predicted: str, reading: Reading) -> list[float]:
    """The value of each metric for one detector's file: scores when a metric asks for them, anomalies otherwise."""
    if any(named.metric.needs == "scores" for named in chosen):
        ranges, scores = reading.real_and_scores(real, predicted)
        odd = np.flatnonzero((scores != 0) & (scores != 1))
        for named in chosen:
            if named.metric.needs == "labels" and odd.size:
                raise ValueError(
                    f"{named.text} needs 0/1 labels, but {predicted} holds {scores[odd[0]]:g}; "
                    "score labels and scores in two runs, or label the scores at a threshold first"
                )
        return [
            named.value(ranges, scores if named.metric.needs == "scores" else as_ranges(scores), len(scores), predicted) for named in chosen
        ]
    try:
        sides, length = reading.sides(real, predicted)
    except ValueError as error:
        # Of several detectors, the user must know whose file it is.
        raise error if predicted in str(error) else ValueError(f"{predicted}: {error}") from error
    return [named.value(*sides, length, predicted) for named in chosen]


def headline_metrics() -> list[NamedMetric]:
    """One metric of each scoring model, for a user who names none."""
    return [NamedMetric(name, metric, {}, asked_for=False) for name, metric in METRICS.items() if metric.headline]


def named_metrics(texts: list[str]) -> list[NamedMetric]:
    """The metrics that the texts name, each once."""
    return [_named(text) for text in dict.fromkeys(texts)]


def finite(value: float) -> float | None:
    """JSON has no nan and no infinity; null stands for them."""
    return value if math.isfinite(value) else None


def _named(text: str) -> NamedMetric:
    name, _, settings = text.partition(":")
    if name not in METRICS:
        raise unknown_name("--metric", name, tuple(METRICS))
    metric = METRICS[name]
    options: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        option, separator, value = setting.partition("=")
        if not separator:
            raise ValueError(f"--metric {text}: {setting!r} is not option=value")
        _check_option(metric, option)
        options[option] = _number_or_word(value)
    return NamedMetric(text, metric, options)


def _check_option(metric: Metric, option: str) -> None:
    parameters = inspect.signature(metric.function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return  # the range model's own; it complains itself
    known = tuple(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)
    if not known:
        raise ValueError(f"{metric.name} takes no options; got {option!r}")
    if option not in known:
        raise unknown_name(f"an option of {metric.name}", option, known)


def _number_or_word(text: str) -> float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
