"""Both relaxations compared with naive loops and the hard metric, and their gradients with finite differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import model as naive
from naive import objective
from rangewise.inputs.ranges import Ranges
from rangewise.model.bias import BIASES
from rangewise.model.cardinality import CARDINALITIES
from rangewise.training.relaxations import BATCHES, RELAXATIONS, TARGETS, RelaxedModel
from strategies import OWN_BIASES, bias_pair, quadratic, range_lists

pytestmark = pytest.mark.kernel

SOFT_PRECISION_BIASES = [name for name in BIASES if name != "middle"]
SOFT_PRECISION_CARDINALITIES = [name for name in CARDINALITIES if name != "consistent"]


def value_of(model, relaxation, target, p, real, derivatives=None):
    relaxed = RelaxedModel(model, relaxation, target, "pooled", derivatives or {})
    return float(relaxed(np.array([p]), Ranges(real), threads=1, gradient=False)[0][0])


def gradient_of(model, relaxation, target, batch, p, real, threads=1):
    relaxed = RelaxedModel(model, relaxation, target, batch, {})
    return relaxed(p, real, threads=threads, gradient=True)


@st.composite
def probabilities(draw, length=11):
    levels = draw(st.sampled_from([1, 2, 4, 1000]))
    return [draw(st.integers(0, levels)) / levels for _ in range(length)]


@st.composite
def soft_models(draw):
    """A model that ``soft`` supports, and its settings for the naive equations."""
    recall_bias, recall_delta = bias_pair(draw(st.sampled_from([*BIASES, *OWN_BIASES])))
    chosen = {
        "alpha": draw(st.sampled_from([0.0, 0.3, 1.0])),
        "recall": draw(st.sampled_from([*CARDINALITIES])),
        "precision": draw(st.sampled_from(SOFT_PRECISION_CARDINALITIES)),
        "bias": draw(st.sampled_from(SOFT_PRECISION_BIASES)),
        "weight": draw(st.sampled_from(["range", "length"])),
        "as_points": draw(st.sampled_from([None, None, "real", "predicted", "both"])),
        "nothing": draw(st.sampled_from([0.0, 1.0])),
        "delta": recall_delta,
    }
    model = rw.RangeModel(
        alpha=chosen["alpha"],
        beta=draw(st.sampled_from([0.5, 1.0, 2.0])),
        recall_bias=recall_bias,
        precision_bias=chosen["bias"],
        recall_cardinality=chosen["recall"],
        precision_cardinality=chosen["precision"],
        precision_weight=chosen["weight"],
        as_points=chosen["as_points"],
        zero_division=chosen["nothing"],
    )
    return model, chosen


@settings(max_examples=150)
@given(soft_models(), probabilities(), range_lists(11))
def test_soft_matches_naive(model_and_settings, p, real):
    model, chosen = model_and_settings
    precision = objective.soft_precision(
        p, real, naive.CARDINALITIES[chosen["precision"]], chosen["bias"], chosen["weight"], chosen["as_points"], chosen["nothing"]
    )
    recall = objective.soft_recall(
        p, real, naive.CARDINALITIES[chosen["recall"]], chosen["delta"], chosen["alpha"], chosen["as_points"], chosen["nothing"]
    )
    expected = {"precision": precision, "recall": recall, "f": naive.f_beta(precision, recall, model.beta)}
    for target in TARGETS:
        assert value_of(model, "soft", target, p, real) == pytest.approx(expected[target], abs=1e-12)


@st.composite
def swept_models(draw):
    cardinality = st.sampled_from([*CARDINALITIES, quadratic])
    return rw.RangeModel(
        alpha=draw(st.sampled_from([0.0, 0.3, 1.0])),
        beta=draw(st.sampled_from([0.5, 1.0, 2.0])),
        recall_bias=bias_pair(draw(st.sampled_from([*BIASES, *OWN_BIASES])))[0],
        precision_bias=draw(st.sampled_from([*BIASES])),
        recall_cardinality=draw(cardinality),
        precision_cardinality=draw(cardinality),
        precision_weight=draw(st.sampled_from(["range", "length"])),
        as_points=draw(st.sampled_from([None, None, "real", "predicted", "both"])),
        zero_division=draw(st.sampled_from([0.0, 1.0])),
    )


@settings(max_examples=150)
@given(swept_models(), probabilities(), range_lists(11), st.sampled_from(TARGETS))
def test_sweep_is_the_integral_of_the_hard_metric(model, p, real, target):
    expected = objective.swept(p, lambda on: getattr(model.score(Ranges(real), Ranges.from_labels(on)), target))
    assert value_of(model, "sweep", target, p, real) == pytest.approx(expected, abs=1e-12)


def models_of_both():
    """Models that both relaxations support, with every bias, cardinality and way of counting at least once."""
    for alpha, recall, precision, as_points in itertools.product(
        (0.0, 0.3, 1.0), zip([*BIASES], ["one", "reciprocal", "consistent", "reciprocal"], strict=True),
        zip(SOFT_PRECISION_BIASES, ["one", "reciprocal", "reciprocal"], strict=True), (None, "real", "predicted"),
    ):  # fmt: skip
        yield rw.RangeModel(
            alpha=alpha, recall_bias=recall[0], recall_cardinality=recall[1], precision_bias=precision[0],
            precision_cardinality=precision[1], as_points=as_points, zero_division=0.0,
        )  # fmt: skip


def hard_and_relaxed(model, relaxation, labels, real):
    """F of each row of 0/1 predictions, hard and relaxed."""
    length = labels.shape[1]
    bounds = np.concatenate([np.asarray(Ranges.from_labels(one)) + length * row for row, one in enumerate(real)])
    relaxed = RelaxedModel(model, relaxation, "f", "mean", {})
    values = relaxed(labels.astype(np.float64), Ranges(bounds), threads=1, gradient=False)[0]
    return np.array([model.score(a, b).f for a, b in zip(real, labels, strict=True)]), values


@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_random_labels_match_the_hard_metric(relaxation):
    models = list(models_of_both())
    random = np.random.default_rng(3)
    for model in models:
        shape = (500, int(random.integers(5, 60)))
        labels, real = ((random.random(shape) < random.choice([0.1, 0.5, 0.9])).astype(np.uint8) for _ in range(2))
        hard, relaxed = hard_and_relaxed(model, relaxation, labels, real)
        np.testing.assert_allclose(relaxed, hard, rtol=0, atol=1e-12)


@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_every_prediction_of_ten_points_matches_the_hard_metric(relaxation):
    every = np.array(list(itertools.product((0, 1), repeat=10)), dtype=np.uint8)
    for model in (
        rw.RangeModel(alpha=0.3, bias="front", cardinality="reciprocal"),
        rw.RangeModel(recall_bias="middle", precision_bias="back"),
    ):
        for real in every[::102]:
            hard, relaxed = hard_and_relaxed(model, relaxation, every, np.array([real] * len(every), dtype=np.uint8))
            np.testing.assert_allclose(relaxed, hard, rtol=0, atol=1e-12)


def distinct_probabilities(random, *shape):
    """Probabilities that are not close to each other: where two are equal, both objectives have a kink."""
    return random.permutation(np.linspace(0.05, 0.95, int(np.prod(shape)))).reshape(shape)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_gradients_match_finite_differences(relaxation, batch):
    random = np.random.default_rng(4)
    step = 1e-6
    for model in models_of_both():
        p = distinct_probabilities(random, 2, 12)
        real = Ranges([(1, 4), (6, 7), (9, 12), (12, 14), (20, 24)])
        _, gradient = gradient_of(model, relaxation, "f", batch, p, real)
        direction = random.normal(size=p.shape)
        ends = [gradient_of(model, relaxation, "f", batch, p + sign * step * direction, real)[0].sum() for sign in (1, -1)]
        assert (gradient.reshape(p.shape) * direction).sum() == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_series_longer_than_a_block(relaxation):
    """The kernel works in blocks; a series of several blocks matches a calculation step by step."""
    random = np.random.default_rng(5)
    n = 600
    p = random.choice([0.0, 0.3, 0.99, 1.0, 1.0], size=(1, n))
    p[0, 200:400] = 0.999
    real = Ranges([(10, 30), (250, 270), (300, 513), (598, 600)])
    model = rw.RangeModel(bias="front", cardinality="reciprocal", alpha=0.2)
    value, gradient = gradient_of(model, relaxation, "f", "pooled", p, real)
    if relaxation == "soft":
        f, b, cf, cb = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
        start, end, inside = np.zeros(n), np.zeros(n), real.to_labels(n)
        start[real.starts], end[real.stops - 1] = 1, 1
        q = p[0]
        for t in range(1, n):
            f[t], cb[t] = q[t - 1] * (1 + f[t - 1]), q[t - 1] * (end[t - 1] + cb[t - 1])
        for t in range(n - 2, -1, -1):
            b[t], cf[t] = q[t + 1] * (1 + b[t + 1]), q[t + 1] * (start[t + 1] + cf[t + 1])
        length, met = 1 + f + b, inside + cf + cb
        top = (q * inside / np.maximum(met, 1) * 2 * (1 + b) / (length * (length + 1))).sum()
        precision = top / (q / length).sum()
        recall = objective.soft_recall(q.tolist(), list(real), naive.reciprocal, naive.front, 0.2)
        assert value[0] == pytest.approx(naive.f_beta(precision, recall, 1.0), abs=1e-12)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_threads_change_nothing(relaxation, batch):
    random = np.random.default_rng(6)
    p = random.random((8, 9000))
    bounds = [(row * 9000 + at, row * 9000 + at + 40) for row in range(8) for at in (100, 5000) if row != 3]
    model = rw.RangeModel(cardinality="reciprocal", recall_bias=OWN_BIASES["steep"])
    results = [gradient_of(model, relaxation, "f", batch, p, Ranges(bounds), threads) for threads in (1, 4)]
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_pooled_is_the_tally_of_all_rows():
    random = np.random.default_rng(7)
    labels, real = (random.random((2, 5, 30)) < 0.4).astype(np.uint8)
    model = rw.RangeModel(cardinality="reciprocal", alpha=0.2)
    bounds = np.concatenate([np.asarray(Ranges.from_labels(one)) + 30 * row for row, one in enumerate(real)])
    expected = sum(model.tally(a, b) for a, b in zip(real, labels, strict=True)).score().f
    for relaxation in RELAXATIONS:
        relaxed = RelaxedModel(model, relaxation, "f", "pooled", {})
        assert relaxed(labels.astype(float), Ranges(bounds), threads=1, gradient=False)[0].tolist() == [pytest.approx(expected)]


class TestCustomCardinality:
    @staticmethod
    def slope(overlaps):
        return -1.8 / overlaps**3

    def test_soft_matches_the_hard_metric(self):
        model = rw.RangeModel(cardinality=quadratic)
        derivatives = {"recall": self.slope, "precision": self.slope}
        p, real = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0], [(0, 5), (7, 8), (9, 10)]
        on = Ranges.from_labels([int(q) for q in p])
        assert value_of(model, "soft", "f", p, real, derivatives) == pytest.approx(model.score(Ranges(real), on).f)

    @settings(max_examples=60)
    @given(range_lists(11), st.integers(0, 2**32))
    def test_gradient_matches_finite_differences(self, real, seed):
        model = rw.RangeModel(cardinality=quadratic)
        relaxed = RelaxedModel(model, "soft", "f", "pooled", {"recall": self.slope, "precision": self.slope})
        q = distinct_probabilities(np.random.default_rng(seed), 1, 11)
        direction = np.cos(np.arange(11))
        _, gradient = relaxed(q, Ranges(real), threads=1, gradient=True)
        ends = [relaxed(q + sign * 1e-6 * direction, Ranges(real), threads=1, gradient=False)[0][0] for sign in (1, -1)]
        assert gradient @ direction == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-4)


def test_rejects_unsupported_models():
    def error_of(model, relaxation="soft", target="f", batch="pooled", derivatives=None):
        with pytest.raises((ValueError, TypeError)) as caught:
            RelaxedModel(model, relaxation, target, batch, derivatives or {})
        return str(caught.value)

    assert "relaxation is one of soft, sweep" in error_of(rw.RangeModel(), "hard")
    assert "target is one of f, recall, precision" in error_of(rw.RangeModel(), target="F")
    assert "batch is one of pooled, mean" in error_of(rw.RangeModel(), batch="sum")
    assert "must be a RangeModel" in error_of("early")
    assert "size function" in error_of(rw.RangeModel(size=lambda own, overlap, bias: 1.0))
    assert "zero_division" in error_of(rw.RangeModel(zero_division=float("nan")))
    assert "precision_bias middle is not supported by relaxation='soft'" in error_of(rw.RangeModel(bias="middle"))
    assert "relaxation='sweep'" in error_of(rw.RangeModel(precision_bias=OWN_BIASES["steep"]))
    assert "precision_cardinality consistent is not supported by relaxation='soft'" in error_of(rw.RangeModel(cardinality="consistent"))
    assert "recall_cardinality quadratic is a custom function, and soft needs its slope" in error_of(
        rw.RangeModel(recall_cardinality=quadratic)
    )
    assert "takes the length" in error_of(rw.RangeModel(recall_cardinality=lambda overlaps, length: 0.5))
    assert "no gradient in either" in error_of(rw.RangeModel(precision_bias=OWN_BIASES["steep"]), "sweep")
