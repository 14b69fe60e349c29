"""Case: one evaluation, read and checked once. All functions and commands that score read their input here.

Input is prepared in this order: read and check both sides; put them on one clock; close the gaps of the prediction; remove ignored
intervals; apply weights. Ignored rows do not contribute to any sum, count, threshold or rate. But they are not cut out of the series:
distances, buffers and tolerances are those of the whole series, and a range that is cut in the middle counts as two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import unknown_name, whole
from rangewise.inputs.clocks import Clock, ClockedRanges, Outside, RowClock, align, coarser, grid, on_rows, row_clock, span_of
from rangewise.inputs.instants import duration, read_row_times, time_text
from rangewise.inputs.ranges import NO_RANGES, Ranges, RangesLike, read_side
from rangewise.inputs.scored_ranges import ScoredRanges
from rangewise.inputs.scores import Missing, fill_missing, gap_points, read_threshold, refuse_missing, score_array
from rangewise.inputs.scores import close_gaps as close_score_gaps
from rangewise.inputs.weights import read_weights

if TYPE_CHECKING:
    from rangewise.inputs.ignored import Ignored  # loaded on request: few cases ignore anything

Names = tuple[str, str]
"""The names of the real side and the prediction in errors."""


class CaseOptions(TypedDict, total=False):
    """The input options of every scoring function; :meth:`Case.read` explains them."""

    times: Any
    resolution: Any
    step: Any
    span: Any
    outside: Outside
    ignore: RangesLike | None
    weights: Any
    close_gaps: Any
    length: int | None
    missing: Missing


CASE_OPTIONS = frozenset(CaseOptions.__annotations__)


class UndefinedHereError(ValueError):
    """A metric is not defined for this kind of input."""


class NeedsRowsError(UndefinedHereError):
    """Times were given to a metric that counts rows."""


class NeedsLengthError(UndefinedHereError):
    """A metric needs the number of points, which ranges do not contain."""


class IgnoreRefusedError(UndefinedHereError):
    """A metric cannot ignore intervals."""


class NeedsScoresError(UndefinedHereError):
    """A metric of scores got ranges, or a metric of predictions got scores without a threshold."""


@dataclass(frozen=True, eq=False)
class Case:
    """One evaluation: the real ranges, one prediction (ranges or scores), the length, the clock, the ignored intervals, the weights.

    ``real`` and ``predicted`` do not include ignored parts. ``scores`` has one entry per point of the series, including ignored points.
    :meth:`at` turns scores into a prediction. Every metric accepts a case instead of two sides.

    >>> import rangewise as rw
    >>> case = Case.read([(2, 6)], scores=[0.1, 0.2, 0.7, 0.9, 0.8, 0.3, 0.6, 0.1], ignore=[(4, 5)])
    >>> case.real, case.points
    (Ranges([(2, 4), (5, 6)]), 7)
    >>> rw.RangeModel().score(case.at(0.6)).recall
    0.5
    """

    real: Ranges
    predicted: Ranges | None
    scores: NDArray[Any] | None = None
    length: int | None = None
    """The number of points of the series, if known."""
    clipping: Ignored | None = None
    """The ignored intervals, and their effect on both sides."""
    weights: NDArray[np.float64] | None = None
    name: str = ""
    """Its name in results, tables and sentences."""
    threshold: Any = field(default=None, kw_only=True)
    """The threshold of :meth:`at`."""

    @classmethod
    def read(
        cls,
        real: RangesLike,
        predicted: RangesLike | None = None,
        *,
        scores: Any = None,
        times: Any = None,
        resolution: Any = None,
        step: Any = None,
        span: Any = None,
        outside: Outside = "error",
        ignore: RangesLike | None = None,
        weights: Any = None,
        close_gaps: Any = 0,
        length: int | None = None,
        missing: Missing = "error",
        name: str = "",
        called: Names | None = None,
    ) -> Case:
        """Read and check the input of one evaluation.

        :param real: the real ranges: 0/1 labels, pairs of rows or times, a table with two columns of times, or ``Ranges``.
        :param predicted: the predicted ranges, in the same forms. Give either ``predicted`` or ``scores``.
        :param scores: one score per point.
        :param times: the time of each row, to map sides in times to rows.
        :param resolution: a coarser clock if both sides are times, e.g. ``"1s"``; ranges are rounded outwards.
        :param step: maps two sides in times to a grid of rows, e.g. ``"1min"``, for metrics that count rows.
        :param span: ``(first, last)``, the evaluated period if both sides are times; by default from the first start to the last end.
        :param outside: how to treat a range in times that lies outside ``times``: ``"error"``, or ``"drop"`` with a warning.
        :param ignore: intervals to ignore, as ranges, times or labels.
        :param weights: one weight per real range, or the name of a column of the real table.
        :param close_gaps: join predicted ranges separated by gaps of at most this many rows, or this long, e.g. ``"5min"``.
        :param length: the number of points of the series, if the input is ranges.
        :param missing: how to treat nan scores: ``"error"``, ``"lowest"`` (replace by the lowest score) or ``"ignore"`` (ignore the row).
        :param name: the name of the case in results.
        :param called: the names of the two sides in errors.
        """
        if (predicted is None) == (scores is None):
            raise TypeError("a case has one prediction: give either predicted ranges or scores=")
        names = called or ("real", "predicted" if scores is None else "scores")
        other = predicted if scores is None else scores
        check_index(real, other, names)
        if scores is None:
            refuse_missing(missing)
            sides, points = _read_sides(real, predicted, names, times, resolution, step, span, outside, length)
            real_ranges, values, absent = sides[0], None, None
            predicted_ranges: Ranges | None = sides[1]
        else:
            for option, value in (("resolution", resolution), ("step", step), ("span", span)):
                if value is not None:
                    raise ValueError(
                        f"{option}= is for two sides in times, but {_scores_have(names)} one number per row; give times= instead"
                    )
            if isinstance(scores, ScoredRanges):
                raise TypeError(
                    f"{names[1]} are ranges with a confidence, but one score per point is needed; pass them to RangeModel.curve, "
                    "or convert them with to_scores(length)"
                )
            values, absent = fill_missing(score_array(scores, names[1]), missing, names[1])
            real_ranges, points, predicted_ranges = _beside_scores(real, len(values), names, times, outside, length), len(values), None
        weighed = None if weights is None else read_weights(weights, real, real_ranges)
        case = cls(real_ranges, predicted_ranges, values, points, None, weighed, name)
        clock = case.clock
        for name_of_side, side in zip(names, (real, other), strict=True):
            check_index(side, ignore, (name_of_side, "ignore"))
            if isinstance(clock, RowClock) and times is not None:
                _check_row_times(side, times, clock, name_of_side)
        gap = gap_points(close_gaps, clock)
        if gap and predicted_ranges is not None:
            case = replace(case, predicted=predicted_ranges.close_gaps(gap))
        elif gap:
            case = replace(case, scores=close_score_gaps(values, gap))
        return case if ignore is None and absent is None else case.ignoring(NO_RANGES if ignore is None else ignore, absent)

    def ignoring(self, given: RangesLike, absent: Ranges | None = None) -> Case:
        """This case, which ignores nothing yet, without the intervals ``given`` and the rows whose score is absent."""
        from rangewise.inputs.ignored import Ignored, check_label_count, inside, label_count, read_ignored, without

        like = self.real if self.predicted is None or self.real.clock is self.clock else self.predicted
        is_empty = self.length is None and self.clock is None and not len(self.real) and not len(self.predicted or ())
        ignored = read_ignored(given, None if is_empty else like)
        if self.length is not None and not isinstance(self.clock, Clock):
            check_label_count(label_count(given), self.length)
            ignored = inside(ignored, self.length)
        if absent is not None:
            ignored = Ranges.joined(np.concatenate([np.asarray(ignored), np.asarray(absent)])).merge_touching()
        real, source, real_clipping = without(self.real, ignored)
        kept, _, clipping = (None, None, None) if self.predicted is None else without(self.predicted, ignored)
        weights = None if self.weights is None else self.weights[source]
        return replace(self, real=real, predicted=kept, weights=weights, clipping=Ignored(ignored, real_clipping, clipping))

    @classmethod
    def of_labels(
        cls,
        real: RangesLike | Case,
        predicted: RangesLike | None,
        options: CaseOptions,
        what: str,
        *,
        weights: bool = False,
        ignore: str | None = None,
        adds_up: bool = False,
    ) -> Case:
        """Read the arguments of a metric of predictions: a case, or two sides and options. ``what`` is the metric's name in errors.

        Weights are refused unless the metric supports them. ``ignore`` says why the metric cannot ignore intervals. If every point is
        ignored, the case is refused unless the result ``adds_up``: then it contributes nothing to the sum.
        """
        if isinstance(real, Case):
            case = real.alone(what, predicted, options)
            if case.predicted is None:
                raise NeedsScoresError(f"{what} needs a prediction, but this case has scores; choose a threshold, e.g. case.at(0.5)")
        else:
            check_options(options)
            if predicted is None:
                raise TypeError(f"{what} takes the real and the predicted side, or a Case")
            case = cls.read(real, predicted, **options)
        return case._checked(what, weights, ignore, adds_up)

    @classmethod
    def of_scores(
        cls, real: RangesLike | Case, scores: Any, options: CaseOptions, what: str, *, ignore: str | None = None, adds_up: bool = False
    ) -> Case:
        """Read the arguments of a metric of scores: a case, or the real side, scores and options; see :meth:`of_labels`."""
        if isinstance(real, Case):
            case = real.alone(what, scores, options).with_scores(what)
        else:
            check_options(options)
            if scores is None:
                raise TypeError(f"{what} takes the real side and scores, or a Case")
            case = cls.read(real, scores=scores, **options)
        return case._checked(what, False, ignore, adds_up)

    def alone(self, what: str, other: Any, options: CaseOptions) -> Case:
        """This case, as the only argument of a metric."""
        if other is not None or options:
            check_options(options)
            raise TypeError(f"{what} of a case takes no second side and no input options; give them to Case.read")
        return self

    def _checked(self, what: str, weights: bool, ignore: str | None, adds_up: bool) -> Case:
        """This case, unless it has weights or ignored intervals that the metric does not support, or no points."""
        if not adds_up:
            self.with_points()
        if not weights:
            refuse_weights(self.weights, what)
        if ignore is not None and self.clipping is not None:
            raise IgnoreRefusedError(f"{what} cannot ignore intervals: {ignore}; leave ignore= out")
        return self

    def with_points(self) -> Case:
        """This case, unless all its points are ignored: then there is nothing to score."""
        if self.length and not self.points:
            raise ValueError(f"the ignored intervals cover all {self.length:,} points, so nothing is left to score")
        return self

    @property
    def clock(self) -> Clock | RowClock | None:
        """The mapping of rows or ticks to times; None for plain rows."""
        return self.real.clock if self.real.clock is not None or self.predicted is None else self.predicted.clock

    @property
    def ignored(self) -> Ranges:
        """The ignored intervals."""
        return NO_RANGES if self.clipping is None else self.clipping.intervals

    @property
    def points(self) -> int | None:
        """The number of points that are not ignored; None if the length is unknown."""
        return None if self.length is None else self.length - int(self.ignored.lengths.sum())

    @property
    def real_share(self) -> float:
        """The share of the points that are real; nan if there are none or their number is unknown."""
        return int(self.real.lengths.sum()) / self.points if self.points else math.nan

    @property
    def counted(self) -> NDArray[np.int64] | None:
        """The rows that are not ignored, ascending; None if no rows are ignored."""
        if not len(self.ignored):
            return None
        assert self.length is not None
        return np.flatnonzero(self.ignored.to_labels(self.length) == 0)

    @property
    def counted_scores(self) -> NDArray[Any]:
        """The scores of the rows that are not ignored."""
        assert self.scores is not None
        rows = self.counted
        return self.scores if rows is None else self.scores[rows]

    def kernel_scores(self) -> tuple[NDArray[Any], dict[str, Any]]:
        """The scores of the rows that are not ignored, and their positions, as arguments of the kernel's sweeps."""
        assert self.scores is not None
        rows = self.counted
        return (self.scores, {}) if rows is None else (self.scores[rows], {"rows": rows, "points": len(self.scores)})

    def at(self, threshold: Any) -> Case:
        """The same case with the prediction at a threshold: the rows where ``score >= threshold``, compared in the scores' own type."""
        if self.scores is None:
            raise ValueError("only a case of scores has thresholds; this one has predicted ranges")
        value = read_threshold(threshold, self.scores)
        predicted = Ranges.from_labels(self.scores >= value)
        clipping = self.clipping
        if clipping is not None:
            from rangewise.inputs.ignored import without

            predicted, _, clipped = without(predicted, clipping.intervals)
            clipping = replace(clipping, predicted=clipped)
        if isinstance(self.real, ClockedRanges):
            predicted = ClockedRanges(predicted, self.real.clock)
        return replace(self, predicted=predicted, clipping=clipping, threshold=threshold)

    def part(self, start: int, stop: int | None) -> Case:
        """The rows from ``start`` up to ``stop`` as a separate case.

        >>> Case.read([0, 1, 1, 0], [0, 0, 1, 1]).part(2, 4).real
        Ranges([(0, 1)])
        """
        from rangewise.inputs.ignored import without

        clock = self.clock
        if self.length is None or stop is None or isinstance(clock, Clock):
            raise NeedsRowsError("a part of a case is counted in rows, but the number of rows is unknown")
        outside = Ranges([(first, last) for first, last in ((0, start), (stop, max(stop, self.length))) if first < last])
        own = RowClock(clock.index[start:stop], clock.zoned) if isinstance(clock, RowClock) else None

        def moved(ranges: Ranges) -> tuple[Ranges, NDArray[np.int64]]:
            kept, source, _ = without(ranges, outside)
            pairs = np.asarray(kept) - start
            return (Ranges(pairs) if own is None else ClockedRanges(pairs, own, getattr(kept, "names", None))), source

        real, source = moved(self.real)
        return replace(
            self,
            real=real,
            predicted=None if self.predicted is None else moved(self.predicted)[0],
            scores=None if self.scores is None else self.scores[start:stop],
            length=stop - start,
            clipping=None if self.clipping is None else replace(self.clipping, intervals=moved(self.clipping.intervals)[0]),
            weights=None if self.weights is None else self.weights[source],
        )

    @property
    def alert_rate(self) -> float | None:
        """The share of points that are predicted anomalous, without ignored points; None if the length is unknown."""
        if self.predicted is None or not self.points:
            return None
        return int(self.predicted.lengths.sum()) / self.points

    def with_scores(self, what: str) -> Case:
        """This case, for a metric of scores; a prediction is used as scores of 0 and 1."""
        if self.scores is not None:
            return self
        assert self.predicted is not None
        if self.length is None or isinstance(self.clock, Clock):
            raise NeedsScoresError(f"{what} needs one score per point, but these are ranges; give scores, labels or length=")
        return replace(self, scores=self.predicted.to_labels(self.length))

    def sides(self) -> tuple[Ranges, Ranges]:
        """The real and the predicted ranges."""
        assert self.predicted is not None
        return self.real, self.predicted

    def rows(self, what: str) -> tuple[Ranges, Ranges]:
        """Both sides in rows; ``what`` counts rows, so times are an error."""
        if isinstance(self.clock, Clock):
            raise NeedsRowsError(f"{what} counts rows, but both sides are times: give a grid, e.g. step='1min'")
        return self.sides()

    def series(self, why: str) -> tuple[Ranges, Ranges, int]:
        """Both sides and the number of points of the series; ``why`` says what it is needed for."""
        real, predicted = self.rows(why.partition(" ")[0])
        if self.length is None:
            if len(real) or len(predicted):
                raise NeedsLengthError(f"length is missing: {why}; with ranges, give the number of points of the series as length=")
            return real, predicted, 0
        return real, predicted, self.length


