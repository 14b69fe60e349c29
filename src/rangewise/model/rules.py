"""Translate a model's settings to the kernel's rules: names become numbers, users' functions become tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.inputs.ranges import Ranges
from rangewise.model.bias import BIASES, BiasChoice, BiasFunction, bias_function, bias_weights
from rangewise.model.cardinality import CARDINALITIES, CardinalityChoice, CardinalityFunction, cardinality_factor, takes_length

SizeFunction: TypeAlias = Callable[[tuple[int, int], tuple[int, int], BiasFunction], float]
"""``(range, overlap, bias) -> share`` in 0..1: the paper's omega, for one overlap given as a half-open pair."""

# The kernel's name of each built-in choice; an unknown name fails here, before anything is scored.
_BIASES = {name: kernel.Bias[name] for name in BIASES}
_CARDINALITIES = {name: kernel.Cardinality[name] for name in CARDINALITIES}

MOST_POSITIONS = 100_000_000
"""The maximum number of positions, over all distinct lengths, for which a user's bias is evaluated."""
# Rewards are multiples of 2**-94 in 127 bits: a sum of this many points still fits.
_MOST_WEIGHED_POINTS = 2**32

# Rounding tolerance for the sum of the shares of a user's size function.
_ROUNDING = 1e-9


class SideRule:
    """How one side is rewarded. Built-in choices need one kernel rule, users' functions a new one for each input."""

    __slots__ = ("_alpha", "_bias", "_cardinality", "_fixed", "_size", "_weigh_by_length", "as_points", "can_score_bits")

    def __init__(
        self,
        alpha: float,
        bias: BiasChoice,
        cardinality: CardinalityChoice,
        size: SizeFunction | None,
        as_points: bool,
        weigh_by_length: bool,
    ) -> None:
        self._alpha = alpha
        self._bias = bias
        self._cardinality = cardinality
        self._size = size
        self.as_points = as_points
        self._weigh_by_length = weigh_by_length
        self._fixed: kernel.Rule | None = None
        if isinstance(bias, str) and isinstance(cardinality, str) and size is None:
            self._fixed = self._rule(as_points=as_points)
        elif not isinstance(bias, str) and as_points:
            bias_weights(bias, 1)  # a point must have a weight, even if points are only counted
        self.can_score_bits = self._fixed is not None and bias == "flat" and not as_points and not weigh_by_length

    def count(self, own: Ranges) -> int:
        """The divisor of the rewards of these ranges: their number, or their number of points if every point counts."""
        if not (self.as_points or self._weigh_by_length):
            return len(own)
        points = int(own.lengths.sum())
        if self._weigh_by_length and points > _MOST_WEIGHED_POINTS:
            way_out = "" if own.clock is None else "; a coarser clock has fewer, so give resolution='1s' or step='1s'"
            raise ValueError(
                f"precision_weight='length' adds up at most {_MOST_WEIGHED_POINTS:,} predicted points; got {points:,}{way_out}"
            )
        return points

    def for_tally(self, own: Ranges, other: Ranges, other_points: bool) -> kernel.Rule:
        """The rule that adds up this side; points are counted, not spelled out."""
        if self._fixed is not None:
            return self._fixed
        if self.as_points:
            return self._rule(as_points=True, bias=kernel.Bias.flat, cardinality=kernel.Cardinality.one)
        return self._with_tables(own, other, other_points)

    @property
    def can_sweep(self) -> bool:
        """Whether a predicted run's reward follows from prefix sums.

        A user's bias or size function does not allow it, and a cardinality that depends on lengths would need a table of all of them.
        """
        if self._size is not None:
            return False
        return self.as_points or (
            isinstance(self._bias, str) and (isinstance(self._cardinality, str) or not takes_length(self._cardinality))
        )

    @property
    def own_cardinality(self) -> bool:
        return not isinstance(self._cardinality, str) and not self.as_points

    def for_sweep(self, own: Ranges | None, most_overlaps: int) -> kernel.Rule:
        """The rule for every threshold at once; ``own`` are the real ranges, whose number does not change on the way."""
        if self._fixed is not None:
            return self._fixed
        if self.as_points:
            return self._rule(as_points=True, bias=kernel.Bias.flat, cardinality=kernel.Cardinality.one)
        tables: dict[str, object] = {}
        if own is not None and not isinstance(self._bias, str):
            tables["weights"], tables["offsets"] = cumulative_weights(self._bias, own)
        if not isinstance(self._cardinality, str):
            # A sweep passes through every number of overlaps up to the largest, so its table starts at 0.
            if own is not None and takes_length(self._cardinality):
                tables["cardinality"] = kernel.Cardinality.by_length
                tables["factors"], tables["factor_offsets"] = factor_tables(self._cardinality, own, most_overlaps)
            else:
                tables["factors"] = range_factors(self._cardinality, np.arange(most_overlaps + 1), None)
        return self._rule(as_points=False, **tables)

    def for_rows(self, own: Ranges, other: Ranges, other_points: bool) -> kernel.Rule:
        """The rule for one row per range; a side scored as points is given as unit ranges if its own rows are requested."""
        if self._fixed is not None and not self.as_points:
            return self._fixed
        return self._with_tables(own, other, other_points)

    def _rule(self, *, as_points: bool, **given: object) -> kernel.Rule:
        settings: dict[str, object] = {
            "bias": _BIASES[self._bias] if isinstance(self._bias, str) else kernel.Bias.table,
            "cardinality": _CARDINALITIES[self._cardinality] if isinstance(self._cardinality, str) else kernel.Cardinality.table,
        }
        settings |= given
        return kernel.Rule(alpha=self._alpha, as_points=as_points, weigh_by_length=self._weigh_by_length, **settings)  # type: ignore[arg-type]

    def _with_tables(self, own: Ranges, other: Ranges, other_points: bool) -> kernel.Rule:
        tables: dict[str, object] = {}
        if self._size is not None:
            tables["bias"] = kernel.Bias.sized
            tables["sizes"] = _summed_sizes(self._size, bias_function(self._bias), own, other)
        elif not isinstance(self._bias, str):
            tables["weights"], tables["offsets"] = cumulative_weights(self._bias, own)
        if not isinstance(self._cardinality, str):
            counts = kernel.overlap_counts(np.asarray(own), np.asarray(other), other_points)
            tables["cardinality"] = kernel.Cardinality.each
            tables["factors"] = range_factors(self._cardinality, counts, own.lengths if takes_length(self._cardinality) else None)
        return self._rule(as_points=False, **tables)


