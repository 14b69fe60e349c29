"""ActivityNet's JSON: the ``database`` of real segments, or the ``results`` of a detector, with one list of segments per video.

Segments are ``[start, end]`` in seconds with a ``label``; those of a detector have a ``score``. ``--series`` names one of several videos.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rangewise.checks import shown
from rangewise.files.events import EventTable, nanoseconds
from rangewise.files.formats.base import Choices, Format, chosen_series
from rangewise.files.source import Source

_REAL, _FOUND = "database", "results"


def activitynet_events(source: Source, how: Choices) -> EventTable:
    """The segments of one video."""
    videos = _videos(source)
    if how.series is not None and how.series not in videos and how.may_lack_series:
        return _of_video(source.name, how.series, {how.series: []})
    return _of_video(source.name, chosen_series(source.name, videos, how.series, "video"), videos)


def _videos(source: Source) -> dict[str, Any]:
    data = source.json
    key = next((key for key in (_REAL, _FOUND) if isinstance(data, dict) and isinstance(data.get(key), dict)), None)
    if key is None:
        raise ValueError(f"{source.name}: ActivityNet's JSON has 'database' or 'results', with an object for each video")
    videos: dict[str, Any] = data[key]
    return videos


def _of_video(name: str, video: str, videos: dict[str, Any]) -> EventTable:
    entry = videos[video]
    segments = entry.get("annotations", []) if isinstance(entry, dict) else entry
    if not isinstance(segments, list):
        raise ValueError(f"{name}, video {video!r}: expected a list of segments; got {shown(segments)}")
    bounds, classes, scores = [], [], []
    for number, segment in enumerate(segments):
        where = f"{name}, video {video!r}, segment {number}"
        pair = segment.get("segment") if isinstance(segment, dict) else None
        if not (isinstance(pair, list) and len(pair) == 2 and all(_is_number(end) for end in pair)):
            raise ValueError(f"{where}: expected 'segment' with a start and an end in seconds; got {shown(segment)}")
        if pair[1] < pair[0]:
            raise ValueError(f"{where} ends before it starts: {pair}")
        bounds.append(pair)
        classes.append(str(segment.get("label", "")))
        if "score" in segment:
            if not _is_number(segment["score"]):
                raise ValueError(f"{where}: the score is {shown(segment['score'])}; expected a number")
            scores.append(float(segment["score"]))
    if scores and len(scores) < len(bounds):
        raise ValueError(f"{name}, video {video!r}: {len(scores)} of {len(bounds)} segments have a score; give a score for all or none")
    pairs = nanoseconds(np.array(bounds, dtype=np.float64).reshape(-1, 2), f"{name}, video {video!r}")
    lasting = entry.get("duration") if isinstance(entry, dict) else None
    return EventTable(
        f"{name}, video {video}", pairs[:, 0], pairs[:, 1], "seconds", tuple(classes) if any(classes) else None,
        np.array(scores) if scores else None, duration=int(nanoseconds(lasting, name)) if _is_number(lasting) else None,
    )  # fmt: skip


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value)


FORMAT = Format(
    name="activitynet",
    about="ActivityNet's JSON of segments, real or of a detector",
    kinds=("json",),
    looks=lambda source: isinstance(source.json, dict) and any(isinstance(source.json.get(key), dict) for key in (_REAL, _FOUND)),
    events=activitynet_events,
)
