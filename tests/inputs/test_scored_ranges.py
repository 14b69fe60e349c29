"""Ranges with a confidence: as scores they equal the painted ones, at every threshold."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.curve import MOST_ONE_BY_ONE
from rangewise.inputs.scored_ranges import cut_scored
from strategies import built_in_models, quadratic, range_lists, some_points_count

LENGTH = 40
scored = st.lists(
    st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 12), st.integers(0, 4)).map(
        lambda each: (each[0], min(each[0] + each[1], LENGTH), each[2] / 4)
    ),
    max_size=8,
)


@pytest.mark.kernel
@given(range_lists(longest=LENGTH), scored, built_in_models(), range_lists(longest=LENGTH), st.booleans())
def test_the_curve_is_that_of_painted_scores(real, found, model, ignored, ignoring):
    ranges = rw.ScoredRanges(found)
    ignore = ignored if ignoring else None
    assume(ignore is None or some_points_count(ignore, LENGTH))
    curve = model.curve(real, ranges, ignore=ignore)
    painted = model.curve(real, ranges.to_scores(LENGTH, background=-1.0), ignore=ignore)
    values = dict(zip(painted.thresholds.tolist(), zip(painted.precision, painted.recall, strict=True), strict=True))
    assert {threshold for threshold in values if threshold >= 0} <= set(curve.thresholds.tolist())
    for threshold, *both in zip(curve.thresholds.tolist(), curve.precision, curve.recall, strict=True):
        # A confidence that is hidden under higher ones everywhere is no painted score: nothing changes there.
        score = model.score(real, ranges.at(threshold), ignore=ignore)
        assert both == pytest.approx([score.precision, score.recall], abs=1e-12, nan_ok=True)
        if threshold in values:
            assert both == pytest.approx(list(values[threshold]), abs=1e-12, nan_ok=True)


@pytest.mark.kernel
@given(range_lists(longest=LENGTH), scored, st.sampled_from(["real", "predicted", "both", None]))
def test_models_with_functions_and_points(real, found, as_points):
    ranges = rw.ScoredRanges(found)
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


@given(range_lists(longest=LENGTH), scored, built_in_models())
def test_times_give_the_curve_of_scores_at_each_threshold(real, found, model):
    seconds = [(float(start), float(stop)) for start, stop in real]
    ranges = rw.ScoredRanges([(start / 1.0, stop / 1.0, confidence) for start, stop, confidence in found])
    curve = model.curve(seconds, ranges)
    expected = [model.score(seconds, ranges.at(threshold)) for threshold in curve.thresholds]
    assert curve.recall.tolist() == pytest.approx([each.recall for each in expected], abs=1e-12, nan_ok=True)
    assert curve.precision.tolist() == pytest.approx([each.precision for each in expected], abs=1e-12, nan_ok=True)


@given(scored, range_lists(longest=LENGTH))
def test_cutting_is_that_of_points(found, ignored):
    ranges, zones = rw.ScoredRanges(found), rw.Ranges(ignored).merge_touching()
    expected = ranges.to_scores(LENGTH)
    expected[zones.to_labels(LENGTH) == 1] = -np.inf
    assert np.array_equal(cut_scored(ranges, zones).to_scores(LENGTH), expected)


@pytest.mark.parametrize(
    "given",
    [
        [(2, 6, 0.5), (4, 8, 0.9)],
        np.array([(2, 6, 0.5), (4, 8, 0.9)]),
        pd.DataFrame({"start": [2, 4], "stop": [6, 8], "score": [0.5, 0.9]}),
    ],
)
def test_ways_to_give_them(given):
    ranges = rw.ScoredRanges(given)
    assert list(ranges) == [(2, 6, 0.5), (4, 8, 0.9)]
    assert list(pickle.loads(pickle.dumps(ranges))) == list(ranges)
    assert list(rw.ScoredRanges([(2, 6), (4, 8)], [0.5, 0.9])) == list(ranges)


def test_curves_of_scored_ranges_answer():
    curve = rw.RangeModel().curve([(1.0, 3.0)], rw.ScoredRanges([(1.5, 3.0, 0.9), (10.0, 11.0, 0.2)]))
    assert (curve.best().threshold, curve.at(0.2).precision, curve.average_precision) == (0.9, 0.5, 0.75)
    assert len(curve.thin(5)) == 2
    assert "2 thresholds" in repr(curve)
    assert rw.RangeModel().curve([(1, 3)], rw.ScoredRanges([(1, 3, 0.5)]), thresholds=[0.6, 0.4]).recall.tolist() == [0.0, 1.0]
    assert len(rw.RangeModel().curve([(1, 3)], rw.ScoredRanges([]))) == 0


def test_a_model_that_cannot_sweep_takes_few_thresholds_or_those_given():
    model, many = rw.RangeModel(precision_bias=lambda place, length: length - place + 1), MOST_ONE_BY_ONE + 1
    scored = rw.ScoredRanges([(2 * number, 2 * number + 1, float(number)) for number in range(many)])
    with pytest.raises(ValueError, match=f"there are {many:,} distinct scores"):
        model.curve([(0, 4)], scored)
    assert len(model.curve([(0, 4)], scored, thresholds=[3.0, 1.0])) == 2


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
def test_bad_input_is_told(call, message):
    with pytest.raises((ValueError, TypeError, AttributeError), match=message):
        call()


@pytest.mark.parametrize(
    "option",
    [{"resolution": "1s"}, {"step": "1min"}, {"span": ("2024-05-01", "2024-05-02")}, {"length": 40}],
    ids=lambda option: next(iter(option)),
)
def test_options_of_other_input_are_refused_by_name(option):
    with pytest.raises(ValueError, match=f"{next(iter(option))}= is not supported for ranges with a confidence"):
        rw.early.curve([(1, 3)], rw.ScoredRanges([(1, 3, 0.5)]), **option)
