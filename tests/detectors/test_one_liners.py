import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import one_liners as naive
from rangewise.detectors import ONE_LINERS, AbsoluteDifference, MedianDeviation, MovingRange, MovingStd, SeasonalDifference, Value

series = st.lists(st.sampled_from([0.0, 1.0, 1.5, -3.0, 100.0]), min_size=1, max_size=60)
UNIT = [0.0, 2.0]  # mean 1, standard deviation 1


@settings(max_examples=150)
@given(values=series, window=st.integers(2, 70), period=st.integers(1, 70))
def test_one_liners_match_naive(values, window, period):
    scaled = [value - 1.0 for value in values]
    expected = {
        AbsoluteDifference(): naive.absolute_difference(scaled),
        MovingStd(window=window): naive.moving_std(scaled, window),
        MovingRange(window=window): naive.moving_range(scaled, window),
        MedianDeviation(window=window): naive.median_deviation(scaled, window),
        SeasonalDifference(period=period): naive.seasonal_difference(scaled, period),
        Value(): scaled,
        Value(sign=-1): [-value for value in scaled],
    }
    for detector, scores in expected.items():
        np.testing.assert_allclose(detector.fit(UNIT).decision_function(values), scores, rtol=1e-9, atol=1e-6, err_msg=detector.name)


@pytest.mark.parametrize("kind", ONE_LINERS.values(), ids=lambda kind: kind.name)
def test_score_is_the_largest_of_the_channels(kind):
    random = np.random.default_rng(0)
    values = random.normal(size=(300, 3)) * [1.0, 10.0, 0.1]
    settings = {"period": 7} if kind is SeasonalDifference else {}
    by_channel = [kind(**settings).fit(values[:, c]).decision_function(values[:, c]) for c in range(3)]
    np.testing.assert_allclose(kind(**settings).fit(values).decision_function(values), np.max(by_channel, axis=0), rtol=1e-9)


@pytest.mark.parametrize("kind", ONE_LINERS.values(), ids=lambda kind: kind.name)
def test_constant_series_is_normal(kind):
    assert kind().fit([45.0] * 100).predict([45.0] * 100).sum() == 0


def test_default_threshold_is_three_deviations_of_normal_scores():
    values = np.random.default_rng(1).normal(size=500)
    scores = AbsoluteDifference().fit(values).decision_function(values)
    normal = np.r_[scores[:100], scores[150:]]
    detector = AbsoluteDifference().fit(values, [(100, 150)])
    assert detector.threshold_ == pytest.approx(normal.mean() + 3 * normal.std())


def test_detects_the_period():
    values = np.sin(2 * np.pi * np.arange(2000) / 40)
    assert SeasonalDifference().fit(values).decision_function(values).max() < 1e-6
    noise = np.arange(5.0)
    assert SeasonalDifference().fit(noise).decision_function([0.0, 1.0])[1] > 0


@pytest.mark.parametrize(
    ("create", "message"),
    [
        (lambda: MovingStd(window=1), "window is 2 or more; got 1"),
        (lambda: SeasonalDifference(period=0), "period is 1 or more; got 0"),
        (lambda: Value(sign=2), "sign is at most 1; got 2"),
        (lambda: Value(sign=0), "sign must be 1 .* or -1"),
    ],
)
def test_rejects_bad_settings(create, message):
    with pytest.raises(ValueError, match=message):
        create()
