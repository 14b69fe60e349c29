"""Baseline cases: random detectors with the same number of predicted points, and detectors that always fire."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.case import Case, NeedsLengthError, NeedsRowsError
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ignored import without
from rangewise.inputs.ranges import Ranges

DRAWS = 10
_MOST_POINTS = 50_000_000


def random_case(case: Case, seed: int) -> Case:
    """The same case with its predicted points, or its scores, moved to random places among the points that count.

    >>> random_case(Case.read([0, 1, 1, 0], [0, 1, 1, 0]), seed=1).alert_rate
    0.5
    """
    random = np.random.default_rng(seed)
    if case.scores is not None and case.predicted is None:
        scores = case.scores.copy()
        rows = slice(None) if case.counted is None else case.counted
        scores[rows] = random.permutation(scores[rows])
        return replace(case, scores=scores)
    rows_that_count = _rows(case)
    assert case.predicted is not None
    assert case.length is not None
    labels = np.zeros(case.length, dtype=np.int8)
    labels[random.choice(rows_that_count, int(case.predicted.lengths.sum()), replace=False)] = 1
    return replace(case, predicted=Ranges.from_labels(labels), scores=None)


def constant_case(case: Case) -> Case:
    """The same case with every point predicted, or with the same score everywhere.

    >>> constant_case(Case.read([0, 1, 1, 0], [0, 1, 1, 0])).predicted
    Ranges([(0, 4)])
    """
    if case.scores is not None and case.predicted is None:
        return replace(case, scores=np.ones_like(case.scores))
    _rows(case)
    whole = Ranges([(0, case.length)] if case.length else [])
    return replace(case, predicted=without(whole, case.ignored)[0], scores=None)


def _rows(case: Case) -> NDArray[np.int64]:
    if isinstance(case.clock, Clock):
        raise NeedsRowsError("a random baseline draws rows, but these ranges are times: give a grid, e.g. step='1min', or times=")
    if case.length is None:
        raise NeedsLengthError("a random baseline needs the number of points, which ranges do not contain; give labels, times= or length=")
    if case.length > _MOST_POINTS:
        raise ValueError(f"random baselines are for at most {_MOST_POINTS:,} points; got {case.length:,}")
    return np.arange(case.length) if case.counted is None else case.counted
