"""The metrics of an experiment: range models by preset or text, and any metric of the table."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from rangewise.checks import unknown_name
from rangewise.inputs.case import Case
from rangewise.metrics import METRICS, Metric
from rangewise.metrics.evaluate import NamedMetric, evaluate
from rangewise.model.model import RangeModel
from rangewise.model.presets import PRESETS
from rangewise.model.tally import Tally
from rangewise.thresholds import parse_policy

SCORING_VERSION = 2
"""The version of the scoring: raised whenever the same prediction would get another score."""

OWN, BEST_F = "own", "best-f"
PARTS = ("precision", "recall", "f")


@dataclass(frozen=True)
class Scored:
    """The result of a metric on one prediction: a tally for a range model, a value for other metrics, or a message for a failure."""

    value: float = math.nan
    tally: tuple[int, int, int, int] | None = None
    message: str = ""
    status: str = "ok"


@dataclass(frozen=True)
class MetricChoice:
    """A metric under a threshold rule. ``label`` is its name in the report; ``text`` includes everything that the value depends on.

    >>> MetricChoice("early", model="early").model_text
    "RangeModel(recall_bias='front')"
    """

    label: str
    model: str | None = None
    name: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    rule: str = OWN
    judge: str = ""
    """The model whose F the rule best-f maximizes for a metric that is not a range model."""

    @property
    def range_model(self) -> RangeModel | None:
        return None if self.model is None else _parsed(self.model)

    @property
    def model_text(self) -> str:
        assert self.model is not None
        return _model_text(self.model)

    @property
    def table_metric(self) -> Metric:
        assert self.name is not None
        return METRICS[self.name]

    @property
    def higher_is_better(self) -> bool:
        return self.model is not None or self.table_metric.better == "higher"

    @property
    def counts_real_only(self) -> bool:
        """Whether a mean over series leaves out those without a real range; not if another ``zero_division`` was chosen."""
        return "zero_division" not in self.options if self.range_model is None else self.range_model.zero_division != 1.0

    @property
    def sees_labels(self) -> bool:
        """Whether the threshold is chosen with the labels of the scored rows."""
        return self.rule == BEST_F and not (self.name is not None and self.table_metric.needs == "scores")

    @property
    def needs_scores(self) -> bool:
        """Whether it needs one score per row instead of the detector's own prediction."""
        return self.rule != OWN or (self.name is not None and self.table_metric.needs == "scores")

    @property
    def text(self) -> str:
        what = self.model_text if self.model is not None else f"{self.name} {json.dumps(dict(self.options), sort_keys=True)}"
        judge = f" by {self.judge}" if self.rule == BEST_F and self.model is None else ""
        return f"{what} at {self.rule}{judge}, scoring {SCORING_VERSION}"

    def score(self, case: Case) -> Scored:
        """Score a prediction; exceptions become results."""
        try:
            return self._score(case)
        except Exception as error:
            return Scored(message=f"{type(error).__name__}: {error}", status="error")

    def _score(self, case: Case) -> Scored:
        if self.needs_scores and case.scores is None:
            raise ValueError("this metric needs one score per point, but the detector has only predictions")
        if self.range_model is not None:
            tally = self.range_model.tally(self._at(case, self.range_model))
            return Scored(tally.score().f, (tally.real_reward, tally.real_ranges, tally.predicted_reward, tally.predicted_ranges))
        if self.table_metric.needs == "labels":
            case = self._at(case, RangeModel.parse(self.judge) if self.judge else RangeModel())
        return Scored(float(evaluate([case], [NamedMetric(self.label, self.table_metric, self.options)])[0, 0]))

    def _at(self, case: Case, model: RangeModel) -> Case:
        """The detector's own prediction, or the prediction at the threshold of the rule."""
        if self.rule == OWN:
            return case
        if self.rule == BEST_F:
            return case.at(model.curve(case).best(warn=False).threshold)
        return case.at(parse_policy(self.rule).choose(case.counted_scores))

    def tally(self, counts: tuple[int, int, int, int]) -> Tally:
        assert self.range_model is not None
        return Tally(self.range_model, *counts)


@lru_cache(maxsize=256)
def _parsed(text: str) -> RangeModel:
    return PRESETS[text] if text in PRESETS else RangeModel.parse(text)


@lru_cache(maxsize=256)
def _model_text(text: str) -> str:
    return str(_parsed(text))


