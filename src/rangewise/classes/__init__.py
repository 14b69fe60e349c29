"""Metrics for several classes instead of one kind of anomaly: activities, sounds, heart beats."""

from rangewise.classes.collars import EventCounts, class_error_rate, class_event_fbeta, event_counts
from rangewise.classes.confusion import Confusion
from rangewise.classes.explain import ClassRow
from rangewise.classes.frames import frame_accuracy, macro_frame_f1
from rangewise.classes.scores import ClassAverage, ClassScore, ClassScores
from rangewise.classes.scoring import score_classes
from rangewise.classes.segmental import SegmentCounts, edit_score, segment_counts, segmental_f1
from rangewise.classes.substitutions import ClassEventAnalysis, class_event_analysis
from rangewise.classes.table import CLASS_METRICS

__all__ = [
    "CLASS_METRICS",
    "ClassAverage",
    "ClassEventAnalysis",
    "ClassRow",
    "ClassScore",
    "ClassScores",
    "Confusion",
    "EventCounts",
    "SegmentCounts",
    "class_error_rate",
    "class_event_analysis",
    "class_event_fbeta",
    "edit_score",
    "event_counts",
    "frame_accuracy",
    "macro_frame_f1",
    "score_classes",
    "segment_counts",
    "segmental_f1",
]
