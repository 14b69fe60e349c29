"""One row per range behind a score: its reward and the parts of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.inputs.clocks import ClockedRanges, RowClock
from rangewise.inputs.ranges import Ranges
from rangewise.model.rewards import Side

if TYPE_CHECKING:
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


def side_rows(model: RangeModel, real: Ranges, predicted: Ranges, *, side: Side) -> RangeRows:
    """One row per range of one side, for ``Score.real`` and ``Score.predicted``; as times if the ranges are on a clock."""
    own, other, rule, other_points = real, predicted, model._recall, model._precision.as_points
    if side == "predicted":
        own, other, rule, other_points = predicted, real, model._precision, model._recall.as_points
    if rule.as_points:
        own = own.points()
    if model.size is not None and other_points:
        other, other_points = other.points(), False
    made = rule.for_rows(own, other, other_points)
    overlaps, covered, size, factor, reward, center = kernel.rows(own._bounds, other._bounds, made, other_points)
    if not isinstance(own, ClockedRanges):
        return RangeRows(own.starts, own.stops, size, overlaps, factor, reward, covered, center)
    names = None if own.names is None or len(own.names) != len(own) else np.array(own.names, dtype=object)
    met = np.flatnonzero(overlaps > 0)
    # The first part that is covered begins with the range, or with the first of the others that ends after that.
    first = other.starts[np.searchsorted(other.stops, own.starts[met], side="right")]
    delay = np.full(len(own), np.timedelta64("NaT", "ns"))
    delay[met] = own.clock.times(np.maximum(first, own.starts[met])) - own.start_times[met]
    if isinstance(own.clock, RowClock):
        return RangeRows(own.starts, own.stops, size, overlaps, factor, reward, covered, center, delay, names, None, own)
    lasting = own.clock.durations(covered)
    return RangeRows(own.start_times, own.stop_times, size, overlaps, factor, reward, lasting, center, delay, names, None, own)
