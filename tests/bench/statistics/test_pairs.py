import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import statistics as naive
from rangewise.bench.statistics import compare_all, compare_pair, holm, least_possible_p, signed_rank

small = st.lists(st.integers(-4, 4), max_size=8)


@given(small)
def test_signed_rank_is_exact_with_ties_and_zeros(differences):
    assert signed_rank(differences) == pytest.approx(naive.signed_rank_p(differences), abs=1e-12)


@given(small)
def test_signed_rank_does_not_depend_on_the_side(differences):
    assert signed_rank(differences) == signed_rank([-value for value in differences])


def test_signed_rank_equals_scipy():
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(3)
    for count in (8, 30, 45):
        values = random.normal(0.2, 1.0, count)
        assert signed_rank(values) == pytest.approx(stats.wilcoxon(values, method="exact").pvalue, rel=1e-9)
    many = random.normal(0.05, 1.0, 400)
    assert signed_rank(many) == pytest.approx(stats.wilcoxon(many, method="approx", correction=True).pvalue, rel=1e-9)


def test_signed_rank_of_nan_says_where():
    with pytest.raises(ValueError, match="difference 1 is nan"):
        signed_rank([1.0, math.nan])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_its_definition(p):
    assert holm(p).tolist() == pytest.approx(naive.holm(p))


def test_holm_equals_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="needs statsmodels: `make test-full` installs it")
    p = np.random.default_rng(1).random(9)
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])


@pytest.mark.parametrize(("detectors", "fewest"), [(2, 6), (5, 9), (10, 11), (20, 13)])
def test_too_few_series_are_said_to_be_too_few(detectors, fewest):
    """A detector that wins everywhere is the clearest case there is."""
    names = [str(number) for number in range(detectors)]
    for series, possible in ((fewest - 1, False), (fewest, True)):
        values = [[detector + series * 0.01 * number for detector in range(detectors)] for number in range(series)]
        pair = compare_all(names, values)[0]
        assert pair.can_be_significant == possible
        assert ("cannot be significant" in pair.verdict()) != possible
    assert least_possible_p(fewest) <= 0.05


def test_a_pair_counts_wins_leaves_failures_out_and_knows_which_way_is_better():
    a, b = [0.9, 0.5, 0.2, math.nan], [0.1, 0.5, 0.3, 0.4]
    pair = compare_pair("a", "b", a, b)
    assert (pair.series, pair.won, pair.tied, pair.lost) == (3, 1, 1, 1)
    turned = compare_pair("a", "b", a, b, higher_is_better=False)
    assert (turned.won, turned.lost) == (1, 1)
    assert turned.difference.value == pair.difference.value


def test_a_verdict_names_the_better_one():
    low, high = np.linspace(0.1, 0.3, 12), np.linspace(0.6, 0.9, 12)
    assert compare_pair("low", "high", low, high).verdict().startswith("high is better")
    assert compare_pair("low", "high", low, high, higher_is_better=False).verdict().startswith("low is better")


def test_bad_tables_say_what_was_expected():
    with pytest.raises(ValueError, match="a column for each of 2 detectors"):
        compare_all(["a", "b"], [[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="a value a series"):
        compare_pair("a", "b", [1.0], [1.0, 2.0])
