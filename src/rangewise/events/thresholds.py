"""Sensitivity against false alarms per day at every threshold of a detector's confidences or scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number
from rangewise.curve import MOST_ONE_BY_ONE
from rangewise.events.protocols import EventProtocol, EventScore, score_events
from rangewise.events.recording import event_side, read_recording
from rangewise.inputs.clocks import Clock, ClockedRanges, on_one_clock, row_clock
from rangewise.inputs.ignored import pieces_outside
from rangewise.inputs.ranges import Ranges, RangesLike, join, trusted_ranges
from rangewise.inputs.scored_ranges import ScoredRanges, scored_ranges
from rangewise.inputs.scores import Missing, fill_missing, refuse_missing, score_array


def _values(name: str) -> property:
    """One score at every threshold, as a property of a curve."""
    return property(lambda curve: np.array([getattr(score, name) for score in curve.scores], dtype=np.float64))


@dataclass(frozen=True, eq=False)
class EventCurve:
    """One entry per threshold, in descending order; an event is predicted if its confidence is at least the threshold."""

    thresholds: NDArray[np.float64]
    scores: tuple[EventScore, ...]

    sensitivity = _values("sensitivity")
    precision = _values("precision")
    f1 = _values("f1")
    false_alarms_per_day = _values("false_alarms_per_day")

    def sensitivity_at(self, false_alarms_per_day: float) -> float:
        """The largest sensitivity with at most this many false alarms per day; 0 if every threshold has more.

        nan without real events, and if the length of the recording is unknown (give ``span=``).
        """
        rates = self.false_alarms_per_day
        allowed = rates <= number("false_alarms_per_day", false_alarms_per_day)
        if len(self) and (np.isnan(rates).all() or np.isnan(self.sensitivity).all()):
            return np.nan
        return float(self.sensitivity[allowed].max()) if allowed.any() else 0.0

    def __len__(self) -> int:
        return len(self.thresholds)


def event_curve(
    real: RangesLike,
    scores: Any,
    *,
    protocol: str | EventProtocol = "szcore",
    span: Any = None,
    times: Any = None,
    thresholds: Any = None,
    ignore: RangesLike | None = None,
    missing: Missing = "error",
    **settings: Any,
) -> EventCurve:
    """:func:`rangewise.score_events` at every distinct confidence, up to 2,000; beyond that give ``thresholds``.

    :param scores: :class:`rangewise.ScoredRanges` of times; or one score per point, with the ``times`` of the points. A point lasts until
        the next one, the last point as long as the one before it.
    :param ignore: intervals to ignore, as in :func:`rangewise.score_events`. A confidence inside them is a threshold only if it changes
        the rest of the prediction.
    :param missing: how to treat nan scores: ``"error"``, ``"lowest"`` (replace by the lowest score) or ``"ignore"`` (ignore the time of
        the point).

    >>> import rangewise as rw
    >>> predicted = rw.ScoredRanges([(600.0, 650.0, 0.9), (40000.0, 40010.0, 0.4)])
    >>> curve = event_curve([(600.0, 650.0)], predicted, span=(0, 86400))
    >>> curve.thresholds.tolist(), curve.sensitivity.tolist(), curve.false_alarms_per_day.tolist()
    ([0.9, 0.4], [1.0, 1.0], [0.0, 1.0])
    >>> curve.sensitivity_at(0.5)
    1.0
    """
    scored, absent = _scored(scores, times, missing)
    if absent is not None:
        ignore = absent if ignore is None else _together(ignore, absent)
    order = np.argsort(scored.starts, kind="stable")
    starts, stops, confidences = scored.starts[order], scored.stops[order], scored.confidences[order]
    chosen = np.unique(np.asarray(scored.confidences if thresholds is None else thresholds, dtype=np.float64))[::-1]
    if np.isnan(chosen).any():
        raise ValueError("thresholds must be numbers; got nan")
    if len(chosen) > MOST_ONE_BY_ONE:
        raise ValueError(
            f"there are {len(chosen):,} distinct scores, but at most {MOST_ONE_BY_ONE:,} thresholds are evaluated; "
            "give thresholds=, e.g. np.quantile(scores, np.linspace(0, 1, 200))"
        )
    clock = scored.clock or Clock(elapsed=True)
    outside = None if ignore is None or thresholds is not None else _counted_confidences(scored, clock, ignore)
    kept: dict[float, EventScore] = {}
    for threshold in chosen.tolist():
        predicted = confidences >= threshold
        runs = trusted_ranges(join(starts[predicted], stops[predicted])[0])
        if not isinstance(scores, ScoredRanges):
            runs = runs.merge_touching()  # adjacent points are one event, ranges that touch are two
        score = score_events(real, ClockedRanges(runs, clock), protocol=protocol, span=span, ignore=ignore, **settings)
        # An ignored event counts if it changes the prediction: it may join others that are not ignored.
        before = next(reversed(kept.values())).predicted if kept else ()
        if outside is None or threshold in outside or score.predicted != before:
            kept[threshold] = score
    return EventCurve(np.array(list(kept), dtype=np.float64), tuple(kept.values()))


def _counted_confidences(scored: ScoredRanges, clock: Clock, ignore: RangesLike) -> set[float]:
    """The confidences of events that are not completely ignored."""
    pairs = np.column_stack([scored.starts, scored.stops]) * clock.tick + clock.origin
    gone = read_recording([], [], None, ignore).ignored
    left = pieces_outside(*pairs.T, *gone.T)[1]
    return set(scored.confidences[left].tolist())


def _together(ignore: RangesLike, absent: ClockedRanges) -> ClockedRanges:
    """Ignored intervals, and the time of points without a score."""
    both = on_one_clock({"ignore": event_side(ignore, "ignore"), "times": absent})
    bounds = np.concatenate([np.asarray(side) for side in both])
    return ClockedRanges(Ranges.joined(bounds), both[1].clock)


def _scored(scores: Any, times: Any, missing: Missing) -> tuple[ScoredRanges, ClockedRanges | None]:
    """Ranges with a confidence, and the time of the points whose score is missing and ignored."""
    if isinstance(scores, ScoredRanges):
        refuse_missing(missing)
        if times is not None:
            raise ValueError("times= is for one score per point; ranges with a confidence have times already")
        if scores.clock is None and len(scores):
            return scored_ranges(scores.starts * 10**9, scores.stops * 10**9, scores.confidences, Clock(elapsed=True)), None
        return scores, None
    values, absent = fill_missing(score_array(scores), missing)
    if times is None:
        raise ValueError("one score per point needs times=, one time per point; or give rw.ScoredRanges")
    clock = row_clock(times)
    if len(clock.index) != len(values):
        raise ValueError(f"times has {len(clock.index)} times, but there are {len(values)} scores; give one time per score")
    borders = clock.times(np.arange(len(values) + 1)).view(np.int64)
    on_clock = Clock(zoned=clock.zoned, elapsed=clock.elapsed)
    gone = None if absent is None else ClockedRanges(borders[np.asarray(absent)], on_clock)
    return scored_ranges(borders[:-1], borders[1:], values, on_clock), gone
