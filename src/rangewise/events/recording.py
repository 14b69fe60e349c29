"""Both sides of an event protocol: ranges of times on one clock, within the recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown
from rangewise.inputs.clocks import Clock, ClockedRanges, on_one_clock, span_of
from rangewise.inputs.instants import as_times, time_text
from rangewise.inputs.ranges import Ranges, RangesLike, array_of

_SECOND = 10**9


@dataclass(frozen=True, eq=False)
class Recording:
    """Both sides in nanoseconds since the start of the recording, sorted and disjoint; ``duration`` is its length, if known."""

    real: NDArray[np.int64]
    predicted: NDArray[np.int64]
    duration: int | None
    origin: int
    elapsed: bool
    ignored: NDArray[np.int64]
    """The ignored intervals, sorted and disjoint. They are not yet removed from the sides."""

    has_ignored: bool = False
    """Whether ``ignore`` was given, even if it is empty."""

    @property
    def ignored_time(self) -> int:
        return int((self.ignored[:, 1] - self.ignored[:, 0]).sum())

    def text(self, nanoseconds: int) -> str:
        """A time of the recording as text."""
        return time_text(as_times(np.array([nanoseconds + self.origin]), self.elapsed)[0])


def read_recording(real: RangesLike, predicted: RangesLike, span: Any, ignore: RangesLike | None = None) -> Recording:
    """Both sides, cut to the span. An event outside the span is an error; ignored intervals may be outside."""
    given = {"real": real, "predicted": predicted} | ({} if ignore is None else {"ignore": ignore})
    sides = on_one_clock({name: event_side(side, name) for name, side in given.items()})
    assert all(isinstance(side, ClockedRanges) for side in sides)
    clock = next((side.clock for side in sides if len(side)), sides[0].clock)
    assert isinstance(clock, Clock)
    bounds = [np.asarray(side) * clock.tick + clock.origin for side in sides[:2]]
    ignored = np.asarray(sides[2].merge_touching() if ignore is not None else Ranges()) * clock.tick + clock.origin
    if span is None:
        return Recording(bounds[0], bounds[1], None, 0, clock.elapsed, ignored, ignore is not None)
    first, last, _ = span_of(span, ClockedRanges(sides[0], clock), ClockedRanges(sides[1], clock))
    for name, pairs in zip(("real", "predicted"), bounds, strict=True):
        for row in np.flatnonzero((pairs[:, 1] <= first) | (pairs[:, 0] >= last))[:1]:
            texts = [time_text(as_times(np.array([end]), clock.elapsed)[0]) for end in (*pairs[row], first, last)]
            raise ValueError(
                f"{name}: event {row}, {texts[0]} to {texts[1]}, lies outside the recording, {texts[2]} to {texts[3]}; "
                "check the span, and that both files have the same origin"
            )
    cut = [np.clip(pairs, first, last) - first for pairs in bounds]
    left_out = np.clip(ignored, first, last) - first
    return Recording(cut[0], cut[1], last - first, first, clock.elapsed, left_out[left_out[:, 0] < left_out[:, 1]], ignore is not None)


def event_side(given: RangesLike, name: str) -> ClockedRanges:
    """Events as ranges of times; integers are seconds, overlapping events are joined."""
    if isinstance(given, Ranges):
        if isinstance(given, ClockedRanges):
            if isinstance(given.clock, Clock):
                return given
            starts, stops = (times.view(np.int64) for times in (given.start_times, given.stop_times))
            return ClockedRanges(np.column_stack([starts, stops]), Clock(elapsed=given.clock.elapsed))
        return ClockedRanges(np.asarray(given) * _SECOND, Clock(elapsed=True))
    if isinstance(given, (list, tuple, np.ndarray)):
        array = array_of(given, name) if not len(given) or np.ndim(given[0]) == 0 else None
        if array is not None:
            if array.size:
                raise TypeError(f"{name} is {shown(given)}; events are (start, stop) pairs of times or seconds, not labels")
            return ClockedRanges(np.empty((0, 2), dtype=np.int64), Clock(elapsed=True))
    try:
        joined = Ranges.joined(given)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("ranges", name, 1)) from None
    return event_side(joined, name)
