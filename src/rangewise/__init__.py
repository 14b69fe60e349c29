"""rangewise: how good is a time-series anomaly detector, when anomalies last?

Range-based precision and recall (Tatbul et al., NeurIPS 2018), exact, fast, and explained range by range.

>>> import rangewise as rw
>>> score = rw.score([(3, 8), (12, 13)], [(5, 9)], recall_bias="front")
>>> round(score.recall, 3), score.precision
(0.2, 0.75)
"""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from rangewise.curve import Curve
    from rangewise.many import ManyScores, score_many
    from rangewise.metrics.nab import NabProfile, NabScore, nab_score
    from rangewise.metrics.nab_corpus import NabCorpus, nab_corpus
    from rangewise.metrics.nab_curve import NabCurve, nab_curve
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

# Loaded when first asked for: they would make up most of the time of `import rangewise`.
_LATER = {
    "Curve": "curve",
    "ManyScores": "many",
    "NabCorpus": "metrics.nab_corpus",
    "NabCurve": "metrics.nab_curve",
    "NabProfile": "metrics.nab",
    "NabScore": "metrics.nab",
    "Stream": "stream",
    "nab_corpus": "metrics.nab_corpus",
    "nab_curve": "metrics.nab_curve",
    "nab_score": "metrics.nab",
    "score_many": "many",
}
_PARTS = ("curve", "datasets", "detectors", "many", "metrics", "paper", "plots", "stream", "thresholds")


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _PARTS:
        return import_module(f"rangewise.{name}")
    if name not in _LATER:
        raise AttributeError(f"module 'rangewise' has no attribute {name!r}")
    found = getattr(import_module(f"rangewise.{_LATER[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PARTS})
