"""The same detectors under other scoring models: a value and a rank for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rangewise.metrics.metric import Metric
from rangewise.metrics.table import METRICS

if TYPE_CHECKING:
    from rangewise.rankings.comparison import Ranking

_BESIDE = ("vus_pr",)


@dataclass(frozen=True)
class MetricOrder:
    """A metric and its value for each detector, in the order they were given."""

    metric: Metric
    values: dict[str, float]

    @property
    def ranks(self) -> dict[str, int]:
        """1 is best; equals share the better rank, and nan is worst."""
        return dict(zip(self.values, self.metric.ranks(self.values.values()), strict=True))


def metric_orders(ranking: Ranking, length: int | None = None) -> list[MetricOrder]:
    """One metric of each scoring model: those for predictions, VUS where all detectors gave scores.

    Those that need the number of points of the series are left out where neither scores nor ``length`` tell it. For one series.
    """
    if len(ranking.real) > 1:
        raise ValueError("scoring models are compared on one series; this ranking is over many")
    detections = {name: found[0] for name, found in ranking.detections.items()}
    scored = [detection.scores for detection in detections.values() if detection.scores is not None]
    points = length if length is not None else len(scored[0]) if scored else ranking.length
    found = []
    for metric in METRICS.values():
        if not (metric.headline and metric.needs == "labels") and not (metric.name in _BESIDE and len(scored) == len(detections)):
            continue
        if metric.takes_length and metric.needs == "labels" and points is None:
            continue
        options: dict[str, Any] = {"length": points} if metric.takes_length and metric.needs == "labels" else {}
        values = {}
        for name, detection in detections.items():
            given = detection.scores if metric.needs == "scores" else ranking.ranges_of(name)
            values[name] = metric.function(ranking.real[0], given, **options)
        found.append(MetricOrder(metric, values))
    return found
