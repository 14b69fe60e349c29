"""Suggested buffer lengths."""

import numpy as np
import pytest

from rangewise.metrics import dominant_period, suggested_buffer


def test_suggests_the_median_length():
    assert suggested_buffer([(0, 3), (5, 10), (20, 40), (50, 56)]) == 5
    assert suggested_buffer([0, 0]) == 0


@pytest.mark.parametrize("period", [5, 24, 100, 288])
def test_period_of_a_noisy_wave(period):
    rng = np.random.default_rng(period)
    values = np.sin(2 * np.pi * np.arange(10 * period) / period) + rng.normal(0, 0.1, 10 * period) + 50
    assert dominant_period(values) == pytest.approx(period, abs=1)


def test_period_of_a_wave_with_a_slow_trend():
    time = np.arange(3000)
    assert dominant_period(np.sign(np.sin(2 * np.pi * time / 48)) + time / 1e4) == 48


def test_no_period():
    assert dominant_period(np.ones(500)) == 0
    assert dominant_period(np.arange(500)) == 0
    assert dominant_period([1, 2]) == dominant_period([]) == 0


def test_rejects_bad_input():
    with pytest.raises(ValueError, match="value 1 is nan"):
        dominant_period([1, np.nan, 2, 3])
    with pytest.raises(ValueError, match="value 0 is inf"):
        dominant_period([np.inf, 1, 2, 3])
    with pytest.raises(ValueError, match="longest is 9 or more; got 3"):
        dominant_period([1, 2, 3], shortest=9, longest=3)
