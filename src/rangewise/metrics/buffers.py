"""Lengths of buffers around real ranges: checked, suggested from the ranges, or from the period of the values."""

from __future__ import annotations

from typing import Any

import numpy as np

from rangewise.checks import whole
from rangewise.inputs.ranges import Ranges, RangesLike, read_side
from rangewise.inputs.scores import score_array

_LONGEST_SERIES = 20_000
_LONGEST_BUFFER = 2**31 - 1


def suggested_buffer(real: RangesLike) -> int:
    """The median length of the real ranges, rounded down; 0 without ranges.

    A buffer says how far beside a real range a detection still counts; the length of the ranges is its natural unit when nothing is
    known about how exactly they were labelled. Take one buffer for all detectors that are compared.

    >>> suggested_buffer([(0, 10), (20, 24), (40, 52)])
    10
    """
    ranges, _ = read_side(real, "real")
    return int(np.median(ranges.lengths)) if len(ranges) else 0


def dominant_period(values: Any, *, shortest: int = 3, longest: int = 300) -> int:
    """The lag, from ``shortest`` to ``longest``, of the highest peak of the values' autocorrelation; 0 when it has no positive peak.

    TSB-AD takes such a period as its buffer. The first 20,000 values are looked at. Where its own program falls back on 125 without saying
    so, this says 0: choose a buffer yourself then, e.g. :func:`suggested_buffer`.

    >>> import numpy as np
    >>> dominant_period(np.sin(2 * np.pi * np.arange(500) / 24))
    24
    """
    low = whole("shortest", shortest, least=1)
    high = whole("longest", longest, least=low)
    found = score_array(values, "values")
    found = found[:_LONGEST_SERIES].astype(np.float64)
    if (bad := np.flatnonzero(~np.isfinite(found))).size:
        raise ValueError(f"value {bad[0]} is {found[bad[0]]}; a period needs a finite number at every point, so fill the gaps first")
    last = min(high, len(found) - 2)
    if last < low:
        return 0
    found -= found.mean()
    # Zeros behind the values keep their end from wrapping round to their start.
    spectrum = np.fft.rfft(found, 2 * len(found))
    correlation = np.fft.irfft(np.abs(spectrum) ** 2)[: last + 2]
    lags = np.arange(low, last + 1)
    here = correlation[lags]
    noise = 1e-9 * max(correlation[0], 1e-300)
    peaks = lags[(here > correlation[lags - 1]) & (here >= correlation[lags + 1]) & (here > noise)]
    return int(peaks[np.argmax(correlation[peaks])]) if peaks.size else 0


def checked_buffer(name: str, buffer: int | None, real: Ranges) -> int:
    """A number of points; the suggested one for None."""
    if buffer is None:
        return suggested_buffer(real)
    # Beyond the longest series more makes no difference, and the kernel counts in 64 bits.
    return min(whole(name, buffer, least=0), _LONGEST_BUFFER)
