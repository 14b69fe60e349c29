"""Scored ranges: at every threshold, their curve equals that of the same confidences as scores per point."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.curve import MOST_ONE_BY_ONE
from rangewise.inputs.scored_ranges import cut_scored
from strategies import built_in_models, leaves_points, quadratic, range_lists

LENGTH = 40
triple_lists = st.lists(
    st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 12), st.integers(0, 4)).map(
        lambda each: (each[0], min(each[0] + each[1], LENGTH), each[2] / 4)
    ),
    max_size=8,
)


@pytest.mark.kernel
@given(range_lists(longest=LENGTH), triple_lists, built_in_models(), range_lists(longest=LENGTH), st.booleans())
def test_curve_equals_that_of_scores_per_point(real, triples, model, intervals, ignoring):
    ranges = rw.ScoredRanges(triples)
    ignore = intervals if ignoring else None
    assume(ignore is None or leaves_points(ignore, LENGTH))
    curve = model.curve(real, ranges, ignore=ignore)
    per_point = model.curve(real, ranges.to_scores(LENGTH, background=-1.0), ignore=ignore)
    values = dict(zip(per_point.thresholds.tolist(), zip(per_point.precision, per_point.recall, strict=True), strict=True))
    assert {threshold for threshold in values if threshold >= 0} <= set(curve.thresholds.tolist())
    for threshold, *both in zip(curve.thresholds.tolist(), curve.precision, curve.recall, strict=True):
        # If higher confidences cover a range completely, no point has its confidence as a score, and the curve does not change there.
        score = model.score(real, ranges.at(threshold), ignore=ignore)
        assert both == pytest.approx([score.precision, score.recall], abs=1e-12, nan_ok=True)
        if threshold in values:
            assert both == pytest.approx(list(values[threshold]), abs=1e-12, nan_ok=True)


@pytest.mark.kernel
@given(range_lists(longest=LENGTH), triple_lists, st.sampled_from(["real", "predicted", "both", None]))
def test_curve_of_models_with_functions_or_points_matches_score(real, triples, as_points):
    ranges = rw.ScoredRanges(triples)
    models = [
        rw.RangeModel(recall_cardinality=quadratic, precision_cardinality=quadratic, as_points=as_points),
        rw.RangeModel(recall_bias=lambda positions, length: 1.0 + positions, precision_weight="length"),
        rw.RangeModel(precision_bias=lambda positions, length: 1.0 + positions),
    ]
    for model in models:
        curve = model.curve(real, ranges)
        expected = [model.score(real, ranges.at(threshold)) for threshold in curve.thresholds]
        assert curve.precision.tolist() == pytest.approx([each.precision for each in expected], abs=1e-12)
        assert curve.recall.tolist() == pytest.approx([each.recall for each in expected], abs=1e-12)


@given(range_lists(longest=LENGTH), triple_lists, built_in_models())
def test_curve_in_seconds_matches_score(real, triples, model):
    seconds = [(float(start), float(stop)) for start, stop in real]
    ranges = rw.ScoredRanges([(start / 1.0, stop / 1.0, confidence) for start, stop, confidence in triples])
    curve = model.curve(seconds, ranges)
    expected = [model.score(seconds, ranges.at(threshold)) for threshold in curve.thresholds]
    assert curve.recall.tolist() == pytest.approx([each.recall for each in expected], abs=1e-12, nan_ok=True)
    assert curve.precision.tolist() == pytest.approx([each.precision for each in expected], abs=1e-12, nan_ok=True)


@given(triple_lists, range_lists(longest=LENGTH))
def test_cutting_matches_cut_points(triples, ignored):
    ranges, intervals = rw.ScoredRanges(triples), rw.Ranges(ignored).merge_touching()
    expected = ranges.to_scores(LENGTH)
    expected[intervals.to_labels(LENGTH) == 1] = -np.inf
    assert np.array_equal(cut_scored(ranges, intervals).to_scores(LENGTH), expected)


@pytest.mark.parametrize(
    "value",
    [
        [(2, 6, 0.5), (4, 8, 0.9)],
        np.array([(2, 6, 0.5), (4, 8, 0.9)]),
        pd.DataFrame({"start": [2, 4], "stop": [6, 8], "score": [0.5, 0.9]}),
    ],
)
def test_accepts_triples_arrays_and_tables(value):
    ranges = rw.ScoredRanges(value)
    assert list(ranges) == [(2, 6, 0.5), (4, 8, 0.9)]
    assert list(pickle.loads(pickle.dumps(ranges))) == list(ranges)
    assert list(rw.ScoredRanges([(2, 6), (4, 8)], [0.5, 0.9])) == list(ranges)


def test_methods_of_the_curve():
    curve = rw.RangeModel().curve([(1.0, 3.0)], rw.ScoredRanges([(1.5, 3.0, 0.9), (10.0, 11.0, 0.2)]))
    assert (curve.best().threshold, curve.at(0.2).precision, curve.average_precision) == (0.9, 0.5, 0.75)
    assert len(curve.thin(5)) == 2
    assert "2 thresholds" in repr(curve)
    assert rw.RangeModel().curve([(1, 3)], rw.ScoredRanges([(1, 3, 0.5)]), thresholds=[0.6, 0.4]).recall.tolist() == [0.0, 1.0]
    assert len(rw.RangeModel().curve([(1, 3)], rw.ScoredRanges([]))) == 0


def test_models_without_a_sweep_limit_the_number_of_thresholds():
    model, many = rw.RangeModel(precision_bias=lambda place, length: length - place + 1), MOST_ONE_BY_ONE + 1
    ranges = rw.ScoredRanges([(2 * number, 2 * number + 1, float(number)) for number in range(many)])
    with pytest.raises(ValueError, match=f"there are {many:,} distinct scores"):
        model.curve([(0, 4)], ranges)
    assert len(model.curve([(0, 4)], ranges, thresholds=[3.0, 1.0])) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rw.ScoredRanges([(1, 3)]), r"range 0 is \(1, 3\); expected \(start, stop, confidence\)"),
        (lambda: rw.ScoredRanges([(3, 1, 0.5)]), r"range 0 is \[3, 1\)"),
        (lambda: rw.ScoredRanges([(1, 3, float("nan"))]), "confidence of range 0 is nan"),
        (lambda: rw.ScoredRanges([(1, 3)], [1, 2]), "1 ranges and 2 confidences"),
        (lambda: rw.ScoredRanges([(1, 3, "high")]), "expected numbers"),
        (lambda: rw.ScoredRanges(5), "triples, or a table"),
        (lambda: rw.ScoredRanges(pd.DataFrame({"start": [1], "end": [2]})), "expected one called"),
        (lambda: rw.ScoredRanges(np.zeros((2, 2))), "three columns"),
        (lambda: rw.ScoredRanges([(1, 30, 0.5)]).to_scores(10), "length is 10"),
        (lambda: rw.ScoredRanges([(1.5, 30, 0.5)]).to_scores(100), "these ranges are times"),
        (lambda: rw.RangeModel().curve([(1, 3)], rw.ScoredRanges([(1.5, 3, 0.5)])), "give both as times"),
        (lambda: rw.RangeModel().curve([(1.5, 3)], rw.ScoredRanges([(1, 3, 0.5)])), "give both as times"),
        (lambda: rw.RangeModel().curve([(1, 3)], rw.ScoredRanges([(1, 3, 0.5)]), close_gaps=3), "one score per point"),
        (lambda: rw.RangeModel().curve([(1.0, 3.0)], rw.ScoredRanges([(1.0, 3.0, 0.5)]), times=[0.0, 1.0]), "are times already"),
        (lambda: setattr(rw.ScoredRanges([]), "clock", 3), "immutable"),
    ],
)
def test_rejects_bad_input(call, message):
    with pytest.raises((ValueError, TypeError, AttributeError), match=message):
        call()


@pytest.mark.parametrize(
    "option",
    [{"resolution": "1s"}, {"step": "1min"}, {"span": ("2024-05-01", "2024-05-02")}, {"length": 40}],
    ids=lambda option: next(iter(option)),
)
def test_rejects_options_of_other_input(option):
    with pytest.raises(ValueError, match=f"{next(iter(option))}= is not supported for ranges with a confidence"):
        rw.early.curve([(1, 3)], rw.ScoredRanges([(1, 3, 0.5)]), **option)


@given(
    range_lists(longest=LENGTH),
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9), st.sampled_from([-np.inf, 0.5, np.inf])), max_size=6),
)
def test_infinite_confidences_are_ties(real, found):
    """The difference of two infinities is nan, which was taken for a step."""
    scored = rw.ScoredRanges([(start, start + length, confidence) for start, length, confidence in found])
    curve = rw.early.curve(real, scored)
    assert curve.thresholds.tolist() == scored.thresholds.tolist()
    for threshold, precision, recall in zip(curve.thresholds, curve.precision, curve.recall, strict=True):
        score = rw.early.score(real, scored.at(threshold))
        assert (precision, recall) == (pytest.approx(score.precision), pytest.approx(score.recall))
