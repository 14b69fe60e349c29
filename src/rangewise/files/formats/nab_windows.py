"""NAB's windows: ``{"realKnownCause/nyc_taxi.csv": [["2014-10-30 15:30:00.000000", "2014-11-03 22:30:00.000000"], ...]}``.

Both ends are included. :mod:`rangewise.datasets.nab` reads NAB's own corpus; this module is for other windows in the same format.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.files.formats.base import Format, chosen_series, dated_times
from rangewise.files.formats.prometheus import is_answer
from rangewise.files.source import Source, SourceLike, as_source, json_bytes
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.instants import parse_times, to_epoch
from rangewise.inputs.ranges import Ranges, as_ranges


def read_nab_windows(path: SourceLike, timestamps: NDArray[Any], *, series: str | None = None, outside: Outside = "error") -> Ranges:
    """Read the windows of a series as rows of the timestamps; you can leave ``series`` out if the file has only one.

    Eight of NAB's own files repeat timestamps, or go back in time. There a window goes from the first row with its first timestamp to the
    first row with its last timestamp, as in NAB; a timestamp without a row is an error.
    """
    times = window_times(as_source(path), series)
    index = np.asarray(timestamps)
    if index.dtype.kind != "M" or (index[1:] > index[:-1]).all():
        return times.rows(timestamps, outside)
    rows = [
        window_rows(*ends, index, f"{times.name}: window {number}")
        for number, ends in enumerate(zip(times.firsts, times.lasts, strict=True))
    ]
    return as_ranges(np.array(rows, dtype=np.int64).reshape(-1, 2), f"windows of {times.name}")


def window_rows(first: np.datetime64, last: np.datetime64, timestamps: NDArray[Any], where: str) -> tuple[int, int]:
    """The half-open rows of a window by NAB's rule, for timestamps in any order."""
    rows = []
    for end, word in ((first, "starts"), (last, "ends")):
        matches = np.flatnonzero(timestamps == end)
        if not matches.size:
            raise ValueError(f"{where} {word} at {end}, but no row has this timestamp; give the timestamp of a row")
        rows.append(int(matches[0]))
    if rows[1] < rows[0]:
        raise ValueError(f"{where} ends in row {rows[1]}, before it starts in row {rows[0]}")
    return rows[0], rows[1] + 1


def window_times(source: Source, series: str | None = None) -> TimeRanges:
    content = source.json
    if not isinstance(content, dict):
        raise ValueError(f"{source.name}: NAB's windows are a JSON object of lists of [first, last]; got {type(content).__name__}")
    windows = content[chosen_series(source.name, content, series, "series")]
    if not isinstance(windows, list) or not all(isinstance(window, list) and len(window) == 2 for window in windows):
        raise ValueError(f"{source.name}: the windows of a series are a list of [first, last]")
    times = parse_times([time for window in windows for time in window], source.name)
    return TimeRanges(times[::2], times[1::2], source.name)


def windows_text(times: TimeRanges, series: str) -> bytes:
    """The windows of one series, in NAB's time format, to the microsecond."""
    for side in (times.firsts, times.lasts):
        to_epoch(side, "us", "a file of NAB's windows")  # finer times are refused
    sides = (np.datetime_as_string(side, unit="us").tolist() for side in (times.firsts, times.lasts))
    pairs = [[time.replace("T", " ") for time in pair] for pair in zip(*sides, strict=True)]
    return json_bytes({series: pairs})


def _looks(source: Source) -> bool:
    """An object of lists of pairs."""
    if not isinstance(source.json, dict) or is_answer(source):
        return False
    return all(isinstance(value, list) and all(isinstance(pair, list) for pair in value) for value in source.json.values())


FORMAT = Format(
    name="nab-windows",
    about='NAB windows: {"file": [[first, last], ...]}',
    end="included",
    kinds=("json",),
    looks=_looks,
    reads=lambda source, how: window_times(source, how.series),
    writes=lambda annotations, name: windows_text(dated_times(annotations, "nab-windows", "us"), PurePath(annotations.name).name),
)
