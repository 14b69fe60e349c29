"""Confidence intervals: their definitions, edge cases and notes, and how often they cover the true value."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import statistics as naive
from rangewise.bench.statistics import (
    Interval,
    TallyTable,
    compare_pair,
    effective_number,
    mean_interval,
    median_interval,
    pooled_difference,
    pooled_intervals,
)
from strategies import random_tallies

special = pytest.importorskip("scipy.special")
PARTS = ("precision", "recall", "f")


def table_of(*detectors):
    """Each detector is a list of (real reward, real ranges, predicted reward, predicted ranges)."""
    counts = np.array(detectors, dtype=np.float64).transpose(1, 0, 2)
    return TallyTable(tuple("abcdef"[: len(detectors)]), tuple(map(str, range(len(counts)))), counts)


def precision_of(*hits_and_alarms):
    return pooled_intervals(table_of([(hits, alarms, hits, alarms) for hits, alarms in hits_and_alarms]))["a"]["precision"]


@pytest.mark.parametrize("seed", range(4))
def test_pooled_interval_is_a_jackknife_on_the_logit_scale(seed):
    table = TallyTable.of({"a": random_tallies(seed, 15)})
    rows = table.counts[:, 0].tolist()
    intervals = pooled_intervals(table)["a"]
    for index, part in enumerate(PARTS):
        low, high = naive.jackknife_logit(rows, index, lambda freedom: special.stdtrit(freedom, 0.975))
        assert (intervals[part].low, intervals[part].high) == pytest.approx((low, high), rel=1e-9)
        assert intervals[part].value == pytest.approx(naive.pooled(rows)[index])


def test_one_hit_among_many_alarms_gives_a_wide_interval():
    """The score of 20 series rests on one of them; the interval was once 0.00045 to 0.00055."""
    interval = precision_of((1, 100), *[(0, 100)] * 19)
    assert interval.low < 0.0001
    assert 0.002 < interval.high < 0.01
    assert interval.note == "rests on 1 series"


def test_interval_is_binomial_where_one_series_has_all_hits():
    """3 hits, all in one of 10 series. The interval is the exact one of as many independent trials as have the jackknife's variance."""
    interval = precision_of((3, 5), *[(0, 5)] * 9)
    variance = 9 / 10 * sum((each - 0.06) ** 2 for each in [0.0, *[3 / 45] * 9])
    trials = 0.06 * 0.94 / variance
    trials *= (special.stdtrit(max(1, trials - 1), 0.975) / special.stdtrit(9, 0.975)) ** 2
    assert special.betainc(trials * 0.06, trials * 0.94 + 1, interval.low) == pytest.approx(0.025)
    assert special.betainc(trials * 0.06 + 1, trials * 0.94, interval.high) == pytest.approx(0.975)


def test_score_at_a_bound_has_a_one_sided_interval():
    no_hits, all_hits = precision_of(*[(0, 100)] * 20), precision_of(*[(100, 100)] * 20)
    assert (no_hits.low, no_hits.high) == (0.0, pytest.approx(1 - 0.05 ** (1 / 20)))
    assert (all_hits.low, all_hits.high) == (pytest.approx(0.05 ** (1 / 20)), 1.0)
    assert no_hits.note == all_hits.note == "all values at the bound: one-sided"
    # One series has almost all alarms, which makes hardly more than one trial.
    assert precision_of((0, 10_000), *[(0, 1)] * 19).high > 0.9


def test_no_interval_without_counts_or_with_one_series():
    nothing = [rw.early.tally([(0, 4)], [])] * 5
    intervals = pooled_intervals(TallyTable.of({"a": nothing}))["a"]
    assert math.isnan(intervals["precision"].low)
    assert intervals["recall"].low == intervals["f"].low == 0.0
    assert math.isnan(precision_of((1, 2)).low)


