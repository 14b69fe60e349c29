"""Early warning: alarms before the onset of an event, their lead times, and a comparison with chance."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.clocks import TimePairs, common_kind, common_zone, span_of
from rangewise.inputs.instants import NANOSECONDS, Instants, as_times, duration, duration_text, read_row_times
from rangewise.inputs.ranges import RangesLike
from rangewise.number_text import share_text
from rangewise.operations.exact_intervals import binomial_tail, share_interval
from rangewise.operations.page import length_text, seconds_of
from rangewise.operations.summary import Spans, as_timedelta, read_pairs, read_sides

_DAY = NANOSECONDS["d"]
_MOST_PAIRS = 20_000_000
_Instants = NDArray[np.int64]


@dataclass(frozen=True)
class WarningWindow:
    """An alarm warns of an event from ``earliest`` to ``latest`` before its onset, both inclusive, in nanoseconds."""

    earliest: int
    latest: int

    @classmethod
    def read(cls, given: Any) -> WarningWindow:
        """A pair such as ``("2h", "10min")``, the text ``2h..10min``, or one length, which ends at the onset.

        >>> WarningWindow.read("2h..10min") == WarningWindow.read(("2h", "10min"))
        True
        """
        if isinstance(given, WarningWindow):
            return given
        parts = given.split("..") if isinstance(given, str) else given
        ends = list(parts) if isinstance(parts, (list, tuple)) else [parts]
        if len(ends) not in (1, 2):
            raise ValueError(f"warning_window must be two durations before the onset, e.g. 2h..10min; got {given!r}")
        earliest, latest = (duration(end, "warning_window") for end in (*ends, 0)[:2])
        if not 0 <= latest < earliest:
            raise ValueError(f"warning_window must begin before it ends, and end at or before the onset, e.g. 2h..10min; got {given!r}")
        return cls(earliest, latest)

    def __str__(self) -> str:
        end = f" to {duration_text(self.latest)}" if self.latest else ""
        return f"{duration_text(self.earliest)}{end} before the onset"


@dataclass(frozen=True, eq=False)
class EarlyWarning:
    """The result of :func:`early_warning`."""

    window: WarningWindow
    cooldown: timedelta
    events: int
    warned: int
    """Events with an alarm in their warning window."""
    sensitivity: float
    """The share of events warned; 0 without events."""
    leads: tuple[timedelta | None, ...]
    """The time from the first alarm to the onset of each event, ordered by onset and then by end. Alarms count from the start of the
    window to the end of the event. Negative if the alarm comes after the onset; None if there is none."""
    median_lead: timedelta | None
    """Over the events with a warning, from the first alarm in the window."""
    alarms: int
    """Alarms that the cooldown does not suppress."""
    suppressed: int
    """Alarms within the cooldown after another one."""
    late: int
    """Alarms after the window of an event, but before its end."""
    false_alarms: int
    """Alarms outside the windows, the events, and the time between them."""
    false_alarms_per_day: float
    """Per day of the time outside these."""
    time_in_warning: float
    """The share of the span in which an onset would have had a warning."""
    improvement_over_chance: float
    """Sensitivity minus time in warning: the gain over random warnings of the same total duration. From -1 to 1."""
    p_shift: float
    """The probability that all alarms, shifted circularly by a random amount, do at least as well. Exact; preserves all clustering."""
    p_binomial: float
    """The probability of at least this many warned events if each had a warning independently, with probability ``time_in_warning``."""
    span: tuple[np.datetime64, np.datetime64] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: lengths of time in seconds."""
        lengths = {"cooldown": self.cooldown.total_seconds(), "median_lead": seconds_of(self.median_lead)}
        window = {"earliest": self.window.earliest / 1e9, "latest": self.window.latest / 1e9}
        names = (
            "events", "warned", "sensitivity", "alarms", "suppressed", "late", "false_alarms", "false_alarms_per_day", "time_in_warning",
            "improvement_over_chance", "p_shift", "p_binomial",
        )  # fmt: skip
        values = {name: getattr(self, name) for name in names}
        return {"window": window, **lengths, **values, "leads": [seconds_of(lead) for lead in self.leads]}

    def lines(self) -> list[tuple[str, str]]:
        """Name and text of each line of a summary."""
        interval = share_interval(self.warned, self.events)
        low, high = share_text(interval.low), share_text(interval.high)
        chance = "better than chance" if self.p_shift <= 0.05 else "not distinguishable from chance"
        return [
            ("warned", f"{self.warned:,} of {self.events:,}, {self.window} (95 % interval {low} to {high})"),
            ("lead time", f"median {length_text(self.median_lead)}"),
            (
                "alarms",
                f"{self.alarms:,}: {self.false_alarms:,} false ({self.false_alarms_per_day:.2f} per day outside windows and "
                f"events), {self.late:,} late",
            ),
            ("time in warning", f"{share_text(self.time_in_warning)}; improvement over chance {self.improvement_over_chance:+.3f}"),
            ("against chance", f"{chance}: p = {self.p_shift:.3g} (alarms shifted), {self.p_binomial:.3g} (binomial)"),
        ]

    def __str__(self) -> str:
        return "\n".join(f"{name:<16}{text}" for name, text in self.lines())


