"""One format for each kind of number."""

import math

from hypothesis import given
from hypothesis import strategies as st

from rangewise.number_text import count_text, score_text, seconds_text, share_text, threshold_text


@given(st.floats(0, 1))
def test_a_share_is_near_what_it_says_and_never_all_or_nothing_by_rounding(share):
    text = share_text(share)
    if text.startswith("under"):
        assert 0 < share < 0.001
    elif text.startswith("over"):
        assert 0.999 < share < 1
    else:
        assert abs(float(text.removesuffix(" %")) - 100 * share) <= (0.5 if 0.1 <= share <= 0.9 else 0.0500001)
        assert (text in ("0 %", "100 %")) == (share in (0, 1)) or text == "100.0 %"


@given(st.floats(-1e6, 1e6))
def test_a_score_has_four_digits(value):
    assert abs(float(score_text(value)) - value) <= 0.5001e-4
    assert score_text(value, signed=True)[0] in "+-"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_threshold_reads_back(value):
    assert float(threshold_text(value)) == value


def test_what_is_not_there():
    assert (score_text(math.nan), score_text(math.nan, undefined="")) == ("nan", "")
    assert threshold_text(math.inf) == "above all"
    assert seconds_text(math.nan) == "-"
    assert count_text(1_000_000) == "1,000,000"
