"""``rangewise score``: how well do predicted anomalies meet the real ones?"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

import typer

from rangewise.cli import cluster, inputs, options, outputs
from rangewise.cli.json_numbers import finite
from rangewise.cli.limits import Annotate, Check, Junit, check_asked, check_values, read_limits, tell
from rangewise.cli.long_series import is_long, score_long
from rangewise.cli.printing import echo
from rangewise.model.explain import headline, row_dict
from rangewise.model.model import RangeModel
from rangewise.model.result import Score

_CHECKED = ("precision", "recall", "f")


def score(
    real: Annotated[
        str, typer.Argument(metavar="REAL", help="File of real anomalies, -, e.g. nab:FILE; or a table of many series.", show_default=False)
    ],
    predicted: Annotated[
        str | None,
        typer.Argument(metavar="PREDICTED", help="File of predicted anomalies; none for a table of many series.", show_default=False),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Explain every range.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(help="Exit with 1 on the wrong side of this, e.g. f=0.6; repeatable.", metavar="NAME=VALUE", show_default=False),
    ] = None,
    junit: Junit = None,
    annotate: Annotate = False,
    metric: inputs.MetricNames = None,
    family: inputs.FamilyName = None,
    file_format: inputs.FileFormat = None,
    column: inputs.Column = None,
    real_column: inputs.RealColumn = None,
    predicted_column: inputs.PredictedColumn = None,
    series: inputs.SeriesName = None,
    times: inputs.Times = None,
    outside: inputs.Outside = "error",
    end_included: inputs.EndIncluded = None,
    start_column: inputs.StartColumn = None,
    end_column: inputs.EndColumn = None,
    until: inputs.Until = None,
    step: inputs.Step = None,
    ignore: inputs.Ignore = None,
    close_gaps: inputs.CloseGaps = 0,
    preset: options.Preset = None,
    model: options.ModelText = None,
    alpha: options.Alpha = None,
    beta: options.Beta = None,
    bias: options.Bias = None,
    recall_bias: options.RecallBias = None,
    precision_bias: options.PrecisionBias = None,
    cardinality: options.Cardinality = None,
    recall_cardinality: options.RecallCardinality = None,
    precision_cardinality: options.PrecisionCardinality = None,
    precision_weight: options.PrecisionWeight = None,
    as_points: options.AsPoints = None,
    zero_division: options.ZeroDivision = None,
    scheduler: cluster.Scheduler = None,
    workers: cluster.Workers = None,
    force: outputs.Force = False,
) -> int:
    """Score predicted against real anomalies: precision, recall and F for ranges, or the metrics named with --metric.

    A file has one 0 or 1 a line, or is in any format of --format. A table of many series (CSV or Parquet) is given alone, with
    --series, --real and --predicted naming its columns: a row a series, and the totals; or a folder or a pattern of Parquet files, which
    --workers or the workers of a --scheduler share.
    """
    chosen = options.model_from(
        preset=preset, model=model, alpha=alpha, beta=beta, bias=bias, recall_bias=recall_bias, precision_bias=precision_bias,
        cardinality=cardinality, recall_cardinality=recall_cardinality, precision_cardinality=precision_cardinality,
        precision_weight=precision_weight, as_points=as_points, zero_division=zero_division,
    )  # fmt: skip
    check_asked(fail_under, junit, annotate)
    outputs.check_outputs([junit], [real, predicted, times, ignore], force=force)
    reading = inputs.Reading(
        file_format=file_format, column=column, real_column=real_column, predicted_column=predicted_column, series=series,
        times=times, outside=outside, end_included=end_included,
        start_column=start_column, end_column=end_column, until=until, step=step, ignore=ignore, close_gaps=close_gaps,
    )  # fmt: skip
    if predicted is None:
        if metric or family or explain:
            raise ValueError("--metric, --family and --explain are for two sides of one series; give REAL and PREDICTED")
        from rangewise.cli.many import print_many

        floors = read_limits(fail_under, _CHECKED)
        with cluster.cluster_client(scheduler, workers) as client:
            columns = {"series": series, "real": real_column, "predicted": predicted_column}
            pooled = print_many(real, chosen, reading, **columns, as_json=as_json, client=client)
        return tell(_checks(pooled, floors), "score", junit, annotate)
    if scheduler is not None or workers is not None:
        raise ValueError("--scheduler and --workers are for a table of many series; give it alone, with --series, --real and --predicted")
    if metric or family:
        if explain or chosen != RangeModel():
            raise ValueError(
                "--metric stands alone, and so does --family: --explain and the options of the model "
                "belong to the score without it; "
                "a metric's own options follow its name, e.g. --metric range_recall:bias=front"
            )
        return tell(_print_metrics(real, predicted, reading, metric, family, as_json, fail_under), "score", junit, annotate)
    floors = read_limits(fail_under, _CHECKED)
    plain = not (explain or close_gaps) and (file_format, series, times, ignore, step, start_column, end_column) == (None,) * 7
    if plain and is_long(real, predicted):
        found = score_long(real, predicted, chosen, (real_column or column, predicted_column or column))
    else:
        sides, length = reading.sides(real, predicted)
        found = chosen.score(*sides)
        if reading.ignored:
            found = replace(found, ignored=reading.ignored[-1])
        elif length is not None:
            found = replace(found, length=length)
    if as_json:
        echo(json.dumps(_as_dict(found, explain), allow_nan=False))
    else:
        echo(found.explain() if explain else headline(found))
        if found.ignored is not None and not explain:
            echo(f"ignored    {found.ignored}")
    return tell(_checks(found, floors), "score", junit, annotate)


def _print_metrics(
    real: str,
    predicted: str,
    reading: inputs.Reading,
    metrics: list[str] | None,
    family: str | None,
    as_json: bool,
    limits: list[str] | None,
) -> list[Check]:
    from rangewise.cli.detector_files import metric_values
    from rangewise.metrics.named import named_metrics

    named = named_metrics(metrics, family)
    floors = read_limits(limits, [one.text for one in named])
    values = {one.text: value for one, value in zip(named, metric_values(named, real, predicted, reading), strict=True)}
    if as_json:
        echo(json.dumps({name: finite(value) for name, value in values.items()} | reading.ignored_dict(), allow_nan=False))
    else:
        width = max(map(len, values))
        for name, value in values.items():
            echo(f"{name:{width}} {value:.4f}")
        for line in reading.ignored_lines():
            echo(line)
    return check_values(values, floors, {one.text: one.metric.better for one in named})


def _checks(found: Score, floors: list[tuple[str, float]]) -> list[Check]:
    return check_values({name: getattr(found, name) for name in _CHECKED}, floors)


def _as_dict(found: Score, rows: bool) -> dict[str, object]:
    result: dict[str, object] = {name: finite(getattr(found, name)) for name in _CHECKED}
    if found.marked is not None:
        result["marked"] = found.marked
    result["model"] = str(found.model)
    if found.ignored is not None:
        result["ignored"] = found.ignored.to_dict()
    if rows:
        for side in ("real", "predicted"):
            result[side] = [row_dict(row) for row in getattr(found, side)]
    return result
