"""Compare detectors: under several metrics, under all settings of the model, and under settings fitted to an expert's judgements."""

from rangewise.rankings.borders import AlphaSegment, Crossing
from rangewise.rankings.detector_table import DetectorTable, compare
from rangewise.rankings.judgements import AlphaInterval, ModelFit, fit_model
from rangewise.rankings.ranking import Ranking, ranking

__all__ = ["AlphaInterval", "AlphaSegment", "Crossing", "DetectorTable", "ModelFit", "Ranking", "compare", "fit_model", "ranking"]
