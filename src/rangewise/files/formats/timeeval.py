"""TimeEval files: ``timestamp``, columns of values, ``is_anomaly``, one row per point.

The timestamps are integers or RFC 3339 times in ascending order.
"""

from __future__ import annotations

from rangewise.files.formats.base import ONE_ROW_PER_POINT, Format, values_of
from rangewise.files.series import Series, series_columns, series_of
from rangewise.files.source import SourceLike, as_source

TIMESTAMP, LABEL = "timestamp", "is_anomaly"


def read_timeeval(path: SourceLike) -> Series:
    """Read a TimeEval file: timestamps in the first column, labels in the last."""
    source = as_source(path)
    timestamp, *values = source.table.columns
    label = values.pop() if values else ""
    if label != LABEL or not values:
        shown = ", ".join(source.table.columns)
        raise ValueError(f"{source.name} has the columns {shown}; TimeEval has {TIMESTAMP}, columns of values, {LABEL}")
    return series_of(source, timestamp=timestamp, values=values, label=label)


FORMAT = Format(
    name="timeeval",
    about="TimeEval: timestamp,value,is_anomaly",
    end=ONE_ROW_PER_POINT,
    kinds=("table",),
    looks=lambda source: len(source.columns) > 2 and (source.columns[0], source.columns[-1]) == (TIMESTAMP, LABEL),
    reads=lambda source, how: read_timeeval(source),
    writes=lambda annotations, name: series_columns(values_of(annotations, "timeeval"), timestamp=TIMESTAMP, value="value", label=LABEL),
)
