from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rangewise.operations.exact_tests import fisher, permutation


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


def test_large_samples_use_the_normal_approximation():
    rng = np.random.default_rng(3)
    now, before = rng.normal(0.3, 1, 300), rng.normal(0, 1, 900)
    result = permutation(now, before, ranked=True)
    expected = stats.mannwhitneyu(now, before, alternative="greater", method="asymptotic").pvalue
    assert result.p_higher == pytest.approx(expected, rel=0.02)


def test_empty_samples_are_no_evidence():
    assert permutation([], [1, 2], ranked=True).smallest == 1.0
    assert fisher(0, 0, 3, 3).smallest == 1.0
