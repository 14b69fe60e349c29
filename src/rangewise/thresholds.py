"""Threshold policies. Each is a small value with one method, ``choose``.

A point is predicted if ``score >= threshold``. :class:`Fixed`, :class:`Quantile`, :class:`Sigma` and :class:`LogMAD` use only scores;
:class:`BestF` uses the labels of the given part, which must not be the test part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import unknown_name, whole
from rangewise.inputs.ranges import RangesLike
from rangewise.inputs.scores import read_scores, threshold_of
from rangewise.model.model import RangeModel

__all__ = ["BestF", "Fixed", "LogMAD", "Quantile", "Sigma", "ThresholdPolicy", "parse_policy"]


@runtime_checkable
class ThresholdPolicy(Protocol):
    """Anything that chooses a threshold from scores and, optionally, the labels of the same points."""

    def choose(self, scores: Any, real: RangesLike | None = None) -> float: ...


@dataclass(frozen=True)
class Fixed:
    """A constant threshold.

    >>> Fixed(0.5).choose([0.1, 0.9])
    0.5
    """

    value: float

    def __post_init__(self) -> None:
        if not _is_number(self.value) or math.isnan(self.value):
            raise ValueError(f"a fixed threshold must be a number; got {self.value!r}")

    def choose(self, scores: Any, real: RangesLike | None = None) -> float:
        return float(self.value)


@dataclass(frozen=True)
class Quantile:
    """The q-quantile of the scores, for an alert rate of about ``1 - q``.

    >>> Quantile(0.75).choose([1, 2, 3, 4, 5])
    4.0
    """

    q: float

    def __post_init__(self) -> None:
        if not _is_number(self.q) or not 0.0 <= self.q <= 1.0:
            raise ValueError(f"a quantile must be a number from 0 to 1; got {self.q!r}")

    def choose(self, scores: Any, real: RangesLike | None = None) -> float:
        with np.errstate(invalid="ignore"):  # between two scores of which one is infinite
            values = _scores(scores)
            threshold = float(values.max() if self.q == 1.0 else np.quantile(values, self.q))
        if math.isnan(threshold):
            raise ValueError(f"the {self.q:g}-quantile is between infinite scores and not a number; choose another, or a fixed threshold")
        return threshold


@dataclass(frozen=True)
class Sigma:
    """``k`` standard deviations above the mean of the scores.

    >>> Sigma(2).choose([1.0, 1.0, 3.0, 3.0])
    4.0
    """

    k: float = 3.0

    def __post_init__(self) -> None:
        if not _is_number(self.k) or not math.isfinite(self.k):
            raise ValueError(f"k must be a finite number; got {self.k!r}")

    def choose(self, scores: Any, real: RangesLike | None = None) -> float:
        values = _scores(scores).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            threshold = float(values.mean() + self.k * values.std())
        if not math.isfinite(threshold):
            largest = float(values[np.argmax(np.abs(values))])
            raise ValueError(f"scores as large as {largest:g} have no finite standard deviation; choose a quantile or a fixed threshold")
        return threshold


@dataclass(frozen=True)
class LogMAD:
    r"""``k`` robust deviations above the median of the logarithms of scores that are 0 or more, such as distances.

    .. math:: \exp \left( m + 1.4826\, k \, \mathrm{median} |\ln s - m| \right), \quad m = \mathrm{median} \ln s

    With the factor 1.4826, ``k`` has the same meaning as for :class:`Sigma` if the logarithms are normally distributed; a few large
    scores, such as unlabeled anomalies, hardly change it. Scores of 0 count as the smallest one above 0; it is an error if all are 0.

    >>> LogMAD(1).choose([1.0, 1.0, 1.0, 1.0, 1000.0])
    1.0
    >>> round(LogMAD(1).choose([0.5, 1.0, 2.0]), 3)
    2.795
    """

    k: float = 4.0

    def __post_init__(self) -> None:
        if not _is_number(self.k) or not math.isfinite(self.k):
            raise ValueError(f"k must be a finite number; got {self.k!r}")

    def choose(self, scores: Any, real: RangesLike | None = None) -> float:
        values = _scores(scores).astype(np.float64)
        if not (values.min() >= 0 and values.max() < np.inf):
            raise ValueError(
                f"log-mad is for finite scores of 0 or more, such as distances; these are from {values.min():g} to {values.max():g}: "
                "choose a quantile or sigma"
            )
        if not values.any():
            raise ValueError("all scores are 0, so log-mad has no logarithms; give a fixed threshold")
        logs = np.log(np.maximum(values, values[values > 0].min()))
        middle = float(np.median(logs))
        exponent = middle + self.k * _NORMAL * float(np.median(np.abs(logs - middle)))
        try:
            return math.exp(exponent)
        except OverflowError:
            raise ValueError(f"log-mad with k = {self.k:g} overflows for these scores; choose a smaller k, such as 4") from None


@dataclass(frozen=True)
class BestF:
    r"""The threshold with the largest F of a model, exact over all thresholds. Use it on a validation part, never on the test part.

    Every threshold above :math:`l`, the next lower score with another F, and up to the best one, :math:`t`, has the largest F. The result
    is the middle, so that slightly lower scores are still predicted: :math:`\sqrt{l t}` if both are above 0, otherwise
    :math:`(l + t) / 2`; :math:`t` if no score has another F. Of several such plateaus, the highest is used.

    ``close_gaps`` is that of the predictions that the threshold is for; a detector passes its own.

    >>> round(BestF().choose([0.1, 0.9, 0.8, 0.2], real=[0, 1, 1, 0]), 6)
    0.4
    """

    model: RangeModel = field(default_factory=RangeModel)
    close_gaps: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.model, RangeModel):
            raise TypeError(f"model must be a RangeModel; got {self.model!r:.60}")
        whole("close_gaps", self.close_gaps, least=0)

    def choose(self, scores: Any, real: RangesLike | None = None) -> float:
        low, best = self.plateau(scores, real)
        middle = plateau_middle(low, best)
        kind = _scores(scores).dtype
        # Scores are compared in their own type, which may have no value between two neighbors.
        own = float(kind.type(middle)) if kind.kind == "f" else middle
        return own if low < own <= best else best

    def plateau(self, scores: Any, real: RangesLike | None = None) -> tuple[float, float]:
        """``(low, best)``: every threshold above ``low`` and up to ``best`` has the largest F; ``low`` is -inf if no score is lower."""
        if real is None:
            raise ValueError("BestF needs the real ranges of a validation part: choose(scores, real=...)")
        _scores(scores)
        # The scores as given, because their index is compared with that of the real side.
        curve = self.model.curve(real, scores, close_gaps=self.close_gaps)
        best = curve.best(warn=False).threshold
        # Several thresholds may have the largest F.
        f = np.nan_to_num(curve.f, nan=-1.0)
        first = int(np.flatnonzero(curve.thresholds == best)[0])
        lower = first + int(np.argmax(np.append(f[first:] != f[first], True)))
        return (threshold_of(curve.thresholds[lower]) if lower < len(f) else -math.inf), threshold_of(curve.thresholds[first])


def plateau_middle(low: float, best: float) -> float:
    """A threshold above ``low`` and up to ``best``: the middle, on a log scale if both are above 0."""
    if not (math.isfinite(low) and math.isfinite(best)):
        return best
    return math.sqrt(low) * math.sqrt(best) if low > 0.0 else low + (best - low) / 2


_POLICIES: dict[str, Callable[[float], ThresholdPolicy]] = {
    "fixed": Fixed, "quantile": Quantile, "sigma": Sigma, "log-mad": LogMAD,
}  # fmt: skip
_NORMAL = 1.4826
"""The standard deviation of a normal distribution, in median absolute deviations."""


def parse_policy(text: str, model: RangeModel | None = None) -> ThresholdPolicy:
    """``0.5`` or ``fixed:0.5``, ``quantile:0.99``, ``sigma:3``, ``log-mad:4``, ``best-f`` (with ``model``), as on the command line.

    >>> parse_policy("quantile:0.99")
    Quantile(q=0.99)
    """
    if text == "best-f":
        return BestF(model or RangeModel())
    name, separator, value = text.rpartition(":")
    kind = name if separator else "fixed"
    if kind == "best-f":
        raise ValueError(f"best-f takes no number; got {text!r}")
    if kind not in _POLICIES:
        raise unknown_name("a threshold policy", kind, (*_POLICIES, "best-f"))
    try:
        number = float(value)
    except ValueError:
        raise ValueError(f"a threshold must be a number, quantile:Q, sigma:K, log-mad:K or best-f; got {text!r}") from None
    return _POLICIES[kind](number)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _scores(scores: Any) -> NDArray[Any]:
    values = read_scores(scores)
    if not len(values):
        raise ValueError("there are no scores to choose a threshold from")
    return values