def early_warning(
    incidents: RangesLike, alerts: RangesLike, *, window: Any, cooldown: Any = 0, span: Any = None, until: Any = None
) -> EarlyWarning:
    r"""Evaluate alarms before events: an alarm in :math:`[T - earliest, T - latest]` warns of an event with onset T.

    An alarm is the start of an alert; with ``cooldown``, alarms within that time after the last counted one are suppressed. The lead time
    of an event is T minus its first alarm. The *time in warning* is the share of ``span`` (by default from the first start to the last end)
    covered by :math:`[A + latest, A + earliest]` over all alarms A: an onset there would have had a warning.

    Two tests against chance: ``p_binomial`` is :math:`P(X \ge warned)` for X binomial with the time in warning (Snyder et al. 2008), which
    assumes independent events. ``p_shift`` shifts all alarms circularly by a uniform U. It is the probability that more events have a
    warning, or equally many with at least the same total lead time; it is exact for any clustering of events or alarms. Without events or
    alarms both are 1.

    >>> result = early_warning([("2024-05-02T12:00", "2024-05-02T13:00")], [("2024-05-02T11:00", "2024-05-02T11:10")], window="2h..10min",
    ...                        span=("2024-05-01", "2024-05-03"))
    >>> result.warned, str(result.median_lead), round(result.time_in_warning, 4)
    (1, '1:00:00', 0.0382)
    """
    limits = WarningWindow.read(window)
    real, fired, _, _ = read_sides(incidents, alerts, until)
    first, last = span.nanoseconds.tolist() if isinstance(span, Instants) else span_of(span, real.joined(), fired.joined())[:2]
    return warn_of(real, fired.starts, limits, duration(cooldown, "cooldown"), (first, last))


def warn_of(real: TimePairs, alarms: _Instants, window: WarningWindow, cooldown: int, span: tuple[int, int]) -> EarlyWarning:
    """Events and alarms within a span, both in nanoseconds."""
    if cooldown < 0:
        raise ValueError(
            f"cooldown, the time after an alarm in which others are suppressed, must be 0 or more; got {duration_text(cooldown)}"
        )
    first, last = span
    order = np.lexsort((real.stops, real.starts))
    onsets, ends = real.starts[order], real.stops[order]
    seen = (onsets >= first) & (onsets < last)
    onsets, ends = onsets[seen], ends[seen]
    given = np.sort(alarms[(alarms >= first) & (alarms < last)])
    kept = _after_cooldown(given, cooldown)
    places = np.searchsorted(kept, onsets - window.earliest, side="left")
    padded = np.append(kept, np.iinfo(np.int64).max)
    first_alarm = padded[places]
    warned = first_alarm <= onsets - window.latest
    answered = first_alarm < ends
    near = Spans.joined(onsets - window.earliest, ends)
    false = _outside(kept, near)
    in_window = _inside_any(kept, onsets - window.earliest, onsets - window.latest)
    quiet_days = Spans(np.array([first]), np.array([last])).outside(near) / _DAY
    length = last - first
    share = Spans.joined(kept + window.latest, kept + window.earliest).within(*span) / length if length > 0 else 0.0
    sensitivity = float(warned.mean()) if len(onsets) else 0.0
    leads = [as_timedelta(lead) for lead in (onsets - np.where(answered, first_alarm, onsets)).tolist()]
    warned_leads = (onsets - first_alarm)[warned]
    return EarlyWarning(
        window=window,
        cooldown=as_timedelta(cooldown),
        events=len(onsets),
        warned=int(warned.sum()),
        sensitivity=sensitivity,
        leads=tuple(lead if known else None for lead, known in zip(leads, answered.tolist(), strict=True)),
        median_lead=as_timedelta(np.median(warned_leads)) if len(warned_leads) else None,
        alarms=len(kept),
        suppressed=len(given) - len(kept),
        late=int((~false & ~in_window).sum()),
        false_alarms=int(false.sum()),
        false_alarms_per_day=float(false.sum() / quiet_days) if quiet_days else 0.0,
        time_in_warning=share,
        improvement_over_chance=sensitivity - share,
        p_shift=shift_test(onsets - first, kept - first, window, length),
        p_binomial=binomial_tail(int(warned.sum()), len(onsets), share) if len(onsets) else 1.0,
        span=tuple(as_times(np.array(span), real.elapsed)),
    )


