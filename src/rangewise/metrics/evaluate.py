"""The only loop over cases and metrics, and metrics as users name them: ``NAME:option=value,option=value``, a model, or their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import did_you_mean, unknown_name
from rangewise.inputs.case import Case, UndefinedHereError
from rangewise.metrics.metric import FAMILIES, Metric
from rangewise.metrics.table import METRICS
from rangewise.model.model import RangeModel
from rangewise.model.presets import PRESETS

MetricChoice: TypeAlias = "str | RangeModel | Metric"
"""A name of the table of metrics, with options after a colon; the name of a preset or a model, whose F it is; or your own metric."""


@dataclass(frozen=True)
class NamedMetric:
    """A metric with its given options; ``text`` is the name the user gave, ``asked_for`` whether the user requested it."""

    text: str
    metric: Metric
    options: Mapping[str, Any]
    asked_for: bool = True

    def value(self, case: Case) -> float:
        """The value of a case; nan if the metric is undefined for the case and was not requested."""
        try:
            return float(self.metric.function(case, **self.options))
        except UndefinedHereError as error:
            if not self.asked_for:
                return math.nan
            raise ValueError(f"{self._called(case)}: {error}") from error
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self._called(case)}: {error}") from error

    def value_in_mean(self, case: Case) -> float:
        """The value of one of many series, as a mean over them takes it: nan without a real range, as in :func:`rangewise.macro`, and
        where all points are ignored.

        Your own metrics are kept as they are, and so is a ``zero_division`` that was chosen.
        """
        if case.points == 0 and case.length:
            return math.nan
        if len(case.real) or "zero_division" in self.options:
            return self.value(case)
        if METRICS.get(self.metric.name) is self.metric:
            return math.nan
        if "zero_division" in self.metric.own_options:
            return replace(self, options={**self.options, "zero_division": math.nan}).value(case)
        return self.value(case)

    def _called(self, case: Case) -> str:
        return f"{self.text} of {case.name}" if case.name else self.text


def evaluate(
    cases: Iterable[Case],
    metrics: Iterable[MetricChoice | NamedMetric] | Mapping[str, MetricChoice] | None = None,
    *,
    for_means: bool = False,
) -> NDArray[np.float64]:
    """One row per case, one column per metric; bounds are those of each metric. No cases give no rows.

    ``metrics`` are names of :data:`rangewise.metrics.METRICS`, with options after a colon, presets, models, whose F it is, or metrics of
    your own; by default one of each scoring model. A metric that is not defined for a case is nan if it is there by default, and an error
    if it was requested. Metrics of scores take a prediction as scores of 0 and 1, where the number of points is known. With ``for_means``,
    a metric that has nothing to find, because a case has no real range, is nan instead of its ``zero_division``, unless that was chosen.

    >>> case = Case.read([0, 1, 1, 0, 0], [0, 1, 0, 0, 1])
    >>> evaluate([case], ["range_fbeta", "event_recall"]).round(3).tolist()
    [[0.5, 1.0]]
    """
    are_read = isinstance(metrics, list) and all(isinstance(one, NamedMetric) for one in metrics)
    chosen: list[NamedMetric] = metrics if are_read else named_metrics(metrics)  # type: ignore[assignment]
    rows = [[named.value_in_mean(case) if for_means else named.value(case) for named in chosen] for case in cases]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(chosen))


def headline_metrics() -> list[NamedMetric]:
    """The default metrics: one per scoring model."""
    return [NamedMetric(name, metric, {}, asked_for=False) for name, metric in METRICS.items() if metric.headline]


def named_metrics(
    choices: Iterable[MetricChoice | NamedMetric] | Mapping[str, MetricChoice] | None = None, family: str | None = None
) -> list[NamedMetric]:
    """The chosen metrics, then the others of the family; the headline metrics when nothing is chosen."""
    if choices is None and family is None:
        return headline_metrics()
    if isinstance(choices, str):
        raise TypeError(f"metrics is a list of names; got {choices!r}, so give [{choices!r}]")
    if isinstance(choices, Mapping):
        chosen = [replace(named_metric(choice), text=str(title)) for title, choice in choices.items()]
    else:
        chosen = [named_metric(choice) for choice in choices or ()]
    known = {one.metric.name for one in chosen}
    chosen += [NamedMetric(metric.name, metric, {}) for metric in family_metrics(family) if metric.name not in known]
    if not chosen:
        raise ValueError("metrics names none; give at least one, like metrics=['range_fbeta']")
    titles = [one.text for one in chosen]
    if double := next((title for title in titles if titles.count(title) > 1), None):
        raise ValueError(f"two columns are called {double!r}; give each metric once, or name the columns: metrics={{'title': metric, ...}}")
    return chosen


def family_metrics(family: str | None) -> list[Metric]:
    """The members of a family, in the order of the table; none without a family."""
    if family is None:
        return []
    if family not in FAMILIES:
        raise unknown_name("a family", family, FAMILIES)
    return [metric for metric in METRICS.values() if metric.belongs_to(family)]


def known_metric(name: str) -> Metric:
    """The metric of that name."""
    if name not in METRICS:
        if nearest := did_you_mean(name, METRICS):
            raise ValueError(f"there is no metric {name!r}{nearest} `rangewise metrics` lists all {len(METRICS)}")
        raise unknown_name("a metric", name, METRICS)
    return METRICS[name]


def named_metric(choice: MetricChoice | NamedMetric) -> NamedMetric:
    """The metric of a choice, such as ``"range_fbeta"``, ``"point_adjust_fbeta:k=20"``, ``"early"`` or ``RangeModel(alpha=0.5)``.

    One that is read already is unchanged.

    >>> named_metric("point_adjust_fbeta:k=20").options
    {'k': 20}
    """
    if isinstance(choice, NamedMetric):
        return choice
    if isinstance(choice, Metric):
        return NamedMetric(choice.name, choice, {})
    if isinstance(choice, RangeModel):
        title = next((name for name, preset in PRESETS.items() if preset == choice), str(choice))
        return NamedMetric(title, model_metric(choice, title), {})
    if not isinstance(choice, str):
        raise TypeError(f"a metric is a name, a RangeModel or a Metric; got {choice!r:.60}")
    if choice in PRESETS:
        return NamedMetric(choice, model_metric(PRESETS[choice], choice), {})
    name, _, settings = choice.partition(":")
    if name in PRESETS:
        raise ValueError(
            f"{choice}: a preset has no options; name all of them with range_fbeta, like range_fbeta:recall_bias=front,alpha=0.5"
        )
    metric = known_metric(name)
    options: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        option, separator, value = setting.partition("=")
        if not separator:
            raise ValueError(f"{choice}: {setting!r} is not option=value")
        metric.check_option(option)
        if option in options:
            raise ValueError(f"{choice}: {option} is given twice")
        options[option] = _number_or_word(value)
    return NamedMetric(choice, metric, options)


def model_metric(model: RangeModel, name: str) -> Metric:
    """The F of a model as a metric."""

    def function(case: Case, *, zero_division: float | None = None) -> float:
        # A model that was given one of its own keeps it.
        chosen = model if zero_division is None or model.zero_division != 0.0 else replace(model, zero_division=zero_division)
        return chosen.score(case).f

    return replace(METRICS["range_fbeta"], name=name, function=function)


def _number_or_word(text: str) -> float | str:
    """As in Python where it is a number, True or False; ``true`` and ``false`` are those too."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
