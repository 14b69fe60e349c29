"""``rangewise report``: a self-contained HTML report."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.cli import inputs, options, outputs
from rangewise.cli.parameters import Without, option_name, words_of
from rangewise.cli.printing import echo, print_json
from rangewise.cli.score_inputs import ScoreFileOptions
from rangewise.cli.threshold_options import Thresholds, check_thresholds_apply, read_thresholds
from rangewise.datasets.arguments import read_annotations
from rangewise.datasets.nab import nab_folder, nab_names, read_nab, read_nab_results
from rangewise.files.annotations import Annotations
from rangewise.files.scores import read_score_file, score_column
from rangewise.files.source import Source
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.clocks import Clock
from rangewise.rankings.cases import check_same_ignored, put_at_thresholds, read_detector
from rangewise.reports.index import series_report
from rangewise.reports.page import LARGE, Report, SeriesInput, case_content, page_of

ALL_OF_NAB = "nab:"


def report(
    real: Annotated[
        str,
        typer.Argument(
            metavar="REAL",
            help="File of real anomalies, e.g. nab:FILE; a folder with one file per series; nab: for all of NAB; a table of many series.",
        ),
    ],
    detectors: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help="A file of scores or of predictions for each detector, or a folder with one file per series; none for a table.",
        ),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    values: Annotated[
        str | None,
        typer.Option(
            help="A file with the values of the series, or a folder; for a table of many series, a column. Default: those in REAL."
        ),
    ] = None,
    values_column: Annotated[str | None, typer.Option(help="The column of the --values file.")] = None,
    threshold: Thresholds = None,
    title: Annotated[str | None, typer.Option(help="The heading.")] = None,
    baseline: Annotated[bool, typer.Option(help="Compare with random predictions of the same number of points.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Also print the numbers of the page as JSON.")] = False,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    force: outputs.Force = False,
    files: Annotated[ScoreFileOptions, Without("weights", "resolution")],
    model: Annotated[options.ModelFlags, Without("precision_weight")],
) -> None:
    """Write a self-contained HTML report: which detector is best, whether to trust it, and what each detector missed.

    The page is interactive without a network or a server: readers can try every threshold and every setting. With folders, with nab: and
    folders of NAB results, or with a table given alone (--series, --real, and --scores with one or several columns: a,b), it shows the
    pooled result and opens each series, the worst first. Above 50 MB it becomes a folder.
    """
    chosen = model.chosen()
    if values_column is not None and values is None:
        raise ValueError("--values-column names a column of the --values file; give --values FILE too")
    outputs.check_page(out, "--out")
    paths = inputs.detector_files(detectors or [])
    outputs.check_outputs([out], [real, *paths.values(), values if paths else None, files.times, files.ignore], force=force)
    files.check_one_standard_input(real, *paths.values())
    if not paths:
        given, names = _table(real, files, values, values_column), _columns(files.predicted_column)
    elif real == ALL_OF_NAB:
        given, names = _nab(paths, files, values), list(paths)
    else:
        given = _files(files, real, paths, values, values_column)
        names = list(paths)
    if files.missing != "error" and all(case.scores is None for own in given.values() for case in own.cases.values()):
        raise ValueError("missing= is for nan scores, but no detector has scores; leave it out")
    thresholds = read_thresholds(threshold or [])
    check_thresholds_apply(thresholds, (case for own in given.values() for case in own.cases.values()))
    called = files.real(real).name if list(given) == [""] else "NAB" if real == ALL_OF_NAB else real
    count = "" if list(given) == [""] else f"{len(given):,} series, "
    heading = title or f"{Path(called).name}: {count}{len(names)} detector{'' if len(names) == 1 else 's'}"
    clocks = [next(iter(own.cases.values())).clock for own in given.values()]
    if not baseline and all(isinstance(clock, Clock) for clock in clocks):
        raise ValueError("--no-baseline has no effect: a page of times without rows has no random baseline; leave it out")
    put = {series: replace(own, cases=put_at_thresholds(own.cases, thresholds, series)) for series, own in given.items()}
    if list(put) == [""]:
        page = page_of(case_content(put[""], model=chosen, title=heading, baseline=baseline))
    else:
        page = series_report(put, model=chosen, title=heading, baseline=baseline)
    if page.pages:
        outputs.check_outputs([page.target(out)], [], force=force)
    _finish(page, out, as_json=as_json, show=show)


def _files(
    files: inputs.FileOptions, real: str, paths: Mapping[str, str], values: str | None, column: str | None
) -> dict[str, SeriesInput]:
    """The series of files, or of folders with one file per series; one series is called ``""``."""
    series = inputs.files_of_series(real, paths)
    drawn = {"": values} if values is None or not Path(values).is_dir() else inputs.series_files(values)
    if list(series) != [""] and values is not None and not Path(values).is_dir():
        raise ValueError(f"--values {values} is a file, but {real} is a folder of series; give a folder with one file per series")
    read: dict[str, SeriesInput] = {}
    for name, (truth, own) in series.items():
        annotations = files.real(truth)

        def read_cases(files: inputs.FileOptions, truth: str = truth, own: Mapping[str, str] = own) -> dict[str, Case]:
            return {detector: files.detector_case(truth, file, detector) for detector, file in own.items()}

        cases, how = inputs.on_one_span(files, read_cases)
        check_same_ignored(cases, files.missing)
        first = next(iter(cases.values()))
        times = None
        if not isinstance(first.clock, Clock):
            times = files.timestamps() if files.times is not None else annotations.timestamps
        said: CaseOptions = {"close_gaps": files.gap} if files.gap else {}
        if files.ignore is not None:
            said["ignore"] = first.ignored
        if files.missing != "error":
            said["missing"] = files.missing
        commands = {detector: _command(how, truth, file, scored=cases[detector].scores is not None) for detector, file in own.items()}
        read[name] = SeriesInput(cases, _values(drawn.get(name), column, annotations), times, said, commands)
    files.check_used()
    return read


def _table(path: str, files: inputs.FileOptions, values: str | None, values_column: str | None) -> dict[Any, SeriesInput]:
    """The series of a table of many series."""
    if files.series is None or files.real_column is None or files.predicted_column is None:
        raise ValueError("give a file for each detector, or name the columns of a table with --series, --real and --scores")
    if values_column is not None:
        raise ValueError("--values-column is for a --values file; for a table of many series, --values names the column")
    from rangewise.cli.many import opened_table
    from rangewise.many.table_cases import table_cases

    with opened_table(path, files, files.series) as (frame, _, options):
        tabled = table_cases(frame, real=files.real_column, predicted=_columns(files.predicted_column), values=values, **options)
    said: CaseOptions = {"close_gaps": files.gap} if files.gap else {}
    return {name: SeriesInput(own.cases, own.values, own.times, said) for name, own in tabled.items()}


def _columns(given: str | None) -> list[str]:
    return [] if given is None else given.split(",")


def _nab(paths: Mapping[str, str], files: inputs.FileOptions, values: str | None) -> dict[str, SeriesInput]:
    """All series of NAB, with detectors in its own layout of results."""
    changed = [each for each in fields(files) if each.init and getattr(files, each.name) != each.default]
    if unused := [each for each in changed if each.name != "close_gaps"]:
        raise ValueError(f"{option_name(unused[0], getattr(files, unused[0].name))} is for files, not for all of NAB; leave it out")
    if values is not None:
        raise ValueError("--values has no effect: the series of NAB have values; leave it out")
    folder = nab_folder()
    names = nab_names(folder)
    results = {name: read_nab_results(path, names) for name, path in paths.items()}
    said: CaseOptions = {"close_gaps": files.gap} if files.gap else {}
    read: dict[str, SeriesInput] = {}
    for name in names:
        series = read_nab(folder, name)
        cases = {
            detector: read_detector(series.real, saved.scores(series), detector, f"series {name!r}: ", said)
            for detector, saved in results.items()
        }
        read[name] = SeriesInput(cases, series.values, series.timestamps, said)
    return read


def _finish(page: Report, out: Path, *, as_json: bool, show: bool) -> None:
    saved = page.save(out)
    if as_json:
        print_json(page.to_dict() | {"page": str(saved)})
    else:
        echo(page.verdict)
        if page.ignored is not None:
            echo(f"ignored: {page.ignored}")
        size = sum(file.stat().st_size for file in saved.parent.rglob("*.html")) if page.pages else page.size
        echo(f"\n{saved}  {size / 1e6:.2f} MB{' with the pages of the series' if page.pages else ''}, opens in any browser, offline")
        if page.reduced:
            echo("the series is long: the page has up to 2,000 exact thresholds and draws the minimum and maximum of each block")
    if page.size > LARGE:
        echo(f"rangewise: {saved} is larger than {LARGE / 1e6:.0f} MB: many email systems reject it", err=True)
    if show:
        webbrowser.open(saved.resolve().as_uri())


def _values(argument: str | None, column: str | None, annotations: Annotations) -> NDArray[np.float64] | None:
    if argument is None:
        return None if annotations.series is None or not annotations.series.channels else annotations.series.values
    if column is not None:
        return Source(argument).table.numbers(column)
    source = Source(argument)
    if source.is_numbers:
        return read_score_file(source)
    drawn = read_annotations(argument)
    if drawn.series is None:
        raise ValueError(f"{drawn.name} has no values to draw; name its column with --values-column")
    return drawn.series.values


def _command(files: inputs.FileOptions, real: str, file: str, *, scored: bool) -> list[str]:
    """The arguments of the command that scores this detector."""
    if scored:
        return ["rangewise", "curve", real, file, *words_of(replace(files, predicted_format=None))]
    options = {each.name: getattr(files, each.name) for each in fields(files) if each.init} | {"missing": "error"}
    if not (files.predicted_column or files.column or files.predicted_format):
        # A column of scores that are all 0 or 1 is a prediction, which `score` reads only by name.
        options["predicted_column"] = score_column(files.source(file))
    return ["rangewise", "score", real, file, *words_of(inputs.FileOptions(**options))]
