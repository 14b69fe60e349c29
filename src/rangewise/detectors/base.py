"""What a detector is: ``fit``, ``decision_function``, ``predict`` and ``threshold_``, in PyOD's words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rangewise.detectors.values import Impute, Values, check_impute, read_values
from rangewise.ranges import Ranges, RangesLike, read_side
from rangewise.thresholds import ThresholdPolicy

Scores: TypeAlias = NDArray[np.float64]
State: TypeAlias = dict[str, NDArray[Any]]


class NotFittedError(ValueError, AttributeError):
    """Asked for something that ``fit`` learns, before ``fit``. An AttributeError too, so that ``hasattr`` answers."""


class TooShortError(ValueError):
    """The series, or its training part, has fewer points than the detector needs."""


@runtime_checkable
class DetectorLike(Protocol):
    """Any object with these three methods is a detector, PyOD's among them: no base class is asked for."""

    def fit(self, values: Any, /) -> Any: ...
    def decision_function(self, values: Any, /) -> Any: ...
    def predict(self, values: Any, /) -> Any: ...


@dataclass(kw_only=True, eq=False)
class Detector(ABC):
    """What our detectors share. Settings are the fields; what ``fit`` learns is kept apart, as arrays that can be saved.

    ``threshold`` is a number, a rule of :mod:`rangewise.thresholds`, or None for the detector's own rule. ``impute`` is None (a value
    that is not finite is an error), ``"linear"`` or ``"previous"``.
    """

    name: ClassVar[str]
    """How the command line calls the detector."""
    reads_labels: ClassVar[bool] = True
    """Whether ``fit`` looks at ``real`` at all."""

    impute: Impute | None = None
    threshold: float | ThresholdPolicy | None = None
    _state: State = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_impute(self.impute)
        rule = self.threshold
        if rule is not None and not hasattr(rule, "choose"):
            if isinstance(rule, bool) or not isinstance(rule, (int, float, np.number)) or np.isnan(rule):
                raise TypeError(f"threshold is a number, a rule with .choose(scores, real), or None; got {rule!r}")
            self.threshold = float(rule)

    def fit(self, values: Values, real: RangesLike | None = None) -> Self:
        """Learn from ``values``, and from ``real``, their anomalies, where the detector uses labels. Returns itself."""
        array = read_values(values, self.impute)
        known = check_real(real, len(array)) if real is not None and self.reads_labels else None
        self._state = {**self._learn(array, known), "channels": np.array(array.shape[1])}
        self.threshold_ = self._chosen_threshold(array, known)
        return self

    def decision_function(self, values: Values) -> Scores:
        """One score a point; higher is more anomalous."""
        return self._scores(self._read(values))

    def predict(self, values: Values) -> NDArray[np.uint8]:
        """1 where the score is ``threshold_`` or more, else 0; one label a point."""
        threshold = self.threshold_
        return (self.decision_function(values) >= threshold).view(np.uint8)

    @property
    def threshold_(self) -> float:
        """A point with this score or a higher one is predicted anomalous. Set by ``fit``; may be set by hand after it."""
        return float(self._learned("threshold"))

    @threshold_.setter
    def threshold_(self, threshold: float) -> None:
        self._state["threshold"] = np.array(threshold, dtype=np.float64)

    def save(self, path: str | Path) -> None:
        """Write settings and what was learned to one file, without pickle; :func:`rangewise.detectors.load` reads it."""
        from rangewise.detectors.storage import save

        save(self, path)

    @abstractmethod
    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        """What ``fit`` learns, as arrays by name."""

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        """The names and shapes of what ``_learn`` gives for so many channels: a saved array of another shape is refused."""
        return {}

    @abstractmethod
    def _scores(self, array: NDArray[np.float64]) -> Scores:
        """One score for each row of checked values."""

    @abstractmethod
    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        """The threshold when the user gives none."""

    def _held_out(self, array: NDArray[np.float64], real: Ranges | None) -> tuple[Scores, Ranges | None]:
        """The scores, and their real ranges, that a user's threshold rule sees in ``fit``."""
        return self._scores(array), real

    def _chosen_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        if self.threshold is None:
            return self._own_threshold(array, real)
        if isinstance(self.threshold, float):
            return self.threshold
        return self.threshold.choose(*self._held_out(array, real))

    def _read(self, values: Values) -> NDArray[np.float64]:
        array = read_values(values, self.impute)
        fitted = self._state.get("channels")
        if fitted is not None and array.shape[1] != fitted:
            raise ValueError(f"values have {array.shape[1]} channels, but {type(self).__name__} was fitted on {fitted}")
        return array

    def _learned(self, name: str) -> NDArray[Any]:
        if name not in self._state:
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit(values) first")
        return self._state[name]


def check_detector(detector: object) -> DetectorLike:
    """The object itself, if it has the three methods."""
    missing = [name for name in ("fit", "decision_function", "predict") if not callable(getattr(detector, name, None))]
    if missing or isinstance(detector, type):
        way_out = "make an object of it first" if isinstance(detector, type) else f"it lacks {', '.join(missing)}"
        raise TypeError(f"a detector has fit, decision_function and predict; got {detector!r}: {way_out}")
    return detector  # type: ignore[return-value]


def check_real(real: RangesLike, points: int) -> Ranges:
    """The real ranges of a series of that many points."""
    ranges, labels = read_side(real, "real")
    # An empty list may be labels or ranges: no anomalies, as either.
    if labels and labels != points:
        raise ValueError(f"values have {points} points and real has {labels} labels; give one label a point")
    if len(ranges) and ranges.stops[-1] > points:
        raise ValueError(f"values have {points} points, but a real range stops at {ranges.stops[-1]}")
    return ranges
