"""Prepare incidents and alerts from files: count duplicates once, exclude rules, join flaps. Each step notes what it changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from rangewise.checks import did_you_mean, shown_names
from rangewise.datasets.arguments import prefixed, read_annotations
from rangewise.files.formats.alertmanager import ALERT, FINGERPRINT
from rangewise.files.formats.range_table import plain_name
from rangewise.files.source import Source
from rangewise.files.times import TimeRanges
from rangewise.inputs.instants import duration, duration_text, in_zone, read_instants
from rangewise.inputs.ranges import Ranges

Role = Literal["incidents", "alerts", "ignore"]
_IDENTITY = ("id", "incidentid", "incidentnumber", "eventid", "number", "key", "tinyid")
"""Names of the number of a record, as :func:`plain_name` returns them, in order of preference."""
_NOT_IDENTITY = (FINGERPRINT, "alertstate", "__name__")
NOW = "now"


def read_records(
    argument: str,
    role: Role,
    *,
    file_format: str | None = None,
    start_column: str | None = None,
    end_column: str | None = None,
    until: str | None = None,
    tz: str | None = None,
    uses: set[str] | None = None,
) -> TimeRanges:
    """The incidents or alerts of a file, each counted once; ``notes`` list what was dropped. The file may be empty.

    Ignored intervals may share an id, so all of them count.
    """
    end = None if until is None else in_zone(read_instants([read_until(until)], "until"), tz, lambda _: "until").times[0]
    source = argument if file_format is not None else _source(argument, role)
    annotations = read_annotations(
        source, format=file_format, start_column=start_column, end_column=end_column, tz=tz, as_ranges=True,
        uses=set() if uses is None else uses,
    )  # fmt: skip
    ranges = annotations.ranges
    if isinstance(ranges, Ranges) and not len(ranges):
        nothing = np.empty(0, dtype="datetime64[ns]")
        return TimeRanges(nothing, nothing, annotations.name)
    if not isinstance(ranges, TimeRanges):
        raise ValueError(f"{annotations.name} gives rows, but incidents and alerts are times (score rows with `rangewise score`)")
    # A record that is still open may have ended in another record of the same incident.
    records = (ranges if role == "ignore" else counted_once(ranges, role)).closed(end)
    records.on_clock()  # raises for records that are still open
    return records


def _source(argument: str, role: Role) -> str | Source:
    """A file whose format is detected, which must not be text without columns."""
    if prefixed(argument)[0] is not None:
        return argument
    source = Source(argument)
    empty = not source.content.removeprefix(b"\xef\xbb\xbf").strip()
    if empty or source.kind == "text":
        what = "intervals" if role == "ignore" else role
        problem = "is empty; expected" if empty else "is neither a table nor JSON; expected"
        none = f" (no {what}: only the line of names, or [])" if empty else ""
        raise ValueError(f"{source.name} {problem} {what} with times, e.g. a table with columns start and end{none}")
    return source


def read_until(until: str | None) -> Any:
    """Parse a time; ``now`` is the current time."""
    return datetime.now(UTC) if until is not None and until.strip().lower() == NOW else until


def counted_once(times: TimeRanges, role: Role) -> TimeRanges:
    """Of several records of one incident (same id) or alert (same fingerprint or labels, and start), keep the last one with an end."""
    keys = [_key(labels, str(first), role) for labels, first in zip(times.labels or (), times.firsts, strict=False)]
    kept: dict[Any, int] = {}
    doubles: list[str] = []
    for row, key in enumerate(keys):
        if key is None:
            kept[row, None] = row
            continue
        if key in kept:
            doubles.append(key[0])
            if np.isnat(times.lasts[row]):
                continue
        kept[key] = row
    if not doubles:
        return times
    note = f"{len(doubles)} duplicate{'' if len(doubles) == 1 else 's'} counted once: {shown_names(dict.fromkeys(doubles), 3)}"
    return noted(times.chosen(np.array(sorted(kept.values()), dtype=np.int64)), note)


def _key(labels: Mapping[str, str], first: str, role: Role) -> tuple[str, ...] | None:
    """The key that two records of the same incident or alert share; None if there is none."""
    numbers = {plain_name(name): value for name, value in labels.items() if value}
    named = next((numbers[name] for name in _IDENTITY if name in numbers), None)
    if role == "incidents":
        return None if named is None else (named,)
    rule = labels.get(ALERT) or labels.get("rule") or "alert"
    if labels.get(FINGERPRINT):
        return f"{rule} {labels[FINGERPRINT]}", first
    return None if not labels else (named or rule, first, *(f"{name}={labels[name]}" for name in sorted(labels)))


def without_rules(alerts: TimeRanges, rules: Sequence[str], excluded: Sequence[str]) -> tuple[TimeRanges, list[str]]:
    """The alerts of all other rules, and the rule of each alert."""
    for name in excluded:
        if name not in rules and len(rules):
            raise ValueError(f"{alerts.name} has no alert of a rule {name!r} to exclude{did_you_mean(name, set(rules))}")
    keep = np.array([rule not in excluded for rule in rules], dtype=np.bool_)
    left = noted(alerts.chosen(keep), f"{int((~keep).sum())} alerts of {', '.join(excluded)} are excluded") if excluded else alerts
    return left, [rule for rule in rules if rule not in excluded]


def rules_of(alerts: TimeRanges, by: str | None) -> list[str] | None:
    """The rule of each alert: the label ``by``, by default ``alertname`` if the alerts have it, else None."""
    labels = alerts.labels or ()
    if not len(alerts):
        return []
    if by is None:
        return [each.get(ALERT, "") for each in labels] if any(ALERT in each for each in labels) else None
    if not any(by in each for each in labels):
        known = sorted({name for each in labels for name in each})
        raise ValueError(f"{alerts.name} has no label or column {by!r}; it has {', '.join(known) or 'none'}{did_you_mean(by, known)}")
    return [each.get(by, "") for each in labels]


def join_flaps(alerts: TimeRanges, gap: Any) -> TimeRanges:
    """Join alerts with the same labels that follow each other within ``gap``."""
    longest = duration(gap, "join_flaps")
    if longest < 0:
        raise ValueError(f"join_flaps, the longest gap between two alerts to join, must be 0 or more; got {gap!r}")
    identity: Callable[[int], tuple[str, ...]] = lambda row: () if alerts.labels is None else _identity(alerts.labels[row])  # noqa: E731
    lasts = alerts.lasts.view(np.int64).copy()
    open_at: dict[tuple[str, ...], int] = {}
    keep = np.ones(len(alerts), dtype=np.bool_)
    firsts = alerts.firsts.view(np.int64)
    for row in np.argsort(firsts, kind="stable").tolist():
        before = open_at.get(identity(row))
        if before is not None and firsts[row] - (lasts[before] + alerts.holds) <= longest:
            lasts[before] = max(lasts[before], lasts[row])
            keep[row] = False
        else:
            open_at[identity(row)] = row
    joined = int((~keep).sum())
    if not joined:
        return alerts
    note = f"{joined} alert{'' if joined == 1 else 's'} joined to the previous one, at most {duration_text(longest)} earlier"
    return noted(replace(alerts, lasts=lasts.view("datetime64[ns]")).chosen(keep), note)


def _identity(labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{name}={value}" for name, value in sorted(labels.items()) if name not in _NOT_IDENTITY and plain_name(name) not in _IDENTITY
    )


def check_same_zones(sides: Sequence[tuple[str, bool | None]]) -> None:
    """Raise if some files have times with a zone and others without: their times cannot be compared."""
    zoned, plain = ([name for name, flag in sides if flag is wanted] for wanted in (True, False))
    if zoned and plain:
        raise ValueError(
            f"the times of {plain[0]} have no zone and those of {zoned[0]} have one; give the zone of the former with --tz, e.g. "
            "--tz Europe/Berlin or --tz UTC"
        )


def noted(times: TimeRanges, note: str) -> TimeRanges:
    return replace(times, notes=(*times.notes, note))
