"""The table of all formats, and the detection of a file's format. To add a format, add a file to this folder and its name here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rangewise.checks import unknown_name
from rangewise.files.events import EventTable
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
from rangewise.files.formats.base import Choices, Format
from rangewise.files.source import FENCE, Source

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

_WAY_OUT = "give its format with --format, or with a prefix such as {0}:{1}"


def known_format(name: str) -> Format:
    """The format of that name."""
    if name not in FORMATS:
        raise unknown_name("a format", name, tuple(FORMATS))
    return FORMATS[name]


def event_reader(source: Source) -> Callable[[Source, Choices], EventTable] | None:
    """The reader of a file in a format of events; None for other files."""
    first_line = source.content.removeprefix(b"\xef\xbb\xbf").lstrip()[:4096].partition(b"\n")[0]
    # One class per line may be any text, so only files that look like a format are tried.
    if first_line[:1] not in b"[{#0" and not any(sign in first_line for sign in (b"\t", b",", b";", FENCE)):
        return None
    return next((each.events for each in EVENT_FORMATS.values() if each.fits(source)), None)


def guess(source: Source) -> Format:
    """The only format that fits; an error if none or several do."""
    if source.kind == "json" and source.json == []:
        return FORMATS["alertmanager"]  # an empty list, in every format that is a list
    formats = [each for each in FORMATS.values() if each.fits(source)]
    formats = formats or [each for each in FORMATS.values() if each.otherwise == source.kind]
    if len(formats) == 1:
        return formats[0]
    if not formats:
        raise ValueError(f"{source.name} has no known format; {_WAY_OUT.format('labels', source.path)}")
    names = [each.name for each in formats]
    raise ValueError(f"{source.name} may be {' or '.join(names)}; {_WAY_OUT.format(names[0], source.path)}")