def test_uneven_series_count_as_fewer():
    even, uneven = precision_of(*[(5, 10), (4, 10)] * 10), precision_of((500, 1_000), *[(5, 10), (4, 10)] * 10)
    assert even.note == ""
    assert uneven.note == "rests on about 1 of 21 series"
    assert effective_number([1_000, *[10] * 20]) == pytest.approx(1.44, abs=0.01)


def test_equal_scores_have_a_note():
    assert precision_of(*[(1, 2)] * 12).note == "all series score the same"
    assert mean_interval([3.0] * 12).note == "all values are equal"


def test_interval_text_includes_its_note():
    assert str(precision_of(*[(0, 100)] * 20)) == "0.0000 [0.0000, 0.1391] (all values at the bound: one-sided)"
    assert Interval(0.5, 0.25, 0.75).text(signed=True) == "+0.5000 [+0.2500, +0.7500]"
    assert str(Interval(0.5, math.nan, math.nan)) == "0.5000"


rows = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)).map(
    lambda row: (min(row[:2]), row[1], min(row[2:]), row[3])
)


@settings(max_examples=200)
@given(st.lists(rows, min_size=2, max_size=12), st.sampled_from([0.0, 1.0, math.nan]), st.sampled_from([0.5, 0.95, 0.99]))
def test_intervals_contain_their_score_and_stay_within_bounds(given_rows, zero_division, level):
    table = table_of(given_rows, given_rows[::-1])
    table = TallyTable(table.detectors, table.series, table.counts, zero_division=zero_division)
    for parts in pooled_intervals(table, level).values():
        for interval in parts.values():
            if not math.isnan(interval.low):
                assert 0.0 <= interval.low <= interval.value + 1e-12
                assert interval.value - 1e-12 <= interval.high <= 1.0
    for part in PARTS:
        difference = pooled_difference(table, "a", "b", part, level)
        assert math.isnan(difference.low) or -1.0 <= difference.low <= difference.value <= difference.high <= 1.0


def test_difference_is_paired_and_has_an_interval_where_both_scores_are_0():
    counts = [(hits, 5, hits, 5) for hits in (0, 1, 2, 3, 4, 5) * 3]
    same = pooled_difference(table_of(counts, counts), "a", "b")
    assert (same.value, same.low, same.high) == pytest.approx((0.0, 0.0, 0.0))
    one = pooled_intervals(table_of(counts))["a"]["f"]
    different = pooled_difference(table_of(counts, counts[::-1]), "a", "b")
    assert different.high - different.low > one.high - one.low
    none = pooled_difference(table_of([(0, 5, 0, 5)] * 20, [(0, 5, 0, 5)] * 20), "a", "b")
    assert (none.low, none.high) == pytest.approx((-0.1391, 0.1391), abs=1e-4)
    assert none.note == "a: all values at the bound: one-sided; b: all values at the bound: one-sided"
    with pytest.raises(ValueError, match="a detector of this table is one of a, b; got 'c'"):
        pooled_difference(table_of(counts, counts), "a", "c")


def test_unbounded_mean_has_students_interval_extended_toward_a_tail():
    stats = pytest.importorskip("scipy.stats")
    even = np.linspace(-2, 2, 21)
    assert (mean_interval(even).low, mean_interval(even).high) == pytest.approx(stats.t.interval(0.95, 20, scale=stats.sem(even)))
    tailed = np.array([1.0, 1, 1, 1, 2, 2, 3, 4, 8, 20])
    low, high = stats.t.interval(0.95, 9, loc=tailed.mean(), scale=stats.sem(tailed))
    interval = mean_interval(tailed, low=0.0)
    assert interval.low == max(0.0, low)
    assert interval.high > high + 1
    assert interval.note == "skewed values"


