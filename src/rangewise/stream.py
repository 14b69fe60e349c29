"""Stream: the score of a series in chunks, or of adjacent parts that were scored separately."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ranges import Ranges, RangesLike, trusted_ranges
from rangewise.inputs.scores import score_array
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.model.rewards import scores_as_points, side_count, side_reward
from rangewise.model.tally import Tally

Side = Literal["real", "predicted"]
A_PIECE = 80
"""Approximate bytes of memory per piece of an open range, including copies."""


class _Pieces:
    """Disjoint ranges in order, in memory that grows at its end.

    An immutable value. Of several values that share memory, the longest appends in place; the others copy. So the cost of a range that
    stays open over many chunks is linear in its pieces.
    """

    __slots__ = ("_count", "_ends", "_memory")

    def __init__(self, memory: NDArray[np.int64], count: int, ends: set[int] | None = None) -> None:
        self._memory = memory
        self._count = count
        # The used length of the memory; removing the number grants the right to append, which only one value can have.
        self._ends = {count} if ends is None else ends

    @classmethod
    def of(cls, pairs: NDArray[np.int64]) -> _Pieces:
        return cls(pairs, len(pairs))

    def __len__(self) -> int:
        return self._count

    @property
    def pairs(self) -> NDArray[np.int64]:
        return self._memory[: self._count]

    def followed_by(self, more: NDArray[np.int64]) -> _Pieces:
        if not len(more):
            return self
        total = self._count + len(more)
        memory, ends = self._memory, self._ends
        try:
            if total > len(memory):
                raise KeyError(self._count)
            ends.remove(self._count)
        except KeyError:
            memory, ends = np.empty((2 * total, 2), dtype=np.int64), set()
            memory[: self._count] = self.pairs
        memory[self._count : total] = more
        ends.add(total)
        return _Pieces(memory, total, ends)

    def moved(self, by: int) -> _Pieces:
        return _Pieces.of(self.pairs + by)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Pieces.of, (self.pairs.copy(),)


@dataclass(frozen=True)
class _Open:
    """A range that touches a border of the part seen so far, with the pieces that the other side covers.

    Its reward is computed when its length is known. The last piece is separate, because it may continue after the border.
    """

    start: int
    stop: int
    before: _Pieces
    last: tuple[int, int] | None

    @classmethod
    def around(cls, own: tuple[int, int], other: Ranges) -> _Open:
        start, stop = own
        first, last = np.searchsorted(other.stops, start, side="right"), np.searchsorted(other.starts, stop, side="left")
        pieces = np.array(np.asarray(other)[first:last])
        if not len(pieces):
            return cls(start, stop, _Pieces.of(pieces), None)
        # Only the outermost pieces can extend beyond the range.
        pieces[0, 0], pieces[-1, 1] = max(pieces[0, 0], start), min(pieces[-1, 1], stop)
        return cls(start, stop, _Pieces.of(pieces[:-1]), _pair(pieces[-1]))

    def followed_by(self, other: _Open) -> _Open:
        """This range and its continuation after the border. Pieces that touch the border from both sides are joined."""
        if self.last is None or other.last is None:
            last = self.last or other.last
            return _Open(self.start, other.stop, self.before.followed_by(other.before.pairs), last)
        more, last = other.pairs(), self.last
        if last[1] == self.stop == more[0, 0]:
            more[0, 0] = last[0]
        else:
            more = np.concatenate([[last], more])
        return _Open(self.start, other.stop, self.before.followed_by(more[:-1]), _pair(more[-1]))

    def moved(self, by: int) -> _Open:
        last = None if self.last is None else (self.last[0] + by, self.last[1] + by)
        return _Open(self.start + by, self.stop + by, self.before.moved(by), last)

    def pairs(self) -> NDArray[np.int64]:
        """The pieces, in a new array."""
        return np.array(self.before.pairs) if self.last is None else np.concatenate([self.before.pairs, [self.last]])


@dataclass(frozen=True)
class _SideState:
    """One side of a part: the rewards of its inner ranges, and the ranges at its borders (the same object if one spans the part)."""

    reward: int = 0
    ranges: int = 0
    head: _Open | None = None
    tail: _Open | None = None

    def moved(self, by: int) -> _SideState:
        head = self.head and self.head.moved(by)
        tail = head if self.tail is self.head else self.tail and self.tail.moved(by)
        return _SideState(self.reward, self.ranges, head, tail)


@dataclass(frozen=True)
class _Part:
    """The state of a part of a series. Immutable: a stream gets a new part with each chunk."""

    length: int = 0
    real: _SideState = _SideState()
    predicted: _SideState = _SideState()


class Stream:
    """Scores a series chunk by chunk, with a result that is bit-identical to the score of the whole series.

    Ranges continue across borders between chunks, as in the whole series. ``first + second`` joins two adjacent parts, in any grouping.
    Memory does not grow with the number of points: a stream has two sums, and the covered pieces of ranges that are open at the borders.
    A custom size function may use lengths and distances, but not absolute positions, because parts count from their own beginning.

    >>> import rangewise as rw
    >>> stream = Stream(rw.RangeModel(cardinality="reciprocal"))
    >>> stream = stream.update([0, 1, 1], [0, 1, 0]).update([1, 1, 0], [0, 1, 0])
    >>> stream.score().recall == rw.unfragmented.score([0, 1, 1, 1, 1, 0], [0, 1, 0, 0, 1, 0]).recall
    True
    """

    def __init__(self, model: RangeModel | None = None) -> None:
        if model is not None and not isinstance(model, RangeModel):
            raise TypeError(f"model must be a RangeModel, such as rw.early; got {shown(model)}")
        self.model = RangeModel() if model is None else model
        self._seen = _Part()

    def update(self, real: RangesLike | Case, predicted: RangesLike | None = None, **options: Unpack[CaseOptions]) -> Stream:
        """Add the next chunk, as labels, or as ranges relative to the chunk's first point with its ``length``. Returns the stream.

        The options are those of :meth:`RangeModel.score` for this chunk: ``length``, ``ignore`` and ``times`` of its rows. ``weights`` and
        ``close_gaps`` are refused, because ranges and gaps may cross chunks, and so are sides in times without rows. After an error or
        Ctrl-C, the stream is unchanged.
        """
        if not options and all(isinstance(side, (list, tuple)) and not side for side in (real, predicted)):
            return self  # no labels: a chunk without points
        for name in ("close_gaps", "resolution", "step", "span"):
            if options.get(name):
                raise TypeError(
                    f"a stream does not support {name}=, because ranges and gaps may cross chunks; use the whole series, or leave it out"
                )
        case = Case.of_labels(real, predicted, options, "a stream", adds_up=True)
        if isinstance(case.clock, Clock):
            raise ValueError("chunks count rows, but both sides are times; give the time of each row with times=")
        if case.length is None:
            raise ValueError("the length of the chunk is unknown; with ranges, give length=")
        # A single assignment at the end, so that an error or an interrupt leaves the stream unchanged.
        self._seen = self._joined(self._seen, self._part(*case.sides(), case.length))
        return self

    def update_scores(self, real: RangesLike | Case, scores: Any = None, *, threshold: float, **options: Unpack[CaseOptions]) -> Stream:
        """Add the next chunk with a detector's scores instead of predictions: a point is predicted if ``score >= threshold``.

        ``missing="lowest"`` is refused, because the lowest score of the series is unknown; ``"ignore"`` ignores the rows.
        """
        if options.get("close_gaps"):
            raise TypeError("a stream does not support close_gaps=, because gaps may cross chunks; leave it out")
        if options.get("missing") == "lowest":
            raise TypeError(
                "a stream does not support missing='lowest', because the lowest score of the series is unknown; use missing='ignore', "
                "or fill the missing scores first"
            )
        if options.get("missing") == "ignore" and not isinstance(real, Case) and scores is not None:
            values = score_array(scores)
            if values.dtype.kind == "f" and len(values) and np.isnan(values).all():
                # Of a whole series that would be an error, but other chunks may have scores.
                options = {**options, "missing": "error", "ignore": [(0, len(values))]}
                scores = np.zeros(len(values))
        return self.update(Case.of_scores(real, scores, options, "a stream", adds_up=True).at(threshold))

    def tally(self) -> Tally:
        """The tally of the part seen so far, as if its borders were the ends of the series."""
        counts: list[int] = []
        sides: tuple[tuple[Side, _SideState], ...] = (("real", self._seen.real), ("predicted", self._seen.predicted))
        for side, state in sides:
            reward, ranges = state.reward, state.ranges
            for open_range in _distinct(state.head, state.tail):
                reward += self._reward(side, open_range)
                ranges += self._count(side, open_range)
            counts += [reward, ranges]
        return Tally(self.model, *counts)

    def score(self) -> Score:
        """The score of the part seen so far."""
        return self.tally().score()

    @property
    def open_pieces(self) -> int:
        """The number of pieces of open ranges: the only part of a stream that grows with the points."""
        sides = (self._seen.real, self._seen.predicted)
        return sum(len(each.before) for side in sides for each in _distinct(side.head, side.tail))

    def __len__(self) -> int:
        return self._seen.length

    def __add__(self, other: Stream) -> Stream:
        if not isinstance(other, Stream):
            return NotImplemented
        if other.model != self.model:
            raise ValueError(f"streams of different models cannot be joined: {self.model} and {other.model}")
        joined = Stream(self.model)
        joined._seen = self._joined(self._seen, other._seen)
        return joined

    def __repr__(self) -> str:
        return f"Stream({len(self)} points, {self.model})"

    def _part(self, real: Ranges, predicted: Ranges, size: int) -> _Part:
        """A part of one chunk."""
        return _Part(size, self._side_state("real", real, predicted, size), self._side_state("predicted", predicted, real, size))

    def _side_state(self, side: Side, own: Ranges, other: Ranges, size: int) -> _SideState:
        if scores_as_points(self.model, side):
            # Points never cross chunks, so nothing stays open.
            return _SideState(side_reward(self.model, own, other, side=side), side_count(self.model, own, side=side))
        at_front = len(own) > 0 and own.starts[0] == 0
        at_back = len(own) > 0 and own.stops[-1] == size
        inner = own[int(at_front) : len(own) - int(at_back)]
        head = _Open.around(own[0], other) if at_front else None
        tail = head if at_front and at_back and len(own) == 1 else _Open.around(own[-1], other) if at_back else None
        reward, count = (
            (side_reward(self.model, inner, other, side=side), side_count(self.model, inner, side=side)) if len(inner) else (0, 0)
        )
        return _SideState(reward, count, head, tail)

    def _joined(self, left: _Part, right: _Part) -> _Part:
        """Join a part and the one that follows it."""
        if not left.length or not right.length:
            return left if left.length else right
        return _Part(
            left.length + right.length,
            self._joined_side("real", left.real, right.real.moved(left.length)),
            self._joined_side("predicted", left.predicted, right.predicted.moved(left.length)),
        )

    def _joined_side(self, side: Side, left: _SideState, right: _SideState) -> _SideState:
        reward, ranges = left.reward + right.reward, left.ranges + right.ranges
        if left.tail is not None and right.head is not None:
            middle: _Open | None = left.tail.followed_by(right.head)
        else:
            middle = left.tail or right.head
        if middle is None:
            return _SideState(reward, ranges, left.head, right.tail)
        spans_left, spans_right = left.tail is not None and left.tail is left.head, right.head is not None and right.head is right.tail
        if not spans_left and not spans_right:
            reward, ranges = reward + self._reward(side, middle), ranges + self._count(side, middle)
        return _SideState(reward, ranges, middle if spans_left else left.head, middle if spans_right else right.tail)

    def _count(self, side: Side, open_range: _Open) -> int:
        return side_count(self.model, Ranges([(open_range.start, open_range.stop)]), side=side)

    def _reward(self, side: Side, open_range: _Open) -> int:
        return side_reward(self.model, Ranges([(open_range.start, open_range.stop)]), Ranges(open_range.pairs()), side=side)


def stream_of(tally: Tally, length: int, opened: dict[Side, list[tuple[int, int, NDArray[np.int64]]]]) -> Stream:
    """The stream of a part that was tallied elsewhere, with its borders as ends.

    ``opened`` are the ranges at its borders, as start, stop and the pieces that the other side covers, relative to the start of the part:
    their rewards are subtracted, because they may continue.
    """
    stream = Stream(tally.model)
    states: dict[Side, _SideState] = {}
    for side in opened:
        reward, ranges = getattr(tally, f"{side}_reward"), getattr(tally, f"{side}_ranges")
        head = tail = None
        for start, stop, pieces in () if scores_as_points(tally.model, side) else opened[side]:
            opened_range = _Open.around((start, stop), trusted_ranges(pieces))
            reward -= stream._reward(side, opened_range)
            ranges -= stream._count(side, opened_range)
            head = opened_range if start == 0 else head
            tail = opened_range if stop == length else tail
        states[side] = _SideState(reward, ranges, head, tail)
    stream._seen = _Part(length, states["real"], states["predicted"])
    return stream


def _pair(bounds: NDArray[np.int64]) -> tuple[int, int]:
    return int(bounds[0]), int(bounds[1])


def _distinct(*opens: _Open | None) -> list[_Open]:
    """The open ranges without duplicates."""
    distinct: list[_Open] = []
    for open_range in opens:
        if open_range is not None and not any(open_range is seen for seen in distinct):
            distinct.append(open_range)
    return distinct
