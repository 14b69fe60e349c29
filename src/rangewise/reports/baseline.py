"""Random scores that mark as many points as a detector: what chance alone would score."""

from __future__ import annotations

import math

import numpy as np

from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel

SEEDS = 20
MOST_POINTS = 4_000_000
"""So many points are drawn at most, over all seeds."""


def random_ranges(points: int, marked: int, seed: int) -> Ranges:
    """The points whose hash falls below the share ``marked / points``: about as many, in no order. ``kernel.js`` draws the same."""
    below = math.floor(marked / points * 2**32) if points else 0
    salt = (seed + 1) * 0x85EBCA6B & 0xFFFFFFFF
    hashed = np.arange(points, dtype=np.uint32) * np.uint32(0x9E3779B1) + np.uint32(salt)
    hashed = (hashed ^ (hashed >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    hashed = (hashed ^ (hashed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return Ranges.from_labels((hashed ^ (hashed >> np.uint32(16))) < below)


def baseline_f(model: RangeModel, real: Ranges, points: int, marked: int) -> float:
    """The mean F of random scores that mark about ``marked`` of ``points``.

    The share matters: a few marked points score near 0 by chance, all of them may score well.

    >>> real = Ranges([(100, 200)])
    >>> low, high = (baseline_f(RangeModel(), real, 1_000, marked) for marked in (10, 1_000))
    >>> low < high
    True
    """
    seeds = max(1, min(SEEDS, MOST_POINTS // max(points, 1)))
    total = 0.0
    for seed in range(seeds):
        total += model.score(real, random_ranges(points, marked, seed)).f
    return total / seeds
