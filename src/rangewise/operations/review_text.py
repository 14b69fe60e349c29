"""Render a review: as text for a terminal, as Markdown, as an HTML page, and as plain values for JSON."""

from __future__ import annotations

import html
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rangewise.checks import visible
from rangewise.inputs.instants import NANOSECONDS, duration_text
from rangewise.number_text import count_text, share_text
from rangewise.operations.page import rule_dict
from rangewise.tables import Table, markdown_text

if TYPE_CHECKING:
    from rangewise.operations.review import Change, Period, Review
    from rangewise.operations.summary import RuleSummary

_HEADS = ("week", "incidents", "found", "missed", "time to detect", "false per day", "days", "noise", "reset time", "flaps")
_NAMES = {
    "found": "share found", "time_to_detect": "time to detect", "reset_time": "reset time", "flaps": "flaps per incident",
    "false_alerts": "false alerts per day",
}  # fmt: skip
_MOST_RULES = 5


def review_text(review: Review) -> str:
    lines = [_table(review).to_text()]
    for title, findings in _sections(review):
        lines += ["", f"{title}:", *(f"  {line}" for line in findings)]
    return "\n".join(lines)


def review_markdown(review: Review) -> str:
    lines = [_table(review).to_markdown()]
    for title, findings in _sections(review):
        lines += [f"**{title}**", "", *(f"- {markdown_text(line)}" for line in findings), ""]
    return "\n".join(lines).rstrip()


def review_dict(review: Review) -> dict[str, Any]:
    return {
        "weeks": [week.to_dict() for week in review.weeks],
        "against": review.against,
        "changes": [asdict(change) for change in review.changes],
        "worse_rules": [asdict(change) for change in review.worse_rules],
        "is_worse": review.is_worse,
        "rules": [rule_dict(rule) for rule in review.rules],
        "always_firing": list(review.always_firing),
        "weeks_without_records": review.weeks_without_records,
        "zone": review.zone,
        "ignored": None if review.ignored is None else review.ignored.to_dict(),
    }


def _sections(review: Review) -> list[tuple[str, list[str]]]:
    sections = []
    if review.changes:
        sections.append((f"The last week against {review.against}", [change_text(change) for change in review.changes]))
    else:
        more = "give an earlier review" if review.weeks_without_records else "ask for more weeks, or give an earlier review"
        sections.append(("Only one week", [f"there is nothing to compare it with; {more}"]))
    if review.worse_rules:
        worse = [
            f"{visible(change.measure) or 'unnamed'}: {change.now:.2f} false alerts per day, before {change.before:.2f}"
            for change in review.worse_rules
        ]
        sections.append(("Rules that got worse", worse))
    advised = [advice(rule) for rule in review.rules if rule.false_alerts][:_MOST_RULES]
    if advised:
        sections.append(("Rules to change first", advised))
    if review.always_firing:
        sections.append(("Always firing, excluded", [visible(rule) for rule in review.always_firing]))
    if review.weeks_without_records:
        weeks = count_text(review.weeks_without_records, "week")
        sections.append(("Left out", [f"{weeks} before the first incident or alert, because nothing is recorded there"]))
    if review.ignored is not None:
        sections.append(("Ignored", [str(review.ignored)]))
    return sections


def change_text(change: Change) -> str:
    """One measure as text: its value now, its value before, and the verdict."""
    now, before = (_shown(change.measure, value) for value in (change.now, change.before))
    low, high = (_shown(change.measure, end) for end in (change.low, change.high))
    between = "" if change.low is None else f" (95 % interval {low} to {high})"
    return f"{_NAMES[change.measure]}: {now}{between}, before {before}: {change.verdict}"


def advice(rule: RuleSummary) -> str:
    """The noise and the benefit of a rule, and what to do about it."""
    noise = duration_text(rule.minutes_of_noise * NANOSECONDS["min"])
    cost = f"{visible(rule.rule) or 'unnamed'}: {rule.false_alerts} of {count_text(rule.alerts, 'alert')} false, {noise} of noise"
    if not rule.found:
        return f"{cost}; it found no incident: disable it, or fix its expression"
    if not rule.found_alone:
        return f"{cost}; other rules found every incident it found ({rule.found}): raise its threshold, or disable it"
    alone = count_text(rule.found_alone, "incident")
    return f"{cost}; {alone} found by no other rule: keep it, and try a longer `for` (rangewise backtest)"


def _table(review: Review) -> Table:
    """One row per week; the days that count only if some time is ignored, because a week has seven otherwise."""
    rows = [dict(zip(_HEADS, _row(week), strict=True)) for week in review.weeks]
    heads = [head for head in _HEADS if head != "days" or review.ignored is not None]
    return Table(heads, [tuple(row[head] for head in heads) for row in rows])


def _row(week: Period) -> tuple[str, ...]:
    return (
        f"{week.first} to {week.last}",
        *map(count_text, (len(week.incidents), week.found, week.missed)),
        _shown("time_to_detect", week.median("time_to_detect")),
        _shown("false_alerts", week.false_alerts_per_day),
        f"{week.days:.2f}",
        duration_text(week.noise * NANOSECONDS["min"]),
        _shown("reset_time", week.median("reset_time")),
        _shown("flaps", week.flaps_per_incident),
    )


