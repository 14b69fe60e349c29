"""The one table of all metrics. The command line, the documentation's index and the tests of common laws read it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from rangewise.metrics.affiliation import affiliation_fbeta, affiliation_precision, affiliation_recall
from rangewise.metrics.events import caught_within, event_fbeta, event_precision, event_recall, mean_delay, median_delay
from rangewise.metrics.nab import nab_normalized
from rangewise.metrics.over_thresholds import best_range_f, range_average_precision
from rangewise.metrics.point import point_fbeta, point_precision, point_recall
from rangewise.metrics.point_adjust import best_point_adjust_f, point_adjust_fbeta, point_adjust_precision, point_adjust_recall
from rangewise.metrics.ward import ward_precision, ward_recall
from rangewise.model.model import range_fbeta, range_precision, range_recall


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric and what one must know to use it.

    ``function(real, predicted)`` or, when it ``needs`` scores, ``function(real, scores)`` gives a float between ``low`` and ``high``, which
    may be infinite. A perfect prediction gives the better one of the two bounds, and no prediction at all gives ``nothing``.
    """

    name: str
    function: Callable[..., float]
    summary: str
    reference: str
    page: str
    needs: Literal["labels", "scores"] = "labels"
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "lower"] = "higher"
    nothing: float = 0.0
    """What a prediction without any point gives when there are real ranges; may be nan."""
    takes_length: bool = False
    """Whether the place in the series matters: ``length=`` is needed with ranges, and shifting both sides changes the value."""
    headline: bool = False
    """Whether ``rangewise compare`` shows it when no metric is named: one for each scoring model."""

    @property
    def best(self) -> float:
        """What a perfect prediction gives."""
        return self.high if self.better == "higher" else self.low


_TATBUL = "Tatbul et al., NeurIPS 2018"
_NAB = "Lavin and Ahmad, ICMLA 2015"
_CLASSICAL = "Baeza-Yates and Ribeiro-Neto, 2011"
_XU = "Xu et al., WWW 2018"
_KIM = "Kim et al., AAAI 2022"
_HUET = "Huet, Navarro and Rossi, KDD 2022"
_WARD = "Ward, Lukowicz and Gellersen, ACM TIST 2011"
_MODEL, _POINT, _ADJUST = "docs/model.md", "docs/metrics/point.md", "docs/metrics/point_adjust.md"
_EVENTS, _PAGE_WARD, _AFFILIATION = "docs/metrics/events.md", "docs/metrics/ward.md", "docs/metrics/affiliation.md"
_THRESHOLDS = "docs/metrics/over_thresholds.md"

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            name="range_fbeta", function=range_fbeta, summary="harmonic mean of range precision and recall",
            reference=_TATBUL, page=_MODEL, headline=True,
        ),
        Metric(name="range_precision", function=range_precision, summary="reward of the predicted ranges", reference=_TATBUL, page=_MODEL),
        Metric(name="range_recall", function=range_recall, summary="reward of the real ranges", reference=_TATBUL, page=_MODEL),
        Metric(
            name="range_average_precision", function=range_average_precision, summary="area under the range model's interpolated precision",
            reference=_TATBUL, page=_THRESHOLDS, needs="scores",
        ),
        Metric(
            name="best_range_f", function=best_range_f, summary="largest range F over all thresholds",
            reference=_TATBUL, page=_THRESHOLDS, needs="scores",
        ),
        Metric(
            name="point_fbeta", function=point_fbeta, summary="harmonic mean of point precision and recall",
            reference=_CLASSICAL, page=_POINT, headline=True,
        ),
        Metric(
            name="point_precision", function=point_precision, summary="share of predicted points that are anomalous",
            reference=_CLASSICAL, page=_POINT,
        ),
        Metric(
            name="point_recall", function=point_recall, summary="share of anomalous points that are predicted",
            reference=_CLASSICAL, page=_POINT,
        ),
        Metric(
            name="nab_normalized", function=nab_normalized, summary="NAB's score, standard profile, no probation",
            reference=_NAB, page="docs/metrics/nab.md", low=-math.inf, headline=True,
        ),
        Metric(
            name="point_adjust_fbeta", function=point_adjust_fbeta, summary="F of points, ranges granted whole for any point; inflated",
            reference=_XU, page=_ADJUST, headline=True,
        ),
        Metric(
            name="point_adjust_precision", function=point_adjust_precision, summary="precision of points after point-adjust; inflated",
            reference=_XU, page=_ADJUST,
        ),
        Metric(
            name="point_adjust_recall", function=point_adjust_recall, summary="recall of points after point-adjust; inflated",
            reference=_XU, page=_ADJUST,
        ),
        Metric(
            name="pa20_fbeta", function=partial(point_adjust_fbeta, k=20), summary="PA%K: granted only when more than 20 % is predicted",
            reference=_KIM, page=_ADJUST, headline=True,
        ),
        Metric(
            name="best_point_adjust_f", function=best_point_adjust_f, summary="largest F after point-adjust over all thresholds; inflated",
            reference=_XU, page=_ADJUST, needs="scores",
        ),
        Metric(
            name="event_fbeta", function=event_fbeta, summary="harmonic mean of event precision and recall",
            reference="counting of alarms", page=_EVENTS, headline=True,
        ),
        Metric(
            name="event_precision", function=event_precision, summary="share of predicted ranges that meet a real one",
            reference="counting of alarms", page=_EVENTS,
        ),
        Metric(
            name="event_recall", function=event_recall, summary="share of real ranges that are met",
            reference="counting of alarms", page=_EVENTS,
        ),
        Metric(
            name="mean_delay", function=mean_delay, summary="mean points from start to first hit, caught events only",
            reference="counting of alarms", page=_EVENTS, high=math.inf, better="lower", nothing=math.nan, headline=True,
        ),
        Metric(
            name="median_delay", function=median_delay, summary="median points from start to first hit, caught events only",
            reference="counting of alarms", page=_EVENTS, high=math.inf, better="lower", nothing=math.nan,
        ),
        Metric(
            name="caught_within", function=caught_within, summary="share of real ranges met within 10 points of their start",
            reference="counting of alarms", page=_EVENTS,
        ),
        Metric(
            name="ward_precision", function=ward_precision, summary="share of returned events that are correct: one to one",
            reference=_WARD, page=_PAGE_WARD,
        ),
        Metric(
            name="ward_recall", function=ward_recall, summary="share of real events that are correct: one to one",
            reference=_WARD, page=_PAGE_WARD, headline=True,
        ),
        Metric(
            name="affiliation_fbeta", function=affiliation_fbeta, summary="harmonic mean of affiliation precision and recall",
            reference=_HUET, page=_AFFILIATION, takes_length=True, headline=True,
        ),
        Metric(
            name="affiliation_precision", function=affiliation_precision, summary="nearness of predictions to events, against chance",
            reference=_HUET, page=_AFFILIATION, takes_length=True,
        ),
        Metric(
            name="affiliation_recall", function=affiliation_recall, summary="nearness of events to predictions, against chance",
            reference=_HUET, page=_AFFILIATION, takes_length=True,
        ),
    )
}  # fmt: skip
