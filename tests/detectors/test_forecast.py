import hashlib
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.lstm import last_forecast, squared_error
from rangewise import kernel
from rangewise.detectors import LSTMAD, Greenhouse
from rangewise.detectors.forecast import Adam, Learner, RMSprop


@dataclass
class Task:
    """A network with random weights, and sequences of a random series."""

    channels: int
    hidden: int
    layers: int
    ahead: int
    sequences: int
    steps: int
    warm_up: int
    dropout: bool
    seed: int

    def __post_init__(self):
        rng = np.random.default_rng(self.seed)
        self.values = rng.normal(size=(2 * self.steps + self.ahead, self.channels)).astype(np.float32)
        self.starts = rng.integers(0, self.steps + 1, self.sequences)
        self.shapes = [
            shape
            for layer in range(self.layers)
            for shape in (
                (self.hidden if layer else self.channels, 4 * self.hidden),
                (self.hidden, 4 * self.hidden),
                *[(4 * self.hidden,)] * 2,
            )
        ]
        outputs = self.ahead * self.channels
        self.shapes += [(self.hidden, outputs), (outputs,)]
        self.weights = (rng.normal(size=sum(map(math.prod, self.shapes))) / math.sqrt(self.hidden)).astype(np.float32)
        kept = rng.random((self.layers, self.steps, self.sequences, self.hidden)) >= 0.3
        self.masks = (kept / 0.7).astype(np.float32) if self.dropout else None
        self.sizes = {"hidden": self.hidden, "layers": self.layers, "ahead": self.ahead, "steps": self.steps}

    def kernel(self, *, gradient):
        masks = None if self.masks is None else self.masks.ravel()
        return kernel.lstm_squared_error(
            self.values, self.starts, self.weights, **self.sizes, warm_up=self.warm_up, gradient=gradient, masks=masks
        )

    def parts(self, weights):
        """The layers and the linear layer, each matrix with one row per output."""
        ends = np.cumsum([math.prod(shape) for shape in self.shapes])
        matrices = [part.reshape(shape).T for part, shape in zip(np.split(weights, ends[:-1]), self.shapes, strict=True)]
        layers = [(matrices[k], matrices[k + 1], matrices[k + 2] + matrices[k + 3]) for k in range(0, 4 * self.layers, 4)]
        return [tuple(part.tolist() for part in layer) for layer in layers], (matrices[-2].tolist(), matrices[-1].tolist())

    def naive(self, weights):
        masks = None if self.masks is None else self.masks.tolist()
        sizes = self.hidden, self.ahead, self.steps, self.warm_up
        return squared_error(*self.parts(weights.astype(np.float64)), self.values.tolist(), self.starts.tolist(), *sizes, masks)


@st.composite
def tasks(draw, hidden, sequences, steps, ahead=5):
    sizes = [draw(st.integers(1, most)) for most in (3, hidden, 3, ahead, sequences, steps)]
    return Task(*sizes, draw(st.integers(0, sizes[-1] - 1)), draw(st.booleans()), draw(st.integers(0, 1000)))


@pytest.mark.kernel
@given(tasks(hidden=9, sequences=10, steps=6, ahead=2))
def test_error_and_last_forecasts_match_naive(task):
    error, gradient = task.kernel(gradient=False)
    assert gradient is None
    assert error == task.kernel(gradient=True)[0]
    assert error == pytest.approx(task.naive(task.weights), rel=1e-5)
    computed = kernel.lstm_last_forecasts(task.values, task.starts, task.weights, **task.sizes)
    sequences = [task.values[start : start + task.steps].tolist() for start in task.starts]
    expected = [last_forecast(*task.parts(task.weights), sequence, task.hidden) for sequence in sequences]
    np.testing.assert_allclose(computed.reshape(len(expected), -1), expected, atol=2e-5)


@pytest.mark.kernel
@given(tasks(hidden=2, sequences=3, steps=4, ahead=2))
def test_gradient_matches_finite_differences(task):
    gradient = task.kernel(gradient=True)[1]
    change = 1e-5
    for k in np.random.default_rng(task.seed).integers(0, len(gradient), 8):
        error = []
        for sign in (1, -1):
            weights = task.weights.astype(np.float64)
            weights[k] += sign * change
            error.append(task.naive(weights))
        assert gradient[k] == pytest.approx((error[0] - error[1]) / (2 * change), rel=1e-3, abs=1e-5)


