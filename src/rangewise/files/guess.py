"""Which format is it? By the name of a file and its content."""

from __future__ import annotations

from typing import Any

from rangewise.datasets import range_table, timeeval, tsb_ad, ucr
from rangewise.datasets.source import Source
from rangewise.datasets.tables import PARQUET_MAGIC

_WAY_OUT = "say which with --format, or with a prefix such as {0}:{1}"


def guess(source: Source) -> str:
    """The one format that fits; an error when none does, or several do."""
    found = _fitting(source)
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"{source.name} is in no format that we know; {_WAY_OUT.format('labels', source.path)}")
    raise ValueError(f"{source.name} may be {' or '.join(found)}; {_WAY_OUT.format(found[0], source.path)}")


def _fitting(source: Source) -> list[str]:
    by_name = ["ucr"] if ucr.NAME.match(source.file_name) else []
    if source.content.startswith(PARQUET_MAGIC):
        return by_name + _tables(source)
    # A line that is no text is complained about here, whatever the format.
    begin = source.content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if begin in (b"[", b"{"):
        return by_name + _json_formats(source.json)
    first_line = source.text.lstrip().partition("\n")[0].strip()
    if "," in first_line or _is_column_name(first_line):
        return by_name + _tables(source)
    # One value a line: labels, unless the name tells better. A file of the archive that holds 0 and 1 only may be either.
    return by_name if by_name and not set(source.text.split()) <= {"0", "1"} else [*by_name, "labels"]


def _is_column_name(line: str) -> bool:
    """A single word that is no label: the name of the only column."""
    return line.replace("_", "").isalpha() and line.lower() not in ("true", "false", "yes", "no", "nan")


def _tables(source: Source) -> list[str]:
    columns = source.table.columns
    if {range_table.START, range_table.END} <= set(columns):
        if range_table.SEVERITY in columns:
            return ["orion"]
        starts = source.table.integers(range_table.START)
        huge = starts is not None and len(starts) and int(starts.max()) >= range_table.EPOCH_LIKE
        return ["ranges", "orion"] if huge else ["ranges"]
    if columns[0] == timeeval.TIMESTAMP and columns[-1] == timeeval.LABEL and len(columns) > 2:
        return ["timeeval"]
    if columns[0] == timeeval.TIMESTAMP and {"value", "anomaly_score", "label"} <= set(columns):
        return ["nab-result"]
    if columns[-1] == tsb_ad.LABEL and len(columns) > 1 and columns[0] != timeeval.TIMESTAMP:
        return ["tsb-ad"]
    return ["csv"]


def _json_formats(data: Any) -> list[str]:
    if isinstance(data, dict):
        if "data" in data or "status" in data:
            return ["prometheus"]
        windows = all(isinstance(value, list) and all(isinstance(pair, list) for pair in value) for value in data.values())
        return ["nab-windows"] if windows else []
    if not data:
        return ["grafana", "label-studio"]
    found = []
    if all(isinstance(each, dict) and "time" in each for each in data):
        found.append("grafana")
    if all(isinstance(each, dict) and "annotations" in each for each in data):
        found.append("label-studio")
    return found
