"""Result files of NAB's detectors, ``timestamp,value,anomaly_score,label,...``: the real windows as labels, one row per point."""

from __future__ import annotations

from rangewise.files.formats.base import ONE_ROW_PER_POINT, Format
from rangewise.files.series import TIME_COLUMN, Series, series_of
from rangewise.files.source import SourceLike, as_source


def read_nab_result(path: SourceLike) -> Series:
    """Read a result file of a NAB detector: ``timestamp``, ``value``, and the real windows in ``label``, without the scores."""
    # Times may go back, as in the machine-temperature data: rows matter, not times.
    return series_of(as_source(path), timestamp="timestamp", values=["value"], label="label", ascending=False)


FORMAT = Format(
    name="nab-result",
    about="a NAB detector's result: timestamp,value,anomaly_score,label",
    end=ONE_ROW_PER_POINT,
    kinds=("table",),
    columns=(("value",), ("anomaly_score",), ("label",)),
    looks=lambda source: source.columns[0] == TIME_COLUMN,
    reads=lambda source, how: read_nab_result(source),
)
