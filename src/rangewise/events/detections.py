"""Average precision of ranges with a confidence: matched by temporal IoU, or within a time tolerance."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number, shown, unknown_name
from rangewise.inputs.instants import duration
from rangewise.inputs.ranges import RangesLike
from rangewise.inputs.scored_ranges import ScoredRanges
from rangewise.model.means import defined_mean

Ends = Literal["both", "start", "stop"]
_ONE_OF_THEM = "iou= and tolerance= cannot be combined; give one of them"
_ENDS: Mapping[str, tuple[int, ...]] = {"both": (0, 1), "start": (0,), "stop": (1,)}

ACTIVITYNET_IOUS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
"""0.5, 0.55, ..., 0.95: ActivityNet's thresholds of temporal IoU."""
THUMOS_IOUS = (0.3, 0.4, 0.5, 0.6, 0.7)
"""THUMOS' thresholds of temporal IoU."""


@dataclass(frozen=True)
class AveragePrecisions:
    """Average precision of each class at each threshold, and its means."""

    thresholds: tuple[float, ...]
    classes: Mapping[Hashable, tuple[float, ...]]

    @property
    def mean(self) -> float:
        """The mean over classes and thresholds; nan without classes that have real events."""
        return defined_mean([value for values in self.classes.values() for value in values])

    @property
    def by_threshold(self) -> dict[float, float]:
        """The mean over the classes with real events at each threshold (mAP)."""
        return {threshold: defined_mean([values[at] for values in self.classes.values()]) for at, threshold in enumerate(self.thresholds)}

    @property
    def by_class(self) -> dict[Hashable, float]:
        """The mean over the thresholds of each class."""
        return {name: defined_mean(values) for name, values in self.classes.items()}


def average_precision(
    real: RangesLike | Mapping[Any, RangesLike],
    scored: Any,
    *,
    iou: float | None = None,
    tolerance: Any = None,
    ends: Ends = "both",
) -> float:
    r"""Area under the envelope of the precision-recall curve, for ranges with a confidence.

    Predictions are processed in order of decreasing confidence, ties in the given order. A prediction is true if it matches an unmatched
    real range with temporal IoU of at least ``iou`` (the one with the highest IoU); otherwise it is false. With :math:`p_k` and
    :math:`r_k` precision and recall after k predictions,

    .. math:: AP = \sum_k (r_k - r_{k-1}) \max_{j \ge k} p_j

    From 0 to 1, higher is better; nan without real ranges, 0 without predictions. Duplicates are false, so they never raise the value.

    :param real: the real ranges, which may overlap; or ``{recording: ranges}``, then ``scored`` has the same keys.
    :param scored: :class:`rangewise.ScoredRanges`, or input for them.
    :param iou: the minimum temporal IoU of a match, above 0 and up to 1; by default 0.5.
    :param tolerance: instead of ``iou``: the maximum distance between the ends of a match, in rows, or as a duration for ranges of times.
        Each prediction matches the nearest unmatched real range.
    :param ends: the ends that ``tolerance`` applies to: ``"both"``, ``"start"`` or ``"stop"``.

    >>> average_precision([(0, 10), (20, 30)], [(0, 9, 0.9), (50, 60, 0.8), (21, 30, 0.7)])
    0.8333333333333333
    >>> average_precision([(0, 10), (20, 30)], [(1, 9, 0.9), (50, 60, 0.8), (21, 30, 0.7)], tolerance=1, ends="start")
    0.8333333333333333

    The matching and the envelope are those of ActivityNet's evaluation (Caba Heilbron et al., 2015). There, a prediction with the start and
    the stop of another one may match a second real range that overlaps the first; here it is always false.
    """
    if iou is not None and tolerance is not None:
        raise ValueError(_ONE_OF_THEM)
    threshold = 0.5 if iou is None else iou
    return _precisions(real, scored, (threshold,) if tolerance is None else (tolerance,), tolerance is not None, ends)[0]


