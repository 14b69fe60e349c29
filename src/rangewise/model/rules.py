"""From a model's choices to the kernel's rules: names become numbers, users' functions become tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise import _kernel
from rangewise.model.bias import BIASES, BiasChoice, BiasFunction, bias_function, bias_weights
from rangewise.model.cardinality import CARDINALITIES, CardinalityChoice, CardinalityFunction, cardinality_factor
from rangewise.ranges import Ranges

SizeFunction: TypeAlias = Callable[[tuple[int, int], tuple[int, int], BiasFunction], float]
"""``(range, overlap, bias) -> share`` in 0..1: the paper's omega, for one overlap given as a half-open pair."""

# The kernel's numbers (cpp/bias.hpp, cpp/overlap.hpp).
_BIAS_CODES = {name: code for code, name in enumerate(BIASES)}
_BIAS_TABLE, _BIAS_SIZED = len(BIASES), len(BIASES) + 1
_CARDINALITY_CODES = {name: code for code, name in enumerate(CARDINALITIES)}
_CARDINALITY_TABLE = len(CARDINALITIES)


# How far the shares of a user's size function may add up beyond 1 by rounding.
_ROUNDING = 1e-9


class SideRule:
    """How one side is rewarded. Built-in choices make one kernel rule for ever, users' functions one for each pair of sides."""

    __slots__ = ("_alpha", "_as_points", "_bias", "_cardinality", "_fixed", "_size")

    def __init__(self, alpha: float, bias: BiasChoice, cardinality: CardinalityChoice, size: SizeFunction | None, as_points: bool) -> None:
        self._alpha = alpha
        self._bias = bias
        self._cardinality = cardinality
        self._size = size
        self._as_points = as_points
        self._fixed: _kernel.Rule | None = None
        if isinstance(bias, str) and isinstance(cardinality, str) and size is None:
            self._fixed = self._rule(as_points=as_points)
        elif not isinstance(bias, str) and as_points:
            bias_weights(bias, 1)  # a point must weigh something, also where points are only counted

    @property
    def as_points(self) -> bool:
        return self._as_points

    def for_tally(self, own: Ranges, other: Ranges, other_points: bool) -> _kernel.Rule:
        """The rule that adds up this side; points are counted, not spelled out."""
        if self._fixed is not None:
            return self._fixed
        if self._as_points:
            return self._rule(as_points=True, bias=_BIAS_CODES["flat"], cardinality=_CARDINALITY_CODES["one"])
        return self._with_tables(own, other, other_points)

    @property
    def can_sweep(self) -> bool:
        """Whether a predicted run's reward follows from prefix sums: a bias or a size function of the user's does not."""
        return self._size is None and (isinstance(self._bias, str) or self._as_points)

    @property
    def own_cardinality(self) -> bool:
        return not isinstance(self._cardinality, str) and not self._as_points

    def for_sweep(self, own: Ranges | None, most_overlaps: int) -> _kernel.Rule:
        """The rule for every threshold at once; ``own`` are the real ranges, whose number does not change on the way."""
        if self._fixed is not None:
            return self._fixed
        if self._as_points:
            return self._rule(as_points=True, bias=_BIAS_CODES["flat"], cardinality=_CARDINALITY_CODES["one"])
        tables: dict[str, object] = {}
        if own is not None and not isinstance(self._bias, str):
            tables["weights"], tables["offsets"] = cumulative_weights(self._bias, own)
        if not isinstance(self._cardinality, str):
            tables["factors"] = factor_table(self._cardinality, np.arange(2, most_overlaps + 1))
        return self._rule(as_points=False, **tables)

    def for_rows(self, own: Ranges, other: Ranges) -> _kernel.Rule:
        """The rule for a row a range; sides scored as points come as unit ranges."""
        if self._fixed is not None and not self._as_points:
            return self._fixed
        return self._with_tables(own, other, other_points=False)

    def _rule(self, *, as_points: bool, **given: object) -> _kernel.Rule:
        settings: dict[str, object] = {
            "bias": _BIAS_CODES.get(self._bias, _BIAS_TABLE) if isinstance(self._bias, str) else _BIAS_TABLE,
            "cardinality": _CARDINALITY_CODES[self._cardinality] if isinstance(self._cardinality, str) else _CARDINALITY_TABLE,
        }
        settings |= given
        return _kernel.Rule(alpha=self._alpha, as_points=as_points, **settings)  # type: ignore[arg-type]

    def _with_tables(self, own: Ranges, other: Ranges, other_points: bool) -> _kernel.Rule:
        tables: dict[str, object] = {}
        if self._size is not None:
            tables["bias"] = _BIAS_SIZED
            tables["sizes"] = _summed_sizes(self._size, bias_function(self._bias), own, other)
        elif not isinstance(self._bias, str):
            tables["weights"], tables["offsets"] = cumulative_weights(self._bias, own)
        if not isinstance(self._cardinality, str):
            counts = _kernel.overlap_counts(np.asarray(own), np.asarray(other), other_points)
            tables["factors"] = factor_table(self._cardinality, counts)
        return self._rule(as_points=False, **tables)


def cumulative_weights(bias: BiasFunction, ranges: Ranges) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """W(0..L) for each distinct length, one after the other, and where each range's own begin."""
    lengths, which = np.unique(ranges.lengths, return_inverse=True)
    begins = np.cumsum(np.concatenate(([0], lengths[:-1] + 1))) if len(lengths) else lengths
    table = np.zeros(int((lengths + 1).sum()), dtype=np.float64)
    for length, begin in zip(lengths.tolist(), begins.tolist(), strict=True):
        # Long doubles keep the sums of long ranges as good as their last addition.
        table[begin + 1 : begin + 1 + length] = np.cumsum(bias_weights(bias, length), dtype=np.longdouble)
    return table, np.ascontiguousarray(begins[which], dtype=np.int64)


def factor_table(cardinality: CardinalityFunction, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The factors of a user's cardinality, indexed by the overlap counts that occur."""
    table = np.ones(int(counts.max(initial=1)) + 1, dtype=np.float64)
    for count in np.unique(counts[counts >= 2]).tolist():
        table[count] = cardinality_factor(cardinality, count)
    return table


def _summed_sizes(size: SizeFunction, bias: BiasFunction, own: Ranges, other: Ranges) -> NDArray[np.float64]:
    """A user's size function, added up over the overlaps of each range."""
    name = getattr(size, "__name__", repr(size))
    first = np.searchsorted(other.stops, own.starts, side="right")
    last = np.searchsorted(other.starts, own.stops, side="left")
    sums = np.zeros(len(own), dtype=np.float64)
    for i, (start, stop) in enumerate(own):
        for j in range(first[i], last[i]):
            other_start, other_stop = other[j]
            overlap = max(start, other_start), min(stop, other_stop)
            given = size((start, stop), overlap, bias)
            try:
                share = float(given)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"size {name} gave {given!r:.60} for the overlap {overlap} of range {(start, stop)}; expected a number"
                ) from error
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"size {name} gave {share} for the overlap {overlap} of range {(start, stop)}; a share lies in 0..1")
            sums[i] += share
        if sums[i] > 1.0 + _ROUNDING:
            raise ValueError(f"size {name} gave shares that add up to {sums[i]:.6g} for range {(start, stop)}; all of a range is 1")
    return sums
