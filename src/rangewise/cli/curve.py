"""``rangewise curve``: every threshold of a detector's scores."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from rangewise.cli import inputs, options
from rangewise.curve import Curve
from rangewise.datasets.writing import written_whole
from rangewise.model.explain import headline

_PICTURES = (".png", ".svg", ".pdf")


def curve(
    real: Annotated[
        str, typer.Argument(metavar="REAL", help="File of real anomalies, - for standard input, or e.g. nab:FILE.", show_default=False)
    ],
    scores: Annotated[str, typer.Argument(metavar="SCORES", help="File of scores, one number a line or a table.", show_default=False)],
    explain: Annotated[bool, typer.Option("--explain", help="Explain every range at the best threshold.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write the whole curve to this CSV file.", show_default=False)] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the curve to this PNG, SVG or PDF file.", show_default=False)] = None,
    file_format: inputs.FileFormat = None,
    column: inputs.Column = None,
    real_column: inputs.RealColumn = None,
    scores_column: inputs.ScoresColumn = None,
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
) -> None:
    """Precision, recall and F at every threshold of a detector's scores: the best threshold and the average precision."""
    chosen = options.model_from(
        preset=preset, model=model, alpha=alpha, beta=beta, bias=bias, recall_bias=recall_bias, precision_bias=precision_bias,
        cardinality=cardinality, recall_cardinality=recall_cardinality, precision_cardinality=precision_cardinality,
        as_points=as_points, zero_division=zero_division,
    )  # fmt: skip
    if plot is not None and plot.suffix.lower() not in _PICTURES:
        raise ValueError(f"--plot takes a name that ends in {', '.join(_PICTURES)}; got {plot}")
    reading = inputs.Reading(
        file_format=file_format, column=column, real_column=real_column, predicted_column=scores_column, series=series,
        times=times, outside=outside, end_included=end_included,
    )  # fmt: skip
    found = chosen.curve(*reading.real_and_scores(real, scores))
    if csv is not None:
        with written_whole(csv) as part:
            part.write_text(_csv_text(found))
    if plot is not None:
        with written_whole(plot) as part:
            found.plot().savefig(part, dpi=150)
    typer.echo(json.dumps(_as_dict(found), allow_nan=False) if as_json else _text(found, explain))


def _text(found: Curve, explain: bool) -> str:
    best = found.best()
    lines = [
        f"thresholds         {len(found):,} distinct scores",
        f"average precision  {found.average_precision:.4f}",
        f"best threshold     {best.threshold:.10g}",
        f"  there            {headline(best.score)}",
    ]
    return "\n".join([*lines, "", best.score.explain()] if explain else lines)


def _as_dict(found: Curve) -> dict[str, object]:
    best = found.best()
    values = {
        "thresholds": len(found),
        "average_precision": found.average_precision,
        "best_threshold": best.threshold,
        "precision": best.score.precision,
        "recall": best.score.recall,
        "f": best.score.f,
    }
    # JSON knows neither nan nor infinity.
    return {name: value if math.isfinite(value) else None for name, value in values.items()} | {"model": str(found.model)}


def _csv_text(found: Curve) -> str:
    rows = zip(found.thresholds.tolist(), found.precision.tolist(), found.recall.tolist(), found.f.tolist(), strict=True)
    return "\n".join(["threshold,precision,recall,f", *(",".join(map(repr, row)) for row in rows), ""])
