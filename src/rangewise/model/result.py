"""Score: precision, recall and F, and the rows behind them, computed on first access."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rangewise.inputs.clocks import Clock, RowClock
    from rangewise.inputs.ignored import Ignored
    from rangewise.inputs.ranges import Ranges
    from rangewise.model.model import RangeModel


@dataclass(frozen=True, slots=True)
class RangeRow:
    """The reward of one range and its parts.

    ``size`` is the sum of omega over its overlaps, ``factor`` the cardinality factor, ``covered`` the number of its points that the
    other side covers and ``center`` their mean position (0 is its front, 1 its back; nan when nothing is covered).

    Where sides are times, ``start`` and ``stop`` are ``datetime64``, ``covered`` is a ``timedelta64``, and so is ``delay``: how long after
    its start the first part of it is covered (NaT when nothing is). ``name`` and ``weight`` are those that were given.
    """

    start: Any
    stop: Any
    existence: bool
    size: float
    overlaps: int
    factor: float
    reward: float
    covered: Any
    center: float
    delay: Any = None
    name: str | None = None
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class RangeRows:
    """One row per real or predicted range: a sequence of :class:`RangeRow`, with an array for each column."""

    start: NDArray[Any]
    stop: NDArray[Any]
    size: NDArray[np.float64]
    overlaps: NDArray[np.int64]
    factor: NDArray[np.float64]
    reward: NDArray[np.float64]
    covered: NDArray[Any]
    center: NDArray[np.float64]
    delay: NDArray[np.timedelta64] | None = None
    name: NDArray[Any] | None = None
    weight: NDArray[np.float64] | None = None
    when: Ranges | None = None
    """The ranges on their clock, if they have one (``rangewise.inputs.clocks``)."""

    @property
    def existence(self) -> NDArray[np.bool_]:
        """Whether each range has any overlap."""
        return self.overlaps > 0

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name, for a data frame of any library.

        >>> import rangewise as rw
        >>> rw.score([(0, 4)], [(2, 6)]).real.columns()["reward"].tolist()
        [0.5]
        """
        return {name: getattr(self, name) for name in RangeRow.__slots__ if getattr(self, name) is not None}

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, index: int) -> RangeRow: ...
    @overload
    def __getitem__(self, index: slice) -> RangeRows: ...
    def __getitem__(self, index: int | slice) -> RangeRow | RangeRows:
        if isinstance(index, slice):
            present = {item.name: getattr(self, item.name) for item in fields(self) if getattr(self, item.name) is not None}
            return RangeRows(**{name: column[index] for name, column in present.items()})
        return RangeRow(**{name: _plain(column[index : index + 1 or None])[0] for name, column in self.columns().items()})

    def __iter__(self) -> Iterator[RangeRow]:
        columns = self.columns()
        rows = zip(*(_plain(column) for column in columns.values()), strict=True)
        return (RangeRow(**dict(zip(columns, values, strict=True))) for values in rows)

    def __repr__(self) -> str:
        return f"RangeRows({len(self)} ranges, mean reward {self.reward.mean():.4g})" if len(self) else "RangeRows(no ranges)"


def _plain(column: NDArray[Any]) -> list[Any]:
    """Python numbers; times stay NumPy values, because Python has no nanoseconds."""
    return list(column) if column.dtype.kind in "mM" else column.tolist()


@dataclass(frozen=True)
class Score:
    """Precision, recall and F of a model, each from 0 to 1 and higher is better.

    ``real`` and ``predicted`` hold a row for each range; printing a score explains it. ``weights`` are those of the real ranges
    in order of time, ``ignored`` counts the ranges that ignored intervals changed; None if there were none.

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
    weights: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    ignored: Ignored | None = field(default=None, repr=False, compare=False)
    length: int | None = field(default=None, repr=False, compare=False, kw_only=True)
    """The number of points that count, if known."""
    predicted_points: int | None = field(default=None, repr=False, compare=False, kw_only=True)
    """How many of them are predicted, if the ranges themselves were not kept."""

    @cached_property
    def real(self) -> RangeRows:
        """One row per real range; recall is the mean of their rewards."""
        rows = self._rows("real")
        return rows if self.weights is None else replace(rows, weight=self.weights)

    @property
    def alert_rate(self) -> float | None:
        """The share of all points predicted anomalous; None if the number of points is unknown.

        >>> import rangewise as rw
        >>> rw.score([0, 1, 1, 0], [0, 1, 0, 0]).alert_rate, rw.score([(1, 3)], [(1, 2)]).alert_rate
        (0.25, None)
        """
        if not self.length:
            return None
        if self._sides is not None:
            return int(self._sides[1].lengths.sum()) / self.length
        return None if self.predicted_points is None else self.predicted_points / self.length

    @property
    def clock(self) -> Clock | RowClock | None:
        """The clock of the ranges, if they are times; None for rows."""
        return None if self._sides is None else self._sides[0].clock

    @cached_property
    def predicted(self) -> RangeRows:
        """One row per predicted range; precision is the mean of their rewards."""
        return self._rows("predicted")

    def _rows(self, side: Literal["real", "predicted"]) -> RangeRows:
        from rangewise.model.rewards import side_rows

        if self._sides is None:
            raise ValueError("a pooled score has no rows; use the score of one series")
        return side_rows(self.model, *self._sides, side=side)

    def explain(self, limit: int | None = None) -> str:
        """The score as text, one line per range; with ``limit``, only that many real and predicted ranges, those that lost the most."""
        from rangewise.model.explain import explain_text

        return explain_text(self, limit)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot real ranges above predicted ones, each with its reward: missed ones dashed, false ones hatched. Needs the extra ``plots``.

        Draws on ``ax``, by default on a new figure: ``score.plot().figure.savefig("score.pdf")``.
        """
        from rangewise.plots.score_picture import draw_score

        return draw_score(self, ax)

    def __str__(self) -> str:
        return self.explain(limit=10)

    def _repr_html_(self) -> str:
        from rangewise.model.explain import explain_html

        return explain_html(self, limit=20)