def shift_test(onsets: _Instants, alarms: _Instants, window: WarningWindow, length: int) -> float:
    """The share of circular shifts of all alarms that warn of more events than observed, or of equally many with at least the same total
    lead time.

    Under a shift u, event T has a warning while an alarm A + u lies in its window. As u grows, alarms enter a window at its start, where
    each becomes the first, and leave it at its end. Between these moments the number of warned events is constant and the total lead time
    falls by that number per unit of u. Sorting all moments therefore gives the exact share of shifts.
    """
    if not len(onsets) or not len(alarms) or length <= 0:
        return 1.0
    if len(onsets) * len(alarms) > _MOST_PAIRS:
        raise ValueError(f"the test against chance supports up to {_MOST_PAIRS:,} pairs of an event and an alarm; shorten the span")
    width = min(window.earliest - window.latest, length)
    # The shift at which each alarm is just at the start of the window of each event.
    enters = np.sort((onsets[:, None] - window.earliest - alarms[None, :]) % length, axis=1)
    after = np.roll(enters, -1, axis=1)
    after[:, -1] += length
    # An alarm is the first of the window until the next enters, or until it leaves.
    stays = np.minimum(after - enters, width)
    starts = enters.ravel()
    stops = starts + stays.ravel()
    # What was observed does not wrap around: an alarm at the end of the span warns of no event at its start. This can only raise p.
    in_order = np.sort(alarms)
    firsts = np.append(in_order, np.iinfo(np.int64).max)[np.searchsorted(in_order, onsets - window.earliest, side="left")]
    observed = firsts <= onsets - window.latest
    count = int(observed.sum())
    if not count:
        return 1.0
    lead = float((onsets - firsts)[observed].sum())
    return _share_as_good(starts, stops, float(window.earliest), length, count, lead)


def _share_as_good(starts: _Instants, stops: _Instants, earliest: float, length: int, count: int, lead: float) -> float:
    """The share of [0, length) covered by more than ``count`` stays, or by ``count`` stays whose leads add up to ``lead`` or more."""
    wrapped = stops > length
    begins = np.concatenate([starts, np.zeros(int(wrapped.sum()), dtype=np.int64)])
    ends = np.concatenate([np.minimum(stops, length), stops[wrapped] - length])
    # Within a stay, the lead is ``earliest`` minus the time since it began, even if it began before shift 0.
    origins = np.concatenate([starts, starts[wrapped] - length])
    moments = np.concatenate([begins, ends, [0, length]])
    number = np.concatenate([np.ones(len(begins)), -np.ones(len(ends)), [0.0, 0.0]])
    origin = np.concatenate([origins, -origins, [0, 0]]).astype(np.float64)
    order = np.argsort(moments, kind="stable")
    moments, covered, origin_sums = moments[order], np.cumsum(number[order])[:-1], np.cumsum(origin[order])[:-1]
    low, high = moments[:-1].astype(np.float64), moments[1:].astype(np.float64)
    more = float((high - low)[covered > count].sum())
    same = (covered == count) & (high > low)
    # lead(u) = covered * earliest + sum of origins - covered * u >= lead; a nanosecond of slack for the rounding of sums.
    last = earliest + (origin_sums[same] - lead + 1.0) / count
    return min((more + float(np.clip(np.minimum(last, high[same]) - low[same], 0, None).sum())) / length, 1.0)


def _after_cooldown(alarms: _Instants, cooldown: int) -> _Instants:
    if not cooldown or not len(alarms):
        return alarms
    kept = [int(alarms[0])]
    while (place := int(np.searchsorted(alarms, kept[-1] + cooldown, side="left"))) < len(alarms):
        kept.append(int(alarms[place]))
    return np.array(kept, dtype=np.int64)


def _outside(moments: _Instants, spans: Spans) -> NDArray[np.bool_]:
    """Mask of the moments that lie in none of the half-open spans."""
    return np.asarray(np.searchsorted(spans.starts, moments, side="right") == np.searchsorted(spans.stops, moments, side="right"))


def _inside_any(moments: _Instants, starts: _Instants, ends: _Instants) -> NDArray[np.bool_]:
    """Mask of the moments that lie in any of the closed ranges, which all have the same length."""
    begun = np.searchsorted(starts, moments, side="right")
    ended = np.searchsorted(ends, moments, side="left")
    return np.asarray(begun > ended)


