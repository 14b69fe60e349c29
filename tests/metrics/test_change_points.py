import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from golden import vectors
from naive import change_points as naive
from rangewise.metrics import change_point_fbeta, covering

points = st.sets(st.integers(0, 29), max_size=6).map(sorted)


@settings(max_examples=150)
@given(st.lists(points, min_size=1, max_size=3), points, st.integers(0, 6))
def test_matches_naive(annotators, predicted, margin):
    real = dict(enumerate(annotators))
    assert change_point_fbeta(real, predicted, margin=margin, length=30) == approx(naive.f_score(annotators, predicted, margin))
    assert covering(real, predicted, length=30) == approx(naive.covering(annotators, predicted, 30))


def test_matches_the_authors_program():
    for case in vectors("changepoint"):
        real, predicted, out = case["annotations"], case["predicted"], case["out"]
        score = change_point_fbeta(real, predicted, margin=case["params"]["margin"], length=case["n"])
        assert score >= max(out["f_p_r"][0], out["f_p_r_sorted_order"][0]) - 1e-9
        if out["f_p_r"] == out["f_p_r_sorted_order"]:
            assert score == approx(out["f_p_r"][0], abs=1e-9)
        assert covering(real, predicted, length=case["n"]) == approx(out["covering"], abs=1e-9)


@pytest.mark.parametrize(
    ("real", "predicted", "length", "message"),
    [
        ([3], [9], 5, "predicted: 9 is no point of a series of 5"),
        ([0, 7], [1], 5, "real: 7 is no point of a series of 5"),
        ([-2, 3], [1], 5, "real: -2 is no point of a series of 5"),
        ([3, 3], [1], 5, "given twice"),
        ([0.5], [1], 5, "whole numbers"),
        ({}, [1], 5, "no annotator"),
        ([3], [1], 0, "length is 1 or more"),
    ],
)
def test_rejects_bad_input(real, predicted, length, message):
    for function in (change_point_fbeta, covering):
        with pytest.raises((ValueError, TypeError), match=message):
            function(real, predicted, length=length)
