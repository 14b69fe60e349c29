"""``rangewise curve``: every threshold of a detector's scores."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rangewise.cli import inputs, options, outputs
from rangewise.cli.notes import warnings_as_notes
from rangewise.cli.printing import echo
from rangewise.curve import Curve, Threshold
from rangewise.files.writing import written_whole
from rangewise.model.explain import headline, share_text

if TYPE_CHECKING:
    from rangewise.many import PooledCurve


def curve(
    real: Annotated[
        str, typer.Argument(metavar="REAL", help="File of real anomalies, - for standard input, or e.g. nab:FILE.", show_default=False)
    ],
    scores: Annotated[
        str | None,
        typer.Argument(metavar="SCORES", help="File of scores, or a table; none for a table of many series.", show_default=False),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Explain every range at the threshold.")] = False,
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
    start_column: inputs.StartColumn = None,
    end_column: inputs.EndColumn = None,
    until: inputs.Until = None,
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
    at: Annotated[float | None, typer.Option("--at", help="Score this one threshold instead of the best.", show_default=False)] = None,
    most_marked: Annotated[
        float | None,
        typer.Option(help="Search only thresholds that mark at most this share of all points, e.g. 0.2.", show_default=False),
    ] = None,
    force: outputs.Force = False,
) -> None:
    """Precision, recall and F at every threshold of a detector's scores: the best threshold and the average precision."""
    chosen = options.model_from(
        preset=preset, model=model, alpha=alpha, beta=beta, bias=bias, recall_bias=recall_bias, precision_bias=precision_bias,
        cardinality=cardinality, recall_cardinality=recall_cardinality, precision_cardinality=precision_cardinality,
        precision_weight=precision_weight, as_points=as_points, zero_division=zero_division,
    )  # fmt: skip
    outputs.check_picture(plot, "--plot")
    reading = inputs.Reading(
        file_format=file_format, column=column, real_column=real_column, predicted_column=scores_column, series=series,
        times=times, outside=outside, end_included=end_included,
        start_column=start_column, end_column=end_column, until=until, ignore=ignore, close_gaps=close_gaps,
    )  # fmt: skip
    if at is not None and most_marked is not None:
        raise ValueError("--at names the threshold, so there is nothing for --most-marked to search; leave one out")
    outputs.check_outputs([csv, plot], [real, scores, *reading.files()], force=force)
    if scores is None:
        if explain or plot is not None or most_marked is not None:
            raise ValueError("--explain, --plot and --most-marked are for one series; give REAL and SCORES")
        from rangewise.cli.pooled import print_pooled

        columns = {"series": series, "real": real_column, "scores": scores_column}
        print_pooled(real, chosen, reading, **columns, at=at, csv=csv, as_json=as_json)
        return
    real_ranges, points = reading.real_and_scores(real, scores)
    found = chosen.curve(real_ranges, points, ignore=reading.zones(real_ranges, reading.real(real)))
    if csv is not None:
        with written_whole(csv) as part:
            part.write_text(csv_text(found))
    if plot is not None:
        outputs.save_picture(found.plot(), plot)
    best = at is None
    with warnings_as_notes():
        there = found.best(most_marked=most_marked) if at is None else Threshold(at, found.at(at))
    if as_json:
        echo(json.dumps(_as_dict(found, there, best=best) | reading.closed_dict(), allow_nan=False))
    else:
        echo("\n".join([_text(found, there, best, explain), *reading.closed_lines()]))


def _text(found: Curve, there: Threshold, best: bool, explain: bool) -> str:
    lines = [
        f"thresholds         {len(found):,} distinct scores",
        f"average precision  {found.average_precision:.4f}",
        f"{'best threshold' if best else 'threshold':<18} {there.threshold:.10g}",
        f"  there            {headline(there.score)}",
        f"  marked           {share_text(there.marked)} of all points",
    ]
    if there.score.ignored is not None and not explain:
        lines.append(f"ignored            {there.score.ignored}")
    return "\n".join([*lines, "", there.score.explain()] if explain else lines)


def _as_dict(found: Curve, there: Threshold, *, best: bool) -> dict[str, object]:
    values = {
        "thresholds": len(found),
        "average_precision": found.average_precision,
        "best_threshold" if best else "threshold": there.threshold,
        "precision": there.score.precision,
        "recall": there.score.recall,
        "f": there.score.f,
        "marked": there.marked,
    }
    # JSON knows neither nan nor infinity.
    told: dict[str, object] = {name: value if math.isfinite(value) else None for name, value in values.items()}
    told["model"] = str(found.model)
    return told if there.score.ignored is None else told | {"ignored": there.score.ignored.to_dict()}


def csv_text(found: Curve | PooledCurve) -> str:
    """A line a threshold, all digits."""
    rows = zip(found.thresholds.tolist(), found.precision.tolist(), found.recall.tolist(), found.f.tolist(), strict=True)
    return "\n".join(["threshold,precision,recall,f", *(",".join(map(repr, row)) for row in rows), ""])
