"""What Alertmanager sends to a webhook: ``{"version": "4", "status": "firing", "alerts": [...]}``, or a list of such notifications.

Alerts have ``startsAt`` and ``endsAt`` as in version 2 of its API. An alert is sent when it fires and again when it is resolved: the
notification with the end is used.
"""

from __future__ import annotations

from typing import Any

from rangewise.files.formats.alertmanager import alertmanager_times
from rangewise.files.formats.base import Format
from rangewise.files.source import Source
from rangewise.files.times import TimeRanges

_FIRING = "firing"


def webhook_times(source: Source, tz: str | None = None) -> TimeRanges:
    answer = source.json
    notifications = answer if isinstance(answer, list) else [answer]
    alerts: dict[Any, Any] = {}
    for where, notification in enumerate(notifications):
        own = notification.get("alerts") if isinstance(notification, dict) else None
        if not isinstance(own, list) or not all(isinstance(alert, dict) for alert in own):
            raise ValueError(f"{source.name}, notification {where}: expected an object with 'alerts', a list of objects")
        for alert in own:
            # While an alert fires, its end is Alertmanager's timeout, not the real end.
            known = alert | {"endsAt": None} if alert.get("status") == _FIRING else alert
            key = str(alert.get("fingerprint") or sorted(_labels(alert).items())), str(alert.get("startsAt"))
            if key not in alerts or known.get("endsAt"):
                alerts[key] = known
    return alertmanager_times(source, list(alerts.values()), tz)


def _labels(alert: dict[str, Any]) -> dict[str, Any]:
    labels = alert.get("labels")
    return labels if isinstance(labels, dict) else {}


def is_notification(given: Any) -> bool:
    return isinstance(given, dict) and isinstance(given.get("alerts"), list) and not isinstance(given.get("data"), dict)


def _looks(source: Source) -> bool:
    listed = isinstance(source.json, list) and bool(source.json) and all(map(is_notification, source.json))
    return listed or is_notification(source.json)


FORMAT = Format(
    name="alertmanager-webhook",
    about="notifications that Alertmanager sends to a webhook",
    end="included",
    kinds=("json",),
    looks=_looks,
    reads=lambda source, how: webhook_times(source, how.tz),
)
