"""The table of class metrics, used by the command line and the tests of common properties."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from rangewise.classes.collars import class_error_rate, class_event_fbeta
from rangewise.classes.frames import frame_accuracy, macro_frame_f1
from rangewise.classes.reading import ClassesLike, Names
from rangewise.classes.scoring import score_classes
from rangewise.classes.segmental import edit_score, segmental_f1


@dataclass(frozen=True, kw_only=True)
class ClassMetric:
    """A metric of classes: ``function(real, predicted, background=)`` gives a float from 0 to ``high``."""

    name: str
    function: Callable[..., float]
    summary: str
    reference: str
    high: float = 1.0
    better: Literal["higher", "lower"] = "higher"
    needs_collar: bool = False
    """Whether it takes ``onset_collar=``, which points need."""
    needs_points: bool = False
    """Whether both sides are one class per point: it counts points, or runs of them."""

    @property
    def best(self) -> float:
        """The value of a perfect prediction."""
        return self.high if self.better == "higher" else 0.0


def _range_f(average: Literal["macro", "micro"], real: ClassesLike, predicted: ClassesLike, *, background: Names = None) -> float:
    value: float = getattr(score_classes(real, predicted, background=background), average).f
    return value


_LEA, _MESAROS, _TATBUL = "Lea et al., CVPR 2017", "Mesaros et al., Applied Sciences 2016", "Tatbul et al., NeurIPS 2018"

CLASS_METRICS: dict[str, ClassMetric] = {
    metric.name: metric
    for metric in (
        ClassMetric(
            name="macro_range_f1", function=partial(_range_f, "macro"),
            summary="mean over classes of the range model's F", reference=_TATBUL,
        ),
        ClassMetric(
            name="micro_range_f1", function=partial(_range_f, "micro"),
            summary="the range model's F over all ranges of all classes", reference=_TATBUL,
        ),
        *(
            ClassMetric(
                name=f"segmental_f1@{percent}", function=partial(segmental_f1, overlap=percent / 100), needs_points=True,
                summary=f"F1 of segments that overlap by {percent} % or more", reference=_LEA,
            )
            for percent in (10, 25, 50)
        ),
        ClassMetric(
            name="edit_score", function=edit_score, needs_points=True,
            summary="similarity of the order of segments", reference=_LEA,
        ),
        ClassMetric(
            name="frame_accuracy", function=frame_accuracy, needs_points=True,
            summary="share of points with the right class", reference="counting of points",
        ),
        ClassMetric(
            name="macro_frame_f1", function=macro_frame_f1, needs_points=True,
            summary="mean over classes of F1 of points", reference="counting of points",
        ),
        ClassMetric(
            name="class_event_fbeta", function=class_event_fbeta, needs_collar=True,
            summary="F1 of events matched within collars", reference=_MESAROS,
        ),
        ClassMetric(
            name="class_error_rate", function=class_error_rate, needs_collar=True, high=math.inf, better="lower",
            summary="substituted, deleted and inserted events per real event", reference=_MESAROS,
        ),
    )
}  # fmt: skip
"""All metrics of classes by name."""
