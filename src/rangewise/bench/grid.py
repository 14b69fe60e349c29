"""A table of texts: for the terminal, as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from rangewise.checks import visible
from rangewise.text_table import csv_cell, latex_text, markdown_text


@dataclass(frozen=True)
class Grid:
    """Columns and rows of texts, with a title and notes below.

    >>> print(Grid("who", ["name", "f"], [["a", "0.5"]]).markdown())
    ### who
    <BLANKLINE>
    | name | f |
    | --- | --- |
    | a | 0.5 |
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def text(self) -> str:
        """Aligned columns."""
        table = [[visible(cell) for cell in row] for row in (self.columns, *self.rows)]
        widths = [max(len(row[place]) for row in table) for place in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
        notes = _below([visible(note) for note in self.notes])
        return "\n".join([visible(self.title), "", lines[0], "  ".join("-" * width for width in widths), *lines[1:], *notes])

    def markdown(self, level: int = 3) -> str:
        rows = [self.columns, ["---"] * len(self.columns), *self.rows]
        lines = ["| " + " | ".join(markdown_text(cell) for cell in row) + " |" for row in rows]
        notes = [markdown_text(note) for note in self.notes]
        return "\n".join([f"{'#' * level} {markdown_text(self.title)}", "", *lines, *_below(notes, "\n")])

    def latex(self) -> str:
        """A ``tabular`` with booktabs rules in a ``table``."""
        lines = [" & ".join(latex_text(cell) for cell in row) + r" \\" for row in (self.columns, *self.rows)]
        begin = [
            r"\begin{table}",
            rf"\caption{{{latex_text(self.title)}}}",
            rf"\begin{{tabular}}{{{'l' * len(self.columns)}}}",
            r"\toprule",
        ]
        notes = [rf"\par {latex_text(note)}" for note in self.notes]
        return "\n".join([*begin, lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}", *notes, r"\end{table}"])

    def csv(self) -> str:
        target = io.StringIO()
        csv.writer(target, lineterminator="\n").writerows([map(csv_cell, row) for row in (self.columns, *self.rows)])
        return target.getvalue().rstrip("\n")


def _below(notes: Sequence[str], between: str = "") -> list[str]:
    return (
        [line for note in notes for line in ([between.strip("\n"), note] if between else [note])]
        if between
        else (["", *notes] if notes else [])
    )
