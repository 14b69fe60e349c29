"""The weekly review: was this week better? Week over week, with exact tests, and the rules to change first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number, number_between, shown, whole
from rangewise.inputs.clocks import ClockedRanges, TimePairs
from rangewise.inputs.ignored import Ignored
from rangewise.inputs.instants import NANOSECONDS, Instants, known_zone, read_instants
from rangewise.inputs.ranges import RangesLike
from rangewise.operations.exact_intervals import ExactInterval, rate_interval, share_interval
from rangewise.operations.exact_tests import OneSided, fisher, permutation
from rangewise.operations.review_text import review_dict, review_html, review_markdown, review_text
from rangewise.operations.summary import (
    ALL_IGNORED,
    IncidentOutcomes,
    RuleSummary,
    Spans,
    alert_summary,
    find_always_firing,
    incident_outcomes,
    pairs_without,
    read_ignored_times,
    read_lead,
    read_sides,
    rules_given,
    shown_zone,
    without_ignored,
)

Verdict = Literal["better", "worse", "no clear change", "too few incidents to tell"]
_LEVEL = 0.05
"""The share of unchanged weeks in which anything may be called "worse": half of it for the measures, half for the rules."""
_MEASURES = ("found", "time_to_detect", "reset_time", "flaps", "false_alerts")
_DAYS = 7


@dataclass(frozen=True)
class IncidentOutcome:
    """The outcome of one incident."""

    name: str
    start: str
    found: bool
    time_to_detect: float | None
    """In seconds; None if it was missed."""
    reset_time: float | None
    flaps: int | None
    """Alerts at the incident beyond the first of each rule."""

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> IncidentOutcome:
        """From a review as JSON."""
        found = plain["found"]
        if not isinstance(found, bool):
            raise TypeError(f"found is true or false; got {shown(found)}")
        detect, reset = (None if plain[name] is None else number(name, plain[name]) for name in ("time_to_detect", "reset_time"))
        flaps = None if plain["flaps"] is None else whole("flaps", plain["flaps"], least=0)
        return cls(_text("name", plain["name"]), _text("start", plain["start"]), found, detect, reset, flaps)


@dataclass(frozen=True)
class Period:
    """A period of days: its incidents, and the false alerts of each day."""

    first: str
    last: str
    incidents: tuple[IncidentOutcome, ...]
    false_alerts: tuple[int, ...]
    noise: float
    """Minutes under alert that were no incident."""
    alerts: int
    days_left: tuple[float, ...]
    """The share of each day that is not ignored."""
    false_by_rule: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def days(self) -> float:
        """The number of days without ignored time; rates are per day of it."""
        return math.fsum(self.days_left)

    @property
    def found(self) -> int:
        return sum(each.found for each in self.incidents)

    @property
    def missed(self) -> int:
        return len(self.incidents) - self.found

    @property
    def found_interval(self) -> ExactInterval:
        """The share found with its exact 95 % interval."""
        return share_interval(self.found, len(self.incidents))

    @property
    def false_interval(self) -> ExactInterval:
        """False alerts per day with the exact 95 % interval of a rate; nan without a day that counts."""
        return rate_interval(sum(self.false_alerts), self.days)

    @property
    def false_alerts_per_day(self) -> float | None:
        return self.per_day(self.false_alerts)

    def per_day(self, alerts: Sequence[int]) -> float | None:
        """The rate of alerts, given as one number per day; None if all days are ignored."""
        return sum(alerts) / self.days if self.days else None

    def values(self, measure: str) -> list[float]:
        """A number for each incident found."""
        return [value for each in self.incidents if (value := getattr(each, measure)) is not None]

    def median(self, measure: str) -> float | None:
        values = self.values(measure)
        return float(np.median(values)) if values else None

    @property
    def flaps_per_incident(self) -> float | None:
        flaps = self.values("flaps")
        return float(np.mean(flaps)) if flaps else None

    def to_dict(self) -> dict[str, Any]:
        plain = asdict(self)
        plain["false_by_rule"] = {rule: list(days) for rule, days in self.false_by_rule.items()}
        summary = {
            "found": self.found, "missed": self.missed, "median_time_to_detect": self.median("time_to_detect"),
            "median_reset_time": self.median("reset_time"), "flaps_per_incident": self.flaps_per_incident,
            "false_alerts_per_day": self.false_alerts_per_day, "days": self.days,
        }  # fmt: skip
        return plain | {"summary": summary}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Period:
        """The inverse of :meth:`to_dict`."""
        try:
            days = _counts("false_alerts", plain["false_alerts"], _DAYS)
            incidents = tuple(IncidentOutcome.read(each) for each in plain["incidents"])
            return cls(
                _text("first", plain["first"]), _text("last", plain["last"]), incidents, days, number("noise", plain["noise"]),
                whole("alerts", plain["alerts"], least=0), _shares("days_left", plain["days_left"], len(days)),
                {_text("a rule", rule): _counts("false_by_rule", own, len(days)) for rule, own in plain["false_by_rule"].items()},
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            missing = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(
                f"against must be an earlier review as JSON, whose weeks have {', '.join(cls.__dataclass_fields__)}: {missing}"
            ) from error

    @classmethod
    def joined(cls, periods: Sequence[Period]) -> Period:
        """Several periods as one."""
        rules = {rule for each in periods for rule in each.false_by_rule}
        by_rule = {
            rule: tuple(day for each in periods for day in each.false_by_rule.get(rule, (0,) * len(each.false_alerts))) for rule in rules
        }
        return cls(
            periods[0].first, periods[-1].last, tuple(each for period in periods for each in period.incidents),
            tuple(day for each in periods for day in each.false_alerts), sum(each.noise for each in periods),
            sum(each.alerts for each in periods), tuple(day for each in periods for day in each.days_left), by_rule,
        )  # fmt: skip


@dataclass(frozen=True)
class Change:
    """One measure, now and before."""

    measure: str
    now: float | None
    before: float | None
    verdict: Verdict
    p_worse: float
    low: float | None = None
    """The exact 95 % interval of the current value, for shares and rates."""
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Review:
    """The result of :func:`review`. Printing it shows the weeks, what changed, and which rules to change first."""

    weeks: tuple[Period, ...]
    changes: tuple[Change, ...]
    worse_rules: tuple[Change, ...]
    """Rules with more false alerts than before."""
    rules: tuple[RuleSummary, ...]
    """All rules over all weeks, ordered by which to change first."""
    always_firing: tuple[str, ...]
    against: str
    """What the last week is compared with, as text."""
    zone: str
    weeks_without_records: int = 0
    """The weeks before the first incident or alert, which are left out."""
    ignored: Ignored | None = None
    """The effect of ``ignore`` on all incidents and alerts."""

    @property
    def is_worse(self) -> bool:
        """Whether anything is worse than before."""
        return any(change.verdict == "worse" for change in (*self.changes, *self.worse_rules))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, durations in seconds; a later review reads it with ``against``."""
        return review_dict(self)

    def to_markdown(self) -> str:
        """The weeks as a Markdown table, then the findings."""
        return review_markdown(self)

    def to_html(self) -> str:
        """A self-contained HTML page."""
        return review_html(self)

    def __str__(self) -> str:
        return review_text(self)


