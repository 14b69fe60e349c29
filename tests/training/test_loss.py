import copy
import subprocess
import sys

import numpy as np
import pytest
import torch

import rangewise as rw
from rangewise.training import RangeLoss
from rangewise.training.relaxations import BATCHES, RELAXATIONS

EARLY = rw.RangeModel(recall_bias="front", cardinality="reciprocal", alpha=0.2)


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def random_batch(*shape, seed=0, dtype=torch.float64):
    random = np.random.default_rng(seed)
    return torch.tensor(random.uniform(0.05, 0.95, shape), dtype=dtype, requires_grad=True), torch.tensor(random.random(shape) < 0.4)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("logits", [False, True])
@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_gradcheck(relaxation, logits, batch):
    p, real = random_batch(2, 15)
    loss = RangeLoss(EARLY, relaxation=relaxation, logits=logits, batch=batch, bce_weight=0.3)
    assert torch.autograd.gradcheck(lambda probabilities: loss(probabilities, real), p)


@pytest.mark.parametrize("relaxation", RELAXATIONS)
@pytest.mark.parametrize("target", ["f", "recall", "precision"])
def test_labels_give_the_hard_metric(relaxation, target):
    predicted, real = (np.random.default_rng(1).random((2, 200)) < 0.3).astype(int)
    loss = RangeLoss(EARLY, relaxation=relaxation, target=target)(torch.tensor(predicted, dtype=torch.float64), torch.tensor(real))
    assert loss.item() == pytest.approx(1 - getattr(EARLY.score(real, predicted), target))


def test_accepts_every_representation_of_the_real_side():
    p, real = random_batch(3, 20)
    as_ranges = [rw.Ranges.from_labels(one.numpy()) for one in real]
    loss = RangeLoss(EARLY)
    expected = loss(p, real).item()
    for side in (
        real.int(),
        real.double(),
        real.to(torch.bfloat16),
        real.numpy(),
        as_ranges,
        [list(one) for one in as_ranges],
        list(real),
    ):
        assert loss(p, side).item() == pytest.approx(expected)
    single = loss(p[0], real[0]).item()
    for side in (as_ranges[0], np.asarray(as_ranges[0]), list(as_ranges[0]), real[0].tolist()):
        assert loss(p[0], side).item() == pytest.approx(single)


def test_a_batch_is_pooled_or_the_mean_of_its_rows():
    p, real = random_batch(4, 30)
    rows = [RangeLoss(EARLY)(one, other).item() for one, other in zip(p, real, strict=True)]
    assert RangeLoss(EARLY, batch="mean")(p, real).item() == pytest.approx(np.mean(rows))
    assert RangeLoss(EARLY, batch="pooled")(p, real).item() != pytest.approx(np.mean(rows))


def test_bce_weight_adds_cross_entropy():
    p, real = random_batch(4, 30)
    entropy = torch.nn.functional.binary_cross_entropy(p, real.double()).item()
    assert RangeLoss(EARLY, bce_weight=0.5)(p, real).item() == pytest.approx(RangeLoss(EARLY)(p, real).item() + 0.5 * entropy)


def test_logits_give_the_same_loss():
    p, real = random_batch(30)
    with_logits = RangeLoss(EARLY, logits=True, bce_weight=0.5)(torch.logit(p), real)
    assert with_logits.item() == pytest.approx(RangeLoss(EARLY, bce_weight=0.5)(p, real).item())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_accepts_every_floating_dtype(dtype, relaxation):
    p, real = random_batch(3, 40, dtype=dtype)
    loss = RangeLoss(EARLY, relaxation=relaxation)(p, real)
    loss.backward()
    assert p.grad.dtype == dtype
    assert p.grad.shape == p.shape
    expected = RangeLoss(EARLY, relaxation=relaxation)(p.detach().double(), real)
    assert loss.item() == pytest.approx(expected.item(), abs=1e-5)


@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_respects_strides(relaxation):
    p, real = random_batch(20, 3)
    transposed, contiguous = p.t(), p.detach().t().contiguous().requires_grad_()
    RangeLoss(EARLY, relaxation=relaxation)(transposed, real.t()).backward()
    RangeLoss(EARLY, relaxation=relaxation)(contiguous, real.t().contiguous()).backward()
    torch.testing.assert_close(p.grad.t(), contiguous.grad)


@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_gradient_descent_finds_the_ranges(relaxation):
    real = torch.zeros(60)
    real[[*range(10, 16), *range(40, 45)]] = 1
    logits = torch.zeros(60, requires_grad=True)
    with torch.no_grad():
        logits += 2 * real - 1 + torch.linspace(-0.5, 0.5, 60)
    loss = RangeLoss(EARLY, relaxation=relaxation, logits=True)
    optimizer = torch.optim.Adam([logits], lr=0.3)
    for _ in range(100):
        optimizer.zero_grad()
        loss(logits, real).backward()
        optimizer.step()
    assert EARLY.score(real.numpy(), (logits >= 0).numpy()).f == 1.0


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
@pytest.mark.parametrize("relaxation", RELAXATIONS)
def test_only_cross_entropy_has_a_gradient_without_real_ranges(relaxation, zero_division):
    model = rw.RangeModel(zero_division=zero_division)
    p = torch.full((2, 8), 0.5, requires_grad=True)
    loss = RangeLoss(model, relaxation="soft")(p, torch.zeros(2, 8))
    loss.backward()
    assert loss.item() == 1.0
    assert not p.grad.any()
    zeros = torch.zeros(8)
    assert RangeLoss(model, relaxation=relaxation)(zeros, zeros).item() == 1.0 - model.score(zeros, zeros).f
    RangeLoss(model, relaxation=relaxation, bce_weight=1.0)(p, torch.zeros(2, 8)).backward()
    assert (p.grad > 0).all()


