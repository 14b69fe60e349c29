"""Sensitivity against false alarms per day at every threshold of a detector's confidences or scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number
from rangewise.curve import MOST_ONE_BY_ONE
from rangewise.events.protocols import EventProtocol, EventScore, score_events
from rangewise.inputs.clocks import Clock, ClockedRanges, row_clock
from rangewise.inputs.ranges import RangesLike
from rangewise.inputs.scored_ranges import ScoredRanges, scored_ranges
from rangewise.inputs.scores import read_scores


@dataclass(frozen=True, eq=False)
class EventCurve:
    """One entry per threshold, thresholds descending; an event is predicted where the confidence is at least the threshold."""

    thresholds: NDArray[np.float64]
    scores: tuple[EventScore, ...]

    @property
    def sensitivity(self) -> NDArray[np.float64]:
        return self._values("sensitivity")

    @property
    def precision(self) -> NDArray[np.float64]:
        return self._values("precision")

    @property
    def f1(self) -> NDArray[np.float64]:
        return self._values("f1")

    @property
    def false_alarms_per_day(self) -> NDArray[np.float64]:
        return self._values("false_alarms_per_day")

    def sensitivity_at(self, false_alarms_per_day: float) -> float:
        """The largest sensitivity with at most so many false alarms per day; 0 where every threshold has more, nan without real events."""
        allowed = self.false_alarms_per_day <= number("false_alarms_per_day", false_alarms_per_day)
        return float(self.sensitivity[allowed].max()) if allowed.any() else 0.0

    def _values(self, name: str) -> NDArray[np.float64]:
        return np.array([getattr(score, name) for score in self.scores], dtype=np.float64)

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
    **settings: Any,
) -> EventCurve:
    """:func:`rangewise.score_events` at every distinct confidence, up to 2,000; beyond that give ``thresholds``.

    :param scores: :class:`rangewise.ScoredRanges` of times; or one score per point, with ``times``: when the points are. A point lasts
        until the next one, the last as long as the one before it.

    >>> import rangewise as rw
    >>> found = rw.ScoredRanges([(600.0, 650.0, 0.9), (40000.0, 40010.0, 0.4)])
    >>> curve = event_curve([(600.0, 650.0)], found, span=(0, 86400))
    >>> curve.thresholds.tolist(), curve.sensitivity.tolist(), curve.false_alarms_per_day.tolist()
    ([0.9, 0.4], [1.0, 1.0], [0.0, 1.0])
    >>> curve.sensitivity_at(0.5)
    1.0
    """
    scored = _scored(scores, times)
    borders, values = _levels(scored)
    chosen = np.unique(np.asarray(scored.confidences if thresholds is None else thresholds, dtype=np.float64))[::-1]
    if np.isnan(chosen).any():
        raise ValueError("thresholds are numbers; got nan")
    if len(chosen) > MOST_ONE_BY_ONE:
        raise ValueError(
            f"there are {len(chosen):,} distinct scores, and up to {MOST_ONE_BY_ONE:,} thresholds are evaluated; "
            "give thresholds=, e.g. np.quantile(scores, np.linspace(0, 1, 200))"
        )
    clock = scored.clock or Clock(elapsed=True)
    found = []
    for threshold in chosen:
        edges = np.diff(np.concatenate([[False], values >= threshold, [False]]).astype(np.int8))
        runs = np.column_stack([borders[:-1][edges[:-1] > 0], borders[1:][edges[1:] < 0]])
        found.append(score_events(real, ClockedRanges(runs, clock), protocol=protocol, span=span, **settings))
    return EventCurve(chosen, tuple(found))


def _scored(scores: Any, times: Any) -> ScoredRanges:
    if isinstance(scores, ScoredRanges):
        if times is not None:
            raise ValueError("times= is for one score per point; ranges with a confidence are times already")
        if scores.clock is None and len(scores):
            return scored_ranges(scores.starts * 10**9, scores.stops * 10**9, scores.confidences, Clock(elapsed=True))
        return scores
    values = read_scores(scores)
    if times is None:
        raise ValueError("one score per point needs times=, one time per point; or give rw.ScoredRanges")
    clock = row_clock(times)
    if len(clock.index) != len(values):
        raise ValueError(f"times has {len(clock.index)} times and there are {len(values)} scores; give one time per score")
    borders = clock.times(np.arange(len(values) + 1)).view(np.int64)
    return scored_ranges(borders[:-1], borders[1:], values, Clock(zoned=clock.zoned, elapsed=clock.elapsed))


def _levels(scored: ScoredRanges) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Borders, and the largest confidence between each two of them."""
    borders, places = np.unique(np.concatenate([scored.starts, scored.stops]), return_inverse=True)
    values = np.full(max(len(borders) - 1, 0), -np.inf)
    firsts, lasts = places[: len(scored)], places[len(scored) :]
    if (lasts - firsts == 1).all():
        np.maximum.at(values, firsts, scored.confidences)
        return borders, values
    for row in np.argsort(scored.confidences, kind="stable").tolist():
        values[firsts[row] : lasts[row]] = scored.confidences[row]
    return borders, values