def review(
    incidents: RangesLike,
    alerts: RangesLike,
    *,
    weeks: int = 8,
    by: str | Sequence[str] | None = None,
    end: Any = None,
    lead: Any = 0,
    until: Any = None,
    tz: str | None = None,
    ignore: RangesLike | None = None,
    against: Mapping[str, Any] | Review | None = None,
    keep_always_firing: bool = False,
) -> Review:
    r"""The last ``weeks`` weeks, and whether the last one is better or worse than those before, or than an earlier review (``against``).

    A week is seven days that end at midnight in ``tz``, by default the first midnight after the last record, or ``end``. An incident
    belongs to the day on which it starts, and so does an alert. Measures are those of :func:`rangewise.alert_summary`, and *flaps*: the
    alerts at an incident beyond the first of each rule. Weeks before the first record are left out, because nothing is recorded there.

    Tests are exact and condition on the observed totals: Fisher's for the share found, permutations of incidents for times and flaps,
    and permutations of whole days for false alerts, so that a bad day counts once. In at most 5 % of unchanged weeks anything is called
    "worse": a measure needs :math:`p \le 0.025 / 5`, a rule 0.025 divided by the number of rules. If no outcome could be significant, the
    verdict is "too few incidents to tell". ``by`` names the rule of each alert, as in ``alert_summary``.

    ``ignore`` lists intervals that do not count, as in ``alert_summary``: incidents and alerts are clipped, and ``ignored`` counts the
    changes. Rates are per day that is left (``Period.days``). The tests of false alerts then exchange only days with the same number of
    ignored hours, rounded to whole hours.

    >>> days = [f"2024-05-{day:02}" for day in range(1, 29)]
    >>> incidents = [(f"{day}T10:00", f"{day}T10:30") for day in days]
    >>> alerts = [(f"{day}T10:0{1 + k % 3}", f"{day}T10:20") for k, day in enumerate(days[:21])]
    >>> result = review(incidents, alerts, weeks=4)
    >>> [week.found for week in result.weeks], result.changes[0].verdict
    ([7, 7, 7, 0], 'worse')
    """
    count = whole("weeks", weeks, least=1, most=520)
    real, fired, zoned, until_ns = read_sides(incidents, alerts, until)
    if real.elapsed or fired.elapsed:
        raise ValueError("incidents and alerts are seconds since the start of a recording; a review of weeks needs dates")
    zone = shown_zone(tz, zoned)
    before = read_lead(lead)
    rules = rules_given(by, alerts, fired, until_ns)
    intervals = None if ignore is None else read_ignored_times(ignore, real, fired)
    midnights = _since_first_record(_midnights(real, fired, end, zone, count), real, fired)
    days_left = _days_left(midnights, intervals)
    always: tuple[str, ...] = ()
    if rules is not None and not keep_always_firing:
        always = find_always_firing(real, fired, rules, (int(midnights[0]), int(midnights[-1])), intervals)
        fired, rules = pairs_without(fired, rules, always)
    ignored = None
    if intervals is not None:
        real, fired, _, rules, ignored = without_ignored(real, fired, None, rules, intervals)
    periods = _periods(real, fired, rules, midnights, days_left, before, zone)
    compared_with, earlier = _compared_with(against, periods)
    now = periods[-1]
    changes, worse_rules = ((), ()) if earlier is None else compare(now, earlier)
    ranked = _ranked_rules(real, fired, rules, midnights, lead, periods)
    return Review(periods, changes, worse_rules, ranked, always, compared_with, zone, count - len(periods), ignored)


