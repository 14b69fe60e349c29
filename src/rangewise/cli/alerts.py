"""``rangewise alerts``: incidents against alerts, for operators."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from rangewise.cli import inputs, options, outputs, records
from rangewise.cli.limits import LIMITS_PANEL, Better, LimitReports, check_values, read_limits
from rangewise.cli.parameters import Only
from rangewise.files.times import TimeRanges
from rangewise.inputs.case import CaseOptions
from rangewise.inputs.instants import Instants, duration_text, exact, in_zone, read_instants, span_text
from rangewise.inputs.ranges import Ranges
from rangewise.number_text import count_text, share_text
from rangewise.operations.page import length_text, rule_table
from rangewise.operations.summary import AlertSummary, alert_summary
from rangewise.rankings.cases import read_detectors
from rangewise.reports.content import Overview
from rangewise.reports.entries import LETTERS
from rangewise.reports.page import SeriesInput, case_content, page_of
from rangewise.tables import Table, text_width

MOST_LANES = len(LETTERS) - 1
"""The most rules that get their own lane on the page, below the lane of all rules."""

# What --fail-under accepts, and which direction is better.
CHECKED: dict[str, Better] = {
    "found_share": "higher", "found": "higher", "missed": "lower", "false_alerts": "lower", "false_alerts_per_day": "lower",
    "median_time_to_detect": "lower", "p90_time_to_detect": "lower", "median_reset_time": "lower", "share_under_alert": "lower",
    "range_precision": "higher", "range_recall": "higher", "range_f": "higher",
}  # fmt: skip
_RENAMED = {
    "recall": "found_share for the share of incidents found, or range_recall for how much of them alerts cover",
    "precision": "range_precision for how much of the alerts is incident",
    "f": "range_f",
}


def alerts(
    incidents: Annotated[str, typer.Argument(metavar="INCIDENTS", help="File of incidents, with times.")],
    fired: Annotated[str, typer.Argument(metavar="ALERTS", help="File of alerts, with times.")],
    *,
    lead: Annotated[str, typer.Option(help="Alerts count for an incident up to this long before it, e.g. 5min.")] = "0s",
    by: Annotated[str | None, typer.Option(help="Print one row per value of this label, e.g. alertname.")] = None,
    warning_window: Annotated[
        str | None, typer.Option(help="Also evaluate early warning: 2h..10min counts alarms from 2h to 10min before the onset.")
    ] = None,
    cooldown: Annotated[str, typer.Option(help="With --warning-window: after an alarm, suppress others for this long.")] = "0s",
    chosen: records.RuleOptions,
    form: Annotated[outputs.PrintOptions, Only("json", "markdown")],
    plot: Annotated[Path | None, typer.Option(help="Draw a timeline to this PNG, SVG or PDF file.")] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write a self-contained HTML page to this file: the numbers, and a timeline with one lane per rule.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading of the HTML page.")] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Exit with code 1 if a value is worse, e.g. found_share=0.8; one of {', '.join(CHECKED)}.",
            metavar="NAME=VALUE",
            rich_help_panel=LIMITS_PANEL,
        ),
    ] = None,
    reports: LimitReports,
    files: Annotated[records.RecordOptions, Only(*records.BOTH_FILES, *inputs.IGNORE, "span", "resolution", "weights")],
    force: outputs.Force = False,
    model: Annotated[options.ModelFlags, Only("preset", "model")],
) -> int:
    """Evaluate alerts against incidents: found and missed incidents, delays, false alerts, and the value of each rule.

    Files are in any format with times: a table with a start and an end, Alertmanager, Prometheus, Grafana, PagerDuty, Opsgenie. Alerts are
    counted one by one; only the range score at the end joins overlapping alerts.
    """
    floors = read_limits(fail_under, CHECKED, _RENAMED)
    reports.check_asked(fail_under)
    outputs.check_picture(plot, "--plot")
    outputs.check_page(page, "--page")
    if page is not None and files.resolution is not None:
        raise ValueError("--resolution is for the range score in the terminal, but --page is exact to the nanosecond; leave one out")
    if title is not None and page is None:
        raise ValueError("--title is the heading of the HTML page: give --page FILE.html too")
    outputs.check_outputs([plot, page, reports.junit], [incidents, fired, files.ignore], force=force)
    real, raised, ignored = files.both(incidents, fired)
    watched = None if files.span is None else read_span(files.span, files.tz, real.zoned if real.zoned is not None else raised.zoned)
    bounds = None if watched is None else (int(watched.nanoseconds[0]), int(watched.nanoseconds[1]))
    raised, rules, always = records.prepared(real, raised, chosen, by=by, span=bounds, ignored=ignored)
    judge = model.chosen()
    summary = alert_summary(
        real.pairs(),
        raised.pairs(),
        lead=lead,
        by=None if by is None else rules,
        span=watched,
        model=judge,
        ignore=None if ignored is None else ignored.pairs(),
        weights=None if files.weights is None else records.weights_of(real, files.weights),
        resolution=files.resolution,
        tz=files.tz,
        keep_always_firing=True,
        warning_window=warning_window,
        cooldown=cooldown,
    )
    summary = replace(summary, always_firing=always)
    if page is not None:
        said: CaseOptions = {} if watched is None else {"span": watched}
        if ignored is not None:
            said["ignore"] = ignored.on_clock()
        lanes = _lanes(raised, None if by is None else rules)
        cases = read_detectors(real.on_clock(), lanes, None, said, needs_threshold=False)[""]
        heading = title or f"{Path(incidents).name} against {Path(fired).name}"
        with text_width(None):
            overview = overview_of(summary)
        page_of(case_content(SeriesInput(cases), model=judge, title=heading, baseline=False, overview=overview)).save(page)
    if plot is not None:
        outputs.save_picture(summary.plot(), plot)
    form.show(summary)
    return reports.write(check_values(_values(summary), floors, CHECKED, form=".6g"), "alerts")


def read_span(span: tuple[str, str], tz: str | None, zoned: bool | None) -> Instants:
    """First and last time. Without a time zone they are in --tz, or in UTC if the files have zones."""
    given = in_zone(read_instants(list(span), "--span"), tz or ("UTC" if zoned else None), lambda row: f"--span, time {row + 1}")
    if given.zoned and zoned is False:
        raise ValueError("--span has a time zone, but the times of the files have none; give their zone with --tz")
    if given.nanoseconds[1] <= given.nanoseconds[0]:
        raise ValueError(f"--span takes the first and the last time, in this order; got {' '.join(span)}")
    return given


def _lanes(alerts: TimeRanges, rules: list[str] | None) -> dict[str, Ranges]:
    """All alerts, then those of each rule (at most ``MOST_LANES``, by number of alerts). Overlapping alerts are joined."""
    if rules is None:
        return {"alerts": alerts.on_clock()}
    which, common = np.array(rules), [rule for rule, _ in Counter(rules).most_common(MOST_LANES)]
    lanes: dict[str, Ranges] = {
        _lane_name(rule): alerts.chosen(which == rule).on_clock() for rule in dict.fromkeys(rules) if rule in common
    }
    return {"all rules": alerts.on_clock(), **lanes}


def _lane_name(rule: str) -> str:
    return "(none)" if not rule.strip() else f"{rule} (rule)" if rule == "all rules" else rule


def overview_of(summary: AlertSummary) -> Overview:
    """The top of the page: the same numbers as the command prints."""
    tiles = [
        ("incidents found", f"{summary.found:,} of {summary.incidents:,}"),
        ("incidents missed", f"{summary.missed:,}"),
        ("median time to detect", length_text(summary.median_time_to_detect)),
        ("90 % detected within", length_text(summary.p90_time_to_detect)),
        ("false alerts a day", f"{summary.false_alerts_per_day:.2f}"),
        ("of the time under alert", share_text(summary.share_under_alert)),
    ]
    table = rule_table(summary) if summary.rules else Table([], [])
    rules = len(summary.rules)
    notes = [f"The {MOST_LANES} rules with the most alerts have a lane; the table has all {rules:,} rules."] if rules > MOST_LANES else []
    return Overview(
        subtitle=span_text(*summary.span, summary.zone),
        tiles=tiles,
        headline=[alert_headline(summary)],
        columns=table.columns,
        rows=[[str(text) for text in row] for row in table.rows],
        notes=notes,
        lead=exact(summary.lead),
        zone=summary.zone,
        text=str(summary),
    )


def alert_headline(summary: AlertSummary) -> str:
    """The main result, such as "Of 3 incidents, alerts found 2 and missed 1; of 5 alerts, 2 were false." """
    incidents = count_text(summary.incidents, "incident")
    lead = f" (or fired up to {duration_text(exact(summary.lead))} before)" if summary.lead else ""
    heard = "There were no incidents"
    if summary.incidents:
        heard = f"Of {incidents}, alerts found {summary.found:,}{lead} and missed {summary.missed:,}"
    fired = f"of {count_text(summary.alerts, 'alert')}, {summary.false_alerts:,} {'was' if summary.false_alerts == 1 else 'were'} false"
    missed = f" The longest missed: {'; '.join(summary.worst_missed)}." if summary.worst_missed else ""
    return f"{heard}; {fired}.{missed}" if summary.alerts else f"{heard}; no alert fired.{missed}"


def _values(summary: AlertSummary) -> dict[str, float | None]:
    content = summary.to_dict()
    return {name: content["score"][name.removeprefix("range_")] if name.startswith("range_") else content[name] for name in CHECKED}
