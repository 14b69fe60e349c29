"""Whole series from the batches of a table: for options that look beyond one batch, such as closing gaps and ignored intervals.

A batch yields one segment for each of its series: the number of its rows, and its ranges. Segments of batches, files and partitions are
joined end to end, in any grouping, and put together at the end, when every series is complete. The table is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import check_size
from rangewise.inputs.ignored import Clipping, pieces_outside
from rangewise.inputs.instants import time_text
from rangewise.inputs.ranges import Ranges, trusted_ranges
from rangewise.inputs.scores import score_array
from rangewise.many.batches import AGAINST_REPEATS, Batch, Columns, Progress, batches
from rangewise.many.ignored import IgnoredIntervals

_NEVER = np.datetime64("NaT", "ns")
_A_RANGE, _A_SEGMENT, _A_SCORE = 100, 300, 60
"""About the bytes of memory that each takes, with the copies that put them in order."""


@dataclass(frozen=True, eq=False)
class WholeSeries:
    """All series of a table one after the other: their names, where they begin and end, their ranges, gaps closed, and what is ignored."""

    names: tuple[Any, ...]
    borders: NDArray[np.int64]
    real: Ranges
    predicted: dict[str, Ranges]
    ignored: Ranges
    scores: NDArray[Any] | None

    def counted(self, ranges: Ranges) -> tuple[Ranges, Clipping]:
        """What is left of ranges outside of what is ignored, and what became of them."""
        if not len(self.ignored):
            return ranges, Clipping()
        starts, stops = np.asarray(ranges).T
        # Intervals touch only at a border between two series, which no range crosses.
        bounds, *sources = pieces_outside(starts, stops, *np.asarray(self.ignored).T)
        return trusted_ranges(bounds), Clipping.of(starts, stops, bounds, *sources)


@dataclass(frozen=True, eq=False)
class Segments:
    """Segments in the order in which they came. Rows count through all of them."""

    names: tuple[Any, ...]
    """The series, in the order in which they first came."""
    series: NDArray[np.int64]
    """For each segment, the number of its series."""
    lengths: NDArray[np.int64]
    ranges: tuple[NDArray[np.int64], ...]
    """Bounds of the real column, then of each predicted one."""
    ignored: NDArray[np.int64]
    """Bounds of the rows that ignored intervals mean which are given in times."""
    spans: NDArray[Any] | None = None
    """The first and the last time of each segment."""
    scores: NDArray[Any] | None = None

    @classmethod
    def empty(cls, columns: Columns) -> Segments:
        nothing, no_ranges = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
        return cls((), nothing, nothing, (no_ranges,) * (1 + len(columns.predicted)), no_ranges)

    @classmethod
    def of_batch(cls, batch: Batch, columns: Columns, intervals: IgnoredIntervals | None) -> Segments:
        borders, times = batch.borders, batch.times
        real, predicted = batch.ranges(columns.real, "real"), [batch.ranges(column, "predicted") for column in columns.predicted]
        ignored, spans, scores = np.zeros((0, 2), dtype=np.int64), None, None
        if times is not None:
            spans = np.column_stack([times[borders[:-1]], times[borders[1:] - 1]])
            if columns.instants and intervals is not None:
                following = np.append(times[1:], _NEVER)
                following[borders[1:] - 1] = _NEVER
                called = f"{batch.where}column {columns.times!r}"
                meant = intervals.meant(batch.names, borders, times, following, batch.zoned, called)
                ignored = np.asarray(kernel.find_series_ranges(meant, borders))
        if columns.scores is not None:
            try:
                scores = score_array(batch.scores(columns.scores))
            except (TypeError, ValueError) as error:
                raise type(error)(f"{batch.where}column {columns.scores!r}: {error}") from None
        bounds = tuple(np.asarray(ranges) for ranges in (real, *predicted))
        return cls(tuple(batch.names), np.arange(len(batch.names)), np.diff(borders), bounds, ignored, spans, scores)

    @classmethod
    def joined(cls, parts: Sequence[Segments]) -> Segments:
        """The segments of all parts, one part after the other."""
        parts = [part for part in parts if part.names] or list(parts[:1])
        if len(parts) == 1:
            return parts[0]
        numbers: dict[Any, int] = {}
        series = [np.array([numbers.setdefault(name, len(numbers)) for name in part.names])[part.series] for part in parts]
        before = np.cumsum([0, *(part.rows() for part in parts[:-1])])

        def moved(each: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
            return np.concatenate([bounds + rows for bounds, rows in zip(each, before, strict=True)])

        spans = [part.spans for part in parts if part.spans is not None]
        scores = [part.scores for part in parts if part.scores is not None]
        return cls(
            tuple(numbers),
            np.concatenate(series),
            np.concatenate([part.lengths for part in parts]),
            tuple(moved(column) for column in zip(*(part.ranges for part in parts), strict=True)),
            moved(part.ignored for part in parts),
            np.concatenate(spans) if spans else None,
            joined_scores(scores) if scores else None,
        )

    def rows(self) -> int:
        """How many rows of tables went into it."""
        return int(self.lengths.sum())

    def series_of(self, columns: Columns, close_gaps: int, intervals: IgnoredIntervals | None) -> WholeSeries:
        """The complete series, with gaps of up to ``close_gaps`` rows between predicted ranges closed."""
        order = np.argsort(self.series, kind="stable")
        if self.spans is not None:
            self._check_times(self.spans[order], order, columns)
        lengths, series = self.lengths[order], self.series[order]
        stops = np.cumsum(lengths)
        last = np.append(series[1:] != series[:-1], True)[: len(series)]
        borders = np.concatenate(([0], stops[last])).astype(np.int64)
        before = np.cumsum(self.lengths) - self.lengths
        shifts = np.empty_like(stops)
        shifts[order] = stops - lengths - before[order]

        def placed(bounds: NDArray[np.int64], most: int = 0, more: Sequence[NDArray[np.int64]] = ()) -> Ranges:
            """The ranges at the positions of their series; those of one series with at most ``most`` rows between them are joined."""
            moved = np.concatenate([bounds + shifts[np.searchsorted(before, bounds[:, 0], side="right") - 1, None], *more])
            moved = moved[np.argsort(moved[:, 0], kind="stable")]
            owner = np.searchsorted(borders, moved[:, 0], side="right")
            apart = (owner[1:] != owner[:-1]) | (moved[1:, 0] - moved[:-1, 1] > most)
            first, final = np.append(True, apart)[: len(moved)], np.append(apart, True)[: len(moved)]
            return trusted_ranges(np.column_stack((moved[first, 0], moved[final, 1])))

        ignored = []
        if intervals is not None:
            ignored.append(intervals.rows(self.names, borders))
            if columns.instants and self.spans is not None:
                # The row behind the last one of a segment is the first of the next segment of its series.
                first, final = self.spans[order].T
                following = np.where(last, _NEVER, np.append(first[1:], _NEVER))
                every = np.searchsorted(series, np.arange(len(self.names) + 1))
                rows = stops[intervals.meant(self.names, every, final, following, None, "times")]
                ignored.append(np.column_stack([rows - 1, rows]))
        return WholeSeries(
            self.names,
            borders,
            placed(self.ranges[0]),
            {name: placed(bounds, close_gaps) for name, bounds in zip(columns.predicted, self.ranges[1:], strict=True)},
            placed(self.ignored, more=ignored),
            None if self.scores is None else self.scores[np.repeat(before[order] - stops + lengths, lengths) + np.arange(len(self.scores))],
        )

    def _check_times(self, spans: NDArray[Any], order: NDArray[np.int64], columns: Columns) -> None:
        """The times of a series go on from segment to segment."""
        series, first, final = self.series[order], spans[:, 0], spans[:, 1]
        back, repeats = first[1:] < final[:-1], first[1:] == final[:-1]
        wrong = back if columns.repeated_times == "keep" else back | repeats
        for at in np.flatnonzero(wrong & (series[1:] == series[:-1]))[:1]:
            row = int(self.lengths[order][: at + 1][series[: at + 1] == series[at]].sum())
            called = f"column {columns.times!r}, series {self.names[series[at]]!r}"
            if repeats[at]:
                raise ValueError(
                    f"{called}: rows {row - 1} and {row} of the series have the same time, {time_text(final[at])}; {AGAINST_REPEATS}"
                )
            raise ValueError(
                f"{called}: row {row} of the series is at {time_text(first[at + 1])}, and the row before it, in an earlier batch, at "
                f"{time_text(final[at])}; sort the rows by time, or load the table into memory, where they are sorted for you"
            )


def collect(
    frame: Any, columns: Columns, intervals: IgnoredIntervals | None, progress: Progress | None = None, *, held: int | None = None
) -> Segments:
    """The segments of all batches of a table; ``held`` is the size of the file that it comes from."""
    parts: list[Segments] = []
    needed = 0
    for batch in batches(frame, columns, held):
        part = Segments.of_batch(batch, columns, intervals)
        parts.append(part)
        if held is not None:
            ranges = sum(map(len, part.ranges))
            needed += _A_RANGE * ranges + _A_SEGMENT * len(part.lengths) + (0 if part.scores is None else _A_SCORE * len(part.scores))
            size = f"{ranges} ranges" if part.scores is None else f"{len(part.scores)} rows"
            check_size(needed, held, f"{batch.where}{len(part.lengths)} series with {size}")
        if progress is not None:
            progress(int(batch.borders[-1]))
    return Segments.joined(parts) if parts else Segments.empty(columns)


def joined_scores(values: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Scores of all series as one array. Integers and floats together become floats, where that keeps them apart."""
    joined = np.concatenate(values)
    if joined.dtype.kind == "f":
        for one in values:
            if one.dtype.kind in "iu" and len(one) and max(int(one.max()), -int(one.min())) > 2**53:
                raise ValueError("some series have floats and others integers beyond 2**53, which floats cannot distinguish; give one type")
    return joined
