"""Frame-wise metrics: accuracy of points, and the mean point-wise F1 over classes.

As with segments, a background that does not occur is not an error: corpora are counted series by series.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from rangewise.classes.reading import NO_CLASS, ClassesLike, Names, names_of, read_both_runs
from rangewise.model.tally import share


def frame_accuracy(real: ClassesLike, predicted: ClassesLike, *, background: Names = None, zero_division: float = 0.0) -> float:
    r"""Share of the points whose class is right.

    .. math:: Accuracy = \frac{|\{i : r_i = p_i\}|}{n}

    With ``background``, one class or several, real background points are excluded; without it every point counts, as in action
    segmentation. From 0 to 1, higher is better; ``zero_division`` if no point remains.

    >>> frame_accuracy([*"--aab"], [*"-aabb"]), frame_accuracy([*"--aab"], [*"-aabb"], background="-")
    (0.6, 0.6666666666666666)
    """
    names, points = _joint(real, predicted)
    left_out = {*names_of(background, "background"), NO_CLASS}
    rows = [at for at, name in enumerate(names) if name not in left_out]
    return share(int(points.diagonal()[rows].sum()), int(points[rows].sum()), zero_division)


def macro_frame_f1(real: ClassesLike, predicted: ClassesLike, *, background: Names = None, zero_division: float = 0.0) -> float:
    r"""The mean over classes of F1 of points.

    .. math:: \frac{1}{|C|} \sum_{c \in C} \frac{2 TP_c}{2 TP_c + FP_c + FN_c}

    over the classes with real points, without ``background``; a class that is only predicted lowers the others, but is not averaged.
    From 0 to 1, higher is better; ``zero_division`` when there is no such class.

    >>> macro_frame_f1([*"aab"], [*"abb"])
    0.6666666666666666
    """
    names, points = _joint(real, predicted)
    left_out = {*names_of(background, "background"), NO_CLASS}
    real_points, predicted_points, right = points.sum(axis=1), points.sum(axis=0), points.diagonal()
    rows = [at for at, name in enumerate(names) if name not in left_out and real_points[at]]
    scores = [2 * int(right[at]) / int(real_points[at] + predicted_points[at]) for at in rows]
    return share(math.fsum(scores), len(scores), zero_division)


def _joint(real: ClassesLike, predicted: ClassesLike) -> tuple[list[Hashable], NDArray[np.int64]]:
    """The number of points of each pair of real and predicted class: a square matrix over all classes."""
    runs = read_both_runs(real, predicted)
    places = {name: place for place, name in enumerate(dict.fromkeys([*runs[0].names, *runs[1].names]))}
    cuts = np.union1d(runs[0].borders, runs[1].borders)
    codes = []
    for side in runs:
        of_run = np.array([places[name] for name in side.names], dtype=np.int64)[side.codes]
        codes.append(of_run[np.searchsorted(side.borders, cuts[:-1], side="right") - 1])
    points = np.zeros((len(places), len(places)), dtype=np.int64)
    np.add.at(points, (codes[0], codes[1]), np.diff(cuts))
    return list(places), points
