"""``rangewise bench table`` and ``simulate``: published scores looked at again, and how far tests by series may be believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from rangewise.bench.published_table import table as read_table
from rangewise.bench.statistics import Groups, false_rejections
from rangewise.bench.tsb_ad_leaderboard import tsb_ad_rows
from rangewise.cli.outputs import Force, check_outputs, check_picture, save_picture
from rangewise.cli.printing import echo
from rangewise.files.writing import written_whole

_CORRELATIONS = (0.0, 0.1, 0.36)

TableFile = Annotated[str, typer.Argument(metavar="FILE", help="A CSV or Parquet file of scores, one row per series.", show_default=False)]
SeriesColumn = Annotated[
    str | None, typer.Option("--series", metavar="COLUMN", help="The column that names the series. Default: the first.", show_default=False)
]
GroupsOption = Annotated[
    str | None,
    typer.Option(
        "--groups", metavar="COLUMN_OR_PATTERN", show_default=False,
        help="The collection of each series: a column, or a regular expression over the names of series whose first group is it.",
    ),
]  # fmt: skip
DetectorsOption = Annotated[
    str | None,
    typer.Option(
        "--detectors", metavar="COLUMNS", show_default=False,
        help="Columns of detectors: names, patterns (Sub-*) or ranges (FIRST..LAST), separated by commas. "
        "Default: the first neighboring columns with numbers between 0 and 1.",
    ),
]  # fmt: skip
Seed = Annotated[int, typer.Option(help="Of the resamples.")]


def table(
    file: TableFile,
    series: SeriesColumn = None,
    groups: GroupsOption = None,
    detectors: DetectorsOption = None,
    lower_is_better: Annotated[bool, typer.Option("--lower-is-better", help="Low scores are good.")] = False,
    level: Annotated[float, typer.Option(help="Of intervals and tests.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="How many times series and collections are drawn.")] = 10_000,
    seed: Seed = 0,
    name: Annotated[str | None, typer.Option(help="The title. Default: the file's name.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with a forest plot.", show_default=False)] = None,
    forest: Annotated[Path | None, typer.Option(help="Write the forest plot: PNG, SVG or PDF.", show_default=False)] = None,
    diagram: Annotated[
        Path | None, typer.Option(help="Write the critical difference diagram: PNG, SVG or PDF.", show_default=False)
    ] = None,
    force: Force = False,
) -> None:
    """Look again at a table of published scores: intervals, ranks and exact tests, by series and by collection.

    FILE has one row per series and one column per detector. Series of one collection are alike: with --groups, collections are the unit
    of resampling and of tests, and both are shown side by side.
    """
    if sum((as_json, markdown, latex)) > 1:
        raise ValueError("--json, --markdown and --latex are three ways to print one thing; choose one")
    check_picture(forest, "--forest")
    check_picture(diagram, "--diagram")
    check_outputs([html, forest, diagram], [file], force=force)
    _check(level, resamples)
    found = read_table(
        file, series=series, groups=groups, detectors=listed(detectors), higher_is_better=not lower_is_better, level=level,
        resamples=resamples, seed=seed, name=name,
    )  # fmt: skip
    if diagram is not None:
        save_picture(found.plot_critical_difference().figure, diagram)
    if forest is not None:
        save_picture(found.plot_forest().figure, forest)
    if html is not None:
        with written_whole(html) as part:
            part.write_text(found.to_html(), encoding="utf-8")
    if as_json:
        echo(json.dumps(found.to_dict(), allow_nan=False))
    else:
        echo(found.to_markdown() if markdown else found.to_latex() if latex else str(found), nl=not (markdown or latex))


def simulate(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A table of scores: its collections and correlation.", show_default=False)
    ] = None,
    series: SeriesColumn = None,
    groups: GroupsOption = None,
    detectors: DetectorsOption = None,
    sizes: Annotated[
        str | None, typer.Option(metavar="N,N,...", help="The number of series in each collection, instead of FILE.", show_default=False)
    ] = None,
    correlations: Annotated[
        str | None,
        typer.Option(
            metavar="R,R,...",
            show_default=False,
            help="Intraclass correlations to simulate. Default: 0, 0.1, and the one measured in FILE (0.36 without FILE).",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(help="Simulated tables for each correlation.")] = 1500,
    level: Annotated[float, typer.Option(help="Of the tests.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Of the simulation.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How often does a signed-rank test call two equal detectors different, by series and by collection?

    Two equal detectors are simulated on collections of the sizes of FILE (or --sizes), whose series are alike to the given degree. A test
    at 5 % should reject in 5 % of the trials.
    """  # fmt: skip
    if (file is None) == (sizes is None):
        raise ValueError("give either FILE, a table of scores, or --sizes, the number of series in each collection")
    if file is None:
        if any(option is not None for option in (series, groups, detectors)):
            raise ValueError("--series, --groups and --detectors are about FILE, which is not given")
        counts, measured = [int(each) for each in _split(sizes, "--sizes", int)], _CORRELATIONS[-1]
    else:
        if groups is None:
            raise ValueError("FILE needs --groups, a column or a pattern, for the collections of its series")
        found = read_table(file, series=series, groups=groups, detectors=listed(detectors), level=level)
        assert isinstance(found.groups, Groups)
        counts = found.groups.sizes.tolist()
        measured = max(0.0, round(found.correlations[1], 2)) if found.correlations is not None else _CORRELATIONS[-1]
    chosen = [*_CORRELATIONS[:2], measured] if correlations is None else _split(correlations, "--correlations", float)
    rows = [false_rejections(counts, each, trials=trials, level=level, seed=seed) for each in dict.fromkeys(chosen)]
    if as_json:
        echo(json.dumps([vars(row) for row in rows]))
        return
    echo("\n".join(map(str, rows)))


def tsb_ad(
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help="Series: files, folders or patterns.", show_default=False)],
    scores: Annotated[str, typer.Option(metavar="PATTERN", help="Files of scores, e.g. results/{series}.csv.", show_default=False)],
    column: Annotated[str | None, typer.Option(help="The column of the files of scores.", show_default=False)] = None,
    exact: Annotated[bool, typer.Option("--exact", help="All thresholds, instead of those that TSB-AD's program takes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with one row per series.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """The row of the TSB-AD leaderboard for a folder of scores, by its own rules: buffer, thresholds, all rows of each series.

    {series} in PATTERN is the name of a series without its ending. Series without a file are named with the reason.
    """
    if as_json and as_markdown:
        raise ValueError("--json and --markdown are two ways to print one thing; choose one")
    found = tsb_ad_rows(data, scores, exact=exact, column=column)
    echo(json.dumps(found.to_dict()) if as_json else found.to_markdown() if as_markdown else str(found), nl=not as_markdown)


def listed(detectors: str | None) -> list[str] | None:
    """The names that ``--detectors`` gives."""
    return None if detectors is None else [each.strip() for each in detectors.split(",") if each.strip()]


def _split(text: str | None, option: str, kind: type[float] | type[int]) -> list[float]:
    try:
        return [kind(each) for each in (text or "").split(",")]
    except ValueError:
        raise ValueError(f"{option} is numbers separated by commas; got {text!r}") from None


def _check(level: float, resamples: int) -> None:
    if not 0.0 < level < 1.0:
        raise ValueError(f"--level is a chance between 0 and 1, such as 0.95; got {level}")
    if resamples < 1:
        raise ValueError(f"--resamples is 1 or more; got {resamples}")
