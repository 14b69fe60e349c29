"""``rangewise ranking``: which detector ranks first under which settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rangewise.cli import inputs, outputs
from rangewise.cli.baselines import Baselines, baseline_cases, baseline_names, check_new_names, one_liner_cases
from rangewise.cli.parameters import Without
from rangewise.cli.printing import echo, print_json
from rangewise.cli.threshold_options import Thresholds, check_thresholds_apply, read_thresholds
from rangewise.inputs.case import Case
from rangewise.number_text import score_text
from rangewise.rankings.cases import check_same_ignored, check_thresholds
from rangewise.rankings.ranking import Ranking
from rangewise.rankings.ranking import ranking as make_ranking
from rangewise.rankings.settings import BETAS
from rangewise.tables import Table, current_width


def ranking(
    real: Annotated[str, typer.Argument(metavar="REAL", help="File of real anomalies, or e.g. nab:FILE.")],
    predicted: Annotated[
        list[str], typer.Argument(metavar="PREDICTED...", help="A file of predictions for each detector; with --threshold, scores.")
    ],
    *,
    alpha: Annotated[
        list[float] | None,
        typer.Option(help="Give it twice for the lowest and highest alpha, or once for a single alpha. Default 0 and 1."),
    ] = None,
    beta: Annotated[list[float] | None, typer.Option(help="Weight of recall in F-beta; repeatable. Default 0.5, 1 and 2.")] = None,
    bias: Annotated[list[str] | None, typer.Option(help="Positional bias of recall; repeatable. Default all.")] = None,
    cardinality: Annotated[list[str] | None, typer.Option(help="Cardinality factor of both sides; repeatable. Default all.")] = None,
    threshold: Thresholds = None,
    plot: Annotated[str | None, typer.Option(help="Plot the map of settings to this PNG, SVG or PDF file.", metavar="FILE")] = None,
    baselines: Baselines = None,
    as_json: outputs.AsJson = False,
    files: Annotated[inputs.FileOptions, Without("weights", "repeated_times")],
    force: outputs.Force = False,
) -> None:
    """Find which detector ranks first under which settings of the model, with exact borders, as text, table and map.

    The values of alpha where two detectors change places are computed, not sampled, for each bias, cardinality and beta.
    """
    outputs.check_picture(plot, "--plot")
    paths = inputs.detector_files(predicted)
    outputs.check_outputs([plot], [real, *paths.values(), files.times, files.ignore], force=force)
    files.check_one_standard_input(real, *paths.values())
    names = baseline_names(baselines)
    policy = read_thresholds(threshold or [])
    check_thresholds(policy, list(paths))
    if policy is not None and files.predicted_format is not None:
        raise ValueError("--predicted-format is for predictions, but --threshold means that the files have scores; leave one out")
    cases, files = inputs.on_one_span(files, lambda how: _read(how, real, paths, scores=policy is not None))
    check_thresholds_apply(policy, cases.values())
    check_same_ignored(cases, files.missing)
    files.check_used()
    first = next(iter(cases.values()))
    if names:
        if isinstance(policy, dict):
            raise ValueError("--baselines needs one policy for all detectors, e.g. --threshold equal-share, not a threshold for each")
        one_liners = one_liner_cases(first, names, files.real(real), own_threshold=policy is None)
        made = {name: made[0] for name, made in baseline_cases(cases, names).items()} | one_liners
        check_new_names(made, cases)
        cases |= made
    asked: dict[str, Any] = {"biases": bias, "cardinalities": cardinality, "betas": beta or BETAS}
    if alpha:
        asked["alphas"] = alpha[0] if len(alpha) == 1 else alpha
    ranked = make_ranking(first.real, cases, thresholds=policy, **{name: value for name, value in asked.items() if value})
    if plot is not None:
        outputs.save_picture(ranked.plot().figure, Path(plot))
    if as_json:
        print_json(ranked.to_dict() | files.closed_dict() | inputs.ignored_dict(first.clipping))
        return
    echo(ranked)
    if current_width() is None:
        echo(f"\n{_table(ranked).to_text()}")
    for line in inputs.ignored_lines(first.clipping):
        echo(f"\n{line}")
    if plot is not None:
        echo(f"\nThe map of settings: {plot}")


def _read(files: inputs.FileOptions, real: str, paths: dict[str, str], *, scores: bool) -> dict[str, Case]:
    """Each detector's prediction or scores against the real side."""
    cases: dict[str, Case] = {}
    for name, path in paths.items():
        try:
            cases[name] = files.detector_case(real, path, name) if scores else files.case(real, path, name)
        except ValueError as error:
            hint = "" if scores or "labels are 0 or 1" not in str(error) else "; for scores give --threshold, e.g. --threshold equal-share"
            raise ValueError(f"{error}{hint}" if path in str(error) else f"{path}: {error}{hint}") from error
    return cases


def _table(ranked: Ranking) -> Table:
    rows = [
        [
            row["cardinality"],
            row["bias"],
            f"{row['beta']:g}",
            f"{score_text(row['from_alpha'])} to {score_text(row['to_alpha'])}",
            row["leader"],
        ]
        for row in ranked.table()
    ]
    return Table(["cardinality", "bias", "beta", "alpha", "leader"], rows, words=range(5))
