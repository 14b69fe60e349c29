"""A table of text that renders to a terminal, Markdown, LaTeX, HTML and CSV."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rangewise.checks import visible

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import polars

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBERS = re.compile(r"[\d+\-.,%\[\] eE/:]*|[+-](nan|inf)")
_LATEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {"[": "{[}", "]": "{]}", "*": "{*}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}"}

_WORDS = re.compile(r"\[[^][\s]+ [^][\s]+\]\S*|\S+(?: %\S*)?")
"""What stays together on a line: a word, an interval, a number with its percent sign."""
_NARROWEST_WORDS, _LONGEST_WORD = 24, 48
"""A column of words is folded down to this width before columns are left out; only longer words are cut."""
_width: ContextVar[int | None] = ContextVar("width", default=None)


@contextmanager
def text_width(width: int | None) -> Iterator[None]:
    """Within it, :meth:`Table.to_text` fits this many columns; None, as outside, is without limit.

    >>> table = Table(["class", "F1", "support"], [["walk", "0.5000", "12"]])
    >>> with text_width(14):
    ...     print(table.to_text())
    class      F1
    walk   0.5000
    <BLANKLINE>
    Left out to fit: support. --wide shows all.
    """
    before = _width.set(width)
    try:
        yield
    finally:
        _width.reset(before)


def current_width() -> int | None:
    """The width that :func:`text_width` has set."""
    return _width.get()


class Markup(str):
    """Text that is already Markdown, such as a link, and is not escaped."""

    __slots__ = ()


@dataclass(frozen=True)
class Table:
    """Columns and rows of text. Columns of words are left-aligned, columns of numbers right-aligned.

    >>> table = Table(["class", "F1"], [["walk", "0.5000"], ["a|b", "1.0000"]], bold=[(1, 1)])
    >>> print(table.to_text())
    class      F1
    walk   0.5000
    a|b    1.0000
    >>> print(table.to_markdown(), end="")
    | class | F1 |
    | --- | ---: |
    | walk | 0.5000 |
    | a\\|b | **1.0000** |
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    notes: Sequence[str] = ()
    words: Collection[int] = (0,)
    """The indices of the columns that hold words."""
    totals: int = 0
    """The number of rows at the end that are totals."""
    bold: Collection[tuple[int, int]] = ()
    """Cells in bold, by row and column."""
    folded: bool = False
    """Whether :meth:`to_text` keeps line breaks in cells; elsewhere they become spaces."""

    def to_text(self) -> str:
        """Aligned columns, two spaces apart; the title above, the notes below. Within :func:`text_width` long words are folded and the
        last columns left out, until the rest fits."""
        if (limit := current_width()) is not None and self.width > limit:
            with text_width(None):
                return self._fitted(limit).to_text()
        lines = [visible(self.title), ""] if self.title else []
        widths = self._widths()
        for row in (self.columns, *self.rows):
            for parts in zip_longest(*map(self._lines, row), fillvalue=""):
                padded = (self._padded(part, at, width) for at, (part, width) in enumerate(zip(parts, widths, strict=True)))
                lines.append("  ".join(padded).rstrip())
        return "\n".join([*lines, *(["", *map(visible, self.notes)] if self.notes else [])])

    @property
    def width(self) -> int:
        """The total width of :meth:`to_text`."""
        return sum(self._widths()) + 2 * (len(self.columns) - 1)

    def _fitted(self, limit: int) -> Table:
        """With columns of words folded and, where that is not enough, without the last columns, which a note names."""
        for count in range(len(self.columns), 0, -1):
            widths = self._widths()[:count]
            spare = limit - 2 * (count - 1) - sum(widths)
            for at in sorted(range(count), key=lambda at: -widths[at]):
                cut = max(0, min(-spare, widths[at] - self._narrowest(at)))
                widths[at], spare = widths[at] - cut, spare + cut
            if spare >= 0 or count == 1:
                break
        rows = [
            ["\n".join(folded) for folded in (_cell_lines(self._lines(cell), width) for cell, width in zip(row, widths, strict=False))]
            for row in (self.columns, *self.rows)
        ]
        left_out = ", ".join(" ".join(name.split()) for name in self.columns[count:])
        notes = [*self.notes, f"Left out to fit: {left_out}. --wide shows all."] if left_out else self.notes
        return replace(self, columns=rows[0], rows=rows[1:], notes=notes, folded=True)

    def _narrowest(self, column: int) -> int:
        """Words can be folded; of numbers only the head."""
        cells = [line for row in self.rows for line in self._lines(row[column])]
        if column not in self.words:
            return max(map(display_width, (*cells, *self.columns[column].split())), default=0)
        words = (word for cell in (*cells, self.columns[column]) for word in _WORDS.findall(cell))
        return max(_NARROWEST_WORDS, min(_LONGEST_WORD, max(map(display_width, words), default=0)))

    def to_markdown(self) -> str:
        """A Markdown table, with the title as a heading and one paragraph per note."""
        ruler = ["---" if at in self.words else "---:" for at in range(len(self.columns))]
        rows = [[markdown_text(cell) for cell in row] for row in (self.columns, *self.rows)]
        for row, column in self.bold:
            rows[row + 1][column] = f"**{rows[row + 1][column]}**"
        lines = ["| " + " | ".join(row) + " |" for row in (rows[0], ruler, *rows[1:])]
        heading = [f"### {markdown_text(self.title)}", ""] if self.title else []
        return "\n".join([*heading, *lines, *(line for note in self.notes for line in ("", markdown_text(note)))]) + "\n"

    def to_latex(self) -> str:
        """A ``tabular`` (booktabs), with a rule before the totals; a title becomes the caption of a ``table``."""
        rows = [[latex_text(cell) for cell in row] for row in (self.columns, *self.rows)]
        for row, column in self.bold:
            rows[row + 1][column] = rf"\textbf{{{rows[row + 1][column]}}}"
        header, *body = [" & ".join(row) + r" \\" for row in rows]
        before = len(body) - self.totals
        form = "".join("l" if at in self.words else "r" for at in range(len(self.columns)))
        lines = [rf"\begin{{tabular}}{{{form}}}", r"\toprule", header, r"\midrule", *body[:before]]
        lines += [*([r"\midrule", *body[before:]] if self.totals else []), r"\bottomrule", r"\end{tabular}"]
        notes = [rf"\par {latex_text(note)}" for note in self.notes]
        if self.title:
            lines = [r"\begin{table}", rf"\caption{{{latex_text(self.title)}}}", *lines, *notes, r"\end{table}"]
        else:
            lines += notes
        return "\n".join(lines) + "\n"

    def to_html(self, links: Mapping[str, str] | None = None, *, ids: str = "") -> str:
        """A ``<table>`` without title and notes, every cell escaped; a text that has a link in ``links`` becomes one. With ``ids`` the
        rows are called so, with a number from 0 on."""
        from html import escape

        links = links or {}

        def cell(kind: str, at: int, text: str) -> str:
            shown = escape(text) if text not in links else f'<a href="{escape(links[text])}">{escape(text)}</a>'
            scope = ' scope="col"' if kind == "th" else ""
            side = "" if at in self.words else ' class="number" style="text-align: right"'
            return f"<{kind}{scope}{side}>{shown}</{kind}>"

        head = "".join(cell("th", at, text) for at, text in enumerate(self.columns))
        body = "".join(
            f"<tr{f' id={ids}-{number}' if ids else ''}>{''.join(cell('td', at, text) for at, text in enumerate(row))}</tr>"
            for number, row in enumerate(self.rows)
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_csv(self) -> str:
        """The cells as they are shown."""
        return csv_text(self.columns, self.rows)

    def _lines(self, cell: str) -> list[str]:
        return [visible(line) for line in (cell.split("\n") if self.folded else [cell.replace("\n", " ")])]

    def _widths(self) -> list[int]:
        lines = ([max(map(display_width, self._lines(cell))) for cell in row] for row in (self.columns, *self.rows))
        return [max(column) for column in zip(*lines, strict=True)]

    def _padded(self, text: str, column: int, width: int) -> str:
        blanks = " " * (width - display_width(text))
        return text + blanks if column in self.words else blanks + text


def _cell_lines(lines: list[str], width: int) -> list[str]:
    return [part for line in lines for part in (wrapped(line, width) or [""])]


def wrapped(text: str, width: int, *, first: str = "", hang: int | None = None) -> list[str]:
    """A text in lines of at most ``width`` columns, cut between words (a word that is longer: anywhere).

    ``first`` begins the first line, and ``hang`` spaces (by default as many as ``first`` is wide) begin the others.

    >>> wrapped("found and missed", 12, first="R1: ")
    ['R1: found', '    and', '    missed']
    """
    if "\n" not in text and display_width(first + text) <= width:
        return [first + text] if text.strip() else []
    indent = " " * min(display_width(first) if hang is None else hang, width // 2)
    lines, line, is_open = [], first, False
    for word in _WORDS.findall(text):
        if is_open and display_width(line) + 1 + display_width(word) > width:
            lines.append(line)
            line, is_open = indent, False
        line += f" {word}" if is_open else word
        is_open = True
        while display_width(line) > width:
            kept = next(at for at in range(len(line), 0, -1) if display_width(line[:at]) <= width or at == len(indent) + 1)
            lines.append(line[:kept])
            line = indent + line[kept:]
    return [*lines, line] if is_open else lines


def display_width(text: str) -> int:
    """The width of a text in a terminal: Chinese, Japanese and Korean characters take two columns, combining marks none.

    >>> display_width("abc"), display_width("温度")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def markdown_text(text: str) -> str:
    r"""Escape text for Markdown, so that it is not read as a cell border, HTML, a link, an image or code.

    >>> print(markdown_text("a|b <img src=x> [c](d) `e`"))
    a\|b &lt;img src=x> \[c\](d) \`e\`
    """
    if isinstance(text, Markup):
        return text
    return re.sub(r"[\\|\[\]`]", r"\\\g<0>", visible(text)).replace("&", "&amp;").replace("<", "&lt;")


def latex_text(text: str) -> str:
    r"""Escape text for LaTeX; brackets are put in braces, because after a line end they would be read as a length.

    >>> print(latex_text("50% of [a_b]"))
    50\% of {[}a\_b{]}
    """
    return "".join(_LATEX.get(letter, letter) for letter in visible(text))


def csv_cell(value: Any) -> Any:
    """A CSV cell that no spreadsheet reads as a formula: text that begins like one gets an apostrophe; numbers are unchanged.

    >>> [csv_cell(value) for value in ("=1+HYPERLINK(A1)", "@x", "-0.5 [-1, 2]", "walk", -2)]
    ["'=1+HYPERLINK(A1)", "'@x", '-0.5 [-1, 2]', 'walk', -2]
    """
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBERS.fullmatch(value):
        return f"'{value}"
    return value


def plain_cell(text: str) -> str:
    """The inverse of :func:`csv_cell`.

    >>> plain_cell("'=1"), plain_cell("'tis")
    ('=1', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text


def csv_text(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV, all digits.

    >>> csv_text(["class", "f"], [["walk", 0.5]])
    'class,f\\nwalk,0.5\\n'
    """
    import csv

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([map(csv_cell, row) for row in (list(columns), *rows)])
    return text.getvalue()


def columns_as_csv(columns: Mapping[str, Iterable[Any]], path: str | Path | None = None) -> str | None:
    """Named columns as CSV with all digits, written to ``path``, or returned as text without one."""
    text = csv_text(columns, zip(*columns.values(), strict=True))
    if path is None:
        return text
    Path(path).write_text(text, encoding="utf-8")
    return None


class Frames:
    """``to_pandas``, ``to_polars`` and ``to_csv`` of a result whose ``columns()`` have one entry per row."""

    def columns(self) -> dict[str, Any]:
        """The values by column, for a data frame of any library."""
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas table of :meth:`columns`."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def to_polars(self) -> polars.DataFrame:
        """A polars table of :meth:`columns`."""
        import polars as pl

        return pl.DataFrame(self.columns(), strict=False)

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """CSV of :meth:`columns` with all digits; written to ``path``, or returned as text without one."""
        plain = {name: values.tolist() if isinstance(values, np.ndarray) else values for name, values in self.columns().items()}
        return columns_as_csv(plain, path)
