"""Annotations: the anomalies of one file, in rows or times, with its other content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.files.series import Series
from rangewise.files.tables import SCORES_NEED_A_THRESHOLD
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.clocks import RowClock
from rangewise.inputs.ranges import Ranges


@dataclass(frozen=True, eq=False)
class Annotations:
    """``ranges`` are rows or times, or None if the file has no anomalies; ``length`` is the number of rows, if known.

    ``given_timestamps`` are those of the rows, if they come from elsewhere; ``read_series`` reads the series of the file on first use, so
    that code that needs only labels does not depend on times and values.
    """

    name: str
    ranges: Ranges | TimeRanges | None
    length: int | None = None
    given_timestamps: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None
    """The weight of each range in chronological order, if a column of weights was chosen."""
    read_series: Callable[[], Series] | None = None

    @classmethod
    def of_series(cls, series: Series, name: str, *, labeled: bool = True) -> Annotations:
        return cls(name, series.real if labeled else None, len(series), read_series=lambda: series)

    @cached_property
    def series(self) -> Series | None:
        """The values of the file, if it has any."""
        return None if self.read_series is None else self.read_series()

    @cached_property
    def timestamps(self) -> NDArray[Any] | None:
        """The time of each row, if known."""
        if self.given_timestamps is not None:
            return self.given_timestamps
        return None if self.series is None else self.series.timestamps

    def rows(self, timestamps: NDArray[Any] | RowClock | None = None, outside: Outside | None = "error") -> Ranges:
        """The anomalies as rows; times need timestamps, from another file if this one has none."""
        ranges = self.given_ranges()
        if isinstance(ranges, Ranges):
            return ranges
        index = self.timestamps if self.timestamps is not None else timestamps
        if index is None:
            raise ValueError(f"{self.name} has times, not rows; give a file with the timestamps of the rows with --times")
        return ranges.rows(index, outside)

    def times(self, timestamps: NDArray[Any] | None = None) -> TimeRanges:
        """The anomalies as times; rows need timestamps."""
        ranges = self.given_ranges()
        if isinstance(ranges, TimeRanges):
            return ranges
        index = self.timestamps if self.timestamps is not None else timestamps
        if index is None:
            raise ValueError(f"{self.name} has rows, not times; give a file with the timestamps of the rows with --times")
        return TimeRanges.of_rows(ranges, index, self.name)

    def given_ranges(self) -> Ranges | TimeRanges:
        """The anomalies as in the file, in rows or times."""
        if self.ranges is None:
            raise ValueError(
                f"{self.name} has values, but no labels or ranges of anomalies; if a column has labels, name it with --column "
                f"({SCORES_NEED_A_THRESHOLD})"
            )
        return self.ranges
