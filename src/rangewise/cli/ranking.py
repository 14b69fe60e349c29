"""``rangewise ranking``: who is first under which settings, exactly?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from rangewise.cli import inputs, outputs
from rangewise.cli.baselines import Baselines, baseline_sides
from rangewise.cli.console import PlainConsole
from rangewise.cli.detector_files import DetectorFile
from rangewise.cli.printing import echo
from rangewise.rankings.comparison import Ranking
from rangewise.rankings.comparison import ranking as make_ranking
from rangewise.rankings.detections import ThresholdChoice
from rangewise.rankings.settings import BETAS, name_of


def ranking(
    real: Annotated[str, typer.Argument(metavar="REAL", help="File of real anomalies, or e.g. nab:FILE.", show_default=False)],
    predicted: Annotated[
        list[str],
        typer.Argument(
            metavar="PREDICTED...", help="A file of predictions for each detector; with --threshold, scores.", show_default=False
        ),
    ],
    alpha: Annotated[
        list[float] | None,
        typer.Option(help="Lowest and highest alpha, given twice; once: only that one. Default 0 and 1.", show_default=False),
    ] = None,
    beta: Annotated[list[float] | None, typer.Option(help="A beta; repeatable. Default 0.5, 1 and 2.", show_default=False)] = None,
    bias: Annotated[list[str] | None, typer.Option(help="A bias of recall; repeatable. Default all.", show_default=False)] = None,
    cardinality: Annotated[
        list[str] | None, typer.Option(help="A cardinality of both sides; repeatable. Default all.", show_default=False)
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="For scores: NAME=X for each detector (its file's name), best-f (sees the labels), equal-share or equal-share:0.05.",
            metavar="POLICY",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        str | None, typer.Option(help="Draw the map of settings to this PNG, SVG or PDF file.", metavar="FILE", show_default=False)
    ] = None,
    baselines: Baselines = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
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
    ignore: inputs.Ignore = None,
    close_gaps: inputs.CloseGaps = 0,
    force: outputs.Force = False,
) -> None:
    """Who is first under which settings of the model? Exact borders, in words, as a table and as a map.

    Two detectors change places at alphas that are computed, not sampled, for each bias, cardinality and beta.
    """
    outputs.check_picture(plot, "--plot")
    outputs.check_outputs([plot], [real, *predicted, times, ignore], force=force)
    inputs.check_one_standard_input(real, *predicted)
    reading = inputs.Reading(
        file_format=file_format, column=column, real_column=real_column, predicted_column=predicted_column, series=series,
        times=times, outside=outside, end_included=end_included,
        start_column=start_column, end_column=end_column, until=until, ignore=ignore, close_gaps=close_gaps,
    )  # fmt: skip
    names = inputs.detector_names(predicted)
    policy = _policy(threshold or [])
    read = _read(reading, real, dict(zip(names, predicted, strict=True)), scores=policy is not None)
    real_ranges, sides = read[names[0]].real, {name: one.side for name, one in read.items()}
    if baselines:
        if isinstance(policy, dict):
            raise ValueError("--baselines needs a policy for all detectors, e.g. --threshold equal-share, not a threshold for each")
        sides |= baseline_sides(read)
    asked: dict[str, Any] = {"biases": bias, "cardinalities": cardinality, "betas": beta or BETAS}
    if alpha:
        asked["alphas"] = alpha[0] if len(alpha) == 1 else alpha
    found = make_ranking(real_ranges, sides, threshold=policy, **{name: value for name, value in asked.items() if value})
    if plot is not None:
        outputs.save_picture(found.plot().figure, Path(plot))
    if as_json:
        echo(json.dumps(_as_dict(found) | reading.closed_dict() | reading.ignored_dict(), allow_nan=False))
        return
    echo(found.explain())
    echo()
    _print_table(found)
    for line in reading.ignored_lines():
        echo(f"\n{line}")
    if plot is not None:
        echo(f"\nThe map of settings: {plot}")


def _read(reading: inputs.Reading, real: str, paths: dict[str, str], *, scores: bool) -> dict[str, DetectorFile]:
    """Each detector's prediction or scores, and the real side."""
    read: dict[str, DetectorFile] = {}
    for name, path in paths.items():
        if scores:
            real_ranges, values = reading.real_and_scores_left(real, path)
            read[name] = DetectorFile(path, real_ranges, None, values, len(values))
        else:
            try:
                both, length = reading.sides(real, path)
                read[name] = DetectorFile(path, *both, None, length)
            except ValueError as error:
                hint = "" if "labels are 0 or 1" not in str(error) else "; for scores give --threshold, e.g. --threshold equal-share"
                raise ValueError(f"{error}{hint}" if path in str(error) else f"{path}: {error}{hint}") from error
    return read


def _policy(given: list[str]) -> ThresholdChoice:
    """None, one policy by name, or a number for each detector."""
    if not given:
        return None
    pairs = [text.rpartition("=") for text in given]
    if len(given) == 1 and not pairs[0][1]:
        return given[0]
    found: dict[str, float] = {}
    for (name, separator, value), text in zip(pairs, given, strict=True):
        if not separator:
            raise ValueError(f"--threshold is one policy, or NAME=X for each detector; got {', '.join(given)}")
        try:
            found[name] = float(value)
        except ValueError:
            raise ValueError(f"--threshold {text}: {value!r} is not a number") from None
    return found


def _print_table(found: Ranking) -> None:
    console = PlainConsole(width=10_000)
    table = Table(box=None, pad_edge=False)
    for title in ("cardinality", "bias", "beta", "alpha", "leader"):
        table.add_column(title, no_wrap=True)
    for row in found.table():
        alphas = f"{row['from_alpha']:.4f} to {row['to_alpha']:.4f}"
        table.add_row(row["cardinality"], row["bias"], f"{row['beta']:g}", alphas, row["leader"])
    console.print(table)


def _as_dict(found: Ranking) -> dict[str, Any]:
    crossings = [asdict(one) | {"bias": name_of(one.bias), "cardinality": name_of(one.cardinality)} for one in found.crossings]
    thresholds = {name: series[0].threshold for name, series in found.detections.items()}
    return {
        "detectors": list(found.names),
        "first": found.first,
        "crossings": crossings,
        "map": found.table(),
        "always": [[one, other] for one in found.names for other in found.names if one != other and found.always(one, other)],
        "thresholds": {name: value for name, value in thresholds.items() if value is not None and np.isfinite(value)},
        "sees_labels": found.sees_labels,
        "explanation": found.explain(),
    }
