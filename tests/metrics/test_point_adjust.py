import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from naive import point_adjust as naive_point_adjust
from rangewise.metrics import (
    best_point_adjust_area,
    best_point_adjust_fbeta,
    point_adjust_area,
    point_adjust_curve,
    point_adjust_fbeta,
    point_adjust_precision,
    point_adjust_recall,
    point_fbeta,
)
from strategies import range_lists, side_pairs

percentages = st.sampled_from([0, 1, 12.5, 20, 25, 33, 50, 75, 99, 100])


def labels_of(ranges, length=60):
    return [int(any(a <= i < b for a, b in ranges)) for i in range(length)]


@settings(max_examples=100)
@given(side_pairs(), percentages, st.sampled_from([0.5, 1.0, 2.0]))
def test_matches_naive(sides, k, beta):
    real, predicted = sides
    scores = (
        point_adjust_precision(real, predicted, k=k),
        point_adjust_recall(real, predicted, k=k),
        point_adjust_fbeta(real, predicted, k=k, beta=beta),
    )
    assert scores == approx(naive_point_adjust.scores(real, labels_of(predicted), k, beta), abs=1e-12)


@settings(max_examples=100)
@given(range_lists(), st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.5, 0.7, 2.0, -math.inf, math.inf]), min_size=60, max_size=60), percentages)
def test_curve_matches_each_threshold(real, scores, k):
    curve = point_adjust_curve(real, scores, k=k, beta=2.0)
    points = list(zip(curve.thresholds, curve.precision, curve.recall, curve.f, strict=True))
    expected = naive_point_adjust.curve(real, scores, k, 2.0)
    assert len(points) == len(expected)
    for point, expected_point in zip(points, expected, strict=True):
        assert point == approx(expected_point, abs=1e-12)
    best = curve.best()
    assert best.f == max(curve.f)
    # F may differ by rounding between thresholds that should tie. Among those equal to the last bit, the highest threshold is the best.
    assert best.threshold == max(point[0] for point in points if point[3] == best.f)
    assert best_point_adjust_fbeta(real, scores, k=k, beta=2.0) == best.f


def test_share_must_exceed_k():
    # Two of ten points are 20 %, which does not exceed k; three points do.
    assert point_adjust_recall([(0, 10)], [(0, 2)], k=20) == 0.2
    assert point_adjust_recall([(0, 10)], [(0, 3)], k=20) == 1.0
    assert point_adjust_recall([(0, 10)], [(0, 1)], k=0) == 1.0
    assert point_adjust_recall([(0, 10)], [(0, 9)], k=100) == 0.9


def test_by_default_one_point_adjusts_a_long_range():
    real, predicted = [(0, 1000)], [(0, 1), (1500, 1501)]
    assert point_adjust_precision(real, predicted) == 1000 / 1001
    assert point_adjust_recall(real, predicted) == 1.0
    assert point_adjust_fbeta(real, predicted) == approx(2000 / 2001)


@settings(max_examples=100)
@given(side_pairs())
def test_k_100_is_the_classical_score(sides):
    assert point_adjust_fbeta(*sides, k=100) == approx(point_fbeta(*sides), abs=1e-12)


def test_random_scores_get_a_high_score():
    """The documentation and Kim et al. (2022) warn about this. The scores are noise; 20,000 points have ten anomalies of 200 points."""
    real = [(start, start + 200) for start in range(1000, 20000, 2000)]
    noise = np.random.default_rng(2022).random(20000)
    assert best_point_adjust_fbeta(real, noise) > 0.9
    # PA%K removes most of the inflation, not all: predicting a fifth of the points at random covers more than 20 % of many ranges.
    assert 0.4 < best_point_adjust_fbeta(real, noise, k=20) < 0.6
    assert best_point_adjust_fbeta(real, noise, k=100) < 0.2


def test_touching_ranges_are_adjusted_separately():
    assert point_adjust_recall([(0, 5), (5, 10)], [(2, 3)]) == 0.5
    assert point_adjust_curve([(0, 5), (5, 10)], np.arange(10.0)).recall.tolist() == [0.5] * 5 + [1.0] * 5


def test_area_where_one_side_is_empty():
    assert point_adjust_area([], [(0, 2)], zero_division=1.0) == 0.0
    assert point_adjust_area([(0, 4)], [], zero_division=1.0) == 0.0
    assert point_adjust_area([], [], zero_division=1.0) == 1.0
    with pytest.raises(ValueError, match="above 0"):
        best_point_adjust_area([(0, 2)], [0.1, 0.2, 0.3], beta=0)


def test_nothing():
    assert (point_adjust_precision([0, 1], [0, 0]), point_adjust_recall([0, 0], [0, 1])) == (0.0, 0.0)
    assert math.isnan(point_adjust_fbeta([0, 1], [0, 0], zero_division=math.nan))
    assert len(point_adjust_curve([], [])) == 0
    assert best_point_adjust_fbeta([], [], zero_division=1.0) == 1.0
    assert math.isnan(point_adjust_curve([0, 0], [0.1, 0.2], zero_division=math.nan).best().f)
    with pytest.raises(ValueError, match="no best threshold"):
        point_adjust_curve([], []).best()


@pytest.mark.parametrize(
    ("real", "scores", "options", "message"),
    [
        ([0, 1], [0.1, math.nan], {}, "score 1 is nan"),
        ([0, 1], [0.1], {}, "2 labels, but there are 1 scores"),
        ([(0, 3)], [0.1], {}, "stops at 3, but there are only 1"),
        ([0, 1], [[0.1, 0.2]], {}, "one number per point"),
        ([0, 1], ["a", "b"], {}, "expected numbers"),
        ([0, 1], [0.1, 0.2], {"k": 101}, "in 0..100; got 101"),
        ([0, 1], [0.1, 0.2], {"k": math.nan}, "in 0..100; got nan"),
        ([0, 1], [0.1, 0.2], {"k": "20"}, "k is a number"),
        ([0, 1], [0.1, 0.2], {"beta": 0}, "above 0"),
        ([0, 0], [0.1, 0.2], {"zero_division": 2}, "0.0, 1.0 or nan"),
    ],
)
def test_rejects_bad_input(real, scores, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        point_adjust_curve(real, scores, **options)
