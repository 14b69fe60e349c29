"""rangewise: how good is a time-series anomaly detector, when anomalies last?

Range-based precision and recall (Tatbul et al., NeurIPS 2018), exact, fast, and explained range by range.

>>> import rangewise as rw
>>> score = rw.score([(3, 8), (12, 13)], [(5, 9)], recall_bias="front")
>>> round(score.recall, 3), score.precision
(0.2, 0.75)
"""

from rangewise.curve import Curve
from rangewise.many import ManyScores, score_many
from rangewise.metrics.nab import NabProfile, NabScore, nab_score
from rangewise.metrics.nab_corpus import NabCorpus, nab_corpus
from rangewise.metrics.nab_curve import NabCurve, nab_curve
from rangewise.model import (
    MacroScore,
    RangeModel,
    RangeRow,
    RangeRows,
    Score,
    Tally,
    macro,
    range_fbeta,
    range_precision,
    range_recall,
    score,
)
from rangewise.model.presets import (
    PRESETS,
    centred,
    classical,
    early,
    late,
    numenta_low_fn,
    numenta_low_fp,
    numenta_standard,
    unfragmented,
)
from rangewise.ranges import Ranges, as_ranges
from rangewise.stream import Stream

__version__ = "0.1.0"

__all__ = [
    "PRESETS",
    "Curve",
    "MacroScore",
    "ManyScores",
    "NabCorpus",
    "NabCurve",
    "NabProfile",
    "NabScore",
    "RangeModel",
    "RangeRow",
    "RangeRows",
    "Ranges",
    "Score",
    "Stream",
    "Tally",
    "as_ranges",
    "centred",
    "classical",
    "early",
    "late",
    "macro",
    "nab_corpus",
    "nab_curve",
    "nab_score",
    "numenta_low_fn",
    "numenta_low_fp",
    "numenta_standard",
    "range_fbeta",
    "range_precision",
    "range_recall",
    "score",
    "score_many",
    "unfragmented",
]
