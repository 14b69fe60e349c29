"""The interface of detectors: ``fit``, ``decision_function``, ``predict`` and ``threshold_``, as in PyOD."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import LONGEST, did_you_mean, shown, whole
from rangewise.detectors.values import Impute, Values, check_impute, read_values
from rangewise.inputs.ranges import Ranges, RangesLike, read_side
from rangewise.thresholds import BestF, ThresholdPolicy

if TYPE_CHECKING:
    from rangewise.detectors.function import FunctionDetector

Scores: TypeAlias = NDArray[np.float64]
State: TypeAlias = dict[str, NDArray[Any]]


class NotFittedError(ValueError, AttributeError):
    """The detector is not fitted yet. Also an AttributeError, so that ``hasattr`` works."""


class TooShortError(ValueError):
    """The series, or its training part, has fewer points than the detector needs."""


@runtime_checkable
class DetectorLike(Protocol):
    """Any object with these three methods is a detector, such as PyOD's; no base class is needed."""

    def fit(self, values: Any, /) -> Any: ...
    def decision_function(self, values: Any, /) -> Any: ...
    def predict(self, values: Any, /) -> Any: ...


@dataclass(kw_only=True, eq=False)
class Detector(ABC):
    """The base class of built-in detectors. The fields are the settings; what ``fit`` learns is stored separately, as arrays.

    ``threshold`` is a number, a rule of :mod:`rangewise.thresholds`, or None for the detector's own rule. ``impute`` is None (missing and
    infinite values are errors), ``"linear"`` or ``"previous"``. ``close_gaps`` joins predictions with gaps of at most this many points.

    A detector is a binary classifier in the sense of scikit-learn: 1 is anomalous, 0 is normal, and higher scores are more anomalous.
    :class:`Windowed` converts scikit-learn's outlier detectors, which return -1 and 1.
    """

    name: ClassVar[str]
    """The name on the command line."""
    reads_labels: ClassVar[bool] = True
    """Whether ``fit`` uses ``real`` at all."""
    learns_from_labels: ClassVar[bool] = False
    """Whether ``real`` affects what is learned, or the detector's own threshold; threshold rules such as best-f always use it."""

    impute: Impute | None = None
    threshold: float | ThresholdPolicy | None = None
    close_gaps: int = 0
    _state: State = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_impute(self.impute)
        rule = self.threshold
        # NumPy's numbers have a method choose too.
        if rule is not None and (isinstance(rule, (np.generic, np.ndarray)) or not hasattr(rule, "choose")):
            if isinstance(rule, bool) or not isinstance(rule, (int, float, np.number)) or math.isnan(rule):
                raise TypeError(f"threshold must be a number, a rule with .choose(scores, real), or None; got {rule!r}")
            self.threshold = float(rule)
        self.close_gaps = whole("close_gaps", self.close_gaps, least=0, most=LONGEST)

    def fit(self, values: Values, real: RangesLike | None = None) -> Self:
        """Fit to ``values``, and to their anomalies ``real`` if the detector uses labels. Returns itself."""
        array = read_values(values, self.impute)
        known = check_real(real, len(array)) if real is not None and self.reads_labels else None
        self._state = {**self._learn(array, known), "channels": np.array(array.shape[1])}
        self.threshold_ = self._chosen_threshold(array, known)
        return self

    def decision_function(self, values: Values) -> Scores:
        """One score per point; higher is more anomalous."""
        return self._scores(self._read(values))

    def predict(self, values: Values) -> NDArray[np.uint8]:
        """One label per point: 1 if the score is ``threshold_`` or more, or in a gap that ``close_gaps`` closes, otherwise 0."""
        # Checked before any work.
        self._learned("threshold")
        return self.labels(self.decision_function(values))

    def labels(self, scores: Scores) -> NDArray[np.uint8]:
        """The labels of given scores: only the last step of :meth:`predict`."""
        labels: NDArray[np.uint8] = (scores >= self.threshold_).view(np.uint8)
        return Ranges.from_labels(labels).close_gaps(self.close_gaps).to_labels(len(labels)) if self.close_gaps else labels

    @property
    def threshold_(self) -> float:
        """Points with this score or a higher one are predicted anomalous. Set by ``fit``; you can change it afterwards."""
        return float(self._learned("threshold"))

    @threshold_.setter
    def threshold_(self, threshold: float) -> None:
        # A new state, because shallow copies of the detector share the old one.
        self._state = {**self._state, "threshold": np.array(threshold, dtype=np.float64)}

    def save(self, path: str | Path) -> None:
        """Write the fitted detector to one file, without pickle; :func:`rangewise.detectors.load` reads it."""
        from rangewise.detectors.storage import save

        save(self, path)

    @staticmethod
    def from_function(
        function: Callable[[NDArray[np.float64]], Any],
        *,
        threshold: float | ThresholdPolicy | None = None,
        impute: Impute | None = None,
        close_gaps: int = 0,
    ) -> FunctionDetector:
        """A function ``values -> scores`` as a detector: see :class:`~rangewise.detectors.FunctionDetector`.

        >>> distance = Detector.from_function(lambda values: abs(values - np.median(values)), threshold=2.0)
        >>> distance.fit([1.0, 1.0, 5.0]).predict([1.0, 1.0, 5.0]).tolist()
        [0, 0, 1]
        """
        from rangewise.detectors.function import FunctionDetector

        return FunctionDetector(function=function, threshold=threshold, impute=impute, close_gaps=close_gaps)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name, as in scikit-learn; ``deep`` adds those of a nested detector, as ``detector__name``."""
        settings = {item.name: getattr(self, item.name) for item in fields(self) if item.init}
        if deep:
            for name, value in list(settings.items()):
                if callable(getattr(value, "get_params", None)) and not isinstance(value, type):
                    settings |= {f"{name}__{inner}": setting for inner, setting in value.get_params().items()}
        return settings

    def set_params(self, **settings: Any) -> Self:
        """Change settings, with validation; ``detector__name`` is a setting of a nested detector. Returns itself."""
        own, inner = self.get_params(deep=False), dict[str, dict[str, Any]]()
        for name, value in settings.items():
            outer, _, rest = name.partition("__")
            if outer not in own:
                raise ValueError(f"{type(self).__name__} has no setting {shown(outer)}; it has {', '.join(own)}{did_you_mean(outer, own)}")
            if rest:
                inner.setdefault(outer, {})[rest] = value
            else:
                own[name] = value
        for outer, changed in inner.items():
            if not callable(getattr(own[outer], "set_params", None)):
                raise ValueError(
                    f"{outer} is {shown(own[outer])}, which has no settings of its own that can be changed here ({', '.join(changed)}); "
                    f"give a new value of {outer}"
                )
            own[outer].set_params(**changed)
        checked = type(self)(**own)
        for name in own:
            setattr(self, name, getattr(checked, name))
        return self

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The classes of ``predict``: 0, and 1 for anomalous."""
        self._learned("channels")
        return np.array([0, 1])

    def __sklearn_clone__(self) -> Self:
        from sklearn.base import clone

        # scikit-learn's clone refuses settings that the constructor converts, such as a list to a tuple.
        return type(self)(**{name: clone(value, safe=False) for name, value in self.get_params(deep=False).items()})

    def __sklearn_is_fitted__(self) -> bool:
        return bool(self._state)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            classifier_tags=ClassifierTags(multi_class=False),
            regressor_tags=None,
            input_tags=InputTags(one_d_array=True),
        )

    @abstractmethod
    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        """What ``fit`` learns, as arrays by name."""

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        """The names and shapes of the arrays of ``_learn`` for this number of channels, to validate saved arrays."""
        return {}

    @abstractmethod
    def _scores(self, array: NDArray[np.float64]) -> Scores:
        """One score for each row of checked values."""

    @abstractmethod
    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        """The threshold if the user gives none."""

    def _held_out(self, array: NDArray[np.float64], real: Ranges | None) -> tuple[Scores, Ranges | None]:
        """The scores and real ranges for a user's threshold rule in ``fit``."""
        return self._scores(array), real

    def _chosen_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        if self.threshold is None:
            return self._own_threshold(array, real)
        if isinstance(self.threshold, float):
            return self.threshold
        # The best F is that of the predictions with closed gaps.
        rule = replace(self.threshold, close_gaps=self.close_gaps) if isinstance(self.threshold, BestF) else self.threshold
        return rule.choose(*self._held_out(array, real))

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
        way_out = "create an instance first" if isinstance(detector, type) else f"it lacks {', '.join(missing)}"
        raise TypeError(f"a detector needs fit, decision_function and predict; got {detector!r}: {way_out}")
    return detector  # type: ignore[return-value]


def check_real(real: RangesLike, points: int) -> Ranges:
    """The real ranges of a series of that many points."""
    ranges, labels = read_side(real, "real")
    # An empty list may be labels or ranges; both mean no anomalies.
    if labels and labels != points:
        raise ValueError(f"values have {points} points, but real has {labels} labels; give one label per point")
    if len(ranges) and ranges.stops[-1] > points:
        raise ValueError(f"values have {points} points, but a real range stops at {ranges.stops[-1]}")
    return ranges
