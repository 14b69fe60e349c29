import importlib.util
import subprocess
import sys

import numpy as np
import pytest
import torch
import torchmetrics

import rangewise as rw
from rangewise.training import RangeMetric
from rangewise.training import metric as module

MODEL = rw.RangeModel(recall_bias="front", cardinality="reciprocal", alpha=0.2)


@pytest.fixture(scope="module")
def plain():
    """RangeMetric as defined if torchmetrics is not installed."""
    spec = importlib.util.spec_from_file_location("plain_range_metric", module.__file__)
    plain_module = importlib.util.module_from_spec(spec)
    original, sys.modules["torchmetrics"] = sys.modules["torchmetrics"], None
    try:
        spec.loader.exec_module(plain_module)
    finally:
        sys.modules["torchmetrics"] = original
    return plain_module.RangeMetric


@pytest.fixture(params=["torchmetrics", "plain"])
def metric_class(request, plain):
    return RangeMetric if request.param == "torchmetrics" else plain


def batches(count=4, shape=(3, 40), seed=0):
    random = np.random.default_rng(seed)
    return [(torch.tensor(random.random(shape)), torch.tensor(random.random(shape) < 0.3)) for _ in range(count)]


def tally_of(updates, threshold=0.5):
    return sum(MODEL.tally(b.numpy(), a.numpy() >= threshold) for p, real in updates for a, b in zip(p, real, strict=True))


def test_subclasses_torchmetrics_only_if_installed(plain):
    assert issubclass(RangeMetric, torchmetrics.Metric)
    assert not issubclass(plain, torchmetrics.Metric)


def test_updates_add_up_exactly(metric_class):
    metric, updates = metric_class(MODEL), batches()
    for p, real in updates:
        metric.update(p, real)
    assert metric.tally() == tally_of(updates)
    assert metric.compute().item() == pytest.approx(tally_of(updates).score().f)
    metric.reset()
    assert metric.tally().real_ranges == 0


@pytest.mark.parametrize("target", ["f", "precision", "recall"])
def test_calls_return_the_batch_and_accumulate(metric_class, target):
    metric, updates = metric_class(MODEL, target=target, threshold=0.7), batches()
    for one in updates:
        assert metric(*one).item() == pytest.approx(getattr(tally_of([one], 0.7).score(), target))
    assert metric.compute().item() == pytest.approx(getattr(tally_of(updates, 0.7).score(), target))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_accepts_scores_of_every_dtype(metric_class, dtype):
    ((p, real),) = batches(1)
    p = p.to(dtype)
    metric = metric_class(MODEL)
    metric.update(p, real)
    assert metric.tally() == tally_of([(p.float(), real)])


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64])
def test_accepts_labels_of_every_dtype_and_single_series(metric_class, dtype):
    ((p, real),) = batches(1)
    metric = metric_class(MODEL)
    for a, b in zip(p, real, strict=True):
        metric.update((a >= 0.5).to(dtype), b.to(dtype))
    assert metric.tally() == tally_of([(p, real)])


def test_rows_are_separate_series(metric_class):
    metric = metric_class(rw.RangeModel())
    metric.update(torch.tensor([[0, 1], [1, 0]]), [rw.Ranges([(1, 2)]), [(0, 1)]])
    assert metric.tally().real_ranges == 2
    assert metric.compute().item() == 1.0


def test_metric_collection():
    updates = batches()
    collection = torchmetrics.MetricCollection(
        {"f": RangeMetric(MODEL), "recall": RangeMetric(MODEL, target="recall"), "accuracy": torchmetrics.classification.BinaryAccuracy()}
    )
    for p, real in updates:
        collection.update(p, real.int())
    values, score = collection.compute(), tally_of(updates).score()
    assert (values["f"].item(), values["recall"].item()) == (pytest.approx(score.f), pytest.approx(score.recall))


def test_result_is_on_the_device_of_the_metric(metric_class):
    metric = metric_class(MODEL).to("cpu")
    metric.update(*batches(1)[0])
    assert metric.compute().device.type == "cpu"


def test_a_call_that_fails_keeps_what_was_there(plain):
    metric, given = plain(MODEL), batches()
    metric.update(*given[0])
    with pytest.raises(ValueError, match="is nan"):
        metric(torch.full((3, 40), float("nan")), given[1][1])
    assert metric.tally() == tally_of(given[:1])


@pytest.mark.parametrize("target", ["f", "best_f"])
def test_the_value_of_a_batch_needs_no_other_process(plain, target, monkeypatch):
    """Processes may have different numbers of batches, so waiting for the others in each call would never end."""
    ((p, real),) = batches(1)
    alone = plain(MODEL, target=target)(p, real)
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    assert plain(MODEL, target=target)(p, real) == alone


PROCESS = """
import sys, torch
torch.set_num_threads(1)
torch.distributed.init_process_group("gloo", init_method=sys.argv[2], rank=int(sys.argv[1]), world_size=2)
import rangewise as rw
from rangewise.training import metric as module
p, real = torch.load(sys.argv[3])
for name in ("torchmetrics", "plain"):
    if name == "plain":
        sys.modules["torchmetrics"] = None
        from importlib import reload
        reload(module)
    metric = module.RangeMetric(rw.RangeModel.parse(sys.argv[4]))
    for k in range(int(sys.argv[1]), len(p), 2):
        metric.update(p[k], real[k])
    print(metric.compute().item(), metric.compute().item())
torch.distributed.barrier()
torch.distributed.destroy_process_group()
"""


def test_two_processes_add_up_with_and_without_torchmetrics(tmp_path):
    updates = batches(5)
    torch.save([torch.stack(target) for target in zip(*updates, strict=True)], tmp_path / "given")
    arguments = [f"file://{tmp_path / 'meeting'}", str(tmp_path / "given"), str(MODEL)]
    processes = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(rank), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    expected = tally_of(updates).score().f
    for process in processes:
        out, errors = process.communicate(timeout=300)
        assert [float(value) for value in out.split()] == [pytest.approx(expected)] * 4, errors


def test_rejects_bad_input(metric_class):
    with pytest.raises(ValueError, match=r"predictions\[2\] is nan"):
        metric_class().update(torch.tensor([0.0, 1.0, float("nan")]), torch.tensor([0, 1, 1]))
    with pytest.raises(ValueError, match=r"predictions\[1\] is 3; labels are 0 or 1"):
        metric_class().update(torch.tensor([0, 3, 1]), torch.tensor([0, 1, 1]))
    with pytest.raises(ValueError, match=r"shape \(3,\), but real has \(2,\)"):
        metric_class().update(torch.tensor([0, 0, 1]), torch.tensor([0, 1]))
    with pytest.raises(TypeError, match="must be a RangeModel"):
        metric_class("early")
    with pytest.raises(ValueError, match="target is one of f, recall, precision"):
        metric_class(target="g")
    with pytest.raises(ValueError, match="threshold must be a number; got nan"):
        metric_class(threshold=float("nan"))


@pytest.mark.parametrize("real", [rw.Ranges([(0.0, 2e-9)]), [("2024-05-01", "2024-05-02")]])
def test_rejects_times(real):
    metric = RangeMetric()
    for predicted, side in ((torch.tensor([0.0, 1.0, 1.0]), real), (torch.tensor([[0.0, 1.0, 1.0]]), [real])):
        with pytest.raises(ValueError, match=r"is in times, but a tensor has no times"):
            metric.update(predicted, side)
