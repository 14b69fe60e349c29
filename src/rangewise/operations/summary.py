"""Evaluate alerts against incidents: found and missed, time to detect, noise; for all rules together and for each rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.clocks import ClockedRanges, TimePairs, common_kind, common_zone, read_times, span_of
from rangewise.inputs.ignored import Clipping, Ignored, pieces_outside
from rangewise.inputs.instants import OPEN, as_times, duration, exact, known_zone, read_instants, span_text
from rangewise.inputs.ranges import Ranges, RangesLike, join
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.operations.page import summary_dict, summary_markdown, summary_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rangewise.operations.early_warning import EarlyWarning

_DAY = 86_400 * 10**9
_LIMIT = np.iinfo(np.int64)
_ALWAYS = 0.95
ALL_IGNORED = "the ignored intervals cover all of the time, so nothing is left to score"
_Instants = NDArray[np.int64]


@dataclass(frozen=True)
class RuleSummary:
    """One rule: its alerts, and the effect of disabling it."""

    rule: str
    alerts: int
    false_alerts: int
    precision: float
    """The share of its alerts that are at an incident; nan without alerts."""
    found: int
    median_time_to_detect: timedelta | None
    found_alone: int
    """Incidents that no other rule found: they would be missed without this rule."""
    minutes_of_noise: float
    """Minutes under its alerts without an incident."""
    avoidable_noise: float
    """Minutes under its alerts without an incident or an alert of another rule: noise that would vanish without the rule."""


@dataclass(frozen=True)
class CutToSpan:
    """How many incidents or alerts were clipped at an edge of the span, and how many lay outside it and were removed."""

    incidents: Clipping
    alerts: Clipping


@dataclass(frozen=True, eq=False)
class AlertSummary:
    """The result of :func:`alert_summary`. Printing it shows all numbers."""

    incidents: int
    found: int
    missed: int
    found_share: float
    alerts: int
    false_alerts: int
    false_alerts_per_day: float
    false_alerts_per_week: float
    alerts_per_incident: float
    incidents_per_alert: float
    median_time_to_detect: timedelta | None
    p90_time_to_detect: timedelta | None
    worst_time_to_detect: timedelta | None
    median_reset_time: timedelta | None
    """How long alerts continue after the incidents found; 0 for an incident whose alerts ended before it."""
    time_under_false_alert: timedelta
    share_under_alert: float
    span: tuple[np.datetime64, np.datetime64]
    days: float
    """The length of the span without ignored intervals; rates are per day of it."""
    lead: timedelta
    score: Score
    rules: tuple[RuleSummary, ...] = ()
    noisiest: tuple[str, ...] = ()
    worst_missed: tuple[str, ...] = ()
    ignored: Ignored | None = None
    """The effect of ``ignore`` on incidents and alerts."""
    cut_to_span: CutToSpan | None = None
    """The effect of a given ``span`` on incidents and alerts."""
    always_firing: tuple[str, ...] = ()
    """Rules that fire nearly all of the time, such as a watchdog; their alerts are excluded."""
    early_warning: EarlyWarning | None = None
    """Alarms before the incidents, if a warning window is given."""
    zone: str = ""
    """The time zone in which times are shown: the requested one, else UTC if the times have a zone, else none."""
    sides: tuple[TimePairs, TimePairs] = field(repr=False, kw_only=True)
    by: tuple[str, ...] | None = field(default=None, repr=False, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """The same fields for JSON; durations are in seconds, times in ISO 8601, the score as precision, recall and F."""
        return summary_dict(self)

    def to_markdown(self) -> str:
        """The summary as Markdown tables."""
        return summary_markdown(self)

    def plot(self) -> Figure:
        """Plot a timeline with one lane for the incidents and one per rule. Needs the extra ``plots``."""
        from rangewise.plots.timeline import draw_timeline

        incidents, alerts = self.sides
        rules = self.by if self.by is not None else ("alerts",) * len(alerts.starts)
        lanes: dict[str, tuple[_Instants, _Instants]] = {}
        for rule in dict.fromkeys(rules):
            own = np.array([each == rule for each in rules], dtype=np.bool_)
            lanes[rule] = alerts.starts[own], alerts.stops[own]
        return draw_timeline((incidents.starts, incidents.stops), lanes, lead=exact(self.lead), zone=self.zone or "UTC")

    def __str__(self) -> str:
        return summary_text(self)


def alert_summary(
    incidents: RangesLike,
    alerts: RangesLike,
    *,
    lead: Any = 0,
    by: str | Sequence[str] | None = None,
    span: Any = None,
    model: RangeModel | None = None,
    until: Any = None,
    ignore: RangesLike | None = None,
    weights: Any = None,
    resolution: Any = None,
    keep_always_firing: bool = False,
    tz: str | None = None,
    warning_window: Any = None,
    cooldown: Any = 0,
) -> AlertSummary:
    """Evaluate alerts against incidents. Both are pairs of times, or tables with a column of starts and one of ends.

    An incident is found if an alert overlaps it, or fires within ``lead`` before it; the time to detect runs from its start to the first
    such alert, and is 0 if the alert began before. A false alert overlaps no incident or its lead. ``alerts_per_incident`` is the mean over
    the incidents found, ``incidents_per_alert`` the mean over the alerts that are not false. ``span`` is (first, last), by default from the
    first start to the last end; ``share_under_alert`` and the rates per day refer to it, without ignored intervals. A given span clips
    incidents and alerts at its edges and removes those outside; ``cut_to_span`` counts both. Incidents and alerts may overlap and repeat:
    each is counted separately, and they are joined only for ``score``, which uses ``model``. Open incidents and alerts end at ``until``.

    ``by`` is the rule of each alert, or the name of a column of the table of alerts; ``rules`` then has one row per rule, with the effect
    of disabling it. ``ignore`` lists intervals that do not count: incidents and alerts are clipped, and ``ignored`` counts those shortened,
    removed, or split in the middle, which count as two. ``weights`` are the weights of the incidents in the recall of the score, and
    ``resolution``, e.g. ``"1s"``, is its clock; everything else is exact to the nanosecond. Rules that fire for at least 95 % of the time
    without incidents find everything but are useless: their alerts are excluded and ``always_firing`` lists them, unless
    ``keep_always_firing`` is set. Times are shown in the zone ``tz``.

    ``warning_window``, e.g. ``"2h..10min"``, adds early warning: ``early_warning`` has signed lead times, false alarms, time in
    warning and tests against chance (:func:`rangewise.early_warning`); alarms within ``cooldown`` of another are suppressed.

    Counts are 0 or more, shares lie in 0..1; without incidents, alerts or false alerts the numbers are 0 and the times None.

    >>> summary = alert_summary([("2024-05-01T10:02", "2024-05-01T10:47")], [("2024-05-01T10:09", "2024-05-01T10:31")])
    >>> summary.found, summary.false_alerts, str(summary.median_time_to_detect)
    (1, 0, '0:07:00')
    """
    before = read_lead(lead)
    real, fired, zoned, end = read_sides(incidents, alerts, until)
    weighed = None if weights is None else _incident_weights(real, incidents, weights, end)
    zone = shown_zone(tz, zoned, elapsed=real.elapsed or fired.elapsed)
    rules = rules_given(by, alerts, fired, end)
    if np.any(fired.starts[1:] < fired.starts[:-1]):
        order = np.argsort(fired.starts, kind="stable")
        fired, rules = chosen_pairs(fired, order), _picked(rules, order)
    intervals = None if ignore is None else read_ignored_times(ignore, real, fired)
    joined = real.joined(), fired.joined()
    always: tuple[str, ...] = ()
    if rules is not None and not keep_always_firing:
        always = find_always_firing(real, fired, rules, None if span is None else span_of(span, *joined)[:2], intervals)
        if always:
            # Before the span: without an explicit one, it is that of the alerts that count.
            fired, rules = pairs_without(fired, rules, always)
            joined = joined[0], fired.joined()
    uncut = real, fired
    first, last, _ = span_of(span, *joined)
    cut_to_span = ignored = None
    counted = max(last - first, 0)
    if span is not None:
        beyond = np.array([_LIMIT.min, last]), np.array([first, _LIMIT.max])
        real, fired, weighed, rules, clippings = _cut(real, fired, weighed, rules, beyond)
        cut_to_span = CutToSpan(*clippings)
    if intervals is not None:
        real, fired, weighed, rules, ignored = without_ignored(real, fired, weighed, rules, intervals)
        counted -= Spans.of(intervals).within(first, last)
        if last > first and not counted:
            raise ValueError(ALL_IGNORED)
    if warning_window is None and duration(cooldown, "cooldown"):
        raise ValueError("cooldown applies to early warning; give warning_window too, e.g. warning_window='2h..10min'")
    if warning_window is not None and ignore is not None:
        raise ValueError(
            "early warning does not support ignore=: an alarm before an ignored interval would warn of events after it; drop ignore="
        )
    if cut_to_span is not None or ignored is not None:
        joined = real.joined(), fired.joined()
    chosen = RangeModel() if model is None else model
    score = _score(chosen, joined, real, weighed, resolution)
    summary = _summed(real, fired, joined, rules, before, (first, last), counted, score, zone)
    warned = None
    if warning_window is not None:
        from rangewise.operations.early_warning import WarningWindow, warn_of

        # Records before clipping to the span: an alert that continues into the span did not begin in it.
        warned = warn_of(uncut[0], uncut[1].starts, WarningWindow.read(warning_window), duration(cooldown, "cooldown"), (first, last))
    return replace(summary, ignored=ignored, cut_to_span=cut_to_span, always_firing=always, early_warning=warned)


def _summed(
    real: TimePairs,
    fired: TimePairs,
    joined: tuple[ClockedRanges, ClockedRanges],
    rules: tuple[str, ...] | None,
    before: int,
    span: tuple[int, int],
    counted: int,
    score: Score,
    zone: str,
) -> AlertSummary:
    """``counted`` is how much of the span counts, in nanoseconds."""
    at_incidents, at_alerts = _meetings(real, fired, before)
    alight, trouble = Spans.of(joined[1]), Spans.of(joined[0])
    delays = _delays(real, alight, before)
    found = at_incidents > 0
    false = at_alerts == 0
    late = np.sort(delays[found])
    names = real.names or ("",) * len(real.starts)
    lengths = real.stops - real.starts
    missed_rows = np.flatnonzero(~found)
    worst = missed_rows[_longest(lengths[missed_rows], 3)]
    days = counted / _DAY
    return AlertSummary(
        incidents=len(real.starts),
        found=int(found.sum()),
        missed=int((~found).sum()),
        found_share=float(found.mean()) if len(found) else 0.0,
        alerts=len(fired.starts),
        false_alerts=int(false.sum()),
        false_alerts_per_day=float(false.sum() / days) if days else 0.0,
        false_alerts_per_week=float(7 * false.sum() / days) if days else 0.0,
        alerts_per_incident=float(at_incidents[found].mean()) if found.any() else 0.0,
        incidents_per_alert=float(at_alerts[~false].mean()) if (~false).any() else 0.0,
        median_time_to_detect=_quantile(late, 0.5),
        p90_time_to_detect=_quantile(late, 0.9),
        worst_time_to_detect=_quantile(late, 1.0),
        median_reset_time=_quantile(np.sort(_resets(real, alight)[found]), 0.5),
        time_under_false_alert=as_timedelta(alight.outside(trouble)),
        share_under_alert=alight.within(*span) / counted if counted else 0.0,
        span=tuple(as_times(np.array(span), real.elapsed)),
        days=days,
        lead=as_timedelta(before),
        score=score,
        rules=() if rules is None else _by_rule(real, fired, rules, before, at_incidents),
        noisiest=_noisiest(fired, false, rules, zone),
        worst_missed=tuple(f"{names[row]} {_span(real, row, zone)}".strip() for row in worst.tolist()),
        sides=(real, fired),
        by=rules,
        zone=zone,
    )


def _meetings(real: TimePairs, fired: TimePairs, before: int) -> tuple[_Instants, _Instants]:
    """How many alerts overlap each incident, its lead included, and how many incidents overlap each alert."""
    starts = real.starts - before
    return _counted(starts, real.stops, fired.starts, fired.stops), _counted(fired.starts, fired.stops, starts, real.stops)


def _counted(starts: _Instants, stops: _Instants, other_starts: _Instants, other_stops: _Instants) -> _Instants:
    """How many others each one overlaps: those that began before its end, minus those that ended by its start."""
    begun = np.searchsorted(_sorted(other_starts), stops, side="left")
    ended = np.searchsorted(_sorted(other_stops), starts, side="right")
    return np.asarray(begun - ended, dtype=np.int64)


def _sorted(instants: _Instants) -> _Instants:
    return np.sort(instants) if np.any(instants[1:] < instants[:-1]) else instants


def _delays(real: TimePairs, alight: Spans, before: int) -> _Instants:
    """The time from the start of each incident to the first alert that overlaps it; arbitrary if there is none."""
    if not len(alight.starts):
        return np.zeros(len(real.starts), dtype=np.int64)
    # The first alert that is still firing when the lead begins, or fires after it.
    first = np.minimum(np.searchsorted(alight.stops, real.starts - before, side="right"), len(alight.starts) - 1)
    return np.asarray(np.maximum(alight.starts[first] - real.starts, 0), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class IncidentOutcomes:
    """The outcome of each incident, in nanoseconds, and which alerts are false."""

    found: NDArray[np.bool_]
    delays: _Instants
    resets: _Instants
    flaps: _Instants
    """Alerts at an incident beyond the first of each rule."""
    false: NDArray[np.bool_]
    noise: Spans


def incident_outcomes(real: TimePairs, fired: TimePairs, rules: Sequence[str] | None, lead: int) -> IncidentOutcomes:
    """The outcome of each incident. Without rules, all alerts belong to one rule."""
    at_incidents, at_alerts = _meetings(real, fired, lead)
    alight = Spans.of(fired)
    different = np.minimum(at_incidents, 1)
    if rules is not None:
        known, numbers = _numbered(rules)
        plain = replace(fired, names=None)
        each = [_meetings(real, chosen_pairs(plain, numbers == number), lead)[0] > 0 for number in range(len(known))]
        different = np.sum(each, axis=0) if each else different
    return IncidentOutcomes(
        at_incidents > 0, _delays(real, alight, lead), _resets(real, alight), at_incidents - different, at_alerts == 0,
        alight.without(Spans.of(real)),
    )  # fmt: skip


def _resets(real: TimePairs, alight: Spans) -> _Instants:
    """How long the alert that is firing at the end of each incident continues; 0 if none is firing."""
    if not len(alight.starts):
        return np.zeros(len(real.starts), dtype=np.int64)
    last = np.searchsorted(alight.starts, real.stops, side="left") - 1
    return np.asarray(np.where(last >= 0, np.maximum(alight.stops[last] - real.stops, 0), 0), dtype=np.int64)


def find_always_firing(
    real: TimePairs, fired: TimePairs, rules: Sequence[str], span: tuple[int, int] | None, ignored: TimePairs | ClockedRanges | None = None
) -> tuple[str, ...]:
    """Rules whose alerts cover at least 95 % of the time of a span without incidents, where that is most of the span.

    The default span covers the incidents and the alerts of all other rules. Ignored time is not part of it.
    """
    known, numbers = _numbered(rules)
    fired = replace(fired, names=None)
    trouble = Spans.of(real)
    unseen = Spans.joined(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)) if ignored is None else Spans.of(ignored)
    always = []
    for number, rule in enumerate(known):
        own = numbers == number
        first, last = span or _extent(real, chosen_pairs(fired, ~own))
        watched = Spans(np.array([first]), np.array([last])).without(unseen)
        quiet = watched.without(trouble)
        if 2 * quiet.length > watched.length and quiet.length - quiet.outside(Spans.of(chosen_pairs(fired, own))) >= _ALWAYS * quiet.length:
            always.append(rule)
    return tuple(sorted(always))


def pairs_without(fired: TimePairs, rules: tuple[str, ...], excluded: Sequence[str]) -> tuple[TimePairs, tuple[str, ...]]:
    """The alerts of other rules, and the rule of each."""
    keep = np.array([rule not in excluded for rule in rules], dtype=np.bool_)
    return chosen_pairs(fired, keep), tuple(rule for rule in rules if rule not in excluded)


def _extent(*sides: TimePairs) -> tuple[int, int]:
    """From the first start to the last end."""
    known = [side for side in sides if len(side.starts)]
    first = min((int(side.starts.min()) for side in known), default=0)
    return first, max((int(side.stops.max()) for side in known), default=first)


def _by_rule(real: TimePairs, fired: TimePairs, rules: tuple[str, ...], before: int, all_met: _Instants) -> tuple[RuleSummary, ...]:
    """``all_met`` is the number of alerts of all rules that overlap each incident."""
    known, numbers = _numbered(rules)
    fired = replace(fired, names=None)
    trouble = Spans.of(real)
    whole = Spans.of(fired).outside(trouble)
    summaries = []
    for rule in sorted(known):
        own = numbers == known.index(rule)
        mine, others = chosen_pairs(fired, own), chosen_pairs(fired, ~own)
        (at_incidents, at_alerts), lit = _meetings(real, mine, before), Spans.of(mine)
        found = at_incidents > 0
        summaries.append(
            RuleSummary(
                rule,
                int(own.sum()),
                int((at_alerts == 0).sum()),
                float((at_alerts > 0).mean()),
                int(found.sum()),
                _quantile(np.sort(_delays(real, lit, before)[found]), 0.5),
                int((found & (at_incidents == all_met)).sum()),
                lit.outside(trouble) / 60e9,
                (whole - Spans.of(others).outside(trouble)) / 60e9,
            )
        )
    return tuple(summaries)


def _noisiest(fired: TimePairs, false: NDArray[np.bool_], rules: tuple[str, ...] | None, zone: str) -> tuple[str, ...]:
    """The three worst: rules by their number of false alerts; without rules, the longest false alerts."""
    if rules is None and fired.names is not None:
        rules = fired.names
    rows = np.flatnonzero(false)
    if rules is None:
        longest = rows[_longest((fired.stops - fired.starts)[rows], 3)]
        return tuple(_span(fired, row, zone) for row in longest.tolist())
    known, numbers = _numbered(rules)
    counts = np.bincount(numbers[rows], minlength=len(known))
    lasting = np.bincount(numbers[rows], weights=(fired.stops - fired.starts)[rows], minlength=len(known))
    worst = [number for number in np.lexsort((-lasting, -counts))[:3].tolist() if counts[number]]
    return tuple(f"{known[number] or 'unnamed'}: {counts[number]} false" for number in worst)


def _numbered(rules: Sequence[str]) -> tuple[list[str], _Instants]:
    """The rules, and the index of the rule of each alert."""
    known = {rule: number for number, rule in enumerate(dict.fromkeys(rules))}
    return list(known), np.array(list(map(known.__getitem__, rules)), dtype=np.int64)


def _longest(lengths: _Instants, count: int) -> _Instants:
    """The rows of the longest, ties in order, without sorting all of them."""
    least = np.partition(lengths, -count)[-count] if len(lengths) > count else _LIMIT.min
    longer = np.flatnonzero(lengths > least)
    rows = np.sort(np.append(longer, np.flatnonzero(lengths == least)[: count - len(longer)]))
    return np.asarray(rows[np.argsort(-lengths[rows], kind="stable")], dtype=np.int64)


def read_sides(incidents: RangesLike, alerts: RangesLike, until: Any) -> tuple[TimePairs, TimePairs, bool | None, int | None]:
    """Incidents and alerts, of which open ones end at ``until``; whether their times have a zone; and ``until`` in nanoseconds."""
    end = None if until is None else int(read_instants([until], "until").nanoseconds[0])
    real, fired = (read_pairs(each, name).closed(end) for each, name in ((incidents, "incidents"), (alerts, "alerts")))
    real.check()
    fired.check()
    common_kind([(side.name, side.elapsed) for side in (real, fired) if len(side.starts)])
    return real, fired, common_zone([("incidents", real.zoned), ("alerts", fired.zoned)]), end


def read_ignored_times(given: RangesLike, real: TimePairs, fired: TimePairs) -> ClockedRanges:
    """The ignored intervals, joined, whose times must be of the same kind as those of both sides."""
    intervals = read_pairs(given, "ignore").joined().merge_touching()
    assert isinstance(intervals, ClockedRanges)
    common_zone([(real.name, real.zoned), (fired.name, fired.zoned), ("ignore", intervals.clock.zoned)])
    kinds = [(side.name, side.elapsed) for side in (real, fired) if len(side.starts)]
    common_kind([*kinds, *([("ignore", intervals.clock.elapsed)] if len(intervals) else [])])
    return intervals


def read_lead(lead: Any) -> int:
    before = duration(lead, "lead")
    if before < 0:
        raise ValueError(f"lead must be 0 or more: how long before an incident an alert may fire and still count; got {lead!r}")
    return before


def read_pairs(given: RangesLike, name: str) -> TimePairs:
    if isinstance(given, TimePairs):
        return given
    if isinstance(given, ClockedRanges):
        starts, stops = (times.view(np.int64) for times in (given.start_times, given.stop_times))
        return TimePairs(starts, stops, given.clock.zoned, name, given.names, given.clock.elapsed)
    if (isinstance(given, (list, tuple, Ranges)) and not len(given)) or (hasattr(given, "shape") and not given.shape[0]):
        nothing = np.empty(0, dtype=np.int64)
        return TimePairs(nothing, nothing, None, name)
    pairs = read_times(given, name)
    if pairs is None:
        raise TypeError(
            f"{name} must be pairs of times, or a table with two columns of times, e.g. start and end; got {type(given).__name__}"
        )
    return pairs


def _incident_weights(real: TimePairs, incidents: Any, weights: Any, until: int | None) -> NDArray[np.float64]:
    from rangewise.inputs.weights import checked_weights

    checked, given = checked_weights(weights, incidents), read_pairs(incidents, "incidents")
    if len(checked) != len(given.starts):
        raise ValueError(f"there are {len(given.starts)} incidents and {len(checked)} weights; give one per incident")
    return checked if len(given.starts) == len(real.starts) else checked[_begun(given, until)]


def _begun(given: TimePairs, until: int | None) -> NDArray[np.bool_]:
    """Mask of the pairs that are left if open ones end at ``until``."""
    return np.asarray((given.stops != OPEN) | (given.starts < (0 if until is None else until)))


def rules_given(by: str | Sequence[str] | None, alerts: Any, fired: TimePairs, until: int | None) -> tuple[str, ...] | None:
    """The rule of each remaining alert; None if no rules are given."""
    if by is None:
        return None
    if isinstance(by, str):
        import narwhals.stable.v2 as nw

        table = nw.from_native(alerts, eager_only=True, pass_through=True)
        if not isinstance(table, nw.DataFrame) or by not in table.columns:
            has = f"; it has {', '.join(table.columns)}" if isinstance(table, nw.DataFrame) else ", but they are not a table"
            raise ValueError(f"by={by!r} names a column of the alerts{has}")
        by = [str(each) for each in table[by].to_list()]
    # Alerts that had not begun by `until` were dropped.
    given = read_pairs(alerts, "alerts")
    if len(by) != len(given.starts):
        raise ValueError(f"there are {len(given.starts)} alerts and {len(by)} rules; give one per alert")
    if len(given.starts) == len(fired.starts):
        return tuple(map(str, by))
    return tuple(str(rule) for rule, keep in zip(by, _begun(given, until).tolist(), strict=True) if keep)


def chosen_pairs(pairs: TimePairs, rows: NDArray[Any]) -> TimePairs:
    """Some of the pairs, by a mask or by their indices."""
    at = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    names = None if pairs.names is None else tuple(pairs.names[row] for row in at.tolist())
    return TimePairs(pairs.starts[at], pairs.stops[at], pairs.zoned, pairs.name, names, pairs.elapsed)


def _picked(rules: tuple[str, ...] | None, rows: NDArray[Any]) -> tuple[str, ...] | None:
    return None if rules is None else tuple(rules[row] for row in rows.tolist())


def _cut(
    real: TimePairs,
    fired: TimePairs,
    weights: NDArray[np.float64] | None,
    rules: tuple[str, ...] | None,
    intervals: tuple[_Instants, _Instants],
) -> tuple[TimePairs, TimePairs, NDArray[np.float64] | None, tuple[str, ...] | None, tuple[Clipping, Clipping]]:
    """Clip incidents, alerts, weights and rules to the intervals that count, and count the changes."""
    left, sources, clippings = [], [], []
    for pairs in (real, fired):
        bounds, source, pieces = pieces_outside(pairs.starts, pairs.stops, *intervals)
        clippings.append(Clipping.of(pairs.starts, pairs.stops, bounds, source, pieces))
        left.append(replace(chosen_pairs(pairs, source), starts=bounds[:, 0], stops=bounds[:, 1]))
        sources.append(source)
    kept_weights = None if weights is None else weights[sources[0]]
    return left[0], left[1], kept_weights, _picked(rules, sources[1]), (clippings[0], clippings[1])


def without_ignored(
    real: TimePairs, fired: TimePairs, weights: NDArray[np.float64] | None, rules: tuple[str, ...] | None, intervals: ClockedRanges
) -> tuple[TimePairs, TimePairs, NDArray[np.float64] | None, tuple[str, ...] | None, Ignored]:
    """Incidents, alerts, weights and rules without the ignored intervals, and how these changed them."""
    bounds = intervals.start_times.view(np.int64), intervals.stop_times.view(np.int64)
    real, fired, weights, rules, clippings = _cut(real, fired, weights, rules, bounds)
    return real, fired, weights, rules, Ignored(intervals, *clippings)


def _score(
    model: RangeModel, joined: tuple[ClockedRanges, ClockedRanges], real: TimePairs, weights: NDArray[np.float64] | None, resolution: Any
) -> Score:
    if weights is None:
        return model.score(*joined, resolution=resolution)
    if len(joined[0]) != len(real.starts):
        raise ValueError(
            "overlapping incidents are joined in the score, so they cannot have separate weights; drop weights= or remove the overlaps"
        )
    return model.score(*joined, weights=weights[np.argsort(real.starts, kind="stable")], resolution=resolution)


@dataclass(frozen=True, eq=False)
class Spans:
    """Sorted intervals that neither overlap nor touch, in nanoseconds."""

    starts: _Instants
    stops: _Instants

    @classmethod
    def of(cls, pairs: TimePairs | ClockedRanges) -> Spans:
        if isinstance(pairs, ClockedRanges):
            return cls._merged(np.column_stack([times.view(np.int64) for times in (pairs.start_times, pairs.stop_times)]))
        return cls.joined(pairs.starts, pairs.stops)

    @classmethod
    def joined(cls, starts: _Instants, stops: _Instants) -> Spans:
        """From intervals in any order, which may overlap."""
        return cls._merged(join(starts, stops)[0])

    @classmethod
    def _merged(cls, bounds: _Instants) -> Spans:
        apart = bounds[1:, 0] > bounds[:-1, 1]
        first, last = np.append(True, apart)[: len(bounds)], np.append(apart, True)[: len(bounds)]
        return cls(bounds[first, 0], bounds[last, 1])

    @property
    def length(self) -> int:
        """The total length, in nanoseconds."""
        return int((self.stops - self.starts).sum())

    def without(self, other: Spans) -> Spans:
        """The part of this that is not in the other."""
        bounds, _, _ = pieces_outside(self.starts, self.stops, other.starts, other.stops)
        return Spans(bounds[:, 0], bounds[:, 1])

    def outside(self, other: Spans) -> int:
        """The length of the part of this that is not in the other, in nanoseconds."""
        return self.without(other).length

    def within(self, first: int, last: int) -> int:
        """The length of the part of this between two moments."""
        return int(np.maximum(np.minimum(self.stops, last) - np.maximum(self.starts, first), 0).sum())


def _quantile(late: _Instants, share: float) -> timedelta | None:
    """The quantile of the delays; the median of an even number is the mean of the middle two."""
    if not len(late):
        return None
    return as_timedelta(np.median(late) if share == 0.5 else late[max(int(np.ceil(share * len(late))) - 1, 0)])


def as_timedelta(nanoseconds: Any) -> timedelta:
    return timedelta(microseconds=float(nanoseconds) / 1000)


def _span(pairs: TimePairs, row: int, zone: str) -> str:
    start, stop = as_times(np.array([pairs.starts[row], pairs.stops[row]]), pairs.elapsed)
    return span_text(start, stop, zone)


def shown_zone(tz: str | None, zoned: bool | None, *, elapsed: bool = False) -> str:
    """The zone in which times are shown; empty for times without a zone, or since the start of a recording."""
    if tz is None:
        return "UTC" if zoned else ""
    known_zone(tz)
    if elapsed:
        raise ValueError(f"tz={tz!r} applies to dates, but these times are seconds since the start of a recording; leave it out")
    if zoned is False:
        raise ValueError(f"tz={tz!r} applies to times with a zone, but these times have none; give times with a zone")
    return tz
