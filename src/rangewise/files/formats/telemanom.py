"""Telemanom's tables: ``labeled_anomalies.csv`` (real) and the results of a run, with one row per channel and lists of rows in its cells.

Sequences are ``[first, last]`` rows, both included. A run has ``tp_sequences`` and ``fp_sequences``, and a severity for each, in
chronological order, in ``anom_scores``. ``--series`` names the channel. Several rows of one channel are joined: the published labels and
runs have two of P-2, with different real sequences.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown_text
from rangewise.files.events import EventTable
from rangewise.files.formats.base import Choices, Format, chosen_series
from rangewise.files.source import Source

_CHANNEL, _REAL, _SEVERITIES = "chan_id", "anomaly_sequences", "anom_scores"
_LENGTH = "num_values"
_MOST_ROWS = 2**62
_PREDICTED = ("tp_sequences", "fp_sequences")


def telemanom_events(source: Source, how: Choices) -> EventTable:
    """The sequences of one channel: the predicted ones of a run, or the real ones."""
    table = source.table
    channels = table.texts(_CHANNEL)
    channel = chosen_series(source.name, dict.fromkeys(channels), how.series, "channel")
    rows = [row for row, name in enumerate(channels) if name == channel]
    is_run = set(_PREDICTED) <= set(table.columns)
    # A run has fewer values than the labels, but its rows are those of the labels.
    length = max(_length(source, row) for row in rows) if _LENGTH in table.columns and not is_run else None
    sequences = dict.fromkeys(sequence for row in rows for sequence in (_scored if is_run else _real)(source, row))
    pairs = np.array([pair for pair, _ in sequences], dtype=np.int64).reshape(-1, 2)
    severities = np.array([severity for _, severity in sequences], dtype=np.float64) if is_run else None
    return EventTable(source.name, pairs[:, 0], pairs[:, 1] + 1, "rows", confidences=severities, length=length)


def _real(source: Source, row: int) -> list[tuple[tuple[int, int], float]]:
    """The real sequences of a row, which have no severity."""
    return [((first, last), 0.0) for first, last in sorted(_sequences(source, _REAL, row).tolist())]


def _scored(source: Source, row: int) -> list[tuple[tuple[int, int], float]]:
    """The predicted sequences of a row with their severities."""
    pairs = sorted(pair for column in _PREDICTED for pair in _sequences(source, column, row).tolist())
    severities = _severities(source, row)
    if len(severities) != len(pairs):
        raise ValueError(f"{source.table.where(row)}: {len(pairs)} sequences and {len(severities)} scores; expected one for each")
    return [((first, last), severity) for (first, last), severity in zip(pairs, severities, strict=True)]


def _length(source: Source, row: int) -> int:
    text = source.table.texts(_LENGTH)[row]
    if not text.isdecimal() or len(text) > 18:
        raise ValueError(f"{source.table.where(row)}: {_LENGTH!r} is the number of values; got {shown_text(text)}")
    return int(text)


def _severities(source: Source, row: int) -> list[float]:
    severities = _list(source, _SEVERITIES, row)
    if not all(isinstance(each, (int, float)) and abs(each) < 1e300 for each in severities):
        raise ValueError(f"{source.table.where(row)}: {_SEVERITIES!r} is a list of numbers; got {shown_text(str(severities))}")
    return [float(each) for each in severities]


def _sequences(source: Source, column: str, row: int) -> NDArray[np.int64]:
    sequences = _list(source, column, row)
    try:
        pairs = np.array(sequences, dtype=np.int64).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{source.table.where(row)}: {column!r} is a list of [first, last] rows; got {shown_text(str(sequences))}"
        ) from None
    if (pairs[:, 1] < pairs[:, 0]).any() or (pairs < 0).any() or (pairs > _MOST_ROWS).any():
        raise ValueError(f"{source.table.where(row)}: {column!r} has a sequence that ends before it starts, or an invalid row")
    return pairs


def _list(source: Source, column: str, row: int) -> list[Any]:
    text = source.table.texts(column)[row]
    try:
        entries = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        raise ValueError(f"{source.table.where(row)}: {column!r} must be a list; got {shown_text(text)}")
    return entries


FORMAT = Format(
    name="telemanom",
    about="telemanom's labels and results, rows of one channel",
    end="included",
    kinds=("table",),
    columns=((_CHANNEL,), (_REAL,)),
    events=telemanom_events,
)
