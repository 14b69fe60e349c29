"""The forecasting network of LSTMAD and Greenhouse, and its training."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import number, whole
from rangewise.detectors.base import Detector, Scores, State, TooShortError

NETWORK = "network."
"""The prefix of the names of the network's weights."""
_MOST = {"look_ahead": 10_000, "hidden": 100_000, "layers": 100, "epochs": 10**6, "batch": 10**6}
"""Upper limits of settings, which may come from an untrusted file."""
# A longer gradient is shortened to this length.
_STEEPEST = 1.0


@dataclass(kw_only=True, eq=False)
class ForecastDetector(Detector):
    """A stacked LSTM that forecasts the next ``look_ahead`` points at each step; a point is scored by its forecast errors.

    Values are scaled by mean and standard deviation of the training windows. ``seed`` makes a run reproducible. ``progress`` shows the
    epochs on stderr.
    """

    look_ahead: int = 5
    hidden: int = 35
    layers: int = 2
    dropout: float = 0.2
    epochs: int = 10
    batch: int = 32
    learning_rate: float = 1e-3
    seed: int = 0
    progress: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, most in _MOST.items():
            setattr(self, name, whole(name, getattr(self, name), least=1, most=most))
        self.seed = whole("seed", self.seed, least=0, most=2**63 - 1)
        for name in ("dropout", "learning_rate"):
            setattr(self, name, number(name, getattr(self, name)))
        if not 0.0 <= self.dropout < 1.0:
            raise ValueError(f"dropout must be 0 or more and below 1; got {self.dropout}")
        if not 0.0 < self.learning_rate < np.inf:
            raise ValueError(f"learning_rate must be above 0 and finite; got {self.learning_rate}")

    def _network_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the network's weights, with torch's names and in the order of the kernel, which has each of them transposed."""
        gates, outputs = 4 * self.hidden, self.look_ahead * channels
        shapes: dict[str, tuple[int, ...]] = {}
        for layer in range(self.layers):
            shapes |= {
                f"{NETWORK}lstm.weight_ih_l{layer}": (gates, self.hidden if layer else channels),
                f"{NETWORK}lstm.weight_hh_l{layer}": (gates, self.hidden),
                f"{NETWORK}lstm.bias_ih_l{layer}": (gates,),
                f"{NETWORK}lstm.bias_hh_l{layer}": (gates,),
            }
        return shapes | {f"{NETWORK}head.weight": (outputs, self.hidden), f"{NETWORK}head.bias": (outputs,)}

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        outputs = self.look_ahead * channels
        shapes = {"mean": (channels,), "spread": (channels,), **self._network_shapes(channels)}
        return shapes | {"error_mean": (outputs,), "error_factor": (outputs, outputs)}

    def _kernel_sizes(self) -> dict[str, int]:
        return {"hidden": self.hidden, "layers": self.layers, "ahead": self.look_ahead}

    def _kernel_weights(self, state: State) -> NDArray[np.float32]:
        """The weights of the network as the kernel takes them."""
        names = self._network_shapes(len(state["mean"]))
        return np.concatenate([state[name].T.ravel() for name in names]).astype(np.float32, copy=False)

    def _widest_input_weight(self, channels: int) -> float:
        """The weights that read the values are drawn from a range that ends here; the others, as in torch, at 1 / sqrt(hidden)."""
        return 1.0 / math.sqrt(self.hidden)

    @contextmanager
    def _epochs(self, number: int) -> Iterator[Iterator[int]]:
        """The epoch numbers, with a bar on stderr if ``progress`` is set."""
        if self.progress:
            from rich.console import Console
            from rich.progress import Progress

            console = Console(stderr=True)
            if console.is_terminal:
                with Progress(console=console, transient=True) as bar:
                    yield iter(bar.track(range(number), description=f"training {self.name}"))
                return
            console.print(f"training {self.name}, {number} epochs at most", highlight=False)
        yield iter(range(number))

    def _scaled(self, array: NDArray[np.float64], state: State, *, unscored: int) -> NDArray[np.float64]:
        """Scaled values; too few are an error."""
        if len(array) <= unscored:
            raise ValueError(
                f"the series has {len(array)} points, but {type(self).__name__} scores from its point {unscored} on; "
                "give a longer series or smaller settings"
            )
        scaled: NDArray[np.float64] = (array - state["mean"]) / state["spread"]
        return scaled


class Adam:
    """Adam (Kingma and Ba 2015) with its usual settings. It changes the weights in place."""

    def __init__(self, weights: NDArray[np.float32]) -> None:
        self._weights, self._mean, self._square, self._steps = weights, np.zeros_like(weights), np.zeros_like(weights), 0

    def step(self, gradient: NDArray[np.float32], rate: float) -> None:
        self._steps += 1
        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.001 * (np.square(gradient) - self._square)
        size = np.sqrt(self._square) / math.sqrt(1.0 - 0.999**self._steps) + 1e-8
        self._weights -= rate / (1.0 - 0.9**self._steps) * self._mean / size


class RMSprop:
    """RMSprop (Tieleman and Hinton 2012) with torch's settings. It changes the weights in place."""

    def __init__(self, weights: NDArray[np.float32]) -> None:
        self._weights, self._square = weights, np.zeros_like(weights)

    def step(self, gradient: NDArray[np.float32], rate: float) -> None:
        self._square += 0.01 * (np.square(gradient) - self._square)
        self._weights -= rate * gradient / (np.sqrt(self._square) + 1e-8)