def compare(now: Period, before: Period) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """Compare two periods: the measures, and the rules that got worse."""
    level = _LEVEL / 2 / len(_MEASURES)
    # Higher is worse in a test: of the incidents, those that were missed. Without any, Fisher's test cannot be significant.
    missed = fisher(now.missed, len(now.incidents), before.missed, len(before.incidents))
    share, share_before = (each.found_interval.value if each.incidents else None for each in (now, before))
    found = _change("found", share, share_before, missed, level)
    changes = [_between(found, now.found_interval) if now.incidents else found]
    for measure in _MEASURES[1:4]:
        average, average_before = (each.flaps_per_incident if measure == "flaps" else each.median(measure) for each in (now, before))
        test = permutation(now.values(measure), before.values(measure), ranked=measure != "flaps")
        changes.append(_change(measure, average, average_before, test, level))
    groups = tuple(map(_hours_ignored, (now, before)))
    rates = now.false_alerts_per_day, before.false_alerts_per_day
    false = _change("false_alerts", *rates, permutation(now.false_alerts, before.false_alerts, ranked=False, groups=groups), level)
    changes.append(_between(false, now.false_interval) if now.days else false)
    rules = sorted({*now.false_by_rule, *before.false_by_rule})
    worse = []
    for rule in rules:
        own, earlier = (each.false_by_rule.get(rule, (0,) * len(each.false_alerts)) for each in (now, before))
        test = permutation(own, earlier, ranked=False, groups=groups)
        change = _change(rule, now.per_day(own), before.per_day(earlier), test, _LEVEL / 2 / len(rules))
        if change.verdict == "worse":
            worse.append(change)
    return tuple(changes), tuple(worse)


