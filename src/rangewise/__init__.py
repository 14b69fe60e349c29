"""rangewise: how good is a time-series anomaly detector when anomalies last?

Range-based precision and recall (Tatbul et al., NeurIPS 2018), exact, fast, and explained range by range.

>>> import rangewise as rw
>>> score = rw.score([(3, 8), (12, 13)], [(5, 9)], recall_bias="front")
>>> round(score.recall, 3), score.precision
(0.2, 0.75)
"""

from typing import TYPE_CHECKING

from rangewise import interrupts as _interrupts  # noqa: F401  before anything that takes time to load
from rangewise.inputs.case import Case
from rangewise.inputs.ranges import Ranges, as_ranges
from rangewise.later import loaded_later
from rangewise.model import (
    RangeModel,
    Score,
    Tally,
    range_fbeta,
    range_precision,
    range_recall,
    score,
)
from rangewise.model.presets import (
    PRESETS,
    centered,
    classical,
    early,
    late,
    numenta_low_fn,
    numenta_low_fp,
    numenta_standard,
    unfragmented,
)
from rangewise.threads import set_threads

if TYPE_CHECKING:
    from rangewise.audits import Audit, audit
    from rangewise.classes import (
        ClassScores,
        class_error_rate,
        class_event_analysis,
        class_event_fbeta,
        edit_score,
        frame_accuracy,
        macro_frame_f1,
        score_classes,
        segmental_f1,
    )
    from rangewise.curve import Curve
    from rangewise.events import EventProtocol, EventScore, average_by_subject, score_events
    from rangewise.inputs.scored_ranges import ScoredRanges
    from rangewise.inputs.scores import close_gaps
    from rangewise.many import ManyDetectors, ManyScores, PooledCurve, pooled_curve, score_channels, score_many
    from rangewise.metrics.leaderboard import tsb_ad
    from rangewise.metrics.nab.corpus import NabCorpus, nab_corpus
    from rangewise.metrics.nab.curve import NabCurve, nab_curve
    from rangewise.metrics.nab.scoring import NabProfile, NabScore, nab_score
    from rangewise.model.means import MacroScore, macro
    from rangewise.model.rows import RangeRow, RangeRows
    from rangewise.operations.backtest import Backtest, backtest
    from rangewise.operations.care import CareEvent, CareScore, care_score
    from rangewise.operations.early_warning import EarlyWarning, WarningCurve, early_warning, warning_curve
    from rangewise.operations.review import Review, review
    from rangewise.operations.summary import AlertSummary, alert_summary
    from rangewise.pipelines import RangeSplit, sklearn_scorer
    from rangewise.rankings import AlphaInterval, AlphaSegment, Crossing, DetectorTable, ModelFit, compare, fit_model
    from rangewise.rankings.ranking import Ranking, ranking
    from rangewise.reports import Report, report
    from rangewise.stream import Stream

__version__ = "0.3.0"

__all__ = [
    "PRESETS",
    "AlertSummary",
    "AlphaInterval",
    "AlphaSegment",
    "Audit",
    "Backtest",
    "CareEvent",
    "CareScore",
    "Case",
    "ClassScores",
    "Crossing",
    "Curve",
    "DetectorTable",
    "EarlyWarning",
    "EventProtocol",
    "EventScore",
    "MacroScore",
    "ManyDetectors",
    "ManyScores",
    "ModelFit",
    "NabCorpus",
    "NabCurve",
    "NabProfile",
    "NabScore",
    "PooledCurve",
    "RangeModel",
    "RangeRow",
    "RangeRows",
    "RangeSplit",
    "Ranges",
    "Ranking",
    "Report",
    "Review",
    "Score",
    "ScoredRanges",
    "Stream",
    "Tally",
    "WarningCurve",
    "alert_summary",
    "as_ranges",
    "audit",
    "average_by_subject",
    "backtest",
    "care_score",
    "centered",
    "class_error_rate",
    "class_event_analysis",
    "class_event_fbeta",
    "classical",
    "close_gaps",
    "compare",
    "early",
    "early_warning",
    "edit_score",
    "fit_model",
    "frame_accuracy",
    "late",
    "macro",
    "macro_frame_f1",
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
    "review",
    "score",
    "score_channels",
    "score_classes",
    "score_events",
    "score_many",
    "segmental_f1",
    "set_threads",
    "sklearn_scorer",
    "tsb_ad",
    "unfragmented",
    "warning_curve",
]

# Loaded on first use, because they would dominate the time of `import rangewise`.
_LATER = {
    "AlertSummary": "operations.summary",
    "Backtest": "operations.backtest",
    "backtest": "operations.backtest",
    "CareEvent": "operations.care",
    "CareScore": "operations.care",
    "care_score": "operations.care",
    "EarlyWarning": "operations.early_warning",
    "early_warning": "operations.early_warning",
    "WarningCurve": "operations.early_warning",
    "warning_curve": "operations.early_warning",
    "Review": "operations.review",
    "review": "operations.review",
    "alert_summary": "operations.summary",
    "Audit": "audits",
    "audit": "audits",
    "ClassScores": "classes",
    "class_error_rate": "classes",
    "class_event_analysis": "classes",
    "class_event_fbeta": "classes",
    "close_gaps": "inputs.scores",
    "Crossing": "rankings",
    "Curve": "curve",
    "DetectorTable": "rankings",
    "EventProtocol": "events",
    "EventScore": "events",
    "ScoredRanges": "inputs.scored_ranges",
    "average_by_subject": "events",
    "score_events": "events",
    "ModelFit": "rankings",
    "AlphaInterval": "rankings",
    "MacroScore": "model.means",
    "ManyDetectors": "many",
    "ManyScores": "many",
    "NabCorpus": "metrics.nab.corpus",
    "NabCurve": "metrics.nab.curve",
    "NabProfile": "metrics.nab.scoring",
    "NabScore": "metrics.nab.scoring",
    "Ranking": "rankings",
    "Report": "reports",
    "AlphaSegment": "rankings",
    "PooledCurve": "many",
    "RangeRow": "model.rows",
    "RangeRows": "model.rows",
    "RangeSplit": "pipelines",
    "Stream": "stream",
    "compare": "rankings",
    "edit_score": "classes",
    "fit_model": "rankings",
    "frame_accuracy": "classes",
    "macro": "model.means",
    "macro_frame_f1": "classes",
    "nab_corpus": "metrics.nab.corpus",
    "nab_curve": "metrics.nab.curve",
    "nab_score": "metrics.nab.scoring",
    "ranking": "rankings",
    "report": "reports",
    "pooled_curve": "many",
    "score_channels": "many",
    "score_classes": "classes",
    "score_many": "many",
    "sklearn_scorer": "pipelines",
    "segmental_f1": "classes",
    "tsb_ad": "metrics.leaderboard",
}
_PARTS = (
    "audits",
    "bench",
    "classes",
    "curve",
    "datasets",
    "detectors",
    "events",
    "files",
    "generate",
    "inputs",
    "many",
    "metrics",
    "operations",
    "paper",
    "pipelines",
    "plots",
    "rankings",
    "reports",
    "stream",
    "thresholds",
    "training",
)  # fmt: skip

__getattr__ = loaded_later(__name__, _LATER, _PARTS)[0]


def __dir__() -> list[str]:
    return sorted({*__all__, *_PARTS, "__version__"})
