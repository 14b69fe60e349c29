"""``rangewise alerts``: incidents against alerts, the page an operator wants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rangewise.alerts.summary import AlertSummary, alert_summary
from rangewise.cli import inputs, options, outputs
from rangewise.cli.limits import LIMITS_PANEL, Better, LimitReports, check_values, read_limits
from rangewise.cli.parameters import Only
from rangewise.cli.printing import echo
from rangewise.datasets.arguments import read_marks
from rangewise.files.times import TimeRanges
from rangewise.inputs.case import CaseOptions
from rangewise.inputs.ranges import Ranges
from rangewise.reports.page import report

# What --fail-under takes, with the direction in which it fails.
_CHECKED: dict[str, Better] = {
    "precision": "higher", "recall": "higher", "f": "higher", "found": "higher", "missed": "lower", "false_alerts": "lower",
    "false_alerts_per_day": "lower", "median_time_to_detect": "lower", "share_under_alert": "lower",
}  # fmt: skip


def alerts(
    incidents: Annotated[str, typer.Argument(metavar="INCIDENTS", help="File of incidents, with times.", show_default=False)],
    fired: Annotated[str, typer.Argument(metavar="ALERTS", help="File of alerts, with times.", show_default=False)],
    *,
    lead: Annotated[str, typer.Option(help="How long before an incident an alert counts for it, e.g. 5min.")] = "0s",
    by: Annotated[str | None, typer.Option(help="A row for each value of this label, e.g. alertname.", show_default=False)] = None,
    span: Annotated[
        tuple[str, str] | None, typer.Option(help="First and last time of the watch. Default: of the files.", show_default=False)
    ] = None,
    form: Annotated[outputs.PrintOptions, Only("json", "markdown")],
    plot: Annotated[Path | None, typer.Option(help="Draw a timeline to this PNG, SVG or PDF file.", show_default=False)] = None,
    page: Annotated[
        Path | None,
        typer.Option(help="Write the page of `rangewise report` to this HTML file, a lane for each rule with --by.", show_default=False),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Exit with 1 when worse, e.g. recall=0.6; of {', '.join(_CHECKED)}.",
            metavar="NAME=VALUE",
            rich_help_panel=LIMITS_PANEL,
            show_default=False,
        ),
    ] = None,
    reports: LimitReports,
    files: Annotated[
        inputs.FileOptions, Only("file_format", "real_format", "predicted_format", "start_column", "end_column", "until", *inputs.IGNORE)
    ],
    force: outputs.Force = False,
    model: Annotated[options.ModelOptions, Only("preset", "model")],
) -> int:
    """How good are alerts? Incidents found and missed, how late, how noisy, and what each rule is worth.

    Files are in any format with times: a table with a start and an end, Alertmanager, Prometheus, Grafana. Alerts are counted one by one,
    and joined where they overlap only for the range score at the end.
    """
    floors = read_limits(fail_under, _CHECKED)
    reports.check_asked(fail_under)
    outputs.check_picture(plot, "--plot")
    if page is not None and page.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--page takes a name that ends in .html; got {page}")
    outputs.check_outputs([plot, page, reports.junit], [incidents, fired, files.ignore], force=force)
    inputs.check_one_standard_input(incidents, fired)
    sides = [_read(incidents, files.real_choices), _read(fired, files.predicted_choices)]
    ignored = None if files.ignore is None else _read(files.ignore, files.ignore_choices)
    watch = None if span is None else (span[0].removesuffix("Z"), span[1].removesuffix("Z"))
    rules = None if by is None else _rules(sides[1], by)
    judge = model.chosen()
    found = alert_summary(
        sides[0].pairs(),
        sides[1].pairs(),
        lead=lead,
        by=rules,
        span=watch,
        model=judge,
        ignore=None if ignored is None else ignored.pairs(),
    )
    if page is not None:
        lanes = {Path(fired).stem: sides[1].on_clock()} if rules is None else _lanes(sides[1], rules)
        said: CaseOptions = {} if watch is None else {"span": watch}
        if ignored is not None:
            said["ignore"] = ignored.on_clock()
        report(sides[0].on_clock(), lanes, model=judge, title=f"{Path(incidents).name} against {Path(fired).name}", **said).save(page)
    if plot is not None:
        outputs.save_picture(found.plot(), plot)
    echo(json.dumps(found.to_dict(), allow_nan=False) if form.json else form.text_of(found) or str(found))
    return reports.tell(check_values(_values(found), floors, _CHECKED, form=".6g"), "alerts")


def _read(path: str, choices: dict[str, Any]) -> TimeRanges:
    marks = read_marks(path, **choices)
    if not isinstance(marks.ranges, TimeRanges):
        raise ValueError(f"{marks.name} gives rows; incidents and alerts are times (rows are scored with `rangewise score`)")
    marks.ranges.on_clock()  # complains of what is still open
    return marks.ranges


def _rules(alerts: TimeRanges, by: str) -> list[str]:
    labels = alerts.labels or ()
    if not any(by in each for each in labels):
        known = sorted({name for each in labels for name in each})
        raise ValueError(f"{alerts.name} has no label or column {by!r}; it has {', '.join(known) or 'none'}")
    return [each.get(by, "") for each in labels]


def _lanes(alerts: TimeRanges, rules: list[str]) -> dict[str, Ranges]:
    """The alerts of each rule, joined where they overlap."""
    which = np.array(rules)
    return {
        rule or "(none)": TimeRanges(alerts.firsts[which == rule], alerts.lasts[which == rule], alerts.name).on_clock()
        for rule in dict.fromkeys(rules)
    }


def _values(found: AlertSummary) -> dict[str, float | None]:
    told = found.to_dict()
    return {name: told["score"][name] if name in ("precision", "recall", "f") else told[name] for name in _CHECKED}
