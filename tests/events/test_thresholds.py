"""The curve of events is the score at each threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.events import event_curve, score_events

LENGTH = 60


@given(st.lists(st.integers(0, 4), min_size=2, max_size=LENGTH), st.sampled_from(["szcore", "ovlp", "taes"]))
def test_points_are_scored_at_each_threshold(points, protocol):
    scores, times = np.array(points) / 4, np.arange(len(points), dtype=np.float64)
    settings = {"join": 3, "split": 7} | ({} if protocol == "taes" else {"tolerance": (2, 1)})
    options = {"protocol": protocol, "span": (0, len(points)), **settings}
    real = [(0.0, 1.0), (min(10, len(points)) - 1.0, min(10.0, len(points)))]
    curve = event_curve(real, scores, times=times, **options)
    assert curve.thresholds.tolist() == sorted(set(scores.tolist()), reverse=True)
    for threshold, found in zip(curve.thresholds, curve.scores, strict=True):
        runs = [(float(start), float(stop)) for start, stop in rw.Ranges.from_labels(scores >= threshold)]
        assert found.counts == score_events(real, runs, **options).counts


def test_overlapping_ranges():
    found = rw.ScoredRanges([(0.0, 10.0, 0.5), (5.0, 6.0, 0.9), (40.0, 50.0, 0.7)])
    curve = event_curve([(5.0, 6.0)], found, protocol="ovlp", span=(0, 86_400))
    assert curve.false_alarms_per_day.tolist() == [0.0, 1.0, 1.0]
    assert (curve.sensitivity_at(0.5), curve.f1.tolist()[0], len(curve)) == (1.0, 1.0, 3)
    assert curve.precision.tolist() == [1.0, 0.5, 0.5]
    rows = event_curve([(5, 6)], rw.ScoredRanges([(0, 10, 0.5)]), protocol="ovlp", thresholds=[0.6, 0.4])
    assert rows.sensitivity.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: event_curve([(0, 5)], [0.1, 0.2]), "needs times="),
        (lambda: event_curve([(0, 5)], [0.1, 0.2], times=[0.0]), "1 times and there are 2 scores"),
        (lambda: event_curve([(0, 5)], rw.ScoredRanges([(0, 5, 1)]), times=[0.0]), "are times already"),
        (lambda: event_curve([(0, 5)], np.arange(3000.0), times=np.arange(3000.0)), "give thresholds="),
        (lambda: event_curve([(0, 5)], rw.ScoredRanges([(0, 5, 1)]), thresholds=[np.nan]), "got nan"),
    ],
)
def test_bad_input_is_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()
