"""Render an alert summary: as text for a terminal, as Markdown, and as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rangewise.inputs.ignored import Clipping, Ignored
from rangewise.inputs.instants import duration_text, exact, span_text, zoned_text
from rangewise.model.explain import headline
from rangewise.number_text import count_text, share_text
from rangewise.tables import Table, current_width, wrapped

if TYPE_CHECKING:
    from rangewise.operations.summary import AlertSummary, RuleSummary

_WINDOW = 80
_RULE_HEADS = ("rule", "alerts", "false", "precision", "found", "median to detect", "found alone", "noise min", "avoidable noise")


_RULES = "Rules. found alone: incidents that no other rule found; avoidable noise: minutes of noise that would vanish without the rule"


def summary_text(summary: AlertSummary) -> str:
    """Name and value of each number, then the table of rules."""
    width = max(len(name) for name, _ in _lines(summary))
    lines = []
    for name, value in _lines(summary):
        lines += wrapped(value, current_width() or _WINDOW, first=f"{name:<{width}}  ")
    if summary.rules:
        lines += ["", *wrapped(_RULES, current_width() or _WINDOW), rule_table(summary).to_text()]
    return "\n".join(lines)


def summary_markdown(summary: AlertSummary) -> str:
    """Two tables: the numbers, and the rules."""
    tables = [Table(["", ""], _lines(summary), words=(0, 1)), *([rule_table(summary)] if summary.rules else [])]
    return "\n".join(table.to_markdown() for table in tables)


def summary_dict(summary: AlertSummary) -> dict[str, Any]:
    """Every number by its name."""
    plain: dict[str, Any] = {}
    for name in summary.__dataclass_fields__:
        value = getattr(summary, name)
        if name in ("sides", "by"):
            continue
        if isinstance(value, timedelta):
            value = value.total_seconds()
        elif name == "span":
            value = [zoned_text(time, summary.zone) for time in value]
        elif name == "score":
            value = {"precision": value.precision, "recall": value.recall, "f": value.f, "model": str(value.model)}
            value = {key: None if number != number else number for key, number in value.items()}
        elif isinstance(value, Ignored):
            value = value.to_dict()
        elif name == "cut_to_span" and value is not None:
            value = asdict(value)
        elif name == "early_warning" and value is not None:
            value = value.to_dict()
        elif name == "rules":
            value = [rule_dict(rule) for rule in value]
        elif isinstance(value, tuple):
            value = list(value)
        plain[name] = value
    return plain


def rule_dict(rule: RuleSummary) -> dict[str, Any]:
    """Every number of a rule by its name."""
    return {name: value.total_seconds() if isinstance(value, timedelta) else value for name, value in asdict(rule).items()}


def seconds_of(length: timedelta | None) -> float | None:
    return None if length is None else length.total_seconds()


def _lines(summary: AlertSummary) -> list[tuple[str, str]]:
    score = summary.score
    lead = f" (or up to {length_text(summary.lead)} before)" if summary.lead else ""
    lines = [
        ("span", span_text(*summary.span, summary.zone)),
        ("incidents", f"{summary.incidents:,}: {summary.found:,} found{lead}, {summary.missed:,} missed"),
        (
            "time to detect",
            f"median {length_text(summary.median_time_to_detect)}, 90 % within {length_text(summary.p90_time_to_detect)}, "
            f"worst {length_text(summary.worst_time_to_detect)}",
        ),
        ("reset time", f"median {length_text(summary.median_reset_time)} after the end of an incident"),
        ("alerts", f"{summary.alerts:,}: {summary.alerts - summary.false_alerts:,} at an incident, {summary.false_alerts:,} false"),
        ("alerts per incident", f"{summary.alerts_per_incident:.2f} of those found; incidents per alert {summary.incidents_per_alert:.2f}"),
        ("false alerts", f"{summary.false_alerts_per_day:.2f} per day, {summary.false_alerts_per_week:.1f} per week"),
        ("time under false alert", length_text(summary.time_under_false_alert)),
        ("under alert", f"{share_text(summary.share_under_alert)} of the time"),
    ]
    if summary.noisiest:
        lines.append(("noisiest", "; ".join(summary.noisiest)))
    if summary.always_firing:
        lines.append(("always firing, excluded", ", ".join(summary.always_firing)))
    if summary.worst_missed:
        lines.append(("longest missed", "; ".join(summary.worst_missed)))
    if summary.early_warning is not None:
        lines += [(f"early warning: {name}", text) for name, text in summary.early_warning.lines()]
    if summary.cut_to_span is not None:
        cut = summary.cut_to_span
        lines.append(("cut to the span", "; ".join(f"{name} {_edges(each)}" for name, each in vars(cut).items())))
    if summary.ignored is not None:
        lines.append(("ignored", str(summary.ignored)))
    lines += [("range score", headline(score)), ("model", str(score.model))]
    return lines


def rule_table(summary: AlertSummary) -> Table:
    """One row per rule."""
    rows = [
        (
            each.rule,
            *map(count_text, (each.alerts, each.false_alerts)),
            f"{each.precision:.2f}",
            count_text(each.found),
            length_text(each.median_time_to_detect),
            count_text(each.found_alone),
            *(f"{minutes:.1f}" for minutes in (each.minutes_of_noise, each.avoidable_noise)),
        )
        for each in summary.rules
    ]
    return Table(_RULE_HEADS, rows)


def length_text(length: timedelta | None) -> str:
    return "-" if length is None else duration_text(exact(length))


def _edges(clipping: Clipping) -> str:
    return f"{clipping.shortened:,} shortened, {clipping.removed:,} outside"
