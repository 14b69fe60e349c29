"""Detectors that know nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.metrics.baselines import all_ones, random_like, shuffled
from strategies import range_lists


@given(range_lists(), st.integers(0, 1000))
def test_random_marks_as_many_points_of_the_series(predicted, seed):
    ranges = rw.Ranges(predicted)
    drawn = random_like(ranges, 60, seed)
    assert drawn.lengths.sum() == ranges.lengths.sum()
    assert not len(drawn) or (drawn.starts[0] >= 0 and drawn.stops[-1] <= 60)
    assert drawn == random_like(ranges, 60, seed)


def test_every_place_is_as_likely():
    counts = sum(random_like(rw.Ranges([(0, 5)]), 20, seed).to_labels(20).astype(int) for seed in range(400))
    assert counts.min() > 60
    assert counts.max() < 140


def test_scores_are_shuffled_and_left_alone():
    scores = np.arange(50.0)
    mixed = shuffled(scores, 1)
    assert sorted(mixed) == scores.tolist()
    assert mixed.tolist() != scores.tolist()
    assert scores.tolist() == list(range(50))


def test_bounds():
    assert all_ones(3) == rw.Ranges([(0, 3)])
    assert all_ones(0) == rw.Ranges([])
    with pytest.raises(ValueError, match="got 4, but 5 points are predicted"):
        random_like(rw.Ranges([(0, 5)]), 4)
    with pytest.raises(ValueError, match="at most 100,000,000 points"):
        random_like(rw.Ranges([(0, 5)]), 10**12)
