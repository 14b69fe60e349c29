"""Overlaps between real and predicted ranges, as counted by the event metrics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.ranges import Ranges


@dataclass(frozen=True, eq=False)
class Overlaps:
    """For each range of one side, what the other side does to it.

    It overlaps the ``count`` ranges ``first`` to ``last`` of the other side (half-open, none if equal). ``covered`` counts its points that
    the other side covers; they lie in ``[begin, end)``, which is empty at its start when there are none.
    """

    count: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    covered: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]

    def any_met(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each range overlaps any of the selected ranges of the other side."""
        before = np.concatenate(([0], np.cumsum(marked)))
        return np.asarray(before[self.last] > before[self.first])


def overlaps_of(own: Ranges, other: Ranges) -> Overlaps:
    """How each range of ``own`` overlaps ``other``: two binary searches per range.

    >>> overlaps = overlaps_of(Ranges([(0, 10), (20, 25)]), Ranges([(2, 4), (7, 12)]))
    >>> overlaps.count.tolist(), overlaps.covered.tolist(), overlaps.begin.tolist(), overlaps.end.tolist()
    ([2, 0], [5, 0], [2, 20], [10, 20])
    """
    first = np.searchsorted(other.stops, own.starts, side="right")
    last = np.searchsorted(other.starts, own.stops, side="left")
    met = last > first
    begin, end = own.starts.copy(), own.starts.copy()
    begin[met] = np.maximum(own.starts[met], other.starts[first[met]])
    end[met] = np.minimum(own.stops[met], other.stops[last[met] - 1])
    points_before = np.concatenate(([0], np.cumsum(other.lengths)))
    covered = points_before[last] - points_before[first]
    # The first and the last range met may reach over the edges.
    covered[met] -= begin[met] - other.starts[first[met]]
    covered[met] -= other.stops[last[met] - 1] - end[met]
    return Overlaps(last - first, first, last, covered, begin, end)