@dataclass(frozen=True, eq=False)
class WarningCurve:
    """Sensitivity and time in warning at every threshold of a score, thresholds descending; arrays of equal length."""

    window: WarningWindow
    thresholds: NDArray[np.float64]
    sensitivity: NDArray[np.float64]
    time_in_warning: NDArray[np.float64]

    @property
    def area(self) -> float:
        """The area, by trapezoids, under sensitivity against time in warning from (0, 0) to (1, 1); 0.5 is chance, 1 is best."""
        along = np.concatenate([[0.0], self.time_in_warning, [1.0]])
        height = np.concatenate([[0.0], self.sensitivity, [1.0]])
        return float((np.diff(along) * (height[1:] + height[:-1]) / 2).sum())

    def __len__(self) -> int:
        return len(self.thresholds)


def warning_curve(incidents: RangesLike, scores: Any, *, times: Any, window: Any) -> WarningCurve:
    r"""Sensitivity against time in warning at every threshold; every sample with ``score >= threshold`` is an alarm.

    An event with onset T has a warning if the largest score in :math:`[T - earliest, T - latest]` reaches the threshold; a moment is in
    warning if an onset at it would have one. The span runs from the first to the last time; events that begin outside it do not count.
    Both lie in 0..1 and rise as the threshold falls; without events the sensitivity is 0.

    >>> import numpy as np
    >>> hours = np.datetime64("2024-05-01T00") + np.arange(6)
    >>> curve = warning_curve([("2024-05-01T04:30", "2024-05-01T05:00")], [0, 1, 5, 9, 1, 0], times=hours, window="2h")
    >>> curve.thresholds.tolist(), curve.sensitivity.tolist()
    ([9.0, 5.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0])
    """
    limits = WarningWindow.read(window)
    index = read_row_times(times, "times")
    instants = index.nanoseconds
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != instants.shape:
        raise ValueError(f"there are {values.size} scores and {len(instants)} times; give one time per score")
    if np.isnan(values).any():
        raise ValueError(f"score {int(np.flatnonzero(np.isnan(values))[0])} is nan; drop such samples and their times")
    if len(instants) < 2 or (np.diff(instants) <= 0).any():
        raise ValueError("times must be strictly increasing, with at least two of them")
    real = read_pairs(incidents, "incidents")
    common_zone([("incidents", real.zoned), ("times", index.zoned)])
    if len(real.starts):
        common_kind([("times", index.elapsed), ("incidents", real.elapsed)])
    first, last = int(instants[0]), int(instants[-1])
    onsets = real.starts[(real.starts >= first) & (real.starts <= last)]
    at_onsets = np.array([_highest(values, instants, int(onset), limits) for onset in onsets.tolist()])
    moments, levels = _warning_levels(values, instants, limits)
    lengths = np.diff(moments).astype(np.float64)
    thresholds = np.unique(values)[::-1]
    order = np.argsort(levels, kind="stable")
    total = np.append(np.cumsum(lengths[order][::-1])[::-1], 0.0)
    time_in = total[np.searchsorted(levels[order], thresholds, side="left")] / (last - first)
    met = np.sort(at_onsets)
    sensitivity = (len(met) - np.searchsorted(met, thresholds, side="left")) / max(len(met), 1)
    return WarningCurve(limits, thresholds, sensitivity, np.minimum(time_in, 1.0))


def _highest(values: NDArray[np.float64], instants: _Instants, onset: int, window: WarningWindow) -> float:
    low = np.searchsorted(instants, onset - window.earliest, side="left")
    high = np.searchsorted(instants, onset - window.latest, side="right")
    return float(values[low:high].max(initial=-np.inf))


def _warning_levels(values: NDArray[np.float64], instants: _Instants, window: WarningWindow) -> tuple[_Instants, NDArray[np.float64]]:
    """Moments of the span, and the largest score of the samples whose warning covers the time between consecutive moments."""
    inner = np.concatenate([instants + window.latest, instants + window.earliest])
    first, last = int(instants[0]), int(instants[-1])
    moments = np.unique(np.concatenate([[first, last], inner[(inner > first) & (inner < last)]]))
    levels = np.full(len(moments) - 1, -np.inf)
    queue: deque[int] = deque()
    entering = 0
    for place, begin in enumerate(moments[:-1].tolist()):
        while entering < len(instants) and instants[entering] + window.latest <= begin:
            while queue and values[queue[-1]] <= values[entering]:
                queue.pop()
            queue.append(entering)
            entering += 1
        while queue and instants[queue[0]] + window.earliest <= begin:
            queue.popleft()
        if queue:
            levels[place] = values[queue[0]]
    return moments, levels