def read_pair(real: RangesLike, predicted: RangesLike, *, bits: bool = False) -> tuple[Ranges, Ranges, int | None]:
    """Both sides without any option, and the number of points if labels were given: the fast path. ``bits`` as in :func:`read_side`."""
    check_index(real, predicted, ("real", "predicted"))
    real_ranges, real_length = read_side(real, "real", bits=bits)
    predicted_ranges, predicted_length = read_side(predicted, "predicted", bits=bits)
    if real_ranges.clock is not None or predicted_ranges.clock is not None:
        real_ranges, predicted_ranges = align(real_ranges, predicted_ranges, (real_length, predicted_length))
    if real_length == predicted_length:
        return real_ranges, predicted_ranges, real_length
    return (
        real_ranges,
        predicted_ranges,
        common_length(("real", "predicted"), (real_ranges, predicted_ranges), (real_length, predicted_length), None),
    )


def _read_sides(
    real: RangesLike, predicted: Any, names: Names, times: Any, resolution: Any, step: Any, span: Any, outside: Outside, length: int | None
) -> tuple[tuple[Ranges, Ranges], int | None]:
    """Both sides on one clock or on the same rows, and the number of points if known."""
    chosen = [option for option, value in (("times", times), ("resolution", resolution), ("step", step)) if value is not None]
    if len(chosen) > 1:
        raise ValueError(f"times= and step= map both sides to rows, resolution= to a clock; give one of {'= and '.join(chosen)}=")
    check_outside(outside, times, (names[0], real), (names[1], predicted))
    if times is not None:
        if span is not None:
            raise ValueError("span= is for two sides in times; with times=, use ignore= to leave rows out")
        clock = row_clock(times)
        sides = on_rows(real, clock, names[0], outside), on_rows(predicted, clock, names[1], outside)
        return sides, common_length((*names, "times"), sides, (None, None, len(clock.index)), length)
    (real_ranges, real_length), (predicted_ranges, predicted_length) = read_side(real, names[0]), read_side(predicted, names[1])
    if real_ranges.clock is not None or predicted_ranges.clock is not None:
        real_ranges, predicted_ranges = align(real_ranges, predicted_ranges, (real_length, predicted_length))
    if not isinstance(real_ranges.clock, Clock):
        # Two empty lists may be times; labels are always rows.
        are_rows = len(real_ranges) or len(predicted_ranges) or real_length or predicted_length
        for option, value in (("resolution", resolution), ("step", step), ("span", span)):
            if value is not None and are_rows:
                raise ValueError(f"{option}= is for sides in times, but these are rows")
            if value is not None and option != "span":
                duration(value, option)
        indexed = len(real_ranges.clock.index) if isinstance(real_ranges.clock, RowClock) else None
        sides = real_ranges, predicted_ranges
        return sides, common_length((*names, "times"), sides, (real_length, predicted_length, indexed), length)
    if length is not None:
        raise ValueError("length= is the number of points, but these sides are times; give span=(first, last), or step=")
    if resolution is not None:
        tick = duration(resolution, "resolution")
        if tick <= 0:
            raise ValueError(f"resolution must be a duration above 0; got {resolution!r}")
        real_ranges, predicted_ranges = align(coarser(real_ranges, tick), coarser(predicted_ranges, tick))
    if step is not None:
        # Ranges outside the span are dropped without a warning.
        clock = grid(step, span, real_ranges, predicted_ranges)
        return (on_rows(real_ranges, clock, names[0], None), on_rows(predicted_ranges, clock, names[1], None)), len(clock.index)
    if span is not None:
        return in_span(real_ranges, predicted_ranges, span)
    return (real_ranges, predicted_ranges), None