def mean_average_precision(
    real: Mapping[Hashable, Any],
    scored: Mapping[Hashable, Any],
    *,
    iou: Sequence[float] | None = None,
    tolerance: Sequence[Any] | None = None,
    ends: Ends = "both",
) -> AveragePrecisions:
    """:func:`average_precision` of each class at each threshold, and its means.

    :param real: ``{class: ranges}``, or ``{class: {recording: ranges}}``. Classes without real ranges are nan and skipped in means.
    :param scored: the same keys; a missing class has no predictions, a class that is not in ``real`` is an error.
    :param iou: thresholds of temporal IoU, by default ``ACTIVITYNET_IOUS`` (0.5 to 0.95), or e.g. ``THUMOS_IOUS`` (0.3 to 0.7).
    :param tolerance: several tolerances, instead of ``iou``.

    >>> precisions = mean_average_precision({"run": [(0, 10)], "jump": [(20, 30)]}, {"run": [(0, 8, 0.9)]}, iou=(0.5, 0.9))
    >>> precisions.mean, precisions.by_class, precisions.by_threshold
    (0.25, {'run': 0.5, 'jump': 0.0}, {0.5: 0.5, 0.9: 0.0})
    """
    if not isinstance(real, Mapping) or not isinstance(scored, Mapping):
        raise TypeError(f"real and scored must be mappings by class; got {shown(real)} and {shown(scored)}")
    for name in scored:
        if name not in real:
            raise ValueError(f"scored has class {shown(name)}, but real does not; give its real ranges, or an empty list")
    if iou is not None and tolerance is not None:
        raise ValueError(_ONE_OF_THEM)
    what, given = ("iou", ACTIVITYNET_IOUS if iou is None else iou) if tolerance is None else ("tolerance", tolerance)
    if isinstance(given, str) or not np.ndim(given):
        raise TypeError(f"{what} must be a list of thresholds, e.g. [{given!r}]; got {shown(given)}")
    thresholds = tuple(given)
    classes = {
        name: _precisions(
            ranges, scored.get(name, {} if isinstance(ranges, Mapping) else []), thresholds, tolerance is not None, ends
        )
        for name, ranges in real.items()
    }  # fmt: skip
    return AveragePrecisions(thresholds, classes)


def _precisions(real: Any, scored: Any, thresholds: Sequence[Any], timed: bool, ends: Ends) -> tuple[float, ...]:
    if ends not in _ENDS:
        raise unknown_name("ends", ends, tuple(_ENDS))
    if not timed and ends != "both":
        raise ValueError("ends= is for tolerance=; temporal IoU uses both ends")
    recordings = _recordings(real, scored)
    references = sum(len(each.real) for each in recordings)
    if not references:
        return (math.nan,) * len(thresholds)
    confidences = np.concatenate([each.scored.confidences for each in recordings])
    # Ties stay in the given order.
    order = np.argsort(-confidences, kind="stable")
    precisions = []
    for threshold in thresholds:
        limits = [each.limit(threshold, timed) for each in recordings]
        true = np.concatenate([each.matched(limit, timed, ends) for each, limit in zip(recordings, limits, strict=True)])[order]
        precisions.append(_area(true, references))
    return tuple(precisions)


