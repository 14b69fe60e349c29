"""The UCR score: position of the highest score, tolerance, ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rangewise.metrics import ucr_score
from strategies import scored_ranges


@pytest.mark.filterwarnings("ignore:.*share the highest score")
@given(scored_ranges(), st.sampled_from([0, 1, 3, 50]))
def test_matches_a_plain_loop(drawn, tolerance):
    real, scores = drawn
    first = scores.index(max(scores))
    expected = any(start - tolerance <= first < stop + tolerance for start, stop in real)
    assert ucr_score(real, scores, tolerance=tolerance) == float(expected)


def test_default_tolerance_is_a_hundred_points_or_the_length_of_the_range():
    def score(length, distance):
        scores = np.zeros(2000)
        scores[1000 + length - 1 + distance] = 1
        return ucr_score([(1000, 1000 + length)], scores)

    assert [score(5, 100), score(5, 101), score(300, 300), score(300, 301)] == [1.0, 0.0, 1.0, 0.0]


def test_tolerance_of_a_long_range_extends_beyond_a_short_one():
    scores = np.zeros(3000)
    scores[1800] = 1
    assert ucr_score([(100, 1000), (1010, 1011)], scores) == 1.0


def test_warns_about_ties_that_matter():
    with pytest.warns(UserWarning, match="2 points share the highest score and 1 of them") as warnings:
        assert ucr_score([(0, 1)], [5, 1, 1, 5], tolerance=0) == 1.0
    assert warnings[0].filename == __file__, "the warning must point to the caller"
    assert ucr_score([(0, 2)], [5, 5, 1, 1], tolerance=0) == 1.0


def test_rejects_bad_input():
    assert ucr_score([0, 0], [1, 2]) == 0.0
    with pytest.raises(ValueError, match="tolerance is 0 or more; got -1"):
        ucr_score([0, 1], [1, 2], tolerance=-1)
    with pytest.raises(ValueError, match="score 1 is nan"):
        ucr_score([0, 1], [1, np.nan])
