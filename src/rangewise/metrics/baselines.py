"""Detectors that know nothing, as a yardstick: random, all ones, constant. A number means little without what they get."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import whole
from rangewise.inputs.ranges import Ranges

DRAWS = 10
_MOST_POINTS = 100_000_000


def random_like(predicted: Ranges, length: int, seed: int = 0) -> Ranges:
    """As many points as a detector predicts, but anywhere in a series of ``length`` points.

    >>> random_like(Ranges([(2, 4), (7, 8)]), 10).lengths.sum()
    np.int64(3)
    """
    points = whole("length", length, least=0)
    count = int(predicted.lengths.sum())
    if count > points:
        raise ValueError(f"length is the number of points of the series; got {points}, but {count} points are predicted")
    if points > _MOST_POINTS:
        raise ValueError(f"a random baseline is drawn for at most {_MOST_POINTS:,} points; got {points:,}")
    labels = np.zeros(points, dtype=np.int8)
    labels[np.random.default_rng(seed).choice(points, count, replace=False)] = 1
    return Ranges.from_labels(labels)


def shuffled(scores: NDArray[np.float64], seed: int = 0) -> NDArray[np.float64]:
    """A detector's scores at random places: it marks as many points at every threshold, and knows nothing.

    >>> sorted(shuffled(np.array([0.1, 0.5, 0.9])).tolist())
    [0.1, 0.5, 0.9]
    """
    return np.random.default_rng(seed).permutation(scores)


def all_ones(length: int) -> Ranges:
    """Every point of a series.

    >>> all_ones(5)
    Ranges([(0, 5)])
    """
    return Ranges([(0, length)] if length else [])
