"""RangeSplit: cross-validation folds that do not split real ranges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import whole
from rangewise.inputs.ranges import Ranges, read_side

Rows = NDArray[np.int64]


class RangeSplit:
    """A cross-validation splitter for scikit-learn: folds are contiguous, with about the same number of real ranges in each.

    No range is split, removing a fold joins no ranges, and every fold has at least one. Rows must be in chronological order. Cuts are as
    close as possible to those of equal parts.

    :param n_splits: the number of folds, 2 or more.
    :param past_only: train only on rows before the fold, as for a live series: then the first part is never tested, and there are
        ``n_splits + 1`` parts.

    >>> labels = [0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1]
    >>> [test.tolist() for _, test in RangeSplit(3).split(labels, labels)]
    [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    """

    def __init__(self, n_splits: int = 5, *, past_only: bool = False) -> None:
        self.n_splits = whole("n_splits", n_splits, least=2)
        self.past_only = past_only

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:  # noqa: N803, scikit-learn's names
        """Training rows and test rows of each fold; ``y`` has one 0/1 label per row, or is ranges."""
        if y is None:
            raise ValueError("RangeSplit needs y to cut between real ranges: one 0/1 label per row, or ranges")
        length = len(X) if hasattr(X, "__len__") else X.shape[0]
        real, labels = read_side(y, "y")
        if labels is not None and labels != length:
            raise ValueError(f"X has {length} rows, but y has {labels} labels; give one label per row")
        if len(real) and real.stops[-1] > length:
            raise ValueError(f"X has {length} rows, but a range of y stops at {real.stops[-1]}")
        borders = self._borders(real.merge_touching(), length)
        rows = np.arange(length)
        for start, stop in zip(borders[self.past_only : -1], borders[1 + self.past_only :], strict=True):
            yield rows[:start] if self.past_only else np.concatenate([rows[:start], rows[stop:]]), rows[start:stop]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: N803
        """The number of folds."""
        return self.n_splits

    def _borders(self, real: Ranges, length: int) -> list[int]:
        stretches = self.n_splits + self.past_only
        if len(real) < stretches:
            raise ValueError(
                f"{stretches} parts need at least {stretches} real ranges, but there are {len(real)}"
                + (
                    f"; give n_splits={len(real) - self.past_only} or fewer"
                    if len(real) - self.past_only >= 2
                    else "; give a longer series"
                )
            )
        borders = [0]
        for k in range(1, stretches):
            after = len(real) * k // stretches
            # After a normal row, so that removing the fold joins no ranges.
            lowest, highest = int(real.stops[after - 1]) + 1, int(real.starts[after])
            borders.append(min(max(length * k // stretches, lowest), highest))
        return [*borders, length]

    def __repr__(self) -> str:
        return f"RangeSplit(n_splits={self.n_splits}{', past_only=True' if self.past_only else ''})"
