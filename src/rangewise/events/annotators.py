"""Several annotators of the same series: their agreement, and how a detector compares with them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import shown, whole
from rangewise.inputs.case import common_length
from rangewise.inputs.clocks import Clock, ClockedRanges, RowClock, on_one_clock, span_of
from rangewise.inputs.instants import time_text
from rangewise.inputs.ranges import NO_RANGES, Ranges, RangesLike, read_side, trusted_ranges
from rangewise.model.model import RangeModel
from rangewise.model.result import Score

Consensus = Literal["majority", "any", "all"] | int
_CONSENSUS = ("majority", "any", "all")


@dataclass(frozen=True)
class Agreement:
    """``alpha`` is Krippendorff's alpha over time, ``pairs`` the F of each pair of annotators (first as real, second as predicted)."""

    alpha: float
    pairs: Mapping[tuple[str, str], float]

    @property
    def mean_f(self) -> float:
        """The mean of F over all pairs; nan for a single annotator."""
        return math.fsum(self.pairs.values()) / len(self.pairs) if self.pairs else math.nan

    def __str__(self) -> str:
        width = max((len(f"{one} and {other}") for one, other in self.pairs), default=0)
        lines = [f"Krippendorff's alpha {self.alpha:.4f}   mean F of pairs {self.mean_f:.4f}"]
        return "\n".join([*lines, *(f"  {f'{one} and {other}':{width}}  {f:.4f}" for (one, other), f in self.pairs.items())])


@dataclass(frozen=True)
class AnnotatorScores:
    """A detector against each annotator, and against their consensus."""

    each: Mapping[str, Score]
    consensus: Score

    def __str__(self) -> str:
        width = max(len(name) for name in (*self.each, "consensus"))
        rows = [*self.each.items(), ("consensus", self.consensus)]
        return "\n".join(f"{name:{width}}  precision {one.precision:.4f}   recall {one.recall:.4f}   F {one.f:.4f}" for name, one in rows)


@dataclass(frozen=True)
class HumanComparison:
    """F of each annotator left out and of the detector, against the consensus of the others; one entry per recording and annotator.

    ``p`` is that of the exact two-sided signed-rank test; ``min_p`` is the smallest possible p with this number of pairs.
    """

    annotators: tuple[str, ...]
    human: tuple[float, ...]
    detector: tuple[float, ...]
    p: float
    min_p: float

    @property
    def difference(self) -> float:
        """The mean of F of the detector minus F of the annotator left out."""
        return math.fsum(self.detector) / len(self.detector) - math.fsum(self.human) / len(self.human)

    def __str__(self) -> str:
        words = "better than" if self.difference > 0 else "worse than" if self.difference < 0 else "equal to"
        sentence = f"on average the detector's F is {abs(self.difference):.4f} {words} that of the annotator left out"
        if words == "equal to":
            sentence = "on average the detector's F equals that of the annotator left out"
        few = f"; with {len(self.human)} comparisons p cannot be below {self.min_p:.3g}" if self.min_p > 0.05 else ""
        return f"{sentence} (exact signed-rank test: p = {self.p:.3g}{few})"


def consensus_ranges(annotators: Mapping[str, RangesLike], consensus: Consensus = "majority") -> Ranges:
    """The ranges on which enough annotators agree: ``"majority"`` (more than half of them), ``"any"``, ``"all"``, or a minimum number.

    With a single annotator, the result is their ranges.

    >>> consensus_ranges({"ann": [(0, 10)], "bob": [(5, 15)], "eve": [(8, 9)]})
    Ranges([(5, 10)])
    """
    sides, _ = _read(annotators)
    return _consensus(list(sides.values()), consensus)


def agreement(
    annotators: Mapping[str, RangesLike], *, length: int | None = None, span: Any = None, model: RangeModel | None = None
) -> Agreement:
    r"""Krippendorff's alpha over time, and F of every pair of annotators.

    .. math:: \alpha = 1 - (n - 1) \frac{\sum_u k_u (m - k_u) / (m - 1)}{n_0 \, n_1}

    with m annotators, :math:`k_u` of whom annotate the unit of time u, :math:`n_1 = \sum k_u`, :math:`n = n_0 + n_1`. 1 is perfect
    agreement, 0 is chance, below 0 is worse than chance; nan if all annotate nothing or everything, or if there is one annotator. Units
    are rows, or nanoseconds for ranges of times.

    :param annotators: ``{name: ranges}``, in any form of a side.
    :param length: the number of rows, unless labels are given; ``span`` for times is ``(first, last)``.

    >>> agreed = agreement({"ann": [0, 1, 1, 0, 0, 0], "bob": [0, 1, 1, 1, 0, 0]})
    >>> round(agreed.alpha, 4), agreed.pairs
    (0.6857, {('ann', 'bob'): 0.8})

    Krippendorff (2011), for two values without missing ones.
    """
    sides, labeled = _read(annotators)
    if length is not None and labeled is not None and length != labeled:
        raise ValueError(f"length is {length}, but there are {labeled} labels; leave length out with labels")
    total = _total(sides, labeled if length is None else length, span)
    chosen = model or RangeModel()
    pairs = {(one, other): chosen.score(sides[one], sides[other]).f for one, other in combinations(sides, 2)}
    return Agreement(_alpha(list(sides.values()), total), pairs)


