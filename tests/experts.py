"""Simulated experts: hidden settings, and judgements made with them."""

import numpy as np

import rangewise as rw
from rangewise.model.bias import BIASES

POINTS = 60


def expert(random):
    return rw.RangeModel(
        alpha=float(random.random()),
        beta=float(random.choice([0.5, 1.0, 2.0])),
        recall_bias=str(random.choice(list(BIASES))),
        cardinality=str(random.choice(["one", "reciprocal"])),
    )


def judgements(random, model, number):
    """(real, preferred, other) for random pairs of predictions that the expert scores differently."""
    judged = []
    while len(judged) < number:
        real = _real(random)
        pair = _prediction(random, real), _prediction(random, real)
        first, second = (model.score(real, predicted).f for predicted in pair)
        if abs(first - second) > 1e-9:
            judged.append((real, *(pair if first > second else pair[::-1])))
    return judged


def agreement(model, judged):
    return np.mean([model.score(real, preferred).f > model.score(real, other).f for real, preferred, other in judged])


def _real(random):
    ranges, at = [], 0
    for _ in range(random.integers(1, 4)):
        start = at + int(random.integers(2, 9))
        at = min(start + int(random.integers(3, 14)), POINTS - 1)
        if start >= at:
            break
        ranges.append((start, at))
    return rw.Ranges(ranges)


def _prediction(random, real):
    labels = np.zeros(POINTS, dtype=bool)
    for start, stop in real:
        if random.random() < 0.8:
            for _ in range(random.integers(1, 4)):
                at = int(random.integers(start - 3, stop))
                labels[max(at, 0) : at + int(random.integers(1, 8))] = True
    for _ in range(random.integers(0, 3)):
        at = int(random.integers(0, POINTS - 3))
        labels[at : at + int(random.integers(1, 5))] = True
    return rw.Ranges.from_labels(labels)
