import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import statistics as naive
from rangewise.bench.statistics import cliques, critical_difference, friedman, mean_ranks, nemenyi, rank_rows


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_ranks_match_naive(row):
    assert rank_rows([row])[0].tolist() == naive.ranks(row)


def test_failures_rank_last_in_both_directions():
    assert rank_rows([[math.nan, 1.0, 2.0]]).tolist() == [[3.0, 2.0, 1.0]]
    assert rank_rows([[math.nan, 1.0, 2.0]], higher_is_better=False).tolist() == [[3.0, 1.0, 2.0]]


@pytest.fixture(scope="module")
def values():
    random = np.random.default_rng(5)
    return np.round(random.normal(size=(25, 5)) + np.linspace(0, 1, 5), 1)


def test_friedman_equals_scipy_with_ties(values):
    stats = pytest.importorskip("scipy.stats")
    expected = stats.friedmanchisquare(*values.T)
    result = friedman(values)
    assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_friedman_skips_failed_series_and_needs_three_different_detectors(values):
    with_failed_series = np.vstack([values, np.full((1, 5), math.nan)])
    assert friedman(with_failed_series) == friedman(values)
    assert friedman(values[:, :2]).p == 1.0
    assert friedman(np.ones((5, 3))).p == 1.0


@pytest.mark.filterwarnings("ignore")
def test_nemenyi_equals_scikit_posthocs(values):
    posthocs = pytest.importorskip("scikit_posthocs", reason="needs scikit-posthocs: `make test-full` installs it")
    assert nemenyi(values) == pytest.approx(posthocs.posthoc_nemenyi_friedman(values).to_numpy(), abs=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_critical_difference_and_mean_ranks_equal_autorank(values):
    autorank = pytest.importorskip("autorank", reason="needs autorank: `make test-full` installs it")
    pandas = pytest.importorskip("pandas")
    result = autorank.autorank(pandas.DataFrame(values, columns=list("abcde")), force_mode="nonparametric", verbose=False)
    assert critical_difference(25, 5) == pytest.approx(result.cd, rel=1e-3)
    assert sorted(result.rankdf["meanrank"]) == pytest.approx(sorted(mean_ranks(values)))


def test_cliques_have_no_separated_pair():
    """b and d are separated although b-c and c-d are not, so one bar over all three would be misleading."""
    apart = {("a", "b"): True, ("a", "c"): True, ("a", "d"): True, ("b", "c"): False, ("b", "d"): True, ("c", "d"): False}
    assert cliques(list("abcd"), apart) == [("b", "c"), ("c", "d")]
    assert cliques(list("abc"), {}) == [("a", "b", "c")]
    assert cliques(["a"], {}) == []
