"""One format for each kind of number."""

import math

from hypothesis import given
from hypothesis import strategies as st

from rangewise.number_text import count_text, score_text, seconds_text, share_text, threshold_text


@given(st.floats(0, 1))
def test_share_text_is_accurate_and_never_rounds_to_0_or_100(share):
    text = share_text(share)
    if text.startswith("under"):
        assert 0 < share < 0.001
    elif text.startswith("over"):
        assert 0.999 < share < 1
    else:
        assert abs(float(text.removesuffix(" %")) - 100 * share) <= (0.5 if 0.1 <= share <= 0.9 else 0.0500001)
        assert (text in ("0 %", "100 %")) == (share in (0, 1))


@given(st.floats(-1e6, 1e6))
def test_score_text_has_four_digits(value):
    assert abs(float(score_text(value)) - value) <= 0.5001e-4
    assert score_text(value, signed=True)[0] in "+-"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_threshold_text_round_trips(value):
    assert float(threshold_text(value)) == value


def test_text_of_undefined_values_and_large_numbers():
    assert (score_text(math.nan), score_text(math.nan, undefined="")) == ("nan", "")
    assert threshold_text(math.inf) == "above all"
    assert seconds_text(math.nan) == "-"
    assert count_text(1_000_000) == "1,000,000"
