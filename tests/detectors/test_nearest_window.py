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
def test_distances_are_those_of_the_loops(known, values, window, normalize):
    mean, spread = np.mean(known), np.std(known)
    expected = calmest(nearest_distances((np.array(values) - mean) / spread, (np.array(known) - mean) / spread, window, normalize), window)
    found = NearestWindow(window=window, normalize=normalize).fit(known).decision_function(values)
    # The nearest is looked for in single precision: of two that are alike to seven digits it may take either.
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_the_threshold_compares_windows_that_do_not_overlap():
    values = np.random.default_rng(5).normal(size=120)
    detector = NearestWindow(window=8).fit(values)
    scaled = (values - values.mean()) / values.std()
    windows = np.lib.stride_tricks.sliding_window_view(scaled, 8)
    expected = [
        min(np.sqrt(np.mean((mine - other) ** 2)) for at, other in enumerate(windows) if abs(at - row) >= 8)
        for row, mine in enumerate(windows)
    ]
    np.testing.assert_allclose(detector._distances(values[:, np.newaxis], apart=8), expected, atol=1e-4)
    assert detector.threshold_ == pytest.approx(LogMAD().choose(calmest(expected, 8)))


def test_training_windows_are_at_distance_0():
    values = np.random.default_rng(1).normal(size=(300, 2))
    np.testing.assert_allclose(NearestWindow(window=10).fit(values).decision_function(values), 0.0, atol=1e-12)


def test_a_range_keeps_its_edges():
    values = np.sin(np.arange(3000) / 20)
    values[2000:2040] += 0.4
    found = NearestWindow().fit(values[:1500])
    assert rw.Ranges.from_labels(found.predict(values)) == rw.Ranges([(2000, 2040)])


def test_forms_are_compared_without_height_and_size():
    known = np.sin(np.arange(600) / 10)
    other = 5.0 + 3.0 * np.sin(np.arange(200) / 10 + 1.0)
    plain, form = (NearestWindow(window=30, normalize=normalize).fit(known).decision_function(other) for normalize in (False, True))
    assert plain.min() > 1.0
    assert form.max() < 0.1


def test_only_some_windows_of_a_long_part_are_kept():
    values = np.random.default_rng(2).normal(size=5000)
    one, again, other = (NearestWindow(most=200, seed=seed).fit(values) for seed in (0, 0, 1))
    assert one._state["windows"].shape == (200, 100)
    np.testing.assert_array_equal(one.decision_function(values), again.decision_function(values))
    assert (one.decision_function(values) != other.decision_function(values)).any()


def test_known_anomalies_are_nothing_to_be_near_to():
    values = np.sin(np.arange(1000) / 10)
    values[400:420] = 9.0
    blind, told = NearestWindow(window=20).fit(values), NearestWindow(window=20).fit(values, [(400, 420)])
    assert blind.decision_function(values)[410] == pytest.approx(0.0, abs=1e-12)
    assert told.predict(values)[400:420].all()
    assert told.predict(values).sum() == 20


def test_bad_input():
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
