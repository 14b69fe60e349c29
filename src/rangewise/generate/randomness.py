"""Random numbers that depend on where they are used, not on the order of calls: the same for any number of workers.

A chunk of rows has its own stream, made from the seed and the chunk's number. Where a few single rows need a number (inside an anomaly,
in one beat of an ECG), it is a hash of the row, so that it is the same on both sides of a chunk border.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def stream(seed: int, *path: int) -> np.random.Generator:
    """The generator for one purpose: a seed and a path of whole numbers, such as (purpose, channel, chunk)."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=path)))


def hash_key(seed: int, *path: int) -> np.uint64:
    """A key for :func:`uniform_at` and :func:`normal_at`."""
    return np.uint64(np.random.SeedSequence(seed, spawn_key=path).generate_state(1, np.uint64)[0])


def uniform_at(key: np.uint64, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """A number in [0, 1) for each whole number, by the finalizer of SplitMix64 (Steele, Lea, Flood 2014)."""
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + key
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def normal_at(key: np.uint64, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """A standard normal number for each whole number (Box and Muller 1958)."""
    radius = np.sqrt(-2.0 * np.log1p(-uniform_at(key, 2 * numbers)))
    return radius * np.cos(2.0 * np.pi * uniform_at(key, 2 * numbers + 1))
