"""Score files: one number per line, or a column of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rangewise.files.source import SourceLike, as_source
from rangewise.inputs.missing import WAY_OUT


def read_score_file(path: SourceLike, column: str | None = None, *, may_miss: bool = False) -> NDArray[np.float64]:
    """A detector's scores, one number per line; with ``column``, of that column of a CSV or Parquet file. ``-`` reads standard input.

    A first line that is the word ``score`` or ``scores`` is the name of the column.

    ``inf`` is a number; nan and an empty cell of a table, unless ``may_miss``, and an empty file are errors.
    """
    source = as_source(path)
    if column is None and (first := source.content[:80].split(b"\n", 1)[0].strip()) in (b"score", b"scores"):
        column = first.decode()
    if column is not None:
        scores = source.table.numbers(column, may_be_empty=True)
    else:
        numbers = source.numbers()
        if numbers.shape[1] != 1:
            raise ValueError(
                f"{source.name} has {numbers.shape[1]} numbers a line; expected one score per line, or a table and a column's name"
            )
        scores = numbers[:, 0]
    bad = np.flatnonzero(np.isnan(scores))
    if bad.size and not may_miss:
        raise ValueError(f"{source.name}: score {bad[0]} is nan; expected a number for every point, or {WAY_OUT}")
    return scores