@pytest.mark.kernel
@given(tasks(hidden=40, sequences=20, steps=30))
def test_gradient_matches_torch(task):
    torch = pytest.importorskip("torch")
    leaf = torch.tensor(task.weights, dtype=torch.float64, requires_grad=True)
    parts = [part.reshape(shape) for part, shape in zip(leaf.split([*map(math.prod, task.shapes)]), task.shapes, strict=True)]
    values, starts = torch.tensor(task.values, dtype=torch.float64), torch.tensor(task.starts)
    outputs, cells = ([torch.zeros(task.sequences, task.hidden, dtype=torch.float64)] * task.layers for _ in range(2))
    squares = []
    for step in range(task.steps):
        inputs = values[starts + step]
        for k in range(task.layers):
            from_input, from_output, bias, other_bias = parts[4 * k : 4 * k + 4]
            gates = (inputs @ from_input + outputs[k] @ from_output + bias + other_bias).chunk(4, dim=1)
            cells[k] = gates[1].sigmoid() * cells[k] + gates[0].sigmoid() * gates[2].tanh()
            outputs[k] = gates[3].sigmoid() * cells[k].tanh()
            inputs = outputs[k] if task.masks is None else outputs[k] * torch.tensor(task.masks[k, step])
        targets = torch.cat([values[starts + step + 1 + k] for k in range(task.ahead)], dim=1)
        squares.append((inputs @ parts[-2] + parts[-1] - targets).square())
    expected = torch.stack(squares[task.warm_up :]).mean()
    expected.backward()
    error, gradient = task.kernel(gradient=True)
    assert error == pytest.approx(expected.item(), rel=1e-5)
    np.testing.assert_allclose(gradient, leaf.grad.numpy(), rtol=1e-4, atol=1e-5 * float(leaf.grad.abs().max()) + 1e-7)


@pytest.mark.kernel
def test_gradient_has_the_same_bits_on_every_machine():
    """Also in a build without AVX2: `make portable` runs this test."""

    def numbers(size):
        return (np.arange(size) * 40503 % 65536 / 32768 - 1).astype(np.float32)

    sizes = {"hidden": 11, "layers": 2, "ahead": 3, "steps": 25, "warm_up": 5}
    weights = numbers(44 * (2 + 11 + 2) + 44 * (11 + 11 + 2) + 12 * 6)
    masks = numbers(2 * 25 * 13 * 11) + 1
    error, gradient = kernel.lstm_squared_error(
        numbers(120).reshape(60, 2), np.arange(0, 26, 2), weights, **sizes, gradient=True, masks=masks
    )
    assert hashlib.sha256(gradient.tobytes()).hexdigest()[:16] == "0743a2e550b6ea62"
    assert error.hex() == "0x1.30b2e8f8532f1p-1"