def read_rules(rule: Any) -> tuple[str, ...]:
    """One threshold rule or several: ``own``, ``best-f``, a number, ``quantile:Q``, ``sigma:K`` or ``log-mad:K``."""
    rules = tuple(str(each) for each in (rule if isinstance(rule, (list, tuple)) else [rule]))
    if not rules:
        raise ValueError("[threshold] rule must be own, best-f, a number, quantile:Q, sigma:K or log-mad:K; got an empty list")
    for each in rules:
        if each != OWN:
            parse_policy(each)
    if len(set(rules)) < len(rules):
        raise ValueError(f"[threshold] rule has duplicates: {', '.join(rules)}")
    return rules


def read_metrics(entries: Sequence[Any], rules: Sequence[str], judge: str | None) -> list[MetricChoice]:
    """The metrics of ``[[metric]]`` tables under each rule; labels include the rule, except for the first rule. The result can be read
    again, as by ``dataclasses.replace``."""
    read = [_choice(entry, f"[[metric]] {number + 1}") for number, entry in enumerate(entries)]
    labels = {choice.label for choice in read}
    plain = [choice for choice in read if not (choice.label.endswith(at := f"@{choice.rule}") and choice.label.removesuffix(at) in labels)]
    first = next((choice.model_text for choice in plain if choice.model is not None), str(RangeModel()))
    chosen = judge or first
    by_label: dict[str, MetricChoice] = {}
    for number, rule in enumerate(rules):
        for choice in plain:
            if number and choice.name is not None and choice.table_metric.needs == "scores":
                continue  # it uses all thresholds, whatever the rule
            label = choice.label if number == 0 else f"{choice.label}@{rule}"
            if label in by_label:
                raise ValueError(f"two metrics are called {label!r}; give one of them another label")
            by_label[label] = MetricChoice(label, choice.model, choice.name, choice.options, rule, chosen)
    return list(by_label.values())


def split_reference(text: str, metrics: Sequence[MetricChoice]) -> tuple[MetricChoice, str]:
    """The metric and the part of ``early:f``, ``early`` or ``vus_pr``; the part of other metrics than models is ``value``."""
    by_label = {metric.label: metric for metric in metrics}
    if text in by_label:
        return by_label[text], "f" if by_label[text].model is not None else "value"
    label, colon, part = text.rpartition(":")
    if not colon or label not in by_label:
        raise unknown_name("a metric of this experiment", text, tuple(by_label))
    known = PARTS if by_label[label].model is not None else ("value",)
    if part not in known:
        raise unknown_name(f"a part of {label}", part, known)
    return by_label[label], part


def _choice(entry: Any, where: str) -> MetricChoice:
    if isinstance(entry, MetricChoice):
        return entry
    if isinstance(entry, RangeModel):
        label = next((name for name, preset in PRESETS.items() if preset == entry), str(entry))
        entry = {"model": str(entry), "label": label}
    if isinstance(entry, str):
        entry = {"model" if entry in PRESETS or entry.startswith("RangeModel(") else "name": entry}
    if not isinstance(entry, Mapping):
        raise TypeError(f"{where} must be a name, a model or a table; got {entry!r}")
    known = ("model", "name", "label", "options")
    for key in entry:
        if key not in known:
            raise unknown_name(f"a key of {where}", key, known)
    if ("model" in entry) == ("name" in entry):
        raise ValueError(f'{where} needs a metric: model = "early" (a preset or a printed model) or name = "vus_pr" (another metric)')
    if "model" in entry:
        text = str(entry["model"])
        if text not in PRESETS:
            if not text.startswith("RangeModel"):
                raise unknown_name(f"{where}: model, unless it is a text such as RangeModel(alpha=0.5),", text, tuple(PRESETS))
            RangeModel.parse(text)
        if entry.get("options"):
            raise ValueError(f"{where}: options are for metrics with a name; write the settings of a model into its text")
        return MetricChoice(str(entry.get("label", text)), model=text)
    name = str(entry["name"])
    if name in PRESETS:
        raise ValueError(f'{where}: {name!r} is a model, so write model = "{name}"; name is for other metrics')
    if name not in METRICS:
        raise unknown_name("a metric", name, (*METRICS, *PRESETS))
    options = entry.get("options", {})
    if not isinstance(options, Mapping):
        raise TypeError(f"{where}: options must be a table such as {{ buffer = 10 }}; got {options!r}")
    options = dict(options)
    for option in options:
        METRICS[name].check_option(option)
    shown = ",".join(f"{key}={value}" for key, value in options.items())
    return MetricChoice(str(entry.get("label", f"{name}:{shown}" if shown else name)), name=name, options=options)
