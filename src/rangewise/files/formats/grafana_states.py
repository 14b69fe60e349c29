"""Grafana's alert state history: annotations with ``newState`` and ``prevState``, as its HTTP API returns them.

Each is a change of an alert's state at ``time``, in milliseconds since 1970. An alert fires from the change to ``Alerting`` until its
next change; without one it is open. ``Pending``, ``NoData`` and ``Error`` are not firing.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from rangewise.files.formats.base import Format, is_list_of
from rangewise.files.source import Source
from rangewise.files.times import TimeRanges
from rangewise.inputs.instants import from_epoch

_NEW = "newState"


def grafana_states_times(source: Source) -> TimeRanges:
    changes = source.json
    if not isinstance(changes, list):
        raise ValueError(f"{source.name}: Grafana's alert state history is a JSON list; got {type(changes).__name__}")
    for where, change in enumerate(changes):
        if not isinstance(change, dict) or "time" not in change or not isinstance(change.get(_NEW), str):
            raise ValueError(f"{source.name}, annotation {where}: expected an object with 'time' and '{_NEW}'")
    moments = from_epoch([change["time"] for change in changes], "ms", source.name)
    firing: dict[Any, np.datetime64] = {}
    firsts, lasts, labels = [], [], []
    # Of changes at the same time, the one with the lower number came first.
    order = sorted(range(len(changes)), key=lambda row: (moments[row], _number(changes[row].get("id"))))
    for row in order:
        change, key = changes[row], _alert(changes[row])
        is_firing = _is_firing(change[_NEW])
        if key in firing and not is_firing:
            firsts.append(firing.pop(key))
            lasts.append(moments[row])
            labels.append(_labels(change))
        elif is_firing and key not in firing:
            firing[key] = moments[row]
    known = {_alert(change): _labels(change) for change in changes}
    for key, first in firing.items():
        firsts.append(first)
        lasts.append(np.datetime64("NaT", "ns"))
        labels.append(known[key])
    first_times, last_times = (np.array(side, dtype="datetime64[ns]") for side in (firsts, lasts))
    names = tuple(each.get("alertname", "") for each in labels)
    return TimeRanges(first_times, last_times, source.name, names=names if any(names) else None, labels=tuple(labels), zoned=True)


def _number(given: Any) -> int:
    """The number of a change; 0 without one."""
    return int(given) if str(given).isdecimal() else 0


def _is_firing(state: str) -> bool:
    return state.strip().lower().partition(" ")[0] in ("alerting", "firing")


def _alert(change: dict[str, Any]) -> tuple[str, ...]:
    """The identity of an alert: the rule, the panel, and the labels in its text."""
    within = re.search(r"\{[^}]*\}", str(change.get("text", "")))
    return (*(str(change.get(key, "")) for key in ("alertId", "alertName", "dashboardUID", "panelId")), within[0] if within else "")


def _labels(change: dict[str, Any]) -> dict[str, str]:
    wanted = {"alertName": "alertname", "alertId": "alertId", "dashboardUID": "dashboardUID", "panelId": "panelId"}
    labels = {name: str(change[key]) for key, name in wanted.items() if change.get(key)}
    within = _alert(change)[-1]
    return labels | ({"labels": within} if within else {})


FORMAT = Format(
    name="grafana-states",
    about="Grafana's alert state history",
    end="included",
    kinds=("json",),
    looks=lambda source: source.json != [] and is_list_of(source.json, lambda change: change.get(_NEW)),
    reads=lambda source, how: grafana_states_times(source),
)