def test_bounded_mean_is_a_pooled_score_of_series_with_one_range():
    values = [0.1, 0.4, 0.35, 0.8, 0.7, 0.55, 0.2, 0.9, 0.45, 0.5]
    pooled = pooled_intervals(table_of([(value, 1, value, 1) for value in values]))["a"]["recall"]
    assert vars(mean_interval(values, low=0.0, high=1.0)) == pytest.approx(vars(pooled))
    shifted = mean_interval([2 * value - 1 for value in values], low=-1.0, high=1.0)
    assert (shifted.low, shifted.high) == pytest.approx((2 * pooled.low - 1, 2 * pooled.high - 1))
    with pytest.raises(ValueError, match=r"values must be from 0 to 1; got 0\.5 to 2"):
        mean_interval([0.5, 2.0], low=0.0, high=1.0)
    with pytest.raises(ValueError, match="low must be below high"):
        mean_interval([0.5], low=1.0, high=0.0)
    assert math.isnan(mean_interval([]).value)
    assert math.isnan(mean_interval([1.0, math.inf]).low)


def test_medians_have_distribution_free_intervals():
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(1).normal(size=30)
    assert stats.binom.cdf(np.searchsorted(np.sort(values), median_interval(values).low), 30, 0.5) <= 0.025
    assert math.isnan(median_interval([1.0, 2.0, 3.0, 4.0, 5.0]).low)
    assert not math.isnan(median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).low)


@pytest.mark.parametrize("interval", [pooled_intervals, lambda table, level: pooled_difference(table, "a", "a", level=level)])
def test_level_is_between_0_and_1(interval):
    with pytest.raises(ValueError, match="level must be between"):
        interval(TallyTable.of({"a": random_tallies(1, 3)}), level=95)


@pytest.fixture(scope="module")
def simulation():
    """The script that writes docs/coverage.md."""
    spec = importlib.util.spec_from_file_location("simulation", Path(__file__).parents[3] / "docs" / "make" / "interval_coverage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("truth", "series"), [(0.02, 10), (0.01, 20), (0.99, 20), (0.1, 10), (0.5, 20)])
@pytest.mark.parametrize("counts", ["equal", "skewed", "heavy-tailed"])
def test_pooled_intervals_cover_the_truth(simulation, truth, series, counts):
    """A few entries of docs/coverage.md. 95 % intervals of rare hits once covered the truth in only 65 of 100 cases."""
    assert simulation.worst(simulation.pooled_shares(counts, truth, series, 250)).coverage >= 0.92
    assert simulation.worst(simulation.difference_shares(counts, truth, series, 100)).coverage >= 0.92


@pytest.mark.parametrize("name", ["even: Beta(2, 2)", "near 1: Beta(20, 0.5)", "0 for nine series of ten", "1 for 97 of 100"])
def test_intervals_of_means_cover_the_truth(simulation, name):
    assert simulation.mean_share(name, 10, 300).coverage >= 0.92


def test_equally_good_detectors_are_rarely_separated(simulation):
    """Exact tests keep their level: the share is at most two standard errors above 5 %."""
    for name in simulation.DIFFERENCES:
        assert max(simulation.false_alarms(name, 10, 200)) <= 0.08


@pytest.mark.parametrize(("unit", "names"), [("series", ("1 series", "4 series")), ("collection", ("1 collection", "4 collections"))])
def test_notes_name_the_unit(unit, names):
    one_nonzero = mean_interval([0.0, 0.0, 0.0, 0.4], low=0.0, high=1.0, unit=unit)
    assert one_nonzero.note == f"rests on {names[0]}"
    equal = mean_interval([0.4] * 4, low=0.0, high=1.0, unit=unit)
    assert equal.note == f"all {names[1].split()[1]} score the same"
    tallies = [rw.RangeModel().tally([(0, 4)], [(0, 2)] if number else []) for number in (1, 0, 0, 0)]
    interval = pooled_intervals(TallyTable.of({"a": tallies}), unit=unit)["a"]["recall"]
    assert interval.note == f"rests on {names[0]}"
    assert (
        compare_pair("a", "b", [1.0, 2.0], [1.0, 3.0], unit=unit)
        .verdict()
        .startswith(f"cannot be significant with so few {names[1].split()[1]}")
    )
