"""The paper's model: precision and recall for ranges, its settings, its scores and their explanation."""

from typing import TYPE_CHECKING

from rangewise.later import loaded_later
from rangewise.model.model import RangeModel, range_fbeta, range_precision, range_recall, score
from rangewise.model.result import Score
from rangewise.model.tally import Tally

if TYPE_CHECKING:
    from rangewise.model.means import MacroScore, macro
    from rangewise.model.rows import RangeRow, RangeRows

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

__getattr__, __dir__ = loaded_later(
    __name__, {"MacroScore": "model.means", "macro": "model.means", "RangeRow": "model.rows", "RangeRows": "model.rows"}
)
