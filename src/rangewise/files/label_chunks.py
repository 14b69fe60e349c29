"""Reads labels in chunks, for files that are too long for memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rangewise.files.formats.base import NAME_LABEL_COLUMN
from rangewise.files.formats.labels import label_lines
from rangewise.files.tables import label_error, parquet_errors, require_polars
from rangewise.inputs.ranges import array_of

if TYPE_CHECKING:
    import polars as pl

_BLOCK = 8 << 20
_ROWS = 1 << 22
_HEAD = 4096


def has_chunks(path: Path) -> bool:
    """Whether a file is Parquet, or text that begins with plain labels. Other files are read at once."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PAR1"):
        return True
    try:
        return len(label_lines(head[: _last_space(head)], path.name)) > 0
    except ValueError:
        return False


def label_bytes(path: Path) -> int:
    """Approximate memory of the labels of such a file; Parquet may be a hundred times smaller than its content."""
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            return path.stat().st_size
    require_polars()
    import polars as pl

    try:
        return int(pl.scan_parquet(path).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError):
        return 0  # incomplete: the ordinary reader reports it


def label_chunks(path: Path, column: str | None = None) -> Iterator[NDArray[np.uint8]]:
    """The labels of a text file, or of a column of a Parquet file, in chunks, with the same errors as when read at once."""
    with path.open("rb") as file:
        parquet = file.read(4) == b"PAR1"
    return _parquet_chunks(path, column) if parquet else _text_chunks(path)


def _text_chunks(path: Path) -> Iterator[NDArray[np.uint8]]:
    line, rest = 1, b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            # Do not cut a label in two.
            text = rest + block
            cut = _last_space(text)
            text, rest = text[:cut], text[cut:]
            if text.strip():
                yield label_lines(text, str(path), line)
            line += text.count(b"\n")
    if rest.strip():
        yield label_lines(rest, str(path), line)


def _last_space(text: bytes) -> int:
    """The position after the last white space."""
    return max(text.rfind(space) for space in (b"\n", b" ", b"\t", b"\r")) + 1


def _parquet_chunks(path: Path, column: str | None) -> Iterator[NDArray[np.uint8]]:
    require_polars()
    import polars as pl

    with parquet_errors(path):
        table = pl.scan_parquet(path)
        names = table.collect_schema().names()
    if column is None and len(names) == 1:
        column = names[0]
    if column is None:
        raise ValueError(f"{path} has the columns {', '.join(map(repr, names))}; {NAME_LABEL_COLUMN}")
    if column not in names:
        raise ValueError(f"{path} has no column {column!r}; it has {', '.join(map(repr, names))}")
    dtype = table.collect_schema()[column]
    if not (dtype.is_numeric() or dtype == pl.Boolean):
        raise ValueError(f"{path}: column {column!r} has type {dtype}; expected labels, 0 or 1")
    row, labels_column = 0, table.select(column)
    # Slices instead of polars' batches, which read ahead until the whole file is in memory.
    while len(batch := _slice(labels_column, row, path)):
        labels = array_of(batch[column], f"{path}, from row {row} on")
        wrong = np.flatnonzero((labels != 0) & (labels != 1))
        if wrong.size:
            raise label_error(f"{path}, row {row + wrong[0]}", str(labels[wrong[0]]))
        row += len(labels)
        yield labels.astype(np.uint8)


def _slice(column: pl.LazyFrame, row: int, path: Path) -> pl.DataFrame:
    with parquet_errors(path):
        return column.slice(row, _ROWS).collect()
