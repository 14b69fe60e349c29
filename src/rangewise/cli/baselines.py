"""``--baselines``: random and constant predictions and one-liners as additional rows."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.checks import shown_names, unknown_name
from rangewise.detectors.one_liners import ONE_LINERS
from rangewise.files.annotations import Annotations
from rangewise.inputs.case import Case
from rangewise.inputs.clocks import Clock
from rangewise.metrics.baselines import DRAWS, constant_case, random_case
from rangewise.metrics.evaluate import NamedMetric, evaluate

_GROUPS = {"chance": ("random", "constant"), "one-liners": tuple(ONE_LINERS)}
Baselines = Annotated[
    str | None,
    typer.Option(
        help="Add rows of baselines, separated by commas: chance (random, with as many points as each detector, and constant, "
        f"which always fires), one-liners (all of {', '.join(ONE_LINERS)}; REAL must contain the values), or single names.",
        metavar="NAMES",
    ),
]
_SHOWN = 3


def baseline_names(given: str | None) -> list[str]:
    """The requested baselines, without repetition."""
    known = (*_GROUPS, *(name for group in _GROUPS.values() for name in group))
    names: list[str] = []
    for word in [] if given is None else map(str.strip, given.split(",")):
        if word not in known:
            raise unknown_name("a baseline", word, known)
        names += _GROUPS.get(word, (word,))
    return list(dict.fromkeys(names))


def baseline_cases(cases: Mapping[str, Case], names: Sequence[str], draws: int = 1) -> dict[str, list[Case]]:
    """Random cases with as many predicted points as each detector, ``draws`` of each, and one that always fires."""
    made = {_like(name): [random_case(case, seed) for seed in range(draws)] for name, case in cases.items()} if "random" in names else {}
    first = next(iter(cases.values()))
    return made | ({always(first): [constant_case(first)]} if "constant" in names else {})


def always(case: Case) -> str:
    """The name of the baseline that always fires."""
    return "constant" if case.predicted is None else "all ones"


def check_new_names(baselines: Iterable[str], detectors: Container[str]) -> None:
    """Refuse a detector with the name of a baseline."""
    for name in baselines:
        if name in detectors:
            raise ValueError(f"a detector has the name of the baseline {name}; rename it with NAME=FILE")


def one_liner_cases(like: Case, names: Sequence[str], annotations: Annotations, *, own_threshold: bool) -> dict[str, Case]:
    """The one-liners among the names, fitted to all values of the series; with ``own_threshold``, as predictions."""
    chosen = [name for name in names if name in ONE_LINERS]
    if not chosen:
        return {}
    series = annotations.series
    if series is None or isinstance(like.clock, Clock) or like.length != len(series.values):
        raise ValueError(
            f"--baselines {chosen[0]} needs the values of the series, but {annotations.name} does not have one value per row; "
            "give a file with values and labels, or --baselines chance"
        )
    cases = {}
    for name in chosen:
        detector = ONE_LINERS[name]().fit(series.values)
        scores = detector.decision_function(series.values)
        case = replace(like, predicted=None, scores=scores, threshold=None, name=name)
        cases[name] = case.at(detector.threshold_) if own_threshold else case
    return cases


def baseline_values(
    series: Mapping[object, Mapping[str, Case]], names: Sequence[str], chosen: list[NamedMetric]
) -> tuple[list[str], NDArray[np.float64]]:
    """The names of the chance rows, and their values by series, row and metric; random rows are the mean of ten draws."""
    rows = [
        {name: evaluate(made, chosen, for_means=len(series) > 1).mean(axis=0) for name, made in baseline_cases(cases, names, DRAWS).items()}
        for cases in series.values()
    ]
    return list(rows[0]), np.array([[row[name] for name in rows[0]] for row in rows]).reshape(len(rows), len(rows[0]), len(chosen))


def _like(name: str) -> str:
    return f"random:{name}"


def no_better_than_baselines(
    chosen: Sequence[NamedMetric], values: Mapping[str, Sequence[float]], detectors: Sequence[str]
) -> Iterator[str]:
    """One sentence for each detector that a baseline equals or beats under some metric; ``values`` are those of all rows by name."""
    baselines = [name for name in values if name not in detectors]
    for detector in detectors:
        # Random rows of other detectors predict a different number of points.
        fair = [name for name in baselines if not name.startswith(_like("")) or name == _like(detector)]
        beaten = [
            named.text
            for at, named in enumerate(chosen)
            if any(_reaches(named, values[baseline][at], values[detector][at]) for baseline in fair)
        ]
        if beaten:
            yield f"{detector} is no better than a baseline under {shown_names(beaten, _SHOWN)}"


def _reaches(named: NamedMetric, baseline: float, value: float) -> bool:
    if math.isnan(baseline) or math.isnan(value):
        return False
    return baseline >= value if named.metric.better == "higher" else baseline <= value
