"""Label Studio's JSON export of time series: tasks with annotations, each with a result of regions of type ``timeserieslabels``.

``start`` and ``end`` are milliseconds since 1970 or ISO 8601 texts, the end included. Anomalies are the regions of all annotators; as
events, each region has its annotator. Canceled annotations are skipped. A region is named by its labels and its id.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.files.events import EventTable
from rangewise.files.formats.base import Choices, Format, chosen_series, dated_times, is_list_of
from rangewise.files.formats.range_table import events_of_times
from rangewise.files.source import Source, SourceLike, as_source, json_bytes
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.instants import from_epoch, parse_times, time_text
from rangewise.inputs.ranges import Ranges

REGION = "timeserieslabels"


def read_label_studio(
    path: SourceLike, timestamps: NDArray[Any], *, task: str | None = None, label: str | None = None, outside: Outside = "error"
) -> Ranges:
    """Read the regions of a task, or those with a label, as rows of the timestamps; regions that share a row are joined.

    ``task`` is its ``id``, which you can leave out if the export has only one task.
    """
    return label_studio_times(as_source(path), task, label).rows(timestamps, outside)


def label_studio_times(source: Source, task: str | None = None, label: str | None = None) -> TimeRanges:
    bounds: list[Any] = []
    labels: list[dict[str, str]] = []
    for _, region, value, named in _labeled(source, task):
        if label is None or label in named:
            bounds += [value["start"], value["end"]]
            fields = {"label": ", ".join(map(str, named)), "id": str(region.get("id") or "")}
            labels.append({key: text for key, text in fields.items() if text})
    texts = [isinstance(bound, str) for bound in bounds]
    if any(texts) and not all(texts):
        raise ValueError(f"{source.name} mixes numbers and texts as times; expected milliseconds since 1970, or ISO 8601 everywhere")
    times = parse_times(bounds, source.name) if any(texts) else from_epoch(bounds, "ms", source.name)
    names = tuple(" ".join(each.values()) for each in labels)
    return TimeRanges(times[::2], times[1::2], source.name, names=names if any(names) else None, labels=tuple(labels))


def label_studio_labels(source: Source, task: str | None = None) -> list[str]:
    """The labels of the regions of a task, in order of appearance; a region without one is an error."""
    labels: dict[str, None] = {}
    for _, region, _, named in _labeled(source, task):
        if not named:
            raise ValueError(f"{source.name}: region {region.get('id', '')!r} has no label; give every region a class")
        labels |= dict.fromkeys(map(str, named))
    return list(labels)


def label_studio_events(source: Source, how: Choices) -> EventTable:
    """The regions of a task with their annotators, one event per label; an annotation without annotator is named by its number."""
    rows, classes, annotators = [], [], []
    for row, (annotator, _, _, named) in enumerate(_labeled(source, how.series)):
        for label in named or [""]:
            rows.append(row)
            classes.append(str(label))
            annotators.append(annotator)
    names = [_annotator(annotation, number) for number, annotation in _annotations(_task(source, how.series), source.name)]
    return events_of_times(
        label_studio_times(source, how.series).chosen(np.array(rows, dtype=np.int64)), classes=tuple(classes) if any(classes) else None,
        annotators=tuple(annotators), annotator_names=tuple(dict.fromkeys(names)),
    )  # fmt: skip


def _labeled(source: Source, task: str | None) -> Iterator[tuple[str, dict[str, Any], dict[str, Any], list[Any]]]:
    """Each region of a task with its annotator, its value and its labels."""
    for annotator, where, region in _regions(_task(source, task), source.name):
        if region.get("type") != REGION:
            continue
        value = region.get("value")
        if not isinstance(value, dict) or "start" not in value or "end" not in value:
            raise ValueError(f"{source.name}, {where}: expected a 'value' with 'start' and 'end'")
        named = value.get(REGION)
        yield annotator, region, value, named if isinstance(named, list) else []


def _task(source: Source, task: str | None) -> dict[str, Any]:
    tasks = source.json
    if not isinstance(tasks, list) or not all(isinstance(each, dict) for each in tasks) or not tasks:
        raise ValueError(f"{source.name}: a Label Studio export is a JSON list of tasks")
    names = [str(each.get("id", where)) for where, each in enumerate(tasks)]
    chosen: dict[str, Any] = tasks[names.index(chosen_series(source.name, names, task, "task"))]
    return chosen


def _annotator(annotation: dict[str, Any], number: int) -> str:
    """The annotator, which exports give as a number, as an object with an email address, or not at all."""
    given = annotation.get("completed_by")
    if isinstance(given, dict):
        given = given.get("email") or given.get("id")
    return f"annotation {number}" if given is None else str(given)


def _regions(task: dict[str, Any], name: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for number, annotation in _annotations(task, name):
        where = f"annotation {number}"
        for position, region in enumerate(_list(annotation, "result", f"{name}, {where}")):
            if not isinstance(region, dict):
                raise ValueError(f"{name}, {where}, region {position}: expected an object with 'type' and 'value'")
            yield _annotator(annotation, number), f"{where}, region {position}", region


def _annotations(task: dict[str, Any], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The annotations of a task with their numbers, without canceled ones."""
    for number, annotation in enumerate(_list(task, "annotations", name)):
        if not isinstance(annotation, dict):
            raise ValueError(f"{name}, annotation {number}: expected an object with 'result'")
        if not annotation.get("was_cancelled"):
            yield number, annotation


def _list(owner: dict[str, Any], key: str, name: str) -> list[Any]:
    entries = owner.get(key)
    if not isinstance(entries, list):
        raise ValueError(f"{name}: expected {key!r} with a list")
    return entries


def label_studio_text(times: TimeRanges) -> bytes:
    """An export of one task with one annotation; the label is ``anomaly``."""
    regions = [
        {"type": REGION, "value": {"start": time_text(first), "end": time_text(last), "instant": bool(first == last), REGION: ["anomaly"]}}
        for first, last in zip(times.firsts, times.lasts, strict=True)
    ]
    return json_bytes([{"id": 1, "annotations": [{"result": regions}]}])


FORMAT = Format(
    name="label-studio",
    about="Label Studio's JSON export",
    end="included",
    kinds=("json",),
    looks=lambda source: is_list_of(source.json, lambda task: isinstance(task.get("annotations"), list)),
    reads=lambda source, how: label_studio_times(source, how.series),
    writes=lambda annotations, name: label_studio_text(dated_times(annotations, "label-studio")),
    events=label_studio_events,
)
