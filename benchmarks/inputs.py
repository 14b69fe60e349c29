"""Labels to score: the same for everyone who is measured, from a seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

POINTS_A_RANGE = 200


def labels(points: int, ranges: int, *, seed: int) -> NDArray[np.uint8]:
    """0/1 labels with ``ranges`` ranges that do not touch, each somewhere in its equal share of the points and up to half of it long."""
    draw = np.random.default_rng(seed)
    share = points // ranges
    lengths = draw.integers(1, share // 2 + 1, size=ranges)
    starts = np.arange(ranges) * share + draw.integers(0, share - lengths)
    edges = np.zeros(points, dtype=np.int8)
    edges[starts] = 1
    edges[starts + lengths] = -1
    return np.cumsum(edges, dtype=np.int8).view(np.uint8)


def both_sides(points: int, ranges: int | None = None) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Real and predicted labels; without ``ranges``, one range to every 200 points per side."""
    count = points // POINTS_A_RANGE if ranges is None else ranges
    return labels(points, count, seed=1), labels(points, count, seed=2)


def scores_for(predicted: NDArray[np.uint8]) -> NDArray[np.float64]:
    """A score in 0..1 for each point, all different; the predicted labels are one of their thresholds."""
    scores = np.random.default_rng(3).random(len(predicted))
    scores += predicted
    scores /= 2.0
    return scores
