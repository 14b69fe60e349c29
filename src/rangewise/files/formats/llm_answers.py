"""Answers of language models: intervals as JSON, also inside prose or a fenced block, as one answer or a list of answers.

Intervals are objects with a start and an end (or a duration), or lists ``[start, end]`` and ``[start, end, confidence]``, alone or under a
key such as ``anomalies``. Integers are rows, the end excluded; numbers with a fraction and ``mm:ss`` are seconds; ISO 8601 texts are
dates. An answer that declines is counted as refused, an answer without readable intervals as unreadable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rangewise.files.events import ANNOTATOR_NAMES, CLASS_NAMES, CONFIDENCE_NAMES, EventTable, Unit, nanoseconds
from rangewise.files.formats.base import Choices, Format
from rangewise.files.source import FENCE, Source
from rangewise.inputs.instants import parse_times

_STARTS = ("start", "onset", "begin", "from", "start_time", "start_index", "start_idx")
_ENDS = ("end", "stop", "offset", "to", "until", "end_time", "end_index", "end_idx")
_LISTS = ("anomalies", "events", "intervals", "ranges", "anomaly_ranges", "detections", "segments", "results")
_TEXTS = ("answer", "response", "output", "completion", "content", "text")
_FENCED = r"(?s)```[a-zA-Z]*\s*\n(.*?)```"
_CLOCK = r"(?:(\d+):)?(\d{1,2}):(\d{2}(?:\.\d+)?)"
_REFUSAL = r"(?i)\b(cannot|can't|can not|could not|couldn't|unable|not able|won't|will not|sorry|apologi[sz]e|decline|refuse)\b"


@dataclass(frozen=True)
class Answer:
    """The content of one answer: intervals (possibly none), or why there are none."""

    kind: Literal["read", "refused", "unreadable"]
    events: EventTable
    reason: str = ""
    """What is wrong with the first intervals of an answer without readable ones; empty if it has none."""


def read_answer(text: str, name: str = "answer", *, inclusive: bool = False) -> Answer:
    """Parse one answer of a language model; with ``inclusive``, rows include their end.

    >>> read_answer('Here you are: ```json\\n[{"start": 3, "end": 8, "confidence": 0.9}]\\n```').events.ranges()
    Ranges([(3, 8)])
    >>> read_answer("I'm sorry, I cannot look at the series.").kind
    'refused'
    """
    reason = ""
    for data in _json_parts(text):
        intervals = _intervals(data)
        if intervals is not None:
            try:
                return Answer("read", _events(intervals, name, inclusive))
            except ValueError as error:
                reason = reason or str(error)
    kind: Literal["refused", "unreadable"] = "refused" if re.search(_REFUSAL, text) else "unreadable"
    return Answer(kind, _events([], name, inclusive), reason)


def read_answers(source: Source, how: Choices) -> list[Answer]:
    """All answers of a file: a JSON list of texts, of objects with a text, or of lists of intervals; otherwise the file is one answer."""
    inclusive = bool(how.inclusive)
    try:
        data = json.loads(source.text)
    except (json.JSONDecodeError, RecursionError):
        return [read_answer(source.text, source.name, inclusive=inclusive)]
    if _intervals(data) is not None or not isinstance(data, list):
        return [read_answer(source.text, source.name, inclusive=inclusive)]
    texts = [_text_of(entry) for entry in data]
    return [read_answer(text, f"{source.name}, answer {number}", inclusive=inclusive) for number, text in enumerate(texts, start=1)]


def llm_events(source: Source, how: Choices) -> EventTable:
    """The intervals of a file with one answer. Several answers are scored one by one (``rangewise events``)."""
    answers = read_answers(source, how)
    if len(answers) > 1:
        raise ValueError(
            f"{source.name} has {len(answers)} answers; `rangewise events REAL ANSWERS` without --by scores each of them, "
            "everything else takes one answer per file"
        )
    answer = answers[0]
    if answer.reason:
        raise ValueError(answer.reason)
    if answer.kind != "read":
        raise ValueError(f'{source.name} is {answer.kind}: there is no JSON with intervals, e.g. [{{"start": 3, "end": 8}}]')
    return answer.events


def _text_of(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, dict):
        for key in _TEXTS:
            if isinstance(entry.get(key), str):
                return str(entry[key])
    return json.dumps(entry)


def _json_parts(text: str) -> Iterator[Any]:
    """All JSON in a text: the whole text, fenced blocks, and from every opening bracket."""
    for part in (text, *re.findall(_FENCED, text)):
        try:
            yield json.loads(part)
        except (json.JSONDecodeError, RecursionError):
            continue
    decoder, at = json.JSONDecoder(), 0
    while (opening := re.compile(r"[\[{]").search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, opening.start())
            yield value
        except (json.JSONDecodeError, RecursionError):
            at = opening.start() + 1


def _intervals(data: Any) -> list[Any] | None:
    """The list of intervals in JSON data; None if it has none."""
    if isinstance(data, dict):
        keys = {str(key).lower(): key for key in data}
        for name in _LISTS:
            if name in keys:
                return _intervals(data[keys[name]])
        return [data] if not keys.keys().isdisjoint(_STARTS) else None
    if not isinstance(data, list):
        return None
    is_interval = all(isinstance(each, dict) and not {str(key).lower() for key in each}.isdisjoint(_STARTS) for each in data)
    is_pair = all(
        isinstance(each, list) and len(each) in (2, 3) and not any(isinstance(end, (list, dict)) for end in each) for each in data
    )
    return data if is_interval or is_pair else None


def _events(intervals: list[Any], name: str, inclusive: bool) -> EventTable:
    bounds: list[Any] = []
    classes, confidences, annotators = [], [], []
    for number, each in enumerate(intervals):
        where = f"{name}, interval {number}"
        if isinstance(each, list):
            each = dict(zip(("start", "end", "confidence"), each, strict=False))
        keys = {str(key).lower(): value for key, value in each.items()}
        start = _first(keys, _STARTS)
        stop = _first(keys, _ENDS)
        if stop is None and isinstance(keys.get("duration"), (int, float)) and isinstance(start, (int, float)):
            stop = start + keys["duration"]
        if start is None or stop is None:
            raise ValueError(f"{where} has no start or no end")
        bounds += [start, stop]
        classes.append(str(_first(keys, CLASS_NAMES) or ""))
        annotators.append(str(_first(keys, ANNOTATOR_NAMES) or ""))
        confidences.append(_first(keys, CONFIDENCE_NAMES))
    values, unit = _moments(bounds, name)
    starts, stops = values[::2], values[1::2] + (inclusive if unit == "rows" else 0)
    for number in np.flatnonzero((stops < starts) | ((unit == "rows") & ((stops <= starts) | (starts < 0))))[:1].tolist():
        rule = "; rows count from 0, and the end is excluded (included: --inclusive)" if unit == "rows" and not inclusive else ""
        raise ValueError(f"{name}, interval {number}: {bounds[2 * number]} to {bounds[2 * number + 1]} is not an interval{rule}")
    return EventTable(
        name, starts, stops, unit, tuple(classes) if any(classes) else None, _confidences(confidences),
        tuple(annotators) if any(annotators) else None,
    )  # fmt: skip


def _first(keys: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((keys[name] for name in names if keys.get(name) is not None), None)


def _confidences(given: list[Any]) -> np.ndarray[Any, Any] | None:
    """The confidences, if all intervals have one and it is a number, not a word such as "high"."""
    are_numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) and value == value for value in given)
    return np.array(given, dtype=np.float64) if given and are_numbers else None


def _moments(bounds: list[Any], name: str) -> tuple[np.ndarray[Any, Any], Unit]:
    """Starts and stops as integers of one unit."""
    numbers = [_number(bound) for bound in bounds]
    if all(number is not None for number in numbers):
        if all(isinstance(number, int) for number in numbers):
            return np.array(numbers, dtype=np.int64).reshape(-1), "rows"
        return nanoseconds(numbers, name), "seconds"
    for bound, number in zip(bounds, numbers, strict=True):
        if number is None and any(each is not None for each in numbers):
            raise ValueError(f"{name}: {bound!r:.40} is not a number, but others are; expected numbers, mm:ss, or ISO 8601 dates")
    return parse_times([str(bound) for bound in bounds], name).view(np.int64), "dates"


def _number(bound: Any) -> int | float | None:
    if isinstance(bound, (int, float)) and not isinstance(bound, bool):
        return bound if abs(bound) < 2**62 else None
    if isinstance(bound, str):
        if (clock := re.fullmatch(_CLOCK, bound.strip())) is not None:
            hours, minutes, seconds = clock.groups(default="0")
            return 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds)
        try:
            number = float(bound) if any(mark in bound for mark in ".eE") else int(bound)
        except ValueError:
            return None
        return number if abs(number) < 2**62 else None
    return None


def _looks(source: Source) -> bool:
    """JSON with intervals or with several answers, or prose around a fenced block."""
    if source.kind != "json":
        return FENCE in source.content
    data = source.json
    # An empty list may be of any format that is a list.
    several = isinstance(data, list) and all(map(_is_answer, data))
    return bool(data) and (several or _intervals(data) is not None) and not _is_other(data)


def _is_answer(entry: Any) -> bool:
    """Whether an entry of a list is a text, an object with a text, or intervals."""
    return isinstance(entry, str) or _intervals(entry) is not None or (isinstance(entry, dict) and _text_of(entry) in entry.values())


def _is_other(data: Any) -> bool:
    """Whether it has the keys of Grafana's annotations or Alertmanager's alerts."""
    return isinstance(data, list) and any(
        isinstance(each, dict) and not {"time", "timeEnd", "startsAt", "annotations"}.isdisjoint(each) for each in data
    )


FORMAT = Format(
    name="llm",
    about="an answer of a language model: JSON intervals, also in prose",
    end="rows: excluded (--inclusive)",
    kinds=("json", "fenced", "track"),
    looks=_looks,
    events=llm_events,
)
