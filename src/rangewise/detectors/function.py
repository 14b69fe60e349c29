"""FunctionDetector: a function as a detector."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise.detectors.base import Detector, Scores, State
from rangewise.inputs.ranges import Ranges


@dataclass(kw_only=True, eq=False)
class FunctionDetector(Detector):
    """A detector whose scores are ``function(values)``; values are ``(points,)`` for one channel, ``(points, channels)`` for several.

    It gives one finite number a point, higher for what is more anomalous; it learns nothing. It has no threshold of its own: give
    ``threshold``, a number or a rule of :mod:`rangewise.thresholds`. It cannot be saved. :meth:`Detector.from_function` makes one.

    >>> from rangewise.thresholds import Quantile
    >>> jumps = FunctionDetector(function=lambda values: abs(np.diff(values, prepend=values[0])), threshold=Quantile(1.0))
    >>> jumps.fit([0.0, 0.0, 4.0, 4.0]).predict([0.0, 0.0, 4.0, 4.0]).tolist()
    [0, 0, 1, 0]
    """

    name: ClassVar[str] = "function"

    function: Callable[[NDArray[np.float64]], Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise TypeError(f"function must map values to one score per point; got {self.function!r:.60}")

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        return {}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        name = getattr(self.function, "__name__", repr(self.function))
        given = self.function(array[:, 0] if array.shape[1] == 1 else array)
        try:
            scores = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{name} returned {given!r:.60}; expected one number per point") from error
        if scores.shape != (len(array),):
            raise ValueError(f"{name} returned scores of shape {scores.shape} for {len(array)} points; expected one per point")
        bad = np.flatnonzero(np.isnan(scores))
        if bad.size:
            raise ValueError(f"{name} returned nan at point {bad[0]}; scores must be numbers")
        return scores

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        raise ValueError("a function has no default threshold; give threshold, a number or a rule of rangewise.thresholds")
