import math
from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rangewise.operations.rule import Rule, number_text, prometheus_duration, round_between

finite = st.floats(-1e12, 1e12, allow_nan=False)


@given(one=finite, other=finite, closed=st.sampled_from(["low", "high"]))
def test_round_between_stays_between_its_bounds(one, other, closed):
    assume(one != other)
    low, high = sorted((one, other))
    number = round_between(low, high, closed=closed)
    assert low < number < high or number == (low if closed == "low" else high)


@pytest.mark.parametrize("closed", ["low", "high"])
def test_round_between_accepts_infinite_bounds(closed):
    assert round_between(-math.inf, 3.0, closed=closed) <= 3.0
    assert round_between(3.0, math.inf, closed=closed) >= 3.0
    assert round_between(-math.inf, 3.0, closed="low") < 3.0
    assert round_between(3.0, math.inf, closed="high") > 3.0


@given(number=st.floats(allow_nan=False))
def test_number_text_round_trips(number):
    assert float(number_text(number)) == number


@given(seconds=st.integers(0, 10**7))
def test_prometheus_duration_adds_up(seconds):
    units = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    text, total, digits = prometheus_duration(timedelta(seconds=seconds)), 0, ""
    for letter in text:
        if letter.isdigit():
            digits += letter
        else:
            total, digits = total + int(digits) * units[letter], ""
    assert total == seconds


def test_rule_as_text_and_yaml():
    rule = Rule(0.5, timedelta(minutes=5), timedelta(minutes=10), "<")
    assert str(rule) == "< 0.5, for 5m, keep_firing_for 10m"
    text = rule.to_yaml(expr="rate(x[5m]) + 1", alert="Slow", interval=timedelta(seconds=30))
    assert '"(rate(x[5m]) + 1) < 0.5"' in text
    assert "  interval: 30s\n" in text
