"""``rangewise bench table`` and ``simulate``: analyze published scores, and simulate how reliable tests by series are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rangewise.bench.published_table import table as read_table
from rangewise.bench.statistics import Groups, false_rejections
from rangewise.bench.tsb_ad_leaderboard import tsb_ad_rows
from rangewise.cli.outputs import Force, PrintOptions, check_outputs, check_picture, save_picture
from rangewise.cli.printing import echo, print_json
from rangewise.files.writing import write_whole

_CORRELATIONS = (0.0, 0.1, 0.36)

TableFile = Annotated[str, typer.Argument(metavar="FILE", help="A CSV or Parquet file of scores, one row per series.")]
SeriesColumn = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column that names the series. Default: the first.")]
GroupsOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN_OR_PATTERN",
        help="The collection of each series: a column, or a regular expression whose first group matches it in the name of the series.",
    ),
]
DetectorsOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns of detectors: names, patterns (Sub-*) or ranges (FIRST..LAST), separated by commas. "
        "Default: the first adjacent columns with numbers between 0 and 1.",
    ),
]
LowerIsBetter = Annotated[bool, typer.Option("--lower-is-better", help="Lower scores are better.")]
Seed = Annotated[int, typer.Option(help="Random seed of the resamples.")]


def table(
    file: TableFile,
    series: SeriesColumn = None,
    groups: GroupsOption = None,
    detectors: DetectorsOption = None,
    lower_is_better: LowerIsBetter = False,
    level: Annotated[float, typer.Option(help="Confidence level of intervals and tests.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Number of bootstrap resamples.")] = 10_000,
    seed: Seed = 0,
    name: Annotated[str | None, typer.Option(help="The title. Default: the file's name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write an HTML page with a forest plot.")] = None,
    forest: Annotated[Path | None, typer.Option(help="Write the forest plot: PNG, SVG or PDF.")] = None,
    diagram: Annotated[Path | None, typer.Option(help="Write the critical difference diagram: PNG, SVG or PDF.")] = None,
    force: Force = False,
) -> None:
    """Analyze a table of published scores: intervals, ranks and signed-rank tests, by series and by collection.

    FILE has one row per series and one column per detector. Series of one collection are correlated: with --groups, collections are
    resampled and tested too, and both results are shown side by side.
    """
    form = PrintOptions(json=as_json, markdown=markdown, latex=latex)
    check_picture(forest, "--forest")
    check_picture(diagram, "--diagram")
    check_outputs([html, forest, diagram], [file], force=force)
    _check(level, resamples)
    table = read_table(
        file, series=series, groups=groups, detectors=listed(detectors), higher_is_better=not lower_is_better, level=level,
        resamples=resamples, seed=seed, name=name,
    )  # fmt: skip
    if diagram is not None:
        save_picture(table.plot_critical_difference().figure, diagram)
    if forest is not None:
        save_picture(table.plot_forest().figure, forest)
    if html is not None:
        write_whole(html, table.to_html())
    form.show(table)


def simulate(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A table of scores: its collections and correlation.")] = None,
    series: SeriesColumn = None,
    groups: GroupsOption = None,
    detectors: DetectorsOption = None,
    sizes: Annotated[str | None, typer.Option(metavar="N,N,...", help="The number of series in each collection, instead of FILE.")] = None,
    correlations: Annotated[
        str | None,
        typer.Option(
            metavar="R,R,...",
            help="Intraclass correlations to simulate. Default: 0, 0.1, and the one measured in FILE (0.36 without FILE).",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(help="Number of simulated tables per correlation.")] = 1500,
    level: Annotated[float, typer.Option(help="Confidence level of the tests.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Random seed of the simulation.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Simulate how often a signed-rank test calls two equal detectors different, by series and by collection.

    Two equal detectors are simulated on collections of the sizes of FILE (or --sizes), whose series have the given correlation. A test
    at 5 % should reject in 5 % of the trials.
    """  # fmt: skip
    if (file is None) == (sizes is None):
        raise ValueError("give either FILE, a table of scores, or --sizes, the number of series in each collection")
    if file is None:
        if any(option is not None for option in (series, groups, detectors)):
            raise ValueError("--series, --groups and --detectors describe FILE; give FILE too")
        counts, measured = [int(each) for each in _split(sizes, "--sizes", int)], _CORRELATIONS[-1]
    else:
        if groups is None:
            raise ValueError("FILE needs --groups, a column or a pattern that gives the collection of each series")
        table = read_table(file, series=series, groups=groups, detectors=listed(detectors), level=level)
        assert isinstance(table.groups, Groups)
        counts = table.groups.sizes.tolist()
        measured = max(0.0, round(table.correlations[1], 2)) if table.correlations is not None else _CORRELATIONS[-1]
    chosen = [*_CORRELATIONS[:2], measured] if correlations is None else _split(correlations, "--correlations", float)
    rows = [false_rejections(counts, each, trials=trials, level=level, seed=seed) for each in dict.fromkeys(chosen)]
    if as_json:
        print_json([vars(row) for row in rows])
        return
    echo("\n".join(map(str, rows)))


def tsb_ad(
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help="Series: files, folders or patterns.")],
    scores: Annotated[str, typer.Option(metavar="PATTERN", help="Files of scores, e.g. results/{series}.csv.")],
    column: Annotated[str | None, typer.Option(help="The column with the scores.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Use all thresholds instead of those of TSB-AD's program.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with one row per series.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Compute the TSB-AD leaderboard row of a folder of scores by its own rules: buffer, thresholds, all rows of each series.

    {series} in PATTERN is the name of a series without its extension. Series without a file are listed with the reason.
    """
    form = PrintOptions(json=as_json, markdown=as_markdown)
    form.show(tsb_ad_rows(data, scores, exact=exact, column=column))


def listed(detectors: str | None) -> list[str] | None:
    """The names in ``--detectors``."""
    return None if detectors is None else [each.strip() for each in detectors.split(",") if each.strip()]


def _split(text: str | None, option: str, kind: type[float] | type[int]) -> list[float]:
    try:
        return [kind(each) for each in (text or "").split(",")]
    except ValueError:
        raise ValueError(f"{option} takes numbers separated by commas; got {text!r}") from None


def _check(level: float, resamples: int) -> None:
    if not 0.0 < level < 1.0:
        raise ValueError(f"--level must be between 0 and 1, such as 0.95; got {level}")
    if resamples < 1:
        raise ValueError(f"--resamples must be 1 or more; got {resamples}")
