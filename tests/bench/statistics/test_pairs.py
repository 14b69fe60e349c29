import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import statistics as naive
from rangewise.bench.statistics import compare_all, compare_pair, holm, min_possible_p, signed_rank
from rangewise.bench.statistics.pairs import min_adjusted_p

small = st.lists(st.integers(-4, 4), max_size=8)


@given(small)
def test_signed_rank_matches_naive_with_ties_and_zeros(differences):
    assert signed_rank(differences) == pytest.approx(naive.signed_rank_p(differences), abs=1e-12)


@given(small)
def test_signed_rank_does_not_depend_on_the_sign(differences):
    assert signed_rank(differences) == signed_rank([-value for value in differences])


def test_signed_rank_equals_scipy():
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(3)
    for count in (8, 30, 45):
        values = random.normal(0.2, 1.0, count)
        assert signed_rank(values) == pytest.approx(stats.wilcoxon(values, method="exact").pvalue, rel=1e-9)
    many = random.normal(0.05, 1.0, 400)
    assert signed_rank(many) == pytest.approx(stats.wilcoxon(many, method="approx", correction=True).pvalue, rel=1e-9)


def test_signed_rank_reports_the_position_of_nan():
    with pytest.raises(ValueError, match="difference 1 is nan"):
        signed_rank([1.0, math.nan])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_matches_naive(p):
    assert holm(p).tolist() == pytest.approx(naive.holm(p))


def test_holm_equals_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="needs statsmodels: `make test-full` installs it")
    p = np.random.default_rng(1).random(9)
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])


@pytest.mark.parametrize(("detectors", "fewest"), [(2, 6), (5, 9), (10, 11), (20, 13)])
def test_verdict_says_when_there_are_too_few_series(detectors, fewest):
    """On too few series, even a detector that wins on each of them is not significantly better."""
    names = [str(number) for number in range(detectors)]
    for series, possible in ((fewest - 1, False), (fewest, True)):
        values = [[detector + series * 0.01 * number for detector in range(detectors)] for number in range(series)]
        pair = compare_all(names, values)[0]
        assert pair.can_be_significant() == possible
        assert ("cannot be significant" in pair.verdict()) != possible
    assert min_possible_p(fewest) <= 0.05


def test_pair_counts_wins_in_both_directions_without_failures():
    a, b = [0.9, 0.8, 0.5, 0.2, math.nan], [0.1, 0.7, 0.5, 0.3, 0.4]
    pair = compare_pair("a", "b", a, b)
    assert (pair.series, pair.won, pair.tied, pair.lost) == (4, 2, 1, 1)
    lower_is_better = compare_pair("a", "b", a, b, higher_is_better=False)
    assert (lower_is_better.won, lower_is_better.lost) == (1, 2)
    assert lower_is_better.difference.value == pair.difference.value


def test_verdict_follows_the_test_not_the_number_of_wins():
    """a has 16 small gains of 0.001 to 0.016 and 14 large losses of 0.1 to 0.23."""
    b = np.full(30, 0.5)
    a = b + np.concatenate([np.arange(1, 17) / 1000, -0.09 - np.arange(1, 15) / 100])
    pair = compare_pair("a", "b", a, b)
    assert (pair.won, pair.lost) == (16, 14)
    assert pair.balance < 0
    assert pair.verdict() == "b is better, p = 0.0473, though a wins more series, by less"
    assert compare_pair("b", "a", b, a).verdict() == pair.verdict()
    assert compare_pair("a", "b", -a, -b, higher_is_better=False).verdict() == pair.verdict()
    assert compare_pair("a", "b", a, b, higher_is_better=False).verdict() == "a is better, p = 0.0473, though b wins more series, by less"


def test_verdict_with_as_many_wins_as_losses():
    b = np.full(30, 0.5)
    a = b + np.concatenate([np.arange(1, 16) / 1000, -0.09 - np.arange(1, 16) / 100])
    assert compare_pair("a", "b", a, b).verdict() == "b is better, p = 0.0197"
    assert compare_pair("a", "b", a, b, higher_is_better=False).verdict() == "a is better, p = 0.0197"