@pytest.mark.kernel
def test_kernel_checks_sizes_of_sequences():
    sizes = {"hidden": 2, "layers": 1, "ahead": 1, "steps": 5}
    weights, values = np.zeros(4 * 2 * (1 + 2 + 2) + 3, dtype=np.float32), np.zeros((9, 1), dtype=np.float32)
    assert kernel.lstm_last_forecasts(values, np.array([0, 4]), weights, **sizes).shape == (2,)
    assert kernel.lstm_squared_error(values, np.array([0, 3]), weights, **sizes, warm_up=4, gradient=True)[1].shape == weights.shape
    for starts, change, message in (
        ([0], {"hidden": 3}, "weights are not those"), ([0], {"layers": 0}, "or more"), ([], {}, "there is a sequence"),
        ([0], {"warm_up": 5}, "step after the warm-up"), ([0, 4], {}, "outside of the values"), ([-1], {}, "outside of the values"),
        ([0], {"steps": 9}, "outside of the values"), ([0], {"steps": 10}, "outside of the values"),
        ([0], {"masks": np.ones(9, dtype=np.float32)}, "masks are not those"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            kernel.lstm_squared_error(
                values, np.array(starts, dtype=np.int64), weights, **sizes | {"warm_up": 4, "gradient": True} | change
            )
    for starts, steps in (([5], 5), ([], 5), ([0], 0)):
        with pytest.raises(ValueError, match=r"outside of the values|there is a sequence"):
            kernel.lstm_last_forecasts(values, np.array(starts, dtype=np.int64), weights, **sizes | {"steps": steps})


@pytest.mark.parametrize(("optimizer_class", "name", "options"), [(Adam, "Adam", {}), (RMSprop, "RMSprop", {})], ids=["adam", "rmsprop"])
def test_optimizers_match_torch(optimizer_class, name, options):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    weights = rng.normal(size=50).astype(np.float32)
    leaf = torch.tensor(weights, requires_grad=True)
    reference, optimizer = getattr(torch.optim, name)([leaf], lr=0.01, **options), optimizer_class(weights)
    for _ in range(30):
        gradient = rng.normal(size=50).astype(np.float32)
        leaf.grad = torch.tensor(gradient)
        reference.step()
        optimizer.step(gradient, 0.01)
    np.testing.assert_allclose(weights, leaf.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_long_gradients_are_clipped(monkeypatch):
    gradients = []
    monkeypatch.setattr(Adam, "step", lambda self, gradient, rate: gradients.append(gradient))
    learner = Learner(LSTMAD(hidden=3), np.full((60, 1), 1e3), Adam, np.random.default_rng(0), steps=30, warm_up=5)
    learner.learn(np.arange(5), 0.1)
    assert np.linalg.norm(gradients[0]) == pytest.approx(1.0)
    small = Learner(LSTMAD(hidden=3), np.full((60, 1), 1e-3), Adam, np.random.default_rng(0), steps=30, warm_up=5)
    small.learn(np.arange(5), 0.1)
    assert 0 < np.linalg.norm(gradients[1]) < 0.9


def test_dropout_keeps_the_mean_of_the_output():
    detector = Greenhouse(dropout=0.3, hidden=20)
    learner = Learner(detector, np.zeros((20, 1)), RMSprop, np.random.default_rng(0), steps=10, warm_up=9)
    masks = learner._masks(50)
    assert masks.dtype == np.float32
    assert masks.shape == (2 * 10 * 50 * 20,)
    assert set(masks.tolist()) == {0.0, float(np.float32(1 / 0.7))}
    assert masks.mean() == pytest.approx(1.0, abs=0.02)
    assert Learner(LSTMAD(), np.zeros((20, 1)), Adam, np.random.default_rng(0), steps=10, warm_up=9)._masks(50) is None


@pytest.mark.parametrize("channels", [1, 2])
def test_saved_weights_load_into_torch(channels):
    """The weights have torch's names and shapes, and the kernel scores as torch does."""
    torch = pytest.importorskip("torch")
    detector = Greenhouse(hidden=5, layers=2, look_ahead=3)
    values = np.random.default_rng(0).normal(size=(40, channels))
    learner = Learner(detector, values, RMSprop, np.random.default_rng(1), steps=40, warm_up=39)
    state = learner.learned()
    network = torch.nn.ModuleDict({"lstm": torch.nn.LSTM(channels, 5, 2, batch_first=True), "head": torch.nn.Linear(5, 3 * channels)})
    network.load_state_dict({name.removeprefix("network."): torch.from_numpy(array) for name, array in state.items()})
    with torch.no_grad():
        expected = network["head"](network["lstm"](torch.from_numpy(values[None].astype(np.float32)))[0])[0].numpy()
    weights = detector._kernel_weights(state | {"mean": np.zeros(channels)})
    computed = kernel.lstm_last_forecasts(
        values.astype(np.float32), np.zeros(1, dtype=np.int64), weights, **detector._kernel_sizes(), steps=40
    )
    np.testing.assert_allclose(computed, expected[-1], rtol=1e-4, atol=1e-6)
    outputs = 3 * channels
    rule = {"mean": np.zeros(outputs), "whitening": np.eye(outputs), "far": np.inf, "hold": 0, "first": 23}
    forecasts = kernel.lstm_forecasts(values, weights, **detector._kernel_sizes(), **rule)
    np.testing.assert_allclose(forecasts.reshape(40, -1), expected, rtol=1e-4, atol=1e-5)
