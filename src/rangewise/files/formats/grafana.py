"""Grafana annotations, as its HTTP API gives them: ``[{"time": 1507266395000, "timeEnd": 1507266399000, "tags": [...]}]``.

Milliseconds since 1970, the end included; without ``timeEnd``, or with an equal one, an annotation is a point in time.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from rangewise.datasets.source import Source, SourceLike, as_source, json_bytes
from rangewise.datasets.times import Outside, TimeRanges, from_epoch, to_epoch
from rangewise.ranges import Ranges


def read_grafana(path: SourceLike, timestamps: NDArray[Any], *, tag: str | None = None, outside: Outside = "error") -> Ranges:
    """The annotations, or those with a tag, as rows of the timestamps; annotations that share a row are joined."""
    return grafana_times(as_source(path), tag).rows(timestamps, outside)


def grafana_times(source: Source, tag: str | None = None) -> TimeRanges:
    annotations = source.json
    if not isinstance(annotations, list):
        raise ValueError(f"{source.name}: Grafana annotations are a JSON list; got {type(annotations).__name__}")
    firsts, lasts = [], []
    for where, annotation in enumerate(annotations):
        if not isinstance(annotation, dict) or "time" not in annotation:
            raise ValueError(f"{source.name}, annotation {where}: expected an object with 'time' in milliseconds since 1970")
        if tag is not None and tag not in (annotation.get("tags") or ()):
            continue
        firsts.append(annotation["time"])
        # Grafana itself writes 0 for an annotation without an end.
        lasts.append(annotation.get("timeEnd") or annotation["time"])
    return TimeRanges(from_epoch(firsts, "ms", source.name), from_epoch(lasts, "ms", source.name), source.name)


def grafana_text(times: TimeRanges) -> bytes:
    """Annotations with the tag ``anomaly``."""
    firsts, lasts = (to_epoch(side, "ms", "Grafana") for side in (times.firsts, times.lasts))
    pairs = zip(firsts.tolist(), lasts.tolist(), strict=True)
    return json_bytes([{"time": first, "timeEnd": last, "text": "anomaly", "tags": ["anomaly"]} for first, last in pairs])
