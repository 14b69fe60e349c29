"""Converting annotations to other formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from numpy.typing import NDArray

from rangewise.files.annotations import Annotations
from rangewise.files.formats.table import FORMATS, known_format
from rangewise.files.source import STANDARD_INPUT
from rangewise.files.tables import table_bytes
from rangewise.files.times import Outside
from rangewise.files.writing import write_whole

# Formats by extension; CSV and JSON belong to several formats.
_BY_SUFFIX = {".txt": "labels", ".labels": "labels", ".real": "labels", ".pred": "labels"}


def annotation_bytes(
    annotations: Annotations,
    target: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    timestamps: NDArray[Any] | None = None,
    length: int | None = None,
    outside: Outside = "error",
) -> bytes:
    """Annotations in a format, as the bytes of a file of that name.

    ``timestamps`` and ``length`` add what the annotations lack: converting between rows and times needs timestamps.
    """
    prefix, path = _prefixed(str(target))
    if prefix is not None and format is not None:
        raise ValueError(f"{target} has the format {prefix} as prefix; leave --to out")
    chosen = known_format(prefix or format or _format_of(path))
    if chosen.writes is None:
        raise ValueError(f"{chosen.name} can only be read; choose another format to write")
    content = chosen.writes(_completed(annotations, timestamps, length, outside), path)
    return content if isinstance(content, bytes) else table_bytes(content, parquet=path.endswith(".parquet"))


def write_annotations(annotations: Annotations, target: str | Path, **options: Any) -> bytes:
    """Write annotations in a format, atomically, and return the bytes; the target ``-`` writes nothing.

    The options are those of :func:`annotation_bytes`.
    """
    content = annotation_bytes(annotations, target, **options)
    path = _prefixed(str(target))[1]
    if path != STANDARD_INPUT:
        write_whole(path, content)
    return content


def _completed(annotations: Annotations, timestamps: NDArray[Any] | None, length: int | None, outside: Outside) -> Annotations:
    """The annotations with the given timestamps and number of rows."""
    if timestamps is not None:
        if annotations.length is not None and annotations.length != len(timestamps):
            raise ValueError(f"{annotations.name} has {annotations.length} rows, but there are {len(timestamps)} timestamps")
        length = len(timestamps) if length is None else length
        annotations = replace(annotations, ranges=annotations.rows(timestamps, outside), given_timestamps=timestamps)
    return annotations if annotations.length is not None or length is None else replace(annotations, length=length)


def _format_of(path: str) -> str:
    suffix = PurePosixPath(path).suffix
    if suffix not in _BY_SUFFIX:
        raise ValueError(f"the format to write cannot be detected from {path!r}; give it with --to: {', '.join(FORMATS)}")
    return _BY_SUFFIX[suffix]


def _prefixed(target: str) -> tuple[str | None, str]:
    prefix, colon, path = target.partition(":")
    return (prefix, path) if colon and prefix in FORMATS else (None, target)
