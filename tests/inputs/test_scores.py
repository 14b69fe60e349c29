import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import rangewise as rw
from naive import gaps as naive
from strategies import built_in_models, leaves_points, range_lists

common_scores = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.5, -math.inf, math.inf])
score_lists = st.one_of(
    st.lists(common_scores, max_size=40),
    st.lists(st.floats(allow_nan=False), max_size=40),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40),
    st.lists(st.booleans(), max_size=40),
)
max_gaps = st.one_of(st.integers(0, 12), st.integers(30, 60), st.just(2**70))


@given(score_lists, max_gaps)
@example([5, 1, 1, 5, 1, 1, 1, 5], 2)
@example([1, 2, 3, 2, 1], 9)
def test_close_gaps_matches_naive_at_every_threshold(scores, max_gap):
    array = np.array(scores) if scores else np.zeros(0)
    closed = rw.close_gaps(array, max_gap)
    assert len(closed) == len(scores)
    # Floats also allow thresholds between and beyond the scores.
    thresholds = [*scores, *((math.nextafter(score, math.inf) for score in scores) if array.dtype.kind == "f" else ())]
    for threshold in thresholds:
        assert (closed >= threshold).astype(int).tolist() == naive.marks_at(scores, threshold, max_gap)


@given(score_lists, max_gaps)
def test_close_gaps_adds_no_values_and_is_idempotent(scores, max_gap):
    array = np.array(scores) if scores else np.zeros(0)
    closed = rw.close_gaps(array, max_gap)
    assert set(closed.tolist()) <= set(array.tolist())
    assert (closed >= array).all()
    assert np.array_equal(rw.close_gaps(closed, max_gap), closed)


@pytest.mark.kernel
@given(range_lists(), st.lists(common_scores, min_size=60, max_size=60), max_gaps, built_in_models(), range_lists(), st.booleans())
def test_curve_with_closed_gaps_matches_score_at_every_threshold(real, scores, max_gap, model, intervals, ignoring):
    ignore = intervals if ignoring else None
    assume(ignore is None or leaves_points(ignore, len(scores)))
    curve = model.curve(real, scores, close_gaps=max_gap, ignore=ignore)
    for threshold, precision, recall in zip(curve.thresholds, curve.precision, curve.recall, strict=True):
        # Gaps are closed first, as a detector would, then ignored points are removed.
        score = model.score(real, naive.marks_at(scores, threshold, max_gap), ignore=ignore)
        assert (precision, recall) == pytest.approx((score.precision, score.recall), nan_ok=True)
        assert curve.at(threshold).f == pytest.approx(score.f, nan_ok=True)


@pytest.mark.kernel
@given(st.dictionaries(st.integers(0, 3), st.lists(st.tuples(st.integers(0, 1), common_scores), min_size=1, max_size=12)), max_gaps)
def test_pooled_curve_closes_gaps_of_each_series(given_series, max_gap):
    sides = {name: tuple(map(list, zip(*rows, strict=True))) for name, rows in given_series.items()}
    curve = rw.pooled_curve(sides, close_gaps=max_gap)
    for threshold, recall in zip(curve.thresholds, curve.recall, strict=True):
        score = rw.score_many({name: (real, naive.marks_at(scores, threshold, max_gap)) for name, (real, scores) in sides.items()})
        assert recall == pytest.approx(score.pooled.recall)


@given(st.lists(common_scores, max_size=30), max_gaps, st.booleans())
def test_nab_curve_with_closed_gaps_matches_nab_score(scores, max_gap, probation):
    curve = rw.nab_curve([(2, 5)] if len(scores) >= 5 else [], scores, close_gaps=max_gap, probation=probation)
    for threshold, raw in zip(curve.thresholds, curve.raw, strict=True):
        labels = naive.marks_at(scores, threshold, max_gap)
        assert raw == pytest.approx(rw.nab_score([(2, 5)] if len(scores) >= 5 else [], labels, probation=probation).raw)


def test_close_gaps_keeps_the_dtype_and_rejects_bad_input():
    assert rw.close_gaps(np.array([3, 0, 3], dtype=np.uint8), 1).dtype == np.uint8
    assert rw.close_gaps(np.array([3, 0, 3], dtype=np.float32), 1).dtype == np.float32
    for wrong, error, message in [(-1, ValueError, "close_gaps is 0 or more; got -1"), (2.5, TypeError, "close_gaps is a whole number")]:
        with pytest.raises(error, match=message):
            rw.RangeModel().score([0, 1, 0], [1, 0, 1], close_gaps=wrong)
        with pytest.raises(error, match=message):
            rw.RangeModel().curve([(0, 1)], [1.0, 0.0, 1.0], close_gaps=wrong)
    with pytest.raises(ValueError, match="score 3 is nan"):
        rw.RangeModel().curve([(0, 1)], [1.0, 0.0, 1.0, math.nan, 1.0], close_gaps=1)
    with pytest.raises(ValueError, match="series 'b': score 1 is nan"):
        rw.pooled_curve({"a": ([1], [0.5]), "b": ([0, 1, 0], [0.5, math.nan, 1.0])}, close_gaps=1)


def test_close_gaps_rejects_durations():
    with pytest.raises(TypeError, match=r"max_gap is a whole number; got np.timedelta64\(2,'s'\)"):
        rw.close_gaps([0.1, 0.9], np.timedelta64(2, "s"))
