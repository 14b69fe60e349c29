"""``rangewise metrics``: the table of all metrics."""

from __future__ import annotations

import math
import sys
from pathlib import PurePosixPath
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from rangewise.metrics import METRICS, Metric

_WIDE = 240
_HEADINGS = ("metric", "needs", "bounds", "better", "what it is", "reference", "page")


def metrics(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print docs/metrics/index.md.")] = False,
) -> None:
    """List every metric: what it needs, its bounds, which way is better, where it is from."""
    if markdown:
        typer.echo(_markdown(), nl=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in _HEADINGS:
        table.add_column(heading, no_wrap=heading == "metric", overflow="fold")
    for metric in METRICS.values():
        table.add_row(metric.name, metric.needs, _bounds(metric), metric.better, metric.summary, metric.reference, metric.page)
    # A pipe or a file has no width of its own: one line a metric.
    Console(width=None if sys.stdout.isatty() else _WIDE).print(table)


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
        "",
        "| metric | needs | bounds | better | nothing | what it is | reference |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for metric in METRICS.values():
        page = PurePosixPath(metric.page).relative_to("docs")
        link = page.name if page.parts[0] == "metrics" else f"../{page}"
        name, nothing = f"[`{metric.name}`]({link})", f"{metric.nothing:g}"
        cells = (name, metric.needs, _bounds(metric), metric.better, nothing, metric.summary, metric.reference)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
