"""Checks of one series by itself: its labels, its training part, its values and its timestamps."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rangewise.audits.finding import Finding
from rangewise.files.series import Series
from rangewise.inputs.ranges import Ranges
from rangewise.metrics.buffers import dominant_period
from rangewise.number_text import share_text

MOST_DENSE = 0.2
_LAST_PART = 0.01
_LONGEST_STILL = 50
_TIMES_LONGER = 10
_FEWEST_RUNS = 20
_GAP = 1.5
_MOST_BITS = 300
"""Squares of numbers up to 2^300, and their sums, are far from the largest float."""


def first_scored(series: Series) -> int:
    """The first row that is scored."""
    return series.train[1] if series.train is not None and series.train[1] < len(series) else 0


def moderate(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of one channel that can be squared: very large or small ones are divided by a power of two, which changes no check."""
    _, exponent = math.frexp(float(np.abs(values).max(initial=0.0, where=np.isfinite(values))))
    return np.ldexp(values, -exponent) if abs(exponent) > _MOST_BITS else values


def check_series(series: Series) -> Iterator[Finding]:
    """Checks that need no other series and no detector."""
    yield from _labels(series)
    yield from _values(series)
    if series.timestamps is not None:
        yield from _timestamps(series)


def scored_ranges(series: Series) -> Ranges:
    """The real ranges in the part that is scored, cut at its beginning."""
    first = first_scored(series)
    pairs = np.asarray(series.real)
    pairs = pairs[pairs[:, 1] > first] if len(pairs) else pairs.reshape(0, 2)
    return Ranges(np.maximum(pairs, first))


def _labels(series: Series) -> Iterator[Finding]:
    first, real = first_scored(series), scored_ranges(series)
    if first:
        early = Ranges(np.asarray(series.real)[series.real.starts < first]) if len(series.real) else Ranges()
        if len(early):
            yield Finding(
                "training-anomaly", series.name, f"{len(early)} of {len(series.real)} anomalies begin before row {first:,}", early
            )
    if not len(real):
        yield Finding("no-anomaly", series.name, f"rows {first:,} to {len(series):,} have no anomaly: recall is undefined")
        return
    share = float(real.lengths.sum()) / (len(series) - first)
    if share > MOST_DENSE:
        yield Finding("density", series.name, f"{share_text(share)} of the scored rows are anomalous", real)
    last = int(real.stops[-1])
    if last > len(series) - max(1, round(_LAST_PART * (len(series) - first))):
        yield Finding("at-the-end", series.name, f"the last anomaly ends {len(series) - last:,} rows before the end", Ranges([real[-1]]))
    finite = series.values[:, 0][np.isfinite(series.values[:, 0])]
    period, length = dominant_period(moderate(finite)) if len(finite) else 0, float(np.median(real.lengths))
    if period > _TIMES_LONGER * length:
        yield Finding("buffer", series.name, f"a buffer of {period} rows around anomalies of {length:g}: VUS measures the buffer", real)


def _values(series: Series) -> Iterator[Finding]:
    bad = ~np.isfinite(series.values).all(axis=1)
    if bad.any():
        yield Finding("missing", series.name, f"{int(bad.sum()):,} of {len(series):,} rows are not finite", Ranges.from_labels(bad))
    labels = series.labels
    for channel in range(series.channels):
        still = _still(series.values[:, channel], labels)
        if still is not None:
            where = f" in channel {channel}" if series.channels > 1 else ""
            message = f"{still[1] - still[0]:,} rows are constant at {series.values[still[0], channel]:g}{where}"
            yield Finding("constant", series.name, message, Ranges([still]))
            return


def _still(values: NDArray[np.float64], labels: NDArray[np.uint8]) -> tuple[int, int] | None:
    """The longest run of one value, if it is far longer than such runs usually are and mostly unlabeled.

    Runs of a recurring value (zeros of a counter) are usual; a single run many times longer than the usual ones is not.
    """
    changes = np.flatnonzero((values[1:] != values[:-1]) | ~np.isfinite(values[1:])) + 1
    starts, stops = np.concatenate([[0], changes]), np.concatenate([changes, [len(values)]])
    lengths = stops - starts
    longest = int(np.argmax(lengths))
    start, stop, length = int(starts[longest]), int(stops[longest]), int(lengths[longest])
    if length < min(_LONGEST_STILL, len(values)) or labels[start:stop].mean() > 0.5 or np.isnan(values[start]):
        return None
    others = np.delete(lengths, longest)
    if len(others) < _FEWEST_RUNS:
        # A series with few levels, such as a switch, is often constant; that is usual unless it never changes.
        return (start, stop) if not len(others) else None
    # Weighted by rows: the length of the run that a typical row lies in.
    usual = np.sort(others)[np.searchsorted(np.cumsum(np.sort(others)), 0.99 * others.sum())]
    return (start, stop) if length >= _TIMES_LONGER * usual else None


def _timestamps(series: Series) -> Iterator[Finding]:
    assert series.timestamps is not None
    if len(series) < 2:
        return
    steps = np.diff(series.timestamps).astype(np.int64)
    bad = np.flatnonzero(steps <= 0)
    if bad.size:
        repeated, back = int((steps == 0).sum()), int((steps < 0).sum())
        message = f"{repeated:,} timestamps are repeated, {back:,} go back"
        yield Finding("timestamps", series.name, message, Ranges(np.column_stack([bad + 1, bad + 2])))
        return
    wide = np.flatnonzero(steps > _GAP * np.median(steps))
    if wide.size:
        message = f"{wide.size:,} gaps; the longest is {steps.max() / np.median(steps):.3g} usual steps"
        yield Finding("gaps", series.name, message, Ranges(np.column_stack([wide, wide + 1])))
