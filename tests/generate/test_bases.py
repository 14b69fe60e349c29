import math

import numpy as np
import pytest

from rangewise.datasets import BASES, generate
from rangewise.generate.bases import CHUNK, Own, made_base


def rows_of(name, length, *, period=None, seed=0):
    defaults = BASES[name]
    base = made_base(
        name, low=defaults.low, high=defaults.high, period=period or defaults.period, length=length, seed=seed, channels=1
    )  # fmt: skip
    parts = []
    for start in range(0, length, CHUNK):
        part = np.empty(min(CHUNK, length - start))
        base.fill(part, start, 0)
        parts.append(part)
    return base, np.concatenate(parts)


@pytest.mark.parametrize("period", [360, 77, 100.5])
def test_sine_is_a_sine(period):
    _, values = rows_of("sine", CHUNK + 1000, period=period)
    for row in [0, 1, 89, 90, 200, CHUNK - 1, CHUNK, CHUNK + 999]:
        assert values[row] == pytest.approx(0.35 + 0.15 * math.sin(2 * math.pi * row / period), abs=1e-9)


@pytest.mark.parametrize("name", BASES)
def test_bases_are_continuous_across_chunks(name):
    base, values = rows_of(name, 2 * CHUNK)
    rows = np.arange(CHUNK - 500.0, CHUNK + 500.0)
    np.testing.assert_allclose(values[CHUNK - 500 : CHUNK + 500], base.at(rows, 0), atol=1e-9)
    steps = np.abs(np.diff(values))
    assert steps[CHUNK - 1] <= steps.max()
    between = base.at(np.array([CHUNK - 0.5]), 0)[0]
    assert min(values[CHUNK - 1 : CHUNK + 1]) - 0.05 <= between <= max(values[CHUNK - 1 : CHUNK + 1]) + 0.05


@pytest.mark.parametrize("name", ["sine", "ecg", "shuttle"])
def test_cycles_reach_about_low_and_high(name):
    _, values = rows_of(name, 20_000)
    low, high = BASES[name].low, BASES[name].high
    margin = 0.1 * (high - low)
    assert low - margin <= values.min() <= low + margin
    assert high - margin <= values.max() <= high + margin


def test_time_guided_rises_until_the_end():
    _, values = rows_of("timeguided", 5000)
    assert (np.diff(values) > 0).all()
    assert values[-1] == 1.0


def test_walk_has_independent_steps_of_one_size():
    _, values = rows_of("walk", 8 * CHUNK, seed=4)
    steps = np.diff(values) / 0.05
    assert steps.mean() == pytest.approx(0, abs=0.01)
    assert steps.std() == pytest.approx(1, rel=0.01)
    assert abs(np.corrcoef(steps[1:], steps[:-1])[0, 1]) < 0.01
    borders = np.arange(CHUNK, 8 * CHUNK, CHUNK) - 1
    assert np.abs(steps[borders]).max() < 5
    # Over a whole chunk, the distance has a standard deviation of sqrt(CHUNK) steps over many seeds, as for any random walk.
    distances = [np.diff(rows_of("walk", 2 * CHUNK, seed=seed)[1][[CHUNK // 2, CHUNK + CHUNK // 2]])[0] for seed in range(60)]
    assert np.std(distances) == pytest.approx(0.05 * math.sqrt(CHUNK), rel=0.3)


def test_seasonal_has_a_trend():
    series = generate("seasonal", length=28_800, anomalies=0)
    first, last = series.values[:2016].mean(), series.values[-2016:].mean()
    assert last - first == pytest.approx(1 - 2016 / 28_800, rel=0.1)


def test_own_values_are_interpolated_and_repeat():
    own = Own(np.array([[0.0], [10.0], [20.0], [0.0]]))
    assert own.at(np.array([-3.0, 0.0, 0.5, 1.0, 2.75, 3.0, 9.0]), 0).tolist() == [0.0, 0.0, 5.0, 10.0, 5.0, 0.0, 0.0]
    assert own.at(np.array([2.5, 8.0]), 0).tolist() == [10.0, 0.0]
    assert own.at(np.array([50.0, 60.0]), 0).tolist() == [0.0, 0.0]
