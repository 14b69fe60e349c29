"""Render a backtest: as text for a terminal, as Markdown, as plain values for JSON, and the best rule as YAML."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rangewise.checks import visible
from rangewise.inputs.instants import duration, duration_text, exact, span_text, zoned_text
from rangewise.number_text import count_text, share_text
from rangewise.operations.exact_intervals import ExactInterval, rate_interval, share_interval
from rangewise.operations.page import length_text, seconds_of
from rangewise.operations.rule import Rule, is_metric_name, number_text, prometheus_duration, rounded_inward
from rangewise.tables import Table, markdown_text

if TYPE_CHECKING:
    from rangewise.operations.backtest import Backtest, RuleOutcome, _Problem

_MOST_ROWS = 12
_MOST_INCIDENTS = 30
_FEW = 10
"""With fewer incidents than this, the text first warns about the wide interval."""
_HEADS = ("threshold", "for", "keep firing", "found", "false alerts per day", "median time to detect", "median reset time")


def backtest_text(result: Backtest) -> str:
    steps = result.steps
    first, last = (steps.moment(time) for time in (steps.first, int(steps.times(result._problem.stop))))
    sets = f" of {len(steps.names)} label sets" if len(steps.names) > 1 else ""
    lines = [
        f"values      {result._problem.stop:,} evaluation steps of {duration_text(steps.interval)}{sets}, "
        f"{span_text(first, last, result.zone)}",
        f"incidents   {result.incidents:,}"
        + (f"; {_more(result.outside)} outside the time span of the values and ignored" if result.outside else ""),
        "",
    ]
    if not result.incidents:
        return "\n".join([*lines, "There are no incidents in this time span, so no rule can be evaluated."])
    rows = shown_rows(result)
    lines.append(
        "Rules that no other rule beats:"
        if len(rows) == len(result.front)
        else f"{len(rows)} of the {len(result.front)} rules that no other rule beats:"
    )
    lines += [_table(rows).to_text(), ""]
    lines += best_lines(result)
    sentences = result.explain()
    if sentences:
        lines += ["", "Each incident under this rule:", *(f"  {line}" for line in sentences[:_MOST_INCIDENTS])]
        lines += [f"  and {len(sentences) - _MOST_INCIDENTS:,} more (--json lists all)"] if len(sentences) > _MOST_INCIDENTS else []
    return "\n".join(lines)


def _more(count: int) -> str:
    return f"{count:,} more {'is' if count == 1 else 'are'}"


def backtest_markdown(result: Backtest) -> str:
    table = _table(shown_rows(result)).to_markdown()
    return "\n".join([table, *best_lines(result), "", *(f"- {markdown_text(line)}" for line in result.explain())]).rstrip()


def shown_rows(result: Backtest) -> list[RuleOutcome]:
    """All of a short front; for a long one, the rule with the fewest false alerts per number of incidents found, and the best rule."""
    if len(result.front) <= _MOST_ROWS:
        return list(result.front)
    fewest = {each.found: each for each in reversed(result.front)}
    chosen = sorted(fewest.values(), key=lambda each: -each.found)
    if len(chosen) > _MOST_ROWS:
        chosen = [chosen[round(place)] for place in np.linspace(0, len(chosen) - 1, _MOST_ROWS).tolist()]
    if result.best is not None and result.best not in chosen:
        chosen = sorted([*chosen, result.best], key=lambda each: (-each.found, each.false_alerts))
    return chosen


def best_lines(result: Backtest) -> list[str]:
    """The best rule, its outcome, and how uncertain that is."""
    wishes = result.wishes
    wanted = f"at most {wishes.at_most_text} false alerts"
    wanted += "" if wishes.detect_within is None else f" and a median time to detect of {duration_text(exact(wishes.detect_within))}"
    if result.best is None:
        return [f"No rule finds an incident with {wanted}. Allow more false alerts, or try other values of for and keep_firing_for."]
    best = result.best
    found, false = share_interval(best.found, best.incidents), rate_interval(best.false_alerts, result.days)
    lines = [
        f"Best rule with {wanted}: {best.rule}",
        f"  it finds {best.found} of {best.incidents} incidents ({_share(found)}), {count_text(best.false_alerts, 'false alert')} "
        f"({_rate(false)}), median time to detect {length_text(best.median_time_to_detect)}, "
        f"median reset time {length_text(best.median_reset_time)}",
        f"  any threshold {_bounds(best)}gives the same result",
    ]
    if best.incidents < _FEW:
        few = f"{count_text(best.incidents, 'incident')} {'is' if best.incidents == 1 else 'are'} few"
        lines.append(f"  {few}: the true share may be anywhere from {share_text(found.low)} to {share_text(found.high)}")
    if result.holdout is None:
        lines.append("  the threshold was chosen on the same data, so these figures are optimistic; --holdout 0.3 judges it on later data")
    else:
        lines += _held_lines(result)
    return lines


def _held_lines(result: Backtest) -> list[str]:
    assert result.holdout is not None
    later, cut = result.holdout.later, zoned_text(result.holdout.cut, result.zone)
    if later is None:
        return []
    if not later.incidents:
        return [f"  chosen on the data before {cut}; after it there were no incidents and {count_text(later.false_alerts, 'false alert')}"]
    return [
        f"  chosen on the data before {cut}; after it, the rule finds {later.found} of {later.incidents} incidents "
        f"({_share(share_interval(later.found, later.incidents))}), {count_text(later.false_alerts, 'false alert')} "
        f"({_rate(rate_interval(later.false_alerts, later.days))}), median time to detect {length_text(later.median_time_to_detect)}"
    ]


def incident_lines(problem: _Problem, rule: Rule, zone: str) -> list[str]:
    """One line per incident: found and how late, or missed and which threshold would have found it."""
    levels = problem.levels(duration(rule.for_, "for_"), duration(rule.keep_firing_for, "keep_firing_for")).max(axis=0)
    rank, every = problem.rank_of(rule.threshold), problem.steps.interval
    lines = []
    for row, (first, stop, onset, end) in enumerate(problem.incidents.tolist()):
        name = "" if problem.real.names is None else visible(problem.real.names[row])
        start, finish = (problem.steps.moment(side[row]) for side in (problem.real.starts, problem.real.stops))
        firing = np.flatnonzero(levels[first:stop] >= rank)
        if firing.size:
            late = max((first + int(firing[0])) * every - onset, 0)
            went_on = stop
            if levels[stop - 1] >= rank:
                quiet = np.flatnonzero(levels[stop:] < rank)
                went_on = stop + int(quiet[0]) if quiet.size else len(levels)
                after = max(went_on * every - end, 0)
            else:
                after = 0
            outcome = "found at once" if not late else f"found after {duration_text(late)}"
            outcome += f"; the alert continues for {duration_text(after)} after it" if after else "; no alert is firing when it ends"
        else:
            outcome = f"missed: {_reached(problem, rule, int(levels[first:stop].max()))}"
        lines.append(f"{name} {span_text(start, finish, zone)}: {outcome}".strip())
    return lines


def _reached(problem: _Problem, rule: Rule, level: int) -> str:
    if not level:
        return "no threshold would have fired"
    value = float(problem.distinct[level - 1]) * (1 if rule.op in (">", ">=") else -1)
    held = f" for {prometheus_duration(rule.for_)}" if rule.for_ else ""
    return f"the value never went {'above' if rule.op in ('>', '>=') else 'below'} {value:.6g}{held}"


def rule_yaml(result: Backtest, expr: str | None, alert: str) -> str:
    if result.best is None:
        raise ValueError("no rule meets the constraints, so there is none to write; allow more false alerts with at_most= (--at-most)")
    names = result.steps.names
    if expr is None:
        if len(names) != 1 or not is_metric_name(names[0].partition("{")[0]):
            raise ValueError("the PromQL expression of the values is unknown; give expr= (--expr), e.g. 'job:latency:p99'")
        expr = names[0]
    best = result.best
    description = (
        f"Backtest: finds {best.found} of {best.incidents} incidents, {best.false_alerts_per_day:.3g} false alerts per day, "
        f"median time to detect {length_text(best.median_time_to_detect)}."
    )
    return best.rule.to_yaml(expr=expr, alert=alert, interval=result.interval, description=description)


def backtest_dict(result: Backtest) -> dict[str, Any]:
    holdout = result.holdout
    held = holdout and {"cut": zoned_text(holdout.cut, result.zone), "later": holdout.later and holdout.later.to_dict()}
    return {
        "incidents": result.incidents,
        "outside": result.outside,
        "days": result.days,
        "interval": result.steps.interval / 1e9,
        "op": result.op,
        "wishes": {"at_most_per_day": result.wishes.at_most, "detect_within": seconds_of(result.wishes.detect_within)},
        "front": [each.to_dict() for each in result.front],
        "best": result.best and result.best.to_dict(),
        "found_interval": _ends(result.found_interval),
        "false_alerts_per_day_interval": _ends(result.false_alerts_interval),
        "each_incident": result.explain(),
        "summary": result.summary and result.summary.to_dict(),
        "holdout": held,
    }


def _table(outcomes: list[RuleOutcome]) -> Table:
    rows = [
        (
            f"{each.rule.op} {number_text(each.rule.threshold)}",
            prometheus_duration(each.rule.for_),
            prometheus_duration(each.rule.keep_firing_for),
            f"{each.found}/{each.incidents}",
            f"{each.false_alerts_per_day:.2f}",
            length_text(each.median_time_to_detect),
            length_text(each.median_reset_time),
        )
        for each in outcomes
    ]
    return Table(_HEADS, rows)


def _bounds(best: RuleOutcome) -> str:
    """Which thresholds give the same result; one of the two ends does not."""
    low, high = (number_text(end) for end in rounded_inward(best.lowest, best.highest))
    has_low, has_high = math.isfinite(best.lowest), math.isfinite(best.highest)
    if best.rule.op in (">", "<="):
        ends = [f"from {low}"] * has_low + [f"to below {high}" if has_low else f"below {high}"] * has_high
    else:
        ends = [f"above {low}"] * has_low + [f"up to {high}"] * has_high
    return f"{' '.join(ends)} " if ends else ""


def _share(interval: ExactInterval) -> str:
    return f"95 % interval {share_text(interval.low)} to {share_text(interval.high)}"


def _rate(interval: ExactInterval) -> str:
    return f"{interval.value:.2f} per day, 95 % interval {interval.low:.2f} to {interval.high:.2f}"


def _ends(interval: ExactInterval | None) -> list[float] | None:
    return None if interval is None or not math.isfinite(interval.high) else [interval.low, interval.high]
