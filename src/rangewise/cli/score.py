"""``rangewise score``: how well do predicted labels meet the real ones?"""

from __future__ import annotations

import json
import math
import sys
from typing import Annotated

import typer

from rangewise.cli import inputs, options
from rangewise.datasets.formats import read_sides
from rangewise.model.explain import headline
from rangewise.model.score import Score

_CHECKED = ("precision", "recall", "f")


def score(
    real: Annotated[str, typer.Argument(help="File of real anomalies, - for standard input, or e.g. nab:FILE.", show_default=False)],
    predicted: Annotated[str, typer.Argument(help="File of predicted anomalies, or the like.", show_default=False)],
    explain: Annotated[bool, typer.Option("--explain", help="Explain every range.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    fail_under: Annotated[
        list[str] | None, typer.Option(help="Exit with 1 below this, e.g. f=0.6; repeatable.", metavar="NAME=VALUE", show_default=False)
    ] = None,
    file_format: inputs.FileFormat = None,
    column: inputs.Column = None,
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
    """Score predicted against real anomalies: precision, recall and F for ranges.

    A file has one 0 or 1 a line, or is in any format of --format.
    """
    chosen = options.model_from(
        preset=preset, model=model, alpha=alpha, beta=beta, bias=bias, recall_bias=recall_bias, precision_bias=precision_bias,
        cardinality=cardinality, recall_cardinality=recall_cardinality, precision_cardinality=precision_cardinality,
        as_points=as_points, zero_division=zero_division,
    )  # fmt: skip
    floors = [_floor(text) for text in fail_under or ()]
    sides = read_sides(
        real, predicted, times=times, outside=inputs.checked_outside(outside),
        format=file_format, column=column, series=series, end_included=end_included,
    )  # fmt: skip
    found = chosen.score(*sides)
    if as_json:
        typer.echo(json.dumps(_as_dict(found, explain), allow_nan=False))
    else:
        typer.echo(found.explain() if explain else headline(found))
    return _check(found, floors)


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
            table = getattr(found, side).columns()
            del table["centre"]
            names = list(table)
            result[side] = [
                dict(zip(names, values, strict=True)) for values in zip(*(column.tolist() for column in table.values()), strict=True)
            ]
    return result
