"""Baselines that ignore the data: random, shuffled and constant predictions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.inputs.case import Case
from rangewise.metrics.baselines import constant_case, random_case
from strategies import range_lists


def case_of(predicted, length=60, **options):
    return Case.read([(2, 5)], predicted, length=length, **options)


@given(range_lists(), range_lists(), st.integers(0, 1000))
def test_random_predicts_as_many_points_outside_ignored_rows(predicted, ignore, seed):
    case = case_of(predicted, ignore=ignore)
    drawn = random_case(case, seed)
    assert drawn.predicted.lengths.sum() == case.predicted.lengths.sum()
    assert not set(drawn.predicted.points().starts.tolist()) & {row for start, stop in ignore for row in range(start, stop)}
    assert drawn.predicted == random_case(case, seed).predicted


def test_every_position_is_equally_likely():
    counts = sum(random_case(case_of([(0, 5)], 20), seed).predicted.to_labels(20).astype(int) for seed in range(400))
    assert counts.min() > 60
    assert counts.max() < 140


def test_shuffles_a_copy_of_the_scores_outside_ignored_rows():
    scores = np.arange(50.0)
    case = Case.read([(2, 5)], scores=scores, ignore=[(10, 20)])
    shuffled = random_case(case, 1).scores
    assert sorted(shuffled) == scores.tolist()
    assert shuffled[10:20].tolist() == scores[10:20].tolist()
    assert shuffled.tolist() != scores.tolist()
    assert scores.tolist() == list(range(50))


def test_constant_prediction_covers_all_rows():
    assert constant_case(case_of([], 8)).predicted == rw.Ranges([(0, 8)])
    assert constant_case(case_of([], 8, ignore=[(3, 4)])).predicted == rw.Ranges([(0, 3), (4, 8)])
    assert set(constant_case(Case.read([(0, 1)], scores=[1.0, 2.0])).scores) == {1.0}


def test_rejects_cases_that_cannot_be_drawn():
    with pytest.raises(ValueError, match="needs the number of points"):
        random_case(Case.read([(0, 5)], [(0, 5)]), 0)
    with pytest.raises(ValueError, match="at most 50,000,000 points"):
        random_case(Case.read([(0, 5)], [(0, 5)], length=10**12), 0)
    times = [("2024-05-01T10:00", "2024-05-01T11:00")]
    with pytest.raises(ValueError, match="draws rows, but these ranges are times"):
        random_case(Case.read(times, times), 0)
