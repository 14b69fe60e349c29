"""Scoring models to compare with, one file each; ``table.py`` lists them all."""

from rangewise.metrics.affiliation import Affiliation, affiliation, affiliation_fbeta, affiliation_precision, affiliation_recall
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
from rangewise.metrics.nab import NAB_PROFILES, NabFalseRow, NabProfile, NabScore, NabWindow, nab_normalized, nab_score
from rangewise.metrics.nab_corpus import NabCorpus, NabFile, nab_corpus
from rangewise.metrics.nab_curve import NabCurve, NabPoint, nab_curve
from rangewise.metrics.over_thresholds import best_range_f, range_average_precision
from rangewise.metrics.point import point_fbeta, point_precision, point_recall
from rangewise.metrics.point_adjust import (
    PointAdjustCurve,
    best_point_adjust_f,
    point_adjust_curve,
    point_adjust_fbeta,
    point_adjust_precision,
    point_adjust_recall,
)
from rangewise.metrics.table import METRICS, Metric
from rangewise.metrics.ward import EventAnalysis, event_analysis, ward_precision, ward_recall

__all__ = [
    "METRICS",
    "NAB_PROFILES",
    "Affiliation",
    "DetectionDelay",
    "EventAnalysis",
    "Metric",
    "NabCorpus",
    "NabCurve",
    "NabFalseRow",
    "NabFile",
    "NabPoint",
    "NabProfile",
    "NabScore",
    "NabWindow",
    "PointAdjustCurve",
    "affiliation",
    "affiliation_fbeta",
    "affiliation_precision",
    "affiliation_recall",
    "best_point_adjust_f",
    "best_range_f",
    "caught_within",
    "detection_delay",
    "event_analysis",
    "event_fbeta",
    "event_precision",
    "event_recall",
    "mean_delay",
    "median_delay",
    "nab_corpus",
    "nab_curve",
    "nab_normalized",
    "nab_score",
    "point_adjust_curve",
    "point_adjust_fbeta",
    "point_adjust_precision",
    "point_adjust_recall",
    "point_fbeta",
    "point_precision",
    "point_recall",
    "range_average_precision",
    "ward_precision",
    "ward_recall",
]
