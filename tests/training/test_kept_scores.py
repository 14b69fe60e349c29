"""Padding, logits, windows and whole epochs in a training loop."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.training import RangeLoss, RangeMetric
from rangewise.training.kept_scores import JoinedSeries
from rangewise.training.plain_metric import PlainMetric

MODEL = rw.RangeModel(recall_bias="front", cardinality="reciprocal")


def series(seed, length=96):
    rng = np.random.default_rng(seed)
    labels = (np.convolve(rng.random(length), np.ones(9) / 9, "same") > 0.55).astype(int)
    scores = 1 / (1 + np.exp(-4 * (labels - 0.6 + rng.normal(0, 0.4, length))))
    return torch.tensor(scores), torch.tensor(labels)


def value(metric, *updates, **options):
    for scores, labels, *more in updates:
        metric.update(scores, labels, **(more[0] if more else {}), **options)
    return metric.compute().item()


def test_logits_are_probabilities():
    scores, labels = series(0)
    logits = torch.logit(scores, eps=1e-9)
    assert value(RangeMetric(MODEL, logits=True), (logits, labels)) == value(RangeMetric(MODEL), (torch.sigmoid(logits), labels))


@pytest.mark.parametrize("target", ["f", "recall", "best_f", "average_precision"])
def test_padding_does_not_count(target):
    scores, labels = series(1)
    short = 60
    expected = value(RangeMetric(MODEL, target=target), (scores[:short], labels[:short]), (scores, labels))
    padded = torch.stack([torch.cat([scores[:short], torch.full((36,), torch.nan)]), scores])
    mask = torch.ones(2, 96, dtype=torch.bool)
    mask[0, short:] = False
    both = torch.stack([labels, labels])
    assert value(RangeMetric(MODEL, target=target), (padded, both, {"mask": mask})) == pytest.approx(expected)
    labels_with_padding = both.clone()
    labels_with_padding[0, short:] = -100
    assert value(RangeMetric(MODEL, target=target, ignore_index=-100), (padded, labels_with_padding)) == pytest.approx(expected)


@pytest.mark.parametrize("relaxation", ["soft", "sweep"])
@pytest.mark.parametrize("logits", [False, True])
def test_padding_does_not_change_the_loss(relaxation, logits):
    scores, labels = series(2)
    inputs = torch.logit(scores, eps=1e-6) if logits else scores
    short = 70
    options = {"relaxation": relaxation, "bce_weight": 0.5, "logits": logits}
    plain = inputs[:short].clone().requires_grad_()
    expected = RangeLoss(MODEL, **options)(plain, labels[:short])
    expected.backward()
    padded = torch.cat([inputs[:short], torch.full((26,), torch.nan)]).requires_grad_()
    mask = torch.arange(96) < short
    loss = RangeLoss(MODEL, **options)(padded, labels, mask=mask)
    loss.backward()
    assert loss.item() == pytest.approx(expected.item())
    assert torch.allclose(padded.grad[:short], plain.grad)
    assert not padded.grad[short:].any()
    labels_with_padding = torch.where(mask, labels, 255)
    assert RangeLoss(MODEL, **options, ignore_index=255)(padded, labels_with_padding).item() == pytest.approx(expected.item())


@pytest.mark.parametrize("relaxation", ["soft", "sweep"])
@pytest.mark.parametrize("logits", [False, True])
def test_a_batch_of_padding_has_a_finite_loss_without_a_gradient(relaxation, logits):
    given = torch.full((2, 5), 0.4, requires_grad=True)
    loss = RangeLoss(MODEL, bce_weight=0.5, relaxation=relaxation, logits=logits)(
        given, torch.ones(2, 5), mask=torch.zeros(2, 5, dtype=torch.bool)
    )
    loss.backward()
    assert loss.item() == 1.0
    assert not given.grad.any()


@pytest.mark.parametrize("target", ["f", "best_f", "average_precision"])
def test_windows_are_joined(target):
    scores, labels = series(3)
    expected = value(RangeMetric(MODEL, target=target), (scores, labels))
    starts = torch.tensor([64, 0, 32])
    windows = [torch.stack([each[start : start + 32] for start in starts.tolist()]) for each in (scores, labels)]
    assert value(RangeMetric(MODEL, target=target), (*windows, {"window_starts": starts})) == pytest.approx(expected)
    # In windows that overlap, each point has the same score in each, so the mean changes nothing.
    starts = torch.arange(0, 65, 16)
    windows = [torch.stack([each[start : start + 32] for start in starts.tolist()]) for each in (scores, labels)]
    assert value(RangeMetric(MODEL, target=target), (*windows, {"window_starts": starts})) == pytest.approx(expected)
    assert value(RangeMetric(MODEL, target="f"), windows) != value(RangeMetric(MODEL), (scores, labels))


def test_windows_scored_alone_differ_from_the_series():
    """A border between windows separates the pieces of a prediction, which then no longer count as pieces of one anomaly."""
    row = torch.arange(32 * 128)
    labels, scores = (row % 200 < 90).long(), ((row % 200 < 90) & (row % 200 != 45)).double()
    windows = scores.reshape(-1, 128), labels.reshape(-1, 128)
    expected = MODEL.score(labels.numpy(), scores.numpy() >= 0.5)
    joined, alone = RangeMetric(MODEL), RangeMetric(MODEL)
    assert value(joined, (*windows, {"window_starts": torch.arange(0, 32 * 128, 128)})) == pytest.approx(expected.f)
    assert value(alone, windows) > expected.f + 0.03
    assert alone.tally().real_ranges > joined.tally().real_ranges


def test_windows_of_several_series():
    one, other = series(4), series(5)
    expected = value(RangeMetric(MODEL), one, other)
    windows = [torch.stack([one[k][:48], other[k][:48], one[k][48:], other[k][48:]]) for k in (0, 1)]
    where = {"window_starts": torch.tensor([0, 0, 48, 48]), "series": torch.tensor([7, 8, 7, 8])}
    assert value(RangeMetric(MODEL), (*windows, where)) == pytest.approx(expected)


def test_best_f_of_an_epoch_matches_pooled_tallies():
    batches = [series(seed) for seed in range(6)]
    curves = [MODEL.curve(labels.numpy(), scores.numpy()) for scores, labels in batches]
    thresholds = np.unique(np.concatenate([curve.thresholds for curve in curves]))
    scores = []
    for threshold in thresholds:
        tallies = [MODEL.tally(labels.numpy(), scores.numpy() >= threshold) for scores, labels in batches]
        scores.append(sum(tallies[1:], start=tallies[0]).score().f)
    assert value(RangeMetric(MODEL, target="best_f"), *batches) == pytest.approx(max(scores))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(1, 6)), min_size=1, max_size=6), st.integers(0, 99))
def test_joining_matches_a_dictionary(windows, seed):
    rng = np.random.default_rng(seed)
    truth = {}
    points = []
    for owner, start, length in windows:
        for position in range(start, start + length):
            label = truth.setdefault((owner, position), int(rng.integers(0, 2)))
            points.append((rng.random(), label, position, owner))
    joined = JoinedSeries.of(*(np.array(column) for column in zip(*points, strict=True)))
    keys = sorted(truth)
    means = [np.mean([score for score, _, position, owner in points if (owner, position) == key]) for key in keys]
    assert joined.scores.tolist() == pytest.approx(means)
    assert joined.labels.tolist() == [truth[key] for key in keys]
    breaks = [at for at in range(1, len(keys)) if keys[at] != (keys[at - 1][0], keys[at - 1][1] + 1)]
    assert joined.borders.tolist() == [0, *breaks, len(keys)]


def test_collection_keeps_models_apart_after_a_batch_without_ranges():
    torchmetrics = pytest.importorskip("torchmetrics")
    models = {"share": rw.RangeModel(), "any": rw.RangeModel(alpha=1.0)}
    collection = torchmetrics.MetricCollection({name: RangeMetric(model, target="recall") for name, model in models.items()})
    collection.update(torch.zeros(10), torch.zeros(10, dtype=torch.int64))
    scores, labels = torch.tensor([0.9, 0.1, 0.1]), torch.tensor([1, 1, 1])
    collection.update(scores, labels)
    values = {name: each.item() for name, each in collection.compute().items()}
    assert values == {"share": pytest.approx(1 / 3), "any": 1.0}
    collection.reset()
    collection.update(scores, labels)
    assert collection.compute()["any"].item() == 1.0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("threshold", [0.1, 0.2, 0.3, 0.7, 1e300, -1e300])
def test_a_score_is_compared_with_the_threshold_in_its_own_type(dtype, threshold):
    scores, labels = torch.tensor([0.0, 0.1, 0.2, 0.3, 0.7], dtype=dtype), torch.tensor([0, 1, 1, 1, 1])
    alone, joined = RangeMetric(MODEL, threshold=threshold), RangeMetric(MODEL, threshold=threshold)
    alone.update(scores, labels)
    joined.update(scores, labels, window_starts=[0])
    assert alone.tally() == joined.tally() == MODEL.tally(labels.numpy(), (scores >= threshold).numpy())


@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.3, 0.5, 1.0, 2.5])
def test_labels_have_no_threshold_in_windows_either(threshold):
    predicted, labels = torch.tensor([True, False, True, True]), torch.tensor([0, 1, 1, 1])
    metric = RangeMetric(MODEL, threshold=threshold)
    metric.update(torch.stack([predicted[:3], predicted[1:]]), torch.stack([labels[:3], labels[1:]]), window_starts=[0, 1])
    assert metric.tally() == MODEL.tally(labels.numpy(), predicted.numpy())


@pytest.mark.parametrize("target", ["f", "best_f"])
@pytest.mark.parametrize("first", [True, False])
def test_windows_in_some_updates_only_are_refused(target, first):
    def options(windows):
        return {"window_starts": [0]} if windows else {}

    one, other = series(8), series(9)
    metric = RangeMetric(MODEL, target=target)
    metric.update(*one, **options(first))
    with pytest.raises(ValueError, match=r"an earlier update had (no )?window_starts=; give it in every update, or in none"):
        metric.update(*other, **options(not first))
    assert metric.compute().item() == pytest.approx(value(RangeMetric(MODEL, target=target), one))
    called = RangeMetric(MODEL, target=target)

    def call_twice():
        called(*one, **options(first))
        called(*other, **options(not first))
        called.compute()

    with pytest.raises(ValueError, match="some updates had window_starts= and some had none; give it in every update, or in none"):
        call_twice()


@pytest.mark.parametrize("target", ["f", "best_f", "average_precision"])
def test_metrics_of_two_workers_are_merged(target):
    torchmetrics = pytest.importorskip("torchmetrics")
    if not hasattr(torchmetrics.Metric, "merge_state"):
        pytest.skip("merge_state is new in torchmetrics 1.5")
    batches = [series(seed) for seed in range(4)]
    first = RangeMetric(MODEL, target=target)
    second = first.clone()
    for one, other in zip(batches[::2], batches[1::2], strict=True):
        first.update(*one)
        second.update(*other)
    first.merge_state(second)
    assert first.compute().item() == pytest.approx(value(RangeMetric(MODEL, target=target), *batches))


def test_padding_inside_a_row_ends_a_series():
    scores, labels = torch.tensor([[0.9, 0.1, 0.9], [0.2, 0.9, 0.9]]), torch.tensor([[1, 0, 1], [1, 1, 1]])
    mask = torch.tensor([[True, False, True], [False, True, True]])
    metric = RangeMetric(MODEL, target="best_f")
    metric.update(scores, labels, mask=mask)
    assert metric._joined().borders.tolist() == [0, 1, 2, 4]
    assert metric.tally().real_ranges == 3


def test_calls_return_the_value_of_the_batch():
    metric = RangeMetric(MODEL, target="best_f")
    one, other = series(6), series(7)
    first, second = metric(*one).item(), metric(*other).item()
    assert first == pytest.approx(value(RangeMetric(MODEL, target="best_f"), one))
    assert second == pytest.approx(value(RangeMetric(MODEL, target="best_f"), other))
    assert metric.compute().item() == pytest.approx(value(RangeMetric(MODEL, target="best_f"), one, other))


def test_plain_metric_keeps_lists():
    class Kept(PlainMetric):
        def __init__(self):
            super().__init__()
            self.add_state("kept", [], dist_reduce_fx="cat")
            self.add_state("who", torch.tensor([3]), dist_reduce_fx="max")

        def update(self, value):
            self.kept = [*self.kept, torch.tensor([value])]

        def compute(self):
            return torch.cat(self.joined("kept")).sum()

    metric = Kept()
    assert (metric(1.0).item(), metric(2.0).item(), metric.compute().item(), metric.who.item()) == (1.0, 2.0, 3.0, 3)
    metric.reset()
    assert metric.kept == []
    with pytest.raises(ValueError, match="must be one of cat"):
        metric.add_state("other", [], dist_reduce_fx="sum")


@pytest.mark.filterwarnings("ignore:The ``compute`` method")
def test_no_updates_give_zero_division():
    assert RangeMetric(MODEL, target="best_f").compute().item() == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s, r: RangeMetric(MODEL).update(s, r, mask=torch.ones(96)), "mask must be boolean"),
        (lambda s, r: RangeMetric(MODEL).update(s, r, mask=torch.ones(3, dtype=torch.bool)), r"mask has shape \(3,\)"),
        (lambda s, r: RangeMetric(MODEL, ignore_index=9).update(s, [(0, 3)]), "ignore_index needs labels"),
        (lambda s, r: RangeMetric(MODEL, logits=True).update(r, r), "logits must be floating-point"),
        (lambda s, r: RangeMetric(MODEL).update(s, r, series=torch.tensor([0])), "give window_starts= too"),
        (lambda s, r: RangeMetric(MODEL).update(s, r, window_starts=torch.tensor([0, 5])), "one integer for each of 1 rows"),
        (lambda s, r: RangeMetric(MODEL).update(s, r, window_starts=torch.tensor([-5])), "0 or more"),
        (lambda s, r: value(RangeMetric(MODEL), (s, r), (s, r, {"window_starts": [0]})), "an earlier update had no window_starts="),
        (
            lambda s, r: value(RangeMetric(MODEL), (s, r, {"window_starts": [0]}), (s, 1 - r, {"window_starts": [0]})),
            "disagree about the label",
        ),
        (lambda s, r: RangeMetric(MODEL, target="best"), "did you mean 'best_f'"),
        (lambda s, r: value(RangeMetric(rw.RangeModel(precision_bias=lambda i, n: i), target="best_f"), (s, r)), "no curve in one pass"),
    ],
)
def test_rejects_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call(*series(8))
