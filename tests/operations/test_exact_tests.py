from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rangewise.operations.exact_tests import OneSided, fisher, permutation


@given(of=st.integers(0, 12), of_before=st.integers(0, 30), data=st.data())
def test_fisher_matches_scipy(of, of_before, data):
    hits, before = data.draw(st.integers(0, of)), data.draw(st.integers(0, of_before))
    result = fisher(hits, of, before, of_before)
    table = [[hits, of - hits], [before, of_before - before]]
    assert result.p_higher == pytest.approx(stats.fisher_exact(table, alternative="greater").pvalue, abs=1e-9)
    assert result.p_lower == pytest.approx(stats.fisher_exact(table, alternative="less").pvalue, abs=1e-9)


counts = st.lists(st.integers(0, 4), min_size=1, max_size=4)


@given(now=counts, before=counts, ranked=st.booleans())
def test_permutation_matches_enumeration(now, before, ranked):
    values = stats.rankdata([*now, *before]).tolist() if ranked else [*now, *before]
    observed = sum(values[: len(now)])
    sums = [sum(values[place] for place in chosen) for chosen in combinations(range(len(values)), len(now))]
    result = permutation(now, before, ranked=ranked)
    assert result.p_higher == pytest.approx(np.mean([total >= observed - 1e-9 for total in sums]))
    assert result.p_lower == pytest.approx(np.mean([total <= observed + 1e-9 for total in sums]))
    assert result.smallest == pytest.approx(min(np.mean(np.isclose(sums, min(sums))), np.mean(np.isclose(sums, max(sums)))))


grouped = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=4)


@given(now=grouped, before=grouped)
def test_permutation_within_groups_matches_enumeration(now, before):
    """Only the selections with as many values of each group as now has."""
    every = [*now, *before]
    own_groups = sorted(group for _, group in now)
    chosen = [each for each in combinations(every, len(now)) if sorted(group for _, group in each) == own_groups]
    sums = [sum(value for value, _ in each) for each in chosen]
    values, groups = zip(*now, strict=True), zip(*before, strict=True)
    (now_values, now_groups), (before_values, before_groups) = values, groups
    result = permutation(now_values, before_values, ranked=False, groups=(now_groups, before_groups))
    observed = sum(now_values)
    assert result.p_higher == pytest.approx(np.mean([total >= observed for total in sums]))
    assert result.p_lower == pytest.approx(np.mean([total <= observed for total in sums]))
    assert result.smallest == pytest.approx(min(sums.count(min(sums)), sums.count(max(sums))) / len(sums))


def test_large_groups_use_rounded_counts_or_the_normal_approximation():
    rng = np.random.default_rng(8)
    for days, rate in ((7, 10_000), (300, 400)):
        now, before = rng.poisson(rate * 1.02, days), rng.poisson(rate, 3 * days)
        groups = np.arange(days) % 2, np.arange(3 * days) % 2
        result = permutation(now, before, ranked=False, groups=groups)
        expected = permutation(now, before, ranked=False)
        assert result.p_higher == pytest.approx(expected.p_higher, rel=0.5)
        assert result.p_higher < 0.05


def test_large_samples_use_the_normal_approximation():
    rng = np.random.default_rng(3)
    now, before = rng.normal(0.3, 1, 300), rng.normal(0, 1, 900)
    result = permutation(now, before, ranked=True)
    expected = stats.mannwhitneyu(now, before, alternative="greater", method="asymptotic").pvalue
    assert result.p_higher == pytest.approx(expected, rel=0.02)


def test_empty_samples_are_no_evidence():
    assert permutation([], [1, 2], ranked=True).smallest == 1.0
    assert fisher(0, 0, 3, 3).smallest == 1.0


def test_many_incidents_with_few_flaps():
    """The number of ways to choose the incidents of a week is beyond the largest float."""
    now, before = [0] * 296 + [1] * 4, [0] * 1890 + [1] * 10
    found = permutation(now, before, ranked=False)
    law = stats.hypergeom(2200, 14, 300)
    assert found.p_higher == pytest.approx(law.sf(3))
    assert found.p_lower == pytest.approx(law.cdf(4))
    assert found.smallest == pytest.approx(min(law.pmf(0), law.pmf(14)))
    assert permutation([0] * 300, [0] * 1900, ranked=False) == OneSided(1.0, 1.0, 1.0)


def test_shares_of_very_many_incidents():
    found = fisher(5000, 6000, 35000, 42000)
    assert found.p_higher == pytest.approx(stats.hypergeom(48000, 40000, 6000).sf(4999))


def test_large_counts_with_a_heavy_tail_are_not_taken_as_normal():
    rng, days = np.random.default_rng(1), 56
    counts = rng.lognormal(10, 2, days).astype(int)
    counts[:7] = np.sort(counts)[-15::2][:7]
    found = permutation(counts[:7], counts[7:], ranked=False)
    sums = np.array([counts[rng.permutation(days)[:7]].sum() for _ in range(20_000)])
    assert found.p_higher == pytest.approx(np.mean(sums >= counts[:7].sum()), abs=0.003)
    assert found.p_lower == pytest.approx(np.mean(sums <= counts[:7].sum()), abs=0.003)
