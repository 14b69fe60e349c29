"""Checks with one-liners: does one of them solve the series, and do the labels lie where the values are unusual?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.audits.finding import Finding
from rangewise.audits.series_checks import first_scored, moderate, scored_ranges
from rangewise.detectors.one_liners import ONE_LINERS, OneLiner, SeasonalDifference, Value
from rangewise.detectors.values import read_values
from rangewise.files.series import Series
from rangewise.inputs.ranges import Ranges

MARGIN = 0.1
"""How far the weakest anomaly must be above the highest normal score, relative to that score's height above the median."""
_SHIFTED_BY = ("absolute-difference", "median-deviation")
_LEAST_SHIFT, _LONGEST_SHIFT, _FURTHER = 3, 500, 10
_UNUSUAL, _TIMES, _TIMES_ELSEWHERE = 2.0, 2.0, 1.2


def check_one_liners(series: Series) -> Iterator[Finding]:
    """``trivial`` and ``labels-shifted``; nothing for a series without anomalies in its scored part."""
    real, first = scored_ranges(series), first_scored(series)
    if not len(real) or real.lengths.sum() == len(series) - first or len(series) - first < 2:
        return
    if not np.isfinite(series.values).any(axis=0).all():
        return
    values = read_values(np.column_stack([moderate(channel) for channel in series.values.T]), "linear")
    scores = {name: (line, line.decision_function(values)) for name, line in _fitted(values).items()}
    solved = [name for name, (line, each) in scores.items() if solves(line, each, real, first)]
    if solved:
        yield Finding("trivial", series.name, f"solved by {', '.join(solved)}", real)
    for name in _SHIFTED_BY:
        shift = better_shift(scores[name][1][first:], Ranges(np.asarray(real) - first))
        if shift:
            moved = Ranges(np.clip(np.asarray(real) + shift, first, len(series)))
            direction = "later" if shift > 0 else "earlier"
            yield Finding("labels-shifted", series.name, f"labels fit {name} better {abs(shift):,} rows {direction}", moved)
            return


def solves(line: OneLiner, scores: NDArray[np.float64], real: Ranges, first: int = 0) -> bool:
    """Whether some threshold finds each real range, give or take the one-liner's window, and nothing else from row ``first`` on.

    The weakest range must be clearly above the highest score elsewhere: by a tenth of that score's height above the median.
    """
    near = np.zeros(len(scores), dtype=bool)
    slack = getattr(line, "window", 2) // 2 + 1
    hits = []
    for start, stop in real:
        low, high = max(first, start - slack), min(len(scores), stop + slack)
        near[low:high] = True
        hits.append(scores[low:high].max())
        if isinstance(line, SeasonalDifference):
            # A difference one period after an anomaly is its echo.
            period = int(line._learned("period"))
            near[max(first, start - slack + period) : stop + slack + period] = True
    elsewhere = scores[first:][~near[first:]]
    if not len(elsewhere):
        return False
    highest, middle = float(elsewhere.max()), float(np.median(elsewhere))
    weakest = float(min(hits))
    return weakest > highest and weakest - highest >= MARGIN * (highest - middle)


def better_shift(scores: NDArray[np.float64], real: Ranges) -> int:
    """The number of rows by which all labels should shift to lie where the scores are high; 0 if they should not.

    The mean score inside the moved labels, in standard deviations above the mean of all rows, must be high (2), twice that of the given
    labels, and higher by a fifth than at any larger shift: a peak elsewhere is no reason to move labels.
    """
    spread = float(scores.std())
    if not spread > 0.0:
        return 0
    length = int(np.median(real.lengths))
    near = min(max(_LEAST_SHIFT, 2 * length), _LONGEST_SHIFT)
    far = _FURTHER * near
    sums = np.concatenate([[0.0], np.cumsum((scores - scores.mean()) / spread)])
    shifts = np.arange(-far, far + 1)
    total, count = np.zeros(len(shifts)), np.zeros(len(shifts))
    for start, stop in real:
        low, high = start + shifts, stop + shifts
        inside = (low >= 0) & (high <= len(scores))
        total[inside] += (sums[high[inside]] - sums[low[inside]]) / (stop - start)
        count[inside] += 1
    # Ignore shifts that push labels out of the series.
    fits = np.where(count == len(real), total / len(real), -np.inf)
    close = np.abs(shifts) <= near
    best = int(np.argmax(np.where(close, fits, -np.inf)))
    shift, here, there = int(shifts[best]), float(fits[far]), float(fits[best])
    elsewhere = float(fits[np.abs(shifts) > near + length].max(initial=-np.inf))
    enough = abs(shift) >= max(_LEAST_SHIFT, (length + 1) // 2)
    return shift if enough and there >= _UNUSUAL and there >= _TIMES * here and there >= _TIMES_ELSEWHERE * elsewhere else 0


def _fitted(values: NDArray[np.float64]) -> dict[str, OneLiner]:
    # Without a given threshold, fit would score the values again.
    detectors: dict[str, Any] = {name: kind(threshold=0.0) for name, kind in ONE_LINERS.items()}
    detectors["value sign=-1"] = Value(sign=-1, threshold=0.0)
    return {name: line.fit(values) for name, line in detectors.items()}
