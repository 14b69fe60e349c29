"""Backtest an alert rule at every threshold against past incidents, to choose its threshold."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import number, unknown_name
from rangewise.inputs.clocks import TimePairs, common_kind, common_zone
from rangewise.inputs.ignored import pieces_outside
from rangewise.inputs.instants import NANOSECONDS, Instants, duration, read_instants, read_row_times
from rangewise.inputs.ranges import Ranges, RangesLike, join, read_side
from rangewise.model.model import RangeModel
from rangewise.operations.backtest_text import backtest_dict, backtest_markdown, backtest_text, incident_lines, rule_yaml
from rangewise.operations.evaluation_steps import EvaluationSteps, read_steps
from rangewise.operations.exact_intervals import ExactInterval, rate_interval, share_interval
from rangewise.operations.page import seconds_of
from rangewise.operations.rule import Op, Rule, known_op, prometheus_duration, round_between
from rangewise.operations.summary import (
    AlertSummary,
    Spans,
    alert_summary,
    as_timedelta,
    chosen_pairs,
    read_lead,
    read_pairs,
    shown_zone,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DAY = NANOSECONDS["d"]
_PER = {"second": "s", "minute": "min", "hour": "h", "day": "d", "week": "w"}
DEFAULT_MAX_FALSE_ALERTS = "1/day"
LabelSets = Literal["largest", "each"]


@dataclass(frozen=True)
class RuleOutcome:
    """One rule and its outcome. Any threshold between ``lowest`` and ``highest`` has the same outcome.

    Of the two ends, ``lowest`` is included for ``>`` and ``<=``, and ``highest`` for ``>=`` and ``<``.
    """

    rule: Rule
    lowest: float
    highest: float
    incidents: int
    found: int
    false_alerts: int
    false_alerts_per_day: float
    median_time_to_detect: timedelta | None
    median_reset_time: timedelta | None

    @property
    def found_share(self) -> float:
        return self.found / self.incidents if self.incidents else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; durations are in seconds."""
        return {
            "threshold": self.rule.threshold,
            "for": self.rule.for_.total_seconds(),
            "keep_firing_for": self.rule.keep_firing_for.total_seconds(),
            "lowest": self.lowest if math.isfinite(self.lowest) else None,
            "highest": self.highest if math.isfinite(self.highest) else None,
            "found": self.found,
            "found_share": self.found_share,
            "false_alerts": self.false_alerts,
            "false_alerts_per_day": self.false_alerts_per_day,
            "median_time_to_detect": seconds_of(self.median_time_to_detect),
            "median_reset_time": seconds_of(self.median_reset_time),
        }


@dataclass(frozen=True)
class Wishes:
    """The constraints on the best rule."""

    at_most: float
    """False alerts per day."""
    detect_within: timedelta | None
    at_most_text: str
    max_alert_rate: float
    """The largest share of the time that a rule may fire. A rule that always fires raises one alert, but is useless."""

    def are_met(self, outcome: RuleOutcome) -> bool:
        if outcome.false_alerts_per_day > self.at_most:
            return False
        median = outcome.median_time_to_detect
        return self.detect_within is None or (median is not None and median <= self.detect_within)


@dataclass(frozen=True)
class HoldOut:
    """The best rule on data that was not used to choose it."""

    cut: np.datetime64
    """Rules were chosen before this moment; ``later`` is what happened after it."""
    later: AlertSummary | None
    """None if no rule met the constraints before the cut."""


@dataclass(frozen=True, eq=False)
class RuleCurve:
    """One ``for`` and ``keep_firing_for`` at every threshold; arrays of equal length, the strictest threshold first.

    The rule is ``value >= threshold`` (``<=`` for a rule with ``<`` or ``<=``). Medians are in seconds, nan if no incident is found;
    ``alert_rate`` is the share of evaluation steps at which the rule fires.
    """

    thresholds: NDArray[np.float64]
    found: NDArray[np.int64]
    alerts: NDArray[np.int64]
    false_alerts: NDArray[np.int64]
    alert_rate: NDArray[np.float64]
    median_time_to_detect: NDArray[np.float64]
    median_reset_time: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.thresholds)


