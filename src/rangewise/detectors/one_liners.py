"""One-liners: detectors of one line of code, which should not solve a benchmark (Wu and Keogh 2021)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import LONGEST, whole
from rangewise.detectors.base import Detector, Scores, State
from rangewise.detectors.luminol_default import above
from rangewise.detectors.values import mean_and_spread
from rangewise.detectors.windows import outside
from rangewise.inputs.ranges import Ranges
from rangewise.metrics.buffers import dominant_period

_SIGMAS = 3.0
_AT_ONCE = 8192
_LONGEST_PERIOD = 2000


@dataclass(kw_only=True, eq=False)
class OneLiner(Detector):
    """The base class of one-liners: channels are scaled by the standard deviations of the values given to ``fit``, and the largest is used.

    A channel that is constant in ``fit`` is not scaled. The default threshold is three standard deviations above the mean of the scores of
    the normal training points; a score that equals it is not anomalous.
    """

    learns_from_labels: ClassVar[bool] = True

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        return {**mean_and_spread(array, constant_is_error=False)}

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        return {"mean": (channels,), "spread": (channels,)}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        scores: Scores = self._line((array - self._learned("mean")) / self._learned("spread")).max(axis=1)
        return scores

    @abstractmethod
    def _line(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """One score per point and channel."""

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        scores = outside(real, self._scores(array))
        return above(float(scores.mean() + _SIGMAS * scores.std())) if len(scores) else 0.0


@dataclass(kw_only=True, eq=False)
class AbsoluteDifference(OneLiner):
    r"""The absolute difference from the previous value.

    .. math:: s_i = \max_c |z_{ic} - z_{i-1,c}|

    ``z`` are the values in standard deviations. The first point scores 0. The squared difference ranks points the same way.

    >>> AbsoluteDifference().fit([0.0, 2.0]).decision_function([1.0, 1.0, 4.0, 4.0]).tolist()
    [0.0, 0.0, 3.0, 0.0]
    """

    name: ClassVar[str] = "absolute-difference"

    def _line(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.abs(np.diff(scaled, axis=0, prepend=scaled[:1]))


@dataclass(kw_only=True, eq=False)
class Value(OneLiner):
    r"""The value itself; ``sign=-1`` for series whose anomalies are low.

    .. math:: s_i = \max_c \pm z_{ic}

    >>> Value().fit([0.0, 2.0]).decision_function([1.0, 4.0]).tolist()
    [0.0, 3.0]
    """

    name: ClassVar[str] = "value"

    sign: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sign = whole("sign", self.sign, least=-1, most=1)
        if not self.sign:
            raise ValueError(f"sign must be 1 (high values are anomalous) or -1 (low values); got {self.sign!r}")

    def _line(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.sign * scaled


@dataclass(kw_only=True, eq=False)
class _Moving(OneLiner):
    """A statistic of the window around each point, cut at both ends of the series."""

    window: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        self.window = whole("window", self.window, least=2, most=LONGEST)


@dataclass(kw_only=True, eq=False)
class MovingStd(_Moving):
    r"""The standard deviation of the ``window`` points around each point.

    .. math:: s_i = \max_c \sigma_c [i - \lfloor w / 2 \rfloor,\ i + \lceil w / 2 \rceil)

    The window is centered and cut at the ends of the series, so the score looks half a window ahead. The moving variance ranks points the
    same way.

    >>> MovingStd(window=2).fit([0.0, 2.0]).decision_function([1.0, 1.0, 5.0, 5.0]).tolist()
    [0.0, 0.0, 2.0, 0.0]
    """

    name: ClassVar[str] = "moving-std"

    def _line(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        return _over_windows(scaled, self.window, lambda rows: np.nanstd(rows, axis=-1))


@dataclass(kw_only=True, eq=False)
class MovingRange(_Moving):
    r"""The maximum minus the minimum of the ``window`` points around each point.

    .. math:: s_i = \max_c (\max - \min)\, z_c [i - \lfloor w / 2 \rfloor,\ i + \lceil w / 2 \rceil)

    The window is centered and cut at the ends of the series.

    >>> MovingRange(window=2).fit([0.0, 2.0]).decision_function([1.0, 1.0, 5.0, 5.0]).tolist()
    [0.0, 0.0, 4.0, 0.0]
    """

    name: ClassVar[str] = "moving-range"

    def _line(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        return _over_windows(scaled, self.window, lambda rows: np.nanmax(rows, axis=-1) - np.nanmin(rows, axis=-1))


@dataclass(kw_only=True, eq=False)
class MedianDeviation(_Moving):
    r"""The distance of a point from the median of the ``window`` points around it.

    .. math:: s_i = \max_c |z_{ic} - \operatorname{median} z_c [i - \lfloor w / 2 \rfloor,\ i + \lceil w / 2 \rceil)|

    The window is centered and cut at the ends of the series.

    >>> MedianDeviation(window=3).fit([0.0, 2.0]).decision_function([1.0, 1.0, 5.0, 1.0, 1.0]).tolist()
    [0.0, 0.0, 4.0, 0.0, 0.0]
    """

    name: ClassVar[str] = "median-deviation"

    window: int = 25

    def _line(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.abs(scaled - _over_windows(scaled, self.window, _median))


@dataclass(kw_only=True, eq=False)
class SeasonalDifference(OneLiner):
    r"""The absolute difference from the value one period before.

    .. math:: s_i = \max_c |z_{ic} - z_{i-p,c}|

    By default, ``period`` is estimated from the first channel of the values given to ``fit`` (:func:`rangewise.metrics.dominant_period`, up
    to 2,000 points), and is 1 if they have none. The first period scores 0.

    >>> SeasonalDifference(period=2).fit([0.0, 2.0]).decision_function([0.0, 1.0, 0.0, 4.0, 0.0]).tolist()
    [0.0, 0.0, 0.0, 3.0, 0.0]
    """

    name: ClassVar[str] = "seasonal-difference"

    period: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period is not None:
            self.period = whole("period", self.period, least=1, most=LONGEST)

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        period = self.period or max(1, dominant_period(array[:, 0], longest=_LONGEST_PERIOD))
        return {**super()._learn(array, real), "period": np.array(period, dtype=np.float64)}

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        return {**super()._learned_shapes(channels), "period": ()}

    def _line(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        period = int(self._learned("period"))
        differences = np.zeros_like(scaled)
        differences[period:] = np.abs(scaled[period:] - scaled[: max(0, len(scaled) - period)])
        return differences


ONE_LINERS: dict[str, type[OneLiner]] = {
    kind.name: kind for kind in (AbsoluteDifference, MovingStd, MovingRange, MedianDeviation, SeasonalDifference, Value)
}
"""The one-liners by name, in the order of reports."""


def _over_windows(
    scaled: NDArray[np.float64], window: int, reduce: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """A number of the centered window of each point, by channel; what lies beyond the ends is nan, which ``reduce`` leaves out."""
    before = window // 2
    edges = ((before, window - before - 1), (0, 0))
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(scaled, edges, constant_values=np.nan), window, axis=0)
    reduced = np.empty_like(scaled)
    for first in range(0, len(scaled), _AT_ONCE):
        reduced[first : first + _AT_ONCE] = reduce(windows[first : first + _AT_ONCE])
    return reduced


def _median(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    # nanmedian is a hundred times slower: only windows at the ends of the series need it.
    whole_rows = ~np.isnan(rows).any(axis=(1, 2))
    medians = np.empty(rows.shape[:2])
    medians[whole_rows] = np.median(rows[whole_rows], axis=-1)
    medians[~whole_rows] = np.nanmedian(rows[~whole_rows], axis=-1)
    return medians
