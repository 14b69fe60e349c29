"""Scoring models to compare with, one file each; ``table.py`` lists them all."""

from typing import TYPE_CHECKING

from rangewise.later import loaded_later
from rangewise.metrics.affiliations import (
    Affiliation,
    AffiliationGain,
    affiliation,
    affiliation_fbeta,
    affiliation_gain,
    affiliation_precision,
    affiliation_precision_gain,
    affiliation_recall,
    best_affiliation_fbeta,
)
from rangewise.metrics.buffers import dominant_period, suggested_buffer, tsb_ad_buffer
from rangewise.metrics.change_points import change_point_fbeta, covering
from rangewise.metrics.composite import composite_fbeta
from rangewise.metrics.delayed_adjust import best_delayed_adjust_fbeta, delayed_adjust_curve, delayed_adjust_fbeta
from rangewise.metrics.evaluate import evaluate
from rangewise.metrics.events import (
    DetectionDelay,
    caught_within,
    detection_delay,
    event_fbeta,
    event_precision,
    event_recall,
    mean_delay,
    median_delay,
)
from rangewise.metrics.latency import best_latency_fbeta, latency_curve, latency_fbeta
from rangewise.metrics.leaderboard import best_composite_fbeta, best_tsb_range_f1, tsb_ad
from rangewise.metrics.metric import FAMILIES, Family, Metric
from rangewise.metrics.nab.corpus import NabCorpus, NabFile, nab_corpus
from rangewise.metrics.nab.curve import NabCurve, NabPoint, nab_curve
from rangewise.metrics.nab.scoring import NAB_PROFILES, NabFalseRow, NabProfile, NabScore, NabWindow, nab_normalized, nab_score
from rangewise.metrics.over_thresholds import best_range_fbeta, range_average_precision
from rangewise.metrics.pate_curve import pate, pate_f1
from rangewise.metrics.point import point_fbeta, point_precision, point_recall
from rangewise.metrics.point_adjust import (
    PointAdjustCurve,
    best_point_adjust_area,
    best_point_adjust_fbeta,
    point_adjust_area,
    point_adjust_curve,
    point_adjust_fbeta,
    point_adjust_precision,
    point_adjust_recall,
)
from rangewise.metrics.point_areas import auc_pr, auc_roc, best_point_fbeta
from rangewise.metrics.ranked import MetricCurve, ThresholdStep
from rangewise.metrics.segmentwise import segment_fbeta, segment_precision
from rangewise.metrics.table import METRICS
from rangewise.metrics.time_aware import EnhancedTimeAware, etapr, etapr_fbeta, etapr_precision, etapr_recall, tapr_fbeta
from rangewise.metrics.tolerant import best_tolerant_fbeta, tolerant_curve, tolerant_fbeta, tolerant_precision, tolerant_recall
from rangewise.metrics.ucr import ucr_score
from rangewise.metrics.volumes import range_auc_pr, range_auc_roc, vus_pr, vus_roc
from rangewise.metrics.ward import EventAnalysis, event_analysis, ward_precision, ward_recall

if TYPE_CHECKING:
    from rangewise.metrics.properties import PROPERTIES, Measurement, MetricProperty, broken_properties
    from rangewise.metrics.recommendations import TASKS, Recommendation, recommend
    from rangewise.metrics.scenarios import SCENARIOS, Scenario

__all__ = [
    "FAMILIES",
    "METRICS",
    "NAB_PROFILES",
    "PROPERTIES",
    "SCENARIOS",
    "TASKS",
    "Affiliation",
    "AffiliationGain",
    "DetectionDelay",
    "EnhancedTimeAware",
    "EventAnalysis",
    "Family",
    "Measurement",
    "Metric",
    "MetricCurve",
    "MetricProperty",
    "NabCorpus",
    "NabCurve",
    "NabFalseRow",
    "NabFile",
    "NabPoint",
    "NabProfile",
    "NabScore",
    "NabWindow",
    "PointAdjustCurve",
    "Recommendation",
    "Scenario",
    "ThresholdStep",
    "affiliation",
    "affiliation_fbeta",
    "affiliation_gain",
    "affiliation_precision",
    "affiliation_precision_gain",
    "affiliation_recall",
    "auc_pr",
    "auc_roc",
    "best_affiliation_fbeta",
    "best_composite_fbeta",
    "best_delayed_adjust_fbeta",
    "best_latency_fbeta",
    "best_point_adjust_area",
    "best_point_adjust_fbeta",
    "best_point_fbeta",
    "best_range_fbeta",
    "best_tolerant_fbeta",
    "best_tsb_range_f1",
    "broken_properties",
    "caught_within",
    "change_point_fbeta",
    "composite_fbeta",
    "covering",
    "delayed_adjust_curve",
    "delayed_adjust_fbeta",
    "detection_delay",
    "dominant_period",
    "etapr",
    "etapr_fbeta",
    "etapr_precision",
    "etapr_recall",
    "evaluate",
    "event_analysis",
    "event_fbeta",
    "event_precision",
    "event_recall",
    "latency_curve",
    "latency_fbeta",
    "mean_delay",
    "median_delay",
    "nab_corpus",
    "nab_curve",
    "nab_normalized",
    "nab_score",
    "pate",
    "pate_f1",
    "point_adjust_area",
    "point_adjust_curve",
    "point_adjust_fbeta",
    "point_adjust_precision",
    "point_adjust_recall",
    "point_fbeta",
    "point_precision",
    "point_recall",
    "range_auc_pr",
    "range_auc_roc",
    "range_average_precision",
    "recommend",
    "segment_fbeta",
    "segment_precision",
    "suggested_buffer",
    "tapr_fbeta",
    "tolerant_curve",
    "tolerant_fbeta",
    "tolerant_precision",
    "tolerant_recall",
    "tsb_ad",
    "tsb_ad_buffer",
    "ucr_score",
    "vus_pr",
    "vus_roc",
    "ward_precision",
    "ward_recall",
]

# What describes metrics is loaded on first use: commands that score need none of it.
_LATER = {
    "PROPERTIES": "metrics.properties",
    "Measurement": "metrics.properties",
    "MetricProperty": "metrics.properties",
    "broken_properties": "metrics.properties",
    "TASKS": "metrics.recommendations",
    "Recommendation": "metrics.recommendations",
    "recommend": "metrics.recommendations",
    "SCENARIOS": "metrics.scenarios",
    "Scenario": "metrics.scenarios",
}
__getattr__, __dir__ = loaded_later(__name__, _LATER)
