"""SubPCA: the residual of a window outside the principal components of the training windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import LONGEST, number, whole
from rangewise.detectors.base import Detector, Scores, State
from rangewise.detectors.values import mean_and_spread
from rangewise.detectors.windows import NEGLIGIBLE, calmest_window, normal_starts, outside, windows_at, windows_in
from rangewise.inputs.ranges import Ranges

_AT_ONCE = 8192
_BEYOND = 1.5


@dataclass(kw_only=True, eq=False)
class SubPCA(Detector):
    r"""Principal components of windows; the score of a window is the norm of its residual.

    .. math:: w_i = \sqrt{\tfrac{1}{n} |r - V V^T r|^2}, \quad r = x_{i \dots i + window} - \mu \qquad
        s_t = \min \{ w_i : i \le t < i + window \}

    x is the series in standard deviations of the training values, n the numbers in a window (of all channels), mu the mean training window
    and V its first components, as few as explain the ``share`` of the variance. A point has the smallest score of its windows, as in
    :class:`NearestWindow`. Scores are 0 or more; its own threshold is one and a half times the largest of the normal training
    points, and at least 0.015: the components were fitted to these points, so new points have somewhat larger residuals.

    >>> values = np.sin(np.arange(900) / 10)
    >>> values[700:720] += 0.5
    >>> detector = SubPCA(window=20).fit(values[:600])
    >>> Ranges.from_labels(detector.predict(values))
    Ranges([(700, 720)])
    """

    name: ClassVar[str] = "sub-pca"
    learns_from_labels: ClassVar[bool] = True

    window: int = 100
    share: float = 0.999

    def __post_init__(self) -> None:
        super().__post_init__()
        self.window = whole("window", self.window, least=2, most=LONGEST)
        self.share = number("share", self.share)
        if not 0.0 < self.share < 1.0:
            raise ValueError(f"share, the explained share of the variance, must be between 0 and 1; got {self.share}")

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        scale = mean_and_spread(array)
        scaled = (array - scale["mean"]) / scale["spread"]
        starts = normal_starts(array, self.window, real)
        pieces = np.array_split(starts, -(-len(starts) // _AT_ONCE))
        mean = sum((windows_at(scaled, self.window, some).sum(axis=0) for some in pieces), np.zeros(1)) / len(starts)
        size = len(mean)
        covariance = np.zeros((size, size))
        for some in pieces:
            centered = windows_at(scaled, self.window, some) - mean
            covariance += centered.T @ centered
        variances, components = np.linalg.eigh(covariance / len(starts))
        explained = np.cumsum(variances[::-1]) / variances.sum()
        kept = int(np.searchsorted(explained, self.share)) + 1
        return {**scale, "window_mean": mean, "components": components[:, ::-1][:, : min(kept, size)].copy()}

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        size = self.window * channels
        kept = self._state.get("components", np.empty((0, 1))).shape[-1:]
        return {"mean": (channels,), "spread": (channels,), "window_mean": (size,), "components": (size, *kept)}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        components, mean = self._learned("components"), self._learned("window_mean")
        scaled = (array - self._learned("mean")) / self._learned("spread")
        errors = np.empty(windows_in(scaled, self.window))
        for at in range(0, len(errors), _AT_ONCE):
            centered = windows_at(scaled, self.window, np.arange(at, min(at + _AT_ONCE, len(errors)))) - mean
            errors[at : at + _AT_ONCE] = np.sqrt(np.square(centered - (centered @ components) @ components.T).mean(axis=1))
        return calmest_window(errors, self.window)

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        return _BEYOND * max(float(outside(real, self._scores(array)).max()), NEGLIGIBLE)
