"""Telemanom's tables: ``labeled_anomalies.csv`` (real) and the results of a run, with one row per channel and lists of rows in its cells.

Sequences are ``[first, last]`` rows, both included. A run has ``tp_sequences`` and ``fp_sequences``, and a severity for each, in
chronological order, in ``anom_scores``. ``--series`` names the channel.
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
    row = channels.index(chosen_series(source.name, channels, how.series, "channel"))
    is_run = set(_PREDICTED) <= set(table.columns)
    # A run has fewer values than the labels, but its rows are those of the labels.
    length = _length(source, row) if _LENGTH in table.columns and not is_run else None
    pairs = np.concatenate([_sequences(source, column, row) for column in (_PREDICTED if is_run else (_REAL,))])
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    severities = None
    if is_run:
        severities = _severities(source, row)
        if len(severities) != len(pairs):
            raise ValueError(f"{table.where(row)}: {len(pairs)} sequences and {len(severities)} scores; expected one for each")
    return EventTable(source.name, pairs[:, 0], pairs[:, 1] + 1, "rows", confidences=severities, length=length)


def _length(source: Source, row: int) -> int:
    text = source.table.texts(_LENGTH)[row]
    if not text.isdecimal() or len(text) > 18:
        raise ValueError(f"{source.table.where(row)}: {_LENGTH!r} is the number of values; got {shown_text(text)}")
    return int(text)


def _severities(source: Source, row: int) -> NDArray[np.float64]:
    severities = _list(source, _SEVERITIES, row)
    if not all(isinstance(each, (int, float)) and abs(each) < 1e300 for each in severities):
        raise ValueError(f"{source.table.where(row)}: {_SEVERITIES!r} is a list of numbers; got {shown_text(str(severities))}")
    return np.array(severities, dtype=np.float64)


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
