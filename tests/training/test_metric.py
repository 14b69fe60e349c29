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
    """RangeMetric as it is where torchmetrics is absent."""
    spec = importlib.util.spec_from_file_location("plain_range_metric", module.__file__)
    made = importlib.util.module_from_spec(spec)
    kept, sys.modules["torchmetrics"] = sys.modules["torchmetrics"], None
    try:
        spec.loader.exec_module(made)
    finally:
        sys.modules["torchmetrics"] = kept
    return made.RangeMetric


@pytest.fixture(params=["torchmetrics", "plain"])
def kind(request, plain):
    return RangeMetric if request.param == "torchmetrics" else plain


def batches(count=4, shape=(3, 40), seed=0):
    random = np.random.default_rng(seed)
    return [(torch.tensor(random.random(shape)), torch.tensor(random.random(shape) < 0.3)) for _ in range(count)]


def tally_of(given, threshold=0.5):
    return sum(MODEL.tally(b.numpy(), a.numpy() >= threshold) for p, real in given for a, b in zip(p, real, strict=True))


def test_it_is_a_metric_of_torchmetrics_only_where_that_is(plain):
    assert issubclass(RangeMetric, torchmetrics.Metric)
    assert not issubclass(plain, torchmetrics.Metric)


def test_updates_add_up_exactly(kind):
    metric, given = kind(MODEL), batches()
    for p, real in given:
        metric.update(p, real)
    assert metric.tally() == tally_of(given)
    assert metric.compute().item() == pytest.approx(tally_of(given).score().f)
    metric.reset()
    assert metric.tally().real_ranges == 0


@pytest.mark.parametrize("target", ["f", "precision", "recall"])
def test_calling_it_gives_the_batch_and_keeps_the_whole(kind, target):
    metric, given = kind(MODEL, target=target, threshold=0.7), batches()
    for one in given:
        assert metric(*one).item() == pytest.approx(getattr(tally_of([one], 0.7).score(), target))
    assert metric.compute().item() == pytest.approx(getattr(tally_of(given, 0.7).score(), target))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_scores_of_every_type(kind, dtype):
    ((p, real),) = batches(1)
    p = p.to(dtype)
    metric = kind(MODEL)
    metric.update(p, real)
    assert metric.tally() == tally_of([(p.float(), real)])


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64])
def test_labels_of_every_type_and_one_series(kind, dtype):
    ((p, real),) = batches(1)
    metric = kind(MODEL)
    for a, b in zip(p, real, strict=True):
        metric.update((a >= 0.5).to(dtype), b.to(dtype))
    assert metric.tally() == tally_of([(p, real)])


def test_rows_do_not_touch(kind):
    metric = kind(rw.RangeModel())
    metric.update(torch.tensor([[0, 1], [1, 0]]), [rw.Ranges([(1, 2)]), [(0, 1)]])
    assert metric.tally().real_ranges == 2
    assert metric.compute().item() == 1.0


def test_a_collection():
    given = batches()
    collection = torchmetrics.MetricCollection(
        {"f": RangeMetric(MODEL), "recall": RangeMetric(MODEL, target="recall"), "accuracy": torchmetrics.classification.BinaryAccuracy()}
    )
    for p, real in given:
        collection.update(p, real.int())
    found, score = collection.compute(), tally_of(given).score()
    assert (found["f"].item(), found["recall"].item()) == (pytest.approx(score.f), pytest.approx(score.recall))


def test_a_state_goes_where_it_is_sent(kind):
    metric = kind(MODEL).to("cpu")
    metric.update(*batches(1)[0])
    assert metric.compute().device.type == "cpu"


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
    given = batches(5)
    torch.save([torch.stack(target) for target in zip(*given, strict=True)], tmp_path / "given")
    arguments = [f"file://{tmp_path / 'meeting'}", str(tmp_path / "given"), str(MODEL)]
    processes = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(rank), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    whole = tally_of(given).score().f
    for process in processes:
        out, errors = process.communicate(timeout=300)
        assert [float(value) for value in out.split()] == [pytest.approx(whole)] * 4, errors


def test_bad_input(kind):
    with pytest.raises(ValueError, match=r"predictions\[2\] is nan"):
        kind().update(torch.tensor([0.0, 1.0, float("nan")]), torch.tensor([0, 1, 1]))
    with pytest.raises(ValueError, match=r"predictions\[1\] is 3; labels are 0 or 1"):
        kind().update(torch.tensor([0, 3, 1]), torch.tensor([0, 1, 1]))
    with pytest.raises(ValueError, match=r"shape \(3,\), but real has \(2,\)"):
        kind().update(torch.tensor([0, 0, 1]), torch.tensor([0, 1]))
    with pytest.raises(TypeError, match="must be a RangeModel"):
        kind("early")
    with pytest.raises(ValueError, match="target is one of f, recall, precision"):
        kind(target="g")
    with pytest.raises(ValueError, match="threshold must be a number; got nan"):
        kind(threshold=float("nan"))


@pytest.mark.parametrize("real", [rw.Ranges([(0.0, 2e-9)]), [("2024-05-01", "2024-05-02")]])
def test_times_are_no_points_of_a_tensor(real):
    metric = RangeMetric()
    for predicted, given in ((torch.tensor([0.0, 1.0, 1.0]), real), (torch.tensor([[0.0, 1.0, 1.0]]), [real])):
        with pytest.raises(ValueError, match=r"is in times, but a tensor has no times"):
            metric.update(predicted, given)
