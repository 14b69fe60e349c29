"""Lengths of buffers around real ranges: checked, suggested from the ranges, or from the period of the values."""

from __future__ import annotations

from typing import Any

import numpy as np

from rangewise.checks import whole
from rangewise.inputs.ranges import Ranges, RangesLike, read_side
from rangewise.inputs.scores import score_array

_LONGEST_SERIES = 20_000
_LONGEST_BUFFER = 2**31 - 1
_TSB_LAGS, _TSB_FIRST, _TSB_FALLBACK = 400, 3, 125


def suggested_buffer(real: RangesLike) -> int:
    """The median length of the real ranges, rounded down; 0 without ranges.

    A buffer is the distance from a real range within which a detection still counts. The length of the ranges is its natural
    unit if nothing is known about the precision of the labels. Use one buffer for all detectors that you compare.

    >>> suggested_buffer([(0, 10), (20, 24), (40, 52)])
    10
    """
    ranges, _ = read_side(real, "real")
    return int(np.median(ranges.lengths)) if len(ranges) else 0


def dominant_period(values: Any, *, shortest: int = 3, longest: int = 300) -> int:
    """The lag, from ``shortest`` to ``longest``, of the highest peak of the values' autocorrelation; 0 when it has no positive peak.

    TSB-AD uses this period as its buffer. Only the first 20,000 values are examined. Where TSB-AD silently falls back to 125, this
    returns 0: choose a buffer yourself then, e.g. :func:`suggested_buffer`.

    >>> import numpy as np
    >>> dominant_period(np.sin(2 * np.pi * np.arange(500) / 24))
    24
    """
    low = whole("shortest", shortest, least=1)
    high = whole("longest", longest, least=low)
    series = score_array(values, "values")
    series = series[:_LONGEST_SERIES].astype(np.float64)
    if (bad := np.flatnonzero(~np.isfinite(series))).size:
        raise ValueError(f"value {bad[0]} is {series[bad[0]]}; a period needs a finite number at every point, so fill the gaps first")
    last = min(high, len(series) - 2)
    if last < low:
        return 0
    series -= series.mean()
    # Zeros behind the values keep their end from wrapping round to their start.
    spectrum = np.fft.rfft(series, 2 * len(series))
    correlation = np.fft.irfft(np.abs(spectrum) ** 2)[: last + 2]
    lags = np.arange(low, last + 1)
    here = correlation[lags]
    noise = 1e-9 * max(correlation[0], 1e-300)
    peaks = lags[(here > correlation[lags - 1]) & (here >= correlation[lags + 1]) & (here > noise)]
    return int(peaks[np.argmax(correlation[peaks])]) if peaks.size else 0


def tsb_ad_buffer(values: Any) -> int:
    """The buffer that TSB-AD 1.5 uses for a series, including its errors: for numbers comparable with its leaderboard.

    The lag of the highest peak of the autocorrelation of the first 20,000 values, if it lies from 6 to 303; otherwise 125, and 125 where
    there is no peak. Values of several channels give 0, so that VUS has no buffer at all; the scripts behind its leaderboard take the first
    channel, ``values[:, 0]``. :func:`dominant_period` is the rule without these faults.

    >>> import numpy as np
    >>> tsb_ad_buffer(np.sin(2 * np.pi * np.arange(500) / 24)), tsb_ad_buffer(np.arange(9)), tsb_ad_buffer(np.zeros((9, 2)))
    (24, 125, 0)
    """
    series = np.squeeze(np.asarray(values, dtype=np.float64))
    if series.ndim > 1:
        return 0
    series = np.atleast_1d(series)[:_LONGEST_SERIES]
    centered = series - series.mean()
    spectrum = np.fft.rfft(centered, 2 * len(series))
    correlation = np.fft.irfft(np.abs(spectrum) ** 2, 2 * len(series))[: min(len(series), _TSB_LAGS + 1)][_TSB_FIRST:]
    inner = correlation[1:-1]
    peaks = np.flatnonzero((inner > correlation[:-2]) & (inner > correlation[2:])) + 1
    if not peaks.size or not np.isfinite(correlation).all() or not centered.any():
        return _TSB_FALLBACK
    highest = int(peaks[np.argsort(correlation[peaks])[-1]])
    # The bounds are meant for lags, but the program applies them to places from the third lag on.
    return highest + _TSB_FIRST if 3 <= highest <= 300 else _TSB_FALLBACK


def checked_buffer(name: str, buffer: int | None, real: Ranges) -> int:
    """A number of points; the suggested one for None."""
    if buffer is None:
        return suggested_buffer(real)
    # Beyond the longest series more makes no difference, and the kernel counts in 64 bits.
    return min(whole(name, buffer, least=0), _LONGEST_BUFFER)
