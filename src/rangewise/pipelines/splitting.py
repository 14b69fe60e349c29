"""RangeSplit: folds of a series that cut no real range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import whole
from rangewise.inputs.ranges import Ranges, read_side

Rows = NDArray[np.int64]


class RangeSplit:
    """Folds for scikit-learn's searches: each is a stretch of the series, cut between real ranges, with about as many of them in each.

    No range is cut, none is joined with another where a fold is taken out, and every fold has one to find. Rows stand in the order of
    time. A cut is as near as it may be to where equal parts would end.

    :param n_splits: how many folds, 2 or more.
    :param past_only: learn only from what is before a fold, as for a live series: then the first stretch is never tested, and there are
        ``n_splits + 1`` stretches.

    >>> labels = [0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1]
    >>> [test.tolist() for _, test in RangeSplit(3).split(labels, labels)]
    [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    """

    def __init__(self, n_splits: int = 5, *, past_only: bool = False) -> None:
        self.n_splits = whole("n_splits", n_splits, least=2)
        self.past_only = past_only

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:  # noqa: N803, scikit-learn's names
        """Rows to learn from and rows to test on, for each fold; ``y`` are 0/1 labels a row, or ranges."""
        if y is None:
            raise ValueError("RangeSplit cuts between the real ranges, so it needs y: 0/1 labels a row, or ranges")
        length = len(X) if hasattr(X, "__len__") else X.shape[0]
        real, labels = read_side(y, "y")
        if labels is not None and labels != length:
            raise ValueError(f"X has {length} rows and y has {labels} labels; give one a row")
        if len(real) and real.stops[-1] > length:
            raise ValueError(f"X has {length} rows, but a range of y stops at {real.stops[-1]}")
        borders = self._borders(real.merge_touching(), length)
        rows = np.arange(length)
        for start, stop in zip(borders[self.past_only : -1], borders[1 + self.past_only :], strict=True):
            yield rows[:start] if self.past_only else np.concatenate([rows[:start], rows[stop:]]), rows[start:stop]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: N803
        """How many folds there are."""
        return self.n_splits

    def _borders(self, real: Ranges, length: int) -> list[int]:
        stretches = self.n_splits + self.past_only
        if len(real) < stretches:
            raise ValueError(
                f"{stretches} stretches need a real range each, and there are {len(real)}"
                + (
                    f"; give n_splits={len(real) - self.past_only} or fewer"
                    if len(real) - self.past_only >= 2
                    else "; give a longer series"
                )
            )
        borders = [0]
        for k in range(1, stretches):
            after = len(real) * k // stretches
            # Behind a normal row: then what is before the fold ends with it, and joins nothing when the fold is taken out.
            lowest, highest = int(real.stops[after - 1]) + 1, int(real.starts[after])
            borders.append(min(max(length * k // stretches, lowest), highest))
        return [*borders, length]

    def __repr__(self) -> str:
        return f"RangeSplit(n_splits={self.n_splits}{', past_only=True' if self.past_only else ''})"
