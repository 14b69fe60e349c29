"""ScoredRanges: ranges with one confidence each, as detectors of intervals return them. They may overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import check_memory, shown
from rangewise.inputs.clocks import Clock, ClockedRanges, common_kind, common_zone, read_times
from rangewise.inputs.ranges import Ranges, array_of, may_be_times

_CONFIDENCES = ("confidence", "score", "severity", "probability")
_SHOWN_IN_REPR = 6


class ScoredRanges:
    """Half-open ranges of rows or times with one confidence each, in any order. They may overlap. Immutable.

    ``given`` is a list of ``(start, stop, confidence)``, a table with two columns of ranges and one of ``confidence``, ``score``,
    ``severity`` or ``probability``, or ranges with separate ``confidences``. Integers are rows, floats are seconds, everything else is
    times.

    As a prediction, every point of a range has its confidence as score; where ranges overlap, the largest:

    >>> scored = ScoredRanges([(2, 6, 0.5), (4, 8, 0.9)])
    >>> scored.at(0.9), scored.at(0.5)
    (Ranges([(4, 8)]), Ranges([(2, 8)]))
    >>> scored.to_scores(10).tolist()
    [-inf, -inf, 0.5, 0.5, 0.9, 0.9, 0.9, 0.9, -inf, -inf]
    """

    __slots__ = ("clock", "confidences", "starts", "stops")
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    confidences: NDArray[np.float64]
    clock: Clock | None

    def __init__(self, given: Any = (), confidences: Any = None, *, name: str = "scored ranges") -> None:
        pairs, values = _read(given, confidences, name)
        starts, stops, clock = _bounds(pairs, name)
        if len(values) != len(starts):
            raise ValueError(f"{name}: {len(starts)} ranges and {len(values)} confidences; give one for each range")
        for row in np.flatnonzero(np.isnan(values))[:1]:
            raise ValueError(f"{name}: the confidence of range {row} is nan; expected a number")
        for value, array in (("starts", starts), ("stops", stops), ("confidences", values)):
            array.flags.writeable = False
            object.__setattr__(self, value, array)
        object.__setattr__(self, "clock", clock)

    @property
    def thresholds(self) -> NDArray[np.float64]:
        """The distinct confidences, descending."""
        return np.unique(self.confidences)[::-1]

    def at(self, threshold: float) -> Ranges:
        """The prediction at a threshold: the union of the ranges with at least that confidence."""
        kept = self.confidences >= threshold
        pairs = np.column_stack([self.starts[kept], self.stops[kept]])
        joined = Ranges.joined(pairs).merge_touching()
        return joined if self.clock is None else ClockedRanges(joined, self.clock)

    def to_scores(self, length: int, *, background: float = -np.inf) -> NDArray[np.float64]:
        """One score for each of ``length`` rows: the largest confidence of its ranges, ``background`` outside of all ranges."""
        if self.clock is not None:
            raise ValueError("these ranges are times, without rows to assign scores to; pass the ranges to RangeModel.curve")
        if len(self) and length < self.stops.max():
            raise ValueError(f"length is {length}, but a range stops at {self.stops.max()}")
        check_memory(8 * length, f"{length} scores")
        scores = np.full(length, background)
        # The most confident ranges overwrite the others.
        for row in np.argsort(self.confidences, kind="stable").tolist():
            scores[self.starts[row] : self.stops[row]] = self.confidences[row]
        return scores

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        return zip(self.starts.tolist(), self.stops.tolist(), self.confidences.tolist(), strict=True)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("ScoredRanges is immutable; make a new one")

    def __reduce__(self) -> tuple[Any, ...]:
        pairs = np.column_stack([self.starts, self.stops])
        return _made, (pairs, np.array(self.confidences), self.clock)

    def __repr__(self) -> str:
        rows = list(self)
        if len(rows) <= _SHOWN_IN_REPR:
            return f"ScoredRanges({rows})"
        return f"ScoredRanges([{', '.join(map(str, rows[:3]))}, ..., {rows[-1]}], {len(rows)} ranges)"


def _made(pairs: NDArray[np.int64], confidences: NDArray[np.float64], clock: Clock | None) -> ScoredRanges:
    return scored_ranges(pairs[:, 0], pairs[:, 1], confidences, clock)


def scored_ranges(starts: NDArray[np.int64], stops: NDArray[np.int64], confidences: Any, clock: Clock | None) -> ScoredRanges:
    """Scored ranges of rows, or of ticks of a clock."""
    scored = ScoredRanges(np.column_stack([starts, stops]), confidences)
    object.__setattr__(scored, "clock", clock)
    return scored


def align_scored(real: Ranges, scored: ScoredRanges) -> tuple[Ranges, ScoredRanges]:
    """Both sides as rows, or as ticks of one clock."""
    if scored.clock is None or not len(scored):
        if isinstance(real.clock, Clock) and len(scored):
            raise ValueError(f"real is in times, but the scored ranges are in rows; give both as times{_hint(real.clock)}")
        return real, scored
    if not isinstance(real.clock, Clock):
        if len(real) or real.clock is not None:
            raise ValueError(f"the scored ranges are in times, but real is in rows; give both as times{_hint(scored.clock)}")
        return ClockedRanges(real, scored.clock), scored
    clocks = {"real": real.clock, "scored ranges": scored.clock}
    zoned = common_zone([(name, clock.zoned) for name, clock in clocks.items()])
    elapsed = common_kind([(name, clock.elapsed) for name, clock in clocks.items()])
    bounds = np.asarray(real) * real.clock.tick + real.clock.origin
    starts, stops = (ends * scored.clock.tick + scored.clock.origin for ends in (scored.starts, scored.stops))
    origin = min(0, int(starts.min()), *bounds[:1, 0].tolist())
    clock = Clock(origin, 1, zoned, elapsed)
    return ClockedRanges(bounds - origin, clock), scored_ranges(starts - origin, stops - origin, scored.confidences, clock)


def _hint(clock: Clock) -> str:
    return " (seconds are floats, 3.0 instead of 3)" if clock.elapsed else ""


def cut_scored(scored: ScoredRanges, ignored: Ranges) -> ScoredRanges:
    """The parts of each range outside the ignored intervals, which are on its clock. A range cut in the middle becomes two."""
    if not len(ignored) or not len(scored):
        return scored
    from rangewise.inputs.ignored import pieces_outside

    bounds, source, _ = pieces_outside(scored.starts, scored.stops, ignored.starts, ignored.stops)
    return scored_ranges(bounds[:, 0], bounds[:, 1], scored.confidences[source], scored.clock)


def _read(given: Any, confidences: Any, name: str) -> tuple[Any, NDArray[np.float64]]:
    """The ranges as given, and the confidences."""
    if confidences is not None:
        return given, _numbers(confidences, name)
    if isinstance(given, (list, tuple)):
        for row, each in enumerate(given):
            if not isinstance(each, (list, tuple, np.ndarray)) or len(each) != 3:
                raise ValueError(f"{name}: range {row} is {shown(each)}; expected (start, stop, confidence)")
        return [(each[0], each[1]) for each in given], _numbers([each[2] for each in given], name)
    if isinstance(given, np.ndarray):
        if given.ndim != 2 or given.shape[1] != 3:
            raise ValueError(f"{name} has shape {given.shape}; expected start, stop and confidence in three columns")
        pairs = given[:, :2]
        whole = given.dtype.kind == "f" and bool((pairs == np.rint(pairs)).all())
        return pairs.astype(np.int64) if whole else pairs, _numbers(given[:, 2], name)
    import narwhals.stable.v2 as nw

    table = nw.from_native(given, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        raise TypeError(f"{name} is {shown(given)}; expected (start, stop, confidence) triples, or a table")
    column = next((column for known in _CONFIDENCES for column in table.columns if column.lower() == known), None)
    if column is None:
        raise ValueError(f"{name} has the columns {', '.join(table.columns)}; expected one called {', '.join(_CONFIDENCES)}")
    return table.drop(column).to_native(), _numbers(table[column].to_numpy(), name)


def _numbers(given: Any, name: str) -> NDArray[np.float64]:
    array = np.asarray(given)
    if array.size and array.dtype.kind not in "biuf":
        raise TypeError(f"{name}: confidences have dtype {array.dtype}; expected numbers")
    return array.astype(np.float64).reshape(-1)


def _bounds(pairs: Any, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64], Clock | None]:
    """Starts and stops as rows, or as nanoseconds with their clock."""
    if isinstance(pairs, Ranges):
        if pairs.clock is not None and not isinstance(pairs.clock, Clock):
            pairs = Ranges(np.asarray(pairs))
        return np.array(pairs.starts), np.array(pairs.stops), pairs.clock
    if isinstance(pairs, Sequence) and not len(pairs):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), None
    timed = read_times(pairs, name) if may_be_times(pairs) else None
    if timed is not None:
        timed.check()
        clock = Clock(zoned=timed.zoned, elapsed=timed.elapsed)
        return np.array(timed.starts), np.array(timed.stops), clock
    array = array_of(pairs, name)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise TypeError(f"{name}: starts and stops have dtype {array.dtype} and shape {array.shape}; expected pairs of rows or times")
    starts, stops = array.astype(np.int64).T
    for row in np.flatnonzero((stops <= starts) | (starts < 0))[:1]:
        raise ValueError(
            f"{name}: range {row} is [{starts[row]}, {stops[row]}); a range [start, stop) starts at 0 or later and stops after it starts"
        )
    return starts.copy(), stops.copy(), None
