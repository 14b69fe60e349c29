import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rangewise.reports.baseline import random_ranges


@given(points=st.integers(2_000, 20_000), share=st.floats(0, 1), seed=st.integers(0, 5))
def test_marks_about_as_many_points(points, share, seed):
    marked = round(share * points)
    found = int(random_ranges(points, marked, seed).lengths.sum())
    # Five times the spread of as many coins.
    assert abs(found - marked) <= 5 * np.sqrt(points / 4) + 1


def test_seeds_differ_and_repeat():
    assert random_ranges(1_000, 100, 0) == random_ranges(1_000, 100, 0)
    assert random_ranges(1_000, 100, 0) != random_ranges(1_000, 100, 1)
    assert len(random_ranges(0, 0, 0)) == 0
    assert random_ranges(50, 50, 3).lengths.tolist() == [50]
