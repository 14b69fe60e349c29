"""LuminolDefault: how far a value, and its change, are from their moving averages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.detectors.base import Detector, Scores, State
from rangewise.detectors.values import Values
from rangewise.inputs.ranges import Ranges

_SMOOTHING = 0.2
_SHARE_OF_VALUE = 0.65
_STRONG = 0.94
_NOISE = 0.001
DEFAULT_THRESHOLD = 3.0


@dataclass(kw_only=True, eq=False)
class LuminolDefault(Detector):
    r"""Luminol's default detector: two exponential moving averages.

    .. math::
        e_i = |v_i - ema(v)_i| / \sigma(v) \qquad d_i = |v'_i - ema(v')_i| / \sigma(|v' - ema(v')|) \qquad
        v'_i = |v_i - v_{i-1}| / (t_i - t_{i-1})

        s_i = \max(e_i,\ 0.65 e_i + 0.35 d_i,\ d_i \text{ if } e_i > 0.94)

    with :math:`ema(x)_0 = x_0`, :math:`ema(x)_i = 0.2 x_i + 0.8\, ema(x)_{i-1}`; in e, d and s, values below 0.001 of the largest are 0.
    Scores are 0 or more, without an upper bound; a constant series scores 0 everywhere. Anomalous: s > 3.

    It does not learn: ``fit`` only sets ``threshold_``, and scores depend only on the scored series, including its future. With several
    channels, a point has the largest of their scores.

    >>> values = [1.0, 1.1, 0.9, 1.0] * 10 + [9.0] + [1.0, 1.1, 0.9, 1.0] * 10
    >>> LuminolDefault().fit(values).predict(values).nonzero()[0].tolist()
    [40, 41]
    """

    name: ClassVar[str] = "luminol-default"

    def decision_function(self, values: Values, *, timestamps: ArrayLike | None = None) -> Scores:
        """One score per point. ``timestamps`` are increasing numbers, one per point; by default points are one apart."""
        array = self._read(values)
        return default_scores(array, None if timestamps is None else _read_timestamps(timestamps, len(array)))

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        return {}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        return default_scores(array, None)

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        return above(DEFAULT_THRESHOLD)


def above(tau: float) -> float:
    """The threshold t for which ``score >= t`` equals luminol's rule ``score > tau``: the next float after tau."""
    return float(np.nextafter(tau, np.inf))


def default_scores(array: NDArray[np.float64], timestamps: NDArray[np.float64] | None) -> Scores:
    """The largest score of a point's channels."""
    columns = [_channel_scores(np.ascontiguousarray(column), timestamps) for column in array.T]
    largest: Scores = np.maximum.reduce(columns)
    return largest


def denoise(scores: Scores) -> Scores:
    """Set scores below a thousandth of the largest to 0."""
    return np.where(scores < _NOISE * scores.max(), 0.0, scores)


def _channel_scores(values: NDArray[np.float64], timestamps: NDArray[np.float64] | None) -> Scores:
    if values.min() == values.max():
        # Here luminol divides one rounding error by another.
        return np.zeros(len(values))
    spread = values.std()
    from_average = np.abs(values - _moving_average(values))
    by_value = denoise(from_average / spread if spread else from_average)

    steps = np.ones(len(values) - 1) if timestamps is None else np.diff(timestamps)
    changes = np.abs(np.diff(values)) / steps
    changes = np.concatenate([changes[:1] if len(changes) else [0.0], changes])
    from_average = np.abs(changes - _moving_average(changes))
    spread = from_average.std()
    by_change = denoise(from_average / spread if spread else from_average)

    scores = np.maximum(by_value, _SHARE_OF_VALUE * by_value + (1 - _SHARE_OF_VALUE) * by_change)
    return denoise(np.where(by_value > _STRONG, np.maximum(scores, by_change), scores))


def _moving_average(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # A recursion in luminol's order of operations, because a closed form would round differently.
    def step(average: float, value: float) -> float:
        return _SMOOTHING * value + (1 - _SMOOTHING) * average

    averages: Iterable[float] = accumulate(values.tolist(), step)
    return np.fromiter(averages, dtype=np.float64, count=len(values))


def _read_timestamps(timestamps: Any, points: int) -> NDArray[np.float64]:
    times = np.asarray(timestamps)
    if times.dtype.kind == "M":
        times = times.astype("datetime64[ns]").astype(np.int64)
    times = times.astype(np.float64)
    if times.shape != (points,):
        raise ValueError(f"expected {points} timestamps, one per point; got shape {times.shape}")
    falls = np.flatnonzero(~(np.diff(times) > 0))
    if falls.size:
        first = int(falls[0])
        raise ValueError(
            f"timestamps must increase, but {times[first]:g} at row {first} is followed by {times[first + 1]:g}; "
            "leave them out if points are evenly spaced"
        )
    return times
