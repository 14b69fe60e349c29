import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import affiliation as naive_affiliation
from rangewise.metrics import (
    AffiliationGain,
    affiliation,
    affiliation_fbeta,
    affiliation_gain,
    affiliation_precision,
    affiliation_precision_gain,
    affiliation_recall,
)
from strategies import side_pairs


@settings(max_examples=100)
@given(side_pairs(), st.sampled_from([60, 61, 200]))
def test_matches_naive(sides, length):
    real, predicted = sides
    result = affiliation(real, predicted, length=length, zero_division=math.nan)
    if not real:
        assert math.isnan(result.precision)
        assert math.isnan(result.recall)
        return
    precision, recall = naive_affiliation.affiliation(real, predicted, length)
    assert result.precision == approx(math.nan if precision is None else float(precision), abs=1e-13, nan_ok=True)
    assert result.recall == approx(float(recall), abs=1e-13)


@settings(max_examples=100)
@given(side_pairs(), st.sampled_from([60, 61, 200]))
def test_gain_matches_naive(sides, length):
    real, predicted = sides
    gain = affiliation_gain(real, predicted, length=length, zero_division=math.nan)
    assert affiliation_precision_gain(real, predicted, length=length, zero_division=math.nan) == approx(gain.precision, nan_ok=True)
    if not real:
        assert math.isnan(gain.precision)
        return
    precision, recall, f = naive_affiliation.gain(real, predicted, length)
    assert gain.precision == approx(math.nan if precision is None else float(precision), abs=1e-13, nan_ok=True)
    assert gain.recall == approx(float(recall), abs=1e-13)
    if precision is None or abs(precision) > 1e-12:  # exactly at chance, rounding decides whether F is defined
        assert gain.f == approx(math.nan if f is None else float(f), abs=1e-12, nan_ok=True)


def test_gain_of_nothing():
    assert affiliation_gain([(2, 4)], [], length=10) == AffiliationGain(0.0, 0.0)
    assert affiliation_gain([(2, 4)], [], length=10).f == 0.0
    assert affiliation_gain([], [(2, 4)], length=10, zero_division=1.0) == AffiliationGain(1.0, 1.0)
    assert affiliation_gain([(2, 4)], [(2, 4)], length=10).f == 1.0


def test_example_of_the_paper():
    """Huet et al. (2022), in minutes. The zones are 0-30, 30-120 and 120-180; the second has precision 0.672 and recall 0.944."""
    real = [(0, 10), (50, 70), (170, 175)]
    predicted = [(5, 6), (7, 10), (11, 12), (40, 60), (115, 130), (135, 140), (165, 170)]
    result = affiliation(real, predicted, length=180)
    assert result.zone_starts.tolist() == [0, 30, 120]
    assert result.zone_stops.tolist() == [30, 120, 180]
    # The second zone is 90 minutes long, with the event at 50-70. The prediction [40, 60) is inside the event for 10 minutes. The other 10
    # are at distances d of 0-10, where the probability is (70 - 2 d) / 90. [115, 120) is at distances of 45-50, beyond the left end of the
    # zone, which is at a distance of 20, so the probability is (50 - d) / 90.
    second = (10 * 90 + (700 - 100) + (5 * 2.5)) / (25 * 90)
    assert result.zone_precision[1] == approx(second)
    assert second == approx(0.672222222)
    # For recall, 10 of the 20 minutes are covered. The other 10 have a mean probability of (30 + 50) / 90.
    assert result.zone_recall[1] == approx((10 * 90 + 10 * (30 + 50)) / (20 * 90))
    assert result.zone_recall[1] == approx(0.944444444)


def test_prediction_across_zones_belongs_to_both():
    result = affiliation([(0, 2), (8, 10)], [(4, 6)], length=10)
    assert result.zone_stops.tolist() == [5, 10]
    # [4, 5) is at distances d of 2 to 3 from the first event, whose zone ends 3 after it: the mean of (3 - d) / 5.
    assert result.zone_precision.tolist() == approx([0.1, 0.1])


@settings(max_examples=100)
@given(side_pairs())
def test_reversing_time_changes_nothing(sides):
    reversed_sides = [[(60 - b, 60 - a) for a, b in reversed(side)] for side in sides]
    result, mirrored = affiliation(*sides, length=60), affiliation(*reversed_sides, length=60)
    assert (result.precision, result.recall) == approx((mirrored.precision, mirrored.recall), abs=1e-13)


def test_random_predictions_are_near_one_half():
    """Chance level is about 0.5, whatever the length of the anomalies."""
    rng = np.random.default_rng(3)
    real = [(start, start + 5) for start in range(500, 100_000, 1000)]
    predicted = rw.Ranges.from_labels(rng.random(100_000) < 0.001)
    assert affiliation_precision(real, predicted, length=100_000) == approx(0.5, abs=0.03)


def test_empty_zones_count_for_recall_only():
    result = affiliation([(0, 5), (100, 105)], [(0, 5)], length=200)
    assert (result.precision, result.recall) == (1.0, 0.5)
    assert math.isnan(result.zone_precision[1])


def test_nothing():
    assert affiliation_precision([0, 1, 0], [0, 0, 0]) == 0.0
    assert math.isnan(affiliation_precision([0, 1, 0], [0, 0, 0], zero_division=math.nan))
    assert affiliation_recall([0, 1, 0], [0, 0, 0], zero_division=math.nan) == 0.0
    assert affiliation_fbeta([0, 0], [0, 1], zero_division=1.0) == 1.0
    assert affiliation_fbeta([], []) == 0.0


def test_rounding_does_not_raise_a_zone_above_1():
    # The two products round up, but the product of their sum does not: without the clamp, the result is 1.0000000000000002.
    first, second, length = 1_048_944_770, 143_926_177, 443_868_318_456
    result = affiliation([(0, first + second)], [(0, first), (first, first + second)], length=length)
    assert first * length / length == first  # this product is exact
    assert (result.zone_precision.tolist(), result.zone_recall.tolist()) == ([1.0], [1.0])


def test_long_series_stay_within_bounds():
    rng = np.random.default_rng(0)
    bounds = np.sort(rng.choice(2**40, size=(2, 4000), replace=False)).reshape(2, -1, 2)
    result = affiliation(bounds[0], bounds[1], length=2**40)
    assert 0 < result.recall <= 1
    assert 0 < result.precision <= 1
    assert affiliation_fbeta(bounds[0], bounds[0], length=2**40) == 1.0


@pytest.mark.parametrize(
    ("real", "predicted", "options", "message"),
    [
        ([(0, 3)], [(1, 2)], {}, "length is missing"),
        ([(0, 3)], [(1, 2)], {"length": 2}, "length is 2, but real has a range that stops at 3"),
        ([(0, 3)], [(1, 9)], {"length": 5}, "predicted has a range that stops at 9"),
        ([0, 1], [0, 1], {"length": 3}, "2 labels"),
        ([0, 1], [0, 1, 1], {}, "same number"),
        ([(0, 3)], [(1, 2)], {"length": 5.5}, "whole number"),
        ([0, 1], [0, 1], {"beta": -1}, "above 0"),
    ],
)
def test_rejects_bad_input(real, predicted, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        affiliation_fbeta(real, predicted, **options)
