"""Metrics named on the command line: ``--metric NAME`` or ``--metric NAME:option=value,option=value``."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.datasets.labels import read_labels
from rangewise.datasets.scores import read_scores
from rangewise.metrics import METRICS, Metric
from rangewise.model.model import unknown_name

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
    """A metric with the options that were given for it; ``text`` is how the user named it."""

    text: str
    metric: Metric
    options: dict[str, Any]

    def value(self, real: NDArray[np.uint8], predicted: Predicted) -> float:
        return self.metric.function(real, predicted.side(self), **self.options)


@dataclass(frozen=True)
class Predicted:
    """What a detector's file holds: labels, or scores when a metric asks for them."""

    name: str
    values: NDArray[Any]

    def side(self, named: NamedMetric) -> NDArray[Any]:
        if named.metric.needs == "labels":
            odd = np.flatnonzero((self.values != 0) & (self.values != 1))
            if odd.size:
                raise ValueError(
                    f"{named.text} needs 0/1 labels, but {self.name} holds {self.values[odd[0]]:g}; "
                    "score labels and scores in two runs, or label the scores at a threshold first"
                )
        return self.values


def read_predicted(path: str, column: str | None, chosen: list[NamedMetric]) -> Predicted:
    """The file as numbers when a metric needs scores, as labels otherwise."""
    scored = any(named.metric.needs == "scores" for named in chosen)
    return Predicted(path, read_scores(path, column) if scored else read_labels(path, column))


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
    known = inspect.signature(metric.function).parameters
    options: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        option, separator, value = setting.partition("=")
        if not separator:
            raise ValueError(f"--metric {text}: {setting!r} is not option=value")
        takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
        if not takes_any and (option not in known or known[option].kind is not inspect.Parameter.KEYWORD_ONLY):
            allowed = tuple(key for key, parameter in known.items() if parameter.kind is parameter.KEYWORD_ONLY and key != "length")
            raise unknown_name(f"an option of {name}", option, allowed)
        options[option] = _number_or_word(value)
    return NamedMetric(text, metric, options)


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
