"""Five ways to compute precision and recall, in plain Python, as section 5.5 of the paper describes them.

All take two lists of half-open ranges, sorted and disjoint, and give (precision, recall) with flat bias and cardinality 1/x; the classical
ones give those of points. They share as little code as possible, so that each can be read alone and their times are comparable:

- naive: every real range is compared with every predicted one.
- optimization 1: one walk over both lists at once; only ranges that meet are compared.
- optimization 2: the bias is summed in closed form, not point by point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

Pairs: TypeAlias = Sequence[tuple[int, int]]
PrecisionRecall: TypeAlias = tuple[float, float]


def naive_classical(real: Pairs, predicted: Pairs) -> PrecisionRecall:
    """Points that both sides have, from every pair of ranges."""
    hits = 0
    for start, stop in real:
        for other_start, other_stop in predicted:
            shared = min(stop, other_stop) - max(start, other_start)
            if shared > 0:
                hits += shared
    return _share(hits, _points(predicted)), _share(hits, _points(real))


def optimized_classical(real: Pairs, predicted: Pairs) -> PrecisionRecall:
    """Points that both sides have, in one pass."""
    hits = i = j = 0
    while i < len(real) and j < len(predicted):
        start, stop = real[i]
        other_start, other_stop = predicted[j]
        shared = min(stop, other_stop) - max(start, other_start)
        if shared > 0:
            hits += shared
        if stop <= other_stop:
            i += 1
        else:
            j += 1
    return _share(hits, _points(predicted)), _share(hits, _points(real))


def naive_range(real: Pairs, predicted: Pairs) -> PrecisionRecall:
    """Every pair of ranges, and for each pair every point of the range that is rewarded."""
    return _naive_mean(predicted, real), _naive_mean(real, predicted)


def optimization_1_range(real: Pairs, predicted: Pairs) -> PrecisionRecall:
    """One pass, and every point of the ranges that overlap."""
    return _walk(real, predicted, omega)


def optimization_1_2_range(real: Pairs, predicted: Pairs) -> PrecisionRecall:
    """One pass, and one division per overlap."""
    return _walk(real, predicted, omega_closed)


Algorithm: TypeAlias = Callable[[Pairs, Pairs], PrecisionRecall]
NAIVE: dict[str, Algorithm] = {"Naive_Classical": naive_classical, "Naive_T": naive_range}
OPTIMIZED: dict[str, Algorithm] = {
    "Optimized_Classical": optimized_classical,
    "Optimized1_T": optimization_1_range,
    "Optimized1+2_T": optimization_1_2_range,
}


def delta(i: int, length: int) -> int:
    """Flat positional bias: Figure 2b."""
    return 1


def omega(start: int, stop: int, overlap_start: int, overlap_stop: int) -> float:
    """The share of a range's weight that lies in the overlap, point by point: Figure 2a."""
    mine = whole = 0
    length = stop - start
    for i in range(1, length + 1):
        bias = delta(i, length)
        whole += bias
        if overlap_start <= start + i - 1 < overlap_stop:
            mine += bias
    return mine / whole


def omega_closed(start: int, stop: int, overlap_start: int, overlap_stop: int) -> float:
    """The same in closed form: with flat bias, the share of the points."""
    return (overlap_stop - overlap_start) / (stop - start)


def _naive_mean(owners: Pairs, others: Pairs) -> float:
    total = 0.0
    for start, stop in owners:
        size, overlaps = 0.0, 0
        for other_start, other_stop in others:
            share = omega(start, stop, max(start, other_start), min(stop, other_stop))
            if share > 0:
                size += share
                overlaps += 1
        total += size / max(overlaps, 1)
    return _share(total, len(owners))


def _walk(real: Pairs, predicted: Pairs, size: Callable[[int, int, int, int], float]) -> PrecisionRecall:
    real_size, real_overlaps = [0.0] * len(real), [0] * len(real)
    predicted_size, predicted_overlaps = [0.0] * len(predicted), [0] * len(predicted)
    i = j = 0
    while i < len(real) and j < len(predicted):
        start, stop = real[i]
        other_start, other_stop = predicted[j]
        overlap_start, overlap_stop = max(start, other_start), min(stop, other_stop)
        if overlap_start < overlap_stop:
            real_size[i] += size(start, stop, overlap_start, overlap_stop)
            real_overlaps[i] += 1
            predicted_size[j] += size(other_start, other_stop, overlap_start, overlap_stop)
            predicted_overlaps[j] += 1
        if stop <= other_stop:
            i += 1
        else:
            j += 1
    return _mean(predicted_size, predicted_overlaps), _mean(real_size, real_overlaps)


def _mean(sizes: Sequence[float], overlaps: Sequence[int]) -> float:
    return _share(sum(size / max(count, 1) for size, count in zip(sizes, overlaps, strict=True)), len(sizes))


def _points(ranges: Pairs) -> int:
    return sum(stop - start for start, stop in ranges)


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0
