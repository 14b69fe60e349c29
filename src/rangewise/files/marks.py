"""Marks: what one file says is anomalous, in rows or in times, with all else it knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from rangewise.datasets.series import Series
from rangewise.datasets.times import Outside, TimeRanges
from rangewise.ranges import Ranges


@dataclass(frozen=True, eq=False)
class Marks:
    """``ranges`` are rows or times, or None when the file tells no anomalies; ``length`` is the number of rows, where known."""

    name: str
    ranges: Ranges | TimeRanges | None
    length: int | None = None
    timestamps: NDArray[Any] | None = None
    series: Series | None = None

    @classmethod
    def of_series(cls, series: Series, name: str, *, labelled: bool = True) -> Marks:
        return cls(name, series.real if labelled else None, len(series), series.timestamps, series)

    def rows(self, timestamps: NDArray[Any] | None = None, outside: Outside = "error") -> Ranges:
        """The anomalies as rows; times need timestamps, from another file where this one has none."""
        ranges = self._told()
        if isinstance(ranges, Ranges):
            return ranges
        index = self.timestamps if self.timestamps is not None else timestamps
        if index is None:
            raise ValueError(f"{self.name} gives times, not rows; name a file with the timestamps of the rows with --times")
        return ranges.rows(index, outside)

    def times(self, timestamps: NDArray[Any] | None = None) -> TimeRanges:
        """The anomalies as times; rows need timestamps."""
        ranges = self._told()
        if isinstance(ranges, TimeRanges):
            return ranges
        index = self.timestamps if self.timestamps is not None else timestamps
        if index is None:
            raise ValueError(f"{self.name} gives rows, not times; name a file with the timestamps of the rows with --times")
        return TimeRanges.of_rows(ranges, index, self.name)

    def _told(self) -> Ranges | TimeRanges:
        if self.ranges is None:
            raise ValueError(f"{self.name} has values, but no labels or ranges of anomalies")
        return self.ranges
