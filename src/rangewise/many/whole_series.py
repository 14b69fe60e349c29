"""Series put together from all batches of a table, as ranges: for what looks over the border between two batches, such as gaps to close."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import check_size
from rangewise.inputs.ranges import Ranges, trusted_ranges
from rangewise.many.batches import Batch, Columns

_A_RANGE, _A_SERIES = 100, 300  # about the bytes of memory that each takes, with the copies that put them in order
_Pieces = tuple[NDArray[np.int64], NDArray[np.int64]]  # the number of each range's series, and its rows in it


@dataclass(frozen=True)
class WholeSeries:
    """All series of a table one after the other: a name each, where they begin and end, and the ranges of each column."""

    names: list[Any]
    borders: NDArray[np.int64]
    real: Ranges
    predicted: dict[str, Ranges]

    @classmethod
    def of(cls, parts: Iterable[Batch], columns: Columns, close_gaps: int) -> WholeSeries:
        """From batches in their order, with gaps of up to so many rows between predicted ranges of one series closed."""
        rows: dict[Any, int] = {}
        numbers: dict[Any, int] = {}
        real: list[_Pieces] = []
        predicted: dict[str, list[_Pieces]] = {column: [] for column in columns.predicted}
        kept = 0
        for batch in parts:
            before = np.array([rows.get(name, 0) for name in batch.names], dtype=np.int64)
            rows |= zip(batch.names, (before + np.diff(batch.borders)).tolist(), strict=True)
            own = np.array([numbers.setdefault(name, len(numbers)) for name in batch.names], dtype=np.int64)
            real.append(_pieces(batch, batch.ranges(columns.real, "real"), own, before))
            for column, found in predicted.items():
                found.append(_pieces(batch, batch.ranges(column, "predicted"), own, before))
            if batch.held is not None:
                kept += len(real[-1][0]) + sum(len(found[-1][0]) for found in predicted.values())
                check_size(_A_RANGE * kept + _A_SERIES * len(rows), batch.held, f"{batch.where}{len(rows)} series with {kept} ranges")
        borders = np.concatenate(([0], np.cumsum(list(rows.values())))).astype(np.int64)
        closed = {column: _joined(found, borders, close_gaps) for column, found in predicted.items()}
        return cls(list(rows), borders, _joined(real, borders, 0), closed)

    def ranges(self, column: str, side: str) -> Ranges:
        """The ranges of a column, none over a border between series."""
        return self.real if side == "real" else self.predicted[column]


def _pieces(batch: Batch, ranges: Ranges, own: NDArray[np.int64], before: NDArray[np.int64]) -> _Pieces:
    """Ranges of a batch in rows of their series; ``own`` numbers its series, ``before`` is how many rows of each came before."""
    series = np.searchsorted(batch.borders, ranges.starts, side="right") - 1
    return own[series], np.asarray(ranges) + (before - batch.borders[:-1])[series, None]


def _joined(pieces: list[_Pieces], borders: NDArray[np.int64], most: int) -> Ranges:
    """The ranges of all series in order. Those of one series with at most so many rows between them are one: at 0 those that touch."""
    if not pieces:
        return Ranges()
    series, bounds = (np.concatenate(column) for column in zip(*pieces, strict=True))
    order = np.argsort(series, kind="stable")
    series, bounds = series[order], bounds[order] + borders[series[order], None]
    apart = (series[1:] != series[:-1]) | (bounds[1:, 0] - bounds[:-1, 1] > most)
    starts, stops = np.append(True, apart)[: len(bounds)], np.append(apart, True)[: len(bounds)]
    return trusted_ranges(np.column_stack((bounds[starts, 0], bounds[stops, 1])))
