import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from naive import statistics as naive
from rangewise.bench.statistics import (
    Groups,
    bootstrap_means,
    compare_all,
    compare_pair,
    friedman,
    group_means,
    groups_from_names,
    intraclass_correlation,
    mean_interval,
    mean_ranks,
    pair_correlations,
    rank_rows,
)

scores = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 16), st.integers(0, 16)), min_size=2, max_size=40)


def split(rows):
    return [row[0] for row in rows], [row[1] / 16 for row in rows], [row[2] / 16 for row in rows]


@settings(max_examples=150)
@given(rows=scores)
def test_group_means_and_intraclass_correlation_match_naive(rows):
    groups, values, _ = split(rows)
    assert group_means(values, groups).tolist() == pytest.approx(naive.group_means(values, groups))
    correlation = intraclass_correlation(values, groups)
    if len(set(groups)) < 2 or len(set(groups)) == len(rows) or len(set(values)) == 1:
        assert math.isnan(correlation)
    else:
        assert correlation == pytest.approx(naive.intraclass_correlation(values, groups), abs=1e-9)
        assert correlation <= 1.0 + 1e-12


@settings(max_examples=100)
@given(rows=scores)
def test_interval_by_collection_is_a_jackknife(rows):
    groups, values, _ = split(rows)
    interval = mean_interval(values, groups=groups)
    assert interval.value == pytest.approx(sum(values) / len(values))
    count = len(set(groups))
    if count < 2:
        assert math.isnan(interval.low)
    else:
        half_width = stats.t.ppf(0.975, count - 1) * naive.jackknife_of_mean(values, groups)
        assert (interval.low, interval.high) == pytest.approx((interval.value - half_width, interval.value + half_width))


def test_an_interval_of_equal_collections_is_one_sided_at_a_bound_and_says_so():
    groups = ["x", "x", "y", "z"]
    # Collections of 2, 1 and 1 series count as (2 + 1 + 1)^2 / (4 + 1 + 1) trials.
    bound = 1.0 - 0.05 ** (6 / 16)
    for value, expected in ((0.0, (0.0, bound)), (1.0, (1.0 - bound, 1.0))):
        found = mean_interval([value] * 4, low=0.0, high=1.0, groups=groups)
        assert (found.low, found.high) == pytest.approx(expected)
        assert found.note == "all values at the bound: one-sided"
    assert mean_interval([0.5] * 4, low=0.0, high=1.0, groups=groups).note == "all collections score the same"


@settings(max_examples=60)
@given(rows=scores)
def test_pairs_by_collection_compare_collection_means(rows):
    groups, a, b = split(rows)
    pair = compare_pair("a", "b", a, b, groups=groups)
    left, right = naive.group_means(a, groups), naive.group_means(b, groups)
    assert pair.series == len(set(groups)) == pair.won + pair.tied + pair.lost
    assert pair.p == pytest.approx(compare_pair("a", "b", left, right).p)


def test_series_that_one_detector_failed_counts_for_neither():
    nan = math.nan
    pair = compare_pair("a", "b", [1.0, nan, 0.5], [0.0, 1.0, nan], groups=["x", "x", "y"])
    assert (pair.series, pair.won, pair.lost) == (1, 1, 0)


def test_collections_of_one_series_change_nothing():
    random = np.random.default_rng(5)
    values, names = random.random((12, 4)), tuple("wxyz")
    own_groups = [str(number) for number in range(12)]
    by_series, by_group = bootstrap_means(values, names, resamples=300), bootstrap_means(values, names, resamples=300, groups=own_groups)
    np.testing.assert_array_equal(by_series.values, by_group.values)
    np.testing.assert_allclose(mean_ranks(values), mean_ranks(values, groups=own_groups))
    assert friedman(values) == friedman(values, groups=own_groups)
    assert [pair.p for pair in compare_all(names, values)] == [pair.p for pair in compare_all(names, values, groups=own_groups)]
    even = np.arange(12.0)  # not skewed, because the interval by series would be longer toward the tail
    plain, jackknife = mean_interval(even), mean_interval(even, groups=own_groups)
    assert (plain.low, plain.high) == pytest.approx((jackknife.low, jackknife.high))


def test_interval_by_collection_respects_bounds():
    values, groups = [0.0, 0.0, 0.9, 1.0], ["a", "a", "b", "b"]
    free, bounded = mean_interval(values, groups=groups), mean_interval(values, low=0.0, high=1.0, groups=groups)
    assert free.low < 0.0 == bounded.low
    assert bounded.high == 1.0 < free.high
    with pytest.raises(ValueError, match=r"values must be from 0 to 0\.5; got 0 to 1"):
        mean_interval(values, low=0.0, high=0.5, groups=groups)
    with pytest.raises(ValueError, match="one name for each of 4 series; got 1"):
        mean_interval([math.nan] * 4, groups=["a"])


def test_bootstrap_draws_whole_collections():
    values = np.array([[0.0], [0.0], [0.0], [1.0]])
    drawn = bootstrap_means(values, ("a",), resamples=500, groups=["x", "x", "x", "y"]).values[:, 0]
    # Each resample has two collections: x and x, x and y, or y and y.
    assert sorted(set(drawn.tolist())) == [0.0, 0.25, 1.0]


def test_bootstrap_does_not_depend_on_the_order_of_series():
    random = np.random.default_rng(1)
    values, groups = random.random((30, 3)), random.choice(list("abcde"), 30)
    order = random.permutation(30)
    first = bootstrap_means(values, tuple("xyz"), resamples=200, groups=groups.tolist())
    second = bootstrap_means(values[order], tuple("xyz"), resamples=200, groups=groups[order].tolist())
    np.testing.assert_array_equal(first.values, second.values)


def test_ranks_by_collection_are_ranks_of_means():
    values, groups = [[1.0, 0.0], [0.0, 0.9], [0.2, 0.3]], ["a", "a", "b"]
    np.testing.assert_allclose(mean_ranks(values, groups=groups), rank_rows([[0.5, 0.45], [0.2, 0.3]]).mean(axis=0))


def test_correlation_is_near_zero_for_independent_series():
    random = np.random.default_rng(2)
    groups = np.repeat(np.arange(40), 25).tolist()
    table = random.standard_normal((1000, 3))
    assert np.abs(pair_correlations(table, groups)).max() < 0.03
    correlated = table + 2 * random.standard_normal((40, 3))[np.repeat(np.arange(40), 25)]
    assert pair_correlations(correlated, groups).min() > 0.6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Groups.of(["a"], 2), "one name for each of 2 series; got 1"),
        (lambda: Groups.of("ab", 2), "one name for each of 2 series; got 'ab'"),
        (lambda: groups_from_names(["x"], "(y)"), "does not match the series 'x'"),
        (lambda: groups_from_names(["x"], "(y"), "nor a regular expression"),
    ],
)
def test_rejects_bad_groups(call, message):
    with pytest.raises(ValueError, match=message):
        call()
