"""``--baselines``: rows of detectors that know nothing beside those that are compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import typer

from rangewise.checks import shown_names
from rangewise.inputs.case import Case
from rangewise.metrics.baselines import DRAWS, constant_case, random_case
from rangewise.metrics.evaluate import evaluate
from rangewise.metrics.named import NamedMetric

Baselines = Annotated[
    bool,
    typer.Option(
        "--baselines",
        help="Add rows of detectors that know nothing: random, as many points as each detector; all ones (of scores: constant).",
    ),
]
_SHOWN = 3


def baseline_cases(cases: Mapping[str, Case], draws: int = 1) -> dict[str, list[Case]]:
    """Random cases that predict as many points as each detector, so many draws each, and one that always fires."""
    made = {_like(name): [random_case(case, seed) for seed in range(draws)] for name, case in cases.items()}
    first = next(iter(cases.values()))
    return made | {"all ones" if first.scores is None else "constant": [constant_case(first)]}


def baseline_rows(chosen: list[NamedMetric], cases: Mapping[str, Case]) -> dict[str, list[float]]:
    """A random row for each detector, the mean of ten draws, and a row of one that always fires."""
    return {name: evaluate(made, chosen).mean(axis=0).tolist() for name, made in baseline_cases(cases, DRAWS).items()}


def _like(name: str) -> str:
    return f"random:{name}"


def no_better_than_chance(
    chosen: list[NamedMetric], names: Sequence[str], rows: Sequence[Sequence[float]], found: dict[str, list[float]]
) -> Iterator[str]:
    """A sentence for each detector that a baseline reaches under some metric."""
    always = list(found)[-1]
    for name, values in zip(names, rows, strict=True):
        beaten = [
            named.text
            for at, (named, value) in enumerate(zip(chosen, values, strict=True))
            if any(_reaches(named, found[baseline][at], value) for baseline in (_like(name), always))
        ]
        if beaten:
            yield f"{name} is no better than a baseline under {shown_names(beaten, _SHOWN)}"


def _reaches(named: NamedMetric, baseline: float, value: float) -> bool:
    if math.isnan(baseline) or math.isnan(value):
        return False
    return baseline >= value if named.metric.better == "higher" else baseline <= value
