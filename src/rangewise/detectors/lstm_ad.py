"""LSTMAD: forecasts of a stacked LSTM, scored by the likelihood of their errors (Malhotra et al. 2015)."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import LONGEST, number, whole
from rangewise.detectors.base import Scores, State
from rangewise.detectors.forecast import (
    Adam,
    ForecastDetector,
    Learner,
    enough_windows,
    error_vectors,
    pad_front,
)
from rangewise.detectors.gaussian import (
    fit_gaussian,
    highest_peaks,
    negative_log_likelihood,
    peak,
    squared_distance,
    squared_distances,
    usual_rows,
)
from rangewise.detectors.values import line_scale, mean_and_spread, straight_slopes, without_line
from rangewise.detectors.windows import normal_windows
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.thresholds import BestF, LogMAD, plateau_middle

# How many points of a sequence the network reads before its forecasts count.
_WARM_UP = 20
# Sequences begin so many points apart; an epoch has so many steps of the optimizer, and a check so many sequences, at most.
_STRIDE, _STEPS, _MOST_CHECKED = 10, 15, 100
# Of the epochs, the share in which the learning rate rises before it falls along a cosine, and that after which one network goes on alone.
_RISING, _TRIAL = 0.1, 0.1
# Of the squared distances of normal points that were held out: how many robust deviations of their logarithms above the middle is far
# off, and at least how many times their third-highest peak. Where so many of the highest peaks are alike, the first at most so many times
# the last, at most how many times the third.
_DEVIATIONS = 4.0
_BEYOND_PEAK = 1.2
_ALIKE, _ALIKE_WITHIN, _BEYOND_ALIKE = 8, 1.5, 1.5


class NoValidationRangeWarning(UserWarning):
    """No labeled anomaly is in the validation part, so the threshold was chosen without labels."""


@dataclass(kw_only=True, eq=False)
class LSTMAD(ForecastDetector):
    r"""A stacked LSTM forecasts the next l points at each point; the score is the negative log-likelihood of the l errors per point.

    .. math::
        e_t = (v_t - \hat v_{t \mid t-1}, \dots, v_t - \hat v_{t \mid t-l}) \qquad
        s_t = \tfrac12 \left( (e_t - \mu)^T \Sigma^{-1} (e_t - \mu) + \ln |\Sigma| + k \ln 2 \pi \right)

    ``fit`` splits its values into three, by ``parts``: the first trains the network (Adam, squared error at each step), the second chooses
    among ``restarts`` networks and among the epochs of the best, and gives :math:`\mu` and :math:`\Sigma`; the rest is for the threshold.
    An epoch has 15 steps of the optimizer with ``batch`` sequences of ``sequence`` points each, however long the first part is. With
    ``real``, points in real ranges are left out of the first two parts, and the threshold has the largest F of ``model`` on the rest
    (:class:`~rangewise.thresholds.BestF`): ``model`` is any :class:`~rangewise.RangeModel`, by default the classical F1; the LSTM-AD paper
    has F0.1, which needs many anomalies to choose well.
    A point is far off when the logarithm of its squared Mahalanobis distance is 4 robust deviations above the middle of those of normal
    points after the first part (:class:`~rangewise.thresholds.LogMAD`), and the distance is at least 1.2 times the third-highest of their
    peaks, which lie more than 50 points apart; where the eight highest peaks are alike, 1.5 times the third is enough. Without ``real``,
    or without a real range in the rest, that is the threshold. Rows whose errors are large for a while, and larger than in the first
    part, are treated as unlabeled anomalies and not used, unless they are large up to the end.

    A channel whose normal values in the first two parts are a straight line (none further from it than a hundredth of its rise) is read as
    its differences from a line of that slope. Which line is decided by the median of the values given, because scores may begin anywhere.

    An anomaly that the network reads spoils its forecasts for a while. So the network runs twice: once it reads every point, and once
    at most ``hold`` points in a row that are far off are replaced by their forecast. The score of a point is the smaller of the two.
    With ``hold=0`` there is one run that reads everything, as in the paper. Scores are unbounded. The first 24 points (with
    ``look_ahead=5``) have no complete error vector and get the smallest score of the others.
    """

    name: ClassVar[str] = "lstm-ad"
    learns_from_labels: ClassVar[bool] = True

    dropout: float = 0.0
    epochs: int = 25
    batch: int = 8
    learning_rate: float = 1e-2
    sequence: int = 100
    restarts: int = 3
    hold: int = 10
    parts: tuple[float, float] = (0.6, 0.2)
    model: RangeModel = field(default_factory=lambda: RangeModel(as_points="both"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if whole("sequence", self.sequence, least=1, most=LONGEST) <= _WARM_UP:
            raise ValueError(f"sequence must be above {_WARM_UP}, the number of warm-up points; got {self.sequence}")
        self.restarts = whole("restarts", self.restarts, least=1, most=1_000)
        if self.hold:
            self.hold = whole("hold", self.hold, least=1, most=LONGEST)
        if not isinstance(self.parts, (tuple, list)) or len(self.parts) != 2:
            raise TypeError(f"parts must be two shares, such as (0.6, 0.2); got {self.parts!r:.40}")
        self.parts = (number("parts", self.parts[0]), number("parts", self.parts[1]))
        if not (min(self.parts) > 0.0 and sum(self.parts) < 1.0):
            raise ValueError(f"parts must be two shares above 0 with a sum below 1, such as (0.6, 0.2); got {self.parts}")
        if not isinstance(self.model, RangeModel):
            raise TypeError(f"model must be a RangeModel; got {self.model!r}")

    @property
    def _unscored(self) -> int:
        return _WARM_UP + self.look_ahead - 1

    def _cuts(self, points: int) -> tuple[int, int]:
        return int(self.parts[0] * points), int(sum(self.parts) * points)

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        first, second = self._cuts(len(array))
        labels = (real or Ranges()).to_labels(len(array))
        reach = self.sequence + self.look_ahead
        train = enough_windows("the part to train on", normal_windows(labels[:first], reach), str(reach))
        held_out = enough_windows("the part held out", first + normal_windows(labels[first:second], reach), str(reach))
        slope = straight_slopes(array, np.flatnonzero(~labels[:second].astype(np.bool_)))
        state = {"slope": slope, **self._train(array, slope, train, held_out[:: self.sequence - _WARM_UP][:_MOST_CHECKED])}
        # Normal points after enough normal points for the network to recover from an anomaly.
        context = self._unscored + 1
        judged = first + context - 1 + normal_windows(labels[first:], context)
        # Until "far" is known, no points are replaced.
        (errors,) = self._errors(array, state, hold=0)
        learned = context - 1 + normal_windows(labels[:first], context)
        usual = judged[usual_rows(errors[judged - self._unscored], errors[learned - self._unscored])]
        judged = usual if (usual < second).sum() > errors.shape[1] else judged
        # Around an exact line, errors are those of rounding and grow with the values: only differences in single precision count, and a
        # squared distance below its mean is never far off.
        least, nearest = (float(np.finfo(np.float32).eps), float(errors.shape[1])) if slope.any() else (0.0, 0.0)
        gaussian = fit_gaussian(errors[judged[judged < second] - self._unscored], "the part held out", least=least)
        normal = squared_distances(errors[judged - self._unscored], gaussian["error_mean"], gaussian["error_factor"])
        return {**state, **gaussian, "far": np.array(max(far_off(normal, judged), nearest))}

    def _train(
        self, array: NDArray[np.float64], slope: NDArray[np.float64], starts: NDArray[np.int64], held_out: NDArray[np.int64]
    ) -> State:
        """Fit scale and network on sequences that begin at ``starts``.

        After some epochs, only the network with the smallest error on the ``held_out`` sequences is trained further; its best weights are
        kept.
        """
        rows = np.unique(starts[:, np.newaxis] + np.arange(self.sequence + self.look_ahead))
        scale = mean_and_spread(array[rows])
        array = without_line(array, slope)
        if slope.any():
            scale = line_scale(array[rows], scale, slope)
        scaled = (array - scale["mean"]) / scale["spread"]
        trial = round(_TRIAL * self.epochs) if self.restarts > 1 else 0
        with self._epochs(trial * (self.restarts - 1) + self.epochs) as epochs:
            streams = np.random.default_rng(self.seed).spawn(self.restarts if trial else 1)
            learners = [_Learner(self, scaled, starts, rng) for rng in streams]
            if trial:
                for learner in learners:
                    for _ in range(trial):
                        next(epochs)
                        learner.epoch()
                learners.sort(key=lambda learner: learner.error(held_out))
            learner, least, weights = learners[0], np.inf, learners[0].learned()
            for _ in epochs:
                learner.epoch()
                if (error := learner.error(held_out)) < least:
                    least, weights = error, learner.learned()
        return {**scale, **weights}

    def _widest_input_weight(self, channels: int) -> float:
        # A variance of 1 / channels. torch's own range, which depends on the hidden size, is so narrow for one channel that the network
        # hardly distinguishes close values.
        return math.sqrt(3.0 / channels)

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        return super()._learned_shapes(channels) | {"far": (), "slope": (channels,)}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        mean, factor = self._learned("error_mean"), self._learned("error_factor")
        runs = [squared_distances(errors, mean, factor) for errors in self._errors(array, self._state, hold=self.hold)]
        return pad_front(negative_log_likelihood(np.min(runs, axis=0), factor), self._unscored)

    def _held_out(self, array: NDArray[np.float64], real: Ranges | None) -> tuple[Scores, Ranges | None]:
        second = self._cuts(len(array))[1]
        scores = self._scores(array)[second:]
        return scores, None if real is None else Ranges.from_labels(real.to_labels(len(array))[second:])

    def _own_threshold(self, array: NDArray[np.float64], real: Ranges | None) -> float:
        validation = (real or Ranges()).to_labels(len(array))[self._cuts(len(array))[1] :]
        factor, far = self._learned("error_factor"), self._learned("far")
        if validation.any():
            plateau = BestF(self.model, self.close_gaps).plateau(*self._held_out(array, real))
            low, best = (squared_distance(score, factor) for score in plateau)
            # The threshold without labels if it has the best F too; otherwise halfway between the scores around it.
            chosen = float(far) if low < far <= best else plateau_middle(low, best)
            threshold = float(negative_log_likelihood(np.array(chosen), factor))
            return threshold if plateau[0] < threshold <= plateau[1] else plateau[1]
        if real is not None and len(real):
            warnings.warn(
                f"no real range is in the validation part, the last {len(validation)} of {len(array)} rows, so the threshold was chosen "
                "without labels; change parts, or give threshold",
                NoValidationRangeWarning,
                stacklevel=4,
            )
        return float(negative_log_likelihood(far, factor))

    def _errors(self, array: NDArray[np.float64], state: State, *, hold: int) -> list[NDArray[np.float64]]:
        """The error vectors of the points from ``_unscored`` on, one array per run: without points held back, and with ``hold``."""
        scaled = self._scaled(without_line(array, state["slope"]), state, unscored=self._unscored)
        outputs = self.look_ahead * scaled.shape[1]
        factor = state["error_factor"] if hold else np.eye(outputs)
        forecasts = kernel.lstm_forecasts(
            np.ascontiguousarray(scaled),
            self._kernel_weights(state),
            **self._kernel_sizes(),
            mean=state["error_mean"] if hold else np.zeros(outputs),
            whitening=np.ascontiguousarray(np.linalg.inv(factor)),
            far=float(state["far"]) if hold else np.inf,
            hold=hold,
            first=self._unscored,
        )
        return [error_vectors(scaled, run, self._unscored) for run in forecasts.reshape(-1, len(scaled), self.look_ahead, scaled.shape[1])]


def far_off(squared: NDArray[np.float64], rows: NDArray[np.int64]) -> float:
    """The squared distance from which a point is far off, from the distances of normal points at ``rows``."""
    far, third, peaks = LogMAD(_DEVIATIONS).choose(squared), peak(squared, rows), highest_peaks(squared, rows, _ALIKE)
    if len(peaks) == _ALIKE and peaks[0] <= _ALIKE_WITHIN * peaks[-1]:
        # Normal points come to this height again and again and not above it, however much their distances vary below.
        far = min(far, _BEYOND_ALIKE * third)
    return max(far, _BEYOND_PEAK * third)


class _Learner(Learner):
    """A network with a learning rate that rises and then falls to 0 over all epochs."""

    def __init__(self, detector: LSTMAD, scaled: NDArray[np.float64], starts: NDArray[np.int64], rng: np.random.Generator) -> None:
        super().__init__(detector, scaled, Adam, rng, steps=detector.sequence, warm_up=_WARM_UP)
        self._starts, self._batch, self._highest_rate = starts[::_STRIDE], detector.batch, detector.learning_rate
        self._epoch, self._epochs = 0, detector.epochs

    def epoch(self) -> None:
        """One epoch of steps, each with randomly drawn sequences."""
        order = self.rng.permutation(self._starts)[: _STEPS * self._batch]
        for at in range(0, len(order), self._batch):
            self.learn(order[at : at + self._batch], self._highest_rate * self._share())
        self._epoch += 1

    def _share(self) -> float:
        """The share of the highest learning rate in this epoch."""
        rising = _RISING * self._epochs
        if self._epoch < rising:
            return (self._epoch + 1) / (rising + 1)
        return 0.5 + 0.5 * math.cos(math.pi * (self._epoch - rising) / (self._epochs - rising))
