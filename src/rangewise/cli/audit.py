"""``rangewise audit``: check the labels of a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rangewise.audits import Audit
from rangewise.audits import audit as examine
from rangewise.bench.published_table import table as read_table
from rangewise.cli.bench_table import DetectorsOption, GroupsOption, LowerIsBetter, SeriesColumn, listed
from rangewise.cli.outputs import Force, PrintOptions, check_outputs
from rangewise.cli.printing import echo, print_data, print_json
from rangewise.files.writing import write_whole
from rangewise.number_text import score_text
from rangewise.tables import Table

_ENDINGS = (".gz", ".csv", ".txt", ".out", ".parquet")


def audit(
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help="Series: files, folders, patterns, or nab:*.")],
    name: Annotated[str | None, typer.Option(help="The name of the data set. Default: the first DATA.")] = None,
    table: Annotated[
        str | None, typer.Option(metavar="FILE", help="A table of published scores: show means with and without flawed series.")
    ] = None,
    series: SeriesColumn = None,
    groups: GroupsOption = None,
    detectors: DetectorsOption = None,
    lower_is_better: LowerIsBetter = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write an HTML page with plots of the flaws.")] = None,
    force: Force = False,
) -> None:
    """Can you trust a data set? Check its series for flaws before you compare detectors on them.

    A flaw is a reason to leave a series out: a one-liner solves it, its labels are shifted, it repeats another series, and so on.
    --table shows the means of published scores with and without the flawed series.
    """
    form = PrintOptions(json=as_json, markdown=as_markdown)
    if table is None and (lower_is_better or any(option is not None for option in (series, groups, detectors))):
        raise ValueError("--series, --groups, --detectors and --lower-is-better describe the file of --table; give --table FILE too")
    check_outputs([html], [*data, table], force=force)
    audited = examine(*data, name=name if name is not None else data[0])
    scores = None if table is None else _means(audited, table, series, groups, listed(detectors), higher_is_better=not lower_is_better)
    if html is not None:
        write_whole(html, audited.to_html())
    if as_json:
        print_json(audited.to_dict() | ({} if scores is None else {"table": scores[0], "table_series": scores[1]}))
        return
    form.show(audited)
    if scores is not None:
        rows, counts = scores
        shown = Table(
            ["detector", "mean", "place", "without flawed series", "place"],
            [
                [row["detector"], score_text(row["mean"]), str(row["place"]), score_text(row["clean_mean"]), str(row["clean_place"])]
                for row in rows
            ],
            notes=[f"Means over {counts['in_data']} of {counts['all']} series of {table}; {counts['clean']} of them have no flaw."],
        )
        (print_data if as_markdown else echo)("\n" + (shown.to_markdown() if as_markdown else shown.to_text()))


def _means(
    audited: Audit, table: str, series: str | None, groups: str | None, detectors: list[str] | None, *, higher_is_better: bool
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The mean of each detector over the series of the table that are in the data, and over those without a flaw; and their numbers."""
    whole = read_table(table, series=series, groups=groups, detectors=detectors, higher_is_better=higher_is_better)
    clean, flagged = ({_plain(name) for name in names} for names in (audited.clean, audited.flagged))
    known = [name for name in whole.series if _plain(name) in clean | flagged]
    if not known:
        raise ValueError(f"{table} has none of the {len(audited.names)} series of the data; series are matched by their file names")
    whole = whole.keep(known)
    kept = [name for name in whole.series if _plain(name) in clean]
    if not kept:
        raise ValueError("every series of the table has a flaw; none is left to compute means of")
    rest = whole.keep(kept)
    place = {name: number for number, name in enumerate(rest.detectors, 1)}
    means = {each: dict(zip(of.detectors, of.values.mean(axis=0).tolist(), strict=True)) for each, of in (("all", whole), ("clean", rest))}
    rows = [
        {"detector": name, "mean": means["all"][name], "place": number, "clean_mean": means["clean"][name], "clean_place": place[name]}
        for number, name in enumerate(whole.detectors, 1)
    ]
    return rows, {"all": whole.all_series, "in_data": len(known), "clean": len(kept)}


def _plain(name: str) -> str:
    """The name of a series without folders and extensions."""
    last = name.replace("\\", "/").rpartition("/")[2]
    while last.endswith(_ENDINGS):
        last = last.rpartition(".")[0]
    return last
