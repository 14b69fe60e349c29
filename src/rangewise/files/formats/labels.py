"""Label files: one 0/1 label per line, or a column of a CSV file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown_text
from rangewise.files.annotations import Annotations
from rangewise.files.formats.base import NAME_LABEL_COLUMN, ONE_ROW_PER_POINT, Choices, Format, label_array
from rangewise.files.source import Source, SourceLike, as_source
from rangewise.files.tables import label_error
from rangewise.inputs.ranges import Ranges

_WHITE_SPACE = b" \t\r\n\v\f"


def read_labels(path: SourceLike, column: str | None = None) -> NDArray[np.uint8]:
    """Read labels from a text file, one per line, 0 or 1, or from a ``column`` of a CSV or Parquet file. ``-`` reads standard input.

    An empty file is an error, because a series without anomalies still has one label per point.
    """
    source = as_source(path)
    return label_lines(source.content, source.name) if column is None else source.table.labels(column)


def labels_text(labels: NDArray[np.uint8]) -> bytes:
    """One label per line."""
    lines = np.empty((len(labels), 2), dtype=np.uint8)
    lines[:, 0], lines[:, 1] = labels + ord("0"), ord("\n")
    return lines.tobytes()


def label_lines(content: bytes, name: str, first_line: int = 1) -> NDArray[np.uint8]:
    """Labels on separate lines, or separated by white space."""
    if not content.strip(_WHITE_SPACE):
        raise ValueError(f"{name} is empty; expected one label per line, 0 or 1")
    if b"\0" in content:
        raise ValueError(f"{name} is a binary file; expected text with one label per line, 0 or 1")
    content = content.removeprefix(b"\xef\xbb\xbf")
    digits = np.frombuffer(content, dtype=np.uint8)
    spaces = np.isin(digits, np.frombuffer(_WHITE_SPACE, dtype=np.uint8))
    alone = spaces[1:] | spaces[:-1]
    values = digits[~spaces] - ord("0")
    if alone.all() and values.max(initial=0) <= 1:
        return values
    # Not only 0s and 1s: read label by label, to accept 0.0 and 1.0 and to locate errors.
    labels: list[int] = []
    for number, line in enumerate(content.splitlines(), start=first_line):
        if b"," in line:
            raise ValueError(f"{name}, line {number}: {shown_text(line)} has several columns; {NAME_LABEL_COLUMN}")
        for token in line.split():
            labels.append(_label(token, f"{name}, line {number}"))
    return np.array(labels, dtype=np.uint8)


def _label(token: bytes, where: str) -> int:
    try:
        # Two labels without white space between them are not a number, and neither is 0_1, which Python accepts.
        value = -1.0 if (token[:1] == b"0" and token[1:2].isdigit()) or b"_" in token else float(token)
    except ValueError:
        value = {b"true": 1.0, b"false": 0.0}.get(token.lower(), -1.0)
    if value not in (0.0, 1.0):
        raise label_error(where, token.decode(errors="replace"))
    return int(value)


def _marks(source: Source, how: Choices) -> Annotations:
    labels = label_lines(source.content, source.name)
    return Annotations(source.name, Ranges.from_labels(labels), len(labels))


FORMAT = Format(
    name="labels",
    about="text, one label per line, 0 or 1",
    end=ONE_ROW_PER_POINT,
    kinds=("text", "track"),
    looks=lambda source: set(source.text.split()) <= {"0", "1"},
    reads=_marks,
    writes=lambda annotations, name: labels_text(label_array(annotations)),
    otherwise="text",
)