@settings(max_examples=200)
@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=14), st.booleans(), st.sampled_from([0.8, 0.95]))
def test_verdicts_match_the_numbers(rows, higher_is_better, level):
    """Compares with sums of ranks: the better detector has the larger sum, and no significant result is called impossible."""
    for pair in compare_all("abc", rows, higher_is_better=higher_is_better):
        sign = 1 if higher_is_better else -1
        differences = [sign * (row["abc".index(pair.first)] - row["abc".index(pair.second)]) for row in rows]
        won, lost = sum(value > 0 for value in differences), sum(value < 0 for value in differences)
        ranks = naive.ranks([-abs(value) for value in differences if value])
        signs = [value > 0 for value in differences if value]
        up, down = (sum(rank for rank, positive in zip(ranks, signs, strict=True) if positive == side) for side in (True, False))
        verdict = pair.verdict(level)
        if pair.adjusted_p <= 1 - level:
            better, worse = (pair.first, pair.second) if up > down else (pair.second, pair.first)
            assert up != down
            assert verdict.startswith(f"{better} is better, p = {pair.adjusted_p:.3g}")
            assert (f"though {worse} wins more series, by less" in verdict) == ((won < lost) if up > down else (lost < won))
        elif not won + lost:
            assert verdict == "the same on every series"
        elif verdict.startswith("cannot be significant with so few series"):
            assert verdict.endswith(" that differ") == (won + lost < len(rows))
            assert pair.min_adjusted_p > 1 - level
        else:
            assert verdict == f"not separated, p = {pair.adjusted_p:.3g}"
            assert pair.min_adjusted_p <= 1 - level


def test_verdict_without_common_series():
    assert compare_pair("a", "b", [math.nan], [1.0]).verdict() == "no series that both finished"


@given(st.lists(st.tuples(st.sampled_from([0.002, 0.01, 0.03, 0.2, 0.9]), st.sampled_from([0.0, 0.3, 1.0])), min_size=1, max_size=6))
def test_min_adjusted_p_is_holm_with_the_smallest_possible_p(drawn):
    """Draws observed p-values, each with the smallest value that was possible in its place."""
    p, least = [value for value, _ in drawn], [value * part for value, part in drawn]
    minimum = min_adjusted_p(p, least).tolist()
    assert minimum == pytest.approx([naive.holm([*p[:index], smallest, *p[index + 1 :]])[index] for index, smallest in enumerate(least)])
    assert all(small <= adjusted + 1e-12 for small, adjusted in zip(minimum, naive.holm(p), strict=True))


def test_min_adjusted_p_respects_the_steps_of_holm():
    """The other pairs are clear, so Holm multiplies the last p by 1, not by 3: 0.031 is significant. It was once called impossible."""
    a = np.full(20, 0.9)
    b, c = a - 0.5, a.copy()
    c[:6] -= [0.1, 0.2, 0.3, 0.15, 0.25, 0.35]
    pair = next(pair for pair in compare_all("abc", np.column_stack([a, b, c])) if (pair.first, pair.second) == ("a", "c"))
    assert pair.adjusted_p == pair.min_p == 0.03125
    assert pair.verdict() == "a is better, p = 0.0312"


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=12))
def test_decimal_scores_give_the_p_of_integers(pairs):
    """0.9 - 0.8 and 0.8 - 0.7 are the same difference, though not the same float."""
    a, b = np.array(pairs).T
    whole, decimal = compare_pair("a", "b", a, b), compare_pair("a", "b", a / 100, b / 100)
    assert (decimal.p, decimal.won, decimal.tied, decimal.balance) == (whole.p, whole.won, whole.tied, whole.balance)
    assert signed_rank(a / 100 - b / 100) == signed_rank(a - b) == pytest.approx(naive.signed_rank_p((a - b).tolist()))


def test_verdict_names_the_better_detector():
    low, high = np.linspace(0.1, 0.3, 12), np.linspace(0.6, 0.9, 12)
    assert compare_pair("low", "high", low, high).verdict().startswith("high is better")
    assert compare_pair("low", "high", low, high, higher_is_better=False).verdict().startswith("low is better")


def test_rejects_bad_tables():
    with pytest.raises(ValueError, match="one column for each of 2 detectors"):
        compare_all(["a", "b"], [[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="one value per series"):
        compare_pair("a", "b", [1.0], [1.0, 2.0])
