import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import statistics as naive
from rangewise.bench.statistics import TallyTable, bootstrap, bootstrap_means
from rangewise.bench.statistics.resampling import drawn_weights
from strategies import random_tallies as tallies
from strategies import side_pairs


@settings(max_examples=40)
@given(st.lists(side_pairs(), min_size=1, max_size=5))
def test_pooled_score_matches_exact_tallies(pairs):
    exact_tallies = [rw.early.tally(real, predicted) for real, predicted in pairs]
    exact = sum(exact_tallies).score()
    assert TallyTable.of({"a": exact_tallies}).pooled()[0].tolist() == pytest.approx([exact.precision, exact.recall, exact.f], abs=1e-9)


def test_resamples_match_naive():
    a, b = tallies(1, 7), tallies(2, 7)
    table = TallyTable.of({"a": a, "b": b}, list("abcdefg"))
    drawn = bootstrap(table, resamples=20, seed=4)
    weights = np.concatenate([block for _, block in drawn_weights(7, 20, 4)])
    for number, row in enumerate(weights.astype(int).tolist()):
        for detector in range(2):
            rows = [table.counts[i, detector].tolist() for i in range(7) for _ in range(row[i])]
            assert drawn.values[number, detector] == pytest.approx(naive.pooled(rows)[2], abs=1e-12)
    assert weights.sum(axis=1).tolist() == [7.0] * 20


def test_resamples_do_not_depend_on_the_order_of_series():
    names, a, b = [f"s{number}" for number in range(60)], tallies(1, 60), tallies(2, 60)
    order = np.random.default_rng(0).permutation(60)
    for named in (True, False):
        first = bootstrap(TallyTable.of({"a": a, "b": b}, names if named else None), resamples=500)
        reordered = {"a": [a[index] for index in order], "b": [b[index] for index in order]}
        second = bootstrap(TallyTable.of(reordered, [names[index] for index in order] if named else None), resamples=500)
        assert (first.values == second.values).all()


def test_bootstrap_means_ignore_order_and_skip_failures():
    values = np.random.default_rng(2).random((40, 3))
    values[3, 1] = math.nan
    names = ("a", "b", "c")
    one, other = (bootstrap_means(table, names, resamples=300) for table in (values, values[::-1]))
    assert (one.values == other.values).all()
    assert one.point == pytest.approx(np.nanmean(values, axis=0), abs=1e-9)


def test_clusters_are_summed():
    of_series = tallies(4, 6)
    table = TallyTable.of({"a": of_series}, list("abcdef"), clusters=list("xxyyzz"))
    assert len(table) == 3
    assert table.pooled()[0].tolist() == pytest.approx(TallyTable.of({"a": of_series}).pooled()[0].tolist())


def test_rejects_bad_input():
    a = tallies(1, 3)
    with pytest.raises(ValueError, match="one tally per series"):
        TallyTable.of({"a": a, "b": a[:2]})
    with pytest.raises(ValueError, match="the same model"):
        TallyTable.of({"a": a, "b": tallies(1, 3, rw.late)})
    with pytest.raises(ValueError, match="clusters must have one name for each of 3 series"):
        TallyTable.of({"a": a}, clusters=["x"])
    with pytest.raises(ValueError, match="part must be one of"):
        bootstrap(TallyTable.of({"a": a}), "g")
