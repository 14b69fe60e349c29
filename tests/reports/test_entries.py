import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rangewise.inputs.case import Case
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.rankings.cases import read_detectors
from rangewise.reports.clock import clock_of
from rangewise.reports.entries import baseline_f, make_entries, random_ranges
from strategies import range_lists

REAL = Ranges([(10, 20), (50, 60), (90, 95)])


def entry(prediction, thresholds=None, **options):
    cases = read_detectors(REAL, {"a": prediction}, thresholds, {"length": 100, **options}, needs_threshold=False)[""]
    (only_entry,) = make_entries(cases, RangeModel(), clock_of(100, None), True)
    return only_entry


def test_facts_count_ranges():
    facts = entry([(12, 14), (16, 18), (30, 31), (55, 60)]).facts
    assert (facts.found, facts.alarms, facts.false, facts.pieces) == (2, 4, 1, 1.5)
    assert facts.covered == pytest.approx(9 / 25)
    assert facts.alert_rate == pytest.approx(0.1)
    assert facts.missed == ["R3 (row 90)"]


def test_labels_are_a_prediction_and_other_numbers_are_scores():
    labels = np.zeros(100)
    labels[10:20] = 1
    assert entry(labels).threshold is None
    assert entry(labels.astype(bool)).predicted == Ranges([(10, 20)])
    scored = entry(labels * 2, {"a": 2})
    assert (scored.threshold, scored.policy, scored.rank) == (2.0, "given", 1)


def test_threshold_above_all_scores_predicts_nothing():
    above_all = entry(np.linspace(0, 1, 100), {"a": 5.0})
    assert above_all.rank == 100
    assert len(above_all.predicted) == 0


def test_ignored_rows_do_not_count_in_shares():
    scores = np.linspace(0, 1, 100)
    whole, part = entry(scores, {"a": 0.5}).facts, entry(scores, {"a": 0.5}, ignore=[(0, 50)]).facts
    assert (whole.alert_rate, part.alert_rate) == (0.5, 1.0)
    assert part.baseline == pytest.approx(part.f)


def case_of(points, ignore=()):
    return Case.read([], [], length=points, ignore=list(ignore))


@given(st.integers(1, 400), st.floats(0, 1), st.integers(0, 5), range_lists())
def test_random_ranges_have_the_requested_number_of_points(points, share, seed, ignore):
    case = case_of(points, ignore)
    count = round(share * case.points)
    ranges = random_ranges(case, count, seed)
    assert int(ranges.lengths.sum()) == count
    assert not set(ranges.points().starts.tolist()) & {row for start, stop in ignore for row in range(start, stop)}


def test_random_ranges_are_reproducible_and_depend_on_the_seed():
    case = case_of(1_000)
    assert random_ranges(case, 100, 0) == random_ranges(case, 100, 0)
    assert random_ranges(case, 100, 0) != random_ranges(case, 100, 1)
    assert len(random_ranges(case_of(0), 0, 0)) == 0
    assert random_ranges(case_of(50), 50, 3).lengths.tolist() == [50]


def test_baseline_uses_only_rows_that_count():
    """Nine tenths of the series are ignored. If they counted, random predictions would score much lower."""
    real = [(1800 + start, 1850 + start) for start in (0, 100)]
    whole = Case.read(real, [(1800, 1900)], length=2000, ignore=[(0, 1800)])
    alone = Case.read([(0, 50), (100, 150)], [(0, 100)], length=200)
    assert baseline_f(RangeModel(), whole) == pytest.approx(baseline_f(RangeModel(), alone), abs=0.05)
