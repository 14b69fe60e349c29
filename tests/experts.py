"""Made-up experts: hidden settings, and judgements drawn with them."""

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
    """(real, preferred, other) of random predictions that the expert does not find equal."""
    found = []
    while len(found) < number:
        real = _real(random)
        sides = _prediction(random, real), _prediction(random, real)
        one, other = (model.score(real, side).f for side in sides)
        if abs(one - other) > 1e-9:
            found.append((real, *(sides if one > other else sides[::-1])))
    return found


def agreement(model, drawn):
    return np.mean([model.score(real, preferred).f > model.score(real, other).f for real, preferred, other in drawn])


def _real(random):
    found, at = [], 0
    for _ in range(random.integers(1, 4)):
        start = at + int(random.integers(2, 9))
        at = min(start + int(random.integers(3, 14)), POINTS - 1)
        if start >= at:
            break
        found.append((start, at))
    return rw.Ranges(found)


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
