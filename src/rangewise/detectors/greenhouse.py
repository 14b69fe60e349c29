"""Greenhouse: zero-positive training of a forecasting network (Lee et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import LONGEST, number, whole
from rangewise.detectors.base import Scores, State
from rangewise.detectors.forecast import ForecastDetector, Learner, RMSprop, enough_windows, error_vectors, pad_front
from rangewise.detectors.gaussian import fit_gaussian, squared_distances, truncated_normal_quantile
from rangewise.detectors.luminol_default import above
from rangewise.detectors.values import mean_and_spread
from rangewise.inputs.ranges import Ranges

# Windows per call of the kernel, which can be interrupted only between calls.
_AT_ONCE = 4096


@dataclass(kw_only=True, eq=False)
class Greenhouse(ForecastDetector):
    r"""Forecast the next 5 points from the last 10; a point is anomalous if its error vector is far from the usual ones.

    .. math:: s_t = \sqrt{(e_t - \mu)^T \Sigma^{-1} (e_t - \mu)}

    ``fit`` takes normal data and cuts it in three equal parts: the first trains the network (squared error, RMSprop, dropout), the second
    gives mean and covariance of the error vectors, the third the threshold: the ``quantile`` of the normal distribution truncated at 0
    that is most likely for its distances. A point is anomalous if its distance exceeds it. Labels are never used: ``real`` is accepted, as
    for every detector, and ignored. The first ``look_back + look_ahead - 1`` points have no complete error vector and get the smallest
    score of the others.
    """

    name: ClassVar[str] = "greenhouse"
    reads_labels: ClassVar[bool] = False

    batch: int = 128
    learning_rate: float = 3e-3
    look_back: int = 10
    quantile: float = 0.85

    def __post_init__(self) -> None:
        super().__post_init__()
        self.look_back = whole("look_back", self.look_back, least=1, most=LONGEST)
        self.quantile = number("quantile", self.quantile)
        if not 0.0 < self.quantile < 1.0:
            raise ValueError(f"quantile must be between 0 and 1; got {self.quantile}")

    @property
    def _unscored(self) -> int:
        return self.look_back + self.look_ahead - 1

    def _cuts(self, points: int) -> tuple[int, int]:
        return points // 3, 2 * points // 3

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        first, second = self._cuts(len(array))
        reach = self.look_back + self.look_ahead
        starts = enough_windows("its first third", np.arange(max(0, first - reach + 1)), str(reach))
        state = self._train(array, starts)
        # Only error vectors of the second third whose forecasts use no point of the first.
        errors = self._errors(array[first:second], state)
        return {**state, **fit_gaussian(errors, "the second third of the training part")}

    def _train(self, array: NDArray[np.float64], starts: NDArray[np.int64]) -> State:
        """Fit scale and network on windows that begin at ``starts``; each forecasts the points after it."""
        scale = mean_and_spread(array[starts[0] : starts[-1] + self.look_back + self.look_ahead])
        scaled = (array - scale["mean"]) / scale["spread"]
        rng = np.random.default_rng(self.seed)
        learner = Learner(self, scaled, RMSprop, rng, steps=self.look_back, warm_up=self.look_back - 1)
        with self._epochs(self.epochs) as epochs:
            for _ in epochs:
                order = rng.permutation(starts)
                for at in range(0, len(order), self.batch):
                    learner.learn(order[at : at + self.batch], self.learning_rate)
        return {**scale, **learner.learned()}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        mean, factor = self._learned("error_mean"), self._learned("error_factor")
        return pad_front(np.sqrt(squared_distances(self._errors(array, self._state), mean, factor)), self._unscored)

    def _held_out(self, array: NDArray[np.float64], real: Ranges | None) -> tuple[Scores, Ranges | None]:
        third = array[self._cuts(len(array))[1] :]
        return self._scores(third)[self._unscored :], None

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        # "Exceeds": greater, not equal.
        return above(truncated_normal_quantile(self._held_out(array, real)[0], self.quantile))

    def _errors(self, array: NDArray[np.float64], state: State) -> NDArray[np.float64]:
        scaled = self._scaled(array, state, unscored=self._unscored)
        values, weights = np.ascontiguousarray(scaled, dtype=np.float32), self._kernel_weights(state)
        starts = np.arange(len(scaled) - self.look_back)
        forecasts = np.zeros((len(scaled), self.look_ahead, scaled.shape[1]))
        for at in range(0, len(starts), _AT_ONCE):
            chunk = starts[at : at + _AT_ONCE]
            made = kernel.lstm_last_forecasts(values, chunk, weights, **self._kernel_sizes(), steps=self.look_back)
            forecasts[chunk + self.look_back - 1] = made.reshape(len(chunk), self.look_ahead, -1)
        return error_vectors(scaled, forecasts, self._unscored)
