"""``rangewise bench import`` and ``manifest``: score results of other programs, and digests to verify all results."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from rangewise.bench.experiment import Experiment
from rangewise.bench.manifest import differences, make_manifest
from rangewise.bench.results import Results, read
from rangewise.bench.runner import run
from rangewise.bench.summary import failure_table
from rangewise.checks import once, visible
from rangewise.cli.outputs import Force, check_outputs
from rangewise.cli.parameters import number_or_text
from rangewise.cli.printing import echo, print_json
from rangewise.files.tables import text_of
from rangewise.files.writing import write_whole

FAILED_RUNS = 3
"""The exit code if some runs failed."""
_DIFFERENT = 1
_MOST_SHOWN = 10

StoreFile = Annotated[Path, typer.Argument(metavar="STORE", help="A store that bench run wrote.")]
Workers = Annotated[int | None, typer.Option(help="Number of parallel runs. Default: one per core.")]


def import_results(
    experiment: Annotated[Path, typer.Argument(metavar="EXPERIMENT", help="The experiment, a TOML file: its series and metrics.")],
    scores: Annotated[
        list[str] | None, typer.Option(metavar="NAME=PATTERN", help="Scores of a detector, e.g. numenta=results/{series}.csv.")
    ] = None,
    predictions: Annotated[
        list[str] | None, typer.Option(metavar="NAME=PATTERN", help="Predictions of a detector: labels or ranges, one file per series.")
    ] = None,
    threshold: Annotated[
        list[str] | None, typer.Option(metavar="NAME=THRESHOLD", help="For scores: a number, or a rule such as quantile:0.99.")
    ] = None,
    saw_labels: Annotated[list[str] | None, typer.Option(metavar="NAME", help="The threshold of this detector saw the labels.")] = None,
    column: Annotated[str | None, typer.Option(help="The column to read. Default: as for rangewise score.")] = None,
    series_column: Annotated[str | None, typer.Option(help="The column that names the series, if one file has all of them.")] = None,
    store: Annotated[Path | None, typer.Option(help="Where to keep the results. Default: NAME.rwbench.")] = None,
    workers: Workers = None,
) -> None:
    """Import results of other detectors into an experiment, with the same store, statistics and report.

    PATTERN contains {series} (the name of the series without its extension), {stem} (the last part of that) or {group} (its collection).
    Missing runs of the experiment's own detectors are executed too. A series without a file is recorded as a failure. Exit code 3: some
    runs failed.
    """
    chosen = Experiment.read(experiment)
    limits = once((_pair(each, "--threshold") for each in threshold or []), "--threshold")
    marked = set(saw_labels or [])
    entries: list[dict[str, Any]] = []
    for kind, given in (("scores", scores), ("predictions", predictions)):
        for each in given or []:
            name, pattern = _pair(each, f"--{kind}")
            entry: dict[str, Any] = {"name": name, kind: pattern}
            if name in limits:
                entry["threshold"] = number_or_text(limits.pop(name))
            if name in marked:
                entry["threshold_saw_labels"] = True
            optional = {"column": column, "series_column": series_column}
            entries.append(entry | {key: value for key, value in optional.items() if value is not None})
    if not entries:
        raise ValueError("nothing to import; give --scores NAME=PATTERN or --predictions NAME=PATTERN")
    known = {entry["name"] for entry in entries}
    for name in (*limits, *(marked - known)):
        raise ValueError(f"{name} is not one of the detectors to import: {', '.join(sorted(known))}")
    # Patterns on the command line are relative to the working directory, those in the file to the file.
    added = Experiment(name=chosen.name, detectors=entries, series=chosen.series, metrics=chosen.metrics, baselines=False).detectors
    results = run(replace(chosen, detectors=[*chosen.detectors, *added]), store=store or Path(chosen.store_name), workers=workers)
    for detector in (entry["name"] for entry in entries):
        counts = results.counts_by_detector()[detector]
        echo(f"{visible(detector)}: " + ", ".join(f"{count:,} {status}" for status, count in counts.most_common()))
    print_failures(results)
    failed = bool(results.failures())
    results.close()
    if failed:
        raise typer.Exit(FAILED_RUNS)


def print_failures(results: Results) -> None:
    """The first failed runs with their reasons, if there are any."""
    failures = failure_table(results)
    if failures is None:
        return
    shown = failures.rows[:_MOST_SHOWN]
    more = len(results.failures()) - len(shown)
    echo("\n" + replace(failures, rows=shown, notes=[f"and {more:,} more"] if more else ()).to_text())


def manifest(
    store: StoreFile,
    out: Annotated[Path | None, typer.Option(help="Write it to a file instead of printing it.")] = None,
    check: Annotated[
        Path | None, typer.Option(metavar="MANIFEST", help="Compare with this manifest; exit with code 1 if anything differs.")
    ] = None,
    force: Force = False,
) -> None:
    """Print digests of series and predictions and all scores with full precision, so that others can verify their results."""
    check_outputs([out], [store, check], force=force)
    results = read(store)
    manifest = make_manifest(results)
    results.close()
    if out is not None:
        write_whole(out, json.dumps(manifest, indent=1) + "\n")
    elif check is None:
        print_json(manifest, indent=1)
    if check is not None:
        text = text_of(check.read_bytes(), str(check))
        try:
            said = differences(json.loads(text), manifest)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{check} is not a manifest: {_shown(error)}") from None
        echo("\n".join(map(visible, said[:_MOST_SHOWN])) if said else "the same series, predictions and scores")
        if len(said) > _MOST_SHOWN:
            echo(f"and {len(said) - _MOST_SHOWN} more differences")
        if said:
            raise typer.Exit(_DIFFERENT)


def _shown(error: Exception) -> str:
    """The error of a file that is not a manifest: a missing key or a value of another type says little by itself."""
    return str(error) if isinstance(error, ValueError) else "it does not have the content that rangewise bench manifest writes"


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ValueError(f"{option} is NAME=VALUE; got {text!r}")
    return name, value
