"""Prometheus' active alerts: the response of ``/api/v1/alerts``.

``{"data": {"alerts": [{"labels": {...}, "state": "firing", "activeAt": "2024-05-01T10:09:00Z"}]}}``. All of them are still open.
``activeAt`` is when the expression became true; a rule with ``for`` fires that much later, which the response does not contain.
Pending alerts are skipped.
"""

from __future__ import annotations

from typing import Any

from rangewise.files.formats.alertmanager import alert_names, ranges_of_texts, text_labels
from rangewise.files.formats.base import Format
from rangewise.files.source import Source
from rangewise.files.times import TimeRanges

_ACTIVE = "activeAt"


def prometheus_alerts_times(source: Source, tz: str | None = None) -> TimeRanges:
    alerts = active_alerts(source.json)
    if alerts is None:
        raise ValueError(f"{source.name}: a response of /api/v1/alerts has 'data' with 'alerts', a list")
    for where, alert in enumerate(alerts):
        if not isinstance(alert, dict) or not isinstance(alert.get(_ACTIVE), str):
            raise ValueError(f"{source.name}, alert {where}: expected an object with 'state' and '{_ACTIVE}'")
    firing = [alert for alert in alerts if alert.get("state", "firing") == "firing"]
    pending = len(alerts) - len(firing)
    notes = [f"{pending} pending alert{' is' if pending == 1 else 's are'} skipped: only firing alerts are used"] if pending else []
    notes += [f"alerts begin at {_ACTIVE}, when they became pending; /api/v1/alerts does not contain when they fired"] if firing else []
    labels = [text_labels(alert.get("labels")) for alert in firing]
    starts = [alert[_ACTIVE] for alert in firing]
    times = ranges_of_texts(source.name, starts, [None] * len(firing), labels, tz, alert_names(labels), (_ACTIVE, "end"), "alert")
    return TimeRanges(times.firsts, times.lasts, times.name, names=times.names, labels=times.labels, zoned=times.zoned, notes=tuple(notes))


def active_alerts(answer: Any) -> list[Any] | None:
    """The alerts of a response; None if it is not one of this kind."""
    data = answer.get("data") if isinstance(answer, dict) else None
    alerts = data.get("alerts") if isinstance(data, dict) else None
    return alerts if isinstance(alerts, list) else None


FORMAT = Format(
    name="prometheus-alerts",
    about="a response of Prometheus' /api/v1/alerts",
    end="none: all alerts are open (--until)",
    kinds=("json",),
    looks=lambda source: active_alerts(source.json) is not None,
    reads=lambda source, how: prometheus_alerts_times(source, how.tz),
)
