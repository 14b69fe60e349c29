"""NAB's windows: ``{"realKnownCause/nyc_taxi.csv": [["2014-10-30 15:30:00.000000", "2014-11-03 22:30:00.000000"], ...]}``.

Both ends are included. NAB's own corpus is read by :mod:`rangewise.datasets.nab`; this is for windows of one's own in the same form.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.datasets.range_table import shown_names
from rangewise.datasets.source import Source, SourceLike, as_source, json_bytes
from rangewise.datasets.times import Outside, TimeRanges, parse_times
from rangewise.ranges import Ranges


def read_nab_windows(path: SourceLike, timestamps: NDArray[Any], *, series: str | None = None, outside: Outside = "error") -> Ranges:
    """The windows of a series as rows of the timestamps; the series needs no name where the file tells of only one."""
    return window_times(as_source(path), series).rows(timestamps, outside)


def window_times(source: Source, series: str | None = None) -> TimeRanges:
    found = source.json
    if not isinstance(found, dict):
        raise ValueError(f"{source.name}: NAB's windows are a JSON object of lists of [first, last]; got {type(found).__name__}")
    if series is None and len(found) != 1:
        raise ValueError(f"{source.name} tells of {len(found)} series, {shown_names(list(found))}; choose one with --series")
    if series is not None and series not in found:
        raise ValueError(f"{source.name} does not tell of series {series!r}; it has {shown_names(list(found))}")
    windows = found[series if series is not None else next(iter(found))]
    if not isinstance(windows, list) or not all(isinstance(window, list) and len(window) == 2 for window in windows):
        raise ValueError(f"{source.name}: the windows of a series are a list of [first, last]")
    times = parse_times([time for window in windows for time in window], source.name)
    return TimeRanges(times[::2], times[1::2], source.name)


def windows_text(times: TimeRanges, series: str) -> bytes:
    """The windows of one series, in NAB's form of time, to the microsecond."""
    sides = (np.datetime_as_string(side, unit="us").tolist() for side in (times.firsts, times.lasts))
    pairs = [[time.replace("T", " ") for time in pair] for pair in zip(*sides, strict=True)]
    return json_bytes({series: pairs})
