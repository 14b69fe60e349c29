"""Score files: one number per line, or a column of a table."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown_names
from rangewise.files.source import Source, SourceLike, as_source
from rangewise.files.tables import PARQUET_MAGIC
from rangewise.inputs.scores import WAY_OUT

# The longest header that is looked at.
_HEAD = 10_000
SCORE_COLUMNS = ("score", "scores", "anomaly_score")


def read_score_file(path: SourceLike, column: str | None = None, *, may_miss: bool = False) -> NDArray[Any]:
    """Read scores, one number per line, or from a ``column`` of a CSV or Parquet file. ``-`` reads standard input.

    Without ``column``, a table is read if one of its columns is named ``score``, ``scores`` or ``anomaly_score``.

    ``inf`` is allowed. A float32 column of a Parquet file stays float32. An empty file is an error; so are nan and empty cells, unless
    ``may_miss``.
    """
    source = as_source(path)
    column = column or score_column(source)
    if column is not None:
        scores = source.table.scores(column)
    else:
        try:
            numbers = source.numbers
        except ValueError:
            if source.kind == "table":  # with names of columns: none of them has scores
                raise _no_score_column(source.name, source.table.columns) from None
            raise
        if numbers.shape[1] != 1:
            raise ValueError(
                f"{source.name} has {numbers.shape[1]} numbers per line; expected one score per line, or a table and the name of a column"
            )
        scores = numbers[:, 0]
    bad = np.flatnonzero(np.isnan(scores))
    if bad.size and not may_miss:
        raise ValueError(f"{source.name}: score {bad[0]} is nan; expected a number for every point, or {WAY_OUT}")
    return scores


def score_column(source: Source) -> str | None:
    """The column of the scores by its name; None for a file without a header."""
    try:
        content = source.content
    except OSError:  # not a file: it may have the prefix of a format or of public data
        return None
    if not content.startswith(PARQUET_MAGIC):
        header = content[:_HEAD].lstrip().split(b"\n", 1)[0].decode("utf-8-sig", "replace")
        if not {cell.strip(' "\r').lower() for cell in re.split("[,;\t]", header)} & {*SCORE_COLUMNS}:
            return None
    columns = source.table.columns
    named = [name for name in columns if name.strip().lower() in SCORE_COLUMNS]
    if len(named) != 1:
        raise _no_score_column(source.name, columns)
    return named[0]


def _no_score_column(name: str, columns: list[str]) -> ValueError:
    shown = shown_names(map(repr, columns), 20)
    return ValueError(f"{name} has the columns {shown}; name the column of the scores, one per row, e.g. with --column")
