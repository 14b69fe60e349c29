"""Who wins under which scoring model: the values and ranks behind the page's bump chart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rangewise.inputs.ranges import Ranges
from rangewise.metrics.metric import Metric
from rangewise.metrics.table import METRICS
from rangewise.reports.entries import Entry

_BESIDE = ("vus_pr",)
"""Asked too, though `rangewise compare` does not show them unasked: they need scores."""
MOST_POINTS = 200_000
"""Up to so many points, metrics that need scores are asked too; beyond it a page would take longer to make than to read."""


@dataclass(frozen=True)
class Contest:
    """One scoring model: its value for each detector (nan: it has none), and the ranks."""

    name: str
    summary: str
    values: Sequence[float]
    ranks: Sequence[int]


def contests(real: Ranges, entries: Sequence[Entry], points: int | None) -> list[Contest]:
    """The headline of every scoring model that all of these detectors can be put to."""
    found = []
    for metric in METRICS.values():
        shown = metric.headline or (metric.name in _BESIDE and all(entry.scores is not None for entry in entries))
        if points is None and (metric.family not in ("range", "event") or metric.high - metric.low > 1):
            continue  # times without rows: what counts points, or steps of a clock, says nothing
        if not shown or (metric.needs == "scores" and not (points and points <= MOST_POINTS)):
            continue
        values = [_value(metric, real, entry, points) for entry in entries]
        if not all(math.isnan(value) for value in values):
            found.append(Contest(metric.name, metric.summary, values, ranks(values, metric)))
    return found


def ranks(values: Sequence[float], metric: Metric) -> list[int]:
    """1 is best; equals share the better rank, and nan is last."""
    sign = 1.0 if metric.better == "higher" else -1.0
    merits = [-math.inf if math.isnan(value) else sign * value for value in values]
    return [1 + sum(other > own for other in merits) for own in merits]


def _value(metric: Metric, real: Ranges, entry: Entry, points: int | None) -> float:
    if metric.needs == "scores" and entry.scores is None:
        return math.nan
    options = {"length": points} if metric.takes_length else {}
    try:
        return metric.function(real, entry.scores if metric.needs == "scores" else entry.predicted, **options)
    except (ValueError, TypeError):
        return math.nan  # a scoring model that is not defined here, e.g. one that counts rows where there are only times