def _hours_ignored(period: Period) -> tuple[int, ...]:
    """The ignored hours of each day. Days are compared with days of the same length: others have fewer alerts without being better."""
    return tuple(round(24 * (1 - share)) for share in period.days_left)


def _change(measure: str, now: float | None, before: float | None, test: OneSided, level: float) -> Change:
    """Higher is worse in the test."""
    verdict: Verdict = "no clear change"
    if test.smallest > level:
        verdict = "too few incidents to tell"
    elif test.p_higher <= level:
        verdict = "worse"
    elif test.p_lower <= level:
        verdict = "better"
    return Change(measure, now, before, verdict, test.p_higher)


def _between(change: Change, interval: ExactInterval) -> Change:
    return replace(change, low=interval.low, high=interval.high)


def _text(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{name} is text; got {shown(given)}")
    return given


def _counts(name: str, given: Any, days: int) -> tuple[int, ...]:
    """The numbers of alerts of each day."""
    return tuple(whole(name, count, least=0) for count in _of_days(name, given, days))


def _shares(name: str, given: Any, days: int) -> tuple[float, ...]:
    """The share of each day that counts."""
    return tuple(number_between(name, share, 0, 1, "is a share of a day") for share in _of_days(name, given, days))


def _of_days(name: str, given: Any, days: int) -> Sequence[Any]:
    if not isinstance(given, (list, tuple)) or len(given) != days:
        raise TypeError(f"{name} has one number for each of {days} days; got {shown(given)}")
    return given


def _compared_with(against: Mapping[str, Any] | Review | None, periods: tuple[Period, ...]) -> tuple[str, Period | None]:
    if against is None:
        earlier = periods[:-1]
        return f"the {len(earlier)} weeks before" if len(earlier) != 1 else "the week before", Period.joined(earlier) if earlier else None
    plain = against.to_dict() if isinstance(against, Review) else against
    weeks = plain.get("weeks") if isinstance(plain, Mapping) else None
    if not isinstance(weeks, (list, tuple)) or not weeks:
        raise ValueError("against must be an earlier review as JSON, with its weeks; make it with `rangewise review ... --json`")
    joined = Period.joined([Period.read(week) for week in weeks])
    return f"the review of {joined.first} to {joined.last}", joined


def _periods(
    real: TimePairs,
    fired: TimePairs,
    rules: tuple[str, ...] | None,
    midnights: NDArray[np.int64],
    days_left: tuple[float, ...],
    lead: int,
    zone: str,
) -> tuple[Period, ...]:
    outcomes = incident_outcomes(real, fired, rules, lead)
    names = real.names or ("",) * len(real.starts)
    # Days count from 0; -1 is before the first.
    incident_day = np.searchsorted(midnights, real.starts, side="right") - 1
    alert_day = np.searchsorted(midnights, fired.starts, side="right") - 1
    days = len(midnights) - 1
    periods = []
    for first in range(0, days, _DAYS):
        last = first + _DAYS
        rows = np.flatnonzero((incident_day >= first) & (incident_day < last))
        rows = rows[np.argsort(real.starts[rows], kind="stable")]
        own = tuple(_outcome(names[row], int(real.starts[row]), outcomes, row, zone) for row in rows.tolist())
        false_days = alert_day[outcomes.false]
        by_rule = {}
        if rules is not None:
            which = np.array(rules, dtype=object)[outcomes.false]
            by_rule = {rule: _daily(false_days[which == rule], first, last) for rule in sorted(set(rules))}
        periods.append(
            Period(
                str(_local(midnights[first], zone).date()), str(_local(midnights[last] - 1, zone).date()), own,
                _daily(false_days, first, last),
                outcomes.noise.within(int(midnights[first]), int(midnights[last])) / 60e9,
                int(((alert_day >= first) & (alert_day < last)).sum()), days_left[first:last], by_rule,
            )
        )  # fmt: skip
    return tuple(periods)


def _outcome(name: str, start: int, outcomes: IncidentOutcomes, row: int, zone: str) -> IncidentOutcome:
    found = bool(outcomes.found[row])
    times = [float(side[row]) / NANOSECONDS["s"] if found else None for side in (outcomes.delays, outcomes.resets)]
    moment = _local(start, zone)
    stamp = (moment if zone else moment.replace(tzinfo=None)).isoformat()
    return IncidentOutcome(name, stamp, found, times[0], times[1], int(outcomes.flaps[row]) if found else None)


def _daily(days: NDArray[np.int64], first: int, last: int) -> tuple[int, ...]:
    within = days[(days >= first) & (days < last)] - first
    return tuple(int(count) for count in np.bincount(within, minlength=last - first))


def _midnights(real: TimePairs, fired: TimePairs, end: Any, zone: str, weeks: int) -> NDArray[np.int64]:
    """The start of each day, and the end of the last, in nanoseconds."""
    if end is None:
        latest = max((int(side.max()) for pairs in (real, fired) for side in (pairs.starts, pairs.stops) if len(side)), default=None)
        if latest is None:
            raise ValueError("there are neither incidents nor alerts to derive the weeks from; give end= (--end)")
        last = _local(latest - 1, zone).date() + timedelta(days=1)
    else:
        given = read_instants([end], "end")
        # A date means midnight in the review's zone, whatever zone the records have.
        last = _local(int(given.nanoseconds[0]), zone if given.zoned else "").date()
    days = [last - timedelta(days=back) for back in range(_DAYS * weeks, -1, -1)]
    midnights = [datetime(day.year, day.month, day.day, tzinfo=_zone(zone)) for day in days]
    return np.array([round(midnight.timestamp()) for midnight in midnights], dtype=np.int64) * NANOSECONDS["s"]


def _days_left(midnights: NDArray[np.int64], intervals: ClockedRanges | None) -> tuple[float, ...]:
    """The share of each day that is not ignored."""
    if intervals is None:
        return (1.0,) * (len(midnights) - 1)
    ignored = Spans.of(intervals)
    days = zip(midnights[:-1].tolist(), midnights[1:].tolist(), strict=True)
    shares = tuple((last - first - ignored.within(first, last)) / (last - first) for first, last in days)
    if not any(shares):
        raise ValueError(ALL_IGNORED)
    return shares


def _since_first_record(midnights: NDArray[np.int64], real: TimePairs, fired: TimePairs) -> NDArray[np.int64]:
    """Without the weeks that end before the first record; the last week stays.

    As quiet weeks they would lower every earlier rate, and hide a rule that fires all the time.
    """
    first = min((int(pairs.starts.min()) for pairs in (real, fired) if len(pairs.starts)), default=int(midnights[0]))
    ends = midnights[_DAYS::_DAYS]
    earlier = min(int(np.searchsorted(ends, first, side="right")), len(ends) - 1)
    return midnights[_DAYS * earlier :]


def _zone(zone: str) -> tzinfo:
    return known_zone(zone) if zone else UTC


def _local(nanoseconds: int, zone: str) -> datetime:
    return datetime.fromtimestamp(int(nanoseconds) // NANOSECONDS["s"], UTC).astimezone(_zone(zone))


def _ranked_rules(
    real: TimePairs, fired: TimePairs, rules: tuple[str, ...] | None, midnights: NDArray[np.int64], lead: Any, periods: tuple[Period, ...]
) -> tuple[RuleSummary, ...]:
    """Rules over all weeks, ordered by the false alerts that could be avoided without missing an incident, then by false alerts.

    As in the weeks, an alert counts where it begins.
    """
    if not rules:
        return ()
    span = Instants(midnights[[0, -1]], real.zoned)
    began = (fired.starts >= midnights[0]) & (fired.starts < midnights[-1])
    alerts = Counter(rule for rule, own in zip(rules, began.tolist(), strict=True) if own)
    every = []
    for rule in alert_summary(real, fired, by=rules, span=span, lead=lead, keep_always_firing=True).rules:
        if count := alerts[rule.rule]:
            false = sum(sum(period.false_by_rule[rule.rule]) for period in periods)
            every.append(replace(rule, alerts=count, false_alerts=false, precision=(count - false) / count))
    return tuple(sorted(every, key=lambda rule: (rule.found_alone > 0, -rule.false_alerts, -rule.minutes_of_noise, rule.rule)))
