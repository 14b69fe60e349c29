"""NearestWindow: the distance of each window of a series to the nearest training window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import LONGEST, whole
from rangewise.detectors.base import Detector, Scores, State
from rangewise.detectors.values import mean_and_spread
from rangewise.detectors.windows import NEGLIGIBLE, calmest_window, normal_starts, outside, windows_at, windows_in
from rangewise.inputs.ranges import Ranges
from rangewise.thresholds import LogMAD

# The minimum standard deviation of a window relative to that of the training values, so that a flat window does not become noise.
_FLATTEST = 0.01
_AT_ONCE = 256


@dataclass(kw_only=True, eq=False)
class NearestWindow(Detector):
    r"""The distance of each window to the nearest training window; the score of a point is the minimum over its windows.

    .. math:: w_i = \min_j \sqrt{\tfrac{1}{n} \sum_k (x_{i+k} - y_{j+k})^2} \qquad s_t = \min \{ w_i : i \le t < i + window \}

    x is the series and y the training values, both in standard deviations of the training values, n the numbers in a window (of all
    channels). The minimum keeps the edges of ranges: every window of an anomalous point contains it, but a normal point beside it has
    windows without it. ``normalize=True`` compares shapes: each window is first standardized, channel by channel. Scores are 0 or more.

    At most ``most`` training windows are kept, drawn at random with ``seed``, so that the time depends only on the length of the series.
    The nearest window is searched in single precision by matrix products, and its distance computed in double. The default threshold is
    :class:`~rangewise.thresholds.LogMAD` of the training points' scores, with each window compared with those that do not overlap it, and
    at least 0.01.

    >>> values = np.sin(np.arange(900) / 10)
    >>> values[700:720] += 0.5
    >>> detector = NearestWindow(window=20).fit(values[:600])
    >>> Ranges.from_labels(detector.predict(values))
    Ranges([(700, 720)])
    """

    name: ClassVar[str] = "nearest-window"
    learns_from_labels: ClassVar[bool] = True

    window: int = 100
    normalize: bool = False
    most: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.window = whole("window", self.window, least=2, most=LONGEST)
        self.most = whole("most", self.most, least=1, most=LONGEST)
        self.seed = whole("seed", self.seed, least=0)
        if not isinstance(self.normalize, bool):
            raise TypeError(f"normalize must be True or False; got {self.normalize!r}")

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        scale = mean_and_spread(array)
        starts = normal_starts(array, self.window, real)
        if len(starts) > self.most:
            starts = np.sort(np.random.default_rng(self.seed).choice(starts, self.most, replace=False))
        windows = self._rows((array - scale["mean"]) / scale["spread"], starts)
        return {**scale, "starts": starts.astype(np.float64), "windows": windows}

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        kept = max(1, len(np.atleast_1d(self._state.get("starts", np.empty(0)))))
        return {"mean": (channels,), "spread": (channels,), "starts": (kept,), "windows": (kept, self.window * channels)}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        return calmest_window(self._distances(array, apart=0), self.window)

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        return LogMAD().choose(np.maximum(outside(real, self._held_out(array, real)[0]), NEGLIGIBLE))

    def _held_out(self, array: NDArray[np.float64], real: Ranges | None) -> tuple[Scores, Ranges | None]:
        # In a training part shorter than three windows, some windows overlap all others.
        apart = min(self.window, windows_in(array, self.window) // 2)
        return calmest_window(self._distances(array, apart=apart), self.window), real

    def _distances(self, array: NDArray[np.float64], *, apart: int) -> Scores:
        """Each window's distance to the nearest training window that begins at least ``apart`` rows from it."""
        scaled = (array - self._learned("mean")) / self._learned("spread")
        count = windows_in(scaled, self.window)
        known, starts = self._learned("windows"), self._learned("starts")
        # |x - y|^2 = |x|^2 + (x, 1) (-2 y, |y|^2)': the first term is the same for all y.
        weights = np.concatenate([-2.0 * known, np.square(known).sum(axis=1, keepdims=True)], axis=1).astype(np.float32).T.copy()
        distances = np.empty(count)
        for at in range(0, count, _AT_ONCE):
            chosen = np.arange(at, min(at + _AT_ONCE, count))
            rows = self._rows(scaled, chosen)
            products = np.concatenate([rows, np.ones((len(rows), 1))], axis=1).astype(np.float32) @ weights
            if apart:
                near = np.searchsorted(starts, chosen - apart, side="right"), np.searchsorted(starts, chosen + apart, side="left")
                for row, first, stop in zip(products, *near, strict=True):
                    row[first:stop] = np.inf
            nearest = known[products.argmin(axis=1)]
            distances[at : at + len(rows)] = np.sqrt(np.square(rows - nearest).mean(axis=1))
        return distances

    def _rows(self, scaled: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The windows that begin there, one per row, normalized if requested."""
        rows = windows_at(scaled, self.window, starts)
        if not self.normalize:
            return rows
        channels = rows.reshape(len(rows), -1, self.window)
        channels = channels - channels.mean(axis=2, keepdims=True)
        spread = np.maximum(channels.std(axis=2, keepdims=True), _FLATTEST)
        forms: NDArray[np.float64] = (channels / spread).reshape(len(rows), -1)
        return forms