@dataclass(frozen=True, eq=False)
class Backtest:
    """The result of :func:`backtest`. Printing it shows the Pareto front of rules, the best rule, and what it does at each incident."""

    front: tuple[RuleOutcome, ...]
    """The Pareto front: rules that no other rule beats in incidents found, false alerts, median time to detect and median reset time. Most
    incidents first."""
    best: RuleOutcome | None
    """The rule on the front that finds the most incidents within the constraints; None if no rule does."""
    wishes: Wishes
    op: Op
    incidents: int
    outside: int
    """The number of incidents outside the time span of the values; they are ignored."""
    days: float
    holdout: HoldOut | None
    steps: EvaluationSteps = field(repr=False)
    lead: timedelta = field(repr=False)
    zone: str
    """The time zone in which times are shown; empty for times without a zone."""
    _problem: _Problem = field(repr=False)
    _whole: _Problem = field(repr=False)

    @property
    def for_(self) -> tuple[timedelta, ...]:
        return tuple(dict.fromkeys(as_timedelta(hold) for hold, _ in self._problem.pairs))

    @property
    def keep_firing_for(self) -> tuple[timedelta, ...]:
        return tuple(dict.fromkeys(as_timedelta(keep) for _, keep in self._problem.pairs))

    @property
    def interval(self) -> timedelta:
        """The evaluation interval of the rule."""
        return as_timedelta(self.steps.interval)

    def at(
        self, threshold: float, *, for_: Any = 0, keep_firing_for: Any = 0, span: Any = None, model: RangeModel | None = None
    ) -> AlertSummary:
        """The summary of one rule, with its range score, over all values, or over a ``span`` of (first, last)."""
        rule = Rule(number("threshold", threshold), _length(for_, "for_"), _length(keep_firing_for, "keep_firing_for"), self.op)
        return self._whole.summary(rule, span=span, model=model)

    def curve(self, *, for_: Any = 0, keep_firing_for: Any = 0) -> RuleCurve:
        """Every threshold for one ``for`` and ``keep_firing_for``, on the data used to choose the rule."""
        return self._problem.curve(duration(for_, "for_"), duration(keep_firing_for, "keep_firing_for"))

    @cached_property
    def summary(self) -> AlertSummary | None:
        """The summary of the best rule on the data used to choose it."""
        return None if self.best is None else self._problem.summary(self.best.rule)

    @property
    def found_interval(self) -> ExactInterval | None:
        """The share of incidents that the best rule finds, with its exact 95 % interval."""
        return None if self.best is None else share_interval(self.best.found, self.best.incidents)

    @property
    def false_alerts_interval(self) -> ExactInterval | None:
        """False alerts per day of the best rule, with the exact 95 % interval of a rate."""
        return None if self.best is None else rate_interval(self.best.false_alerts, self.days)

    def explain(self) -> list[str]:
        """One sentence per incident about what the best rule does."""
        return [] if self.best is None else incident_lines(self._problem, self.best.rule, self.zone)

    def rule_yaml(self, *, expr: str | None = None, alert: str = "RangewiseBacktest") -> str:
        """The best rule as a Prometheus rule file; ``expr`` is the expression of the values, by default the name of their column."""
        return rule_yaml(self, expr, alert)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; durations are in seconds, times in ISO 8601."""
        return backtest_dict(self)

    def to_markdown(self) -> str:
        """The front as a Markdown table."""
        return backtest_markdown(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot incidents found against false alerts per day, one line per ``for``. Needs the extra ``plots``."""
        from rangewise.plots.backtest_picture import draw_backtest

        lines = {text: np.array(points, dtype=np.float64).reshape(-1, 2) for text, points in self._problem.by_for().items()}
        best = None if self.best is None else (self.best.false_alerts_per_day, self.best.found, str(self.best.rule))
        return draw_backtest(lines, self.incidents, best, ax)

    def __str__(self) -> str:
        return backtest_text(self)


