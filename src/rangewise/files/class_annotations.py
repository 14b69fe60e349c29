"""Classes of one file: one class per line, a column of a table, a table ``start,end,class``, Label Studio's regions, or events.

Classes are text, even if they look like numbers. Ends are included or excluded as in the formats of anomalies (``docs/formats.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown_text
from rangewise.files.events import EventTable, column_of
from rangewise.files.formats.base import Choices
from rangewise.files.formats.label_studio import label_studio_labels, label_studio_times
from rangewise.files.formats.range_table import FORMAT as RANGE_TABLE
from rangewise.files.formats.range_table import ranges_of_rows, rows_of_series
from rangewise.files.formats.table import EVENT_FORMATS, event_reader
from rangewise.files.series import TIME_COLUMN
from rangewise.files.source import Source, SourceLike, as_source
from rangewise.files.tables import PARQUET_MAGIC
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.ranges import Ranges

_CLASSES = ("class", "label", "labels", "event_label", "activity", "state")


@dataclass(frozen=True, eq=False)
class ClassAnnotations:
    """Either ``points``, the class of each point, or ``ranges`` by class; ``timestamps`` are those of the points, if known."""

    name: str
    points: NDArray[Any] | None = None
    ranges: Mapping[str, Ranges | TimeRanges] | None = None
    timestamps: NDArray[Any] | None = None
    joins: bool = False
    """Whether overlapping ranges of one class are joined, as for regions of several annotators and for events."""

    @property
    def gives_times(self) -> bool:
        return self.ranges is not None and any(isinstance(ranges, TimeRanges) for ranges in self.ranges.values())

    def closed(self, until: np.datetime64 | None) -> ClassAnnotations:
        """End open ranges at ``until``."""
        if self.ranges is None:
            return self
        ended = {name: each.closed(until) if isinstance(each, TimeRanges) else each for name, each in self.ranges.items()}
        return ClassAnnotations(self.name, None, ended, self.timestamps, self.joins)

    def side(self, index: NDArray[Any] | None = None, outside: Outside = "error") -> Any:
        """An argument of ``rangewise.score_classes``: times as rows of an index, if there is one, otherwise on a clock."""
        if self.ranges is None:
            return self.points
        by_class: dict[str, Ranges] = {}
        for name, ranges in self.ranges.items():
            if isinstance(ranges, Ranges):
                by_class[name] = ranges
            elif index is not None:
                by_class[name] = ranges.rows(index, outside)
            else:
                by_class[name] = ranges.on_clock() if self.joins else ranges.pairs().ranges()
        return by_class


def read_class_annotations(path: SourceLike, how: Choices, named: str | None = None) -> ClassAnnotations:
    """The classes of a file. ``how.column`` names the column of classes in a table of points or ranges; ``named`` is its event format."""
    source = as_source(path)
    if named is not None and named not in EVENT_FORMATS:
        raise ValueError(f"{named} files have no classes; formats that have them are {', '.join(EVENT_FORMATS)}")
    events = event_reader(source) if named is None else EVENT_FORMATS[named].events
    if events is not None:
        return _of_events(events(source, how))
    if source.content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{"):
        labels = label_studio_labels(source, how.series)
        return ClassAnnotations(source.name, ranges={each: label_studio_times(source, how.series, each) for each in labels}, joins=True)
    if not _is_table(source, how):
        return ClassAnnotations(source.name, _class_lines(source))
    bounded = how.has("start_column") or how.has("end_column")
    if bounded or RANGE_TABLE.has_columns(source):
        return ClassAnnotations(source.name, ranges=_class_ranges(source, how))
    column = how.column or _class_column(source)
    first = source.table.columns[0]
    stamps = source.table.timestamps(first, ascending=True) if first == TIME_COLUMN != column else None
    return ClassAnnotations(source.name, _texts(source, column), timestamps=stamps)


def _of_events(events: EventTable) -> ClassAnnotations:
    if events.classes is None:
        if len(events):
            raise ValueError(f"{events.name} has no classes; expected a column such as trial_type, event_label or description")
        return ClassAnnotations(events.name, ranges={}, joins=True)
    for row, name in enumerate(events.classes):
        if not name:
            raise ValueError(f"{events.name}: event {row}, {events.text(row)}, has no class; give every event one")
    # Ranges are named by their class already.
    ranges = {name: replace(table, classes=None).given_ranges() for name, table in events.by_class().items()}
    return ClassAnnotations(events.name, ranges=ranges, joins=True)


def _is_table(source: Source, how: Choices) -> bool:
    """Whether to read a table. A file with one class per line looks like a table with one column, so that needs a column name."""
    if source.content.startswith(PARQUET_MAGIC) or how.has("column"):
        return True
    first_line = source.text.lstrip().partition("\n")[0]
    return any(mark in first_line for mark in ",;\t")


def _class_lines(source: Source) -> NDArray[Any]:
    lines = [line.strip() for line in source.text.rstrip().splitlines()]
    if not lines:
        raise ValueError(f"{source.name} is empty; expected one class per line (if it has no events, give its format, e.g. audacity:FILE)")
    for number, line in enumerate(lines, start=1):
        if not line:
            raise ValueError(f"{source.name}, line {number}: the class is missing; every point needs one, such as background")
    return np.array(lines, dtype=object)


def _class_ranges(source: Source, how: Choices) -> dict[str, Ranges | TimeRanges]:
    texts = _texts(source, how.column or _class_column(source))
    chosen = rows_of_series(source, how)
    names = dict.fromkeys(texts[chosen].tolist())
    by_class = {}
    for name in names:
        try:
            by_class[name] = ranges_of_rows(source, how, chosen & (texts == name))
        except ValueError as error:
            at_a_place = str(error).startswith(source.name)
            raise ValueError(str(error) if at_a_place else f"{source.name}, class {shown_text(name)}: {error}") from None
    return by_class


def _class_column(source: Source) -> str:
    columns = source.table.columns
    known = column_of(columns, _CLASSES)
    if known is None:
        raise ValueError(f"{source.name} has the columns {', '.join(columns)}; name the one with the classes with --column")
    return known


def _texts(source: Source, column: str) -> NDArray[Any]:
    texts = source.table.texts(column)
    for row, text in enumerate(texts):
        if not text:
            raise ValueError(f"{source.table.where(row)}: the class is missing in column {column!r}; every row needs one")
    return np.array(texts, dtype=object)
