"""The CARE score: coverage, accuracy, reliability and earliness of fault detection before faults (Guck, Roelofs, Faulstich 2024)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number


@dataclass(frozen=True, eq=False)
class CareEvent:
    """One series with one event: 0/1 predictions, and the half-open rows of the event.

    ``is_anomaly`` is whether the event leads to a fault; in a normal event nothing is wrong. ``normal`` is true for the rows of normal
    operation, by default all; other rows, such as service work, do not count.
    """

    predicted: Any
    start: int
    stop: int
    is_anomaly: bool
    normal: Any = None

    def __post_init__(self) -> None:
        for name in ("predicted", "normal"):
            given = np.ones(len(self.predicted), dtype=np.bool_) if getattr(self, name) is None else np.asarray(getattr(self, name))
            if given.ndim != 1 or given.dtype.kind not in "biu" or not np.isin(given, (0, 1)).all():
                raise ValueError(f"{name} must be 0 or 1, or a bool, for each row; got {given.dtype} of shape {given.shape}")
            object.__setattr__(self, name, given.astype(np.bool_))
        if len(self.normal) != len(self.predicted):
            raise ValueError(f"there are {len(self.predicted)} predictions and {len(self.normal)} entries of normal; give one per row")
        if not 0 <= self.start < self.stop <= len(self.predicted):
            raise ValueError(f"an event must be a half-open range within the {len(self.predicted)} rows; got [{self.start}, {self.stop})")
        if not self.normal.any():
            raise ValueError("normal is false for every row, so there is nothing to score")


@dataclass(frozen=True)
class CareScore:
    """The four parts of the score, each in 0..1, and the score itself."""

    coverage: float
    accuracy: float
    reliability: float
    earliness: float
    score: float


def care_score(
    events: Iterable[CareEvent],
    *,
    coverage_beta: float = 0.5,
    reliability_beta: float = 0.5,
    coverage_weight: float = 1.0,
    accuracy_weight: float = 2.0,
    reliability_weight: float = 1.0,
    earliness_weight: float = 1.0,
    criticality_threshold: int = 72,
    min_fraction: float | None = None,
    descend: tuple[int, int] = (1, 4),
    until_event_end: bool = False,
) -> CareScore:
    r"""The CARE score of predictions on events; at least one event is an anomaly and one is normal.

    For each anomaly event, *coverage* is the point-wise F (``coverage_beta``) over rows of normal operation. *Earliness* is the weighted
    share of its rows that are predicted; the weight is 1 for the first quarter (``descend``) and falls to 0 at its end. *Accuracy* is the
    share of rows of a normal event without a prediction. *Reliability* is the event-wise F (``reliability_beta``): an event is detected if
    its criticality, which rises by 1 at each predicted row and falls by 1 at any other (0 to 1,000), reaches ``criticality_threshold`` by
    its end; with ``min_fraction``, if that share of its rows is predicted. The score is the weighted mean of the four means,

    .. math:: CARE = \frac{w_C C + w_A A + w_R R + w_E E}{w_C + w_A + w_R + w_E},

    but 0 if no event is detected, and A if :math:`A \le 0.5`. With ``until_event_end``, rows after the event do not count. Equal to
    ``CAREScore`` of the package energy-fault-detector (0.8). From 0 to 1.

    >>> import numpy as np
    >>> fault = CareEvent(np.repeat([0, 1], [100, 100]), 100, 200, is_anomaly=True)
    >>> quiet = CareEvent(np.zeros(200, dtype=int), 100, 200, is_anomaly=False)
    >>> care_score([fault, quiet]).score
    1.0
    """
    every = list(events)
    kinds = {each.is_anomaly for each in every}
    if kinds != {True, False}:
        raise ValueError(f"the CARE score needs at least one anomaly event and one normal event; got {len(every)} of one kind or none")
    over, under = descend
    if under <= 0 or not 0 <= over / under < 1:
        raise ValueError(f"descend must be a share (numerator, denominator) of at least 0 and below 1; got {descend}")
    weights = [
        number(name, value)
        for name, value in (
            ("coverage_weight", coverage_weight), ("accuracy_weight", accuracy_weight), ("reliability_weight", reliability_weight),
            ("earliness_weight", earliness_weight),
        )
    ]  # fmt: skip
    seen = [_Seen.of(each, descend, until_event_end) for each in every]
    detected = np.array(
        [each.criticality >= criticality_threshold if min_fraction is None else each.fraction >= min_fraction for each in seen]
    )
    real = np.array([each.is_anomaly for each in every])
    faults, normal = ([each for each, own in zip(seen, real, strict=True) if own == wanted] for wanted in (True, False))
    coverage = float(np.mean([_fbeta(each.hits, each.misses, each.false, coverage_beta) for each in faults]))
    accuracy = float(np.mean([each.accuracy for each in normal]))
    earliness = float(np.mean([each.earliness for each in faults]))
    counts = int((real & detected).sum()), int((real & ~detected).sum()), int((~real & detected).sum())
    reliability = _fbeta(*counts, reliability_beta)
    parts = coverage, accuracy, reliability, earliness
    if not detected.any():
        score = 0.0
    elif accuracy <= 0.5:
        score = accuracy
    else:
        score = sum(weight * part for weight, part in zip(weights, parts, strict=True)) / sum(weights)
    return CareScore(*parts, float(score))


@dataclass(frozen=True)
class _Seen:
    """The counts of one event."""

    hits: int
    misses: int
    false: int
    accuracy: float
    fraction: float
    criticality: int
    earliness: float

    @classmethod
    def of(cls, event: CareEvent, descend: tuple[int, int], until_event_end: bool) -> _Seen:
        last = event.stop if until_event_end else len(event.predicted)
        normal, predicted = event.normal[:last], event.predicted[:last]
        real = np.zeros(last, dtype=np.bool_)
        if event.is_anomaly:
            real[event.start : event.stop] = True
        counted, said = real[normal], predicted[normal]
        return cls(
            int((counted & said).sum()),
            int((counted & ~said).sum()),
            int((~counted & said).sum()),
            float((counted == said).mean()) if len(said) else float("nan"),
            float(said.mean()) if len(said) else float("nan"),
            _criticality(event.predicted[: event.stop], event.normal[: event.stop]),
            _earliness(event.predicted[event.start : event.stop], descend),
        )


def _criticality(predicted: NDArray[np.bool_], normal: NDArray[np.bool_]) -> int:
    """The maximum of a count between 0 and 1,000 that rises at predicted rows and falls at others."""
    count = highest = 0
    for step in np.where(predicted, 1, -1)[normal].tolist():
        count = min(max(count + step, 0), 1000)
        highest = max(highest, count)
    return highest


def _earliness(predicted: NDArray[np.bool_], descend: tuple[int, int]) -> float:
    over, under = descend
    rows = np.arange(len(predicted))
    points = len(predicted) * under
    falling = (1 - rows * under / max(points - 1, 1)) / (1 - over / under)
    weights = np.where(rows * under < int(points * (over / under)), 1.0, falling)
    return float((predicted * weights).sum() / weights.sum())


def _fbeta(hits: int, misses: int, false: int, beta: float) -> float:
    below = (1 + beta**2) * hits + beta**2 * misses + false
    return (1 + beta**2) * hits / below if below else 0.0
