"""The doors for what comes together: both sides, the real side with scores, a series with its length. One check, one complaint."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown
from rangewise.inputs.clocks import Clock, ClockedRanges, Outside, RowClock, align, coarser, grid, on_rows, row_clock, span_of
from rangewise.inputs.instants import duration
from rangewise.inputs.ranges import Ranges, RangesLike, array_of, read_side


def read_both(real: RangesLike, predicted: RangesLike) -> tuple[Ranges, Ranges]:
    """Both sides, checked against each other."""
    return read_both_sized(real, predicted)[0]


def read_both_sized(real: RangesLike, predicted: RangesLike) -> tuple[tuple[Ranges, Ranges], int | None]:
    """Both sides, checked against each other, and the number of points, where labels tell it."""
    check_index(real, predicted, "predicted")
    real_ranges, real_length = read_side(real, "real")
    predicted_ranges, predicted_length = read_side(predicted, "predicted")
    if real_ranges.clock is not None or predicted_ranges.clock is not None:
        real_ranges, predicted_ranges = align(real_ranges, predicted_ranges, (real_length, predicted_length))
    if real_length != predicted_length:
        _check_lengths(real_ranges, real_length, predicted_ranges, predicted_length)
    return (real_ranges, predicted_ranges), predicted_length if real_length is None else real_length


def read_timed(
    real: RangesLike, predicted: RangesLike, *, times: Any = None, resolution: Any = None, outside: Outside = "error"
) -> tuple[Ranges, Ranges]:
    """Both sides: as rows of the index ``times``, or on one clock; rows where neither is times."""
    if times is not None and resolution is not None:
        raise ValueError("times= puts both sides on rows, resolution= on a clock; give one of them")
    if times is not None:
        clock = row_clock(times)
        return on_rows(real, clock, "real", outside), on_rows(predicted, clock, "predicted", outside)
    found = read_both(real, predicted)
    if resolution is None:
        return found
    tick = duration(resolution, "resolution")
    if tick <= 0:
        raise ValueError(f"resolution is the length of a tick, above 0; got {resolution!r}")
    if all(side.clock is None and len(side) for side in found):
        raise ValueError("resolution= is the tick of a clock, for sides that are times; these are rows")
    return align(coarser(found[0], tick), coarser(found[1], tick))


class NeedsGridError(ValueError):
    """Times were given where only rows can be counted."""


def read_rows(real: RangesLike, predicted: RangesLike, what: str, step: Any = None, span: Any = None) -> tuple[Ranges, Ranges]:
    """Both sides as rows, for metrics that count rows: times need a grid of a row every ``step`` over ``span``."""
    sides = read_both(real, predicted)
    if not isinstance(sides[0].clock, Clock):
        if step is not None or span is not None:
            raise ValueError("step= and span= make rows of times; these sides are rows already")
        return sides
    if step is None:
        raise NeedsGridError(
            f"{what} counts rows, and these sides are times: give a grid, e.g. step='1min' with span=(first, last) (--step 1min)"
        )
    clock = grid(step, span, *sides)
    # What lies outside the span is not asked about.
    return on_rows(sides[0], clock, "real", None), on_rows(sides[1], clock, "predicted", None)


def read_in_span(real: Ranges, predicted: Ranges, span: Any) -> tuple[Ranges, Ranges, int]:
    """Both sides of one clock counted from the first moment of a span, cut to it, and how many ticks it has."""
    first, last, zoned = span_of(span, real, predicted)
    clock = Clock(first, real.clock.tick if isinstance(real.clock, Clock) else 1, zoned)
    ticks = -((first - last) // clock.tick)
    cut = []
    for side in (real, predicted):
        assert isinstance(side, ClockedRanges)
        starts, stops = ((times.view(np.int64) - first) // clock.tick for times in (side.start_times, side.stop_times))
        starts, stops = np.maximum(starts, 0), np.minimum(stops, ticks)
        cut.append(ClockedRanges(np.column_stack([starts, stops])[starts < stops], clock))
    return cut[0], cut[1], ticks


def read_series(real: RangesLike, predicted: RangesLike, length: int | None, why: str) -> tuple[Ranges, Ranges, int]:
    """Both sides and the number of points of the series: of the labels, or as given. ``why`` says what it is needed for.

    An empty list may be labels or ranges: nothing, in a series of any length.
    """
    check_index(real, predicted, "predicted")
    (real_ranges, real_labels), (predicted_ranges, predicted_labels) = read_side(real, "real"), read_side(predicted, "predicted")
    if real_ranges.clock is not None or predicted_ranges.clock is not None:
        real_ranges, predicted_ranges = align(real_ranges, predicted_ranges, (real_labels, predicted_labels))
    if length is None and isinstance(real_ranges.clock, RowClock):
        length = len(real_ranges.clock.index)
    if real_labels != predicted_labels:
        _check_lengths(real_ranges, real_labels or None, predicted_ranges, predicted_labels or None)
    labelled = real_labels or predicted_labels or 0
    last = max((int(side.stops[-1]) for side in (real_ranges, predicted_ranges) if len(side)), default=0)
    if length is None:
        if last and not labelled:
            raise ValueError(f"length is missing: {why}, so with ranges give the number of points of the series, length=")
        return real_ranges, predicted_ranges, labelled
    try:
        points = operator.index(length)
    except TypeError:
        raise TypeError(f"length is the number of points of the series, an integer; got {shown(length)}") from None
    if points < 0:
        raise ValueError(f"length is the number of points of the series, so 0 or more; got {points}")
    if labelled and points != labelled:
        raise ValueError(f"length is {points}, but there are {labelled} labels; leave length out with labels")
    for name, ranges in (("real", real_ranges), ("predicted", predicted_ranges)):
        if len(ranges) and ranges.stops[-1] > points:
            raise ValueError(f"length is {points}, but {name} has a range that stops at {ranges.stops[-1]}")
    return real_ranges, predicted_ranges, points


def read_real_and_scores(
    real: RangesLike, scores: Any, *, prefix: str = "", names: tuple[str, str] | None = None, times: Any = None
) -> tuple[Ranges, NDArray[Any]]:
    """The real ranges and a score for each point; ``times`` tells when the points are, where real ranges are times.

    A complaint begins with ``prefix``, or calls both by ``names``, such as two files.

    Scores are not looked at one by one: :func:`check_no_nan` does that, where no kernel does it in passing.
    """
    check_index(real, scores, "scores")
    values = read_scores(scores, f"{prefix}scores")
    if times is not None:
        clock = row_clock(times)
        if len(clock.index) != len(values):
            raise ValueError(f"{prefix}times has {len(clock.index)} times and there are {len(values)} scores; give one time a score")
        return on_rows(real, clock, f"{prefix}real"), values
    ranges, length = read_side(real, f"{prefix}real")
    if isinstance(ranges.clock, Clock):
        raise ValueError(
            f"{prefix}real is given in times, but scores are a number a row; say when the rows are with times=, one time a score"
        )
    check_fits(ranges, length, len(values), names or (f"{prefix}real", "there"))
    return ranges, values


def check_index(real: Any, other: Any, name: str) -> None:
    """Two pandas series are about the same points: by position, which is wrong where their indexes differ."""
    ours: Any = getattr(real, "index", None)
    theirs: Any = getattr(other, "index", None)
    if not (hasattr(ours, "equals") and hasattr(theirs, "equals")) or real.ndim != 1 or other.ndim != 1 or len(ours) != len(theirs):
        return
    if not ours.equals(theirs):
        first = next((where for where, (one, two) in enumerate(zip(ours, theirs, strict=True)) if one != two), 0)
        raise ValueError(
            f"real and {name} have different indexes, first at position {first}: {ours[first]} and {theirs[first]}; "
            "align them, or give .to_numpy() of both to go by position"
        )


def check_fits(ranges: Ranges, length: int | None, scores: int, names: tuple[str, str]) -> None:
    """As many labels as scores, and no range beyond the last score."""
    has = "are" if names[1] == "there" else "has"
    if length is not None and length != scores:
        raise ValueError(f"{names[0]} has {length} labels and {names[1]} {has} {scores} scores; give one score a label")
    if len(ranges) and ranges.stops[-1] > scores:
        raise ValueError(f"{names[0]} has a range that stops at {ranges.stops[-1]}, but {names[1]} {has} only {scores} scores")


def read_scores(scores: Any, name: str = "scores") -> NDArray[Any]:
    """One number a point, without NaN; integers, float32 and float64 stay what they are."""
    values = array_of(scores, name, "score")
    if values.ndim != 1:
        raise ValueError(f"{name} have shape {values.shape}; expected one number a point")
    if values.size == 0:
        return values.astype(np.float64)
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "b":
        values = values.view(np.uint8)
    elif kind == "f" and size not in (4, 8):
        values = values.astype(np.float64)
    elif kind not in "iuf":
        raise TypeError(f"{name} have dtype {values.dtype}; expected numbers")
    if not values.dtype.isnative or not values.flags.aligned:
        values = values.astype(values.dtype.newbyteorder("="))
    return values


def check_no_nan(scores: NDArray[Any], prefix: str = "") -> None:
    """Comparisons with NaN are False, which would make it a normal point without a word."""
    if scores.dtype.kind == "f" and (bad := np.flatnonzero(np.isnan(scores))).size:
        raise nan_error(int(bad[0]), prefix)


def nan_error(index: int, prefix: str = "") -> ValueError:
    return ValueError(
        f"{prefix}score {index} is nan; a point is predicted where score >= threshold, so give every point a number (inf is one)"
    )


def _check_lengths(real: Ranges, real_length: int | None, predicted: Ranges, predicted_length: int | None) -> None:
    if real_length is not None and predicted_length is not None:
        raise ValueError(
            f"real has {real_length} labels and predicted has {predicted_length}; "
            "both sides describe the same points, so give the same number"
        )
    sides = (("predicted", predicted, "real", real_length), ("real", real, "predicted", predicted_length))
    for name, ranges, labelled, length in sides:
        if length is not None and len(ranges) and ranges.stops[-1] > length:
            raise ValueError(f"{name} has a range that stops at {ranges.stops[-1]}, but {labelled} has only {length} labels")
