"""Metrics of action segmentation: segmental F1 at an overlap, and the edit score (Lea et al., 2017; Farha and Gall, 2019).

Segments are runs of one class. Background is removed after the runs are cut, so that two runs of one class around it stay separate. Both
are computed series by series, and a series may have no background, so a background that does not occur is not an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rangewise.checks import number_between
from rangewise.classes.reading import NO_CLASS, ClassesLike, Names, Runs, names_of, read_both_runs

if TYPE_CHECKING:
    from collections.abc import Hashable

_Segments = list[tuple["Hashable", int, int]]


@dataclass(frozen=True, slots=True)
class SegmentCounts:
    """Correct and wrong predicted segments, and missed real ones; counts add up over series."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def f1(self) -> float:
        """0 if no segment is correct; 1 if there are no segments at all."""
        whole = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / whole if whole else 1.0

    def __add__(self, other: SegmentCounts) -> SegmentCounts:
        if not isinstance(other, SegmentCounts):
            return NotImplemented
        return SegmentCounts(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)

    def __radd__(self, other: object) -> SegmentCounts:
        # sum() begins with 0.
        return self if other == 0 else NotImplemented


def segmental_f1(real: ClassesLike, predicted: ClassesLike, *, overlap: float = 0.1, background: Names = None) -> float:
    r"""F1 of segments; a segment is correct if it overlaps a real segment of its class by at least ``overlap``: 0.1 for F1@10.

    .. math:: F1 = \frac{2 TP}{2 TP + FP + FN}, \qquad \frac{|P_j \cap R_i|}{|P_j \cup R_i|} \ge overlap

    Each predicted segment, in order, is compared with the real segment of its class that it overlaps the most, the first on ties. It is
    correct if that overlap suffices and no earlier segment matched the same one. Real and predicted have one class per point;
    ``background`` is one class or several. From 0 to 1, higher is better; 1 when neither side has a segment.

    >>> real = ["pour"] * 5 + ["stir"] * 5
    >>> segmental_f1(real, ["pour"] * 7 + ["stir"] * 3, overlap=0.5), segmental_f1(real, ["pour"] * 7 + ["stir"] * 3, overlap=0.7)
    (1.0, 0.5)

    Over several series, counts are added before F1 is taken: :func:`segment_counts`. Lea et al. (2017), section 4.1.
    """
    return segment_counts(real, predicted, overlap=overlap, background=background).f1


def segment_counts(real: ClassesLike, predicted: ClassesLike, *, overlap: float = 0.1, background: Names = None) -> SegmentCounts:
    """The counts of :func:`segmental_f1`, which add up over series.

    >>> one, other = segment_counts("aabb", "aabb"), segment_counts("aabb", "abbb", overlap=0.9)
    Traceback (most recent call last):
    TypeError: real is 'aabb'; expected one class per point, a table start, stop, class, or {class: ranges}
    >>> one, other = segment_counts([*"aabb"], [*"aabb"]), segment_counts([*"aabb"], [*"abbb"], overlap=0.6)
    >>> other, (one + other).f1
    (SegmentCounts(right=1, wrong=1, missed=1), 0.75)
    """
    least = number_between("overlap", overlap, 0.0, 1.0, "is a share of two segments together")
    if least == 0.0:
        raise ValueError("overlap must be above 0, or every segment of a class would be correct; got 0")
    of_real, of_predicted = _both_segments(real, predicted, background)
    by_class: dict[Hashable, list[tuple[int, int, int]]] = {}
    for place, (name, start, stop) in enumerate(of_real):
        by_class.setdefault(name, []).append((place, start, stop))
    taken, first = set(), dict.fromkeys(by_class, 0)
    for name, start, stop in of_predicted:
        own = by_class.get(name, [])
        at = first.get(name, 0)
        while at < len(own) and own[at][2] <= start:
            at += 1
        # Predicted segments are in order: real ones that end before this one begins are not needed later.
        if name in first:
            first[name] = at
        best, best_place = 0.0, -1
        while at < len(own) and own[at][1] < stop:
            place, low, high = own[at]
            share = (min(high, stop) - max(low, start)) / (max(high, stop) - min(low, start))
            if share > best:
                best, best_place = share, place
            at += 1
        if best >= least and best_place not in taken:
            taken.add(best_place)
    return SegmentCounts(len(taken), len(of_predicted) - len(taken), len(of_real) - len(taken))


def edit_score(real: ClassesLike, predicted: ClassesLike, *, background: Names = None) -> float:
    r"""Similarity of the order of the segments, regardless of their lengths.

    .. math:: Edit = 1 - \frac{Levenshtein(c(R), c(P))}{\max(|R|, |P|)}

    over the classes of the segments in order. Sides have one class per point; ``background`` is one class or several. From 0 to 1, higher
    is better; papers print it in percent. 1 when neither side has a segment.

    >>> edit_score([*"aaabbbccc"], [*"abbbbbbcc"]), edit_score([*"aaabbbccc"], [*"aabbabbcc"])
    (1.0, 0.6)

    Lea et al. (2016); over several series papers report the mean.
    """
    of_real, of_predicted = _both_segments(real, predicted, background)
    longest = max(len(of_real), len(of_predicted))
    if not longest:
        return 1.0
    places: dict[Hashable, int] = {}
    strings = [np.array([places.setdefault(name, len(places)) for name, _, _ in side], dtype=np.int64) for side in (of_real, of_predicted)]
    return 1.0 - _levenshtein(*strings) / longest


def _levenshtein(one: np.ndarray, other: np.ndarray) -> int:
    """Row by row; within a row insertions run from left to right, which a running minimum does at once."""
    places = np.arange(len(other) + 1)
    row = places
    for at, symbol in enumerate(one.tolist(), start=1):
        changed = np.minimum(row[:-1] + (other != symbol), row[1:] + 1)
        row = np.minimum.accumulate(np.concatenate(([at], changed)) - places) + places
    return int(row[-1])


def _both_segments(real: ClassesLike, predicted: ClassesLike, background: Names) -> tuple[_Segments, _Segments]:
    left_out = {*names_of(background, "background"), NO_CLASS}
    runs = read_both_runs(real, predicted)
    return _segments(runs[0], left_out), _segments(runs[1], left_out)


def _segments(runs: Runs, left_out: set[Hashable]) -> _Segments:
    borders = runs.borders.tolist()
    named = [runs.names[code] for code in runs.codes.tolist()]
    return [(name, borders[at], borders[at + 1]) for at, name in enumerate(named) if name not in left_out]
