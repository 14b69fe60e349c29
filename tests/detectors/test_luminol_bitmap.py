import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import luminol as naive_luminol
from rangewise.datasets import load_nab
from rangewise.detectors import LuminolBitmap, LuminolDefault, ShortSeriesWarning
from rangewise.inputs.ranges import Ranges


def wave(points, seed=0):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(points) / 20) + rng.normal(0, 0.1, points)


@settings(max_examples=120)
@given(data=st.data(), lag=st.integers(1, 60), future=st.integers(1, 60), sections=st.sampled_from([1, 2, 4, 5]))
def test_scores_match_luminol(data, lag, future, sections):
    values = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 0.1]), min_size=1, max_size=140))
    expected = naive_luminol.bitmap_scores(values, lag, future, sections)
    detector = LuminolBitmap(lag=lag, future=future, sections=sections)
    if expected is None:
        with pytest.warns(ShortSeriesWarning, match="LuminolDefault"):
            scores = detector.decision_function(values)
        np.testing.assert_array_equal(scores, LuminolDefault().decision_function(values))
    else:
        np.testing.assert_array_equal(detector.decision_function(values), expected)


@pytest.mark.parametrize("points", [2000, 2100])
def test_windows_are_a_share_of_the_series(points):
    values, window = wave(points), int(0.0125 * points)
    np.testing.assert_array_equal(LuminolBitmap().decision_function(values), naive_luminol.bitmap_scores(values.tolist(), window, window))


def test_windows_are_at_most_200_points():
    values = wave(17000)
    np.testing.assert_array_equal(LuminolBitmap(lag=212, future=212).decision_function(values), LuminolBitmap().decision_function(values))
    np.testing.assert_array_equal(LuminolBitmap(lag=200, future=200).decision_function(values), LuminolBitmap().decision_function(values))


def test_predicts_above_a_fifth_of_the_largest_score():
    values = wave(3000)
    values[1500:1600] = 0.0
    detector = LuminolBitmap().fit(values)
    scores = detector.decision_function(values)
    np.testing.assert_array_equal(detector.predict(values), scores > 0.2 * scores.max())
    assert 0 < detector.predict(values).sum() < 3000


def test_equal_to_a_fifth_is_not_anomalous():
    # Scores are whole numbers, so a score is often exactly a fifth of the largest.
    for seed in range(200):
        values = np.random.default_rng(seed).integers(0, 2, 80).astype(float)
        detector = LuminolBitmap(lag=25, future=25).fit(values)
        scores = detector.decision_function(values)
        if (scores == 0.2 * scores.max()).any():
            np.testing.assert_array_equal(detector.predict(values), scores > 0.2 * scores.max())
            return
    pytest.fail("no series with a score at the limit was drawn")


def test_constant_series_scores_0():
    values = np.full(2500, 3.0)
    assert not LuminolBitmap().decision_function(values).any()
    assert not LuminolBitmap().fit(values).predict(values).any()


def test_a_million_points_need_little_memory():
    values = wave(1_000_000)
    tracemalloc.start()
    LuminolBitmap().decision_function(values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200e6


@pytest.mark.parametrize(("options", "message"), [({"lag": 0}, "lag is 1 or more"), ({"sections": 0}, "sections is 1 or more")])
def test_rejects_bad_settings(options, message):
    with pytest.raises(ValueError, match=message):
        LuminolBitmap(**options)


@pytest.mark.parametrize(("name", "ranges"), [("realTraffic/speed_7578.csv", 18), ("realAdExchange/exchange-2_cpm_results.csv", 43)])
def test_short_series_use_the_threshold_of_the_default_detector(golden_folder, monkeypatch, name, ranges):
    """Short series of NAB, with the number of ranges that luminol itself predicts."""
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    series = load_nab(name)
    with pytest.warns(ShortSeriesWarning, match=r"\d+ < 50; scored by LuminolDefault"):
        predicted = LuminolBitmap().fit(series.values).predict(series.values)
    assert len(Ranges.from_labels(predicted)) == ranges
