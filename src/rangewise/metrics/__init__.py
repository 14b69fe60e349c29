"""Scoring models to compare with, one file each; ``table.py`` lists them all."""

from rangewise.metrics.nab import NAB_PROFILES, NabFalseRow, NabProfile, NabScore, NabWindow, nab_normalized, nab_score
from rangewise.metrics.nab_corpus import NabCorpus, NabFile, nab_corpus
from rangewise.metrics.nab_curve import NabCurve, NabPoint, nab_curve
from rangewise.metrics.point import point_fbeta, point_precision, point_recall
from rangewise.metrics.table import METRICS, Metric

__all__ = [
    "METRICS",
    "NAB_PROFILES",
    "Metric",
    "NabCorpus",
    "NabCurve",
    "NabFalseRow",
    "NabFile",
    "NabPoint",
    "NabProfile",
    "NabScore",
    "NabWindow",
    "nab_corpus",
    "nab_curve",
    "nab_normalized",
    "nab_score",
    "point_fbeta",
    "point_precision",
    "point_recall",
]
