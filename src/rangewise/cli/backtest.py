"""``rangewise backtest``: choose the threshold of an alert rule from past incidents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rangewise.cli import inputs, outputs, records
from rangewise.cli.parameters import Only, number_or_text
from rangewise.cli.printing import echo, print_data
from rangewise.files.source import STANDARD_INPUT
from rangewise.files.writing import write_whole
from rangewise.inputs.instants import duration_text, in_zone, read_instants, zoned_text
from rangewise.operations.backtest import backtest as run_backtest
from rangewise.operations.metric_values import read_metric_values
from rangewise.operations.records import check_same_zones
from rangewise.operations.rule import OPS

_PANEL = "Rule"


def backtest(
    incidents: Annotated[str, typer.Argument(metavar="INCIDENTS", help="File of incidents, with times.")],
    values: Annotated[str, typer.Argument(metavar="VALUES", help="Values of the metric: a Prometheus range query, CSV or Parquet.")],
    *,
    for_: Annotated[str, typer.Option("--for", help="Values of `for` to try, e.g. 0,5m,15m.", rich_help_panel=_PANEL)] = "0",
    keep_firing_for: Annotated[str, typer.Option(help="Values of `keep_firing_for` to try, e.g. 0,10m.", rich_help_panel=_PANEL)] = "0",
    op: Annotated[str, typer.Option(help=f"Comparison of a value with the threshold: {', '.join(OPS)}.", rich_help_panel=_PANEL)] = ">",
    interval: Annotated[
        str | None, typer.Option(help="Time between evaluations of the rule. Default: the time between samples.", rich_help_panel=_PANEL)
    ] = None,
    lookback: Annotated[
        str | None, typer.Option(help="Maximum age of a sample at an evaluation. Default 5min.", rich_help_panel=_PANEL)
    ] = None,
    label_sets: Annotated[
        str, typer.Option(help="With several label sets: largest (one alert if any fires) or each.", rich_help_panel=_PANEL)
    ] = "largest",
    at_most: Annotated[
        str | None, typer.Option(help="Maximum rate of false alerts of the best rule, e.g. 1/week; a number is per day. Default 1/day.")
    ] = None,
    detect_within: Annotated[str | None, typer.Option(help="Maximum median time to detect of the best rule, e.g. 5min.")] = None,
    max_alert_rate: Annotated[
        float | None, typer.Option(help="Maximum share of the time that a rule may fire. Default: 0.2 or more.")
    ] = None,
    lead: Annotated[str, typer.Option(help="Alerts count for an incident up to this long before it, e.g. 5min.")] = "0s",
    holdout: Annotated[
        str | None,
        typer.Option(help="Hold out the last share of the time, e.g. 0.3, or everything after a time, to evaluate the best rule."),
    ] = None,
    rule_yaml: Annotated[
        str | None, typer.Option(help="Write the best rule as Prometheus YAML to this file; - prints it.", metavar="FILE")
    ] = None,
    expr: Annotated[str | None, typer.Option(help="PromQL expression of the values, for --rule-yaml. Default: their name.")] = None,
    alert_name: Annotated[str, typer.Option(help="The name of the alert, for --rule-yaml.")] = "RangewiseBacktest",
    form: Annotated[outputs.PrintOptions, Only("json", "markdown")],
    plot: Annotated[
        Path | None, typer.Option(help="Plot found incidents against false alerts per day to this PNG, SVG or PDF file.")
    ] = None,
    files: Annotated[records.RecordOptions, Only("incidents_format", "start_column", "end_column", "until", "tz", *inputs.IGNORE)],
    time_column: Annotated[str | None, typer.Option(help="The column with the times of the values.", rich_help_panel="Files")] = None,
    value_column: Annotated[
        list[str] | None, typer.Option(help="A column of values; repeatable. Default: all numeric columns.", rich_help_panel="Files")
    ] = None,
    force: outputs.Force = False,
) -> int:
    """Choose the threshold of an alert rule: backtest every threshold of a Prometheus rule against past incidents.

    For each `for` and `keep_firing_for`, every threshold is tried exactly as Prometheus would evaluate it. The result lists the rules that
    no other rule beats, the best one within --at-most and --detect-within, its effect on each incident, and the rule as YAML.
    """
    outputs.check_picture(plot, "--plot")
    printed = rule_yaml == STANDARD_INPUT
    target = None if rule_yaml is None or printed else Path(rule_yaml)
    if printed and form != outputs.PrintOptions():
        raise ValueError(
            "--rule-yaml - prints the rule instead of the result, so --json and --markdown have no effect; give --rule-yaml a FILE"
        )
    outputs.check_outputs([plot, target], [incidents, values, files.ignore], force=force)
    for option, given in (("--expr", expr is not None), ("--alert-name", alert_name != "RangewiseBacktest")):
        if given and rule_yaml is None:
            raise ValueError(f"{option} is for --rule-yaml; give --rule-yaml FILE too")
    inputs.check_one_standard_input(*(path for path in (incidents, values, files.ignore) if path is not None))
    real = files.incidents(incidents)
    metric = read_metric_values(values, time_column=time_column, value_columns=value_column or (), tz=files.tz)
    ignored = files.ignored()
    files.check_used()
    check_same_zones([*((each.name, each.zoned) for each in (real, ignored) if each is not None), (metric.name, metric.zoned)])
    result = run_backtest(
        real.pairs(),
        metric.by_name(),
        times=metric.moments(),
        for_=_listed(for_),
        keep_firing_for=_listed(keep_firing_for),
        op=op,
        interval=interval,
        lookback=lookback,
        label_sets=label_sets,  # type: ignore[arg-type]  # checked where it is used
        at_most=None if at_most is None else number_or_text(at_most),
        detect_within=detect_within,
        max_alert_rate=max_alert_rate,
        lead=lead,
        ignore=None if ignored is None else ignored.pairs(),
        holdout=None if holdout is None else _holdout(holdout, files.tz or ("UTC" if metric.zoned else None)),
        tz=files.tz,
    )
    content = None if rule_yaml is None else result.rule_yaml(expr=expr, alert=alert_name)
    if target is not None and content is not None:
        write_whole(target, content)
    if plot is not None:
        outputs.save_picture(result.plot().figure, plot)
    if printed and content is not None:
        print_data(content, nl=False)
        return 0
    form.show(result)
    if target is not None:
        echo(f"rangewise: wrote {target}, evaluated every {duration_text(result.steps.interval)}", err=True)
    return 0


def _holdout(text: str, tz: str | None) -> float | str:
    """A share, or a time; without a zone, it is in ``tz``, or in UTC if the values have a zone."""
    given = number_or_text(text)
    if tz is None or isinstance(given, float):
        return given
    instants = in_zone(read_instants([text], "--holdout"), tz, lambda _: "--holdout")
    return zoned_text(instants.times[0], tz)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
