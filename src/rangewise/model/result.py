"""Score: precision, recall and F, and the rows behind them, made only when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rangewise.model.model import RangeModel
    from rangewise.ranges import Ranges


@dataclass(frozen=True, slots=True)
class RangeRow:
    """What one range earned, and why.

    ``size`` is the sum of omega over its overlaps, ``factor`` the cardinality factor, ``covered`` the number of its points that the
    other side covers and ``centre`` their mean place (0 is its front, 1 its back; nan when nothing is covered).
    """

    start: int
    stop: int
    existence: bool
    size: float
    overlaps: int
    factor: float
    reward: float
    covered: int
    centre: float


@dataclass(frozen=True, eq=False)
class RangeRows:
    """A row for each range of one side: a sequence of :class:`RangeRow`, and an array for each column."""

    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    size: NDArray[np.float64]
    overlaps: NDArray[np.int64]
    factor: NDArray[np.float64]
    reward: NDArray[np.float64]
    covered: NDArray[np.int64]
    centre: NDArray[np.float64]

    @property
    def existence(self) -> NDArray[np.bool_]:
        """Whether each range is met at all."""
        return self.overlaps > 0

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name, for a data frame of any library.

        >>> import rangewise as rw
        >>> rw.score([(0, 4)], [(2, 6)]).real.columns()["reward"].tolist()
        [0.5]
        """
        return {name: getattr(self, name) for name in RangeRow.__slots__}

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, index: int) -> RangeRow: ...
    @overload
    def __getitem__(self, index: slice) -> RangeRows: ...
    def __getitem__(self, index: int | slice) -> RangeRow | RangeRows:
        if isinstance(index, slice):
            return RangeRows(**{item.name: getattr(self, item.name)[index] for item in fields(self)})
        return RangeRow(*(column[index].item() for column in self.columns().values()))

    def __iter__(self) -> Iterator[RangeRow]:
        return (RangeRow(*values) for values in zip(*(column.tolist() for column in self.columns().values()), strict=True))

    def __repr__(self) -> str:
        return f"RangeRows({len(self)} ranges, mean reward {self.reward.mean():.4g})" if len(self) else "RangeRows(no ranges)"


@dataclass(frozen=True)
class Score:
    """Precision, recall and F of a model, each from 0 to 1 and higher is better.

    ``real`` and ``predicted`` hold a row for each range; printing a score explains it in words.

    >>> import rangewise as rw
    >>> score = rw.score([(0, 4), (8, 10)], [(2, 6)])
    >>> score.recall, score.precision
    (0.25, 0.5)
    >>> score.real[0].reward
    0.5
    """

    precision: float
    recall: float
    f: float
    model: RangeModel
    _sides: tuple[Ranges, Ranges] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def real(self) -> RangeRows:
        """A row for each real range: what recall is the mean of."""
        return self.model.side_rows(*self._both_sides(), side="real")

    @cached_property
    def predicted(self) -> RangeRows:
        """A row for each predicted range: what precision is the mean of."""
        return self.model.side_rows(*self._both_sides(), side="predicted")

    def _both_sides(self) -> tuple[Ranges, Ranges]:
        if self._sides is None:
            raise ValueError("a pooled score has no rows; ask the score of one series")
        return self._sides

    def explain(self, limit: int | None = None) -> str:
        """The score in words, a line a range; with ``limit``, only that many of each side: those that lost the most."""
        from rangewise.model.explain import explain_text

        return explain_text(self, limit)

    def __str__(self) -> str:
        return self.explain(limit=10)

    def _repr_html_(self) -> str:
        from rangewise.model.explain import explain_html

        return explain_html(self, limit=20)
