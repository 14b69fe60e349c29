"""Score files: one number a line, or a column of a CSV file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rangewise.datasets.labels import STANDARD_INPUT, csv_texts, read_bytes


def read_scores(path: str | Path, column: str | None = None) -> NDArray[np.float64]:
    """Anomaly scores of a text file, one number a line; with ``column``, of that column of a CSV file. ``-`` reads standard input."""
    name = "standard input" if str(path) == STANDARD_INPUT else str(path)
    content = read_bytes(path)
    if b"\0" in content:
        raise ValueError(f"{name} is a binary file; expected text with one score a line")
    # Line 1 of a table holds the names; a blank line of plain text is no score, a blank field of a table is a missing one.
    if column is None:
        lines = [(number, text) for number, text in enumerate(content.decode(errors="replace").splitlines(), start=1) if text.strip()]
    else:
        lines = list(enumerate(csv_texts(content, column, name), start=2))
    if not lines:
        raise ValueError(f"{name} is empty; expected one score a line")
    return np.array([_score(text.strip(), f"{name}, line {number}") for number, text in lines])


def _score(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        shown = repr(text if len(text) <= 40 else f"{text[:37]}...")
        way_out = "; name the column with the scores with --column" if "," in text else ""
        raise ValueError(f"{where}: {shown} is not a number{way_out}") from None
