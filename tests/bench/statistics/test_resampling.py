import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import statistics as naive
from rangewise.bench.statistics import TallyTable, bootstrap, bootstrap_means, mean_interval, median_interval, pooled_intervals
from rangewise.bench.statistics.resampling import drawn_weights
from strategies import side_pairs


def tallies(seed, count, model=rw.early):
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        edges = np.sort(random.choice(200, size=12, replace=False)).reshape(-1, 2)
        found.append(model.tally(edges[:4], edges + random.integers(0, 3)))
    return found


@settings(max_examples=40)
@given(st.lists(side_pairs(), min_size=1, max_size=5))
def test_the_pooled_score_is_that_of_the_exact_tallies(pairs):
    found = [rw.early.tally(real, predicted) for real, predicted in pairs]
    exact = sum(found).score()
    assert TallyTable.of({"a": found}).pooled()[0].tolist() == pytest.approx([exact.precision, exact.recall, exact.f], abs=1e-9)


def test_resamples_are_those_of_a_loop():
    a, b = tallies(1, 7), tallies(2, 7)
    table = TallyTable.of({"a": a, "b": b}, list("abcdefg"))
    drawn = bootstrap(table, resamples=20, seed=4)
    weights = np.concatenate([block for _, block in drawn_weights(7, 20, 4)])
    for number, row in enumerate(weights.astype(int).tolist()):
        for detector in range(2):
            rows = [table.counts[i, detector].tolist() for i in range(7) for _ in range(row[i])]
            assert drawn.values[number, detector] == pytest.approx(naive.pooled(rows)[2], abs=1e-12)
    assert weights.sum(axis=1).tolist() == [7.0] * 20


def test_resamples_are_the_same_bit_for_bit_in_any_order_of_the_series():
    names, a, b = [f"s{number}" for number in range(60)], tallies(1, 60), tallies(2, 60)
    order = np.random.default_rng(0).permutation(60)
    for named in (True, False):
        one = bootstrap(TallyTable.of({"a": a, "b": b}, names if named else None), resamples=500)
        turned = {"a": [a[place] for place in order], "b": [b[place] for place in order]}
        other = bootstrap(TallyTable.of(turned, [names[place] for place in order] if named else None), resamples=500)
        assert (one.values == other.values).all()
        assert one.difference("a", "b") == other.difference("a", "b")


def test_means_are_the_same_in_any_order_and_leave_failures_out():
    values = np.random.default_rng(2).random((40, 3))
    values[3, 1] = math.nan
    names = ("a", "b", "c")
    one, other = (bootstrap_means(table, names, resamples=300) for table in (values, values[::-1]))
    assert (one.values == other.values).all()
    assert one.point == pytest.approx(np.nanmean(values, axis=0), abs=1e-9)


def test_the_interval_is_the_jackknife_on_the_logit_scale():
    special = pytest.importorskip("scipy.special")
    table = TallyTable.of({"a": tallies(3, 15)})
    rows = table.counts[:, 0].tolist()
    found = pooled_intervals(table)["a"]
    for place, part in enumerate(("precision", "recall", "f")):
        low, high = naive.jackknife_logit(rows, place, special.stdtrit(14, 0.975))
        assert (found[part].low, found[part].high) == pytest.approx((low, high), rel=1e-9)
        assert found[part].value == pytest.approx(naive.pooled(rows)[place])


def test_an_interval_at_the_edge_is_a_bound_and_one_series_has_none():
    perfect = [rw.early.tally([(0, 4)], [(0, 4)])] * 20
    found = pooled_intervals(TallyTable.of({"a": perfect}))["a"]["f"]
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.05 ** (1 / 20))
    assert math.isnan(pooled_intervals(TallyTable.of({"a": perfect[:1]}))["a"]["f"].low)
    nothing = [rw.early.tally([(0, 4)], [])] * 5
    assert pooled_intervals(TallyTable.of({"a": nothing}))["a"]["f"].low == 0.0


def test_clusters_are_added_up_and_drawn_together():
    found = tallies(4, 6)
    table = TallyTable.of({"a": found}, list("abcdef"), clusters=list("xxyyzz"))
    assert len(table) == 3
    assert table.pooled()[0].tolist() == pytest.approx(TallyTable.of({"a": found}).pooled()[0].tolist())


def test_means_and_medians_have_students_and_distribution_free_intervals():
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(1).normal(size=30)
    theirs = stats.t.interval(0.95, 29, loc=values.mean(), scale=stats.sem(values))
    found = mean_interval(values)
    assert (found.low, found.high) == pytest.approx(theirs)
    assert stats.binom.cdf(np.searchsorted(np.sort(values), median_interval(values).low), 30, 0.5) <= 0.025
    assert math.isnan(median_interval([1.0, 2.0, 3.0, 4.0, 5.0]).low)
    assert not math.isnan(median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).low)
    assert math.isnan(mean_interval([]).value)


def test_bad_input_says_what_was_expected():
    a = tallies(1, 3)
    with pytest.raises(ValueError, match="a tally for each series"):
        TallyTable.of({"a": a, "b": a[:2]})
    with pytest.raises(ValueError, match="one model"):
        TallyTable.of({"a": a, "b": tallies(1, 3, rw.late)})
    with pytest.raises(ValueError, match="a cluster for each of 3 series"):
        TallyTable.of({"a": a}, clusters=["x"])
    with pytest.raises(ValueError, match="part is one of"):
        bootstrap(TallyTable.of({"a": a}), "g")
    with pytest.raises(ValueError, match="level is a chance"):
        pooled_intervals(TallyTable.of({"a": a}), level=95)
