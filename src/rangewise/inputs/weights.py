"""Weights of the real ranges, in chronological order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.clocks import read_times
from rangewise.inputs.ranges import Ranges, RangesLike, array_of

_LARGEST_SUM = 1e300
"""The largest sum of weights, far from overflow."""


def read_weights(given: Any, real: RangesLike, ranges: Ranges) -> NDArray[np.float64]:
    """The weight of each real range in chronological order, whatever the order of the input."""
    weights = checked_weights(given, real)
    order = _order(real, len(weights))
    if len(weights) != len(ranges) or len(order) != len(weights):
        joined = " (ranges that share a row or a tick are joined and have one weight)" if len(order) == len(weights) else ""
        raise ValueError(f"there are {len(ranges)} real ranges but {len(weights)} weights; give one per range{joined}")
    return weights[order]


def checked_weights(given: Any, real: RangesLike) -> NDArray[np.float64]:
    """Weights as numbers, or from a column of the real table, in the given order."""
    if isinstance(given, str):
        given = _column(given, real)
    weights = array_of(given, "weights")
    if weights.dtype.kind not in "iuf" or weights.ndim != 1:
        raise TypeError(f"weights must be numbers, one per real range; got shape {weights.shape} of {weights.dtype}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(f"weights: weight {bad[0]} is {weights[bad[0]]}; weights must be finite and 0 or more")
    with np.errstate(over="ignore"):
        total = float(weights.sum(dtype=np.float64))
    if total > _LARGEST_SUM:
        raise ValueError(
            f"weights add up to {total:g}, above the limit of {_LARGEST_SUM:g}; only their ratios matter, so divide all of them"
        )
    if len(weights) and not weights.any():
        raise ValueError("all weights are 0; at least one must be above 0")
    return weights.astype(np.float64)


def _column(name: str, real: Any) -> Any:
    import narwhals.stable.v2 as nw

    table = nw.from_native(real, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame) or name not in table.columns:
        has = f"; it has {', '.join(table.columns)}" if isinstance(table, nw.DataFrame) else ", which is not a table"
        raise ValueError(f"weights={name!r} is not a column of the real side{has}")
    return table[name].to_native()


def _order(real: Any, count: int) -> NDArray[np.int64]:
    """The positions of the given ranges in chronological order."""
    if isinstance(real, Ranges):
        return np.arange(len(real))
    if isinstance(real, (list, tuple)):
        if not real or np.ndim(real[0]) == 0:
            return np.arange(count)  # labels
        rows = isinstance(real[0][0], (int, np.integer))
        pairs = None if rows else read_times(real, "real")
    else:
        pairs = read_times(real, "real")
    if pairs is not None:
        return np.argsort(pairs.starts, kind="stable")
    array = array_of(real, "real")
    return np.argsort(array[:, 0], kind="stable") if array.ndim == 2 else np.arange(count)
