"""Agreement compared with naive loops and with the package krippendorff; consensus compared with counts per point."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from naive import annotators as naive
from rangewise.events import agreement, compare_with_annotators, consensus_ranges, score_annotators

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "krippendorff.json").read_text())
tables = st.integers(1, 25).flatmap(
    lambda points: st.lists(st.lists(st.integers(0, 1), min_size=points, max_size=points), min_size=2, max_size=5)
)


def named(rows):
    return {f"annotator {at}": row for at, row in enumerate(rows)}


def test_alpha_matches_krippendorff():
    for case in GOLDEN["cases"]:
        assert agreement(named(case["labels"])).alpha == pytest.approx(case["alpha"], abs=1e-12)


@given(tables)
def test_alpha_matches_naive_for_labels_rows_and_times(rows):
    expected = naive.alpha(rows)
    expected = math.nan if expected is None else expected
    length = len(rows[0])
    ranges = {name: rw.Ranges.from_labels(row) for name, row in named(rows).items()}
    assert agreement(named(rows)).alpha == pytest.approx(expected, nan_ok=True)
    assert agreement(ranges, length=length).alpha == pytest.approx(expected, nan_ok=True)
    seconds = {name: [(float(start), float(stop)) for start, stop in each] for name, each in ranges.items()}
    # In continuous time, units are infinitely small: n - 1 becomes n.
    values = len(rows) * length
    limit = 1 - (1 - expected) * values / (values - 1) if any(map(any, rows)) else math.nan
    assert agreement(seconds, span=(0, length)).alpha == pytest.approx(limit, nan_ok=True, abs=1e-8)


@given(tables, st.sampled_from(["majority", "any", "all", 1, 2]))
def test_consensus_matches_counts_per_point(rows, consensus):
    least = {"majority": len(rows) // 2 + 1, "any": 1, "all": len(rows)}.get(consensus, consensus)
    expected = rw.Ranges.from_labels((np.sum(rows, axis=0) >= least).astype(int))
    assert consensus_ranges(named(rows), consensus) == expected


@given(tables)
def test_one_annotator_gives_the_plain_score(rows):
    real, predicted = rows[:2]
    model = rw.RangeModel(recall_bias="front", cardinality="reciprocal")
    scores = score_annotators({"ann": real}, predicted, model=model)
    plain = model.score(real, predicted)
    for score in (scores.consensus, scores.each["ann"]):
        assert (score.precision, score.recall, score.f) == (plain.precision, plain.recall, plain.f)
    touching = [(0, 2), (2, 4)]
    assert score_annotators({"ann": touching}, [(1, 3)]).consensus.recall == rw.score(touching, [(1, 3)]).recall


def test_compares_the_detector_with_left_out_annotators():
    people = {"ann": [(0, 10)], "bob": [(0, 10)], "eve": [(0, 5), (20, 25)]}
    comparison = compare_with_annotators([people] * 3, [[(0, 10)]] * 3)
    assert len(comparison.human) == 9
    # Against ann and bob, who agree, eve is worse than the detector; against eve and another, both score the same.
    assert comparison.detector[2] == 1.0 > comparison.human[2]
    assert comparison.detector[0] == comparison.human[0]
    assert comparison.difference > 0
    assert comparison.p == 0.25
    assert "better than that of the annotator left out (exact signed-rank test: p = 0.25" in str(comparison)
    assert str(compare_with_annotators(people, [(0, 10)])).endswith("with 3 comparisons p cannot be below 0.25)")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agreement({"a": [(0, 5)], "b": [(0, 5)]}), "length is missing"),
        (lambda: agreement({"a": [(0, 5)], "b": [(0, 5)]}, length=3), "stops at 5"),
        (lambda: agreement({"a": [(0.0, 5.0)], "b": [(0.0, 5.0)]}), "needs the length"),
        (lambda: agreement({"a": [(0.0, 5.0)], "b": [(0.0, 5.0)]}, span=(0, 4)), "annotator a: 0 s to 5 s is outside span="),
        (lambda: agreement({"a": [(0.0, 5.0)], "b": [(0.0, 5.0)]}, length=4), "these ranges are times"),
        (lambda: agreement({"a": [(0, 5)], "b": [(0, 5)]}, span=(0, 4)), "these are rows"),
        (lambda: agreement({"a": [0, 1], "b": [0, 1, 1]}), "different numbers of labels"),
        (lambda: agreement({"a": [(0.0, 5.0)], "b": [(0, 5)]}, span=(0, 9)), "give all as times"),
        (lambda: agreement({"a": [0, 1], "b": [0, 1]}, length=9), "length is 9, but there are 2 labels"),
        (lambda: score_annotators({"a": [0, 1], "b": [0, 1]}, [0, 1, 1]), "annotator a has 2 labels and predicted has 3"),
        (
            lambda: score_annotators({"a": [0, 1], "b": [0, 1]}, [(1, 3)]),
            "predicted has a range that stops at 3, but annotator a has only 2",
        ),
        (lambda: compare_with_annotators({"a": [0, 1], "b": [0, 1]}, [0, 1, 1]), "annotator a has 2 labels and predicted has 3"),
        (lambda: agreement([[0, 1]]), "annotators must be {name: ranges}"),
        (lambda: agreement({}), "no annotators"),
        (lambda: consensus_ranges({"a": [0, 1]}, "most"), "consensus must be one of"),
        (lambda: consensus_ranges({"a": [0, 1]}, 2), "at most 1"),
        (lambda: compare_with_annotators({"a": [0, 1]}, [0, 1]), "at least two"),
        (lambda: compare_with_annotators([{"a": [0, 1], "b": [0, 1]}], []), "one entry per recording"),
    ],
)
def test_rejects_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_text():
    result = agreement({"ann": [0, 1, 1, 0], "bob": [0, 1, 0, 0]})
    assert str(result).splitlines()[1] == "  ann and bob  0.6667"
    assert math.isnan(agreement({"ann": [0, 1]}).alpha)
    assert "consensus" in str(score_annotators({"ann": [0, 1]}, [0, 1]))
