"""The table of all formats. To add a format, add a file to this folder and its name here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rangewise.checks import unknown_name
from rangewise.files.formats import (
    activitynet,
    alertmanager,
    alertmanager_webhook,
    audacity,
    bids,
    dcase,
    edf,
    grafana,
    grafana_states,
    label_studio,
    label_table,
    labels,
    llm_answers,
    mne,
    nab_result,
    nab_windows,
    opsgenie,
    orion,
    pagerduty,
    prometheus,
    prometheus_alerts,
    range_table,
    telemanom,
    timeeval,
    tsb_ad,
    ucr,
)
from rangewise.files.formats.base import Format

_ALL = (
    labels,
    label_table,
    tsb_ad,
    timeeval,
    nab_result,
    nab_windows,
    ucr,
    range_table,
    orion,
    label_studio,
    grafana,
    grafana_states,
    prometheus,
    prometheus_alerts,
    alertmanager,
    alertmanager_webhook,
    pagerduty,
    opsgenie,
    bids,
    mne,
    edf,
    dcase,
    audacity,
    activitynet,
    telemanom,
    llm_answers,
)

FORMATS: Mapping[str, Format] = MappingProxyType({each.FORMAT.name: each.FORMAT for each in _ALL})

EVENT_FORMATS: Mapping[str, Format] = MappingProxyType(
    {each.FORMAT.name: each.FORMAT for each in (bids, mne, edf, dcase, audacity, activitynet, telemanom, llm_answers)}
)
"""The formats of events with classes or confidences."""


def known_format(name: str) -> Format:
    """The format of that name."""
    if name not in FORMATS:
        raise unknown_name("a format", name, tuple(FORMATS))
    return FORMATS[name]
