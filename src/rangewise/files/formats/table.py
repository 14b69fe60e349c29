"""The table of all formats of anomalies: how each is read, how it is written, and whether its ends are included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise.datasets import grafana, label_studio, nab_windows, prometheus, range_table, series_table, timeeval, tsb_ad, ucr
from rangewise.datasets.labels import labels_text, read_labels
from rangewise.datasets.marks import Marks
from rangewise.datasets.series import Series
from rangewise.datasets.source import Source
from rangewise.ranges import Ranges

Columns: TypeAlias = Mapping[str, NDArray[Any]]
Content: TypeAlias = bytes | Columns


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What neither name nor content of a file tells. Each format uses what it has a use for."""

    column: str | None = None
    series: str | None = None
    end_included: bool | None = None


@dataclass(frozen=True)
class Format:
    """A way to write anomalies down. ``writes`` gets what is known and the name of the new file; None: it is only read."""

    name: str
    about: str
    end: str
    reads: Callable[[Source, Choices], Marks]
    writes: Callable[[Marks, str], Content] | None


def _plain_labels(source: Source, how: Choices) -> Marks:
    labels = read_labels(source)
    return Marks(source.name, Ranges.from_labels(labels), len(labels))


def _table(source: Source, how: Choices) -> Marks:
    label = how.column or series_table.label_column(source)
    columns = source.table.columns
    if label is None and not (columns[0] == series_table.TIME_COLUMN and len(columns) == 2):
        raise ValueError(f"{source.name} has several columns, {', '.join(columns)}; name the one with the labels with --column")
    series = series_table.read_series_table(source, label)
    return Marks.of_series(series, source.name, labelled=label is not None)


def _series(read: Callable[[Source], Series]) -> Callable[[Source, Choices], Marks]:
    return lambda source, how: Marks.of_series(read(source), source.name)


def _values(marks: Marks, name: str) -> Series:
    if marks.series is None or not marks.series.channels:
        raise ValueError(f"{name} holds values too, but {marks.name} has only labels or ranges; choose another format")
    return marks.series


def _label_array(marks: Marks) -> NDArray[np.uint8]:
    if marks.length is None:
        raise ValueError(f"{marks.name} does not tell how many rows there are; say so with --length, or name their timestamps with --times")
    return marks.rows().to_labels(marks.length)


def _label_table(marks: Marks) -> Columns:
    columns: dict[str, NDArray[Any]] = {} if marks.timestamps is None else {"timestamp": marks.timestamps}
    if marks.series is not None:
        columns |= {name: marks.series.values[:, channel] for channel, name in enumerate(series_table.channel_names(marks.series, "value"))}
    return columns | {"label": _label_array(marks)}


_A_ROW_A_POINT = "a label a row: no ends"

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        each.name: each
        for each in (
            Format(
                "labels", "text, one 0 or 1 a line", _A_ROW_A_POINT, _plain_labels, lambda marks, name: labels_text(_label_array(marks))
            ),
            Format("csv", "a table with a column of labels", _A_ROW_A_POINT, _table, lambda marks, name: _label_table(marks)),
            Format(
                "tsb-ad",
                "TSB-AD: Data,Label",
                _A_ROW_A_POINT,
                _series(tsb_ad.read_tsb_ad),
                lambda marks, name: tsb_ad.tsb_ad_columns(_values(marks, "tsb-ad")),
            ),
            Format(
                "timeeval",
                "TimeEval: timestamp,value,is_anomaly",
                _A_ROW_A_POINT,
                _series(timeeval.read_timeeval),
                lambda marks, name: timeeval.timeeval_columns(_values(marks, "timeeval")),
            ),
            Format(
                "nab-result",
                "a NAB detector's result: timestamp,value,anomaly_score,label",
                _A_ROW_A_POINT,
                _series(series_table.read_nab_result),
                None,
            ),
            Format(
                "nab-windows",
                'NAB windows: {"file": [[first, last], ...]}',
                "included",
                lambda source, how: Marks(source.name, nab_windows.window_times(source, how.series)),
                lambda marks, name: nab_windows.windows_text(marks.times(), PurePath(marks.name).name),
            ),
            Format(
                "ucr",
                "UCR archive: 001_UCR_Anomaly_NAME_TRAINEND_START_END.txt",
                "included (--end-excluded: not)",
                lambda source, how: Marks.of_series(ucr.read_ucr(source, end_included=how.end_included is not False), source.name),
                lambda marks, name: ucr.ucr_text(_values(marks, "ucr"), PurePath(name).name),
            ),
            Format(
                "ranges",
                "a table start,end, rows or times, perhaps with series",
                "rows: excluded, times: included (--end-included, --end-excluded)",
                lambda source, how: range_table.range_table_marks(source, how.series, how.end_included),
                lambda marks, name: range_table.range_table_columns(marks),
            ),
            Format(
                "orion",
                "Orion: start,end,severity in seconds since 1970",
                "included",
                lambda source, how: Marks(source.name, range_table.orion_times(source)),
                lambda marks, name: range_table.orion_columns(marks.times()),
            ),
            Format(
                "label-studio",
                "Label Studio's JSON export",
                "included",
                lambda source, how: Marks(source.name, label_studio.label_studio_times(source, how.series)),
                lambda marks, name: label_studio.label_studio_text(marks.times()),
            ),
            Format(
                "grafana",
                "Grafana annotations",
                "included",
                lambda source, how: Marks(source.name, grafana.grafana_times(source)),
                lambda marks, name: grafana.grafana_text(marks.times()),
            ),
            Format(
                "prometheus",
                "an answer of Prometheus's query_range",
                "included",
                lambda source, how: Marks(source.name, prometheus.prometheus_times(source)),
                lambda marks, name: prometheus.prometheus_text(marks.times(), marks.timestamps),
            ),
        )
    }
)
