import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from pytest import approx

import rangewise as rw
from naive import events as naive_events
from naive import model as naive
from rangewise.metrics import caught_within, detection_delay, event_fbeta, event_precision, event_recall, mean_delay, median_delay
from strategies import side_pairs


@settings(max_examples=100)
@given(side_pairs())
def test_matches_naive(sides):
    real, predicted = sides
    precision, recall = naive_events.share_met(predicted, real), naive_events.share_met(real, predicted)
    assert (event_precision(*sides), event_recall(*sides)) == approx((precision, recall), abs=1e-12)
    assert event_fbeta(*sides, beta=2.0) == approx(naive.f_beta(precision, recall, 2.0), abs=1e-12)


@settings(max_examples=100)
@given(side_pairs())
def test_recall_is_the_existence_reward_of_the_range_model(sides):
    assert event_recall(*sides) == approx(rw.range_recall(*sides, alpha=1.0), abs=1e-12)


@settings(max_examples=100)
@given(side_pairs())
def test_delays_match_naive(sides):
    expected = naive_events.delays(*sides)
    caught = [delay for delay in expected if delay is not None]
    result = detection_delay(*sides)
    assert result.delays.tolist() == approx([math.nan if delay is None else delay for delay in expected], nan_ok=True)
    assert result.caught == len(caught)
    assert mean_delay(*sides) == approx(statistics.mean(caught) if caught else math.nan, nan_ok=True)
    assert median_delay(*sides) == approx(statistics.median(caught) if caught else math.nan, nan_ok=True)
    for points in (0, 2, 10):
        share = sum(delay <= points for delay in caught) / len(expected) if expected else 0.0
        assert caught_within(*sides, points=points) == approx(share)


def test_prediction_that_ends_at_the_start_does_not_catch_the_event():
    assert event_recall([(5, 8)], [(0, 5)]) == 0.0
    assert mean_delay([(5, 8)], [(0, 6)]) == 0.0
    assert math.isnan(mean_delay([(5, 8)], [(0, 5)]))


def test_real_data(golden_folder):
    folder = golden_folder / "paper-labels" / "nyc_taxi"
    # According to the paper, luminol misses one of the three anomalies.
    real, predicted = ((folder / f"luminol.{side}").read_text().split() for side in ("real", "pred"))
    assert event_recall([int(label) for label in real], [int(label) for label in predicted]) == approx(2 / 3)


@pytest.mark.parametrize("points", [-1, math.nan])
def test_rejects_bad_delays(points):
    with pytest.raises(ValueError, match="0 or more"):
        caught_within([0, 1], [0, 1], points=points)


def test_nothing():
    assert event_fbeta([], []) == 0.0
    assert caught_within([], [], zero_division=1.0) == 1.0
    assert detection_delay([], []).within(5) == 0.0
    assert repr(detection_delay([], [])) == "DetectionDelay(0 of 0 events caught, mean nan, median nan points late)"


def test_delays_of_times_accept_durations():
    day = np.datetime64("2024-05-01T00:00")
    real = [(day, day + np.timedelta64(60, "m")), (day + np.timedelta64(120, "m"), day + np.timedelta64(180, "m"))]
    predicted = [
        (day + np.timedelta64(4, "m"), day + np.timedelta64(9, "m")),
        (day + np.timedelta64(130, "m"), day + np.timedelta64(131, "m")),
    ]
    for points, share in (("4min", 0.5), ("239s", 0.0), (240, 0.5), ("10min", 1.0), (599, 0.5)):
        assert caught_within(real, predicted, points=points) == share
