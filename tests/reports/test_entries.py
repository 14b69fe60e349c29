import numpy as np
import pytest

from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.reports.clock import clock_of
from rangewise.reports.entries import make_entries, read_detectors

REAL = Ranges([(10, 20), (50, 60), (90, 95)])


def entry(given, thresholds=None):
    (found,) = make_entries(REAL, read_detectors({"a": given}), thresholds, RangeModel(), clock_of(100, None), True)
    return found


def test_facts_count_ranges():
    facts = entry([(12, 14), (16, 18), (30, 31), (55, 60)]).facts
    assert (facts.found, facts.alarms, facts.false, facts.pieces) == (2, 4, 1, 1.5)
    assert facts.covered == pytest.approx(9 / 25)
    assert facts.marked == pytest.approx(0.1)
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
