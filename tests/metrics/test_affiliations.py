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
def test_equals_the_naive_twin(sides, length):
    real, predicted = sides
    found = affiliation(real, predicted, length=length, zero_division=math.nan)
    if not real:
        assert math.isnan(found.precision)
        assert math.isnan(found.recall)
        return
    precision, recall = naive_affiliation.affiliation(real, predicted, length)
    assert found.precision == approx(math.nan if precision is None else float(precision), abs=1e-13, nan_ok=True)
    assert found.recall == approx(float(recall), abs=1e-13)


@settings(max_examples=100)
@given(side_pairs(), st.sampled_from([60, 61, 200]))
def test_the_gain_equals_the_naive_twin(sides, length):
    real, predicted = sides
    found = affiliation_gain(real, predicted, length=length, zero_division=math.nan)
    assert affiliation_precision_gain(real, predicted, length=length, zero_division=math.nan) == approx(found.precision, nan_ok=True)
    if not real:
        assert math.isnan(found.precision)
        return
    precision, recall, f = naive_affiliation.gain(real, predicted, length)
    assert found.precision == approx(math.nan if precision is None else float(precision), abs=1e-13, nan_ok=True)
    assert found.recall == approx(float(recall), abs=1e-13)
    if precision is None or abs(precision) > 1e-12:  # at chance itself rounding decides whether there is an F
        assert found.f == approx(math.nan if f is None else float(f), abs=1e-12, nan_ok=True)


def test_the_gain_of_nothing():
    assert affiliation_gain([(2, 4)], [], length=10) == AffiliationGain(0.0, 0.0)
    assert affiliation_gain([(2, 4)], [], length=10).f == 0.0
    assert affiliation_gain([], [(2, 4)], length=10, zero_division=1.0) == AffiliationGain(1.0, 1.0)
    assert affiliation_gain([(2, 4)], [(2, 4)], length=10).f == 1.0


def test_the_example_of_the_paper():
    """Huet et al. (2022), in minutes: zones of 0-30, 30-120 and 120-180; its second zone has 0.672 and 0.944."""
    real = [(0, 10), (50, 70), (170, 175)]
    predicted = [(5, 6), (7, 10), (11, 12), (40, 60), (115, 130), (135, 140), (165, 170)]
    found = affiliation(real, predicted, length=180)
    assert found.zone_starts.tolist() == [0, 30, 120]
    assert found.zone_stops.tolist() == [30, 120, 180]
    # Second zone, 90 long, event 50-70. [40, 60): 10 minutes inside, 10 at distances 0-10 with chance (70 - 2 d) / 90; [115, 120): at
    # distances 45-50, beyond the 20 on the left, (50 - d) / 90.
    second = (10 * 90 + (700 - 100) + (5 * 2.5)) / (25 * 90)
    assert found.zone_precision[1] == approx(second)
    assert second == approx(0.672222222)
    # Its recall: 10 of 20 minutes are covered, the other 10 are 0-10 from 60: 30 + (120 - 2 y + 60) of 90, 70 in the mean... of y 60-70.
    assert found.zone_recall[1] == approx((10 * 90 + 10 * (30 + 50)) / (20 * 90))
    assert found.zone_recall[1] == approx(0.944444444)


def test_a_prediction_over_a_cut_belongs_to_both_zones():
    found = affiliation([(0, 2), (8, 10)], [(4, 6)], length=10)
    assert found.zone_stops.tolist() == [5, 10]
    # [4, 5) is at distances 2 to 3 of the first event, whose zone reaches 3 beyond it: (3 - d) / 5 in the mean.
    assert found.zone_precision.tolist() == approx([0.1, 0.1])


@settings(max_examples=100)
@given(side_pairs())
def test_reversing_time_changes_nothing(sides):
    turned = [[(60 - b, 60 - a) for a, b in reversed(side)] for side in sides]
    found, mirrored = affiliation(*sides, length=60), affiliation(*turned, length=60)
    assert (found.precision, found.recall) == approx((mirrored.precision, mirrored.recall), abs=1e-13)


def test_random_predictions_are_near_one_half():
    """What makes the metric readable: chance is about 0.5, whatever the length of the anomalies."""
    rng = np.random.default_rng(3)
    real = [(start, start + 5) for start in range(500, 100_000, 1000)]
    predicted = rw.Ranges.from_labels(rng.random(100_000) < 0.001)
    assert affiliation_precision(real, predicted, length=100_000) == approx(0.5, abs=0.03)


def test_empty_zones_count_for_recall_only():
    found = affiliation([(0, 5), (100, 105)], [(0, 5)], length=200)
    assert (found.precision, found.recall) == (1.0, 0.5)
    assert math.isnan(found.zone_precision[1])


def test_nothing():
    assert affiliation_precision([0, 1, 0], [0, 0, 0]) == 0.0
    assert math.isnan(affiliation_precision([0, 1, 0], [0, 0, 0], zero_division=math.nan))
    assert affiliation_recall([0, 1, 0], [0, 0, 0], zero_division=math.nan) == 0.0
    assert affiliation_fbeta([0, 0], [0, 1], zero_division=1.0) == 1.0
    assert affiliation_fbeta([], []) == 0.0


def test_rounding_does_not_lift_a_zone_above_1():
    # The two products round up, the product of their sum does not: 1.0000000000000002 without the clamp.
    first, second, length = 1_048_944_770, 143_926_177, 443_868_318_456
    found = affiliation([(0, first + second)], [(0, first), (first, first + second)], length=length)
    assert first * length / length == first  # so far exact
    assert (found.zone_precision.tolist(), found.zone_recall.tolist()) == ([1.0], [1.0])


def test_long_series_stay_within_bounds():
    rng = np.random.default_rng(0)
    bounds = np.sort(rng.choice(2**40, size=(2, 4000), replace=False)).reshape(2, -1, 2)
    found = affiliation(bounds[0], bounds[1], length=2**40)
    assert 0 < found.recall <= 1
    assert 0 < found.precision <= 1
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
def test_bad_input(real, predicted, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        affiliation_fbeta(real, predicted, **options)
