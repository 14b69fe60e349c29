"""Change points: F with a margin, and covering. The input is positions of changes, not ranges.

A change point is the first point of a new regime. van den Burg and Williams (2020) score them with several annotators; point 0, where
every series begins, counts as a known change.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.checks import whole
from rangewise.model.tally import checked_f

Changes: TypeAlias = "ArrayLike | Mapping[Any, ArrayLike]"
"""Positions of changes, or a mapping from annotators to theirs."""

_Places = NDArray[np.int64]


def change_point_fbeta(real: Changes, predicted: ArrayLike, *, margin: int = 5, length: int, beta: float = 1.0) -> float:
    r"""Weighted harmonic mean of precision and recall of changes, matched one to one within a margin.

    .. math:: Precision = \frac{M(\bigcup_a R_a, P)}{|P|}, \quad Recall = \frac{1}{A} \sum_a \frac{M(R_a, P)}{|R_a|}

    with M the size of a maximum matching of real and predicted changes at most ``margin`` points apart, A the number of annotators, and 0
    added to every set. ``real`` are the places of one annotator, or a mapping of several to theirs; ``length`` is the number of points.
    From 0 to 1, higher is better; never 0, because the beginning is always found.

    >>> change_point_fbeta([50, 80], [48, 70], margin=3, length=100)
    0.6666666666666666
    >>> change_point_fbeta({"ann": [50], "bob": [20, 51]}, [48], margin=3, length=100)
    0.9090909090909091

    van den Burg and Williams (2020), section 3.2. Their program matches greedily, so the order of a set can cost it a match.
    """
    points = whole("length", length, least=1)
    reach = whole("margin", margin, least=0)
    annotators, changes = _read_all(real, points), _with_start(_read(predicted, "predicted", points))
    everybody = np.unique(np.concatenate([_with_start(own) for own in annotators]))
    precision = _matched(everybody, changes, reach) / len(changes)
    recall = float(np.mean([_matched(_with_start(own), changes, reach) / (len(own) + (0 not in own)) for own in annotators]))
    return checked_f(precision, recall, beta)


def covering(real: Changes, predicted: ArrayLike, *, length: int) -> float:
    r"""How well the predicted segments cover the real ones, by their best overlap.

    .. math:: C = \frac{1}{n} \sum_{S \in G} |S| \max_{S' \in G'} \frac{|S \cap S'|}{|S \cup S'|}

    over the segments G between real changes and G' between predicted ones; the mean over annotators when there are several. From 0 to 1,
    higher is better, 1 when both sides have the same changes; ``length`` is the number of points, 1 or more.

    The real halves are covered by a segment of 60 points to 50/60, and by one of 40 to 40/50:

    >>> round(covering([50], [60], length=100), 4)
    0.8167

    van den Burg and Williams (2020), section 3.2.
    """
    points = whole("length", length, least=1)
    edges = _edges(_read(predicted, "predicted", points), points)
    return float(np.mean([_covered(_edges(own, points), edges, points) for own in _read_all(real, points)]))


def _covered(real: list[int], predicted: list[int], length: int) -> float:
    """Two pointers: only segments that overlap can win, and both lists are in order."""
    total, first = 0.0, 0
    segments = list(pairwise(predicted))
    for start, stop in pairwise(real):
        while segments[first][1] <= start:
            first += 1
        best, at = 0.0, first
        while at < len(segments) and segments[at][0] < stop:
            low, high = segments[at]
            best = max(best, (min(high, stop) - max(low, start)) / (max(high, stop) - min(low, start)))
            at += 1
        total += (stop - start) * best
    return total / length


def _matched(real: _Places, predicted: _Places, margin: int) -> int:
    """The largest number of pairs within the margin: from the left, each real change takes the earliest remaining prediction."""
    pairs = at = 0
    for place in real.tolist():
        while at < len(predicted) and predicted[at] < place - margin:
            at += 1
        if at < len(predicted) and predicted[at] <= place + margin:
            pairs += 1
            at += 1
    return pairs


def _edges(places: _Places, length: int) -> list[int]:
    return [*_with_start(places).tolist(), length]


def _with_start(places: _Places) -> _Places:
    return places if len(places) and places[0] == 0 else np.append(0, places)


def _read_all(real: Changes, length: int) -> list[_Places]:
    if not isinstance(real, Mapping):
        return [_read(real, "real", length)]
    if not real:
        raise ValueError("real has no annotator; give the places of at least one, an empty list for no change")
    return [_read(places, f"real of {name!r}", length) for name, places in real.items()]


def _read(given: ArrayLike, name: str, length: int) -> _Places:
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"{name}: changes are places, a list of whole numbers; got {given!r:.60}")
    places = np.unique(array.astype(np.int64))
    if len(places) != array.size:
        raise ValueError(f"{name}: a place is given twice; a change is named once")
    if len(places) and (places[0] < 0 or places[-1] >= length):
        odd = int(places[0] if places[0] < 0 else places[-1])
        raise ValueError(f"{name}: {odd} is no point of a series of {length}; places are 0..{length - 1}")
    return places
