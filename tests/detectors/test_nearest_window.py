import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from naive.windows import calmest, nearest_distances
from rangewise.detectors import NearestWindow
from rangewise.detectors.base import TooShortError
from rangewise.thresholds import LogMAD

numbers = st.lists(st.integers(-8, 8).map(float), min_size=12, max_size=30)


@given(known=numbers.filter(lambda values: len(set(values)) > 1), values=numbers, window=st.integers(2, 4), normalize=st.booleans())
def test_distances_match_naive(known, values, window, normalize):
    mean, spread = np.mean(known), np.std(known)
    expected = calmest(nearest_distances((np.array(values) - mean) / spread, (np.array(known) - mean) / spread, window, normalize), window)
    scores = NearestWindow(window=window, normalize=normalize).fit(known).decision_function(values)
    # The search uses single precision, so it may choose either of two windows that agree to seven digits.
    np.testing.assert_allclose(scores, expected, atol=2e-3)


def test_threshold_compares_windows_that_do_not_overlap():
    values = np.random.default_rng(5).normal(size=120)
    detector = NearestWindow(window=8).fit(values)
    scaled = (values - values.mean()) / values.std()
    windows = np.lib.stride_tricks.sliding_window_view(scaled, 8)
    expected = [
        min(np.sqrt(np.mean((window - other) ** 2)) for index, other in enumerate(windows) if abs(index - row) >= 8)
        for row, window in enumerate(windows)
    ]
    np.testing.assert_allclose(detector._distances(values[:, np.newaxis], apart=8), expected, atol=1e-4)
    assert detector.threshold_ == pytest.approx(LogMAD().choose(calmest(expected, 8)))


def test_training_windows_are_at_distance_0():
    values = np.random.default_rng(1).normal(size=(300, 2))
    np.testing.assert_allclose(NearestWindow(window=10).fit(values).decision_function(values), 0.0, atol=1e-12)


def test_predicted_range_keeps_its_edges():
    values = np.sin(np.arange(3000) / 20)
    values[2000:2040] += 0.4
    detector = NearestWindow().fit(values[:1500])
    assert rw.Ranges.from_labels(detector.predict(values)) == rw.Ranges([(2000, 2040)])


def test_normalized_windows_ignore_offset_and_scale():
    known = np.sin(np.arange(600) / 10)
    other = 5.0 + 3.0 * np.sin(np.arange(200) / 10 + 1.0)
    plain, normalized = (NearestWindow(window=30, normalize=normalize).fit(known).decision_function(other) for normalize in (False, True))
    assert plain.min() > 1.0
    assert normalized.max() < 0.1


def test_long_training_parts_are_sampled():
    values = np.random.default_rng(2).normal(size=5000)
    first, repeated, reseeded = (NearestWindow(most=200, seed=seed).fit(values) for seed in (0, 0, 1))
    assert first._state["windows"].shape == (200, 100)
    np.testing.assert_array_equal(first.decision_function(values), repeated.decision_function(values))
    assert (first.decision_function(values) != reseeded.decision_function(values)).any()


def test_labeled_anomalies_are_not_compared_with():
    values = np.sin(np.arange(1000) / 10)
    values[400:420] = 9.0
    unlabeled, labeled = NearestWindow(window=20).fit(values), NearestWindow(window=20).fit(values, [(400, 420)])
    assert unlabeled.decision_function(values)[410] == pytest.approx(0.0, abs=1e-12)
    assert labeled.predict(values)[400:420].all()
    assert labeled.predict(values).sum() == 20


def test_rejects_bad_input():
    with pytest.raises(TooShortError, match="60 points, fewer than the window's 100"):
        NearestWindow().fit(np.arange(60.0))
    with pytest.raises(TooShortError, match="fewer than the window's 50"):
        NearestWindow(window=50).fit(np.arange(200.0)).decision_function(np.arange(20.0))
    with pytest.raises(ValueError, match="no window of 50 training points is free of real ranges"):
        NearestWindow(window=50).fit(np.arange(200.0), [(row, row + 1) for row in range(40, 200, 40)])
    with pytest.raises(TypeError, match="normalize must be True or False"):
        NearestWindow(normalize="yes")
    with pytest.raises(ValueError, match="window is 2 or more"):
        NearestWindow(window=1)
