"""Ties of numbers that are equal up to rounding: equal decimals and means are rarely the same floats."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

RELATIVE = 1e-9
"""Numbers are equal if they differ by at most this share of the largest one."""


def settled(values: ArrayLike, scale: float | NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Make values equal that are equal up to rounding, along the last axis; nan stays.

    Sorted neighbors at most 1e-9 of ``scale`` apart, by default the largest finite size, become the smaller one.

    >>> settled([0.1 + 0.2, 0.3, 0.4]).tolist()
    [0.3, 0.3, 0.4]
    """
    given = np.asarray(values, dtype=np.float64)
    if scale is None:
        scale = np.abs(np.where(np.isfinite(given), given, 0.0)).max(axis=-1, keepdims=True, initial=0.0)
    order = np.argsort(given, axis=-1, kind="stable")
    ordered = np.take_along_axis(given, order, axis=-1)
    with np.errstate(invalid="ignore"):
        apart = np.diff(ordered, axis=-1) > RELATIVE * np.asarray(scale)
    # nan and inf equal only themselves; their differences are nan.
    apart |= ~np.isfinite(ordered[..., 1:]) | ~np.isfinite(ordered[..., :-1])
    first = np.ones(given.shape, dtype=bool)
    first[..., 1:] = apart
    places = np.maximum.accumulate(np.where(first, np.arange(given.shape[-1]), 0), axis=-1)
    tied = np.empty_like(given)
    np.put_along_axis(tied, order, np.take_along_axis(ordered, places, axis=-1), axis=-1)
    return tied
