"""Metrics of sound event detection: F and error rate of events matched within collars (Mesaros et al., 2016).

A real and a predicted event of one class may be a pair when their onsets are at most ``onset_collar`` apart and their offsets at most
``offset_collar``, or ``offset_share`` of the real event's length if that is more. Pairs are a maximum matching, class by class: the rule of
sed_eval with ``event_matching_type='optimal'``, whose defaults are 200 ms, 200 ms and a half.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number_between, shown, unknown_name
from rangewise.classes.matching import matching_size, matching_sizes
from rangewise.classes.reading import ClassesLike, ClassSides, Names, in_order_of_time, read_class_sides
from rangewise.inputs.clocks import Clock
from rangewise.inputs.instants import duration
from rangewise.model.tally import checked_f, share

_COLLAR = "200ms"
_AVERAGES = ("micro", "macro")


@dataclass(frozen=True, slots=True)
class EventCounts:
    """Counts that add up over series: real and predicted events, pairs of one class, and further pairs of different classes."""

    real: int = 0
    predicted: int = 0
    matched: int = 0
    substituted: int = 0

    @property
    def deleted(self) -> int:
        """Unpaired real events."""
        return self.real - self.matched - self.substituted

    @property
    def inserted(self) -> int:
        """Unpaired predicted events."""
        return self.predicted - self.matched - self.substituted

    @property
    def error_rate(self) -> float:
        """(substituted + deleted + inserted) / real; without real events, 0 if nothing is predicted either, else inf."""
        errors = self.substituted + self.deleted + self.inserted
        if not self.real:
            return math.inf if errors else 0.0
        return errors / self.real

    def __add__(self, other: EventCounts) -> EventCounts:
        if not isinstance(other, EventCounts):
            return NotImplemented
        sums = (getattr(self, name) + getattr(other, name) for name in self.__slots__)
        return EventCounts(*sums)

    def __radd__(self, other: object) -> EventCounts:
        # sum() begins with 0.
        return self if other == 0 else NotImplemented


def class_event_fbeta(
    real: ClassesLike,
    predicted: ClassesLike,
    *,
    onset_collar: Any = None,
    offset_collar: Any = None,
    offset_share: float = 0.5,
    background: Names = None,
    average: Literal["micro", "macro"] = "micro",
    beta: float = 1.0,
    zero_division: float = 0.0,
) -> float:
    r"""Weighted harmonic mean of the precision and recall of events, matched one to one within collars.

    .. math:: Precision = \frac{TP}{N_p}, \quad Recall = \frac{TP}{N_r}, \qquad
        |on_i - on_j| \le t_{on}, \quad |off_i - off_j| \le \max(t_{off}, s \, |R_i|)

    with TP the size of a maximum matching within classes. ``average="micro"`` pools the events of all classes, ``"macro"`` is the mean of F
    over the classes with real events. From 0 to 1, higher is better; a side without events has ``zero_division``.

    :param onset_collar: the largest distance between onsets: points, or for times a duration such as ``"50ms"`` or a number of seconds,
        by default 200 ms.
    :param offset_collar: the same for offsets, by default that of the onsets; ``math.inf`` ignores offsets.
    :param offset_share: or this share of the real event's length, if it is more.

    >>> real = [(0, 10, "dog"), (20, 30, "car")]
    >>> class_event_fbeta(real, [(1, 12, "dog"), (21, 30, "dog")], onset_collar=2)
    0.5

    Mesaros, Heittola and Virtanen (2016), section 2.4. At 100 points per second, sed_eval's collar of 200 ms is 20 points.
    """
    if average not in _AVERAGES:
        raise unknown_name("average", average, _AVERAGES)
    sides, collars = _read(real, predicted, background, onset_collar, offset_collar, offset_share)
    by_class = []
    for events, others in zip(sides.real, sides.predicted, strict=True):
        neighbors = [near.tolist() for near in _near(np.asarray(events), np.asarray(others), collars)]
        by_class.append(EventCounts(len(events), len(others), matching_size(neighbors, len(others))))
    if average == "macro":
        scores = [_f(counts, beta, zero_division) for counts in by_class if counts.real]
        defined = [score for score in scores if not math.isnan(score)]
        return math.fsum(defined) / len(defined) if defined else zero_division
    return _f(sum(by_class, EventCounts()), beta, zero_division)


def class_error_rate(
    real: ClassesLike,
    predicted: ClassesLike,
    *,
    onset_collar: Any = None,
    offset_collar: Any = None,
    offset_share: float = 0.5,
    background: Names = None,
) -> float:
    r"""Number of errors in events divided by the number of real events; the collars are those of :func:`class_event_fbeta`.

    .. math:: ER = \frac{S + D + I}{N_r}, \quad D = N_r - TP - S, \quad I = N_p - TP - S

    for an alignment of real and predicted events with the maximum number of pairs of the same class, TP, and then the maximum number of
    pairs of different classes, S. Such a pair is one substitution instead of a deletion and an insertion. 0 or more, lower is better,
    above 1 if there are more errors than events; without real events, 0 if nothing is predicted either, else inf.

    >>> real = [(0, 10, "dog"), (20, 30, "car")]
    >>> class_error_rate(real, [(1, 12, "dog"), (21, 30, "dog"), (50, 60, "car")], onset_collar=2)
    1.0

    Mesaros, Heittola and Virtanen (2016), section 2.5. sed_eval takes any maximum matching within classes and pairs the remaining events
    in file order, which can miss a substitution; otherwise the rates are the same.
    """
    return event_counts(
        real, predicted, onset_collar=onset_collar, offset_collar=offset_collar, offset_share=offset_share, background=background
    ).error_rate


def event_counts(
    real: ClassesLike,
    predicted: ClassesLike,
    *,
    onset_collar: Any = None,
    offset_collar: Any = None,
    offset_share: float = 0.5,
    background: Names = None,
) -> EventCounts:
    """The counts of :func:`class_error_rate`, which add up over series.

    >>> event_counts([(0, 10, "dog"), (20, 30, "car")], [(1, 12, "dog"), (21, 30, "dog")], onset_collar=2)
    EventCounts(real=2, predicted=2, matched=1, substituted=1)
    """
    sides, collars = _read(real, predicted, background, onset_collar, offset_collar, offset_share)
    (events, classes), (predicted_events, others) = in_order_of_time(sides.real), in_order_of_time(sides.predicted)
    same: list[list[int]] = []
    different: list[list[int]] = []
    for own, near in zip(classes.tolist(), _near(events, predicted_events, collars), strict=True):
        alike = others[near] == own
        same.append(near[alike].tolist())
        different.append(near[~alike].tolist())
    return EventCounts(len(events), len(predicted_events), *matching_sizes(same, different, len(predicted_events)))


@dataclass(frozen=True)
class _Collars:
    onset: float
    offset: float
    share: float


def _read(
    real: ClassesLike, predicted: ClassesLike, background: Names, onset: Any, offset: Any, offset_share: float
) -> tuple[ClassSides, _Collars]:
    sides = read_class_sides(real, predicted, background=background)
    clock = next((ranges.clock for ranges in (*sides.real, *sides.predicted)), None)
    on = _collar("onset_collar", onset, clock)
    off = on if offset is None else _collar("offset_collar", offset, clock)
    return sides, _Collars(on, off, number_between("offset_share", offset_share, 0.0, math.inf, "is a share of an event's length"))


def _collar(name: str, given: Any, clock: Any) -> float:
    """In points, or in ticks of the clock."""
    if isinstance(given, float) and math.isinf(given) and given > 0:
        return given
    if isinstance(clock, Clock):
        nanoseconds = duration(_COLLAR if given is None else given, name)  # a plain number is seconds
        if nanoseconds < 0:
            raise ValueError(f"{name} is how far apart two events may be, so it is 0 or more; got {given!r}")
        return nanoseconds / clock.tick
    if given is None:
        raise ValueError(f"{name} is missing: give the largest distance between onsets in points; sed_eval's 0.2 s are 20 points at 100 Hz")
    if isinstance(given, str):
        raise TypeError(f"{name} must be a number of points unless the ranges are times; got {shown(given)}")
    return number_between(name, given, 0.0, math.inf, "is how many points apart two events may be")


def _near(events: NDArray[np.int64], predicted: NDArray[np.int64], collars: _Collars) -> Iterator[NDArray[np.int64]]:
    """For each real event, the predicted events it may be paired with; both in order of time."""
    first = np.searchsorted(predicted[:, 0], events[:, 0] - collars.onset, side="left")
    last = np.searchsorted(predicted[:, 0], events[:, 0] + collars.onset, side="right")
    reach = np.maximum(collars.offset, collars.share * (events[:, 1] - events[:, 0]))
    for offset, reached, low, high in zip(events[:, 1].tolist(), reach.tolist(), first.tolist(), last.tolist(), strict=True):
        yield np.flatnonzero(np.abs(predicted[low:high, 1] - offset) <= reached) + low


def _f(counts: EventCounts, beta: float, zero_division: float) -> float:
    precision = share(counts.matched, counts.predicted, zero_division)
    recall = share(counts.matched, counts.real, zero_division)
    return checked_f(precision, recall, beta)
