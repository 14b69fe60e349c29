"""Alertmanager's alerts, as version 2 of its HTTP API returns them.

``[{"startsAt": "2024-05-01T10:09:00Z", "endsAt": "2024-05-01T10:31:00Z", "labels": {"alertname": "HighLatency"}}]``. The zero time,
``0001-01-01T00:00:00Z``, as an end, or a missing end means that the alert is still firing. Labels are kept. In rows, the end is
included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.files.formats.base import ZONE_IN_BOTH, Format, dated_times, is_list_of
from rangewise.files.source import Source, SourceLike, as_source, json_bytes
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.instants import read_texts, time_text
from rangewise.inputs.ranges import Names, Ranges

_ZERO = "0001-01-01T00:00:00"
ALERT = "alertname"
FINGERPRINT = "fingerprint"


def read_alertmanager(path: SourceLike, timestamps: NDArray[Any], *, outside: Outside = "error") -> Ranges:
    """Read the alerts as rows of the timestamps; alerts that share a row are joined."""
    source = as_source(path)
    return alertmanager_times(source, source.json).rows(timestamps, outside)


def alertmanager_times(source: Source, alerts: Any, tz: str | None = None) -> TimeRanges:
    """The time ranges of a list of alerts."""
    if not isinstance(alerts, list):
        raise ValueError(f"{source.name}: Alertmanager's alerts are a JSON list; got {type(alerts).__name__}")
    starts, ends, labels = [], [], []
    for where, alert in enumerate(alerts):
        if not isinstance(alert, dict) or not isinstance(alert.get("startsAt"), str):
            raise ValueError(f"{source.name}, alert {where}: expected an object with 'startsAt' and 'endsAt'")
        end = alert.get("endsAt") or _ZERO
        if not isinstance(end, str):
            raise ValueError(f"{source.name}, alert {where}: 'endsAt' is {end!r:.40}; expected ISO 8601, e.g. 2024-05-01T10:31:00Z")
        starts.append(alert["startsAt"])
        ends.append(None if end.startswith(_ZERO) else end)
        own = text_labels(alert.get("labels"))
        labels.append(own | ({FINGERPRINT: str(alert["fingerprint"])} if alert.get("fingerprint") else {}))
    return ranges_of_texts(source.name, starts, ends, labels, tz, alert_names(labels), ("startsAt", "endsAt"), "alert")


def ranges_of_texts(
    name: str,
    starts: Sequence[str],
    ends: Sequence[str | None],
    labels: Sequence[Mapping[str, str]],
    tz: str | None,
    names: Names,
    fields: tuple[str, str],
    what: str,
) -> TimeRanges:
    """Ranges from ISO 8601 texts of a JSON file; an end of None is open. ``what`` and ``fields`` name them in errors."""
    firsts = read_texts(starts, name, lambda number: f"{name}, {what} {number}, {fields[0]}", tz)
    closed = [row for row, end in enumerate(ends) if end is not None]
    known = read_texts([end for end in ends if end is not None], name, lambda number: f"{name}, {what} {closed[number]}, {fields[1]}", tz)
    if firsts.zoned is not None and known.zoned is not None and firsts.zoned != known.zoned:
        raise ValueError(f"{name}: {' and '.join(fields)} must both have a time zone, or neither; {ZONE_IN_BOTH}")
    lasts = np.full(len(ends), np.datetime64("NaT", "ns"))
    lasts[closed] = known.times
    backward = np.flatnonzero(lasts < firsts.times)
    if backward.size:
        row = int(backward[0])
        raise ValueError(f"{name}, {what} {row}: {time_text(firsts.times[row])} to {time_text(lasts[row])} ends before it starts")
    return TimeRanges(firsts.times, lasts, name, names=names, labels=tuple(labels), zoned=firsts.zoned)


def text_labels(labels: Any) -> dict[str, str]:
    """The labels of an alert, as text."""
    return {str(name): str(value) for name, value in labels.items()} if isinstance(labels, dict) else {}


def alert_names(labels: Sequence[Mapping[str, str]]) -> Names:
    """The name of an alert: its rule and its instance."""
    names = tuple(" ".join(each[key] for key in (ALERT, "instance") if each.get(key)) for each in labels)
    return names if any(names) else None


def alertmanager_text(times: TimeRanges) -> bytes:
    """Alerts with the labels of the ranges; an alert without a name is called ``anomaly``."""
    labels: Sequence[Mapping[str, str]] = times.labels or [{}] * len(times)
    alerts = []
    for first, last, own in zip(times.firsts, times.lasts, labels, strict=True):
        end = f"{_ZERO}Z" if np.isnat(last) else f"{time_text(last)}Z"
        alerts.append({"labels": {ALERT: "anomaly"} | dict(own), "startsAt": f"{time_text(first)}Z", "endsAt": end})
    return json_bytes(alerts)


FORMAT = Format(
    name="alertmanager",
    about="Alertmanager's v2 alerts",
    end="included",
    kinds=("json",),
    looks=lambda source: source.json != [] and is_list_of(source.json, lambda alert: "startsAt" in alert),
    reads=lambda source, how: alertmanager_times(source, source.json, how.tz),
    writes=lambda annotations, name: alertmanager_text(dated_times(annotations, "alertmanager", may_be_open=True)),
)
