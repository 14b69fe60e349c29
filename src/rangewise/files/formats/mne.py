"""Annotations as MNE-Python saves them: ``-annot.txt`` (onsets in seconds) and ``-annot.csv`` (onsets as dates).

In MNE's CSV files, a recording without a date begins in 1970; such onsets are seconds since the start.
"""

from __future__ import annotations

import csv
import io

import numpy as np

from rangewise.checks import shown_text
from rangewise.files.events import EventTable, nanoseconds
from rangewise.files.formats.base import Choices, Format
from rangewise.files.formats.bids import DESCRIPTION, DURATION, ONSET, is_mne_table, seconds_of
from rangewise.files.source import Source
from rangewise.inputs.instants import parse_times

_HEADER, _ORIGIN = "# MNE-Annotations", "orig_time"
_YEAR_1970_ENDS = np.datetime64("1971-01-01", "ns")


def mne_events(source: Source, how: Choices) -> EventTable:
    """The annotations of a text or CSV file."""
    if source.text.startswith(_HEADER):
        return _from_text(source)
    table = source.table
    columns = {column.lower(): column for column in table.columns}
    durations = nanoseconds(seconds_of(table, columns[DURATION]), source.name)
    classes = tuple(table.texts(how.column or columns[DESCRIPTION]))
    if table.is_numeric(columns[ONSET]):
        starts = nanoseconds(seconds_of(table, columns[ONSET]), source.name)
        return EventTable(source.name, starts, starts + durations, "seconds", classes)
    times = table.times(columns[ONSET])
    starts = times.view(np.int64)
    dated = bool(len(times)) and bool((times >= _YEAR_1970_ENDS).any())
    return EventTable(source.name, starts, starts + durations, "dates" if dated else "seconds", classes)


def _from_text(source: Source) -> EventTable:
    starts: list[float] = []
    durations: list[float] = []
    classes, origin, columns = [], None, 3
    for number, line in enumerate(source.text.splitlines(), start=1):
        if line.startswith("#"):
            name, colon, value = line.lstrip("# ").partition(":")
            if colon and name.strip() == _ORIGIN and value.strip() not in ("", "None"):
                origin = parse_times([value.strip()], f"{source.name}, line {number}")[0]
            elif name.startswith(ONSET):
                columns = line.count(",") + 1
            continue
        if not line.strip():
            continue
        cells = next(csv.reader(io.StringIO(line)))
        if len(cells) < 3:
            raise ValueError(f"{source.name}, line {number}: expected onset, duration, description; got {shown_text(line)}")
        for cell, values in zip(cells, (starts, durations), strict=False):
            try:
                values.append(float(cell))
            except ValueError:
                raise ValueError(f"{source.name}, line {number}: {shown_text(cell)} is not a number of seconds") from None
        # MNE does not quote commas. Columns behind the description are named in the header.
        classes.append(",".join(cells[2 : max(len(cells) - columns + 3, 3)]).strip())
    begin = nanoseconds(starts, source.name)
    return EventTable(source.name, begin, begin + nanoseconds(durations, source.name), "seconds", tuple(classes), origin=origin)


FORMAT = Format(
    name="mne",
    about="annotations of MNE-Python, TXT or CSV",
    kinds=("table", "text", "fenced"),
    begins=_HEADER,
    columns=((ONSET,), (DURATION,), (DESCRIPTION,)),
    plain_name=str.lower,
    looks=lambda source: source.kind != "table" or is_mne_table(source.columns),
    events=mne_events,
)
