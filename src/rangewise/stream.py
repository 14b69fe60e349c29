"""Stream: the score of a series that comes in chunks, or of neighbouring parts that were scored apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.curve import check_no_nan, read_scores
from rangewise.model.model import RangeModel
from rangewise.model.score import Score
from rangewise.model.tally import Tally
from rangewise.ranges import Ranges, RangesLike, read_side

Side = Literal["real", "predicted"]


@dataclass
class _Open:
    """A range that touches a border of the part seen so far, with the pieces of it that the other side covers.

    Its reward waits until its length is known. The pieces come in blocks, so that a range that stays open over many chunks is
    not copied with each of them.
    """

    start: int
    stop: int
    blocks: list[NDArray[np.int64]]

    def followed_by(self, other: _Open) -> _Open:
        """This range and its continuation behind the border. A piece that reaches the border from both sides is one piece."""
        blocks, more = list(self.blocks), list(other.blocks)
        if blocks and more and blocks[-1][-1, 1] == more[0][0, 0] == self.stop:
            last, first = blocks[-1], more[0]
            seam = np.array([[last[-1, 0], first[0, 1]]])
            blocks[-1:] = [block for block in (last[:-1], seam) if len(block)]
            more[:1] = [block for block in (first[1:],) if len(block)]
        return _Open(self.start, other.stop, blocks + more)

    def moved(self, by: int) -> _Open:
        return _Open(self.start + by, self.stop + by, [block + by for block in self.blocks])

    def pieces(self) -> Ranges:
        return Ranges(np.concatenate(self.blocks)) if self.blocks else Ranges()


@dataclass
class _SideState:
    """One side of a part: what its inner ranges earned, and the ranges at its borders (the same object when one spans it all)."""

    reward: int = 0
    ranges: int = 0
    head: _Open | None = None
    tail: _Open | None = None

    def moved(self, by: int) -> _SideState:
        head = self.head and self.head.moved(by)
        tail = head if self.tail is self.head else self.tail and self.tail.moved(by)
        return _SideState(self.reward, self.ranges, head, tail)


class Stream:
    """Scores a series chunk by chunk; equal, bit for bit, to the score of the whole, however it is cut.

    Neighbouring points on both sides of a border between chunks belong to one range, as in the whole series. ``first + second``
    joins two neighbouring parts, in any grouping. Memory does not grow with the number of points: it holds two sums, and of the
    ranges that are open at the borders the pieces that the other side covers. A size function of the user's own may look at lengths
    and distances, not at absolute places: parts count from their own beginning.

    >>> import rangewise as rw
    >>> stream = Stream(rw.RangeModel(cardinality="reciprocal"))
    >>> stream = stream.update([0, 1, 1], [0, 1, 0]).update([1, 1, 0], [0, 1, 0])
    >>> stream.score().recall == rw.unfragmented.score([0, 1, 1, 1, 1, 0], [0, 1, 0, 0, 1, 0]).recall
    True
    """

    def __init__(self, model: RangeModel | None = None) -> None:
        self.model = RangeModel() if model is None else model
        self._length = 0
        self._sides: dict[Side, _SideState] = {"real": _SideState(), "predicted": _SideState()}

    def update(self, real: RangesLike, predicted: RangesLike, *, length: int | None = None) -> Stream:
        """The next chunk, as labels, or as ranges that count from the chunk's first point with its ``length``. Gives the stream."""
        if length is None and all(isinstance(side, (list, tuple)) and not side for side in (real, predicted)):
            return self  # no labels at all: a chunk of no points
        real_ranges, real_length = read_side(real, "real")
        predicted_ranges, predicted_length = read_side(predicted, "predicted")
        size = _chunk_length({"real": real_length, "predicted": predicted_length}, length)
        for name, ranges in (("real", real_ranges), ("predicted", predicted_ranges)):
            if len(ranges) and ranges.stops[-1] > size:
                raise ValueError(f"{name} has a range that stops at {ranges.stops[-1]}, but the chunk has {size} points")
        if size:
            self._append(self._part(real_ranges, predicted_ranges, size))
        return self

    def update_scores(self, real: RangesLike, scores: Any, threshold: float) -> Stream:
        """The next chunk with a detector's scores instead of predictions: a point is predicted where ``score >= threshold``."""
        values = read_scores(scores)
        check_no_nan(values)
        return self.update(real, values >= threshold, length=len(values))

    def tally(self) -> Tally:
        """What the part seen so far contributes, its borders taken as the ends of the series."""
        counts: list[int] = []
        for side, state in self._sides.items():
            reward, ranges = state.reward, state.ranges
            for open_range in _distinct(state.head, state.tail):
                reward += self._reward(side, open_range)
                ranges += 1
            counts += [reward, ranges]
        return Tally(self.model, *counts)

    def score(self) -> Score:
        """The score of the part seen so far."""
        return self.tally().score()

    def __len__(self) -> int:
        return self._length

    def __add__(self, other: Stream) -> Stream:
        if not isinstance(other, Stream):
            return NotImplemented
        if other.model != self.model:
            raise ValueError(f"streams of different models do not join: {self.model} and {other.model}")
        joined = Stream(self.model)
        joined._append(self)
        joined._append(other)
        return joined

    def __repr__(self) -> str:
        return f"Stream({self._length} points, {self.model})"

    def _part(self, real: Ranges, predicted: Ranges, size: int) -> Stream:
        """A stream of one chunk."""
        part = Stream(self.model)
        part._length = size
        part._sides = {
            "real": self._side_state("real", real, predicted, size),
            "predicted": self._side_state("predicted", predicted, real, size),
        }
        return part

    def _side_state(self, side: Side, own: Ranges, other: Ranges, size: int) -> _SideState:
        if self.model.scores_as_points(side):
            # A point is whole in its chunk: nothing stays open.
            return _SideState(self.model.side_reward(own, other, side=side), self.model.side_count(own, side=side))
        at_front = len(own) > 0 and own.starts[0] == 0
        at_back = len(own) > 0 and own.stops[-1] == size
        inner = own[int(at_front) : len(own) - int(at_back)]
        state = _SideState(self.model.side_reward(inner, other, side=side), len(inner))
        if at_front:
            state.head = _open(own[0], other)
        if at_back:
            state.tail = state.head if at_front and len(own) == 1 else _open(own[-1], other)
        return state

    def _append(self, part: Stream) -> None:
        """Join a part that follows."""
        if not self._length:
            self._sides = dict(part._sides)
        elif part._length:
            for side, state in self._sides.items():
                self._sides[side] = self._joined(side, state, part._sides[side].moved(self._length))
        self._length += part._length

    def _joined(self, side: Side, left: _SideState, right: _SideState) -> _SideState:
        joined = _SideState(left.reward + right.reward, left.ranges + right.ranges, left.head, right.tail)
        spans_left, spans_right = left.tail is not None and left.tail is left.head, right.head is not None and right.head is right.tail
        if left.tail is not None and right.head is not None:
            middle: _Open | None = left.tail.followed_by(right.head)
        else:
            middle = left.tail or right.head
        if middle is None:
            return joined
        if spans_left:
            joined.head = middle
        if spans_right:
            joined.tail = middle
        if not spans_left and not spans_right:
            joined.reward += self._reward(side, middle)
            joined.ranges += 1
        return joined

    def _reward(self, side: Side, open_range: _Open) -> int:
        return self.model.side_reward(Ranges([(open_range.start, open_range.stop)]), open_range.pieces(), side=side)


def _chunk_length(labelled: dict[str, int | None], given: int | None) -> int:
    known = {name: length for name, length in (*labelled.items(), ("length", given)) if length is not None}
    if not known:
        raise ValueError("ranges do not tell how long the chunk is; give length=")
    if len(set(known.values())) > 1:
        raise ValueError(f"a chunk has one length; got {', '.join(f'{name} {length}' for name, length in known.items())}")
    return next(iter(known.values()))


def _open(own: tuple[int, int], other: Ranges) -> _Open:
    """A range at a border with the pieces of it that the other side covers."""
    start, stop = own
    first, last = np.searchsorted(other.stops, start, side="right"), np.searchsorted(other.starts, stop, side="left")
    pieces = np.clip(np.asarray(other)[first:last], start, stop)
    return _Open(start, stop, [pieces] if len(pieces) else [])


def _distinct(*opens: _Open | None) -> list[_Open]:
    """The open ranges, one that is both head and tail once."""
    found: list[_Open] = []
    for open_range in opens:
        if open_range is not None and not any(open_range is seen for seen in found):
            found.append(open_range)
    return found
