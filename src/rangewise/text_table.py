"""Tables of text, for every place where one is read: a terminal, Markdown, LaTeX, a notebook, CSV. The first row names the columns."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from rangewise.checks import visible

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBERS = re.compile(r"[\d+\-.,%\[\] eE/:]*|[+-](nan|inf)")
_LATEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {"[": "{[}", "]": "{]}", "*": "{*}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}

Cells: TypeAlias = Sequence[Sequence[str]]
Places: TypeAlias = Collection[tuple[int, int]]
"""Cells by row and column; the first row is the header."""


def aligned(cells: Cells) -> str:
    """Names to the left, numbers to the right.

    >>> print(aligned([["class", "F1"], ["walk", "0.5000"]]))
    class      F1
    walk   0.5000
    """
    cells = [[visible(cell) for cell in row] for row in cells]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for name, *numbers in cells:
        right = (f"  {cell:>{width}}" for cell, width in zip(numbers, widths[1:], strict=True))
        lines.append(f"{name:<{widths[0]}}{''.join(right)}".rstrip())
    return "\n".join(lines)


def markdown(cells: Cells, *, bold: Places = ()) -> str:
    """A Markdown table; ``bold`` are the cells that stand out.

    >>> print(markdown([["class", "F1"], ["a|b", "0.5"]]), end="")
    | class | F1 |
    | --- | ---: |
    | a\\|b | 0.5 |
    >>> print(markdown([["class", "F1"], ["walk", "0.5"]], bold=[(1, 1)]), end="")
    | class | F1 |
    | --- | ---: |
    | walk | **0.5** |
    """
    ruler = ["---", *["---:"] * (len(cells[0]) - 1)]
    escaped = [[markdown_text(cell) for cell in row] for row in cells]
    for row, column in bold:
        escaped[row][column] = f"**{escaped[row][column]}**"
    return "\n".join("| " + " | ".join(row) + " |" for row in (escaped[0], ruler, *escaped[1:])) + "\n"


def latex(cells: Cells, *, totals: int = 0, bold: Places = ()) -> str:
    """A LaTeX ``tabular`` (booktabs), with a rule before the last ``totals`` rows; ``bold`` are the cells that stand out."""
    escaped = [[latex_text(cell) for cell in row] for row in cells]
    for row, column in bold:
        escaped[row][column] = rf"\textbf{{{escaped[row][column]}}}"
    header, *body = [" & ".join(row) + r" \\" for row in escaped]
    begin = rf"\begin{{tabular}}{{l{'r' * (len(cells[0]) - 1)}}}"
    at = len(body) - totals
    last = [r"\midrule", *body[at:]] if totals else []
    return "\n".join([begin, r"\toprule", header, r"\midrule", *body[:at], *last, r"\bottomrule", r"\end{tabular}", ""])


def html(cells: Cells) -> str:
    """A table for notebooks, with every cell escaped."""
    from html import escape

    right = ' style="text-align: right"'
    header, *body = cells
    rows = ["".join(f"<td{right if at else ''}>{escape(cell)}</td>" for at, cell in enumerate(row)) for row in body]
    head = "".join(f"<th{right if at else ''}>{escape(cell)}</th>" for at, cell in enumerate(header))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"


def csv_text(columns: Mapping[str, Iterable[Any]], path: str | Path | None = None) -> str | None:
    """Columns as CSV, all digits: into a file, or as text when no ``path`` is given.

    >>> csv_text({"class": ["walk"], "f": [0.5]})
    'class,f\\nwalk,0.5\\n'
    """
    import csv

    text = io.StringIO()
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    csv.writer(text, lineterminator="\n").writerows([map(csv_cell, row) for row in rows])
    if path is None:
        return text.getvalue()
    Path(path).write_text(text.getvalue(), encoding="utf-8")
    return None


def markdown_text(text: str) -> str:
    r"""A text in Markdown that is neither a cell's border, nor HTML, a link, a picture or code.

    >>> print(markdown_text("a|b <img src=x> [c](d) `e`"))
    a\|b &lt;img src=x> \[c\](d) \`e\`
    """
    return re.sub(r"[\\|\[\]`]", r"\\\g<0>", visible(text)).replace("&", "&amp;").replace("<", "&lt;")


def latex_text(text: str) -> str:
    r"""A text in LaTeX that is no command; brackets are in braces, since after a line end they would be a length.

    >>> print(latex_text("50% of [a_b]"))
    50\% of {[}a\_b{]}
    """
    return "".join(_LATEX.get(letter, letter) for letter in visible(text))


def csv_cell(value: Any) -> Any:
    """A cell of CSV that no spreadsheet takes for a formula: a text that begins like one gets an apostrophe; numbers stay.

    >>> [csv_cell(value) for value in ("=1+HYPERLINK(A1)", "@x", "-0.5 [-1, 2]", "walk", -2)]
    ["'=1+HYPERLINK(A1)", "'@x", '-0.5 [-1, 2]', 'walk', -2]
    """
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBERS.fullmatch(value):
        return f"'{value}"
    return value


def plain_cell(text: str) -> str:
    """The text that :func:`csv_cell` wrote.

    >>> plain_cell("'=1"), plain_cell("'tis")
    ('=1', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text