def score_annotators(
    annotators: Mapping[str, RangesLike], predicted: RangesLike, *, model: RangeModel | None = None, consensus: Consensus = "majority"
) -> AnnotatorScores:
    """Score a prediction against each annotator and against their consensus (:func:`consensus_ranges`).

    >>> scores = score_annotators({"ann": [(0, 10)], "bob": [(0, 20)], "eve": [(0, 10)]}, [(0, 10)])
    >>> scores.each["bob"].recall, scores.consensus.recall
    (0.5, 1.0)
    """
    sides, length = _read(annotators)
    chosen = model or RangeModel()
    _check_length(length, sides, predicted)
    each = {name: chosen.score(ranges, predicted) for name, ranges in sides.items()}
    return AnnotatorScores(each, chosen.score(_consensus(list(sides.values()), consensus), predicted))


def compare_with_annotators(
    annotators: Mapping[str, RangesLike] | Sequence[Mapping[str, RangesLike]],
    predicted: Any,
    *,
    model: RangeModel | None = None,
    consensus: Consensus = "majority",
) -> HumanComparison:
    """Test whether a detector is as good as an annotator: both are scored against the consensus of the others, leaving each out in turn.

    :param annotators: ``{name: ranges}`` with at least two annotators; or a list of them, one per recording, with a list ``predicted``.

    >>> people = {"ann": [(0, 10)], "bob": [(1, 10)], "eve": [(0, 9)]}
    >>> compared = compare_with_annotators(people, [(0, 10)], consensus="any")
    >>> [round(f, 3) for f in compared.human], [round(f, 3) for f in compared.detector], compared.p
    ([1.0, 0.947, 0.947], [1.0, 1.0, 1.0], 0.5)
    """
    from rangewise.bench.statistics.pairs import min_possible_p, signed_rank

    if isinstance(annotators, Mapping):
        annotators, predicted = [annotators], [predicted]
    elif not isinstance(predicted, Sequence) or len(annotators) != len(predicted):
        raise ValueError("annotators is a list with one entry per recording, so predicted must be a list of the same length")
    chosen = model or RangeModel()
    names, human, detector = [], [], []
    for people, detected in zip(annotators, predicted, strict=True):
        sides, length = _read(people)
        if len(sides) < 2:
            raise ValueError(f"leaving out an annotator needs at least two; got {len(sides)}")
        _check_length(length, sides, detected)
        for name, ranges in sides.items():
            rest = _consensus([each for other, each in sides.items() if other != name], consensus)
            names.append(name)
            human.append(chosen.score(rest, ranges).f)
            detector.append(chosen.score(rest, detected).f)
    differences = np.array(detector) - np.array(human)
    p = signed_rank(differences)
    return HumanComparison(tuple(names), tuple(human), tuple(detector), p, min_possible_p(len(differences)))


def _read(annotators: Mapping[str, RangesLike]) -> tuple[dict[str, Ranges], int | None]:
    """The ranges of all annotators on one clock, and the number of rows if labels are given."""
    if not isinstance(annotators, Mapping):
        raise TypeError(f"annotators must be {{name: ranges}}; got {shown(annotators)}")
    if not annotators:
        raise ValueError("there are no annotators; give {name: ranges} with at least one")
    read = {str(name): read_side(given, f"annotator {name}") for name, given in annotators.items()}
    lengths = {name: length for name, (_, length) in read.items() if length is not None}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"annotators have different numbers of labels: {', '.join(f'{name} {count}' for name, count in lengths.items())}")
    sides = on_one_clock({name: ranges for name, (ranges, _) in read.items()})
    by_name = dict(zip(read, sides, strict=True))
    timed = [name for name, side in by_name.items() if isinstance(side.clock, Clock)]
    rows = [name for name, side in by_name.items() if side.clock is None and (len(side) or name in lengths)]
    if timed and rows:
        raise ValueError(f"annotator {timed[0]} is in times, but {rows[0]} is in rows; give all as times, or all as rows")
    return by_name, next(iter(lengths.values()), None)


