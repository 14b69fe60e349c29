"""Score files: one number per line, or a column of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rangewise.files.source import SourceLike, as_source
from rangewise.inputs.scores import WAY_OUT


def read_score_file(path: SourceLike, column: str | None = None, *, may_miss: bool = False) -> NDArray[np.float64]:
    """Read scores, one number per line, or from a ``column`` of a CSV or Parquet file. ``-`` reads standard input.

    A first line ``score`` or ``scores`` is the name of the column.

    ``inf`` is allowed. An empty file is an error; so are nan and empty cells, unless ``may_miss``.
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
                f"{source.name} has {numbers.shape[1]} numbers per line; expected one score per line, or a table and the name of a column"
            )
        scores = numbers[:, 0]
    bad = np.flatnonzero(np.isnan(scores))
    if bad.size and not may_miss:
        raise ValueError(f"{source.name}: score {bad[0]} is nan; expected a number for every point, or {WAY_OUT}")
    return scores
