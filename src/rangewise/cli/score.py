"""``rangewise score``: score predicted against real anomalies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rangewise.cli import cluster, inputs, options, outputs
from rangewise.cli.limits import LIMITS_PANEL, LimitCheck, LimitReports, check_values, read_limits
from rangewise.cli.long_series import is_long, score_long
from rangewise.cli.printing import echo, print_json
from rangewise.inputs.case import Case
from rangewise.model.explain import headline
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.number_text import score_text

_CHECKED = ("precision", "recall", "f")


def score(
    real: Annotated[
        str, typer.Argument(metavar="REAL", help="File of real anomalies, - for standard input, e.g. nab:FILE, or a table of many series.")
    ],
    predicted: Annotated[
        str | None, typer.Argument(metavar="PREDICTED", help="File of predicted anomalies; none for a table of many series.")
    ] = None,
    *,
    explain: Annotated[bool, typer.Option("--explain", help="Explain every range.")] = False,
    as_json: outputs.AsJson = False,
    out: Annotated[
        Path | None, typer.Option(help="For a table of many series: write one row per series to this CSV or Parquet file.", metavar="FILE")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="For a file of scores: predict the rows whose score is at least this; see also `rangewise curve`.")
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with code 1 if a value is worse than this, e.g. f=0.6; repeatable.",
            metavar="NAME=VALUE",
            rich_help_panel=LIMITS_PANEL,
        ),
    ] = None,
    reports: LimitReports,
    metric: inputs.MetricNames = None,
    family: inputs.FamilyName = None,
    files: inputs.FileOptions,
    model: options.ModelFlags,
    workers: cluster.ClusterOptions,
    force: outputs.Force = False,
) -> int:
    """Score predicted against real anomalies: precision, recall and F for ranges, or the metrics named with --metric.

    A file has one label per line, 0 or 1, or any format of --format. Give a table of many series (CSV or Parquet) alone and name its
    columns with --series (several: region,host), --real and --predicted: the output has one row per series and the totals. A folder or a
    pattern of Parquet files can be scored in parallel with --workers or --scheduler.
    """
    chosen = model.chosen()
    reports.check_asked(fail_under)
    outputs.check_table_file(out)
    outputs.check_outputs([reports.junit, out], [real, predicted, files.times, files.ignore], force=force)
    if predicted is None:
        if threshold is not None:
            raise ValueError("--threshold is for one series; for a table of many series, use rangewise curve --threshold")
        return reports.write(_score_table(real, chosen, files, metric, family, explain, as_json, out, fail_under, workers), "score")
    if out is not None:
        raise ValueError("--out writes one row per series of a table of many series; give it alone, with --series, --real and --predicted")
    if workers != cluster.ClusterOptions():
        raise ValueError("--scheduler and --workers are for a table of many series; give it alone, with --series, --real and --predicted")
    if metric or family:
        if explain or chosen != RangeModel():
            raise ValueError(
                "--explain and the options of the model cannot be combined with --metric and --family; "
                "a metric's own options follow its name, e.g. --metric range_recall:bias=front"
            )
        return reports.write(_print_metrics(real, predicted, files, metric, family, threshold, as_json, fail_under), "score")
    floors = read_limits(fail_under, _CHECKED, beta=chosen.beta)
    if not explain and threshold is None and files.names_columns_only and is_long(real, predicted):
        result = score_long(real, predicted, chosen, (files.real_column or files.column, files.predicted_column or files.column))
    else:
        case = files.case(real, predicted) if threshold is None else _at_threshold(files, real, predicted, threshold)
        files.check_used()
        result = chosen.score(case)
    if as_json:
        print_json(result.to_dict(explain=explain))
    else:
        echo(result.explain() if explain else headline(result))
        if result.ignored is not None and not explain:
            echo(f"ignored    {result.ignored}")
    return reports.write(_checks(result, floors), "score")


def _score_table(
    table: str,
    model: RangeModel,
    files: inputs.FileOptions,
    metrics: list[str] | None,
    family: str | None,
    explain: bool,
    as_json: bool,
    out: Path | None,
    fail_under: list[str] | None,
    workers: cluster.ClusterOptions,
) -> list[LimitCheck]:
    """Score a table of many series."""
    if explain:
        raise ValueError("--explain is for one series; give REAL and PREDICTED")
    from rangewise.cli.many import print_many, print_metrics

    if not metrics and not family:
        floors = read_limits(fail_under, _CHECKED, beta=model.beta)
        with cluster.cluster_client(workers) as client:
            return _checks(print_many(table, model, files, as_json=as_json, out=out, client=client), floors)
    if model != RangeModel() or workers != cluster.ClusterOptions():
        raise ValueError("--metric and --family cannot be combined with the options of the model, --scheduler and --workers")
    from rangewise.metrics.evaluate import named_metrics

    named = named_metrics(metrics, family)
    floors = read_limits(fail_under, [one.text for one in named])
    means = print_metrics(table, named, files, as_json=as_json, out=out)
    return check_values(means, floors, {one.text: one.metric.better for one in named})


def _print_metrics(
    real: str,
    predicted: str,
    files: inputs.FileOptions,
    metrics: list[str] | None,
    family: str | None,
    threshold: float | None,
    as_json: bool,
    limits: list[str] | None,
) -> list[LimitCheck]:
    from rangewise.metrics.evaluate import evaluate, named_metrics

    named = named_metrics(metrics, family)
    floors = read_limits(limits, [one.text for one in named])
    if threshold is None:
        case = files.metric_case(named, real, predicted)
    else:
        from rangewise.cli.threshold_options import check_predictions_used

        check_predictions_used(named)
        case = _at_threshold(files, real, predicted, threshold)
    files.check_used()
    values = dict(zip((one.text for one in named), evaluate([case], named)[0].tolist(), strict=True))
    if as_json:
        print_json(values | inputs.ignored_dict(case.clipping))
    else:
        width = max(map(len, values))
        for name, value in values.items():
            echo(f"{name:{width}} {score_text(value)}")
        for line in inputs.ignored_lines(case.clipping):
            echo(line)
    return check_values(values, floors, {one.text: one.metric.better for one in named})


def _at_threshold(files: inputs.FileOptions, real: str, scores: str, threshold: float) -> Case:
    """The case of a file of scores with its prediction at a threshold."""
    case = files.detector_case(real, scores)
    if case.scores is None:
        raise ValueError(f"--threshold turns scores into predictions, but {scores} has no scores; leave it out")
    return case.at(threshold)


def _checks(scored: Score, floors: list[tuple[str, float]]) -> list[LimitCheck]:
    return check_values({name: getattr(scored, name) for name in _CHECKED}, floors)