def backtest(
    incidents: RangesLike,
    values: Any,
    *,
    times: Any = None,
    for_: Any = (0,),
    keep_firing_for: Any = (0,),
    op: str = ">",
    interval: Any = None,
    lookback: Any = None,
    label_sets: LabelSets = "largest",
    at_most: Any = None,
    detect_within: Any = None,
    max_alert_rate: float | None = None,
    lead: Any = 0,
    ignore: RangesLike | None = None,
    holdout: Any = None,
    until: Any = None,
    tz: str | None = None,
) -> Backtest:
    r"""Backtest the rule ``value > threshold`` at every threshold and for each ``for`` and ``keep_firing_for``.

    With :math:`h = \lceil for / interval \rceil` and :math:`k = \lceil keep / interval \rceil` steps, a Prometheus rule fires at step i
    where :math:`f_i > threshold`:

    .. math:: f_i = \max(\min(v_{i-h}, \dots, v_i), \; \min(f_{i-1}, \max(v_{i-k}, \dots, v_i)))

    An absent sample (nan) is minus infinity, and the first part needs h steps before i. A rule that fires at a step fires until the next
    step. An incident is found if the rule fires during it, or up to ``lead`` before it; the time to detect runs from its start to the
    first such step, and is 0 if the rule is already firing. The reset time is how long the alert continues after the incident. An alert
    that overlaps no incident is false. Counts cover the time span of the values; ``false_alerts_per_day`` is 0 or more.

    ``values`` is one number per sample, or one column per label set (a table, a dict, a 2-D array). ``label_sets="largest"`` raises one
    alert while any label set fires, ``"each"`` counts the alerts of each label set. ``times`` are the times of the samples; ``interval`` is
    the evaluation interval, by default the sampling interval. Samples between evaluation steps count while they are younger than
    ``lookback``, by default five minutes. ``op`` is ``>``, ``>=``, ``<`` or ``<=``.

    ``at_most`` (``"1/week"``, or a number per day) and ``detect_within`` (``"5min"``, for the median) constrain the best rule; without
    ``at_most``, it may raise one false alert per day. Rules that fire for more than ``max_alert_rate`` of the time are excluded, by default
    a fifth or five times the share of the incidents, because an alert that never ends is never false. ``holdout`` is the final share of
    the time, or the time it starts, that is reserved for judging the best rule, which is chosen on the data before it. ``ignore`` lists
    intervals that do not count, widened to whole steps; open incidents end at ``until``. Times are shown in the zone ``tz``. Without
    incidents nothing is found.

    >>> import numpy as np
    >>> load = np.array([1, 1, 5, 1, 1, 7, 8, 9, 8, 1, 1, 1], dtype=float)
    >>> result = backtest([(5, 9)], load, interval="1min", for_=["0s", "2min"], at_most=0)
    >>> print(result.best.rule, result.best.found, result.best.false_alerts)
    > 6 1 0
    >>> result.at(4, for_="2min").median_time_to_detect
    datetime.timedelta(seconds=120)
    """
    chosen_op = known_op(op)
    if label_sets not in get_args(LabelSets):
        raise unknown_name("label_sets", label_sets, get_args(LabelSets))
    steps = read_steps(values, times, interval, lookback)
    before = read_lead(lead)
    pairs = [(hold, keep) for hold in _lengths(for_, "for_") for keep in _lengths(keep_firing_for, "keep_firing_for")]
    real = _read_incidents(incidents, steps, times, until)
    zone = shown_zone(tz, common_zone([("incidents", real.zoned), ("times", steps.zoned)]), elapsed=steps.elapsed)
    _check_kind(steps, "incidents", real)
    ignored = _ignored_steps(ignore, steps)
    until_step = partial(_Problem.of, steps, real, ignored, chosen_op, label_sets, before, pairs, zone, max_alert_rate)
    whole = until_step(steps.count)
    cut = None if holdout is None else _cut(holdout, steps, real)
    problem = whole if cut is None else until_step(cut)
    wishes = _wishes(at_most, detect_within, problem.max_alert_rate)
    front = problem.front()
    allowed = [each for each in front if wishes.are_met(each)]
    best = min(allowed, key=_preference, default=None)
    held = None
    if cut is not None:
        begin = int(steps.times(cut))
        later = Instants(np.array([begin, steps.span[1]]), steps.zoned, steps.elapsed)
        held = HoldOut(steps.moment(begin), None if best is None else whole.summary(best.rule, span=later))
    outside = len(real.starts) - len(whole.sources)
    return Backtest(
        front=front, best=best, wishes=wishes, op=chosen_op, incidents=len(problem.incidents), outside=outside, days=problem.days,
        holdout=held, steps=steps, lead=as_timedelta(before), zone=zone, _problem=problem, _whole=whole,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Problem:
    """Values as ranks, incidents as steps, and the settings to try, for the steps before ``stop``."""

    steps: EvaluationSteps
    real: TimePairs
    """The incidents within the span, clipped to what counts."""
    sources: NDArray[np.int64]
    """Which of the given incidents have a part that counts."""
    incidents: NDArray[np.int64]
    ignored: NDArray[np.bool_]
    distinct: NDArray[np.float64]
    ranks: NDArray[np.uint32]
    op: Op
    label_sets: LabelSets
    lead: int
    pairs: Sequence[tuple[int, int]]
    zone: str
    stop: int
    max_alert_rate: float

    @classmethod
    def of(
        cls, steps: EvaluationSteps, real: TimePairs, ignored: NDArray[np.bool_], op: Op, label_sets: LabelSets, lead: int,
        pairs: Sequence[tuple[int, int]], zone: str, max_alert_rate: float | None, stop: int,
    ) -> _Problem:  # fmt: skip
        signed = steps.values if op in (">", ">=") else -steps.values
        present = ~np.isnan(signed)
        distinct, places = np.unique(signed[present], return_inverse=True)
        ranks = np.zeros(signed.shape, dtype=np.uint32)
        ranks[present] = places + 1
        outside = _stretches(ignored | (np.arange(steps.count) >= stop), steps)
        bounds = steps.span
        limit = np.iinfo(np.int64)
        # Incidents before the first and after the last step are outside too.
        gone = Spans.joined(np.array([limit.min, *outside[:, 0], bounds[1]]), np.array([bounds[0], *outside[:, 1], limit.max]))
        kept, source, _ = pieces_outside(real.starts, real.stops, gone.starts, gone.stops)
        within = replace(chosen_pairs(real, source), starts=kept[:, 0], stops=kept[:, 1])
        origin, every = steps.first, steps.interval
        lows = np.maximum((within.starts - lead - origin) // every, 0)
        highs = np.minimum(-((origin - within.stops) // every), stop)
        incidents = np.column_stack([lows, highs, within.starts - origin, within.stops - origin]).astype(np.int64)
        counted = (stop - int(ignored[:stop].sum())) * every
        real_share = Spans.of(within).length / counted if counted else 0.0
        return cls(
            steps, within, np.unique(source), np.ascontiguousarray(incidents), ignored, distinct, ranks, op, label_sets, lead, pairs, zone,
            stop, _most_alerts(max_alert_rate, real_share),
        )  # fmt: skip

    @property
    def days(self) -> float:
        counted = self.stop - int(self.ignored[: self.stop].sum())
        return counted * self.steps.interval / _DAY

    def levels(self, hold: int, keep: int) -> NDArray[np.uint32]:
        """The highest rank at which the rule fires, 0 at ignored steps; one row per label set, or a single row for the largest."""
        every = self.steps.interval
        levels = np.stack([kernel.firing_levels(row, -(-hold // every), -(-keep // every)) for row in self.ranks])
        if self.label_sets == "largest":
            levels = levels.max(axis=0, keepdims=True)
        levels[:, self.ignored] = 0
        return np.ascontiguousarray(levels[:, : self.stop])

    def curve(self, hold: int, keep: int) -> RuleCurve:
        levels = self.levels(hold, keep)
        ranks = len(self.distinct)
        outcomes = kernel.rule_outcomes(levels.ravel(), self.stop, ranks, self.incidents, self.steps.interval)
        found, alerts, false, firing = (column[::-1] for column in outcomes[:4])
        detect, reset = (column[::-1] for column in outcomes[4:])
        thresholds = self.distinct[::-1] if self.op in (">", ">=") else -self.distinct[::-1]
        second = NANOSECONDS["s"]
        return RuleCurve(thresholds, found, alerts, false, firing / max(levels.size, 1), detect / second, reset / second)

    def front_of(self, hold: int, keep: int) -> _Candidates:
        """The thresholds of one setting that no other threshold of that setting beats."""
        curve = self.curve(hold, keep)
        # No finite threshold separates the lowest possible value from absent samples.
        allowed = len(curve) - bool(len(curve) and np.isneginf(self.distinct[0]))
        allowed = min(allowed, int(np.searchsorted(curve.alert_rate, self.max_alert_rate, side="right")))
        columns = np.column_stack(
            [-curve.found, curve.false_alerts, curve.median_time_to_detect, curve.median_reset_time, curve.alert_rate]
        )[:allowed]
        columns = columns[int(np.searchsorted(curve.found[:allowed], 1)) :]
        skipped = allowed - len(columns)
        if not len(columns):
            return _Candidates.none()
        # Intervals of thresholds with equal outcomes; if only false alerts differ, keep the fewest, then the widest interval.
        begins = np.flatnonzero(np.append(True, (np.diff(columns[:, :4], axis=0) != 0).any(axis=1)))
        ends = np.append(begins[1:], len(columns))
        rows = columns[begins]
        plateau = np.cumsum(np.append(False, (np.diff(rows[:, [0, 2, 3]], axis=0) != 0).any(axis=1)))
        high = self.distinct[::-1][begins + skipped]
        below = np.append(self.distinct[::-1], -np.inf)[ends + skipped]
        order = np.lexsort((_minus_width(below, high), rows[:, 1], plateau))
        first = order[np.append(True, np.diff(plateau[order]) != 0)]
        setting = np.tile([hold, keep], (len(first), 1))
        return _Candidates(rows[first, :4], below[first], high[first], setting).undominated()

    def outcome(self, candidates: _Candidates, row: int) -> RuleOutcome:
        found, false, detect, reset = candidates.columns[row].tolist()
        low, high = float(candidates.lowest[row]), float(candidates.highest[row])
        rising = self.op in (">", ">=")
        threshold = round_between(low, high, closed="low" if self.op in (">", "<") else "high")
        hold, keep = candidates.settings[row].tolist()
        rule = Rule(threshold if rising else -threshold, as_timedelta(hold), as_timedelta(keep), self.op)
        bounds = (low, high) if rising else (-high, -low)
        per_day = false / self.days if self.days else 0.0
        return RuleOutcome(
            rule, *bounds, len(self.incidents), -int(found), int(false), per_day, _from_seconds(detect), _from_seconds(reset)
        )

    def front(self) -> tuple[RuleOutcome, ...]:
        front = _Candidates.joined([self.front_of(hold, keep) for hold, keep in self.pairs]).undominated()
        return tuple(self.outcome(front, row) for row in range(len(front.columns)))

    def by_for(self) -> dict[str, list[tuple[float, int]]]:
        """For each ``for``: false alerts per day and incidents found, at the points where more false alerts find more incidents."""
        lines: dict[str, list[tuple[float, int]]] = {}
        for hold in dict.fromkeys(hold for hold, _ in self.pairs):
            every = _Candidates.joined([self.front_of(hold, keep) for own, keep in self.pairs if own == hold]).columns[:, :2]
            line: list[tuple[float, int]] = []
            for found, false in sorted(every.tolist(), key=lambda row: (row[1], row[0])):
                if not line or -found > line[-1][1]:
                    line.append((false / self.days if self.days else 0.0, -int(found)))
            lines[f"for {prometheus_duration(as_timedelta(hold))}"] = line
        return lines

    def rank_of(self, threshold: float) -> int:
        """The lowest rank that satisfies the comparison with a threshold."""
        signed = threshold if self.op in (">", ">=") else -threshold
        return int(np.searchsorted(self.distinct, signed, side="right" if self.op in (">", "<") else "left")) + 1

    def alerts(self, rule: Rule) -> TimePairs:
        """The alerts of one rule, label set by label set."""
        firing = self.levels(duration(rule.for_, "for_"), duration(rule.keep_firing_for, "keep_firing_for")) >= self.rank_of(rule.threshold)
        padded = np.pad(firing, ((0, 0), (1, 1))).astype(np.int8)
        change = np.diff(padded, axis=1)
        starts, stops = np.nonzero(change == 1), np.nonzero(change == -1)
        names = None
        if self.label_sets == "each":
            names = tuple(self.steps.names[row] for row in starts[0].tolist())
        return TimePairs(self.steps.times(starts[1]), self.steps.times(stops[1]), self.steps.zoned, "alerts", names, self.steps.elapsed)

    def summary(self, rule: Rule, span: Any = None, model: RangeModel | None = None) -> AlertSummary:
        first, last = self.steps.span[0], int(self.steps.times(self.stop))
        whole = Instants(np.array([first, last]), self.steps.zoned, self.steps.elapsed)
        intervals = _stretches(self.ignored[: self.stop], self.steps)
        ignore = None
        if len(intervals):
            ignore = TimePairs(intervals[:, 0], intervals[:, 1], self.steps.zoned, "ignore", elapsed=self.steps.elapsed)
        return alert_summary(
            self.real, self.alerts(rule), lead=as_timedelta(self.lead), span=whole if span is None else span, ignore=ignore, model=model,
            tz=self.zone or None,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Candidates for the front. Columns are minus found, false alerts, median time to detect and reset time: lower is better."""

    columns: NDArray[np.float64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    settings: NDArray[np.int64]

    @classmethod
    def none(cls) -> _Candidates:
        return cls(np.empty((0, 4)), np.empty(0), np.empty(0), np.empty((0, 2), dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence[_Candidates]) -> _Candidates:
        together = zip(*((each.columns, each.lowest, each.highest, each.settings) for each in parts), strict=True)
        return cls(*(np.concatenate(arrays) for arrays in together))

    def undominated(self) -> _Candidates:
        """The candidates that no other beats; among equals, the first with the widest interval of thresholds."""
        order = np.lexsort((_minus_width(self.lowest, self.highest), *self.columns.T[::-1]))
        ordered, kept = self.columns[order], np.empty((len(order), 4))
        chosen: list[int] = []
        for place, row in zip(order.tolist(), ordered, strict=True):
            if not (kept[: len(chosen)] <= row).all(axis=1).any():
                kept[len(chosen)] = row
                chosen.append(place)
        return _Candidates(self.columns[chosen], self.lowest[chosen], self.highest[chosen], self.settings[chosen])


def _minus_width(lowest: NDArray[np.float64], highest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minus the width of intervals, which may be infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(lowest - highest)


def _preference(outcome: RuleOutcome) -> tuple[int, int, timedelta, timedelta, float]:
    detect, reset = (timedelta.max if each is None else each for each in (outcome.median_time_to_detect, outcome.median_reset_time))
    return -outcome.found, outcome.false_alerts, detect, reset, outcome.lowest - outcome.highest


def _most_alerts(given: Any, real_share: float) -> float:
    """The share of the time a rule may fire; the default is the limit for thresholds that predict too much of a series."""
    if given is None:
        return min(max(0.5, 2 * real_share), max(0.2, 5 * real_share), 1.0)
    share = number("max_alert_rate", given)
    if not 0 < share <= 1:
        raise ValueError(
            f"max_alert_rate is the largest share of the time that the rule may fire and must be above 0 and at most 1; got {given!r}"
        )
    return share


def _read_incidents(incidents: RangesLike, steps: EvaluationSteps, times: Any, until: Any) -> TimePairs:
    if not _are_rows(incidents):
        end = None if until is None else int(read_instants([until], "until").nanoseconds[0])
        pairs = read_pairs(incidents, "incidents").closed(end)
        pairs.check()
        return chosen_pairs(pairs, np.argsort(pairs.starts, kind="stable"))
    rows, length = read_side(incidents, "incidents")
    samples = steps.times(np.arange(steps.count)) if times is None else read_row_times(times, "times").nanoseconds
    last = int(rows.stops[-1]) if len(rows) else 0
    if (length or len(samples)) != len(samples) or last > len(samples):
        raise ValueError(f"incidents are rows up to {length or last}, but there are {len(samples)} values; give both on the same rows")
    ends = np.append(samples, samples[-1] + steps.interval)
    return TimePairs(ends[rows.starts], ends[rows.stops], steps.zoned, "incidents", elapsed=steps.elapsed)


def _check_kind(steps: EvaluationSteps, name: str, given: TimePairs | Instants) -> None:
    """Refuse dates with seconds since the start of a recording."""
    if len(given.starts if isinstance(given, TimePairs) else given.nanoseconds):
        common_kind([("times", steps.elapsed), (name, given.elapsed)])


def _are_rows(incidents: Any) -> bool:
    """Whether incidents are given by row: 0/1 labels or pairs of integers."""
    if isinstance(incidents, Ranges):
        return incidents.clock is None and len(incidents) > 0
    return np.asarray(incidents).dtype.kind in "iub"


def _ignored_steps(ignore: RangesLike | None, steps: EvaluationSteps) -> NDArray[np.bool_]:
    ignored = np.zeros(steps.count, dtype=np.bool_)
    if ignore is None:
        return ignored
    given = read_pairs(ignore, "ignore")
    given.check()
    common_zone([("times", steps.zoned), ("ignore", given.zoned)])
    _check_kind(steps, "ignore", given)
    for start, stop in zip(given.starts.tolist(), given.stops.tolist(), strict=True):
        first = max((start - steps.first) // steps.interval, 0)
        ignored[first : max(-((steps.first - stop) // steps.interval), 0)] = True
    if ignored.all():
        raise ValueError(f"the ignored intervals cover all {steps.count:,} evaluation steps, so there is nothing left to evaluate")
    return ignored


def _stretches(chosen: NDArray[np.bool_], steps: EvaluationSteps) -> NDArray[np.int64]:
    """The time covered by the chosen steps, as sorted disjoint pairs."""
    change = np.diff(np.pad(chosen, 1).astype(np.int8))
    return np.column_stack([steps.times(np.flatnonzero(change == 1)), steps.times(np.flatnonzero(change == -1))]).astype(np.int64)


def _cut(holdout: Any, steps: EvaluationSteps, real: TimePairs) -> int:
    """The first step of the holdout; never within an incident."""
    if isinstance(holdout, (int, float)) and not isinstance(holdout, bool):
        if not 0 < holdout < 1:
            raise ValueError(f"holdout must be a share of the time between 0 and 1, or the time at which it begins; got {holdout!r}")
        moment = steps.first + round((1 - holdout) * (steps.span[1] - steps.first))
    else:
        given = read_instants([holdout], "holdout")
        common_zone([("times", steps.zoned), ("holdout", given.zoned)])
        _check_kind(steps, "holdout", given)
        moment = int(given.nanoseconds[0])
    for start, stop in join(real.starts, real.stops)[0].tolist():
        if start < moment < stop:
            moment = start if moment - start <= stop - moment else stop
    cut = -((steps.first - moment) // steps.interval)
    if not 0 < cut < steps.count:
        raise ValueError(f"holdout={holdout!r} leaves no values before or after it; choose a time within the values")
    return cut


def _wishes(at_most: Any, detect_within: Any, max_alert_rate: float) -> Wishes:
    given = DEFAULT_MAX_FALSE_ALERTS if at_most is None else at_most
    text = given if isinstance(given, str) else f"{number('at_most', given):g}/day"
    within = None if detect_within is None else _length(detect_within, "detect_within")
    return Wishes(read_rate(text, "at_most"), within, text, max_alert_rate)


def read_rate(text: str, name: str) -> float:
    """A rate per day from text such as ``1/week``.

    >>> read_rate("1/day", "rate"), round(read_rate("1/week", "rate"), 4), read_rate("0.5 per hour", "rate")
    (1.0, 0.1429, 12.0)
    """
    matched = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(?:/|per|an?)\s*([0-9]*)\s*([a-z]+)\s*", text)
    unit = matched and _PER.get(matched[3].removesuffix("s"), matched[3])
    if matched is None or unit not in NANOSECONDS:
        raise ValueError(f"{name} must be a rate of false alerts, e.g. 1/week, 2/day, 0.5/h; got {text!r}")
    return float(matched[1]) * _DAY / (NANOSECONDS[unit] * int(matched[2] or 1))


def _lengths(given: Any, name: str) -> list[int]:
    single = isinstance(given, (str, timedelta, int, float, np.timedelta64))
    lengths = [duration(each, name) for each in ([given] if single else given)]
    if not lengths:
        raise ValueError(f"{name} must be a list of durations, e.g. ['0s', '5min']; got an empty list")
    if min(lengths) < 0:
        raise ValueError(f"{name} must be 0 or more; got {given!r}")
    return list(dict.fromkeys(lengths))


def _length(given: Any, name: str) -> timedelta:
    return as_timedelta(_lengths(given, name)[0])


def _from_seconds(seconds: float) -> timedelta | None:
    return None if math.isnan(seconds) else timedelta(seconds=float(seconds))
