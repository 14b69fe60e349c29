"""Orion's tables, ``start,end,severity``: seconds since 1970 with the end included.

Other columns, such as ``event_id``, are kept, as in range tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.files.formats.base import Format, dated_times
from rangewise.files.formats.range_table import END, SEVERITY, START, counts_seconds, details, events_of_times, texts_of_rows
from rangewise.files.source import Source, SourceLike, as_source
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.instants import from_epoch, to_epoch
from rangewise.inputs.ranges import Ranges

# From here on, integers are more likely seconds since 1970 than rows.
_EPOCH_LIKE = 10**8


def read_orion(path: SourceLike, timestamps: NDArray[Any], *, outside: Outside = "error") -> Ranges:
    """Read the ranges of an Orion table, seconds since 1970 with the end included, as rows of the timestamps."""
    return orion_times(as_source(path)).rows(timestamps, outside)


def orion_times(source: Source) -> TimeRanges:
    """The time ranges of an Orion table."""
    firsts, lasts = (from_epoch(source.table.numbers(column).tolist(), "s", source.name) for column in (START, END))
    backward = np.flatnonzero(lasts < firsts)
    if backward.size:
        raise ValueError(f"{source.table.where(int(backward[0]))}: the range ends before it starts")
    names, labels = texts_of_rows(source.table, (START, END))(list(range(len(firsts))))
    return TimeRanges(firsts, lasts, source.name, names=names, labels=labels)


def orion_columns(times: TimeRanges) -> dict[str, NDArray[Any]]:
    """An Orion table; every severity is 1."""
    firsts, lasts = (to_epoch(side, "s", "an Orion table") for side in (times.firsts, times.lasts))
    return {START: firsts, END: lasts, SEVERITY: np.ones(len(times))}


def _looks(source: Source) -> bool:
    starts = source.table.integers(START)
    return counts_seconds(source) or (starts is not None and len(starts) > 0 and int(starts.max()) >= _EPOCH_LIKE)


FORMAT = Format(
    name="orion",
    about="Orion: start,end,severity in seconds since 1970",
    end="included",
    kinds=("table",),
    columns=((START,), (END,)),
    looks=_looks,
    reads=lambda source, how: orion_times(source),
    writes=lambda annotations, name: orion_columns(dated_times(annotations, "orion", "s")),
    events=lambda source, how: events_of_times(orion_times(source), **details(source.table, how)),
)
