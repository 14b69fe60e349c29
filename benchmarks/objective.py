"""The model as a loss: forward and backward beside cross-entropy, and beside the curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import both_sides, scores_for
from benchmarks.memory import extra_bytes
from benchmarks.report import Goal, Section, Table, bytes_text, count_text, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

SIZES = (10**4, 10**5, 10**6)
GOAL_SIZE = 10**6
MOST_BY_ENTROPY, MOST_BY_CURVE, MOST_BYTES_A_POINT = 5.0, 1.5, 60
RELAXATIONS = ("soft", "sweep")


def _inputs(points: int) -> tuple[Any, Any, Any]:
    """Probabilities that want a gradient, labels, and the model."""
    import torch

    import rangewise as rw

    torch.set_num_threads(1)
    real, predicted = both_sides(points)
    scores = scores_for(predicted)
    probabilities = torch.tensor((scores - scores.min()) / np.ptp(scores), dtype=torch.float32, requires_grad=True)
    return probabilities, torch.tensor(real), rw.RangeModel(cardinality="reciprocal", recall_bias="front")


def _step(loss: Callable[[Any, Any], Any], probabilities: Any, real: Any) -> Callable[[], object]:
    def step() -> object:
        probabilities.grad = None
        loss(probabilities, real).backward()
        return probabilities.grad

    return step


def _ours(relaxation: str) -> Callable[[int], Callable[[], object]]:
    def prepare(points: int) -> Callable[[], object]:
        from rangewise.training import RangeLoss

        probabilities, real, model = _inputs(points)
        return _step(RangeLoss(model, relaxation=relaxation), probabilities, real)

    return prepare


MEMORY_CALLS = {relaxation: _ours(relaxation) for relaxation in RELAXATIONS}


def run(settings: Settings) -> Section:
    from torch.nn import functional

    rows, goals = [], []
    for points in SIZES[:1] if settings.quick else SIZES:
        settings.say(f"objective: {points:,} points")
        probabilities, real, model = _inputs(points)
        floating, scores, labels = real.float(), probabilities.detach().numpy(), real.numpy()
        calls: dict[str, Callable[[], object]] = {relaxation: _ours(relaxation)(points) for relaxation in RELAXATIONS}
        calls["entropy"] = _step(lambda p, y: functional.binary_cross_entropy(p, y), probabilities, floating)
        calls["curve"] = lambda model=model, labels=labels, scores=scores: model.curve(labels, scores)  # type: ignore[misc]
        times = compare(calls, 4 * settings.seconds)
        extra = {name: extra_bytes("objective", name, points) for name in RELAXATIONS}
        ratios = times["soft"] / times["entropy"], times["sweep"] / times["curve"]
        rows.append(
            [
                count_text(points),
                *(time_text(times[name]) for name in ("soft", "entropy")),
                ratio_text(ratios[0]),
                *(time_text(times[name]) for name in ("sweep", "curve")),
                ratio_text(ratios[1]),
                *(bytes_text(None if size is None else size / points) for size in extra.values()),
                spread_text(ratios[0]),
                spread_text(ratios[1]),
            ]
        )
        if points == GOAL_SIZE:
            what = f"forward and backward of {points:,} points"
            goals.append(Goal.at_most(f"soft, {what}: at most {MOST_BY_ENTROPY:g} x cross-entropy", ratios[0], MOST_BY_ENTROPY))
            goals.append(Goal.at_most(f"sweep, {what}: at most {MOST_BY_CURVE} x the curve", ratios[1], MOST_BY_CURVE))
            for name, size in extra.items():
                if size is not None:
                    each = size / points
                    goals.append(
                        Goal(f"{name}: at most {MOST_BYTES_A_POINT} bytes per point", bytes_text(each), each <= MOST_BYTES_A_POINT)
                    )
    columns = [
        "points",
        "soft",
        "cross-entropy",
        "ratio",
        "sweep",
        "curve",
        "ratio",
        "memory of soft",
        "memory of sweep",
        "spread of soft",
        "spread of sweep",
    ]
    return Section(
        "The model as a loss",
        [
            "`RangeLoss(model)(probabilities, real).backward()` with cardinality reciprocal and recall bias front, beside "
            "`torch.nn.functional.binary_cross_entropy` with its `backward()`, and beside `model.curve`; float32, one thread. Memory is "
            "the peak above the input, per point, in a fresh process, including the gradient.",
            Table(columns, rows),
        ],
        goals,
    )
