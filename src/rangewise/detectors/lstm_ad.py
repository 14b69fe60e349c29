"""LSTMAD: forecasts of a stacked LSTM, judged by the likelihood of their errors (Malhotra et al. 2015), the whole scheme."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import LONGEST, number, whole
from rangewise.detectors.base import Scores, State
from rangewise.detectors.forecast import NETWORK, ForecastDetector, enough_windows, error_vectors, forward, load_torch, pad_front
from rangewise.detectors.gaussian import fit_gaussian, negative_log_likelihood, squared_distances
from rangewise.detectors.windows import normal_windows
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.thresholds import BestF, LogMAD

# How many points the network reads before its forecasts count; neighboring training sequences begin so many points apart.
_WARM_UP = 20
_STRIDE = 10
# Without held points the network runs along chunks of so many points, after so many before each; and so many chunks at a time.
_CHUNK = 200
_FORGET = 200
_AT_ONCE = 256
# Sequences of one epoch, and of the check after it.
_MOST = 240
# Of the squared distances of normal points that were held out: how many robust deviations of their logarithms above the middle is far
# off, and at least how many times which quantile.
_DEVIATIONS = 4.0
_RARE, _BEYOND_RARE = 0.99, 1.5


class NoValidationRangeWarning(UserWarning):
    """No labeled anomaly lies in the validation part, so the threshold was chosen without labels."""


@dataclass(kw_only=True, eq=False)
class LSTMAD(ForecastDetector):
    r"""A stacked LSTM runs along the series and forecasts the next l points at each; l errors a point, and their likelihood.

    .. math::
        e_t = (v_t - \hat v_{t \mid t-1}, \dots, v_t - \hat v_{t \mid t-l}) \qquad
        s_t = \tfrac12 \left( (e_t - \mu)^T \Sigma^{-1} (e_t - \mu) + \ln |\Sigma| + k \ln 2 \pi \right)

    ``fit`` cuts its values in three, by ``parts``: the first trains the network (Adam, squared error at each step), the second stops
    the training early and gives :math:`\mu` and :math:`\Sigma`, the rest is for the threshold. With ``real``, points in real ranges stay
    out of the first two, and the threshold has the largest F of ``model`` on the rest, exact over all thresholds: ``model`` is any
    :class:`~rangewise.RangeModel`, by default the classical F1; the LSTM-AD paper has F0.1, which needs many anomalies to choose well.
    A point is far off when the logarithm of its squared Mahalanobis distance is 4 robust deviations above the middle of those of normal
    points after the first part (:class:`~rangewise.thresholds.LogMAD`), and the distance is at least 1.5 times their 0.99 quantile;
    without ``real``, or without a real range in the rest, that is the threshold.

    ``hold`` points in a row, at most, that are far off are replaced by their forecast before the network reads them, so that an anomaly
    does not spoil the forecasts after it; 0 reads everything, as the paper does. Scores have no bounds. The first 24 points (with
    ``look_ahead=5``) have no whole error vector and get the smallest score of the others.
    """

    name: ClassVar[str] = "lstm-ad"

    dropout: float = 0.0
    epochs: int = 40
    batch: int = 16
    learning_rate: float = 5e-3
    sequence: int = 100
    hold: int = 20
    parts: tuple[float, float] = (0.6, 0.2)
    model: RangeModel = field(default_factory=lambda: RangeModel(as_points="both"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if whole("sequence", self.sequence, least=1, most=LONGEST) <= _WARM_UP:
            raise ValueError(f"sequence is above {_WARM_UP}, the points that only warm the network up; got {self.sequence}")
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
        train = enough_windows("the part to train on", normal_windows(labels[:first], reach), str(reach))
        held_out = enough_windows("the part held out", first + normal_windows(labels[first:second], reach), str(reach))
        check = held_out[:: max(_STRIDE, len(held_out) // _MOST)]
        state = self._train(array, train[::_STRIDE], check, steps=self.sequence, first_judged=_WARM_UP, algorithm="Adam", most=_MOST)
        # Normal points after enough normal points for the network to have left an anomaly behind.
        context = self._unscored + 1
        judged = first + context - 1 + normal_windows(labels[first:], context)
        # Before "far" is known, nothing is held back.
        errors = self._errors(array, state, hold=0)
        gaussian = fit_gaussian(errors[judged[judged < second] - self._unscored], "the part held out")
        normal = squared_distances(errors[judged - self._unscored], gaussian["error_mean"], gaussian["error_factor"])
        far = max(LogMAD(_DEVIATIONS).choose(normal), _BEYOND_RARE * float(np.quantile(normal, _RARE)))
        return {**state, **gaussian, "far": np.array(far)}

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
        if validation.any():
            return BestF(self.model).choose(*self._held_out(array, real))
        if real is not None and len(real):
            warnings.warn(
                f"no real range lies in the validation part, the last {len(validation)} of {len(array)} rows, so the threshold was chosen "
                "without labels; change parts, or give threshold",
                NoValidationRangeWarning,
                stacklevel=4,
            )
        return float(negative_log_likelihood(self._learned("far"), self._learned("error_factor")))

    def _errors(self, array: NDArray[np.float64], state: State, *, hold: int) -> NDArray[np.float64]:
        """The error vectors of the points from ``_unscored`` on, the network running along the series."""
        scaled = self._scaled(array, state, unscored=self._unscored)
        forecasts = self._held_forecasts(scaled, state, hold) if hold else self._forecasts(scaled, state)
        return error_vectors(scaled, forecasts, self._unscored)

    def _forecasts(self, scaled: NDArray[np.float64], state: State) -> NDArray[np.float64]:
        """The forecasts made at each point, chunks of the series side by side: a network that has read a while forgets what was before."""
        points, channels = scaled.shape
        forecasts = np.empty((points, self.look_ahead * channels))
        reach = min(_FORGET + _CHUNK, points)
        # A chunk begins with points that only warm the network up; the last one ends with the series.
        starts = np.append(np.arange(0, points - reach, _CHUNK), points - reach)
        chunks = np.lib.stride_tricks.sliding_window_view(scaled.astype(np.float32), reach, axis=0).swapaxes(1, 2)
        torch = load_torch()
        with self._session(torch), torch.no_grad():
            network = self._trained_network(torch, state, channels)
            for at in range(0, len(starts), _AT_ONCE):
                some = starts[at : at + _AT_ONCE]
                found = forward(network, torch.from_numpy(chunks[some])).numpy()
                if at == 0:
                    # The first chunk begins with the series: there is nothing to forget.
                    forecasts[:_FORGET] = found[0, :_FORGET]
                forecasts[some[:, np.newaxis] + np.arange(_FORGET, reach)] = found[:, _FORGET:]
        return forecasts.reshape(points, self.look_ahead, channels)

    def _held_forecasts(self, scaled: NDArray[np.float64], state: State, hold: int) -> NDArray[np.float64]:
        """The forecasts made at each point, one after the other: whether a point is read or held depends on those before it."""
        points, channels = scaled.shape
        forecasts = np.zeros((points, self.look_ahead, channels))
        network = _Running(state, self.layers, self.hidden)
        ahead = np.arange(self.look_ahead)
        mean, whitening, far = state["error_mean"], np.linalg.inv(state["error_factor"]), float(state["far"])
        held = 0
        for point in range(points):
            seen = scaled[point]
            if point >= self._unscored:
                error = (seen - forecasts[point - 1 - ahead, ahead]).ravel()
                distance = whitening @ (error - mean)
                if distance @ distance <= far:
                    held = 0
                elif held < hold:
                    seen = forecasts[point - 1, 0]
                    held += 1
            forecasts[point] = network.step(seen).reshape(self.look_ahead, channels)
        return forecasts


class _Running:
    """The trained network, one step at a time: torch's LSTM equations in NumPy, far quicker for single steps."""

    def __init__(self, state: State, layers: int, hidden: int) -> None:
        def weight(name: str) -> NDArray[np.float64]:
            return state[f"{NETWORK}{name}"].astype(np.float64)

        self._hidden = hidden
        self._layers = [
            (weight(f"lstm.weight_ih_l{k}"), weight(f"lstm.weight_hh_l{k}"), weight(f"lstm.bias_ih_l{k}") + weight(f"lstm.bias_hh_l{k}"))
            for k in range(layers)
        ]
        self._head = weight("head.weight"), weight("head.bias")
        self._outputs = [np.zeros(hidden) for _ in range(layers)]
        self._cells = [np.zeros(hidden) for _ in range(layers)]

    def step(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Read one point and forecast the next ones."""
        size = self._hidden
        for k, (from_input, from_output, bias) in enumerate(self._layers):
            gates = from_input @ values + from_output @ self._outputs[k] + bias
            candidate = np.tanh(gates[2 * size : 3 * size])
            # The logistic function, written so that it cannot overflow.
            opened = 0.5 * (1.0 + np.tanh(0.5 * gates))
            self._cells[k] = opened[size : 2 * size] * self._cells[k] + opened[:size] * candidate
            self._outputs[k] = values = opened[3 * size :] * np.tanh(self._cells[k])
        weights, bias = self._head
        return weights @ values + bias