def cumulative_weights(bias: BiasFunction, ranges: Ranges) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """W(0..L) for each distinct length, one after the other, and where each range's own begin."""
    lengths, which = np.unique(ranges.lengths, return_inverse=True)
    positions = math.fsum(lengths)
    if positions > MOST_POSITIONS:
        clock = ranges.clock is not None
        raise ValueError(
            f"your own bias function is evaluated at every position, up to {MOST_POSITIONS:,} of them; these ranges have "
            f"{positions:,.0f}: " + ("give a coarser clock, e.g. resolution='1s'" if clock else "use one of the built-in biases")
        )
    begins = np.cumsum(np.concatenate(([0], lengths[:-1] + 1))) if len(lengths) else lengths
    table = np.zeros(int((lengths + 1).sum()), dtype=np.float64)
    for length, begin in zip(lengths.tolist(), begins.tolist(), strict=True):
        # Long doubles limit rounding errors in the sums of long ranges.
        table[begin + 1 : begin + 1 + length] = np.cumsum(bias_weights(bias, length), dtype=np.longdouble)
    return table, np.ascontiguousarray(begins[which], dtype=np.int64)


def range_factors(cardinality: CardinalityFunction, counts: NDArray[np.int64], lengths: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """The factor of a user's cardinality for each number of overlaps, or for each number and length.

    The function is called once for each distinct number from 2 up, or pair of number and length.
    """
    pairs = counts[:, None] if lengths is None else np.column_stack((counts, lengths))
    distinct, which = np.unique(pairs, axis=0, return_inverse=True)
    factors = [cardinality_factor(cardinality, *pair) if pair[0] >= 2 else 1.0 for pair in distinct.tolist()]
    return np.array(factors, dtype=np.float64)[which.reshape(-1)]


def factor_tables(cardinality: CardinalityFunction, own: Ranges, most: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The factors of a user's cardinality that takes the length, by number of overlaps from 0: a table for each distinct length, as far
    as it can go, one after the other, and where each range's own begins."""
    lengths, which = np.unique(own.lengths, return_inverse=True)
    sizes = np.minimum(lengths, most) + 1
    begins = np.cumsum(sizes) - sizes
    counts = np.arange(int(sizes.sum())) - np.repeat(begins, sizes)
    table = range_factors(cardinality, counts, np.repeat(lengths, sizes))
    return table, np.ascontiguousarray(begins[which], dtype=np.int64)


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
