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
    from rangewise.alerts.summary import AlertSummary, alert_summary
    from rangewise.curve import Curve
    from rangewise.many import ManyDetectors, ManyScores, PooledCurve, pooled_curve, score_many
    from rangewise.metrics.choosing import Advice, choose
    from rangewise.metrics.leaderboard import tsb_ad
    from rangewise.metrics.nab.corpus import NabCorpus, nab_corpus
    from rangewise.metrics.nab.curve import NabCurve, nab_curve
    from rangewise.metrics.nab.scoring import NabProfile, NabScore, nab_score
    from rangewise.rankings import Crossing, Fit, Interval, Ranking, Segment, fit_model, ranking
    from rangewise.reports import Report, report
    from rangewise.stream import Stream

__version__ = "0.1.0"

__all__ = [
    "PRESETS",
    "Advice",
    "AlertSummary",
    "Crossing",
    "Curve",
    "Fit",
    "Interval",
    "MacroScore",
    "ManyDetectors",
    "ManyScores",
    "NabCorpus",
    "NabCurve",
    "NabProfile",
    "NabScore",
    "PooledCurve",
    "RangeModel",
    "RangeRow",
    "RangeRows",
    "Ranges",
    "Ranking",
    "Report",
    "Score",
    "Segment",
    "Stream",
    "Tally",
    "alert_summary",
    "as_ranges",
    "centred",
    "choose",
    "classical",
    "early",
    "fit_model",
    "late",
    "macro",
    "nab_corpus",
    "nab_curve",
    "nab_score",
    "numenta_low_fn",
    "numenta_low_fp",
    "numenta_standard",
    "pooled_curve",
    "range_fbeta",
    "range_precision",
    "range_recall",
    "ranking",
    "report",
    "score",
    "score_many",
    "tsb_ad",
    "unfragmented",
]

# Loaded when first asked for: they would make up most of the time of `import rangewise`.
_LATER = {
    "Advice": "metrics.choosing",
    "AlertSummary": "alerts.summary",
    "alert_summary": "alerts.summary",
    "choose": "metrics.choosing",
    "Crossing": "rankings",
    "Curve": "curve",
    "Fit": "rankings",
    "Interval": "rankings",
    "ManyDetectors": "many",
    "ManyScores": "many",
    "NabCorpus": "metrics.nab.corpus",
    "NabCurve": "metrics.nab.curve",
    "NabProfile": "metrics.nab.scoring",
    "NabScore": "metrics.nab.scoring",
    "Ranking": "rankings",
    "Report": "reports",
    "Segment": "rankings",
    "PooledCurve": "many",
    "Stream": "stream",
    "fit_model": "rankings",
    "nab_corpus": "metrics.nab.corpus",
    "nab_curve": "metrics.nab.curve",
    "nab_score": "metrics.nab.scoring",
    "ranking": "rankings",
    "report": "reports",
    "pooled_curve": "many",
    "score_many": "many",
    "tsb_ad": "metrics.leaderboard",
}
_PARTS = (
    "alerts",
    "bench",
    "curve",
    "datasets",
    "detectors",
    "files",
    "generate",
    "many",
    "metrics",
    "paper",
    "plots",
    "rankings",
    "reports",
    "stream",
    "thresholds",
)  # fmt: skip


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