def test_copy_and_repr():
    loss = RangeLoss(EARLY, relaxation="sweep", bce_weight=0.1)
    p, real = random_batch(20)
    assert copy.deepcopy(loss)(p, real).item() == loss(p, real).item()
    assert "relaxation='sweep', target='f', bce_weight=0.1" in repr(loss)
    with torch.no_grad():
        assert not loss(p, real).requires_grad


class TestBadInput:
    @pytest.mark.parametrize(
        ("probabilities", "message"),
        [
            (
                torch.tensor([0.1, 1.2, 0.3, 0.4]),
                r"probabilities\[1\] is 1.2; .* For logits, use RangeLoss\(..., logits=True\)",
            ),
            (torch.tensor([0.1, -3.0, 0.3, 0.4]), "logits=True"),
            (torch.tensor([0.1, float("nan"), 0.3, 0.4]), r"probabilities\[1\] is nan: training diverged"),
            (torch.rand(2, 1, 4), r"shape \(2, 1, 4\); expected \(n,\) or \(batch, n\).*squeeze"),
            (torch.rand(5), r"shape \(5,\), but real has \(4,\)"),
            (torch.rand(2, 4), r"shape \(2, 4\), but real has \(4,\)"),
            (torch.rand(0), "with at least one point"),
        ],
    )
    def test_probabilities(self, probabilities, message):
        with pytest.raises(ValueError, match=message):
            RangeLoss()(probabilities, torch.tensor([0, 1, 1, 0]))

    def test_types_of_tensors(self):
        with pytest.raises(TypeError, match=r"floating-point numbers; got torch.int64: use RangeMetric"):
            RangeLoss()(torch.tensor([0, 1]), torch.tensor([0, 1]))
        with pytest.raises(TypeError, match="probabilities must be a torch tensor"):
            RangeLoss()([0.1, 0.2], [0, 1])
        with pytest.raises(ValueError, match=r"logits\[0\] is nan"):
            RangeLoss(logits=True)(torch.tensor([float("nan"), 1.0]), torch.tensor([0, 1]))

    @pytest.mark.parametrize(
        ("real", "message"),
        [
            ([(1, 9)], r"real has the range \(1, 9\), outside of the 4 points"),
            ([(-2, 1)], r"range 0 is \[-2, 1\); points are counted from 0"),
            (torch.tensor([0.0, 0.5, 0.0, 1.0]), r"real\[1\] is 0.5; labels are 0 or 1"),
            ([0, 1, 1], "real has 3 labels for 4 points"),
        ],
    )
    def test_real_of_a_series(self, real, message):
        with pytest.raises(ValueError, match=message):
            RangeLoss()(torch.full((4,), 0.5), real)

    def test_real_of_a_batch(self):
        p = torch.full((2, 4), 0.5)
        with pytest.raises(ValueError, match="real has 1 entries for 2 rows"):
            RangeLoss()(p, [rw.Ranges([(0, 1)])])
        with pytest.raises(ValueError, match=r"real\[1\] has the range \(3, 5\)"):
            RangeLoss()(p, [rw.Ranges(), rw.Ranges([(3, 5)])])
        with pytest.raises(ValueError, match=r"real\[1, 2\] is 7"):
            RangeLoss()(p, torch.tensor([[0, 1, 0, 0], [0, 0, 7, 0]]))
        with pytest.raises(TypeError, match="a list with Ranges for each row"):
            RangeLoss()(p, rw.Ranges([(0, 1)]))

    def test_settings(self):
        with pytest.raises(ValueError, match="bce_weight must be 0 or more"):
            RangeLoss(bce_weight=-1)
        with pytest.raises(TypeError, match="derivative must be a function"):
            RangeLoss(derivative=3)
        with pytest.raises(ValueError, match="a side of derivative is one of recall, precision"):
            RangeLoss(derivative={"f": abs})
        wrong = RangeLoss(rw.RangeModel(cardinality=lambda x: 0.5), derivative=lambda x: float("inf"))
        with pytest.raises(ValueError, match="derivative returned inf for 1 overlaps"):
            wrong(torch.rand(9), [(0, 2), (3, 9)])

    def test_derivative_without_effect(self):
        own = {"recall_cardinality": lambda x: 1 / x}
        for model, options in (
            (rw.RangeModel(), {"derivative": abs}),
            (rw.RangeModel(**own), {"derivative": {"recall": abs, "precision": abs}}),
            (rw.RangeModel(**own), {"derivative": abs, "relaxation": "sweep"}),
            (rw.RangeModel(**own, as_points="real"), {"derivative": abs}),
        ):
            with pytest.raises(ValueError, match="derivative= is the slope of a custom cardinality"):
                RangeLoss(model, **options)
        RangeLoss(rw.RangeModel(**own), derivative=abs)


def test_without_torch_the_error_names_the_extra():
    code = "import sys; sys.modules['torch'] = None; import rangewise.training"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError: rangewise.training needs torch: pip install 'rangewise[training]'" in process.stderr
