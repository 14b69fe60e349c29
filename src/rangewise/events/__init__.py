"""Events: protocols of other fields with tolerances, average precision of ranges with a confidence, several annotators."""

from rangewise.events.annotators import (
    Agreement,
    AnnotatorScores,
    HumanComparison,
    agreement,
    compare_with_annotators,
    consensus_ranges,
    score_annotators,
)
from rangewise.events.detections import (
    ACTIVITYNET_IOUS,
    THUMOS_IOUS,
    AveragePrecisions,
    average_precision,
    mean_average_precision,
)
from rangewise.events.protocols import PROTOCOLS, EventProtocol, EventScore, SubjectScores, average_by_subject, score_events
from rangewise.events.repeats import RepeatScores, score_repeats
from rangewise.events.thresholds import EventCurve, event_curve

__all__ = [
    "ACTIVITYNET_IOUS",
    "PROTOCOLS",
    "THUMOS_IOUS",
    "Agreement",
    "AnnotatorScores",
    "AveragePrecisions",
    "EventCurve",
    "EventProtocol",
    "EventScore",
    "HumanComparison",
    "RepeatScores",
    "SubjectScores",
    "agreement",
    "average_by_subject",
    "average_precision",
    "compare_with_annotators",
    "consensus_ranges",
    "event_curve",
    "mean_average_precision",
    "score_annotators",
    "score_events",
    "score_repeats",
]
