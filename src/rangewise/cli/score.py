"""``rangewise score``: how well do predicted anomalies meet the real ones?"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from rangewise.cli import inputs, options
from rangewise.cli.many import print_many
from rangewise.cli.named import MetricNames, finite, metric_values, named_metrics
from rangewise.model.explain import headline
from rangewise.model.model import RangeModel
from rangewise.model.score import Score

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
        list[str] | None, typer.Option(help="Exit with 1 below this, e.g. f=0.6; repeatable.", metavar="NAME=VALUE", show_default=False)
    ] = None,
    metric: MetricNames = None,
    file_format: inputs.FileFormat = None,
    column: inputs.Column = None,
    real_column: inputs.RealColumn = None,
    predicted_column: inputs.PredictedColumn = None,
    series: inputs.SeriesName = None,
    times: inputs.Times = None,
    outside: inputs.Outside = "error",
    end_included: inputs.EndIncluded = None,
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
    as_points: options.AsPoints = None,
    zero_division: options.ZeroDivision = None,
) -> int:
    """Score predicted against real anomalies: precision, recall and F for ranges, or the metrics named with --metric.

    A file has one 0 or 1 a line, or is in any format of --format. A table of many series (CSV or Parquet) is given alone, with
    --series, --real and --predicted naming its columns: a row a series, and the totals.
    """
    chosen = options.model_from(
        preset=preset, model=model, alpha=alpha, beta=beta, bias=bias, recall_bias=recall_bias, precision_bias=precision_bias,
        cardinality=cardinality, recall_cardinality=recall_cardinality, precision_cardinality=precision_cardinality,
        as_points=as_points, zero_division=zero_division,
    )  # fmt: skip
    floors = [_floor(text) for text in fail_under or ()]
    if predicted is None:
        if metric or explain:
            raise ValueError("--metric and --explain are for two sides of one series; give REAL and PREDICTED")
        pooled = print_many(real, chosen, series=series, real=real_column, predicted=predicted_column, as_json=as_json)
        return _check(pooled, floors)
    reading = inputs.Reading(
        file_format=file_format, column=column, real_column=real_column, predicted_column=predicted_column, series=series,
        times=times, outside=outside, end_included=end_included,
    )  # fmt: skip
    if metric:
        if explain or fail_under or chosen != RangeModel():
            raise ValueError(
                "--metric stands alone: --explain, --fail-under and the options of the model belong to the score without it; "
                "a metric's own options follow its name, e.g. --metric range_recall:bias=front"
            )
        _print_metrics(real, predicted, reading, metric, as_json)
        return 0
    sides, _ = reading.sides(real, predicted)
    found = chosen.score(*sides)
    if as_json:
        typer.echo(json.dumps(_as_dict(found, explain), allow_nan=False))
    else:
        typer.echo(found.explain() if explain else headline(found))
    return _check(found, floors)


def _print_metrics(real: str, predicted: str, reading: inputs.Reading, names: list[str], as_json: bool) -> None:
    named = named_metrics(names)
    values = {one.text: value for one, value in zip(named, metric_values(named, real, predicted, reading), strict=True)}
    if as_json:
        typer.echo(json.dumps({name: finite(value) for name, value in values.items()}, allow_nan=False))
        return
    width = max(map(len, values))
    for name, value in values.items():
        typer.echo(f"{name:{width}} {value:.4f}")


def _floor(text: str) -> tuple[str, float]:
    name, separator, value = text.partition("=")
    if name not in _CHECKED or not separator:
        raise ValueError(f"--fail-under takes NAME=VALUE with a name of {', '.join(_CHECKED)}; got {text!r}")
    try:
        floor = float(value)
    except ValueError:
        floor = math.nan
    if math.isnan(floor):
        raise ValueError(f"--fail-under {name} takes a number; got {value!r}")
    return name, floor


def _check(found: Score, floors: list[tuple[str, float]]) -> int:
    code = 0
    for name, floor in floors:
        value = getattr(found, name)
        if not value >= floor:
            print(f"rangewise: {name} is {value:.4f}, below {floor:g}", file=sys.stderr)
            code = 1
    return code


def _as_dict(found: Score, rows: bool) -> dict[str, object]:
    result: dict[str, object] = {name: finite(getattr(found, name)) for name in _CHECKED}
    result["model"] = str(found.model)
    if rows:
        for side in ("real", "predicted"):
            # Only `centre` can be nan, where nothing is covered.
            result[side] = [asdict(row) | {"centre": row.centre if row.existence else None} for row in getattr(found, side)]
    return result
