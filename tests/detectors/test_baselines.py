import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rangewise.detectors import Constant, MovingZScore, Random, ZScore

series = st.lists(st.sampled_from([0.0, 1.0, 1.5, -3.0, 100.0]), min_size=3, max_size=60).filter(lambda values: min(values) < max(values))


def mean_and_deviation(values):
    mean = sum(values) / len(values)
    return mean, (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5


@settings(max_examples=120)
@given(trained=series, values=series)
def test_z_score_matches_loops(trained, values):
    mean, deviation = mean_and_deviation(trained)
    expected = [abs(value - mean) / deviation for value in values]
    np.testing.assert_allclose(ZScore().fit(trained).decision_function(values), expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=120)
@given(trained=series, values=series, window=st.integers(2, 20))
def test_moving_z_score_matches_loops(trained, values, window):
    floor = 0.01 * mean_and_deviation(trained)[1]
    expected = [0.0, 0.0]
    for i in range(2, len(values)):
        mean, deviation = mean_and_deviation(values[max(0, i - window) : i])
        expected.append(abs(values[i] - mean) / max(deviation, floor))
    scores = MovingZScore(window=window).fit(trained).decision_function(values)
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("window", [2, 7, 50, 1000])
@pytest.mark.parametrize("large", ["one value", "all from then on"])
def test_what_is_very_large_leaves_other_windows_alone(window, large):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 2))
    if large == "one value":
        values[100, 0] = 1e12
    else:
        values[100:, 0] += 1e6
    detector = MovingZScore(window=window).fit(values[:80])
    floor = 0.01 * values[:80].std(axis=0)
    expected = [0.0, 0.0]
    for i in range(2, len(values)):
        before = values[max(0, i - window) : i]
        expected.append((abs(values[i] - before.mean(axis=0)) / np.maximum(before.std(axis=0), floor)).max())
    np.testing.assert_allclose(detector.decision_function(values), expected, rtol=1e-5)


def test_first_change_of_a_constant_channel_is_scored():
    trained = np.column_stack([np.arange(10.0), np.full(10, 5.0)])
    scores = ZScore().fit(trained).decision_function([[4.5, 5.0], [4.5, 9.0]])
    assert scores.tolist() == [0.0, 4.0]


def test_random_depends_only_on_the_seed():
    values = np.zeros(100)
    first, second = Random(seed=1).fit(values), Random(seed=1).fit(values + 5)
    np.testing.assert_array_equal(first.decision_function(values), second.decision_function(values))
    assert (first.decision_function(values) != Random(seed=2).fit(values).decision_function(values)).all()


def test_constant_predicts_all_or_nothing():
    assert Constant().fit([1.0]).predict([1.0, 2.0]).tolist() == [1, 1]
    assert Constant(score=0).fit([1.0]).predict([1.0, 2.0]).tolist() == [0, 0]


def test_rejects_a_window_of_one_point():
    with pytest.raises(ValueError, match="window must be 2 or more"):
        MovingZScore(window=1)


@pytest.mark.parametrize("detector", [ZScore, MovingZScore])
def test_rejects_values_too_large_to_square(detector):
    with pytest.raises(ValueError, match="no finite standard deviation; divide them by a constant first"):
        detector().fit([1e308, -1e308] * 100)
