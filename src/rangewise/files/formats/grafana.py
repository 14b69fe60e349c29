"""Grafana annotations, as its HTTP API returns them: ``[{"time": 1507266395000, "timeEnd": 1507266399000, "tags": [...]}]``.

Milliseconds since 1970, the end included; without ``timeEnd``, or with an equal one, an annotation is a point in time.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from rangewise.files.formats.base import Format, dated_times, is_list_of
from rangewise.files.source import Source, SourceLike, as_source, json_bytes
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.instants import from_epoch, to_epoch
from rangewise.inputs.ranges import Ranges


def read_grafana(path: SourceLike, timestamps: NDArray[Any], *, tag: str | None = None, outside: Outside = "error") -> Ranges:
    """Read the annotations, or those with a tag, as rows of the timestamps; annotations that share a row are joined."""
    return grafana_times(as_source(path), tag).rows(timestamps, outside)


def grafana_times(source: Source, tag: str | None = None) -> TimeRanges:
    annotations = source.json
    if not isinstance(annotations, list):
        raise ValueError(f"{source.name}: Grafana annotations are a JSON list; got {type(annotations).__name__}")
    firsts, lasts, labels = [], [], []
    for where, annotation in enumerate(annotations):
        if not isinstance(annotation, dict) or "time" not in annotation:
            raise ValueError(f"{source.name}, annotation {where}: expected an object with 'time' in milliseconds since 1970")
        if tag is not None and tag not in (annotation.get("tags") or ()):
            continue
        firsts.append(annotation["time"])
        # Grafana writes 0 for an annotation without an end.
        lasts.append(annotation.get("timeEnd") or annotation["time"])
        labels.append({key: str(annotation[key]) for key in ("text", "id", "dashboardUID", "panelId") if annotation.get(key)})
    names = tuple(each.get("text", "") for each in labels)
    first, last = (from_epoch(side, "ms", source.name) for side in (firsts, lasts))
    return TimeRanges(first, last, source.name, names=names if any(names) else None, labels=tuple(labels), zoned=True)


def grafana_text(times: TimeRanges) -> bytes:
    """Annotations with the tag ``anomaly``."""
    firsts, lasts = (to_epoch(side, "ms", "Grafana") for side in (times.firsts, times.lasts))
    pairs = zip(firsts.tolist(), lasts.tolist(), strict=True)
    return json_bytes([{"time": first, "timeEnd": last, "text": "anomaly", "tags": ["anomaly"]} for first, last in pairs])


FORMAT = Format(
    name="grafana",
    about="Grafana annotations",
    end="included",
    kinds=("json",),
    looks=lambda source: is_list_of(source.json, lambda note: "time" in note and not note.get("newState")),  # no alert states
    reads=lambda source, how: grafana_times(source),
    writes=lambda annotations, name: grafana_text(dated_times(annotations, "grafana", "ms")),
)
