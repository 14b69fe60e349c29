"""A reproduced figure or table of the paper: numbers, text and pictures, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rangewise.files.writing import written_whole
from rangewise.number_text import score_text
from rangewise.tables import Markup, Table, csv_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg")
_DOTS_PER_INCH = 130
DIGITS = 3
"""Digits of scores: one more than the paper prints."""


class Bar(NamedTuple):
    """A bar of a chart, a row of a figure's CSV."""

    panel: str
    dataset: str
    detector: str
    series: str
    value: float


@dataclass(frozen=True)
class Bars:
    """The bars of a figure, by series, data set and panel."""

    rows: tuple[Bar, ...]

    def value(self, series: str, dataset: str, detector: str = "lstm_ad") -> float:
        """The value of a bar; the panel is not needed, because every panel has its own series."""
        return self._index[series, dataset, detector]

    def names(self, column: str, **where: str) -> tuple[str, ...]:
        """The different entries of a column, in their order, among the rows that have the given entries."""
        matching = (row for row in self.rows if all(getattr(row, name) == value for name, value in where.items()))
        return tuple(dict.fromkeys(getattr(row, column) for row in matching))

    @cached_property
    def _index(self) -> Mapping[tuple[str, str, str], float]:
        return {(row.series, row.dataset, row.detector): row.value for row in self.rows}


@dataclass(frozen=True)
class Part:
    """One reproduced figure, table or list of claims."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    text: str
    """Markdown, without the heading and the picture."""
    pictures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)
    """How to draw each, by the name of its files."""
    command: str = ""
    more: Mapping[str, tuple[Sequence[str], Sequence[Sequence[object]]]] = field(default_factory=dict)
    """Further tables by the name of their file, as (columns, rows)."""

    def markdown(self) -> str:
        picture = "".join(f"![{self.title}]({name}.png)\n\n" for name in self.pictures)
        command = self.command or f"rangewise paper --figure {self.name}"
        return f"## {self.title}\n\n{picture}{self.text}\n\nMade by `{command}`; numbers in `{self.name}.csv`.\n"

    def write(self, folder: Path) -> list[Path]:
        """Write the CSV, the pictures and, last, the Markdown, which marks the part as complete."""
        tables = {f"{self.name}.csv": (self.columns, self.rows), **self.more}
        written = [write_csv(folder / name, columns, rows) for name, (columns, rows) in tables.items()]
        for name, draw in self.pictures.items():
            written += _write_pictures(draw, folder / name)
        return [*written, write_text(folder / f"{self.name}.md", self.markdown())]


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    return write_text(path, csv_text(columns, rows))


def write_text(path: Path, text: str) -> Path:
    with written_whole(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The first column is text; numbers have three decimals and are right-aligned."""
    body = [[score_text(cell, digits=DIGITS) if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    # Cells are texts of our own.
    cells = [[Markup(cell.replace("|", "\\|")) for cell in row] for row in body]
    return Table([Markup(column) for column in columns], cells).to_markdown().rstrip("\n")


def _write_pictures(draw: Callable[[], Figure], base: Path) -> list[Path]:
    # Drawn before matplotlib is imported here, because the drawing code reports best if it is missing.
    figure, written = draw(), []
    from matplotlib import rc_context

    # Without date, version and random ids, a picture changes only if its content does.
    with rc_context({"svg.hashsalt": "rangewise"}):
        for suffix in PICTURES:
            metadata = {"Software": None} if suffix == ".png" else {"Date": None, "Creator": None}
            with written_whole(base.with_suffix(suffix)) as part:
                figure.savefig(part, dpi=_DOTS_PER_INCH, metadata=metadata)
            written.append(base.with_suffix(suffix))
    return written
