"""The curve of events equals the score at each threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.events import event_curve, score_events

LENGTH = 60


@given(st.lists(st.integers(0, 4), min_size=2, max_size=LENGTH), st.sampled_from(["szcore", "ovlp", "taes"]))
def test_curve_matches_score_at_each_threshold(points, protocol):
    scores, times = np.array(points) / 4, np.arange(len(points), dtype=np.float64)
    settings = {"join": 3, "split": 7} | ({} if protocol == "taes" else {"tolerance": (2, 1)})
    options = {"protocol": protocol, "span": (0, len(points)), **settings}
    real = [(0.0, 1.0), (min(10, len(points)) - 1.0, min(10.0, len(points)))]
    curve = event_curve(real, scores, times=times, **options)
    assert curve.thresholds.tolist() == sorted(set(scores.tolist()), reverse=True)
    for threshold, score in zip(curve.thresholds, curve.scores, strict=True):
        runs = [(float(start), float(stop)) for start, stop in rw.Ranges.from_labels(scores >= threshold)]
        assert score.counts == score_events(real, runs, **options).counts


@given(
    st.lists(st.none() | st.integers(0, 4), min_size=2, max_size=LENGTH),
    st.lists(st.tuples(st.integers(0, LENGTH), st.integers(1, 9)), max_size=3),
    st.sampled_from(["lowest", "ignore"]),
    st.sampled_from([0, 3]),
)
def test_ignored_and_missing_points(points, intervals, missing, join):
    """Thresholds are the scores of points that count, and scores that change the predicted events."""
    points[0] = 2
    known = [point for point in points if point is not None]
    filled = [min(known) if point is None else point for point in points]
    ignore = sorted({(float(start), float(start + length)) for start, length in intervals})
    ignored = ignore + [(float(at), at + 1.0) for at, point in enumerate(points) if point is None and missing == "ignore"]
    counts = [not any(start <= at < stop for start, stop in ignored) for at in range(len(points))]
    options = {"protocol": "szcore", "span": (0, len(points)), "join": join, "split": None, "tolerance": (2, 1)}
    real, times = [(0.0, 1.0)], np.arange(len(points), dtype=np.float64)
    curve = event_curve(real, points, times=times, missing=missing, ignore=ignore or None, **options)
    before, expected = (), {}
    for level in sorted(set(filled), reverse=True):
        runs = [(float(start), float(stop)) for start, stop in rw.Ranges.from_labels(np.array(filled) >= level)]
        score = score_events(real, runs, ignore=sorted(set(ignored)), **options)
        if score.predicted != before or level in {each for each, counted in zip(filled, counts, strict=True) if counted}:
            expected[float(level)] = score.counts
            before = score.predicted
    assert curve.thresholds.tolist() == list(expected)
    assert [score.counts for score in curve.scores] == list(expected.values())


def test_overlapping_ranges():
    ranges = rw.ScoredRanges([(0.0, 10.0, 0.5), (5.0, 6.0, 0.9), (40.0, 50.0, 0.7)])
    curve = event_curve([(5.0, 6.0)], ranges, protocol="ovlp", span=(0, 86_400))
    assert curve.false_alarms_per_day.tolist() == [0.0, 1.0, 1.0]
    assert (curve.sensitivity_at(0.5), curve.f1.tolist()[0], len(curve)) == (1.0, 1.0, 3)
    assert curve.precision.tolist() == [1.0, 0.5, 0.5]
    rows = event_curve([(5, 6)], rw.ScoredRanges([(0, 10, 0.5)]), protocol="ovlp", thresholds=[0.6, 0.4])
    assert rows.sensitivity.tolist() == [0.0, 1.0]


def test_sensitivity_at_a_rate_that_is_unknown():
    found = rw.ScoredRanges([(0.0, 10.0, 0.5)])
    assert np.isnan(event_curve([(0.0, 10.0)], found).sensitivity_at(1))
    assert all(np.isnan(event_curve([], found, span=(0, 86_400)).sensitivity_at(rate)) for rate in (0, 2))
    assert event_curve([(40.0, 50.0)], found, span=(0, 86_400), protocol="ovlp").sensitivity_at(0) == 0.0


@pytest.mark.parametrize("protocol", ["szcore", "ovlp", "taes"])
def test_ranges_that_touch_are_two_events(protocol):
    """As `score_events` counts them, whose rule joins only what overlaps."""
    found = [(0.0, 10.0, 0.5), (10.0, 20.0, 0.5), (15.0, 25.0, 0.9), (40.0, 50.0, 0.5)]
    options = {"protocol": protocol, "join": 0, "span": (0, 60)}
    curve = event_curve([(0.0, 3.0), (45.0, 60.0)], rw.ScoredRanges(found), **options)
    for threshold, score in zip(curve.thresholds, curve.scores, strict=True):
        predicted = [(start, stop) for start, stop, confidence in found if confidence >= threshold]
        assert score.counts == score_events([(0.0, 3.0), (45.0, 60.0)], predicted, **options).counts
    assert [len(score.predicted) for score in curve.scores] == [1, 3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: event_curve([(0, 5)], [0.1, 0.2]), "needs times="),
        (lambda: event_curve([(0, 5)], [0.1, 0.2], times=[0.0]), "1 times, but there are 2 scores"),
        (lambda: event_curve([(0, 5)], rw.ScoredRanges([(0, 5, 1)]), times=[0.0]), "have times already"),
        (lambda: event_curve([(0, 5)], np.arange(3000.0), times=np.arange(3000.0)), "give thresholds="),
        (lambda: event_curve([(0, 5)], rw.ScoredRanges([(0, 5, 1)]), thresholds=[np.nan]), "got nan"),
        (lambda: event_curve([(0, 5)], [0.1, np.nan], times=[0.0, 1.0]), "score 1 is nan.*missing='lowest'"),
        (lambda: event_curve([(0, 5)], rw.ScoredRanges([(0, 5, 1)]), missing="lowest"), "the prediction has no scores"),
    ],
)
def test_rejects_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
