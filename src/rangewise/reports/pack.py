"""Arrays as text inside the page: byte planes, deflated, in base64. ``assets/unpack.js`` reads them."""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.ranges import Ranges

Packed: TypeAlias = "dict[str, Any]"

MOST_RANKS = 65_536
"""Up to this many distinct scores, a rank takes two bytes and all scores are stored exactly."""
_MISSING = 65_535
_LEVELS = 65_534
_EXACT = 2**53


def packed(array: NDArray[Any]) -> Packed:
    """Little-endian numbers; all lowest bytes first, then the next, because that compresses better."""
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    planes = little.view(np.uint8).reshape(len(little), little.itemsize).T
    kind = f"{little.dtype.kind}{little.itemsize}"
    return {"kind": kind, "length": len(little), "data": b64encode(zlib.compress(planes.tobytes(), 6)).decode()}


def packed_ranges(ranges: Ranges) -> Packed:
    """Gaps and lengths in turn; as text if positions exceed what a double represents exactly."""
    bounds = np.asarray(ranges).ravel()
    if not len(bounds) or bounds[-1] < 2**32:
        return packed(np.diff(bounds, prepend=0).astype(np.uint32))
    return {"text": bounds.tolist() if bounds[-1] < _EXACT else [str(bound) for bound in bounds.tolist()]}


def packed_values(values: NDArray[np.float64]) -> Packed:
    """Values for drawing: 65,535 levels between the minimum and the maximum, more than any screen can show."""
    finite = np.isfinite(values)
    low, high = (float(values[finite].min()), float(values[finite].max())) if finite.any() else (0.0, 0.0)
    levels = np.full(len(values), _MISSING, dtype=np.uint16)
    # Halves, because the whole span may be beyond the largest double.
    span = high / 2 - low / 2
    with np.errstate(invalid="ignore"):
        share = (values[finite] / 2 - low / 2) / span if span else np.zeros(int(finite.sum()))
    levels[finite] = np.round(share * _LEVELS).astype(np.uint16)
    # Differences of neighbors are small in most series.
    return {"low": low, "high": high, "steps": packed(np.diff(levels, prepend=np.uint16(0)))}


def packed_scores(distinct: NDArray[Any], ranks: NDArray[np.uint32]) -> Packed:
    """The rank of each point, and a threshold for each distinct score: itself, or a float32 that separates it from the one below."""
    if len(distinct) <= MOST_RANKS:
        return {"ranks": packed(ranks.astype(np.uint16)), "thresholds": packed(distinct.astype(np.float64))}
    separators, exact = separated(distinct.astype(np.float64))
    bits = separators.view(np.uint32)
    # As unsigned integers that keep the order of the numbers; neighbors are near, so their differences are small.
    keys = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    columns = {"ranks": packed(ranks), "separators": packed(np.diff(keys, prepend=np.uint32(0)))}
    if exact.any():
        columns["exact_at"] = packed(np.diff(np.flatnonzero(exact), prepend=0).astype(np.uint32))
        columns["exact"] = packed(distinct[exact].astype(np.float64))
    return columns


def separated(distinct: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """For each distinct score the largest float32 at most as large, and where that does not lie above the score before."""
    with np.errstate(over="ignore"):
        narrow = distinct.astype(np.float32)
    above = narrow.astype(np.float64) > distinct
    narrow[above] = np.nextafter(narrow[above], np.float32(-np.inf))
    exact = np.zeros(len(distinct), dtype=np.bool_)
    exact[1:] = narrow[1:].astype(np.float64) <= distinct[:-1]
    # The first has none before it, but -inf is not a number that people type.
    exact[0] = bool(np.isinf(narrow[0]))
    return narrow, exact