def _check_length(length: int | None, sides: Mapping[str, Ranges], predicted: RangesLike) -> None:
    """Labels of annotators and a prediction are of the same points, as for :func:`rangewise.score`."""
    if length is not None:
        ranges, own = read_side(predicted, "predicted")
        common_length((f"annotator {next(iter(sides))}", "predicted"), (NO_RANGES, ranges), (length, own), None)


def _levels(sides: Sequence[Ranges]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The borders of all ranges, and the number of annotators between adjacent borders."""
    starts = np.concatenate([np.asarray(side.starts) for side in sides])
    stops = np.concatenate([np.asarray(side.stops) for side in sides])
    borders, places = np.unique(np.concatenate([starts, stops]), return_inverse=True)
    steps = np.zeros(len(borders), dtype=np.int64)
    np.add.at(steps, places[: len(starts)], 1)
    np.add.at(steps, places[len(starts) :], -1)
    return borders, np.cumsum(steps)


def _consensus(sides: Sequence[Ranges], consensus: Consensus) -> Ranges:
    least = _least(consensus, len(sides))
    if len(sides) == 1:
        return sides[0]
    borders, levels = _levels(sides)
    if not len(borders):
        return sides[0]
    enough = np.concatenate([[False], levels >= least]).astype(np.int8)
    edges = np.diff(enough)
    agreed = np.column_stack([borders[edges > 0], borders[edges < 0]])
    clock = next((side.clock for side in sides if side.clock is not None), None)
    return ClockedRanges(agreed, clock) if clock is not None else trusted_ranges(np.ascontiguousarray(agreed))


def _least(consensus: Consensus, annotators: int) -> int:
    if isinstance(consensus, str):
        if consensus not in _CONSENSUS:
            raise ValueError(
                f"consensus must be one of {', '.join(_CONSENSUS)}, or the number of annotators who must agree; got {consensus!r}"
            )
        return {"majority": annotators // 2 + 1, "any": 1, "all": annotators}[consensus]
    return whole("consensus", consensus, least=1, most=annotators)


def _total(annotators: Mapping[str, Ranges], length: int | None, span: Any) -> int:
    """The number of units."""
    sides = list(annotators.values())
    clock = next((side.clock for side in sides if side.clock is not None), None)
    if isinstance(clock, Clock):
        if length is not None:
            raise ValueError("length= counts rows, but these ranges are times; give the start and end of the recording with span=")
        if span is None:
            raise ValueError("agreement over time needs the length of the recording: give span=(first, last)")
        first, last, _ = span_of(span, *sides)
        for name, side in annotators.items():
            if not isinstance(side, ClockedRanges) or not len(side):
                continue
            for row in (0, -1):
                ends = side.start_times[row], side.stop_times[row]
                if int(ends[0].view(np.int64)) < first or int(ends[1].view(np.int64)) > last:
                    raise ValueError(f"annotator {name}: {time_text(ends[0])} to {time_text(ends[1])} is outside span=; check the span")
        return (last - first) // clock.tick
    if span is not None and any(len(side) for side in sides):
        raise ValueError("span= is for ranges of times; these are rows, so give length=")
    if length is None and isinstance(clock, RowClock):
        return len(clock.index)
    if span is not None:
        return 0  # without any annotation, agreement is undefined
    if length is None:
        raise ValueError("length is missing: agreement includes rows without annotations, so give the number of rows")
    total = whole("length", length, least=0)
    last_row = max((int(side.stops[-1]) for side in sides if len(side)), default=0)
    if total < last_row:
        raise ValueError(f"length is {total}, but a range stops at {last_row}")
    return total


def _alpha(sides: Sequence[Ranges], total: int) -> float:
    annotators = len(sides)
    borders, levels = _levels(sides)
    lengths = np.diff(borders).tolist()
    # Python's integers do not overflow: units may be nanoseconds.
    units: list[tuple[int, int]] = list(zip(lengths, levels[:-1].tolist(), strict=True))
    marked = sum(length * level for length, level in units)
    unequal = sum(length * level * (annotators - level) for length, level in units)
    values = annotators * total
    if annotators < 2 or not marked or marked == values:
        return math.nan
    return 1.0 - (values - 1) * unequal / (annotators - 1) / ((values - marked) * marked)
