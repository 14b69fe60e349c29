"""The one table of all metrics. The command line, the documentation's index and the tests of common laws read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Literal

from rangewise.metrics.nab import nab_normalized
from rangewise.metrics.point import point_fbeta, point_precision, point_recall
from rangewise.model.model import range_fbeta, range_precision, range_recall


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric and what one must know to use it."""

    name: str
    function: Callable[..., float]
    summary: str
    needs: Literal["labels", "scores"]
    low: float
    high: float
    better: Literal["higher", "lower"]
    reference: str
    page: str


_TATBUL = "Tatbul et al., NeurIPS 2018"
_NAB = "Lavin and Ahmad, ICMLA 2015"
_CLASSICAL = "Baeza-Yates and Ribeiro-Neto, 2011"

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            name="range_precision", function=range_precision, summary="reward of the predicted ranges",
            needs="labels", low=0.0, high=1.0, better="higher", reference=_TATBUL, page="docs/model.md",
        ),
        Metric(
            name="range_recall", function=range_recall, summary="reward of the real ranges",
            needs="labels", low=0.0, high=1.0, better="higher", reference=_TATBUL, page="docs/model.md",
        ),
        Metric(
            name="range_fbeta", function=range_fbeta, summary="harmonic mean of range precision and recall",
            needs="labels", low=0.0, high=1.0, better="higher", reference=_TATBUL, page="docs/model.md",
        ),
        Metric(
            name="point_precision", function=point_precision, summary="share of predicted points that are anomalous",
            needs="labels", low=0.0, high=1.0, better="higher", reference=_CLASSICAL, page="docs/metrics/point.md",
        ),
        Metric(
            name="point_recall", function=point_recall, summary="share of anomalous points that are predicted",
            needs="labels", low=0.0, high=1.0, better="higher", reference=_CLASSICAL, page="docs/metrics/point.md",
        ),
        Metric(
            name="point_fbeta", function=point_fbeta, summary="harmonic mean of point precision and recall",
            needs="labels", low=0.0, high=1.0, better="higher", reference=_CLASSICAL, page="docs/metrics/point.md",
        ),
        Metric(
            name="nab_normalized", function=nab_normalized, summary="NAB's score, standard profile, no probation",
            needs="labels", low=-inf, high=1.0, better="higher", reference=_NAB, page="docs/metrics/nab.md",
        ),
    )
}  # fmt: skip
