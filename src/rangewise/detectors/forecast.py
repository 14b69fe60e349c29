"""The forecasting network of LSTMAD and Greenhouse, and its training."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number, whole
from rangewise.detectors.base import Detector, Scores, State, TooShortError
from rangewise.detectors.values import mean_and_spread

NETWORK = "network."
"""The prefix of the names of the network's weights."""
_MOST = {"look_ahead": 10_000, "hidden": 100_000, "layers": 100, "epochs": 10**6, "batch": 10**6, "threads": 1024}
"""Upper limits of settings, which may come from an untrusted file."""
_STEEPEST = 1.0


@dataclass(kw_only=True, eq=False)
class ForecastDetector(Detector):
    """A stacked LSTM that forecasts the next ``look_ahead`` points at each step; a point is scored by its forecast errors.

    Values are scaled by mean and standard deviation of the training windows. ``threads`` is the number of torch threads of this detector,
    at most one per core; ``seed`` makes a run reproducible and does not affect torch's global random state. ``progress`` shows the epochs
    on stderr.
    """

    look_ahead: int = 5
    hidden: int = 35
    layers: int = 2
    dropout: float = 0.2
    epochs: int = 10
    batch: int = 32
    learning_rate: float = 1e-3
    seed: int = 0
    threads: int = 1
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

    def _learned_shapes(self, channels: int) -> dict[str, tuple[int, ...]]:
        gates, outputs = 4 * self.hidden, self.look_ahead * channels
        shapes: dict[str, tuple[int, ...]] = {"mean": (channels,), "spread": (channels,)}
        for layer in range(self.layers):
            shapes |= {
                f"{NETWORK}lstm.weight_ih_l{layer}": (gates, self.hidden if layer else channels),
                f"{NETWORK}lstm.weight_hh_l{layer}": (gates, self.hidden),
                f"{NETWORK}lstm.bias_ih_l{layer}": (gates,),
                f"{NETWORK}lstm.bias_hh_l{layer}": (gates,),
            }
        shapes |= {f"{NETWORK}head.weight": (outputs, self.hidden), f"{NETWORK}head.bias": (outputs,)}
        return shapes | {"error_mean": (outputs,), "error_factor": (outputs, outputs)}

    def _train_windows(self, array: NDArray[np.float64], starts: NDArray[np.int64], *, steps: int) -> State:
        """Fit scale and network on windows of ``steps`` points that begin at ``starts``; each window forecasts the next points."""
        torch = load_torch()
        reach = steps + self.look_ahead
        scale = mean_and_spread(array[np.unique(starts[:, np.newaxis] + np.arange(reach))])
        scaled = ((array - scale["mean"]) / scale["spread"]).astype(np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(scaled, reach, axis=0).swapaxes(1, 2)
        rng = np.random.default_rng(self.seed)
        with self._session(torch):
            network = self._network(torch, array.shape[1])
            optimizer = torch.optim.RMSprop(network.parameters(), lr=self.learning_rate)
            with self._epochs(self.epochs) as epochs:
                for _ in epochs:
                    order = rng.permutation(starts)
                    for at in range(0, len(order), self.batch):
                        batch = torch.from_numpy(windows[order[at : at + self.batch]])
                        forecasts = forward(network, batch[:, :steps], last=True)
                        gradient_step(torch, network, optimizer, torch.nn.functional.mse_loss(forecasts, batch[:, steps:].flatten(1)))
            return {**scale, **exported_weights(network)}

    def _network(self, torch: Any, channels: int) -> Any:
        nn = torch.nn
        # torch applies dropout between layers; the one after the last layer is added here.
        between = self.dropout if self.layers > 1 else 0.0
        return nn.ModuleDict(
            {
                "lstm": nn.LSTM(channels, self.hidden, self.layers, batch_first=True, dropout=between),
                "dropout": nn.Dropout(self.dropout),
                "head": nn.Linear(self.hidden, self.look_ahead * channels),
            }
        )

    def _trained_network(self, torch: Any, state: State, channels: int) -> Any:
        network = self._network(torch, channels)
        weights = {name.removeprefix(NETWORK): torch.from_numpy(array) for name, array in state.items() if name.startswith(NETWORK)}
        network.load_state_dict(weights)
        return network.eval()

    @contextmanager
    def _session(self, torch: Any) -> Iterator[None]:
        """Set torch's number of threads and random state temporarily, because both are global."""
        threads = torch.get_num_threads()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            torch.set_num_threads(min(self.threads, os.cpu_count() or 1))
            try:
                yield
            finally:
                torch.set_num_threads(threads)

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


def forward(network: Any, inputs: Any, *, last: bool = False) -> Any:
    """The forecasts at each step, (windows, steps, look_ahead x channels), or only at the last step."""
    outputs, _ = network["lstm"](inputs)
    return network["head"](network["dropout"](outputs[:, -1] if last else outputs))


def gradient_step(torch: Any, network: Any, optimizer: Any, loss: Any) -> None:
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), _STEEPEST)
    optimizer.step()


def exported_weights(network: Any) -> State:
    """The network's weights as arrays, by their saved names."""
    return {f"{NETWORK}{name}": tensor.numpy().copy() for name, tensor in network.state_dict().items()}


def error_vectors(scaled: NDArray[np.float64], forecasts: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """For each point from ``first`` on, its errors in the forecasts made 1, 2, ... points before it.

    ``forecasts`` has the shape (points, look_ahead, channels); entry [t, k] is the forecast made at point t of point t + 1 + k.
    """
    points = np.arange(first, len(scaled))
    ahead = forecasts.shape[1]
    return np.concatenate([scaled[points] - forecasts[points - 1 - k, k] for k in range(ahead)], axis=1)


def enough_windows(name: str, found: NDArray[np.int64], needed: str) -> NDArray[np.int64]:
    if not len(found):
        raise TooShortError(f"the training part is too short: {name} has no window of {needed} normal points in a row; give more rows")
    return found


def pad_front(scores: Scores, unscored: int) -> Scores:
    """Give points without a complete error vector the lowest score of the others."""
    return np.concatenate([np.full(unscored, scores.min()), scores])


def load_torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ModuleNotFoundError("this detector needs torch: pip install 'rangewise[detectors]'") from error
    return torch
