"""BIDS ``events.tsv`` and other tables with ``onset`` and ``duration``: seconds since the start of the recording, end excluded.

``trial_type``, ``eventType`` or another column of classes names each event; ``confidence`` and ``annotator`` are optional.
``recordingDuration`` (SzCORE) is the length of the recording, and rows of ``eventType`` ``bckg`` are skipped.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown_text
from rangewise.files.annotations import Annotations
from rangewise.files.events import ANNOTATOR_NAMES, CLASS_NAMES, CONFIDENCE_NAMES, MISSING, EventTable, column_of, nanoseconds
from rangewise.files.formats.base import Choices, Format
from rangewise.files.formats.range_table import class_column, details
from rangewise.files.source import Source
from rangewise.files.tables import FileTable
from rangewise.files.times import TimeRanges
from rangewise.inputs.instants import MOST_SECONDS

ONSET, DURATION, DESCRIPTION = "onset", "duration", "description"
# Classes without events: SzCORE lists recordings without seizures this way.
_BACKGROUND = ("bckg", "background")
_RECORDING = ("recordingduration", "recording_duration")


def bids_events(source: Source, how: Choices) -> EventTable:
    """The events of a table with ``onset`` and ``duration``."""
    table = source.table
    onset, lasting = (_named(table, name) for name in (ONSET, DURATION))
    kinds, annotator = class_column(table, how), column_of(table.columns, ANNOTATOR_NAMES)
    classes = None if kinds is None else table.texts(kinds)
    rows = [row for row in range(len(table)) if classes is None or classes[row].lower() not in _BACKGROUND]
    starts = seconds_of(table, onset, rows)
    durations = seconds_of(table, lasting, rows, may_be="0 for an event without length")
    for place in np.flatnonzero(durations < 0)[:1].tolist():
        raise ValueError(f"{table.where(rows[place])}: the duration is {durations[place]:g}; an event must not end before it starts")
    begin = nanoseconds(starts, source.name)
    return EventTable(
        source.name, begin, begin + nanoseconds(durations, source.name), "seconds", duration=_recording(table),
        # Those of rows of the background found nothing.
        annotator_names=None if annotator is None else tuple(dict.fromkeys(table.texts(annotator))), **details(table, how, rows),
    )  # fmt: skip


def seconds_of(table: FileTable, column: str, rows: Sequence[int] | None = None, *, may_be: str = "") -> NDArray[np.float64]:
    """The seconds of a column, by default of all rows; none may be missing."""
    texts = table.texts(column)
    rows = range(len(texts)) if rows is None else rows
    seconds = np.empty(len(rows))
    for place, row in enumerate(rows):
        text = texts[row]
        try:
            seconds[place] = float(text)
        except ValueError:
            hint = f" ({may_be})" if may_be and text.lower() in MISSING else ""
            raise ValueError(f"{table.where(row)}: {shown_text(text)} in column {column!r} is not a number of seconds{hint}") from None
        if not abs(seconds[place]) < MOST_SECONDS:
            raise ValueError(f"{table.where(row)}: {shown_text(text)} in column {column!r} is not a number of seconds within a century")
    return seconds


def is_mne_table(columns: Sequence[str]) -> bool:
    """Whether a table with onset and duration is one of MNE: descriptions, and no other column about events.

    MNE writes dates as onsets.
    """
    known = (*CLASS_NAMES, *CONFIDENCE_NAMES, *ANNOTATOR_NAMES, *_RECORDING)
    return [column.lower() for column in columns if column.lower() in known] == [DESCRIPTION]


def _named(table: FileTable, name: str) -> str:
    column = column_of(table.columns, (name,))
    if column is None:
        raise ValueError(f"{table.name} has no column {name!r}; it has {', '.join(map(repr, table.columns))}")
    return column


def _recording(table: FileTable) -> int | None:
    """The length of the recording, if the table has it; all rows that have it must agree."""
    column = column_of(table.columns, _RECORDING)
    if column is None:
        return None
    lengths = np.unique(seconds_of(table, column, [row for row, text in enumerate(table.texts(column)) if text.lower() not in MISSING]))
    if len(lengths) > 1:
        raise ValueError(f"{table.name}: column {column!r} has several lengths of the recording, {lengths[0]:g} and others; expected one")
    if len(lengths) and not lengths[0] > 0:
        raise ValueError(f"{table.name}: column {column!r} has the length of the recording, {lengths[0]:g}; expected seconds above 0")
    return int(nanoseconds(lengths, table.name)[0]) if len(lengths) else None


def _text(annotations: Annotations, name: str) -> bytes:
    times = elapsed_times(annotations, "bids")
    pairs = times.pairs()
    names = times.names or ("",) * len(times)
    rows = zip(pairs.starts.tolist(), (pairs.stops - pairs.starts).tolist(), names, strict=True)
    target = io.StringIO()
    # Names with tabs are quoted.
    lines = csv.writer(target, delimiter="\t", lineterminator="\n")
    lines.writerow([ONSET, DURATION, "trial_type"])
    # An event without length was read as one nanosecond.
    lines.writerows([start / 1e9, lasting / 1e9 if lasting > 1 else 0.0, text or "anomaly"] for start, lasting, text in rows)
    return target.getvalue().encode()


def elapsed_times(annotations: Annotations, name: str) -> TimeRanges:
    """Seconds since the start of a recording, for a format without dates."""
    times = annotations.times()
    if not times.elapsed:
        raise ValueError(f"{name} has seconds since the start of a recording, but {annotations.name} has dates; choose another format")
    return times


FORMAT = Format(
    name="bids",
    about="BIDS events.tsv and other tables onset,duration[,trial_type], in seconds",
    kinds=("table",),
    columns=((ONSET,), (DURATION,)),
    plain_name=str.lower,
    looks=lambda source: not is_mne_table(source.columns),
    events=bids_events,
    writes=_text,
)
