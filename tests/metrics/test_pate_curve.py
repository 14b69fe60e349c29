"""PATE: the sweep over thresholds against plain loops, published vectors, edge cases."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pytest import approx

from golden import half_open, real_of, vectors
from naive import pate as naive
from naive.vus import all_thresholds
from rangewise.metrics import pate, pate_f1
from strategies import scored_ranges, side_pairs

pytestmark = pytest.mark.filterwarnings("ignore:PATE rewards ties")
buffers = st.sampled_from([0, 1, 2, 5, 9, 40])


@pytest.mark.kernel
@settings(max_examples=150)
@given(scored_ranges(), buffers, buffers, st.integers(1, 3), st.booleans(), st.sampled_from(["trapezoid", "step"]))
@example(([(0, 30)], [i % 7 for i in range(30)]), 5, 5, 1, True, "trapezoid")
@example(([(0, 1), (1, 2), (4, 29)], [-i for i in range(30)]), 9, 2, 2, False, "step")
def test_pate_matches_naive(drawn, early, delay, splits, include_zero, interpolation):
    real, scores = drawn
    options = {"splits": splits, "include_zero": include_zero}

    def area(e, d):
        return naive.area(real, scores, e, d, all_thresholds(scores), interpolation)

    score = pate(real, scores, early_buffer=early, delay_buffer=delay, interpolation=interpolation, **options)
    assert score == approx(naive.mean_over_pairs(area, early, delay, splits, include_zero), abs=1e-12)


@settings(max_examples=100)
@given(scored_ranges(), buffers, buffers)
def test_published_thresholds_match_naive(drawn, early, delay):
    real, scores = drawn

    def area(e, d):
        return naive.area(real, scores, e, d, naive.published_thresholds(real, scores), "trapezoid")

    score = pate(real, scores, early_buffer=early, delay_buffer=delay, splits=1, thresholds="published")
    assert score == approx(naive.mean_over_pairs(area, early, delay, 1, True), abs=1e-12)


@settings(max_examples=100)
@given(side_pairs(), buffers, buffers, st.integers(1, 2), st.booleans())
def test_pate_f1_matches_naive(sides, early, delay, splits, include_zero):
    real, predicted = sides
    labels = [int(any(start <= i < stop for start, stop in predicted)) for i in range(60)]

    def f(e, d):
        return naive.f1(*naive.precision_recall(real, labels, e, d))

    score = pate_f1(real, predicted, early_buffer=early, delay_buffer=delay, splits=splits, include_zero=include_zero, length=60)
    assert score == approx(naive.mean_over_pairs(f, early, delay, splits, include_zero) if real else 0.0, abs=1e-12)


def test_sums_over_a_long_range_do_not_drift():
    rng = np.random.default_rng(8)
    scores = np.round(rng.random(3000), 2)
    real = [(100, 2900)]
    expected = naive.area(real, scores.tolist(), 50, 50, all_thresholds(scores.tolist()), "trapezoid")
    score = pate(real, scores, early_buffer=50, delay_buffer=50, include_zero=False)
    assert score == approx(expected, abs=1e-13)


def test_matches_published_vectors():
    for case in vectors("pate"):
        given_options = case["params"]
        options = {
            "early_buffer": given_options["e_buffer"],
            "delay_buffer": given_options["d_buffer"],
            "splits": given_options["num_splits_MaxBuffer"],
            "include_zero": given_options["include_zero"],
        }
        real, out = real_of(case), case["out"]
        assert pate(real, case["scores"], **options) == approx(out["exact"], abs=1e-12), case["id"]
        assert pate(real, case["scores"], thresholds="published", **options) == approx(out["published_250"], abs=1e-12), case["id"]
        assert pate_f1(real, half_open(case["predicted"]), length=case["n"], **options) == approx(out["pate_f1"], abs=1e-12), case["id"]


def test_warns_that_ties_are_rewarded():
    real = np.arange(600) // 50 == 3
    with pytest.warns(UserWarning, match="PATE rewards ties"):
        assert pate(real, np.zeros(600), early_buffer=20, delay_buffer=20) > 0.5
    assert pate(real, np.zeros(600), early_buffer=20, delay_buffer=20, interpolation="step") < 0.15


def test_a_hundred_distinct_scores_give_no_warning(recwarn):
    pate(np.arange(300) > 280, np.arange(300) % 100)
    assert not recwarn.list


class TestEdgeCases:
    def test_no_real_points_give_0_and_all_give_1(self):
        assert pate([0, 0, 0], [1, 2, 3]) == pate_f1([0, 0, 0], [1, 0, 0]) == pate_f1([1, 0, 0], [0, 0, 0]) == 0.0
        assert pate([1, 1, 1], [1, 2, 2]) == pate_f1([1, 1, 1], [1, 1, 1]) == 1.0

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"early_buffer": -1}, ValueError, "early_buffer is 0 or more; got -1"),
            ({"delay_buffer": 2.5}, TypeError, r"delay_buffer is a whole number; got 2\.5"),
            ({"splits": 0}, ValueError, "splits is 1 or more; got 0"),
            ({"interpolation": "steps"}, ValueError, "interpolation"),
            ({"thresholds": 250}, ValueError, "thresholds"),
        ],
    )
    def test_rejects_bad_options(self, options, error, message):
        with pytest.raises(error, match=message):
            pate([0, 1, 0], [1, 2, 3], **options)

    def test_rejects_nan_and_accepts_infinity_with_all_thresholds(self):
        for options in ({}, {"thresholds": "published"}):
            with pytest.raises(ValueError, match="score 1 is nan"):
                pate([0, 1, 0], [1, np.nan, 3], **options)
        assert pate([0, 1, 0], [1, np.inf, 3]) == 1.0
        with pytest.raises(ValueError, match='thresholds="all" accepts any'):
            pate([0, 1, 0], [1, np.inf, 3], thresholds="published")

    def test_ranges_need_a_length(self):
        with pytest.raises(ValueError, match="length is missing: PATE's buffers"):
            pate_f1([(0, 2)], [(1, 3)])
