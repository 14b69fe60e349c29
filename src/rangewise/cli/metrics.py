"""``rangewise metrics``: the table of all metrics."""

from __future__ import annotations

import math
import textwrap
from pathlib import PurePosixPath
from typing import Annotated

import typer

from rangewise.cli.inputs import FamilyName
from rangewise.cli.printing import echo
from rangewise.metrics import FAMILIES, LAWS, METRICS, Family, Metric
from rangewise.metrics.named import family_metrics, known_metric
from rangewise.tables import Markup, Table

_WIDE = 80


def metrics(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Metrics to tell all about; none for the list.", show_default=False)
    ] = None,
    family: FamilyName = None,
    wide: Annotated[bool, typer.Option("--wide", help="A line a metric with all that is known of it, however wide.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print docs/metrics/index.md.")] = False,
) -> None:
    """List every metric by family: its bounds and what it is; with names, all that is known of those."""
    if markdown:
        echo(_markdown(), nl=False)
        return
    if wide:
        chosen = [known_metric(name, "a metric") for name in names] if names else family_metrics(family) if family else METRICS.values()
        echo(_wide_listing(list(chosen)))
        return
    if names:
        echo("\n\n".join(_details(known_metric(name, "a metric")) for name in names))
        return
    listed = family_metrics(family)
    for name, text in FAMILIES.items():
        members = listed if name == family else [] if family or name == "tsb-ad" else family_metrics(name)
        if members:
            echo(_listing(name, text, members))
    echo("rangewise metrics NAME tells all about one. score and compare take --metric NAME\nand --family FAMILY.")


def _listing(family: Family, text: str, members: list[Metric]) -> str:
    """A family in lines of 80 columns."""
    lines = [f"{family}: {text}"]
    indent = 2 + max(map(len, METRICS)) + 1
    for metric in members:
        begin = f"  {metric.name}".ljust(indent)
        said = f"{_bounds(metric):6} {metric.leaderboard + ': ' if family == 'tsb-ad' else ''}{metric.summary}"
        lines += textwrap.wrap(said, _WIDE, initial_indent=begin, subsequent_indent=" " * (indent + 7), drop_whitespace=True)
    return "\n".join(lines) + "\n"


def _wide_listing(members: list[Metric]) -> str:
    rows = [
        {"metric": metric.name, "what it is": metric.summary} | _facts(metric) | {"breaks": ", ".join(metric.breaks)} for metric in members
    ]
    return Table(list(rows[0]), [list(row.values()) for row in rows], words=range(len(rows[0]))).to_text()


def _details(metric: Metric) -> str:
    lines = [f"{metric.name}: {metric.summary}", *(f"  {name:9} {text}" for name, text in _facts(metric).items())]
    return "\n".join([*lines, *_broken(metric)])


def _facts(metric: Metric) -> dict[str, str]:
    return {
        "needs": f"{metric.needs}{'; with ranges also length=' if metric.takes_length else ''}",
        "bounds": f"{_bounds(metric)}, {metric.better} is better",
        "family": f"{metric.family}{f', tsb-ad ({metric.leaderboard})' if metric.leaderboard else ''}",
        "reference": metric.reference,
        "page": metric.page,
    }


def _broken(metric: Metric) -> list[str]:
    """The laws that it breaks: each with what it says and what was measured, faults before choices."""
    lines: list[str] = []
    for choice, heading in ((False, "breaks, as measured (docs/metrics/laws.md)"), (True, "chooses against (no fault)")):
        laws = [LAWS[name] for name in metric.breaks if LAWS[name].choice == choice]
        if laws:
            lines.append(f"  {heading}:")
        for law in laws:
            found = law.measure(metric)
            said = f"{law.says}: {found.words if found else ''}"
            lines += textwrap.wrap(said, _WIDE, initial_indent=f"    {law.name:13} ", subsequent_indent=" " * 18)
    return lines


def _bounds(metric: Metric) -> str:
    return f"{metric.low:g}..{'' if math.isinf(metric.high) else f'{metric.high:g}'}".replace("-inf", "")


def _markdown() -> str:
    """The index page of the documentation, with links relative to its folder."""
    lines = [
        "# All metrics",
        "",
        "`rangewise metrics --markdown > docs/metrics/index.md` makes this page from `src/rangewise/metrics/table.py`; do not edit it.",
        "",
        "A function takes the real side first, then predicted ranges or labels (or scores, where it says so), and gives a float;",
        "`rangewise score --metric NAME` and `rangewise compare --metric NAME` compute it. *Nothing*: what it gives without predictions.",
        "Families can be asked for together: `--family NAME`; `tsb-ad` are those with a column on its leaderboard.",
    ]
    for family, text in FAMILIES.items():
        if family == "tsb-ad":
            continue
        lines += ["", f"## {family}", "", f"{text[0].upper()}{text[1:]}.", ""]
        columns = ["metric", "bounds", "better", "nothing", "what it is", "reference", "TSB-AD"]
        rows = [_row(metric) for metric in family_metrics(family)]
        lines.append(Table(columns, rows, words=range(len(columns))).to_markdown().rstrip("\n"))
    return "\n".join(lines) + "\n"


def _row(metric: Metric) -> list[str]:
    page = PurePosixPath(metric.page).relative_to("docs")
    link = page.name if page.parts[0] == "metrics" else f"../{page}"
    name, nothing = Markup(f"[`{metric.name}`]({link})"), f"{metric.nothing:g}"
    return [name, _bounds(metric), metric.better, nothing, metric.summary, metric.reference, metric.leaderboard]