@dataclass(frozen=True, eq=False)
class _Sides:
    """Real and scored ranges of one recording, in rows or in ticks of one clock."""

    real: NDArray[np.int64]
    scored: ScoredRanges
    is_rows: bool

    def limit(self, threshold: Any, timed: bool) -> float:
        if not timed:
            share = number("iou", threshold)
            if not 0.0 < share <= 1.0:
                raise ValueError(f"iou must be above 0 and at most 1; got {threshold!r}")
            return share
        length = number("tolerance", threshold) if self.is_rows else duration(threshold, "tolerance")
        if not length >= 0:
            raise ValueError(f"tolerance must be 0 or more; got {threshold!r}")
        return length

    def matched(self, limit: float, timed: bool, ends: Ends) -> NDArray[np.bool_]:
        """Which predictions are true, in the given order."""
        pairs = np.column_stack([self.scored.starts, self.scored.stops])
        true = np.zeros(len(pairs), dtype=np.bool_)
        free = np.ones(len(self.real), dtype=np.bool_)
        seen: set[tuple[int, int]] = set()
        for which in np.argsort(-self.scored.confidences, kind="stable").tolist():
            start, stop = pairs[which].tolist()
            if (start, stop) in seen or not len(self.real):
                continue
            seen.add((start, stop))
            likeness = self._nearness(start, stop, ends) if timed else self._iou(start, stop)
            allowed = free & ((likeness >= -limit) if timed else (likeness >= limit))
            if allowed.any():
                taken = int(np.argmax(np.where(allowed, likeness, -np.inf)))
                free[taken], true[which] = False, True
        return true

    def _iou(self, start: int, stop: int) -> NDArray[np.float64]:
        shared = np.maximum(np.minimum(self.real[:, 1], stop) - np.maximum(self.real[:, 0], start), 0)
        return np.asarray(shared / (self.real[:, 1] - self.real[:, 0] + (stop - start) - shared))

    def _nearness(self, start: int, stop: int, ends: Ends) -> NDArray[np.float64]:
        apart = np.abs(self.real - np.array([start, stop]))[:, _ENDS[ends]]
        return np.asarray(-apart.max(axis=1), dtype=np.float64)


def _recordings(real: Any, scored: Any) -> list[_Sides]:
    if not isinstance(real, Mapping):
        if isinstance(scored, Mapping):
            raise TypeError("scored is by recording, but real is not; give both as {recording: ranges}")
        return [_sides(real, scored, "")]
    if not isinstance(scored, Mapping):
        raise TypeError("real is by recording, but scored is not; give both as {recording: ranges}")
    for name in scored:
        if name not in real:
            raise ValueError(f"scored has recording {shown(name)}, but real does not; give its real ranges, or an empty list")
    return [_sides(ranges, scored.get(name, []), f", recording {shown(name)}") for name, ranges in real.items()]


def _sides(real: Any, scored: Any, where: str) -> _Sides:
    predicted = scored if isinstance(scored, ScoredRanges) else ScoredRanges(scored, name=f"scored{where}")
    events = real if not isinstance(real, ScoredRanges) else list(zip(real.starts.tolist(), real.stops.tolist(), strict=True))
    references = ScoredRanges(events, np.zeros(_count(events)), name=f"real{where}")
    clocks = [side.clock for side in (references, predicted) if len(side)]
    if len(clocks) == 2 and (clocks[0] is None) != (clocks[1] is None):
        raise ValueError(f"one of real{where} and scored{where} is times and the other rows; give both as times (seconds are floats)")
    if len(clocks) == 2 and clocks[0] is not None and clocks[1] is not None and clocks[0].elapsed != clocks[1].elapsed:
        raise ValueError(f"one of real{where} and scored{where} has dates and the other seconds; give both as dates, or both as seconds")
    pairs = [_nanoseconds(side) for side in (references, predicted)]
    with_confidence = ScoredRanges(pairs[1], predicted.confidences) if len(predicted) else predicted
    return _Sides(pairs[0], with_confidence, all(clock is None for clock in clocks))


def _nanoseconds(side: ScoredRanges) -> NDArray[np.int64]:
    pairs = np.column_stack([side.starts, side.stops])
    return pairs if side.clock is None else pairs * side.clock.tick + side.clock.origin


def _count(events: Any) -> int:
    try:
        return len(events)
    except TypeError:
        raise TypeError(f"real is {shown(events)}; expected pairs of rows or times") from None


def _area(true: NDArray[np.bool_], references: int) -> float:
    if not true.any():
        return 0.0
    hits = np.cumsum(true)
    precision = hits / np.arange(1, len(true) + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return math.fsum(envelope[true].tolist()) / references
