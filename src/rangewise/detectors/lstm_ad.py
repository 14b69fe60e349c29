"""LSTMAD: forecasts of a stacked LSTM, judged by the likelihood of their errors (Malhotra et al. 2015), the whole scheme."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import LONGEST, number, whole
from rangewise.detectors.base import Scores, State
from rangewise.detectors.forecast import (
    NETWORK,
    ForecastDetector,
    enough_windows,
    error_vectors,
    exported_weights,
    forward,
    gradient_step,
    load_torch,
    pad_front,
)
from rangewise.detectors.gaussian import fit_gaussian, negative_log_likelihood, squared_distance, squared_distances, usual_rows
from rangewise.detectors.values import mean_and_spread
from rangewise.detectors.windows import normal_windows
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.thresholds import BestF, LogMAD, plateau_middle

# How many points the network reads, at the beginning or after a gap, before its forecasts count.
_WARM_UP = 20
# A long training part is read as more streams side by side, each of them so many sequences in an epoch, at most.
_MOST_STREAMS, _MOST_SEQUENCES = 64, 12
# The share of the streams whose memory is cleared before a sequence.
_FORGOTTEN = 0.5
# Of the epochs, the share in which the learning rate rises before it falls along a cosine, and that after which one network goes on alone.
_RISING, _TRIAL = 0.1, 0.12
# Points of the part held out that one stream reads, and how many there are at most.
_CHECKED, _MOST_CHECKED = 100, 10
# Of the squared distances of normal points that were held out: how many robust deviations of their logarithms above the middle is far
# off, and at least how many times which of their peaks, which lie more than so many points apart.
_DEVIATIONS = 4.0
_BEYOND_PEAK, _PEAK, _APART = 1.2, 3, 50


class NoValidationRangeWarning(UserWarning):
    """No labeled anomaly lies in the validation part, so the threshold was chosen without labels."""


@dataclass(kw_only=True, eq=False)
class LSTMAD(ForecastDetector):
    r"""A stacked LSTM runs along the series and forecasts the next l points at each; l errors a point, and their likelihood.

    .. math::
        e_t = (v_t - \hat v_{t \mid t-1}, \dots, v_t - \hat v_{t \mid t-l}) \qquad
        s_t = \tfrac12 \left( (e_t - \mu)^T \Sigma^{-1} (e_t - \mu) + \ln |\Sigma| + k \ln 2 \pi \right)

    ``fit`` cuts its values in three, by ``parts``: the first trains the network (Adam, squared error at each step), the second chooses
    among ``restarts`` networks and among the epochs of the best, and gives :math:`\mu` and :math:`\Sigma`; the rest is for the threshold.
    The network reads the first part as ``batch`` streams side by side, ``sequence`` points between two steps of the optimizer; of a
    long part more streams, and in each epoch a part of them. With ``real``, points in real ranges stay out of the first two parts, and the
    threshold has the largest F of ``model`` on the rest (:class:`~rangewise.thresholds.BestF`): ``model`` is any
    :class:`~rangewise.RangeModel`, by default the classical F1; the LSTM-AD paper has F0.1, which needs many anomalies to choose well.
    A point is far off when the logarithm of its squared Mahalanobis distance is 4 robust deviations above the middle of those of normal
    points after the first part (:class:`~rangewise.thresholds.LogMAD`), and the distance is at least 1.2 times the third-highest of their
    peaks, which lie more than 50 points apart. Without ``real``, or without a real range in the rest, that is the threshold. Rows
    whose errors are large for a while are taken for anomalies that nobody labeled, and count for neither.

    ``hold`` points in a row, at most, that are far off are replaced by their forecast before the network reads them, so that an anomaly
    does not spoil the forecasts after it; 0 reads everything, as the paper does. Scores have no bounds. The first 24 points (with
    ``look_ahead=5``) have no whole error vector and get the smallest score of the others. Only ``fit`` needs torch.
    """

    name: ClassVar[str] = "lstm-ad"

    dropout: float = 0.0
    epochs: int = 60
    batch: int = 4
    learning_rate: float = 2e-2
    sequence: int = 100
    restarts: int = 3
    hold: int = 10
    parts: tuple[float, float] = (0.6, 0.2)
    model: RangeModel = field(default_factory=lambda: RangeModel(as_points="both"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if whole("sequence", self.sequence, least=1, most=LONGEST) <= _WARM_UP:
            raise ValueError(f"sequence is above {_WARM_UP}, the points that only warm the network up; got {self.sequence}")
        self.restarts = whole("restarts", self.restarts, least=1, most=1_000)
        if self.hold:
            self.hold = whole("hold", self.hold, least=1, most=LONGEST)
        if not isinstance(self.parts, (tuple, list)) or len(self.parts) != 2:
            raise TypeError(f"parts are two shares, such as (0.6, 0.2); got {self.parts!r:.40}")
        self.parts = (number("parts", self.parts[0]), number("parts", self.parts[1]))
        if not (min(self.parts) > 0.0 and sum(self.parts) < 1.0):
            raise ValueError(f"parts are two shares above 0 that leave some for the threshold, such as (0.6, 0.2); got {self.parts}")
        if not isinstance(self.model, RangeModel):
            raise TypeError(f"model is a RangeModel, whose F the threshold maximizes; got {self.model!r}")

    @property
    def _unscored(self) -> int:
        return _WARM_UP + self.look_ahead - 1

    def _cuts(self, points: int) -> tuple[int, int]:
        return int(self.parts[0] * points), int(sum(self.parts) * points)

    def _learn(self, array: NDArray[np.float64], real: Ranges | None) -> State:
        first, second = self._cuts(len(array))
        labels = (real or Ranges()).to_labels(len(array))
        reach = self.sequence + self.look_ahead
        for name, part in (("the part to train on", labels[:first]), ("the part held out", labels[first:second])):
            enough_windows(name, normal_windows(part, reach), str(reach))
        state = self._train(array, np.flatnonzero(labels[:first] == 0), first + np.flatnonzero(labels[first:second] == 0))
        # Normal points after enough normal points for the network to have left an anomaly behind.
        context = self._unscored + 1
        judged = first + context - 1 + normal_windows(labels[first:], context)
        # Before "far" is known, nothing is held back.
        errors = self._errors(array, state, hold=0)
        usual = judged[usual_rows(errors[judged - self._unscored])]
        judged = usual if (usual < second).sum() > errors.shape[1] else judged
        gaussian = fit_gaussian(errors[judged[judged < second] - self._unscored], "the part held out")
        normal = squared_distances(errors[judged - self._unscored], gaussian["error_mean"], gaussian["error_factor"])
        return {**state, **gaussian, "far": np.array(far_off(normal, judged))}

    def _train(self, array: NDArray[np.float64], rows: NDArray[np.int64], held_out: NDArray[np.int64]) -> State:
        """Fit scale and network on ``rows``; of several networks, and of their weights, those with the least error on ``held_out``."""
        torch = load_torch()
        scale = mean_and_spread(array[rows])
        scaled = torch.from_numpy(((array - scale["mean"]) / scale["spread"]).astype(np.float32))
        steps = len(rows) - self.look_ahead
        side_by_side = max(self.batch, min(_MOST_STREAMS, steps // (_MOST_SEQUENCES * self.sequence)))
        streams = _Streams(torch, scaled, rows, max(1, min(side_by_side, steps // self.sequence)), self.look_ahead)
        check = self._check(torch, scaled, held_out)
        trial = round(_TRIAL * self.epochs) if self.restarts > 1 else 0
        with self._session(torch), self._epochs(trial * (self.restarts - 1) + self.epochs) as epochs:
            networks = (self._network(torch, array.shape[1]) for _ in range(self.restarts if trial else 1))
            learners = [_Learner(self, torch, network, streams) for network in networks]
            if trial:
                for learner in learners:
                    for _ in range(trial):
                        next(epochs)
                        learner.epoch()
                learners.sort(key=lambda learner: learner.error(check))
            learner, least, weights = learners[0], np.inf, exported_weights(learners[0].network)
            for _ in epochs:
                learner.epoch()
                if (error := learner.error(check)) < least:
                    least, weights = error, exported_weights(learner.network)
        return {**scale, **weights}

    def _check(self, torch: Any, scaled: Any, rows: NDArray[np.int64]) -> _Streams:
        """The part held out as streams that begin cold; as one where several would have no step that counts."""
        several = _Streams(torch, scaled, rows, min(_MOST_CHECKED, max(1, len(rows) // _CHECKED)), self.look_ahead)
        return several if several.counts_cold() else _Streams(torch, scaled, rows, 1, self.look_ahead)

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        return super()._learned_shapes(channels) | {"far": ()}

    def _scores(self, array: NDArray[np.float64]) -> Scores:
        mean, factor = self._learned("error_mean"), self._learned("error_factor")
        squared = squared_distances(self._errors(array, self._state, hold=self.hold), mean, factor)
        return pad_front(negative_log_likelihood(squared, factor), self._unscored)

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
            # The threshold without labels where it has the best F too; else far from both of the scores that bound it.
            chosen = float(far) if low < far <= best else plateau_middle(low, best)
            threshold = float(negative_log_likelihood(np.array(chosen), factor))
            return threshold if plateau[0] < threshold <= plateau[1] else plateau[1]
        if real is not None and len(real):
            warnings.warn(
                f"no real range lies in the validation part, the last {len(validation)} of {len(array)} rows, so the threshold was chosen "
                "without labels; change parts, or give threshold",
                NoValidationRangeWarning,
                stacklevel=4,
            )
        return float(negative_log_likelihood(far, factor))

    def _errors(self, array: NDArray[np.float64], state: State, *, hold: int) -> NDArray[np.float64]:
        """The error vectors of the points from ``_unscored`` on, the network running along the series."""
        scaled = self._scaled(array, state, unscored=self._unscored)
        outputs = self.look_ahead * scaled.shape[1]
        factor = state["error_factor"] if hold else np.eye(outputs)
        forecasts = kernel.lstm_forecasts(
            np.ascontiguousarray(scaled),
            _kernel_weights(state, self.layers),
            hidden=self.hidden,
            layers=self.layers,
            ahead=self.look_ahead,
            mean=state["error_mean"] if hold else np.zeros(outputs),
            whitening=np.ascontiguousarray(np.linalg.inv(factor)),
            far=float(state["far"]) if hold else np.inf,
            hold=hold,
            first=self._unscored,
        )
        return error_vectors(scaled, forecasts.reshape(len(scaled), self.look_ahead, -1), self._unscored)


def far_off(squared: NDArray[np.float64], rows: NDArray[np.int64]) -> float:
    """From which squared distance on a point is far off, by the distances of normal points at ``rows``."""
    return max(LogMAD(_DEVIATIONS).choose(squared), _BEYOND_PEAK * peak(squared, rows, _PEAK, _APART))


def peak(heights: NDArray[np.float64], rows: NDArray[np.int64], which: int, apart: int) -> float:
    """The height of the ``which``-th highest peak; rows within ``apart`` of a higher peak are part of it. With fewer peaks, the lowest.

    >>> peak(np.array([1.0, 9.0, 8.0, 2.0, 5.0]), np.array([0, 1, 2, 3, 4]), which=2, apart=1)
    5.0
    """
    left = heights.copy()
    height = float(left.max())
    for _ in range(which - 1):
        left[np.abs(rows - rows[left.argmax()]) <= apart] = -np.inf
        if left.max() == -np.inf:
            break
        height = float(left.max())
    return height


def _kernel_weights(state: State, layers: int) -> NDArray[np.float32]:
    """The weights of the network in the order in which the kernel reads them."""

    def weight(name: str) -> NDArray[np.float32]:
        return state[f"{NETWORK}{name}"].astype(np.float32)

    parts = []
    for k in range(layers):
        parts += [weight(f"lstm.weight_ih_l{k}").T, weight(f"lstm.weight_hh_l{k}").T]
        parts += [weight(f"lstm.bias_ih_l{k}") + weight(f"lstm.bias_hh_l{k}")]
    parts += [weight("head.weight").T, weight("head.bias")]
    return np.concatenate([part.ravel() for part in parts])


class _Streams:
    """Rows of a series as streams side by side, which a network reads in sequences.

    The rows before and after a gap are neighbors in a stream. A step counts where the points that were read last and those that are
    forecast have no gap between them.
    """

    def __init__(self, torch: Any, scaled: Any, rows: NDArray[np.int64], number: int, ahead: int) -> None:
        steps = len(rows) - ahead
        self.number, self.length, self._ahead = number, steps // number, ahead
        counts = np.zeros(steps, dtype=np.bool_)
        counts[_WARM_UP:] = rows[_WARM_UP + ahead :] - rows[: steps - _WARM_UP] == _WARM_UP + ahead
        starts = self.length * np.arange(number)
        self._values = torch.stack([scaled[rows[at : at + self.length + ahead]] for at in starts])
        self._counts = torch.from_numpy(np.stack([counts[at : at + self.length] for at in starts]))

    def counts_cold(self) -> bool:
        """Whether a step counts where every stream begins without a memory."""
        return bool(self._counts[:, _WARM_UP:].any())

    def loss(self, network: Any, start: int, stop: int, memory: Any, cold: Any) -> tuple[Any, Any, int]:
        """The mean squared error of these steps, what the network remembers after them, and how many count.

        Streams that are ``cold`` begin without a memory, so that their first steps do not count.
        """
        values, counts = self._values[:, start : stop + self._ahead], self._counts[:, start:stop].clone()
        counts[cold, :_WARM_UP] = False
        forecasts, memory = forward(network, values[:, : stop - start], memory)
        # The forecast made at step i is of the points i + 1 ... i + look_ahead.
        targets = values[:, 1:].unfold(1, self._ahead, 1).permute(0, 1, 3, 2).flatten(2)
        counted = int(counts.sum())
        return ((forecasts - targets).square().mean(2) * counts).sum() / max(counted, 1), memory, counted


class _Learner:
    """A network that reads the streams, with a learning rate that rises and then falls to 0 over all epochs."""

    def __init__(self, detector: LSTMAD, torch: Any, network: Any, streams: _Streams) -> None:
        self.network, self._torch, self._streams, self._sequence = network, torch, streams, detector.sequence
        self._rng = np.random.default_rng(detector.seed)
        self._optimizer = torch.optim.Adam(network.parameters(), lr=detector.learning_rate)
        rising = _RISING * detector.epochs

        def share(epoch: int) -> float:
            if epoch < rising:
                return (epoch + 1) / (rising + 1)
            return 0.5 + 0.5 * math.cos(math.pi * (epoch - rising) / (detector.epochs - rising))

        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, share)

    def epoch(self) -> None:
        """Read along all streams from a random place near their beginning; of long streams, a random part."""
        torch, sequence, length = self._torch, self._sequence, self._streams.length
        self.network.train()
        start = int(self._rng.integers(max(min(sequence, length - sequence), length - _MOST_SEQUENCES * sequence) + 1))
        memory, cold = None, torch.ones(self._streams.number, dtype=torch.bool)
        for at in range(start, min(length, start + _MOST_SEQUENCES * sequence), sequence):
            if memory is not None:
                # What was before is forgotten now and then, so that the network learns to go on after something odd.
                cold = torch.from_numpy(self._rng.random(self._streams.number) < _FORGOTTEN)
                memory = tuple(each.detach().masked_fill(cold[:, None], 0.0) for each in memory)
            loss, memory, counted = self._streams.loss(self.network, at, min(at + sequence, length), memory, cold)
            if counted:
                gradient_step(torch, self.network, self._optimizer, loss)
        self._schedule.step()

    def error(self, check: _Streams) -> float:
        self.network.eval()
        with self._torch.no_grad():
            return float(check.loss(self.network, 0, check.length, None, slice(None))[0])
