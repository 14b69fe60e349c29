import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rangewise.operations.exact_intervals import binomial_tail, poisson_tail, rate_interval, share_interval


@given(of=st.integers(1, 200), data=st.data())
def test_share_interval_matches_scipy(of, data):
    count = data.draw(st.integers(0, of))
    interval = share_interval(count, of)
    expected = stats.binomtest(count, of).proportion_ci(method="exact")
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(count=st.integers(0, 300), time=st.floats(0.1, 100))
def test_rate_interval_matches_chi_square(count, time):
    interval = rate_interval(count, time)
    low = stats.chi2.ppf(0.025, 2 * count) / 2 if count else 0.0
    assert (interval.low * time, interval.high * time) == pytest.approx((low, stats.chi2.ppf(0.975, 2 * count + 2) / 2), rel=1e-8)


@given(of=st.integers(0, 60), least=st.integers(-2, 62), chance=st.floats(0, 1))
def test_tails_match_scipy(of, least, chance):
    assert binomial_tail(least, of, chance) == pytest.approx(stats.binom.sf(least - 1, of, chance), abs=1e-12)
    assert poisson_tail(least, 5 * chance) == pytest.approx(stats.poisson.sf(least - 1, 5 * chance), abs=1e-12)


def test_zero_observations_give_the_widest_interval():
    assert (share_interval(0, 0).low, share_interval(0, 0).high) == (0.0, 1.0)
    assert math.isnan(share_interval(0, 0).value)
    assert rate_interval(0, 0.0).high == math.inf
    with pytest.raises(ValueError, match="between 0 and 3"):
        share_interval(4, 3)
