"""LuminolBitmap: compares how often each pair of symbols occurs in the windows before and after a point."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import LONGEST, whole
from rangewise.detectors.base import Detector, Scores, State
from rangewise.detectors.luminol_default import DEFAULT_THRESHOLD, above, default_scores, denoise
from rangewise.inputs.ranges import Ranges

_SHARE_OF_SERIES = 0.0125
_LEAST_POINTS = 50
_LONGEST_WINDOW = 200
_SHARE_OF_LARGEST = 0.2
_MOST_SECTIONS = 1000  # pairs of symbols are counted in an array of its square


class ShortSeriesWarning(UserWarning):
    """The series is too short for the bitmap, so LuminolDefault scored it."""


@dataclass(kw_only=True, eq=False)
class LuminolBitmap(Detector):
    r"""Luminol's bitmap detector (after Wei et al. 2005): values become symbols, symbols pairs, and pairs are counted.

    .. math::
        s_i = \sum_{c} \left( \#_c[i - w_l, i) - \#_c[i, i + w_f) \right)^2 \qquad w_l \le i \le n - w_f, \text{ else } 0

    where :math:`\#_c` counts the overlapping pairs c of neighboring symbols in a window, and a symbol is the section of the value that
    lies between the smallest and the largest. Windows are 1.25 % of the series, at most 200 points. Scores are whole numbers, 0 or more;
    those below 0.001 of the largest are 0. Anomalous: s > 0.2 of the largest score.

    Scores depend only on the scored series, including its future; ``threshold_`` is for the series given to ``fit``, so fit on the series
    that you score. With several channels, a point has the largest of their scores. If a window is empty, or both windows together are
    shorter than 50 points (a series below 2000 points) or longer than the series, luminol uses its default detector with its threshold, 3;
    so does this class, with a :class:`ShortSeriesWarning`.

    >>> import numpy as np
    >>> values = np.tile([0.0, 1.0, 2.0, 3.0], 1000)
    >>> values[2000:2200] = 3.0
    >>> rise = LuminolBitmap().fit(values).predict(values)
    >>> rise[1990:2010].all(), rise[:1900].any()
    (np.True_, np.False_)
    """

    name: ClassVar[str] = "luminol-bitmap"

    sections: int = 4
    lag: int | None = None
    future: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sections = whole("sections", self.sections, least=1, most=_MOST_SECTIONS)
        for window in ("lag", "future"):
            if getattr(self, window) is not None:
                setattr(self, window, whole(window, getattr(self, window), least=1, most=LONGEST))

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        return {}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        lag, future = self._windows(len(array))
        if too_short := _misfit(lag, future, len(array)):
            warnings.warn(f"{too_short}; scored by LuminolDefault instead, as luminol does", ShortSeriesWarning, stacklevel=3)
            return default_scores(array, None)
        lag, future = min(lag, _LONGEST_WINDOW), min(future, _LONGEST_WINDOW)
        columns = [denoise(_channel_scores(column, self.sections, lag, future)) for column in array.T]
        largest: Scores = np.maximum.reduce(columns)
        return largest

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        if _misfit(*self._windows(len(array)), len(array)):
            return above(DEFAULT_THRESHOLD)  # the default detector scores the series, so its threshold holds
        return above(_SHARE_OF_LARGEST * float(self._scores(array).max()))

    def _windows(self, points: int) -> tuple[int, int]:
        lag, future = (int(_SHARE_OF_SERIES * points) if given is None else given for given in (self.lag, self.future))
        return lag, future


def _misfit(lag: int, future: int, points: int) -> str:
    """Why the bitmap does not fit a series of this length; empty if it fits."""
    if lag + future > points:
        return f"the bitmap's windows of {lag} and {future} points are longer than the series of {points}"
    if not lag or not future or lag + future < _LEAST_POINTS:
        return f"the bitmap's windows of {lag} and {future} points are too short for a series of {points}: {lag + future} < {_LEAST_POINTS}"
    return ""


def _channel_scores(values: NDArray[np.float64], sections: int, lag: int, future: int) -> Scores:
    points, low, high = len(values), values.min(), values.max()
    lower_bounds = low + np.arange(sections) * ((high - low) / sections)
    # The last section whose lower bound is not above the value.
    symbols = np.searchsorted(lower_bounds, values, side="right") - 1
    pairs = symbols[:-1] * sections + symbols[1:]
    # Every place i that has both windows; the pairs inside [a, b) start at a ... b - 2.
    first, last = lag, points - future
    scores = np.zeros(points)
    inside = np.zeros(last - first + 1, dtype=np.int64)
    # Pair by pair, so that memory stays at a few arrays of the series' length.
    for pair in np.flatnonzero(np.bincount(pairs)):
        before = np.zeros(points, dtype=np.int32)  # occurrences that start before each point
        np.cumsum(pairs == pair, out=before[1:])
        past = before[first - 1 : last] - before[first - lag : last - lag + 1]
        coming = before[first + future - 1 : last + future] - before[first : last + 1]
        inside += np.square(past - coming)
    scores[first : last + 1] = inside
    return scores