def _shown(measure: str, value: float | None) -> str:
    if value is None:
        return "-"
    if measure in ("time_to_detect", "reset_time"):
        return duration_text(value * NANOSECONDS["s"])
    return share_text(value) if measure == "found" else f"{value:.2f}"


_STYLE = """
:root { color-scheme: light dark; --ink: #333; --found: #0072b2; --false: #d55e00; --line: #ccc; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --found: #56b4e9; --false: #e69f00; --line: #555; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 72rem; margin: 1rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
svg { width: 100%; max-width: 40rem; height: auto; }
.found { fill: var(--found); } .stripes { stroke: var(--ink); stroke-opacity: .5; }
.missed { fill: none; stroke: var(--ink); stroke-dasharray: 3 2; } .false { fill: var(--false); }
text { fill: var(--ink); font-size: 12px; }
.worse::before { content: "\\25B2  "; color: var(--false); } .better::before { content: "\\25BC  "; color: var(--found); }
"""


def review_html(review: Review) -> str:
    """A page without scripts: the weeks as bars and as a table, then the findings."""
    last = review.weeks[-1]
    title = f"Alerts, {last.first} to {last.last}"
    parts = [f"<h1>{html.escape(title)}</h1>", f"<p>{html.escape(headline(review))}</p>", _bars(review.weeks)]
    parts.append(f'<div class="scroll">{_table(review).to_html()}</div>')
    for heading, findings in _sections(review):
        items = "".join(f'<li class="{_class(line)}">{html.escape(line)}</li>' for line in findings)
        parts.append(f"<h2>{html.escape(heading)}</h2><ul>{items}</ul>")
    zone = f"<p>Times are in {html.escape(review.zone)}.</p>" if review.zone else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>{''.join(parts)}{zone}</body></html>\n"
    )


def headline(review: Review) -> str:
    """The week in one sentence."""
    last = review.weeks[-1]
    found = f"{last.found} of {count_text(len(last.incidents), 'incident')} found" if last.incidents else "no incidents"
    worse = [_NAMES[change.measure] for change in review.changes if change.verdict == "worse"]
    better = [_NAMES[change.measure] for change in review.changes if change.verdict == "better"]
    changes = [f"{kind}: {', '.join(names)}" for kind, names in (("worse", worse), ("better", better)) if names]
    changes += [f"{count_text(len(review.worse_rules), 'rule')} got worse"] if review.worse_rules else []
    change = "; ".join(changes) or ("no clear change" if review.changes else "nothing to compare with")
    return f"{found}, {count_text(sum(last.false_alerts), 'false alert')}; {change}."


def _class(line: str) -> str:
    return next((verdict for verdict in ("worse", "better") if line.endswith(f": {verdict}")), "")


def _bars(weeks: tuple[Period, ...]) -> str:
    """A bar chart by week: incidents found and missed in the upper half, false alerts in the lower half."""
    width, half, gap = 640, 80, 8
    most = max(max(len(week.incidents) for week in weeks), 1)
    most_false = max(max(sum(week.false_alerts) for week in weeks), 1)
    each = (width - 90) / len(weeks)
    shapes = [
        '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<line class="stripes" x1="0" x2="0" y1="0" y2="6"/></pattern></defs>',
        f'<text x="0" y="{half // 2}">incidents</text><text x="0" y="{half + gap + half // 2}">false alerts</text>',
        f'<line x1="85" x2="{width}" y1="{half + gap / 2}" y2="{half + gap / 2}" stroke="currentColor" stroke-width="0.5"/>',
    ]
    for number, week in enumerate(weeks):
        left, bar = 90 + number * each, max(each - 8, 2)
        found, missed = (half - 16) * week.found / most, (half - 16) * week.missed / most
        false = (half - 16) * sum(week.false_alerts) / most_false
        shapes.append(f'<rect class="found" x="{left:.1f}" y="{half - found:.1f}" width="{bar:.1f}" height="{found:.1f}"/>')
        shapes.append(f'<rect class="missed" x="{left:.1f}" y="{half - found - missed:.1f}" width="{bar:.1f}" height="{missed:.1f}"/>')
        at = f'x="{left:.1f}" y="{half + gap}" width="{bar:.1f}" height="{false:.1f}"'
        shapes.append(f'<rect class="false" {at}/><rect fill="url(#hatch)" {at}/>')
        shapes.append(f'<text x="{left:.1f}" y="{2 * half + gap + 14}">{html.escape(week.first[5:])}</text>')
    label = f"Incidents found and missed, and false alerts, of {len(weeks)} weeks"
    return (
        f'<svg viewBox="0 0 {width} {2 * half + gap + 18}" role="img" aria-label="{label}">{"".join(shapes)}</svg>'
        "<p>Upper half: incidents found (filled) and missed (dashed). Lower half: false alerts.</p>"
    )
