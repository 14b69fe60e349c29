import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.inputs.case import Case
from rangewise.reports.baseline import baseline_f, random_ranges
from strategies import range_lists


def case_of(points, ignore=()):
    return Case.read([], [], length=points, ignore=list(ignore))


@given(st.integers(1, 400), st.floats(0, 1), st.integers(0, 5), range_lists())
def test_exactly_as_many_of_the_points_that_count(points, share, seed, ignore):
    case = case_of(points, ignore)
    count = round(share * case.points)
    drawn = random_ranges(case, count, seed)
    assert int(drawn.lengths.sum()) == count
    assert not set(drawn.points().starts.tolist()) & {row for start, stop in ignore for row in range(start, stop)}


def test_seeds_differ_and_repeat():
    case = case_of(1_000)
    assert random_ranges(case, 100, 0) == random_ranges(case, 100, 0)
    assert random_ranges(case, 100, 0) != random_ranges(case, 100, 1)
    assert len(random_ranges(case_of(0), 0, 0)) == 0
    assert random_ranges(case_of(50), 50, 3).lengths.tolist() == [50]


def test_chance_is_that_of_the_rows_that_count():
    """Noise in a series of which nine tenths are ignored: what is ignored made chance look hopeless."""
    real = [(1800 + start, 1850 + start) for start in (0, 100)]
    whole = Case.read(real, [(1800, 1900)], length=2000, ignore=[(0, 1800)])
    alone = Case.read([(0, 50), (100, 150)], [(0, 100)], length=200)
    assert baseline_f(rw.RangeModel(), whole) == pytest.approx(baseline_f(rw.RangeModel(), alone), abs=0.05)
