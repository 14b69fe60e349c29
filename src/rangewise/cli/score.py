"""``rangewise score``: how well do predicted labels meet the real ones?"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from rangewise.cli import options
from rangewise.cli.named import MetricNames, finite, named_metrics, read_predicted
from rangewise.datasets.labels import STANDARD_INPUT, read_labels
from rangewise.model.explain import headline
from rangewise.model.model import RangeModel
from rangewise.model.score import Score

_CHECKED = ("precision", "recall", "f")


def score(
    real: Annotated[str, typer.Argument(help="File of real labels, or - for standard input.", show_default=False)],
    predicted: Annotated[str, typer.Argument(help="File of predicted labels, or - for standard input.", show_default=False)],
    column: Annotated[str | None, typer.Option(help="Read this column of CSV files, for both sides.", show_default=False)] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Explain every range.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    fail_under: Annotated[
        list[str] | None, typer.Option(help="Exit with 1 below this, e.g. f=0.6; repeatable.", metavar="NAME=VALUE", show_default=False)
    ] = None,
    metric: MetricNames = None,
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
    """Score predicted against real labels: precision, recall and F for ranges, or the metrics named with --metric.

    A label file has one 0 or 1 a line.
    """
    chosen = options.model_from(
        preset=preset, model=model, alpha=alpha, beta=beta, bias=bias, recall_bias=recall_bias, precision_bias=precision_bias,
        cardinality=cardinality, recall_cardinality=recall_cardinality, precision_cardinality=precision_cardinality,
        as_points=as_points, zero_division=zero_division,
    )  # fmt: skip
    if real == predicted == STANDARD_INPUT:
        raise ValueError("only one of REAL and PREDICTED can be standard input")
    if metric:
        if explain or fail_under or chosen != RangeModel():
            raise ValueError(
                "--metric stands alone: --explain, --fail-under and the options of the model belong to the score without it; "
                "a metric's own options follow its name, e.g. --metric range_recall:bias=front"
            )
        _print_metrics(real, predicted, column, metric, as_json)
        return 0
    floors = [_floor(text) for text in fail_under or ()]
    found = chosen.score(read_labels(real, column), read_labels(predicted, column))
    if as_json:
        typer.echo(json.dumps(_as_dict(found, explain), allow_nan=False))
    else:
        typer.echo(found.explain() if explain else headline(found))
    return _check(found, floors)


def _print_metrics(real: str, predicted: str, column: str | None, names: list[str], as_json: bool) -> None:
    named = named_metrics(names)
    labels, side = read_labels(real, column), read_predicted(predicted, column, named)
    values = {metric.text: metric.value(labels, side) for metric in named}
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
    """Nothing in JSON stands for nan but null."""
    result: dict[str, object] = {name: None if math.isnan(value := getattr(found, name)) else value for name in _CHECKED}
    result["model"] = str(found.model)
    if rows:
        for side in ("real", "predicted"):
            # Only `centre` can be nan, where nothing is covered.
            result[side] = [asdict(row) | {"centre": row.centre if row.existence else None} for row in getattr(found, side)]
    return result
