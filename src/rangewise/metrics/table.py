"""The one table of all metrics. The command line, the documentation's index and the tests of common properties read it."""

from __future__ import annotations

import math
from functools import partial

from rangewise.metrics.affiliations import (
    affiliation_fbeta,
    affiliation_precision,
    affiliation_precision_gain,
    affiliation_recall,
    best_affiliation_fbeta,
)
from rangewise.metrics.composite import composite_fbeta
from rangewise.metrics.delayed_adjust import best_delayed_adjust_fbeta, delayed_adjust_fbeta
from rangewise.metrics.events import caught_within, event_fbeta, event_precision, event_recall, mean_delay, median_delay
from rangewise.metrics.latency import best_latency_fbeta, latency_fbeta
from rangewise.metrics.leaderboard import best_composite_fbeta, best_tsb_range_f1
from rangewise.metrics.metric import Metric
from rangewise.metrics.nab.scoring import nab_normalized
from rangewise.metrics.over_thresholds import best_range_fbeta, range_average_precision
from rangewise.metrics.pate_curve import pate, pate_f1
from rangewise.metrics.point import point_fbeta, point_precision, point_recall
from rangewise.metrics.point_adjust import (
    best_point_adjust_area,
    best_point_adjust_fbeta,
    point_adjust_area,
    point_adjust_fbeta,
    point_adjust_precision,
    point_adjust_recall,
)
from rangewise.metrics.point_areas import auc_pr, auc_roc, best_point_fbeta
from rangewise.metrics.segmentwise import segment_fbeta, segment_precision
from rangewise.metrics.time_aware import etapr_fbeta, etapr_precision, etapr_recall, tapr_fbeta
from rangewise.metrics.tolerant import best_tolerant_fbeta, tolerant_fbeta, tolerant_precision, tolerant_recall
from rangewise.metrics.ucr import ucr_score
from rangewise.metrics.volumes import range_auc_pr, range_auc_roc, vus_pr, vus_roc
from rangewise.metrics.ward import ward_precision, ward_recall
from rangewise.model.model import range_fbeta, range_precision, range_recall

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
_PAPARRIZOS = "Paparrizos et al., VLDB 2022"
_GHORBANI = "Ghorbani et al., KDD 2024"
_TSB_AD = "Liu and Paparrizos, NeurIPS 2024"
_VUS, _PATE, _AREAS = "docs/metrics/vus.md", "docs/metrics/pate.md", "docs/metrics/point_areas.md"
_LEADERBOARD = "docs/metrics/tsb_ad.md"
_REN, _DOSHI, _HUNDMAN = "Ren et al., KDD 2019", "Doshi et al., 2022", "Hundman et al., KDD 2018"
_SORBO, _HWANG = "Sorbo and Ruocco, DMKD 2024", "Hwang et al., SAC 2022"
_COMPOSITE, _TOLERANT = "docs/metrics/composite.md", "docs/metrics/tolerant.md"
_DELAYED, _TIME_AWARE = "docs/metrics/delayed.md", "docs/metrics/time_aware.md"

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            name="range_fbeta", function=range_fbeta, family="range",
            summary="harmonic mean of range precision and recall",
            reference=_TATBUL, page=_MODEL, headline=True,
            breaks=("more-hits", "fewer-false", "near-miss"),
        ),
        Metric(
            name="range_precision", function=range_precision, family="range",
            summary="reward of the predicted ranges",
            reference=_TATBUL, page=_MODEL,
            breaks=("coverage", "more-hits", "fewer-false", "near-miss"),
        ),
        Metric(
            name="range_recall", function=range_recall, family="range",
            summary="reward of the real ranges",
            reference=_TATBUL, page=_MODEL,
            breaks=("all-ones", "false-alarm", "near-miss", "alarm-count"),
        ),
        Metric(
            name="range_average_precision", function=range_average_precision, family="threshold-free",
            summary="area under the range model's interpolated precision",
            reference=_TATBUL, page=_THRESHOLDS, needs="scores",
            breaks=("fragments", "more-hits", "fewer-false", "near-miss", "doubling"),
        ),
        Metric(
            name="best_range_fbeta", function=best_range_fbeta, family="threshold-free",
            summary="largest range F over all thresholds",
            reference=_TATBUL, page=_THRESHOLDS, of_labels="range_fbeta", needs="scores",
            breaks=("more-hits", "fewer-false", "near-miss"),
        ),
        Metric(
            name="point_fbeta", function=point_fbeta, family="point",
            summary="harmonic mean of point precision and recall",
            reference=_CLASSICAL, page=_POINT, headline=True,
            breaks=("near-miss", "events-equal", "alarm-count"),
        ),
        Metric(
            name="point_precision", function=point_precision, family="point",
            summary="share of predicted points that are anomalous",
            reference=_CLASSICAL, page=_POINT,
            breaks=("coverage", "near-miss", "alarm-count"),
        ),
        Metric(
            name="point_recall", function=point_recall, family="point",
            summary="share of anomalous points that are predicted",
            reference=_CLASSICAL, page=_POINT,
            breaks=("all-ones", "false-alarm", "near-miss", "events-equal", "alarm-count"),
        ),
        Metric(
            name="nab_normalized", function=nab_normalized, family="event",
            summary="NAB's score, standard profile, no probation",
            reference=_NAB, page="docs/metrics/nab.md", low=-math.inf, headline=True,
            breaks=("coverage", "near-miss", "alarm-count", "mirror"),
        ),
        Metric(
            name="point_adjust_fbeta", function=point_adjust_fbeta, family="point",
            summary="F of points after point-adjust; inflated",
            reference=_XU, page=_ADJUST, headline=True,
            breaks=("random", "coverage", "near-miss", "events-equal", "alarm-count"),
        ),
        Metric(
            name="point_adjust_precision", function=point_adjust_precision, family="point",
            summary="precision of points after point-adjust; inflated",
            reference=_XU, page=_ADJUST,
            breaks=("random", "coverage", "near-miss", "alarm-count"),
        ),
        Metric(
            name="point_adjust_recall", function=point_adjust_recall, family="point",
            summary="recall of points after point-adjust; inflated",
            reference=_XU, page=_ADJUST,
            breaks=("random", "all-ones", "coverage", "false-alarm", "near-miss", "events-equal", "alarm-count"),
        ),
        Metric(
            name="pa20_fbeta", function=partial(point_adjust_fbeta, k=20), family="point",
            summary="PA%K: adjusts ranges that are predicted to more than 20 %",
            reference=_KIM, page=_ADJUST, headline=True,
            breaks=("coverage", "near-miss", "events-equal", "alarm-count"),
        ),
        Metric(
            name="best_point_adjust_fbeta", function=best_point_adjust_fbeta, family="threshold-free",
            summary="largest F after point-adjust over all thresholds; inflated",
            reference=_XU, page=_ADJUST, of_labels="point_adjust_fbeta", needs="scores", leaderboard="PA-F1",
            breaks=("random", "coverage", "near-miss", "alarm-count"),
        ),
        Metric(
            name="event_fbeta", function=event_fbeta, family="event",
            summary="harmonic mean of event precision and recall",
            reference="counting of alarms", page=_EVENTS, headline=True,
            breaks=("all-ones", "coverage", "more-hits", "fewer-false", "near-miss"),
        ),
        Metric(
            name="event_precision", function=event_precision, family="event",
            summary="share of predicted ranges that overlap a real one",
            reference="counting of alarms", page=_EVENTS,
            breaks=("all-ones", "coverage", "more-hits", "fewer-false", "near-miss"),
        ),
        Metric(
            name="event_recall", function=event_recall, family="event",
            summary="share of real ranges that are found",
            reference="counting of alarms", page=_EVENTS,
            breaks=("random", "all-ones", "coverage", "false-alarm", "near-miss", "alarm-count"),
        ),
        Metric(
            name="mean_delay", function=mean_delay, family="event",
            summary="mean points from start to first hit, caught events only",
            reference="counting of alarms", page=_EVENTS, high=math.inf, better="lower", nothing=math.nan, headline=True,
            breaks=("coverage", "false-alarm", "near-miss", "alarm-count", "mirror"),
        ),
        Metric(
            name="median_delay", function=median_delay, family="event",
            summary="median points from start to first hit, caught events only",
            reference="counting of alarms", page=_EVENTS, high=math.inf, better="lower", nothing=math.nan,
            breaks=("coverage", "false-alarm", "near-miss", "alarm-count", "mirror"),
        ),
        Metric(
            name="caught_within", function=caught_within, family="event",
            summary="share of real ranges found within 10 points of their start",
            reference="counting of alarms", page=_EVENTS,
            breaks=("all-ones", "coverage", "false-alarm", "near-miss", "alarm-count", "mirror"),
        ),
        Metric(
            name="ward_precision", function=ward_precision, family="event",
            summary="share of returned events that are correct: one to one",
            reference=_WARD, page=_PAGE_WARD,
            breaks=("coverage", "near-miss"),
        ),
        Metric(
            name="ward_recall", function=ward_recall, family="event",
            summary="share of real events that are correct: one to one",
            reference=_WARD, page=_PAGE_WARD, headline=True,
            breaks=("random", "coverage", "false-alarm", "near-miss", "alarm-count"),
        ),
        Metric(
            name="affiliation_fbeta", function=affiliation_fbeta, family="event",
            summary="harmonic mean of affiliation precision and recall",
            reference=_HUET, page=_AFFILIATION, takes_length=True, headline=True,
            breaks=("random", "all-ones", "fragments", "alarm-count", "padding", "doubling"),
        ),
        Metric(
            name="affiliation_precision", function=affiliation_precision, family="event",
            summary="nearness of predictions to events, against chance",
            reference=_HUET, page=_AFFILIATION, takes_length=True,
            breaks=("random", "all-ones", "coverage", "alarm-count", "padding", "doubling"),
        ),
        Metric(
            name="affiliation_recall", function=affiliation_recall, family="event",
            summary="nearness of events to predictions, against chance",
            reference=_HUET, page=_AFFILIATION, takes_length=True,
            breaks=("random", "all-ones", "false-alarm", "fragments", "fewer-false", "alarm-count", "padding", "doubling"),
        ),
        Metric(
            name="vus_pr", function=vus_pr, family="threshold-free",
            summary="volume under precision over recall, buffers from 0 up",
            reference=_PAPARRIZOS, page=_VUS, needs="scores", leaderboard="VUS-PR",
            breaks=("fewer-false", "events-equal", "alarm-count"),
        ),
        Metric(
            name="vus_roc", function=vus_roc, family="threshold-free",
            summary="volume under the ROC curve, buffers from 0 up",
            reference=_PAPARRIZOS, page=_VUS, needs="scores", leaderboard="VUS-ROC",
            breaks=("random", "all-ones", "fewer-false", "events-equal", "alarm-count", "padding"),
        ),
        Metric(
            name="range_auc_pr", function=range_auc_pr, family="threshold-free",
            summary="area under precision over recall, with a buffer",
            reference=_PAPARRIZOS, page=_VUS, needs="scores",
            breaks=("fewer-false", "events-equal", "alarm-count"),
        ),
        Metric(
            name="range_auc_roc", function=range_auc_roc, family="threshold-free",
            summary="area under the ROC curve, with a buffer",
            reference=_PAPARRIZOS, page=_VUS, needs="scores",
            breaks=("random", "all-ones", "fewer-false", "events-equal", "alarm-count", "padding"),
        ),
        Metric(
            name="pate", function=pate, family="threshold-free",
            summary="area under precision over recall, weighted buffers; ties are rewarded",
            reference=_GHORBANI, page=_PATE, needs="scores",
            breaks=("all-ones", "ties", "more-hits", "fewer-false", "events-equal", "alarm-count", "mirror"),
        ),
        Metric(
            name="pate_f1", function=pate_f1, family="point",
            summary="F of points with weighted buffers before and after ranges",
            reference=_GHORBANI, page=_PATE, takes_length=True,
            breaks=("more-hits", "near-miss", "events-equal", "alarm-count", "mirror"),
        ),
        Metric(
            name="auc_pr", function=auc_pr, family="threshold-free",
            summary="area under precision over recall of points",
            reference=_CLASSICAL, page=_AREAS, needs="scores", leaderboard="AUC-PR",
            breaks=("near-miss", "events-equal", "alarm-count"),
        ),
        Metric(
            name="auc_roc", function=auc_roc, family="threshold-free",
            summary="probability that anomalous points score above normal",
            reference=_CLASSICAL, page=_AREAS, needs="scores", leaderboard="AUC-ROC",
            breaks=("random", "all-ones", "near-miss", "events-equal", "alarm-count", "padding"),
        ),
        Metric(
            name="best_point_fbeta", function=best_point_fbeta, family="threshold-free",
            summary="largest F of points over all thresholds",
            reference=_CLASSICAL, page=_AREAS, of_labels="point_fbeta", needs="scores", leaderboard="Standard-F1",
            breaks=("near-miss", "events-equal", "alarm-count"),
        ),
        Metric(
            name="best_composite_fbeta", function=best_composite_fbeta, family="threshold-free",
            summary="largest F of event recall and point precision",
            reference=_TSB_AD, page=_LEADERBOARD, of_labels="composite_fbeta", needs="scores", leaderboard="Event-based-F1",
            breaks=("random", "coverage", "near-miss", "alarm-count"),
        ),
        Metric(
            name="best_tsb_range_f1", function=best_tsb_range_f1, family="threshold-free",
            summary="largest range F with alpha 0.2 and cardinality 1/x",
            reference=_TSB_AD, page=_LEADERBOARD, needs="scores", leaderboard="R-based-F1",
            breaks=("more-hits", "fewer-false", "near-miss"),
        ),
        Metric(
            name="best_affiliation_fbeta", function=best_affiliation_fbeta, family="threshold-free",
            summary="largest affiliation F over all thresholds",
            reference=_HUET, page=_AFFILIATION, of_labels="affiliation_fbeta", needs="scores", leaderboard="Affiliation-F",
            breaks=("random", "all-ones", "fragments", "alarm-count", "padding", "doubling"),
        ),
        Metric(
            name="ucr_score", function=ucr_score, family="threshold-free",
            summary="whether the highest score lies in or near a real range",
            reference="Wu and Keogh, TKDE 2021", page="docs/metrics/ucr.md", needs="scores",
            breaks=("random", "coverage", "false-alarm", "alarm-count"),
        ),
        Metric(
            name="point_adjust_area", function=point_adjust_area, family="point",
            summary="mean of F of PA%K over all K",
            reference=_KIM, page=_ADJUST,
            breaks=("near-miss", "events-equal", "alarm-count"),
        ),
        Metric(
            name="delayed_adjust_fbeta", function=delayed_adjust_fbeta, family="point",
            summary="point-adjust for a hit in the first 10 points, else missed",
            reference=_REN, page=_DELAYED,
            breaks=("coverage", "near-miss", "events-equal", "alarm-count", "mirror"),
        ),
        Metric(
            name="latency_fbeta", function=latency_fbeta, family="point",
            summary="F of points; ranges count as found from their first hit on",
            reference=_DOSHI, page=_DELAYED,
            breaks=("random", "coverage", "near-miss", "events-equal", "alarm-count", "mirror"),
        ),
        Metric(
            name="tolerant_fbeta", function=tolerant_fbeta, family="point",
            summary="F of points, correct within 10 points",
            reference=_SORBO, page=_TOLERANT,
            breaks=("fragments", "fewer-false", "events-equal", "alarm-count"),
        ),
        Metric(
            name="tolerant_precision", function=tolerant_precision, family="point",
            summary="share of predicted points within 10 of an anomalous one",
            reference=_SORBO, page=_TOLERANT,
            breaks=("coverage", "fewer-false", "alarm-count"),
        ),
        Metric(
            name="tolerant_recall", function=tolerant_recall, family="point",
            summary="share of anomalous points within 10 of a predicted one",
            reference=_SORBO, page=_TOLERANT,
            breaks=("random", "all-ones", "false-alarm", "fragments", "events-equal", "alarm-count"),
        ),
        Metric(
            name="composite_fbeta", function=composite_fbeta, family="event",
            summary="F of event recall and point precision",
            reference="Garg et al., TNNLS 2021", page=_COMPOSITE,
            breaks=("coverage", "near-miss", "alarm-count"),
        ),
        Metric(
            name="segment_fbeta", function=segment_fbeta, family="event",
            summary="F of real ranges found and false alarms",
            reference=_HUNDMAN, page=_COMPOSITE,
            breaks=("all-ones", "coverage", "fewer-false", "near-miss"),
        ),
        Metric(
            name="segment_precision", function=segment_precision, family="event",
            summary="ranges found / (ranges found + false alarms)",
            reference=_HUNDMAN, page=_COMPOSITE,
            breaks=("all-ones", "coverage", "fewer-false", "near-miss"),
        ),
        Metric(
            name="etapr_fbeta", function=etapr_fbeta, family="event",
            summary="F of eTaPR, thresholds 0.5 and 0.1",
            reference=_HWANG, page=_TIME_AWARE,
            breaks=("more-hits", "fewer-false", "near-miss"),
        ),
        Metric(
            name="etapr_precision", function=etapr_precision, family="event",
            summary="predictions that are correct, and to what extent",
            reference=_HWANG, page=_TIME_AWARE,
            breaks=("coverage", "more-hits", "fewer-false", "near-miss"),
        ),
        Metric(
            name="etapr_recall", function=etapr_recall, family="event",
            summary="ranges detected, and how much of them is covered",
            reference=_HWANG, page=_TIME_AWARE,
            breaks=("false-alarm", "near-miss", "alarm-count"),
        ),
        Metric(
            name="tapr_fbeta", function=tapr_fbeta, family="event",
            summary="F of TaPR: detection and portion, half each",
            reference="Hwang et al., CIKM 2019", page=_TIME_AWARE,
            breaks=("more-hits", "fewer-false", "near-miss"),
        ),
        Metric(
            name="affiliation_precision_gain", function=affiliation_precision_gain, family="event",
            summary="affiliation precision minus chance",
            reference=_HUET, page=_AFFILIATION, takes_length=True, low=-1.0,
            breaks=("coverage", "alarm-count", "padding", "doubling"),
        ),
        Metric(
            name="best_point_adjust_area", function=best_point_adjust_area, family="threshold-free",
            summary="mean over K of the largest F of PA%K",
            reference=_KIM, page=_ADJUST, needs="scores",
            breaks=("random", "near-miss", "events-equal", "alarm-count"),
        ),
        Metric(
            name="best_delayed_adjust_fbeta", function=best_delayed_adjust_fbeta, family="threshold-free",
            summary="largest F of delayed_adjust over all thresholds",
            reference=_REN, page=_DELAYED, of_labels="delayed_adjust_fbeta", needs="scores",
            breaks=("random", "coverage", "near-miss", "alarm-count", "mirror"),
        ),
        Metric(
            name="best_latency_fbeta", function=best_latency_fbeta, family="threshold-free",
            summary="largest latency-aware F over all thresholds",
            reference=_DOSHI, page=_DELAYED, of_labels="latency_fbeta", needs="scores",
            breaks=("random", "coverage", "near-miss", "alarm-count", "mirror"),
        ),
        Metric(
            name="best_tolerant_fbeta", function=best_tolerant_fbeta, family="threshold-free",
            summary="largest time-tolerant F over all thresholds",
            reference=_SORBO, page=_TOLERANT, of_labels="tolerant_fbeta", needs="scores",
            breaks=("fragments", "fewer-false", "events-equal", "alarm-count"),
        ),
    )
}  # fmt: skip
"""All metrics by name."""
