"""Stretches that two series share, possibly scaled: by hashes of normalized windows, each match verified value by value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rangewise.audits.finding import Finding
from rangewise.audits.series_checks import moderate
from rangewise.files.series import Series
from rangewise.inputs.ranges import Ranges

LENGTH = 128
"""Only stretches somewhat longer than this are certain to be found, because one window in ``_ONE_IN`` is examined."""
_ONE_IN = 16
_PLACES = 8
_GRID = 1e-3
_NEAR = 1e-6
_FEWEST = 2
_LIVELY = LENGTH // 2
_MOST_AT_ONE_HASH = 8
_MIX = np.uint64(0x9E3779B97F4A7C15)


def check_overlaps(all_series: Sequence[Series]) -> Iterator[Finding]:
    """One finding per series that shares a stretch with an earlier one, naming the series it shares most with."""
    hashes, owners, starts = [], [], []
    for number, series in enumerate(all_series):
        for channel in range(series.channels):
            some, where = _anchors(moderate(series.values[:, channel]))
            hashes.append(some)
            owners.append(np.full(len(some), number * 2**20 + channel))
            starts.append(where)
    if not hashes:
        return
    keys, owner, start = np.concatenate(hashes), np.concatenate(owners), np.concatenate(starts)
    order = np.argsort(keys, kind="stable")
    keys, owner, start = keys[order], owner[order], start[order]
    by_later: dict[int, list[tuple[int, str, Ranges]]] = {}
    for (first, second), matches in sorted(_matches(keys, owner, start).items()):
        a, b = all_series[first >> 20], all_series[second >> 20]
        shared = _shared(moderate(a.values[:, first % 2**20]), moderate(b.values[:, second % 2**20]), matches)
        if len(shared):
            by_later.setdefault(second >> 20, []).append((int(shared.lengths.sum()), a.name, shared))
    for later, overlaps in by_later.items():
        rows, name, shared = max(overlaps, key=lambda each: each[0])
        others = len({each[1] for each in overlaps}) - 1
        more = f", and {others} more series share some" if others else ""
        yield Finding("duplicate", all_series[later].name, f"{rows:,} rows are also in {name}{more}", shared, other=name)


def _anchors(values: NDArray[np.float64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hashes and starts of some windows, chosen by their content; nearly constant windows are skipped."""
    none = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    if len(values) < LENGTH or not np.isfinite(values).all():
        return none
    centered = values - values.mean()
    sums = np.concatenate([[0.0], np.cumsum(centered)])
    squares = np.concatenate([[0.0], np.cumsum(np.square(centered))])
    moves = np.concatenate([[0], np.cumsum(np.diff(values) != 0.0), [0]])
    count = len(values) - LENGTH + 1
    mean = (sums[LENGTH:] - sums[:count]) / LENGTH
    spread = np.sqrt(np.maximum((squares[LENGTH:] - squares[:count]) / LENGTH - np.square(mean), 0.0))
    lively = (moves[LENGTH - 1 : LENGTH - 1 + count] - moves[:count] >= _LIVELY) & (spread > 1e-6 * max(float(centered.std()), 1e-300))
    starts = np.flatnonzero(lively)
    mixed = np.zeros(len(starts), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for place in range(_PLACES):
            at = centered[starts + place * (LENGTH // _PLACES) + LENGTH // (2 * _PLACES)]
            level = np.rint((at - mean[starts]) / spread[starts] / _GRID).astype(np.int64).view(np.uint64)
            mixed = (mixed ^ level) * _MIX
            mixed ^= mixed >> np.uint64(29)
    chosen = mixed % np.uint64(_ONE_IN) == 0
    return mixed[chosen], starts[chosen]


def _matches(keys: NDArray[np.uint64], owner: NDArray[np.int64], start: NDArray[np.int64]) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """For each pair of channels of two series, where windows of one hash begin in both; keys are sorted."""
    matches: dict[tuple[int, int], list[tuple[int, int]]] = {}
    edges = np.flatnonzero(np.diff(keys)) + 1
    first, last = np.concatenate([[0], edges]), np.concatenate([edges, [len(keys)]])
    for low, high in zip(first[last - first > 1].tolist(), last[last - first > 1].tolist(), strict=True):
        # A recurring window (a clean period) is no evidence that two series share rows.
        if high - low > _MOST_AT_ONE_HASH:
            continue
        for i in range(low, high):
            for j in range(i + 1, high):
                if owner[i] >> 20 != owner[j] >> 20:
                    a, b = (i, j) if owner[i] < owner[j] else (j, i)
                    matches.setdefault((int(owner[a]), int(owner[b])), []).append((int(start[a]), int(start[b])))
    return matches


def _shared(a: NDArray[np.float64], b: NDArray[np.float64], matches: list[tuple[int, int]]) -> Ranges:
    """The rows of b that are rows of a, scaled: windows at one distance from each other, compared value by value."""
    by_distance: dict[int, list[tuple[int, int]]] = {}
    for here, there in matches:
        if _alike(a[here : here + LENGTH], b[there : there + LENGTH]):
            by_distance.setdefault(there - here, []).append((there, there + LENGTH))
    ranges = [each for some in by_distance.values() if len(some) >= _FEWEST for each in some]
    return Ranges.joined(ranges).merge_touching()


def _alike(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    left, right = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    return bool(np.abs(left - right).max() < _NEAR)
