"""EDF+ annotations: the ``EDF Annotations`` signal of an EDF+ recording, with onsets in seconds since its start.

A data record has time-stamped annotation lists: ``+onset``, optionally ``\\x15duration``, then ``\\x14text\\x14`` for each annotation. The
first list of each record, with an empty text, is the start of the record and not an event (Kemp and Olivan, 2003). In a discontinuous
recording (EDF+D), there may be time between data records, so the length of the recording is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from rangewise.files.events import EventTable, nanoseconds
from rangewise.files.formats.base import Choices, Format
from rangewise.files.source import Source

_LABEL = "EDF Annotations"
_HEADER, _SIGNAL_HEADER = 256, 256
_BYTES = 2  # of one sample


@dataclass(frozen=True)
class _Layout:
    """The position of the annotations in each data record."""

    first: int
    record: int
    records: int
    seconds: float
    parts: tuple[tuple[int, int], ...]
    origin: np.datetime64 | None
    has_gaps: bool


def edf_events(source: Source, how: Choices) -> EventTable:
    """The annotations of an EDF+ file, and the length of the recording."""
    layout = _layout(source)
    starts, durations, classes = [], [], []
    for record in range(layout.records):
        begin = layout.first + record * layout.record
        for offset, size in layout.parts:
            for tal in source.content[begin + offset : begin + offset + size].split(b"\0"):
                for onset, lasting, text in _annotations(tal, f"{source.name}, data record {record}"):
                    starts.append(onset)
                    durations.append(lasting)
                    classes.append(text)
    onsets = nanoseconds(starts, source.name)
    return EventTable(
        source.name, onsets, onsets + nanoseconds(durations, source.name), "seconds", tuple(classes), origin=layout.origin,
        duration=None if layout.has_gaps else round(layout.records * layout.seconds * 1e9) or None,
    )  # fmt: skip


def _annotations(tal: bytes, where: str) -> list[tuple[float, float, str]]:
    """The annotations of one list; none if it only has the start of the record."""
    if not tal:
        return []
    stamp, *texts = tal.split(b"\x14")
    onset, _, lasting = stamp.partition(b"\x15")
    try:
        begin, length = float(onset), float(lasting or b"0")
    except ValueError:
        raise ValueError(f"{where}: {stamp[:20]!r} is not the time of an annotation; the file may be damaged") from None
    return [(begin, length, text.decode("utf-8", errors="replace").strip()) for text in texts if text.strip()]


def _layout(source: Source) -> _Layout:
    content, name = source.content, source.name
    try:
        header, records = int(content[184:192]), int(content[236:244])
        seconds, signals = float(content[244:252]), int(content[252:256])
        labels = [content[_HEADER + 16 * at :][:16].decode("latin-1").strip() for at in range(signals)]
        # Of each signal: label 16, transducer 80, dimension 8, four ranges of 8, filter 80, samples per record 8, reserved 32 bytes.
        samples = [int(content[_HEADER + 216 * signals + 8 * at :][:8]) for at in range(signals)]
    except ValueError:
        raise ValueError(f"{name} is not an EDF+ file: its header lacks the expected numbers") from None
    if _LABEL not in labels:
        raise ValueError(f"{name} has no signal {_LABEL!r}: it is EDF without annotations, or another format; expected EDF+")
    if header != _HEADER + _SIGNAL_HEADER * signals:
        raise ValueError(f"{name}: the header says {header} bytes, but {signals} signals need {_HEADER + _SIGNAL_HEADER * signals}")
    offsets = np.concatenate([[0], np.cumsum(samples)]) * _BYTES
    size = int(offsets[-1])
    if size <= 0 or records < 0 or len(content) < header + records * size:
        raise ValueError(f"{name} ends before its {records} data records; the file may be incomplete")
    parts = tuple((int(offsets[at]), samples[at] * _BYTES) for at, label in enumerate(labels) if label == _LABEL)
    return _Layout(header, size, records, seconds, parts, _origin(content), content[192:236].startswith(b"EDF+D"))


def _origin(content: bytes) -> np.datetime64 | None:
    """The start of the recording. Years 85 to 99 are in the 20th century."""
    try:
        return np.datetime64(datetime.strptime(content[168:184].decode("ascii"), "%d.%m.%y%H.%M.%S"), "ns")
    except ValueError:
        return None


FORMAT = Format(
    name="edf",
    about="annotations of an EDF+ recording",
    kinds=("binary",),
    events=edf_events,
)