def in_span(real: Ranges, predicted: Ranges, span: Any) -> tuple[tuple[Ranges, Ranges], int]:
    """Both sides of one clock, cut to a span and counted from its start, and the number of its ticks."""
    first, last, zoned = span_of(span, real, predicted)
    own = real.clock if isinstance(real.clock, Clock) else Clock()
    clock = Clock(first, own.tick, zoned, own.elapsed)
    ticks = -((first - last) // clock.tick)
    cut = []
    for side in (real, predicted):
        assert isinstance(side, ClockedRanges)
        starts, stops = ((times.view(np.int64) - first) // clock.tick for times in (side.start_times, side.stop_times))
        starts, stops = np.maximum(starts, 0), np.minimum(stops, ticks)
        kept = starts < stops
        names = None if side.names is None else [name for name, keep in zip(side.names, kept.tolist(), strict=True) if keep]
        cut.append(ClockedRanges(np.column_stack([starts, stops])[kept], clock, names))
    return (cut[0], cut[1]), ticks


def check_outside(outside: Outside, times: Any, *sides: tuple[str, Any]) -> None:
    """Refuse ``outside`` where it has no effect: it decides about ranges in times that lie outside ``times``."""
    if outside == "error":
        return
    if outside not in get_args(Outside):
        raise unknown_name("outside", str(outside), get_args(Outside))
    if times is None:
        raise ValueError(f"outside={outside!r} is for ranges outside times=, which is not given; leave it out")
    if not any(may_have_times(side, name) for name, side in sides):
        raise ValueError(f"outside={outside!r} is for ranges outside times=, but no side is in times; leave it out")


def may_have_times(side: Any, name: str) -> bool:
    """Whether a side is in times. An empty list or table of ranges may be; labels are rows."""
    ranges, points = read_side(side, name)
    return isinstance(ranges.clock, Clock) or not (len(ranges) or points)


def _beside_scores(real: RangesLike, points: int, names: Names, times: Any, outside: Outside, length: int | None) -> Ranges:
    """The real ranges in the rows of the scores."""
    check_outside(outside, times, (names[0], real))
    there = "there are" if names[1] == "scores" else f"{names[1]} has"
    if times is not None:
        clock = row_clock(times)
        if len(clock.index) != points:
            raise ValueError(f"times has {len(clock.index)} times, but {there} {points} scores; give one time per score")
        ranges = on_rows(real, clock, names[0], outside)
        labels = None
    else:
        ranges, labels = read_side(real, names[0])
        if isinstance(ranges.clock, Clock):
            raise ValueError(f"{names[0]} is in times, but {_scores_have(names)} one number per row; give the time of each row with times=")
    if labels is not None and labels != points:
        raise ValueError(f"{names[0]} has {labels} labels, but {there} {points} scores; give one score per label")
    if len(ranges) and ranges.stops[-1] > points:
        raise ValueError(f"{names[0]} has a range that stops at {ranges.stops[-1]}, but {there} only {points} scores")
    if length is not None and whole("length", length, least=0) != points:
        raise ValueError(f"length is {length}, but {there} {points} scores; leave length out with scores")
    return ranges


def _scores_have(names: Names) -> str:
    return "scores are" if names[1] == "scores" else f"{names[1]} has"


def same_length(counts: Mapping[str, int | None], what: str = "labels", times: str = "times") -> int | None:
    """The number of points, on which all sides that know it must agree; None if none does. ``times`` is the name of the time index."""
    known = {name: count for name, count in counts.items() if count is not None}
    first, points = next(iter(known.items()), ("", None))
    for name, count in known.items():
        if count != points and name == times:
            raise ValueError(f"{first} has {points} {what}, but {name} has {count} times; give one time per point")
        if count != points:
            raise ValueError(
                f"{first} has {points} {what} and {name} has {count}; both sides describe the same points, so give the same number"
            )
    return points


def common_length(names: tuple[str, ...], sides: tuple[Ranges, Ranges], lengths: tuple[int | None, ...], given: int | None) -> int | None:
    """The number of points, on which labels, ``length`` and times (the third name) must agree; no range may go beyond it."""
    times = names[2] if len(names) > 2 else "times"
    known = {name: count for name, count in zip(names, lengths, strict=False) if count is not None}
    # An empty list may be labels or ranges, of a series of any length.
    if len(set(known.values())) > 1:
        known = {name: count for name, count in known.items() if count} or known
    points = same_length(known, times=times)
    if given is not None:
        length = whole("length", given, least=0)
        if points is not None and points and points != length:
            what = "times" if set(known) == {times} else "labels"
            raise ValueError(f"length is {length}, but there are {points} {what}; leave length out with {what}")
        points = length
    for name, side in zip(names, sides, strict=False):
        if points is not None and len(side) and side.stops[-1] > points:
            if given is not None:
                raise ValueError(f"length is {points}, but {name} has a range that stops at {side.stops[-1]}")
            other = next((other for other in known if other != name), name)
            what = "times" if other == times else "labels"
            raise ValueError(f"{name} has a range that stops at {side.stops[-1]}, but {other} has only {points} {what}")
    return points


def check_index(real: Any, other: Any, names: Names) -> None:
    """Refuse two pandas series with different indexes, because points are matched by position."""
    ours: Any = getattr(real, "index", None)
    theirs: Any = getattr(other, "index", None)
    if not (hasattr(ours, "equals") and hasattr(theirs, "equals")) or real.ndim != 1 or other.ndim != 1 or len(ours) != len(theirs):
        return
    if not ours.equals(theirs):
        first = next((where for where, (one, two) in enumerate(zip(ours, theirs, strict=True)) if one != two), 0)
        raise ValueError(
            f"{names[0]} and {names[1]} have different indexes, first at position {first}: {ours[first]} and {theirs[first]}; "
            "align them, or pass .to_numpy() of both to match by position"
        )


def _check_row_times(side: Any, times: Any, clock: RowClock, name: str) -> None:
    """Refuse a pandas series whose index differs from ``times``."""
    index: Any = getattr(side, "index", None)
    if not hasattr(index, "equals") or side.ndim != 1:
        return
    if getattr(index.dtype, "kind", "") not in "Mm":
        check_index(side, times, (name, "times"))
        return
    own = read_row_times(index, f"the index of {name}").nanoseconds
    differ = np.flatnonzero(own != clock.index.view(np.int64))
    if differ.size:
        first = int(differ[0])
        raise ValueError(
            f"the index of {name} and times differ, first at position {first}: {index[first]} and {time_text(clock.index[first])}; "
            f"give the times of its rows, or .to_numpy() of {name} to match by position"
        )


def refuse_weights(weights: Any, what: str) -> None:
    """Refuse weights that would be ignored."""
    if weights is not None:
        raise TypeError(
            f"{what} does not support weights=; leave it out (score, range_recall, range_fbeta and alert_summary weight real ranges)"
        )


def check_options(options: Any) -> None:
    """Refuse an unknown option, and suggest the nearest name."""
    for name in options:
        if name not in CASE_OPTIONS:
            raise TypeError(str(unknown_name("an option", name, sorted(CASE_OPTIONS))))


def split_options(options: dict[str, Any]) -> CaseOptions:
    """Remove and return the input options from the options of a function that also takes model options."""
    if CASE_OPTIONS.isdisjoint(options):
        return {}
    return {name: options.pop(name) for name in CASE_OPTIONS & options.keys()}  # type: ignore[return-value]
