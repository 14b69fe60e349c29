"""The interface of a format: its name, detection, reader and writer, and whether ends are included."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown_names
from rangewise.files.annotations import Annotations
from rangewise.files.events import EventTable
from rangewise.files.series import Series
from rangewise.files.source import Kind, Source
from rangewise.files.times import TimeRanges
from rangewise.inputs.instants import NANOSECONDS

Columns: TypeAlias = Mapping[str, NDArray[Any]]
Content: TypeAlias = bytes | Columns
Read: TypeAlias = Annotations | TimeRanges | Series

NAME_LABEL_COLUMN = "give the column of labels with --column"
ZONE_IN_BOTH = "write the zone in both"
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


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format of anomalies.

    Files of its ``kinds`` may be in this format if a table has its ``columns``, text ``begins`` like it, the name of the file matches
    ``file_name``, and ``looks`` says so, each if given; ``otherwise`` names the kind of file that falls back to it.
    ``reads`` returns what the file has: annotations, ranges in times, or a labeled series.
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
    begins: str = ""
    file_name: re.Pattern[str] | None = None
    looks: Callable[[Source], bool] | None = None
    reads: Callable[[Source, Choices], Read] | None = None
    writes: Callable[[Annotations, str], Content] | None = None
    otherwise: Kind | None = None
    events: Callable[[Source, Choices], EventTable] | None = None

    def read(self, source: Source, how: Choices) -> Annotations:
        """The anomalies of a file in this format; open ranges of times end at ``how.until``."""
        if self.reads is None:
            assert self.events is not None
            read: Read = self.events(source, how).annotations()
        else:
            read = self.reads(source, how)
        if isinstance(read, Series):
            return Annotations.of_series(read, source.name)
        annotations = read if isinstance(read, Annotations) else Annotations(source.name, read)
        ranges, weights = annotations.ranges, annotations.weights
        if not isinstance(ranges, TimeRanges):
            return annotations
        if weights is not None:
            weights = weights[ranges.begun(how.until)[np.argsort(ranges.firsts, kind="stable")]]
        return replace(annotations, ranges=ranges.closed(how.until), weights=weights)

    def fits(self, source: Source) -> bool:
        """Whether a file may be in this format."""
        if source.kind not in self.kinds or (source.kind == "table" and not self.has_columns(source)):
            return False
        if self.begins and source.kind != "table" and not source.text.startswith(self.begins):
            return False
        if self.file_name is not None and not self.file_name.match(source.file_name):
            return False
        return self.looks is None or self.looks(source)

    def has_columns(self, source: Source) -> bool:
        """Whether a file has the columns of this format."""
        if not self.columns:
            return True
        given = {self.plain_name(column) for column in source.columns}
        return not any(given.isdisjoint(names) for names in self.columns)


def is_list_of(data: Any, fits: Callable[[dict[str, Any]], object]) -> bool:
    """Whether JSON data is a list of objects that fit."""
    return isinstance(data, list) and all(isinstance(each, dict) and fits(each) for each in data)


def chosen_series(name: str, known: Collection[str], series: str | None, what: str) -> str:
    """The one of several series in a file that was chosen, or its only one; ``what`` is what the format calls a series."""
    if not known:
        raise ValueError(f"{name} has 0 {what.removesuffix('s')}s; expected at least one")
    if series is None and len(known) != 1:
        raise ValueError(f"{name} has {len(known)} {what.removesuffix('s')}s, {shown_names(known)}; choose one with --series")
    if series is not None and series not in known:
        raise ValueError(f"{name} has no {what} {series!r}; it has {shown_names(known)}")
    return next(iter(known)) if series is None else series


def values_of(annotations: Annotations, name: str) -> Series:
    """The series, for a format that includes values."""
    if annotations.series is None or not annotations.series.channels:
        raise ValueError(f"{name} needs values, but {annotations.name} has only labels or ranges; choose another format")
    return annotations.series


def dated_times(annotations: Annotations, name: str, unit: str = "ns", *, may_be_open: bool = False) -> TimeRanges:
    """Dates with the end included, for a format without seconds since a start; ``unit`` is the finest time that the format has.

    An excluded end becomes the last time before it. Open ranges are an error unless the format has them (``may_be_open``).
    """
    times = annotations.times()
    if len(times) and times.elapsed:
        raise ValueError(f"{name} has dates, but {annotations.name} has seconds since the start of a recording; choose another format")
    if not may_be_open:
        times.check_closed()
    if times.inclusive:
        return times
    return replace(times, lasts=np.maximum(times.firsts, times.lasts - np.timedelta64(NANOSECONDS[unit], "ns")), inclusive=True)


def label_array(annotations: Annotations) -> NDArray[np.uint8]:
    """One label per row, for a format that lists every row."""
    if annotations.length is None:
        raise ValueError(f"{annotations.name} does not have the number of rows; give --length, or their timestamps with --times")
    return annotations.rows().to_labels(annotations.length)
