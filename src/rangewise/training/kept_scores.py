"""Scores and labels of a whole epoch: windows joined to series, and all series concatenated for the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.curve import Curve
from rangewise.inputs.case import Case
from rangewise.inputs.ranges import Ranges, trusted_ranges
from rangewise.model.model import RangeModel
from rangewise.model.rewards import can_sweep, sweep_scores


@dataclass(frozen=True)
class JoinedSeries:
    """The points of all series, concatenated; ``borders`` has the start of each series and the end of the last one."""

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    borders: NDArray[np.int64]

    @classmethod
    def of(cls, scores: NDArray[Any], labels: NDArray[Any], positions: NDArray[Any], series: NDArray[Any]) -> JoinedSeries:
        """From points in any order: a point in several windows gets the mean of their scores; a missing point ends a series."""
        order = np.lexsort((positions, series))
        scores, labels, positions, series = (values[order] for values in (scores, labels, positions, series))
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = (positions[1:] != positions[:-1]) | (series[1:] != series[:-1])
        first = np.flatnonzero(new)
        counts = np.diff(np.append(first, len(order)))
        if not len(first):
            return cls(np.empty(0), np.empty(0, dtype=np.uint8), np.zeros(1, dtype=np.int64))
        marked = np.add.reduceat(labels.astype(np.int64), first)
        for at in np.flatnonzero((marked != 0) & (marked != counts))[:1]:
            raise ValueError(
                f"two windows of series {series[first[at]]} disagree about the label of point {positions[first[at]]}; "
                "check window_starts=, and give series= if there are several series"
            )
        mean = np.add.reduceat(scores.astype(np.float64), first) / counts
        kept_positions, kept_series = positions[first], series[first]
        apart = np.flatnonzero((np.diff(kept_positions) != 1) | (np.diff(kept_series) != 0)) + 1
        borders = np.concatenate([[0], apart, [len(first)]]).astype(np.int64)
        return cls(mean, labels[first].astype(np.uint8), borders)

    def sides(self, threshold: float) -> tuple[Ranges, Ranges]:
        """Real and predicted ranges of the concatenated series; no range crosses the end of a series."""
        return self._ranges(self.labels), self._ranges((self.scores >= threshold).astype(np.uint8))

    def curve(self, model: RangeModel) -> Curve:
        """Pooled precision and recall at every distinct score."""
        real = self._ranges(self.labels)
        # The kernel needs an empty point before every series except the first.
        which = np.searchsorted(self.borders[1:], real.starts, side="right")
        shifted = trusted_ranges(np.ascontiguousarray(np.asarray(real) + which[:, None]))
        if not can_sweep(model):
            raise ValueError("this model has no curve in one pass, because of a custom precision bias or a size function; leave it out")
        swept = sweep_scores(model, shifted, self.scores, borders=self.borders)
        return Curve(model, *swept, Case(shifted, None, self.scores, len(self.scores)))

    def _ranges(self, labels: NDArray[np.uint8]) -> Ranges:
        if not len(labels):
            return Ranges()
        return trusted_ranges(kernel.find_series_ranges(np.ascontiguousarray(labels), self.borders))
