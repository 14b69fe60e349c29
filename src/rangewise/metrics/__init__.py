"""Scoring models to compare with, one file each; ``table.py`` lists them all."""

from rangewise.metrics.point import point_fbeta, point_precision, point_recall
from rangewise.metrics.table import METRICS, Metric

__all__ = ["METRICS", "Metric", "point_fbeta", "point_precision", "point_recall"]
