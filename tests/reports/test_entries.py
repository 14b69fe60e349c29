import numpy as np
import pytest

from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.rankings.cases import read_detectors
from rangewise.reports.clock import clock_of
from rangewise.reports.entries import make_entries

REAL = Ranges([(10, 20), (50, 60), (90, 95)])


def entry(given, thresholds=None, **options):
    cases = read_detectors(REAL, {"a": given}, thresholds, {"length": 100, **options}, needs_threshold=False)[""]
    (made,) = make_entries(cases, RangeModel(), clock_of(100, None), True)
    return made


def test_facts_count_ranges():
    facts = entry([(12, 14), (16, 18), (30, 31), (55, 60)]).facts
    assert (facts.found, facts.alarms, facts.false, facts.pieces) == (2, 4, 1, 1.5)
    assert facts.covered == pytest.approx(9 / 25)
    assert facts.alert_rate == pytest.approx(0.1)
    assert facts.missed == ["R3 (row 90)"]


def test_labels_are_a_prediction_and_other_numbers_scores():
    labels = np.zeros(100)
    labels[10:20] = 1
    assert entry(labels).threshold is None
    assert entry(labels.astype(bool)).predicted == Ranges([(10, 20)])
    scored = entry(labels * 2, {"a": 2})
    assert (scored.threshold, scored.policy, scored.rank) == (2.0, "given", 1)


def test_a_threshold_above_every_score_marks_nothing():
    found = entry(np.linspace(0, 1, 100), {"a": 5.0})
    assert found.rank == 100
    assert len(found.predicted) == 0


def test_ignored_rows_are_no_part_of_any_share():
    scores = np.linspace(0, 1, 100)
    whole, part = entry(scores, {"a": 0.5}).facts, entry(scores, {"a": 0.5}, ignore=[(0, 50)]).facts
    assert (whole.alert_rate, part.alert_rate) == (0.5, 1.0)
    assert part.baseline == pytest.approx(part.f)
