"""The two relaxations of the model: the settings that each supports, and its calls of the kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import unknown_name
from rangewise.inputs.ranges import Ranges
from rangewise.model.cardinality import takes_length
from rangewise.model.model import RangeModel
from rangewise.model.rewards import scores_as_points

Relaxation: TypeAlias = Literal["soft", "sweep"]
TargetName: TypeAlias = Literal["f", "recall", "precision"]
BatchRule: TypeAlias = Literal["pooled", "mean"]
Derivative: TypeAlias = Callable[[int], float]
"""``(overlaps) -> slope`` of a custom cardinality at 1, 2, 3, ..."""

RELAXATIONS = ("soft", "sweep")
TARGETS = ("f", "recall", "precision")
BATCHES = ("pooled", "mean")
_SIDES: Mapping[str, Literal["real", "predicted"]] = {"recall": "real", "precision": "predicted"}
"""The two scores, and the ranges that each rewards."""


@dataclass(frozen=True)
class RelaxedModel:
    """A model for probabilities, which training maximizes. Validates itself."""

    model: RangeModel
    relaxation: Relaxation
    target: TargetName
    batch: BatchRule
    derivatives: Mapping[str, Derivative]

    def __post_init__(self) -> None:
        for name, value, known in (
            ("relaxation", self.relaxation, RELAXATIONS),
            ("target", self.target, TARGETS),
            ("batch", self.batch, BATCHES),
        ):
            if value not in known:
                raise unknown_name(name, value, known)
        if not isinstance(self.model, RangeModel):
            raise TypeError(f"model must be a RangeModel; got {self.model!r:.60}")
        if self.model.size is not None:
            raise ValueError("a model with a size function has no gradient; use a bias instead, and leave size out")
        if math.isnan(self.model.zero_division):
            raise ValueError("a loss must be defined for empty sides too: use a model with zero_division 0.0 or 1.0, not nan")
        _check_swept(self.model) if self.relaxation == "sweep" else self._check_soft()

    def check_derivatives_used(self, *, one_for_both: bool) -> None:
        """Refuse a slope that is not used, because the side has no custom cardinality."""
        asked = [side for side in _SIDES if self.relaxation == "soft" and self._needs_slopes(side)]
        unused = [side for side in self.derivatives if side not in asked]
        if unused and not (one_for_both and asked):
            raise ValueError(
                f"derivative= is the slope of a custom cardinality, for relaxation='soft'; that of {unused[0]} is not used with "
                f"relaxation={self.relaxation!r} and {self.model}, so leave it out"
            )

    def _check_soft(self) -> None:
        for side, ranges in _SIDES.items():
            cardinality, bias = getattr(self.model, f"{side}_cardinality"), getattr(self.model, f"{side}_bias")
            if scores_as_points(self.model, ranges):
                continue
            if side == "precision" and (bias == "middle" or not isinstance(bias, str)):
                raise _not_soft(f"precision_bias {_name(bias)}", "flat, front and back")
            if cardinality == "consistent" and side == "precision":
                raise _not_soft("precision_cardinality consistent", "one, reciprocal and a function of the overlaps")
            if isinstance(cardinality, str):
                continue
            if takes_length(cardinality):
                raise _not_soft(f"{side}_cardinality {_name(cardinality)}, which takes the length", "functions of the overlaps")
            if side not in self.derivatives:
                raise ValueError(
                    f"{side}_cardinality {_name(cardinality)} is a custom function, and soft needs its slope: "
                    "give derivative=, a function (overlaps) -> slope, or use relaxation='sweep'"
                )

    def __call__(
        self, probabilities: NDArray[Any], real: Ranges, *, threads: int, gradient: bool
    ) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
        """The target of each row, or of all pooled rows, and its gradient; or the index of a value that is not a probability."""
        most_real, most_predicted = self._most_overlaps(real, probabilities.shape[1])
        rules = self.model._recall.for_sweep(real, most_real), self.model._precision.for_sweep(None, most_predicted)
        settings: dict[str, Any] = {
            "target": kernel.Target[self.target],
            "beta": self.model.beta,
            "zero_division": self.model.zero_division,
            "pooled": self.batch == "pooled",
            "threads": threads,
            "gradient": gradient,
        }
        if self.relaxation == "sweep":
            return kernel.swept_objective(probabilities, real._bounds, *rules, **settings)
        settings |= {"recall_slopes": self._slopes("recall", most_real), "precision_slopes": self._slopes("precision", most_predicted)}
        return kernel.soft_objective(probabilities, real._bounds, *rules, **settings)

    def _most_overlaps(self, real: Ranges, length: int) -> tuple[int, int]:
        """The most predicted ranges that can overlap a real one, and the most real ranges that can overlap a predicted one, in one row."""
        if not len(real) or (isinstance(self.model.recall_cardinality, str) and isinstance(self.model.precision_cardinality, str)):
            return 1, 1
        longest = int(real.lengths.max())
        pieces = longest if scores_as_points(self.model, "predicted") else (longest + 1) // 2
        in_rows = np.bincount(real.starts // length, weights=real.lengths if scores_as_points(self.model, "real") else None)
        return pieces + 1, int(in_rows.max()) + 1

    def _needs_slopes(self, side: str) -> bool:
        """Whether the side has a custom cardinality that counts."""
        return not isinstance(getattr(self.model, f"{side}_cardinality"), str) and not scores_as_points(self.model, _SIDES[side])

    def _slopes(self, side: str, most: int) -> NDArray[np.float64] | None:
        if not self._needs_slopes(side):
            return None
        slopes = np.zeros(most + 1, dtype=np.float64)
        for overlaps in range(1, most + 1):
            slopes[overlaps] = _slope(self.derivatives[side], overlaps)
        return slopes


def read_derivatives(given: Derivative | Mapping[str, Derivative] | None) -> dict[str, Derivative]:
    """One derivative for both sides, or by side."""
    if given is None:
        return {}
    derivatives = dict(given) if isinstance(given, Mapping) else dict.fromkeys(_SIDES, given)
    for side, derivative in derivatives.items():
        if side not in _SIDES:
            raise unknown_name("a side of derivative", side, _SIDES)
        if not callable(derivative):
            raise TypeError(f"derivative must be a function (overlaps) -> slope, or a dict of functions by side; got {derivative!r:.60}")
    return derivatives


def _slope(derivative: Derivative, overlaps: int) -> float:
    given = derivative(overlaps)
    try:
        slope = float(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"derivative returned {given!r:.60} for {overlaps} overlaps; expected a number") from error
    if not math.isfinite(slope):
        raise ValueError(f"derivative returned {slope} for {overlaps} overlaps; expected a finite number")
    return slope


def _check_swept(model: RangeModel) -> None:
    if not model._precision.can_sweep:
        raise ValueError(
            "a custom precision bias, or a precision cardinality that takes the length, has no gradient in either relaxation; "
            "use one of the built-in biases (flat, front, back, middle), and a cardinality of the overlaps"
        )


def _not_soft(what: str, known: str) -> ValueError:
    return ValueError(f"{what} is not supported by relaxation='soft' (only {known}); use relaxation='sweep'")


def _name(choice: Any) -> str:
    return str(choice) if isinstance(choice, str) else getattr(choice, "__name__", repr(choice))
