"""Who leads under which scoring model: the values and ranks behind the page's bump chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rangewise.inputs.clocks import Clock
from rangewise.metrics.evaluate import evaluate
from rangewise.metrics.metric import Metric
from rangewise.metrics.named import NamedMetric, headline_metrics
from rangewise.metrics.table import METRICS
from rangewise.reports.entries import Entry

_BESIDE = "vus_pr"
"""Shown too where all detectors give scores, although it is no headline metric."""
MOST_POINTS = 200_000
"""Up to so many points, metrics that need scores are shown too; beyond it a page would take longer to make than to read."""


@dataclass(frozen=True)
class Contest:
    """One scoring model: its value for each detector (nan: it has none), and the ranks."""

    name: str
    summary: str
    values: Sequence[float]
    ranks: Sequence[int]


def contests(entries: Sequence[Entry]) -> list[Contest]:
    """The headline of every scoring model that is defined for any of these detectors."""
    cases = [entry.case for entry in entries]
    chosen = headline_metrics()
    if all(case.scores is not None for case in cases) and (cases[0].points or 0) <= MOST_POINTS:
        chosen.append(NamedMetric(_BESIDE, METRICS[_BESIDE], {}, asked_for=False))
    if isinstance(cases[0].clock, Clock):
        # What counts points, or steps of a clock, says nothing about times without rows.
        chosen = [one for one in chosen if _is_of_times(one.metric)]
    found = []
    for named, values in zip(chosen, evaluate(cases, chosen).T.tolist(), strict=True):
        if not np.isnan(values).all():
            found.append(Contest(named.text, named.metric.summary, values, named.metric.ranks(values)))
    return found


def _is_of_times(metric: Metric) -> bool:
    return metric.family in ("range", "event") and metric.high - metric.low <= 1
