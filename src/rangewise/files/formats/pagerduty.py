"""PagerDuty's incidents: ``{"incidents": [{"id": ..., "created_at": ..., "resolved_at": ..., "service": {"summary": ...}}]}``.

As its REST API lists them. An unresolved incident is open; without ``resolved_at``, a resolved incident ended at its last change of
status. Its CSV export is a table of ranges (``created_on``, ``resolved_on``).
"""

from __future__ import annotations

from typing import Any

from rangewise.files.formats.alertmanager import ranges_of_texts
from rangewise.files.formats.base import Format
from rangewise.files.source import Source
from rangewise.files.times import TimeRanges

_CREATED, _RESOLVED, _CHANGED = "created_at", "resolved_at", "last_status_change_at"


def pagerduty_times(source: Source, tz: str | None = None) -> TimeRanges:
    incidents = _incidents(source.json)
    if incidents is None:
        raise ValueError(f"{source.name}: PagerDuty's incidents are an object with 'incidents', a list")
    starts, ends, labels = [], [], []
    for where, incident in enumerate(incidents):
        if not isinstance(incident, dict) or not isinstance(incident.get(_CREATED), str):
            raise ValueError(f"{source.name}, incident {where}: expected an object with '{_CREATED}' and '{_RESOLVED}'")
        resolved = incident.get("status", "resolved") == "resolved"
        starts.append(incident[_CREATED])
        ends.append((incident.get(_RESOLVED) or incident.get(_CHANGED)) if resolved else None)
        labels.append(_labels(incident))
    names = tuple(each.get("id", "") for each in labels)
    return ranges_of_texts(source.name, starts, ends, labels, tz, names, (_CREATED, _RESOLVED), "incident")


def _labels(incident: dict[str, Any]) -> dict[str, str]:
    labels = {}
    for key in ("id", "incident_number", "title", "status", "urgency", "service", "priority"):
        value = incident.get(key)
        value = value.get("summary") if isinstance(value, dict) else value
        if value not in (None, ""):
            labels[key] = str(value)
    return labels


def _incidents(answer: Any) -> list[Any] | None:
    incidents = answer.get("incidents") if isinstance(answer, dict) else None
    return incidents if isinstance(incidents, list) else None


FORMAT = Format(
    name="pagerduty",
    about="PagerDuty's incidents, JSON",
    end="included",
    kinds=("json",),
    looks=lambda source: _incidents(source.json) is not None,
    reads=lambda source, how: pagerduty_times(source, how.tz),
)
