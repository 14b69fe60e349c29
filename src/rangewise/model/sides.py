"""What a model scores, once every option about the sides is heeded: times, a coarser clock, zones that do not count, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.case import read_timed
from rangewise.inputs.ignored import Ignored, read_zones, without
from rangewise.inputs.ranges import Ranges, RangesLike, array_of


@dataclass(frozen=True, eq=False)
class Sides:
    """Both sides, the weight of each real range where they have one, and what was ignored."""

    real: Ranges
    predicted: Ranges
    weights: NDArray[np.float64] | None = None
    ignored: Ignored | None = None


def prepared_sides(
    real: RangesLike,
    predicted: RangesLike,
    *,
    times: Any = None,
    resolution: Any = None,
    ignore: RangesLike | None = None,
    weights: Any = None,
) -> Sides:
    """Both sides on one clock or on rows, clipped to what counts."""
    sides = read_timed(real, predicted, times=times, resolution=resolution)
    weighed = None if weights is None else _weights(weights, real, sides[0])
    if ignore is None:
        return Sides(*sides, weighed)
    zones = read_zones(ignore, sides[0] if sides[0].clock is not None else sides[1])
    kept_real, source, real_clipping = without(sides[0], zones)
    kept_predicted, _, predicted_clipping = without(sides[1], zones)
    return Sides(kept_real, kept_predicted, None if weighed is None else weighed[source], Ignored(zones, real_clipping, predicted_clipping))


def _weights(given: Any, real: RangesLike, ranges: Ranges) -> NDArray[np.float64]:
    """The weights in the order of time, however the ranges were given."""
    weights = read_weights(given, real)
    order = _order(real, len(weights))
    if len(weights) != len(ranges) or len(order) != len(weights):
        joined = " (ranges that share a row or a tick are joined, and have no weight of their own)" if len(order) == len(weights) else ""
        raise ValueError(f"there are {len(ranges)} real ranges and {len(weights)} weights; give one a range{joined}")
    return weights[order]


def refuse_weights(weights: Any, what: str) -> None:
    """Weights are never left out without a word."""
    if weights is not None:
        raise TypeError(f"{what} has no weights: weights= is for score and alert_summary, where recall is the weighted mean; leave it out")


def read_weights(given: Any, real: RangesLike) -> NDArray[np.float64]:
    """Weights as numbers, or a column of the real table, in the order in which they were given."""
    if isinstance(given, str):
        given = _column(given, real)
    weights = array_of(given, "weights")
    if weights.dtype.kind not in "iuf" or weights.ndim != 1:
        raise TypeError(f"weights are numbers, one for each real range; got shape {weights.shape} of {weights.dtype}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(f"weights: weight {bad[0]} is {weights[bad[0]]}; weights are finite and 0 or more")
    if len(weights) and not weights.any():
        raise ValueError("weights are all 0; at least one range must count")
    return weights.astype(np.float64)


def _column(name: str, real: Any) -> Any:
    import narwhals.stable.v2 as nw

    table = nw.from_native(real, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame) or name not in table.columns:
        has = f"; it has {', '.join(table.columns)}" if isinstance(table, nw.DataFrame) else ", and it is no table"
        raise ValueError(f"weights={name!r} names a column of the real side{has}")
    return table[name].to_native()


def _order(real: Any, count: int) -> NDArray[np.int64]:
    """Which of the given ranges is first in time, second, and so on."""
    from rangewise.inputs.clocks import read_times

    if isinstance(real, Ranges):
        return np.arange(len(real))
    if isinstance(real, (list, tuple)) and not (real and isinstance(real[0], (list, tuple))):
        return np.arange(count)
    timed = None if isinstance(real, (list, tuple)) and isinstance(real[0][0], (int, np.integer)) else read_times(real, "real")
    if timed is not None:
        return np.argsort(timed.starts, kind="stable")
    array = array_of(real, "real")
    return np.argsort(array[:, 0], kind="stable") if array.ndim == 2 else np.arange(count)
