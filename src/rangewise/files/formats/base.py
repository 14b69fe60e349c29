"""The interface of a format: its name, detection, reader and writer, and whether ends are included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise.files.annotations import Annotations
from rangewise.files.events import EventTable
from rangewise.files.series import Series
from rangewise.files.source import Source
from rangewise.files.tables import PARQUET_MAGIC

Columns: TypeAlias = Mapping[str, NDArray[Any]]
Content: TypeAlias = bytes | Columns
Kind: TypeAlias = Literal["table", "json", "text", "binary"]

FENCE = b"```"
"""Code fences around JSON, as language models write them."""
EDF_MAGIC = b"0       "
NAME_LABEL_COLUMN = "give the column of labels with --column"
ONE_ROW_PER_POINT = "one label per row: no ends"
TIMES_END = "inclusive, of times"
"""Noted by readers of times whose format does not define whether the end is included."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Options for reading a file. Each format uses those that apply to it; ``uses`` notes which.

    >>> how = Choices(column="a", series="b")
    >>> how.series
    'b'
    >>> sorted(how.uses)
    ['series']
    """

    column: str | None = None
    series: str | None = None
    inclusive: bool | None = None
    start_column: str | None = None
    end_column: str | None = None
    weights: str | None = None
    """The column with the weight of each range."""
    joined: bool = False
    """Whether overlapping ranges of rows are joined; otherwise they are an error."""
    tz: str | None = None
    """The time zone of times without one."""
    may_lack_series: bool = False
    """Whether a series missing from a file of several has no events, as in a detector's list; otherwise that is an error."""
    until: np.datetime64 | None = None
    """The end of open ranges of times."""
    uses: set[str] = field(default_factory=set, compare=False, repr=False)
    """The options that a reader used. Others have no effect."""

    def __getattribute__(self, name: str) -> Any:
        if name in _CHOICES:
            object.__getattribute__(self, "uses").add(name)
        return object.__getattribute__(self, name)

    def has(self, name: str) -> bool:
        """Whether an option is set, without noting it as used."""
        return vars(self)[name] is not None

    def of_series(self, series: str | None) -> Choices:
        """The same options for another series of the file."""
        return Choices(**vars(self) | {"series": series})


_CHOICES = frozenset(("column", "series", "inclusive", "start_column", "end_column", "weights", "tz", "until"))


class Look:
    """The parts of a file used to detect its format: its name, and its content as a table, JSON, or plain text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kind = _kind_of(source)

    @property
    def columns(self) -> list[str]:
        """The columns of a table; empty if it is not a table."""
        return self.source.table.columns if self.kind == "table" else []

    @property
    def json(self) -> Any:
        """The parsed JSON; None if it is not JSON."""
        return self.source.json if self.kind == "json" else None


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format of anomalies.

    Files of its ``kinds`` may be in this format if a table has its ``columns`` and ``looks``, if given, says so; ``otherwise`` names the
    kind of file that falls back to it.
    ``writes`` takes the annotations and the name of the new file; None means that the format can only be read. ``events``
    reads events with classes and confidences, if the format has them; without ``reads``, all of them are anomalies.
    """

    name: str
    about: str
    end: str = "excluded"
    kinds: tuple[Kind, ...]
    columns: tuple[tuple[str, ...], ...] = ()
    """Columns that a table in this format has, each with its possible names."""
    plain_name: Callable[[str], str] = str
    """Applied to the names of a table's columns before they are compared with these."""
    looks: Callable[[Look], bool] | None = None
    reads: Callable[[Source, Choices], Annotations] | None = None
    writes: Callable[[Annotations, str], Content] | None = None
    otherwise: Kind | None = None
    events: Callable[[Source, Choices], EventTable] | None = None

    def read(self, source: Source, how: Choices) -> Annotations:
        """The anomalies of a file in this format."""
        if self.reads is not None:
            return self.reads(source, how)
        assert self.events is not None
        return self.events(source, how).annotations()

    def fits(self, look: Look) -> bool:
        """Whether a file may be in this format."""
        if look.kind not in self.kinds or (look.kind == "table" and not self.has_columns(look)):
            return False
        return self.looks is None or self.looks(look)

    def has_columns(self, look: Look) -> bool:
        """Whether a file has the columns of this format."""
        if not self.columns:
            return True
        given = {self.plain_name(column) for column in look.columns}
        return not any(given.isdisjoint(names) for names in self.columns)


def reading_series(read: Callable[[Source], Series]) -> Callable[[Source, Choices], Annotations]:
    """The reader of a format with complete series."""
    return lambda source, how: Annotations.of_series(read(source), source.name)


def values_of(annotations: Annotations, name: str) -> Series:
    """The series, for a format that includes values."""
    if annotations.series is None or not annotations.series.channels:
        raise ValueError(f"{name} needs values, but {annotations.name} has only labels or ranges; choose another format")
    return annotations.series


def label_array(annotations: Annotations) -> NDArray[np.uint8]:
    """One label per row, for a format that lists every row."""
    if annotations.length is None:
        raise ValueError(f"{annotations.name} does not have the number of rows; give --length, or their timestamps with --times")
    return annotations.rows().to_labels(annotations.length)


def _kind_of(source: Source) -> Kind:
    if source.content.startswith(PARQUET_MAGIC):
        return "table"
    if source.content.startswith(EDF_MAGIC):
        return "binary"
    # Lines that are not text are refused here, whatever the format.
    if source.content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{"):
        return "json"
    first_line = source.text.lstrip().partition("\n")[0].strip()
    if is_label_line(first_line) or FENCE in source.content:
        return "text"
    if "," in first_line or _is_column_name(first_line):
        return "table"
    return "table" if any(mark in first_line and _has_words(first_line.split(mark)) for mark in ";\t") else "text"


def is_label_line(line: str) -> bool:
    """Whether it is two numbers and optional text separated by tabs, as in a label track of Audacity, which has no column names."""
    cells = line.split("\t")
    return len(cells) in (2, 3) and not _has_words(cells[:1]) and not _has_words(cells[1:2])


def _has_words(cells: list[str]) -> bool:
    """Whether some of the cells are not numbers."""
    try:
        return not [float(cell) for cell in cells]
    except ValueError:
        return True


def _is_column_name(line: str) -> bool:
    """Whether it is a single word other than a label: the name of the only column."""
    return line.replace("_", "").isalpha() and line.lower() not in ("true", "false", "yes", "no", "nan")
