"""Windows of a series: Windowed applies a detector of rows, such as PyOD's, to windows; the functions are for built-in detectors."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import LONGEST, unknown_name, whole
from rangewise.detectors.base import Detector, DetectorLike, Scores, State, TooShortError, check_detector
from rangewise.detectors.luminol_default import above
from rangewise.inputs.ranges import Ranges

_MERGES = ("max", "mean")

NEGLIGIBLE = 0.01
"""Windows closer than this many standard deviations are considered equal."""


@dataclass(kw_only=True, eq=False)
class Windowed(Detector):
    r"""Apply ``detector`` to windows of ``length`` points of all channels; a point's score merges the scores of its windows.

    .. math:: s_t = \max \{ w_i : i \le t < i + length \} \quad \text{(or their mean, with merge="mean")}

    ``detector`` is any object with ``fit``, ``decision_function`` and ``predict`` over rows. Its own ``threshold_`` is used: with > for
    detectors of other libraries (PyOD's rule), with >= for built-in ones. scikit-learn's outlier detectors return lower numbers for more
    anomalous rows, and negative numbers for outliers: their sign is flipped, and their threshold is 0. If the detector has no threshold,
    give ``threshold``. ``fit`` fits a copy, so that several Windowed detectors can be made with one object; ``.detector`` is then that
    copy. A Windowed detector cannot be saved.

    >>> from rangewise.detectors import ZScore
    >>> values = [0.0, 1.0] * 10 + [9.0] + [0.0, 1.0] * 10
    >>> Windowed(detector=ZScore(), length=3).fit(values).predict(values).nonzero()[0].tolist()
    [18, 19, 20, 21, 22]
    """

    name: ClassVar[str] = "windowed"

    detector: DetectorLike
    length: int = 10
    merge: Literal["max", "mean"] = "max"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_detector(self.detector)
        self.length = whole("length", self.length, least=1, most=LONGEST)
        if self.merge not in _MERGES:
            raise unknown_name("merge", self.merge, _MERGES)

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        self.detector = _own(self.detector)
        self.detector.fit(self._rows(array))
        return {"fitted": np.array(1)}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        self._learned("fitted")
        rows = self._rows(array)
        window_scores = np.asarray(self.detector.decision_function(rows), dtype=np.float64)
        if window_scores.shape != (len(rows),):
            raise ValueError(
                f"the detector gave scores of shape {window_scores.shape} for {len(rows)} windows; expected one score per window"
            )
        for at in np.flatnonzero(np.isnan(window_scores))[:1]:
            raise ValueError(
                f"the detector gave nan for the window of points {at} to {at + self.length - 1}; scores must be numbers (inf is one)"
            )
        if _lower_is_anomalous(self.detector):
            window_scores = -window_scores
        # A point near either end is in fewer windows; missing windows are skipped in the maximum or the mean.
        edge = np.full(self.length - 1, np.nan)
        windows = np.lib.stride_tricks.sliding_window_view(np.concatenate([edge, window_scores, edge]), self.length)
        scores: Scores = (np.nanmax if self.merge == "max" else np.nanmean)(windows, axis=1)
        return scores

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        theirs: Any = 0.0 if _lower_is_anomalous(self.detector) else getattr(self.detector, "threshold_", None)
        if theirs is None:
            raise ValueError(f"{type(self.detector).__name__} has no threshold_; give threshold, a number or a policy")
        return float(theirs) if isinstance(self.detector, Detector) else above(float(theirs))

    def _rows(self, array: NDArray[np.float64]) -> NDArray[np.float64]:
        return windows_at(array, self.length, np.arange(windows_in(array, self.length)))


def windows_in(array: NDArray[np.float64], length: int) -> int:
    """The number of windows of that length in the series; none is an error."""
    if len(array) < length:
        raise TooShortError(f"the series has {len(array)} points, fewer than the window's {length}; give more, or a smaller window")
    return len(array) - length + 1


def windows_at(array: NDArray[np.float64], length: int, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The windows that begin at these rows, one per row: all points of the first channel, then of the next."""
    return np.lib.stride_tricks.sliding_window_view(array, length, axis=0)[starts].reshape(len(starts), -1)


def normal_starts(array: NDArray[np.float64], length: int, real: Ranges | None) -> NDArray[np.int64]:
    """The starts of the windows of a training part without a real range."""
    windows_in(array, length)
    windows = normal_windows((real or Ranges()).to_labels(len(array)), length)
    if not len(windows):
        raise ValueError(f"no window of {length} training points is free of real ranges; give more normal rows, or a smaller window")
    return windows


def normal_windows(labels: NDArray[np.uint8], length: int) -> NDArray[np.int64]:
    """The starts of the windows of that length without an anomaly."""
    before = np.concatenate([[0], np.cumsum(labels, dtype=np.int64)])
    return np.flatnonzero(before[length:] == before[: max(0, len(before) - length)])


def outside(real: Ranges | None, scores: Scores) -> Scores:
    """The scores of the points outside all real ranges."""
    normal: Scores = scores[(real or Ranges()).to_labels(len(scores)) == 0]
    return normal


def calmest_window(window_scores: Scores, length: int) -> Scores:
    """One score per point from one score per window: the minimum over the windows of the point.

    Every window of an anomalous point contains it; a normal point beside it also has windows without it.

    >>> calmest_window(np.array([0.0, 5.0, 5.0, 0.0]), 2).tolist()
    [0.0, 0.0, 5.0, 0.0, 0.0]
    """
    edge = np.full(length - 1, np.inf)
    scores: Scores = np.lib.stride_tricks.sliding_window_view(np.concatenate([edge, window_scores, edge]), length).min(axis=1)
    return scores


def _own(detector: DetectorLike) -> DetectorLike:
    try:
        return copy.deepcopy(detector)
    except (TypeError, ValueError, NotImplementedError, AttributeError):
        return detector  # it holds something that has no copy, such as a session of a runtime


def _lower_is_anomalous(detector: Any) -> bool:
    """Whether it is an outlier detector of scikit-learn, by its mixin; for a pipeline, that of its last step.

    Tags do not help: PyOD's detectors, whose higher scores are anomalous, have the same.
    """
    if steps := getattr(detector, "steps", None):
        return _lower_is_anomalous(steps[-1][1])
    return any((kind.__module__, kind.__name__) == ("sklearn.base", "OutlierMixin") for kind in type(detector).__mro__)
