"""``rangewise report``: one page to mail."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.cli import inputs, options, outputs
from rangewise.cli.printing import echo
from rangewise.datasets.arguments import read_marks, read_timestamps
from rangewise.files.annotations import Marks
from rangewise.files.scores import read_score_file
from rangewise.files.source import STANDARD_INPUT, Source
from rangewise.files.times import TimeRanges
from rangewise.inputs.gaps import closed_scores
from rangewise.inputs.ignored import Ignored, lowered, without
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.reports.clock import clock_of
from rangewise.reports.entries import Given, is_prediction
from rangewise.reports.page import LARGE, Report, build, points_of, timed

# Columns of scores that are known by their name.
_SCORE_COLUMNS = ("anomaly_score", "score", "scores")


def report(
    real: Annotated[str, typer.Argument(metavar="REAL", help="File of real anomalies, or e.g. nab:FILE.", show_default=False)],
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="A file of scores or of predictions for each detector.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    values: Annotated[str | None, typer.Option(help="A file with the series itself. Default: REAL's own.", show_default=False)] = None,
    values_column: Annotated[str | None, typer.Option(help="Its column.", show_default=False)] = None,
    threshold: Annotated[
        list[str] | None, typer.Option(metavar="NAME=X", help="The threshold of a detector, repeatable.", show_default=False)
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading.", show_default=False)] = None,
    baseline: Annotated[bool, typer.Option(help="Compare with random scores that mark as many points.")] = True,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    force: outputs.Force = False,
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
    as_points: options.AsPoints = None,
    zero_division: options.ZeroDivision = None,
) -> None:
    """Write one HTML page to mail: which detector is best, whether to trust it, and what each of them missed.

    The page needs no network and no server: every threshold and every setting can be tried in it.
    """
    chosen = options.model_from(
        preset=preset, model=model, alpha=alpha, beta=beta, bias=bias, recall_bias=recall_bias, precision_bias=precision_bias,
        cardinality=cardinality, recall_cardinality=recall_cardinality, precision_cardinality=precision_cardinality,
        as_points=as_points, zero_division=zero_division,
    )  # fmt: skip
    if out.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--out takes a name that ends in .html; got {out}")
    outputs.check_outputs([out], [real, *files, values, times, ignore], force=force)
    reading = inputs.Reading(
        file_format=file_format, column=column, real_column=real_column, predicted_column=scores_column, series=series,
        times=times, outside=outside, end_included=end_included, start_column=start_column, end_column=end_column, until=until,
        ignore=ignore, close_gaps=close_gaps,
    )  # fmt: skip
    inputs.check_one_standard_input(real, *files)
    names = inputs.detector_names(files)
    thresholds = _thresholds(threshold or [], names)
    marks = reading.real(real)
    index = read_timestamps(times) if times is not None else marks.timestamps
    heading = title or f"{Path(marks.name).name}: {len(names)} detector{'' if len(names) == 1 else 's'}"
    if index is None and isinstance(marks.ranges, TimeRanges):
        page = _timed_page(reading, marks.ranges, real, dict(zip(names, files, strict=True)), chosen, heading)
        _finish(page, out, reading, show=show)
        return
    given, commands = [], {}
    for name, file in zip(names, files, strict=True):
        one = _given(reading, name, file, index)
        given.append(one)
        commands[name] = _command(reading, real, file, one, scores_column)
    rows = marks.rows(index, inputs.checked_outside(outside))
    rows, given = _left(reading, rows, given, marks)
    points = points_of(rows, {marks.name: marks.length, "the timestamps": None if index is None else len(index)}, given)
    page = build(
        rows,
        given,
        clock_of(points, index),
        _values(values, values_column, marks),
        chosen,
        thresholds,
        heading,
        baseline,
        commands,
        close_gaps,
    )
    _finish(page, out, reading, show=show)


def _timed_page(reading: inputs.Reading, real: TimeRanges, argument: str, files: dict[str, str], model: RangeModel, title: str) -> Report:
    """Incidents against alerts, without rows."""
    given, commands = [], {}
    for name, file in files.items():
        found = reading.predicted(file).ranges
        if not isinstance(found, TimeRanges):
            raise ValueError(f"{argument} gives times and {file} rows; name a file with the timestamps of the rows with --times")
        one = Given(name, None, reading.closed(found.on_clock()), None)
        given.append(one)
        commands[name] = _command(reading, argument, file, one, reading.predicted_column)
    ranges, given = _left(reading, real.on_clock(), given)
    return timed(ranges, given, model, title, commands)


def _left(reading: inputs.Reading, real: Ranges, given: list[Given], *marks: Marks) -> tuple[Ranges, list[Given]]:
    """Both sides clipped to what counts; scores in a zone are below all others."""
    kept, left = real, []
    for one in given:
        zones = reading.zones(real, *marks)
        if zones is None:
            return real, given
        kept, _, clipping = without(real, zones)
        if one.scores is not None:
            left.append(replace(one, scores=lowered(np.asarray(one.scores, dtype=np.float64), zones)))
            reading.ignored.append(Ignored(zones, clipping, None))
            continue
        assert one.predicted is not None
        own = zones if one.predicted.clock is None else reading.zones(one.predicted, *marks)
        assert own is not None
        predicted, _, of_predicted = without(one.predicted, own)
        left.append(replace(one, predicted=predicted))
        reading.ignored.append(Ignored(zones, clipping, of_predicted))
    return kept, left


def _finish(page: Report, out: Path, reading: inputs.Reading, *, show: bool) -> None:
    page.save(out)
    echo(page.verdict)
    for line in reading.ignored_lines():
        echo(line)
    echo(f"\n{out}  {page.size / 1e6:.2f} MB, opens in any browser without a network")
    if page.reduced:
        echo("the series is long: the page is exact at up to 2,000 thresholds and draws the lowest and highest value of each block")
    if page.size > LARGE:
        echo(f"rangewise: {out} is larger than {LARGE / 1e6:.0f} MB: many mail systems refuse it", err=True)
    if show:
        webbrowser.open(out.resolve().as_uri())


def _thresholds(given: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in given:
        name, separator, value = text.rpartition("=")
        if not separator:
            if len(names) > 1:
                raise ValueError(f"--threshold is NAME=X, where NAME is one of {', '.join(names)}; got {text!r}")
            name = names[0]
        try:
            found[name] = float(value)
        except ValueError as error:
            raise ValueError(f"--threshold {text}: {value!r} is not a number") from error
    return found


def _given(reading: inputs.Reading, name: str, file: str, index: NDArray[Any] | None) -> Given:
    """Scores where a file holds one number a point that is not always 0 or 1, else a prediction."""
    column = _score_column(file, reading.predicted_column or reading.column)
    if column is not None or _is_numbers(file):
        scores = read_score_file(file, column)
        if not is_prediction(scores):
            return Given(name, closed_scores(scores, reading.close_gaps), None, len(scores))
    marks = reading.predicted(file)
    return Given(name, None, reading.closed(marks.rows(index, inputs.checked_outside(reading.outside))), marks.length)


def _is_numbers(file: str) -> bool:
    """Whether the file holds one number a line."""
    if not Path(file).is_file() and file != STANDARD_INPUT:
        return False
    try:
        return bool(Source(file).numbers().shape[1] == 1)
    except ValueError:
        return False


def _score_column(file: str, column: str | None) -> str | None:
    if column is not None or Path(file).suffix.lower() not in (".csv", ".parquet") or not Path(file).is_file():
        return column
    if _is_numbers(file):
        return None
    return next((known for known in _SCORE_COLUMNS if known in Source(file).table.columns), None)


def _values(argument: str | None, column: str | None, marks: Marks) -> NDArray[np.float64] | None:
    if argument is None:
        return None if marks.series is None or not marks.series.channels else marks.series.values
    if column is not None:
        return Source(argument).table.numbers(column)
    if _is_numbers(argument):
        return read_score_file(argument)
    found = read_marks(argument)
    if found.series is None:
        raise ValueError(f"{found.name} has no values to draw; name its column with --values-column")
    return found.series.values


def _command(reading: inputs.Reading, real: str, file: str, given: Given, scores_column: str | None) -> list[str]:
    """The words of the command that scores this detector again."""
    scored = given.scores is not None
    words = ["rangewise", "curve" if scored else "score", real, file]
    column = _score_column(file, scores_column) if scored else scores_column
    for option, value in (
        ("--format", reading.file_format),
        ("--column", reading.column),
        ("--real-column", reading.real_column),
        ("--scores-column" if scored else "--predicted-column", column),
        ("--series", reading.series),
        ("--times", reading.times),
        ("--outside", None if reading.outside == "error" else reading.outside),
        ("--start-column", reading.start_column),
        ("--end-column", reading.end_column),
        ("--until", reading.until),
        ("--ignore", reading.ignore),
        ("--close-gaps", str(reading.close_gaps) if reading.close_gaps else None),
    ):
        if value is not None:
            words += [option, value]
    if reading.end_included is not None:
        words.append("--end-included" if reading.end_included else "--end-excluded")
    return words
