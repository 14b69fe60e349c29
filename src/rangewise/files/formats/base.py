"""What a format is: a name, how it looks, how it is read, how it is written, and whether its ends are included."""

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
"""What stands around JSON in prose, as language models write it."""
EDF_MAGIC = b"0       "
NAME_LABEL_COLUMN = "name the one with the labels with --column"
A_ROW_A_POINT = "one label per row: no ends"
TIMES_END = "inclusive, of times"
"""What a reader notes that leaves open whether its times include their end."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What neither name nor content of a file tells. Each format uses what it has a use for; ``uses`` notes what that was.

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
    joined: bool = False
    """Whether ranges of rows that overlap become one, instead of an error."""
    tz: str | None = None
    """The zone of times that are written without one."""
    may_lack_series: bool = False
    """Whether a series that a file of several does not name has no events there, as in a detector's list, instead of an error."""
    until: np.datetime64 | None = None
    """When ranges of times end that are still open."""
    uses: set[str] = field(default_factory=set, compare=False, repr=False)
    """The choices that a reader asked for. What none asked for has no effect."""

    def __getattribute__(self, name: str) -> Any:
        if name in _CHOICES:
            object.__getattribute__(self, "uses").add(name)
        return object.__getattribute__(self, name)

    def has(self, name: str) -> bool:
        """Whether a choice is made; to ask is not to use it."""
        return vars(self)[name] is not None

    def of_series(self, series: str | None) -> Choices:
        """The same choices for another series of the file."""
        return Choices(**vars(self) | {"series": series})


_CHOICES = frozenset(("column", "series", "inclusive", "start_column", "end_column", "tz", "until"))


class Look:
    """What a file shows of itself before its format is known: its name, and its content as a table, as JSON, or as plain text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kind = _kind_of(source)

    @property
    def name(self) -> str:
        return self.source.file_name

    @property
    def columns(self) -> list[str]:
        """The columns of a table; none where there is no table."""
        return self.source.table.columns if self.kind == "table" else []

    @property
    def json(self) -> Any:
        """What JSON says; None where there is no JSON."""
        return self.source.json if self.kind == "json" else None


@dataclass(frozen=True, kw_only=True)
class Format:
    """A way to write anomalies down.

    ``looks`` says whether a file may be in this format; ``otherwise`` names the kind of file that is in this format when no other one
    looks right. ``writes`` gets what is known and the name of the new file; None: the format is only read. ``events`` reads events with
    their classes and confidences, where the format has them.
    """

    name: str
    about: str
    end: str
    looks: Callable[[Look], bool]
    reads: Callable[[Source, Choices], Annotations]
    writes: Callable[[Annotations, str], Content] | None
    otherwise: Kind | None = None
    events: Callable[[Source, Choices], EventTable] | None = None


def event_format(
    *,
    name: str,
    about: str,
    looks: Callable[[Look], bool],
    events: Callable[[Source, Choices], EventTable],
    end: str = "excluded",
    writes: Callable[[Annotations, str], Content] | None = None,
) -> Format:
    """A format of events with classes or confidences; as anomalies, all of its events count."""
    return Format(
        name=name,
        about=about,
        end=end,
        looks=looks,
        reads=lambda source, how: events(source, how).annotations(),
        writes=writes,
        events=events,
    )


def reading_series(read: Callable[[Source], Series]) -> Callable[[Source, Choices], Annotations]:
    """The reader of a format that holds whole series."""
    return lambda source, how: Annotations.of_series(read(source), source.name)


def values_of(annotations: Annotations, name: str) -> Series:
    """The series, for a format that holds values too."""
    if annotations.series is None or not annotations.series.channels:
        raise ValueError(f"{name} holds values too, but {annotations.name} has only labels or ranges; choose another format")
    return annotations.series


def label_array(annotations: Annotations) -> NDArray[np.uint8]:
    """One label per row, for a format that spells every row out."""
    if annotations.length is None:
        raise ValueError(f"{annotations.name} does not say how many rows there are; give --length, or their timestamps with --times")
    return annotations.rows().to_labels(annotations.length)


def _kind_of(source: Source) -> Kind:
    if source.content.startswith(PARQUET_MAGIC):
        return "table"
    if source.content.startswith(EDF_MAGIC):
        return "binary"
    # A line that is no text is complained about here, whatever the format.
    if source.content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{"):
        return "json"
    first_line = source.text.lstrip().partition("\n")[0].strip()
    if is_label_line(first_line) or FENCE in source.content:
        return "text"
    if "," in first_line or _is_column_name(first_line):
        return "table"
    return "table" if any(mark in first_line and _has_words(first_line.split(mark)) for mark in ";\t") else "text"


def is_label_line(line: str) -> bool:
    """Two numbers and perhaps a text, apart by tabs: a label track of Audacity has no names of columns."""
    cells = line.split("\t")
    return len(cells) in (2, 3) and not _has_words(cells[:1]) and not _has_words(cells[1:2])


def _has_words(cells: list[str]) -> bool:
    """Whether some of the cells are no numbers."""
    try:
        return not [float(cell) for cell in cells]
    except ValueError:
        return True


def _is_column_name(line: str) -> bool:
    """A single word that is no label: the name of the only column."""
    return line.replace("_", "").isalpha() and line.lower() not in ("true", "false", "yes", "no", "nan")
