"""Baselines that every detector should beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import LONGEST, number, whole
from rangewise.detectors.base import Detector, Scores, State
from rangewise.detectors.values import mean_and_spread
from rangewise.inputs.ranges import Ranges

_SIGMAS = 3.0


@dataclass(kw_only=True, eq=False)
class Random(Detector):
    """A uniformly random score from 0 to 1 for each point; reproducible for the same seed and number of points.

    The default threshold is 0.95: one point in twenty is anomalous.

    >>> Random(seed=1).fit([0.0]).decision_function([0.0, 0.0, 0.0]).round(2).tolist()
    [0.51, 0.95, 0.14]
    """

    name: ClassVar[str] = "random"

    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.seed = whole("seed", self.seed, least=0)

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        return {}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        return np.random.default_rng(self.seed).random(len(array))

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        return 0.95


@dataclass(kw_only=True, eq=False)
class Constant(Detector):
    """The same score for every point. The default threshold is 0.5, so ``score=1`` predicts everything and ``score=0`` nothing.

    >>> Constant().fit([5.0, 6.0]).predict([5.0, 6.0, 7.0]).tolist()
    [1, 1, 1]
    """

    name: ClassVar[str] = "constant"

    score: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.score = number("score", self.score)

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        return {}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        return np.full(len(array), self.score)

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        return 0.5


@dataclass(kw_only=True, eq=False)
class ZScore(Detector):
    r"""Distance from the mean in standard deviations, both of the values given to ``fit``.

    .. math:: s_i = \max_c |v_{ic} - \mu_c| / \sigma_c

    0 or more; the default threshold is 3. Constant values in ``fit`` are an error.

    >>> ZScore().fit([1.0, 3.0]).decision_function([2.0, 5.0]).tolist()
    [0.0, 3.0]
    """

    name: ClassVar[str] = "z-score"

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        return {**mean_and_spread(array)}

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        return {"mean": (channels,), "spread": (channels,)}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        scores: Scores = (np.abs(array - self._learned("mean")) / self._learned("spread")).max(axis=1)
        return scores

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        return _SIGMAS


@dataclass(kw_only=True, eq=False)
class MovingZScore(Detector):
    r"""Distance from the mean of the previous ``window`` points, in their standard deviations.

    .. math:: s_i = \max_c |v_{ic} - \mu_c[i - w, i)| / \max(\sigma_c[i - w, i),\ 0.01\, \sigma_c)

    where :math:`\sigma_c` is the standard deviation of the values given to ``fit``: it prevents infinite scores after a flat section. Near
    the beginning, fewer points are used; the first two points score 0. 0 or more; the default threshold is 3. Constant values in ``fit``
    are an error.

    >>> values = [1.0, 2.0] * 5 + [9.0]
    >>> MovingZScore(window=4).fit(values).decision_function(values)[-2:].round(6).tolist()
    [1.0, 15.0]
    """

    name: ClassVar[str] = "moving-z-score"

    window: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if whole("window", self.window, least=1, most=LONGEST) < 2:
            raise ValueError(f"window must be 2 or more; got {self.window}")

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        return {**mean_and_spread(array)}

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        return {"mean": (channels,), "spread": (channels,)}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        scaled = (array - self._learned("mean")) / self._learned("spread")
        mean, deviation = _of_previous(scaled, min(self.window, len(scaled)))
        scores: Scores = (np.abs(scaled - mean) / np.maximum(deviation, 0.01)).max(axis=1)
        scores[:2] = 0.0
        return scores

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        return _SIGMAS


def _of_previous(scaled: NDArray[np.float64], window: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard deviation of the previous ``window`` points of each point; both are 0 for the first point.

    A window is the end of one block of ``window`` points and the beginning of the next. Both parts are summed without other points, so
    that a very large value before the window does not round away the digits of those in it.
    """
    points, channels = scaled.shape
    blocks = np.zeros((-(-points // window), window, channels))
    blocks.reshape(-1, channels)[:points] = scaled
    counts = np.arange(1, window + 1)[:, np.newaxis]

    def running(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and sum of squared deviations of the first 1, 2, ... values of each block."""
        moved = values - values[:, :1]
        sums = np.cumsum(moved, axis=1)
        return values[:, :1] + sums / counts, np.cumsum(np.square(moved), axis=1) - np.square(sums) / counts

    # What each point has before it in its own block, and in the block before.
    (own_mean, own_squares), (other_mean, other_squares) = np.zeros((2, 2, *blocks.shape))
    own_mean[:, 1:], own_squares[:, 1:] = (values[:, :-1] for values in running(blocks))
    other_mean[1:], other_squares[1:] = (values[:-1, ::-1] for values in running(blocks[:, ::-1]))
    own = counts - 1
    other = np.where(np.arange(len(blocks))[:, np.newaxis, np.newaxis] > 0, window - own, 0)
    total = np.maximum(own + other, 1)
    apart = own_mean - other_mean
    mean = other_mean + apart * (own / total)
    variance = (own_squares + other_squares + np.square(apart) * (own * other / total)) / total
    deviation = np.sqrt(np.maximum(variance, 0.0))
    return mean.reshape(-1, channels)[:points], deviation.reshape(-1, channels)[:points]
