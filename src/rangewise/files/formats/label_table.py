"""Plain tables: ``timestamp,value`` as in NAB's data, and any table with a column of labels, one row per point."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from rangewise.checks import shown_names
from rangewise.files.annotations import Annotations
from rangewise.files.formats.base import NAME_LABEL_COLUMN, ONE_ROW_PER_POINT, Choices, Columns, Format, label_array
from rangewise.files.scores import SCORE_COLUMNS
from rangewise.files.series import TIME_COLUMN, Series, channel_names, series_of
from rangewise.files.source import Source, SourceLike, as_source
from rangewise.files.tables import SCORES_NEED_A_THRESHOLD
from rangewise.inputs.ranges import Ranges

_LABEL_COLUMNS = ("label", "labels", "is_anomaly", "anomaly")


def read_series_table(path: SourceLike, column: str | None = None) -> Series:
    """Read a table as a series: ``timestamp`` if it is the first column, labels from ``column``, values from the others.

    Without ``column``, labels are read from the last column if its name is ``label``, ``is_anomaly`` or similar; otherwise the series has
    no real ranges. In a table with labels, columns that are not numeric are skipped.
    """
    source = as_source(path)
    columns = source.table.columns
    label = column if column is not None else label_column(source)
    timestamp = TIME_COLUMN if columns[0] == TIME_COLUMN != label else None
    values = [
        name for name in columns if name not in (timestamp, label) and (label is None or source.table.is_numeric(name, may_be_empty=True))
    ]
    # Labels are by row, so times may repeat or go back, unless ranges are mapped to times.
    return series_of(source, timestamp=timestamp, values=values, label=label, ascending=False)


def label_column(source: Source) -> str | None:
    """The last column, if its name is one for labels."""
    last = source.table.columns[-1]
    return last if last.lower() in _LABEL_COLUMNS else None


def _marks(source: Source, how: Choices) -> Annotations:
    label = how.column or label_column(source)
    columns = source.table.columns
    if label is not None:
        # Times and values are read on request, because labels need neither.
        labels = source.table.labels(label)
        return Annotations(source.name, Ranges.from_labels(labels), len(labels), read_series=lambda: read_series_table(source, label))
    if not (columns[0] == TIME_COLUMN and len(columns) == 2):
        lasting = {column.lower() for column in columns} >= {"start", "duration"}
        hint = (
            "for ranges, name the column end; for events in seconds, use the columns onset and duration" if lasting else NAME_LABEL_COLUMN
        )
        if any(column.lower() in SCORE_COLUMNS for column in columns):
            hint += f" ({SCORES_NEED_A_THRESHOLD})"
        raise ValueError(f"{source.name} has {'several columns' if len(columns) > 1 else 'one column'}, {shown_names(columns, 20)}; {hint}")
    return Annotations.of_series(read_series_table(source), source.name, labeled=False)


def _columns(annotations: Annotations, name: str) -> Columns:
    columns: dict[str, NDArray[Any]] = {} if annotations.timestamps is None else {TIME_COLUMN: annotations.timestamps}
    if annotations.series is not None:
        columns |= {name: annotations.series.values[:, channel] for channel, name in enumerate(channel_names(annotations.series, "value"))}
    return columns | {"label": label_array(annotations)}


FORMAT = Format(
    name="csv",
    about="a table with a column of labels",
    end=ONE_ROW_PER_POINT,
    kinds=(),
    reads=_marks,
    writes=_columns,
    otherwise="table",
)
