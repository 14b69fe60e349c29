"""Events: is a real range found at all, and how late?

A real event is caught when a prediction shares at least one point with it. Operators count alarms this way. Size and position do
not matter: one predicted point catches an event of any length, and one prediction over the whole series catches all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number_between
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.clocks import Clock
from rangewise.inputs.instants import NANOSECONDS, duration
from rangewise.inputs.ranges import RangesLike
from rangewise.metrics.overlaps import overlaps_of
from rangewise.model.tally import checked_f, share


def event_precision(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    r"""Share of the predicted ranges that overlap a real one.

    .. math:: Precision = \frac{|\{P_i : P_i \cap R \neq \emptyset\}|}{N_p}

    From 0 to 1, higher is better; ``zero_division`` when nothing is predicted.

    >>> event_precision([(2, 6), (10, 14)], [(0, 1), (5, 8), (11, 12)])
    0.6666666666666666
    """
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "event_precision").sides()
    return share(int(np.count_nonzero(overlaps_of(predicted_ranges, real_ranges).count)), len(predicted_ranges), zero_division)


def event_recall(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    r"""Share of the real ranges that are caught: a prediction overlaps them in at least one point.

    .. math:: Recall = \frac{|\{R_i : R_i \cap P \neq \emptyset\}|}{N_r}

    From 0 to 1, higher is better; ``zero_division`` when there are no real ranges. The range model with ``alpha=1`` gives the same.

    >>> event_recall([(2, 6), (10, 14)], [(0, 1), (5, 8)])
    0.5
    """
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "event_recall").sides()
    return share(int(np.count_nonzero(overlaps_of(real_ranges, predicted_ranges).count)), len(real_ranges), zero_division)


def event_fbeta(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    beta: float = 1.0,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Weighted harmonic mean of the event-wise precision and recall.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty.

    >>> event_fbeta([(2, 6), (10, 14)], [(0, 1), (5, 8)])
    0.5
    """
    case = Case.of_labels(real, predicted, options, "event_fbeta")
    precision, recall = event_precision(case, zero_division=zero_division), event_recall(case, zero_division=zero_division)
    return checked_f(precision, recall, beta)


@dataclass(frozen=True, eq=False)
class DetectionDelay:
    """The number of points after its start at which each real event was first predicted; seconds for times.

    ``delays`` has a number for each real event, nan for one that was missed; a prediction that runs into an event catches it with delay 0.
    """

    delays: NDArray[np.float64]
    unit: str = "points"

    @property
    def caught(self) -> int:
        """How many real events were caught."""
        return int(np.count_nonzero(~np.isnan(self.delays)))

    @property
    def mean(self) -> float:
        """Mean delay of the caught events; nan when none was."""
        return float(np.nanmean(self.delays)) if self.caught else math.nan

    @property
    def median(self) -> float:
        """Median delay of the caught events; nan when none was."""
        return float(np.nanmedian(self.delays)) if self.caught else math.nan

    def within(self, points: Any, *, zero_division: float = 0.0) -> float:
        """Share of all real events that were caught with a delay of at most ``points``; ``zero_division`` without real events.

        For times it is in seconds, or a duration such as ``"5min"``.
        """
        if self.unit == "seconds" and not isinstance(points, (int, float, np.number)):
            points = duration(points, "points") / NANOSECONDS["s"]
        points = number_between("points", points, 0, math.inf, f"counts {self.unit} after the start of an event")
        return share(int(np.count_nonzero(self.delays <= points)), len(self.delays), zero_division)

    def __repr__(self) -> str:
        late = f"mean {self.mean:g}, median {self.median:g} {self.unit} late"
        return f"DetectionDelay({self.caught} of {len(self.delays)} events caught, {late})"


def detection_delay(real: RangesLike | Case, predicted: RangesLike | None = None, **options: Unpack[CaseOptions]) -> DetectionDelay:
    """The delay of each real event: its first predicted point minus its start. In seconds for times.

    >>> delay = detection_delay([(10, 20), (30, 40), (50, 60)], [(8, 11), (34, 36), (38, 39)])
    >>> delay
    DetectionDelay(2 of 3 events caught, mean 2, median 2 points late)
    >>> delay.delays.tolist(), delay.within(3)
    ([0.0, 4.0, nan], 0.3333333333333333)
    """
    real_ranges, predicted_ranges = Case.of_labels(real, predicted, options, "detection_delay").sides()
    met = overlaps_of(real_ranges, predicted_ranges)
    delays = np.where(met.count > 0, (met.begin - real_ranges.starts).astype(np.float64), math.nan)
    if isinstance(real_ranges.clock, Clock):
        return DetectionDelay(delays * real_ranges.clock.tick / NANOSECONDS["s"], "seconds")
    return DetectionDelay(delays)


def mean_delay(real: RangesLike | Case, predicted: RangesLike | None = None, **options: Unpack[CaseOptions]) -> float:
    r"""Mean delay of the caught events, in points; in seconds for times.

    .. math:: \frac{1}{|C|} \sum_{R_i \in C} \left( \min (R_i \cap P) - \min R_i \right)

    with C the caught events. From 0 without upper bound, lower is better; nan when no event is caught. Missed events do not count, so
    report it with :func:`event_recall`.

    >>> mean_delay([(10, 20), (30, 40)], [(8, 11), (34, 36)])
    2.0
    """
    return detection_delay(real, predicted, **options).mean


def median_delay(real: RangesLike | Case, predicted: RangesLike | None = None, **options: Unpack[CaseOptions]) -> float:
    """Median delay of the caught events, in points; in seconds for times.

    From 0 without upper bound, lower is better; nan when no event is caught.

    >>> median_delay([(10, 20), (30, 40), (50, 60)], [(10, 11), (34, 36), (59, 60)])
    4.0
    """
    return detection_delay(real, predicted, **options).median


def caught_within(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    points: Any = 10,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Share of the real events that are caught with a delay of at most ``points``; for times, seconds or e.g. ``"5min"``.

    .. math:: \frac{|\{R_i \in C : \min (R_i \cap P) - \min R_i \le points\}|}{N_r}

    From 0 to 1, higher is better; ``zero_division`` when there are no real events.

    >>> caught_within([(10, 20), (30, 40)], [(8, 11), (34, 36)], points=3)
    0.5
    """
    return detection_delay(real, predicted, **options).within(points, zero_division=zero_division)
