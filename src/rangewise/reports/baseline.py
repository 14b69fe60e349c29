"""Random predictions with as many points as a detector, as a baseline."""

from __future__ import annotations

import numpy as np

from rangewise.inputs.case import Case
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel

SEEDS = 20
MOST_POINTS = 4_000_000
"""The most points drawn over all seeds."""


def random_ranges(case: Case, count: int, seed: int) -> Ranges:
    """The ``count`` rows with the smallest hashes, without ignored rows. ``kernel.js`` draws the same."""
    assert case.length is not None
    rows = np.arange(case.length) if case.counted is None else case.counted
    labels = np.zeros(case.length, dtype=np.uint8)
    if count:
        salt = (seed + 1) * 0x85EBCA6B & 0xFFFFFFFF
        hashed = rows.astype(np.uint32) * np.uint32(0x9E3779B1) + np.uint32(salt)
        hashed = (hashed ^ (hashed >> np.uint32(16))) * np.uint32(0x85EBCA6B)
        hashed = (hashed ^ (hashed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
        hashed ^= hashed >> np.uint32(16)
        last = np.partition(hashed, count - 1)[count - 1]
        below = hashed < last
        ties = np.flatnonzero(hashed == last)[: count - int(below.sum())]
        below[ties] = True
        labels[rows[below]] = 1
    return Ranges.from_labels(labels)


def baseline_f(model: RangeModel, case: Case) -> float:
    """The mean F of random predictions of as many points as the case predicts, without ignored points.

    The number matters: a few random points score near 0, all points may score well.

    >>> low, high = (baseline_f(RangeModel(), Case.read([(100, 200)], [(0, count)], length=1_000)) for count in (10, 1_000))
    >>> low < high
    True
    """
    assert case.predicted is not None
    assert case.points is not None
    count = int(case.predicted.lengths.sum())
    seeds = max(1, min(SEEDS, MOST_POINTS // max(case.points, 1)))
    total = 0.0
    for seed in range(seeds):
        total += model.score(Ranges(case.real), random_ranges(case, count, seed)).f
    return total / seeds
