"""``rangewise score`` for two files that are too long for memory: read in chunks, with constant memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import check_size
from rangewise.files.label_chunks import has_chunks, label_bytes, label_chunks
from rangewise.inputs.case import same_length
from rangewise.model.model import RangeModel
from rangewise.model.result import Score

LONG = 32 << 20
"""Total size in bytes from which two files of labels are read in chunks."""


def is_long(real: str, predicted: str) -> bool:
    """Whether both are files of labels, as text or Parquet, that should be read in chunks."""
    paths = Path(real), Path(predicted)
    return all(path.is_file() and has_chunks(path) for path in paths) and sum(map(label_bytes, paths)) >= LONG


def score_long(real: str, predicted: str, model: RangeModel, columns: tuple[str | None, str | None]) -> Score:
    """The score of both files; ``columns`` name the labels of Parquet files with several columns."""
    from rangewise.stream import A_PIECE, Stream

    stream, held = Stream(model), sum(Path(path).stat().st_size for path in (real, predicted))
    sides = [label_chunks(Path(path), column) for path, column in zip((real, predicted), columns, strict=True)]
    shown = sys.stderr.isatty()
    predicted_points = 0
    for chunks in _together(sides):
        stream.update(*chunks)
        check_size(A_PIECE * stream.open_pieces, held, f"a range that {stream.open_pieces} others overlap")
        predicted_points += int(np.count_nonzero(chunks[1]))
        if shown:
            print(f"\r{len(stream):,} labels", end="", file=sys.stderr, flush=True)
    if shown:
        print(f"\r{' ' * 30}\r", end="", file=sys.stderr, flush=True)
    return replace(stream.score(), length=len(stream), predicted_points=predicted_points)


def _together(sides: list[Iterator[NDArray[np.uint8]]]) -> Iterator[list[NDArray[np.uint8]]]:
    """Chunks of equal length of both sides."""
    waiting: list[NDArray[np.uint8]] = [np.zeros(0, dtype=np.uint8) for _ in sides]
    seen = 0
    while True:
        waiting = [labels if len(labels) else next(chunks, labels) for labels, chunks in zip(waiting, sides, strict=True)]
        size = min(map(len, waiting))
        if not size:
            break
        yield [labels[:size] for labels in waiting]
        waiting = [labels[size:] for labels in waiting]
        seen += size
    lengths = [seen + len(labels) + sum(map(len, chunks)) for labels, chunks in zip(waiting, sides, strict=True)]
    same_length(dict(zip(("real", "predicted"), lengths, strict=True)))
