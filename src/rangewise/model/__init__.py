"""The paper's model: precision and recall for ranges, its settings, its scores and their explanation."""

from rangewise.model.model import RangeModel, range_fbeta, range_precision, range_recall, score
from rangewise.model.result import RangeRow, RangeRows, Score
from rangewise.model.tally import MacroScore, Tally, macro

__all__ = [
    "MacroScore",
    "RangeModel",
    "RangeRow",
    "RangeRows",
    "Score",
    "Tally",
    "macro",
    "range_fbeta",
    "range_precision",
    "range_recall",
    "score",
]
