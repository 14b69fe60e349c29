"""Opsgenie's alerts and incidents: a JSON list, alone or as ``data``, of objects with ``createdAt`` and ``closedAt``.

Without ``closedAt``, a closed alert ended ``report.closeTime`` milliseconds after it was created; other alerts are open. An incident
begins at ``impactStartDate`` and ends at ``impactEndDate`` if it has them. A CSV export is a table of ranges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rangewise.files.formats.alertmanager import ranges_of_texts
from rangewise.files.formats.base import Format
from rangewise.files.source import Source
from rangewise.files.times import TimeRanges
from rangewise.inputs.instants import NANOSECONDS, YEARS, read_texts, time_text

_STARTS = ("impactStartDate", "impact_start_date", "createdAt")
_ENDS = ("impactEndDate", "impact_end_date", "closedAt", "resolvedAt")
_OPEN = ("open", "acked", "snoozed")
_CENTURY = 100 * 366 * 86_400_000


def opsgenie_times(source: Source, tz: str | None = None) -> TimeRanges:
    alerts = _alerts(source.json)
    if alerts is None:
        raise ValueError(f"{source.name}: Opsgenie's alerts are a JSON list, or an object with 'data', a list")
    starts, ends, labels = [], [], []
    for where, alert in enumerate(alerts):
        start = next((alert[key] for key in _STARTS if isinstance(alert, dict) and alert.get(key)), None)
        if not isinstance(start, str):
            raise ValueError(f"{source.name}, alert {where}: expected an object with 'createdAt' and 'closedAt'")
        starts.append(start)
        ends.append(_end(alert, start, f"{source.name}, alert {where}", tz))
        labels.append(_labels(alert))
    names = tuple(each.get("alertname") or each.get("id", "") for each in labels)
    return ranges_of_texts(source.name, starts, ends, labels, tz, names, ("createdAt", "closedAt"), "alert")


def _end(alert: dict[str, Any], start: str, where: str, tz: str | None) -> str | None:
    end = next((alert[key] for key in _ENDS if alert.get(key)), None)
    if end is not None or str(alert.get("status", "open")).lower() in _OPEN:
        return None if end is None else str(end)
    report = alert.get("report")
    lasted = report.get("closeTime") if isinstance(report, dict) else None
    if isinstance(lasted, bool) or not isinstance(lasted, (int, float)):
        raise ValueError(f"{where}: the status is {alert['status']!r:.40}, but both 'closedAt' and 'report' with 'closeTime' are missing")
    began = read_texts([start], where, lambda _: f"{where}, createdAt", tz)
    if not 0 <= lasted < _CENTURY:
        raise ValueError(f"{where}: 'closeTime' is {lasted!r:.40}; expected milliseconds after 'createdAt', up to a century")
    moment = int(began.nanoseconds[0]) + round(lasted) * NANOSECONDS["ms"]
    if moment >= 2**63:
        raise ValueError(f"{where}: it ends {lasted!r} ms after {start!r:.40}; {YEARS}")
    end = time_text(np.datetime64(moment, "ns"))
    return f"{end}Z" if began.zoned else end


def _labels(alert: dict[str, Any]) -> dict[str, str]:
    wanted = {"id": "id", "tinyId": "tinyId", "alias": "alias", "message": "alertname", "priority": "priority", "source": "source"}
    # The alias of an alert without one is its id.
    return {name: str(alert[key]) for key, name in wanted.items() if alert.get(key) and (key != "alias" or alert[key] != alert.get("id"))}


def _alerts(answer: Any) -> list[Any] | None:
    records = answer.get("data") if isinstance(answer, dict) else answer
    return records if isinstance(records, list) else None


def _looks(source: Source) -> bool:
    alerts = _alerts(source.json)
    return bool(alerts) and all(isinstance(each, dict) and any(key in each for key in _STARTS) for each in alerts or ())


FORMAT = Format(
    name="opsgenie",
    about="Opsgenie's alerts or incidents, JSON",
    end="included",
    kinds=("json",),
    looks=_looks,
    reads=lambda source, how: opsgenie_times(source, how.tz),
)
