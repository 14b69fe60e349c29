"""Compares every kind with its definition in plain Python, row by row, on a sine from 0.2 to 0.5 with period 360."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rangewise.datasets import KINDS
from rangewise.generate.bases import made_base
from rangewise.generate.kinds import Stretch

LOW, HIGH, PERIOD = 0.2, 0.5, 360
SCALE, CENTER = HIGH - LOW, (LOW + HIGH) / 2


def sine(time):
    return CENTER + SCALE / 2 * math.sin(2 * math.pi * (time % PERIOD) / PERIOD)


def extremum(row, start, stop, strength, sign):
    closeness = 1 - abs(row - (start + stop - 1) / 2) / ((stop - start + 1) / 2)
    return sine(row) + sign * strength * SCALE * closeness**4


def pattern(row, start, stop, strength, sign):
    steepness = 1 + 4 * strength
    return CENTER + SCALE / 2 * math.tanh(steepness * (sine(row) - CENTER) / (SCALE / 2)) / math.tanh(steepness)


NAIVE = {
    "amplitude": lambda row, start, stop, strength, sign: CENTER + (1 + strength) ** sign * (sine(row) - CENTER),
    "extremum": extremum,
    "frequency": lambda row, start, stop, strength, sign: sine(start + (1 + strength) ** sign * (row - start)),
    "mean": lambda row, start, stop, strength, sign: sine(row) + sign * strength * SCALE,
    "pattern": pattern,
    "pattern-shift": lambda row, start, stop, strength, sign: sine(row + sign * PERIOD / 2 * strength / (1 + strength)),
    "platform": lambda row, start, stop, strength, sign: CENTER + sign * strength * SCALE / 2,
    "trend": lambda row, start, stop, strength, sign: sine(row) + sign * strength * SCALE * (row - start + 1) / (stop - start),
    "mode-correlation": lambda row, start, stop, strength, sign: 2 * CENTER - sine(row),
    "inversion": lambda row, start, stop, strength, sign: -sine(row),
}


def stretch(first, last, start, stop, strength, sign):
    base = made_base("sine", low=LOW, high=HIGH, period=PERIOD, length=10_000, seed=0, channels=1)
    rows = np.arange(first, last, dtype=np.float64)
    return Stretch(
        rows=rows, values=base.at(rows, 0), start=start, stop=stop, channel=0, strength=strength, sign=sign, base=base, key=np.uint64(7)
    )  # fmt: skip


def test_every_kind_except_variance_has_a_naive_version():
    assert set(NAIVE) == set(KINDS) - {"variance"}
    assert len(KINDS) == 11


@pytest.mark.parametrize("kind", NAIVE)
@given(data=st.data())
@settings(max_examples=60)
def test_kinds_match_naive(kind, data):
    start = data.draw(st.integers(0, 5000))
    stop = start + data.draw(st.sampled_from([1, 2, 3, 50, 400]))
    first = data.draw(st.integers(start, stop - 1))
    last = data.draw(st.integers(first + 1, stop))
    strength, sign = data.draw(st.floats(0.05, 4)), data.draw(st.sampled_from([-1.0, 1.0]))
    values = KINDS[kind](stretch(first, last, start, stop, strength, sign))
    expected = [NAIVE[kind](row, start, stop, strength, sign) for row in range(first, last)]
    np.testing.assert_allclose(values, expected, atol=1e-9)


def test_variance_is_noise_that_depends_only_on_the_row():
    whole = KINDS["variance"](stretch(100, 20_100, 100, 20_100, 2.0, 1.0))
    part = KINDS["variance"](stretch(5000, 6000, 100, 20_100, 2.0, 1.0))
    assert (whole[4900:5900] == part).all()
    noise = (whole - [sine(row) for row in range(100, 20_100)]) / (0.25 * 2.0 * SCALE)
    assert noise.mean() == pytest.approx(0, abs=0.03)
    assert noise.std() == pytest.approx(1, rel=0.03)
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 0.03
