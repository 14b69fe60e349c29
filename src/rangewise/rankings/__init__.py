"""Detectors side by side: under several metrics, under which settings who wins, which settings fit an expert's judgements."""

from rangewise.rankings.detector_table import DetectorTable, compare
from rangewise.rankings.judgements import AlphaInterval, Fit, fit_model
from rangewise.rankings.places import Crossing, Segment
from rangewise.rankings.ranking import Ranking, ranking

__all__ = ["AlphaInterval", "Crossing", "DetectorTable", "Fit", "Ranking", "Segment", "compare", "fit_model", "ranking"]
