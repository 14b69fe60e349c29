"""DCASE's event lists: ``onset``, ``offset`` and ``event_label`` in seconds, separated by tabs, optionally with a column ``filename``.

A row with only a file name is a recording without events.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown_names
from rangewise.files.annotations import Annotations
from rangewise.files.events import MISSING, EventTable, column_of, nanoseconds
from rangewise.files.formats.base import Choices, Format
from rangewise.files.formats.bids import elapsed_times, seconds_of
from rangewise.files.formats.range_table import details
from rangewise.files.source import Source

_ONSETS, _OFFSETS, _FILES = ("onset", "event_onset"), ("offset", "event_offset"), ("filename", "file")


def dcase_events(source: Source, how: Choices) -> EventTable:
    """The events of one recording; if the list has several, ``--series`` names its file."""
    table = source.table
    onset, offset = column_of(table.columns, _ONSETS), column_of(table.columns, _OFFSETS)
    if onset is None or offset is None:
        raise ValueError(f"{source.name} has the columns {', '.join(table.columns)}; expected onset, offset and event_label")
    file = column_of(table.columns, _FILES)
    bounds = zip(table.texts(onset), table.texts(offset), strict=True)
    # A recording without events has a row with only its name.
    rows = [row for row, pair in enumerate(bounds) if file is None or any(text.lower() not in MISSING for text in pair)]
    starts, stops = (nanoseconds(seconds_of(table, column, rows), table.name) for column in (onset, offset))
    for place in np.flatnonzero(stops < starts)[:1].tolist():
        raise ValueError(f"{table.where(rows[place])}: the event ends before it starts")
    events = EventTable(table.name, starts, stops, "seconds", **details(table, how, rows))
    return events if file is None else _of_file(events, table.texts(file), rows, how)


def _of_file(events: EventTable, files: list[str], rows: list[int], how: Choices) -> EventTable:
    """The events of the chosen file; ``rows`` are those of the events in the table."""
    known, chosen = list(dict.fromkeys(files)), how.series
    if chosen is None and len(known) > 1:
        raise ValueError(f"{events.name} has events of {len(known)} recordings, {shown_names(known)}; choose one with --series")
    if chosen is not None and chosen not in known and not how.may_lack_series:
        raise ValueError(f"{events.name} has no events of {chosen!r}; it has {shown_names(known)}")
    return events if chosen is None else events.chosen(np.array([files[row] == chosen for row in rows], dtype=np.bool_))


def _columns(annotations: Annotations, name: str) -> dict[str, NDArray[Any]]:
    times = elapsed_times(annotations, "dcase")
    pairs = times.pairs()
    names = np.array([each or "anomaly" for each in times.names or ("",) * len(times)])
    return {"onset": pairs.starts / 1e9, "offset": pairs.stops / 1e9, "event_label": names}


FORMAT = Format(
    name="dcase",
    about="event lists of DCASE: onset, offset, event_label, in seconds",
    kinds=("table",),
    columns=(_ONSETS, _OFFSETS),
    plain_name=str.lower,
    events=dcase_events,
    writes=_columns,
)
