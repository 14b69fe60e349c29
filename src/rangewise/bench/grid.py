"""A table of texts: for the terminal, as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

_LATEX = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
    }
)  # fmt: skip


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
        table = [list(self.columns), *map(list, self.rows)]
        widths = [max(len(row[place]) for row in table) for place in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
        return "\n".join([self.title, "", lines[0], "  ".join("-" * width for width in widths), *lines[1:], *_below(self.notes)])

    def markdown(self, level: int = 3) -> str:
        rows = [self.columns, ["---"] * len(self.columns), *self.rows]
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        return "\n".join([f"{'#' * level} {self.title}", "", *lines, *_below(self.notes, "\n")])

    def latex(self) -> str:
        """A ``tabular`` with booktabs rules in a ``table``."""
        lines = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in (self.columns, *self.rows)]
        begin = [
            r"\begin{table}",
            rf"\caption{{{self.title.translate(_LATEX)}}}",
            rf"\begin{{tabular}}{{{'l' * len(self.columns)}}}",
            r"\toprule",
        ]
        notes = [rf"\par {note.translate(_LATEX)}" for note in self.notes]
        return "\n".join([*begin, lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}", *notes, r"\end{table}"])

    def csv(self) -> str:
        target = io.StringIO()
        csv.writer(target, lineterminator="\n").writerows([self.columns, *self.rows])
        return target.getvalue().rstrip("\n")


def _below(notes: Sequence[str], between: str = "") -> list[str]:
    return (
        [line for note in notes for line in ([between.strip("\n"), note] if between else [note])]
        if between
        else (["", *notes] if notes else [])
    )
