"""``rangewise report``: a self-contained HTML report."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.checks import once
from rangewise.cli import inputs, options, outputs
from rangewise.cli.parameters import Without, words_of
from rangewise.cli.printing import echo
from rangewise.cli.score_inputs import ScoreFileOptions
from rangewise.datasets.arguments import read_annotations, read_timestamps
from rangewise.files.annotations import Annotations
from rangewise.files.scores import read_score_file
from rangewise.files.source import Source
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.clocks import Clock
from rangewise.rankings.cases import check_same_ignored, put_at_thresholds
from rangewise.reports.page import LARGE, Report, case_report

# Names of columns that contain scores.
_SCORE_COLUMNS = ("anomaly_score", "score", "scores")


def report(
    real: Annotated[str, typer.Argument(metavar="REAL", help="File of real anomalies, or e.g. nab:FILE.", show_default=False)],
    detectors: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="A file of scores or of predictions for each detector.", show_default=False)
    ],
    *,
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    values: Annotated[
        str | None, typer.Option(help="A file with the values of the series. Default: those in REAL.", show_default=False)
    ] = None,
    values_column: Annotated[str | None, typer.Option(help="The column of the --values file.", show_default=False)] = None,
    threshold: Annotated[
        list[str] | None, typer.Option(metavar="NAME=X", help="The threshold of a detector; repeatable.", show_default=False)
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading.", show_default=False)] = None,
    baseline: Annotated[bool, typer.Option(help="Compare with random predictions of the same number of points.")] = True,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    force: outputs.Force = False,
    files: Annotated[ScoreFileOptions, Without("step")],
    model: Annotated[options.ModelFlags, Without("precision_weight")],
) -> None:
    """Write a self-contained HTML report: which detector is best, whether to trust it, and what each detector missed.

    The page is interactive without a network or a server: readers can try every threshold and every setting.
    """
    chosen = model.chosen()
    if values_column is not None and values is None:
        raise ValueError("--values-column names a column of the --values file; give --values FILE too")
    if out.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--out needs a file name that ends in .html; got {out}")
    paths = inputs.detector_files(detectors)
    outputs.check_outputs([out], [real, *paths.values(), values, files.times, files.ignore], force=force)
    reading = files.reading()
    inputs.check_one_standard_input(real, *paths.values())
    names = list(paths)
    thresholds = _thresholds(threshold or [], names)
    annotations = reading.real(real)
    heading = title or f"{Path(annotations.name).name}: {len(names)} detector{'' if len(names) == 1 else 's'}"
    cases: dict[str, Case] = {}
    commands = {}
    for name, file in paths.items():
        cases[name] = _case(reading, real, file, name)
    if files.missing != "error" and all(case.scores is None for case in cases.values()):
        raise ValueError("missing= is for nan scores, but no detector has scores; leave it out")
    check_same_ignored(cases, files.missing)
    reading.check_used()
    for name, file in paths.items():
        commands[name] = _command(files, real, file, scored=cases[name].scores is not None)
    first = cases[names[0]]
    if not baseline and isinstance(first.clock, Clock):
        raise ValueError("--no-baseline has no effect: a page of times without rows has no random baseline; leave it out")
    times = None
    if not isinstance(first.clock, Clock):
        times = read_timestamps(files.times) if files.times is not None else annotations.timestamps
    said: CaseOptions = {"close_gaps": reading.gap} if reading.gap else {}
    if files.ignore is not None:
        said["ignore"] = first.ignored
    if files.missing != "error":
        said["missing"] = files.missing
    page = case_report(
        put_at_thresholds(cases, thresholds), values=_values(values, values_column, annotations), model=chosen, title=heading,
        baseline=baseline, axis=times, options=said, commands=commands,
    )  # fmt: skip
    _finish(page, out, show=show)


def _finish(page: Report, out: Path, *, show: bool) -> None:
    page.save(out)
    echo(page.verdict)
    if page.ignored is not None:
        echo(f"ignored: {page.ignored}")
    echo(f"\n{out}  {page.size / 1e6:.2f} MB, opens in any browser, offline")
    if page.reduced:
        echo("the series is long: the page has up to 2,000 exact thresholds and draws the minimum and maximum of each block")
    if page.size > LARGE:
        echo(f"rangewise: {out} is larger than {LARGE / 1e6:.0f} MB: many email systems reject it", err=True)
    if show:
        webbrowser.open(out.resolve().as_uri())


def _thresholds(given: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    found: list[tuple[str, float]] = []
    for text in given:
        name, separator, value = text.rpartition("=")
        if not separator:
            if len(names) > 1:
                raise ValueError(f"--threshold takes NAME=X, where NAME is one of {', '.join(names)}; got {text!r}")
            name = names[0]
        try:
            found.append((name, float(value)))
        except ValueError as error:
            raise ValueError(f"--threshold {text}: {value!r} is not a number") from error
    return once(found, "--threshold")


def _case(reading: inputs.Reading, real: str, file: str, name: str) -> Case:
    """Scores if a file has one number per point other than 0 and 1, otherwise a prediction."""
    source = reading.source(file)
    column = _score_column(source, reading.predicted_column or reading.column)
    if column is not None or _is_numbers(source):
        named = reading if reading.predicted_column or reading.column else reading.changed(predicted_column=column)
        return named.score_case(real, file, name, as_labels=True)
    # --missing is for the detectors with scores, not for predictions beside them.
    return reading.changed(missing="error").case(real, file, name)


def _is_numbers(source: Source) -> bool:
    """Whether the file has one number per line."""
    try:
        return bool(source.numbers().shape[1] == 1)
    except (ValueError, OSError):  # not numbers, or not a file: it may have the prefix of a format or of public data
        return False


def _score_column(source: Source, column: str | None) -> str | None:
    if column is not None or Path(source.path).suffix.lower() not in (".csv", ".parquet") or not Path(source.path).is_file():
        return column
    if _is_numbers(source):
        return None
    return next((known for known in _SCORE_COLUMNS if known in source.table.columns), None)


def _values(argument: str | None, column: str | None, annotations: Annotations) -> NDArray[np.float64] | None:
    if argument is None:
        return None if annotations.series is None or not annotations.series.channels else annotations.series.values
    if column is not None:
        return Source(argument).table.numbers(column)
    source = Source(argument)
    if _is_numbers(source):
        return read_score_file(source)
    found = read_annotations(argument)
    if found.series is None:
        raise ValueError(f"{found.name} has no values to draw; name its column with --values-column")
    return found.series.values


def _command(files: inputs.FileOptions, real: str, file: str, *, scored: bool) -> list[str]:
    """The arguments of the command that scores this detector."""
    if not scored:
        return ["rangewise", "score", real, file, *words_of(inputs.FileOptions(**files.values() | {"missing": "error"}))]
    column = _score_column(Source(file), files.predicted_column)
    return ["rangewise", "curve", real, file, *words_of(replace(files, predicted_column=column, predicted_format=None))]