class Learner:
    """A network that learns to forecast in sequences of ``steps`` points; its forecasts count from step ``warm_up`` on.

    Its first weights, the order of its sequences and dropout are drawn from ``rng``.
    """

    def __init__(
        self,
        detector: ForecastDetector,
        scaled: NDArray[np.float64],
        optimizer: type[Adam | RMSprop],
        rng: np.random.Generator,
        *,
        steps: int,
        warm_up: int,
    ) -> None:
        self.rng, self._dropout = rng, detector.dropout
        self._values = np.ascontiguousarray(scaled, dtype=np.float32)
        self._sizes = {**detector._kernel_sizes(), "steps": steps, "warm_up": warm_up}
        channels = scaled.shape[1]
        self._shapes = detector._network_shapes(channels)
        widest = np.full(sum(map(math.prod, self._shapes.values())), 1.0 / math.sqrt(detector.hidden))
        widest[: 4 * detector.hidden * channels] = detector._widest_input_weight(channels)
        self._weights = rng.uniform(-widest, widest).astype(np.float32)
        self._optimizer = optimizer(self._weights)

    def learn(self, starts: NDArray[np.int64], rate: float) -> None:
        """One step of the optimizer, on the sequences that begin at ``starts``."""
        _, gradient = kernel.lstm_squared_error(
            self._values, starts, self._weights, **self._sizes, gradient=True, masks=self._masks(len(starts))
        )
        assert gradient is not None
        length = math.sqrt(np.square(gradient, dtype=np.float64).sum())
        if length > _STEEPEST:
            gradient *= _STEEPEST / length
        self._optimizer.step(gradient, rate)

    def error(self, starts: NDArray[np.int64]) -> float:
        """The mean squared error on other sequences, without dropout."""
        return kernel.lstm_squared_error(
            self._values, np.ascontiguousarray(starts), self._weights, **self._sizes, gradient=False, masks=None
        )[0]

    def learned(self) -> State:
        """The weights by their saved names."""
        state, at = {}, 0
        for name, shape in self._shapes.items():
            part = self._weights[at : at + math.prod(shape)]
            state[name] = part.reshape(shape[::-1]).T.copy()
            at += len(part)
        return state

    def _masks(self, sequences: int) -> NDArray[np.float32] | None:
        """Dropout after each layer: 0, or the factor that keeps the mean."""
        if not self._dropout:
            return None
        drawn = self.rng.random(self._sizes["layers"] * self._sizes["steps"] * sequences * self._sizes["hidden"], dtype=np.float32)
        return np.multiply(drawn >= self._dropout, 1.0 / (1.0 - self._dropout), dtype=np.float32)


def error_vectors(scaled: NDArray[np.float64], forecasts: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """For each point from ``first`` on, its errors in the forecasts made 1, 2, ... points before it.

    ``forecasts`` has the shape (points, look_ahead, channels); entry [t, k] is the forecast made at point t of point t + 1 + k.
    """
    points = np.arange(first, len(scaled))
    ahead = forecasts.shape[1]
    return np.concatenate([scaled[points] - forecasts[points - 1 - k, k] for k in range(ahead)], axis=1)


def enough_windows(name: str, windows: NDArray[np.int64], needed: str) -> NDArray[np.int64]:
    if not len(windows):
        raise TooShortError(f"the training part is too short: {name} has no window of {needed} normal points in a row; give more rows")
    return windows


def pad_front(scores: Scores, unscored: int) -> Scores:
    """Give points without a complete error vector the lowest score of the others."""
    return np.concatenate([np.full(unscored, scores.min()), scores])
