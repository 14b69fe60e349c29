"""Composite, segment-wise, tolerant, delayed and latency-aware F, and the area over K, compared with loops and other programs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from golden import half_open, real_of, vectors
from naive import granted as naive
from rangewise.metrics import (
    affiliation_fbeta,
    best_delayed_adjust_fbeta,
    best_latency_fbeta,
    best_point_adjust_area,
    best_point_adjust_fbeta,
    best_tolerant_fbeta,
    composite_fbeta,
    delayed_adjust_curve,
    delayed_adjust_fbeta,
    latency_curve,
    latency_fbeta,
    point_adjust_area,
    segment_fbeta,
    segment_precision,
    tolerant_curve,
    tolerant_fbeta,
    tolerant_precision,
    tolerant_recall,
)
from strategies import range_lists, side_pairs

score_lists = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.5, 0.7, 2.0, -math.inf, math.inf]), min_size=60, max_size=60)
small = st.sampled_from([0, 1, 2, 3, 7, 59, 60, 1000])


def labels_of(ranges, length=60):
    return [int(any(a <= i < b for a, b in ranges)) for i in range(length)]


@settings(max_examples=150)
@given(side_pairs(), small, st.sampled_from([0.5, 1.0, 2.0]))
def test_labels_match_naive(sides, number, beta):
    real, predicted = sides
    labels = labels_of(predicted)
    assert composite_fbeta(real, predicted, beta=beta) == approx(naive.composite(real, labels, beta)[2], abs=1e-12)
    precision, _, f = naive.segment(real, predicted, beta)
    assert (segment_precision(real, predicted), segment_fbeta(real, predicted, beta=beta)) == approx((precision, f), abs=1e-12)
    components = (tolerant_precision(real, predicted, tolerance=number), tolerant_recall(real, predicted, tolerance=number))
    assert (*components, tolerant_fbeta(real, predicted, tolerance=number, beta=beta)) == approx(naive.tolerant(real, labels, number, beta))
    k = max(number, 1)
    assert delayed_adjust_fbeta(real, predicted, k=k, beta=beta) == approx(naive.delayed(real, labels, k, beta)[2], abs=1e-12)
    assert latency_fbeta(real, predicted, beta=beta) == approx(naive.latency(real, labels, beta)[2], abs=1e-12)
    published = naive.latency(real, labels, beta, added=0.00001)[2]
    assert latency_fbeta(real, predicted, beta=beta, variant="published") == approx(published, abs=1e-12)
    assert point_adjust_area(real, predicted, beta=beta) == approx(naive.adjusted_area(real, labels, beta), abs=1e-12)


@settings(max_examples=60)
@given(range_lists(), score_lists, small)
def test_curves_match_each_threshold(real, scores, number):
    k = max(number, 1)
    for curve, expected, best in (
        (
            tolerant_curve(real, scores, tolerance=number),
            naive.every_threshold(naive.tolerant, real, scores, number),
            best_tolerant_fbeta(real, scores, tolerance=number),
        ),
        (
            delayed_adjust_curve(real, scores, k=k),
            naive.every_threshold(naive.delayed, real, scores, k),
            best_delayed_adjust_fbeta(real, scores, k=k),
        ),
        (latency_curve(real, scores), naive.every_threshold(naive.latency, real, scores), best_latency_fbeta(real, scores)),
    ):
        points = zip(curve.thresholds, curve.precision, curve.recall, curve.f, strict=True)
        for point, expected_point in zip(points, expected, strict=True):
            assert point == approx(expected_point, abs=1e-12)
        assert best == max(curve.f)


@settings(max_examples=40)
@given(range_lists(), score_lists, st.sampled_from([0.5, 1, 2]))
def test_best_area_over_k_is_exact(real, scores, beta):
    assert best_point_adjust_area(real, scores, beta=beta) == approx(naive.best_adjusted_area(real, scores, beta), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_best_area_over_k_is_exact_without_ties(seed):
    random = np.random.default_rng(seed)
    real = [(5, 12), (20, 23), (30, 45), (45, 50), (70, 71)]
    scores = random.normal(size=90)
    for start, stop in real:
        scores[start:stop] += random.random() * 3
    assert best_point_adjust_area(real, scores) == approx(naive.best_adjusted_area(real, scores.tolist()), abs=1e-12)


def test_exact_area_differs_from_a_hundred_samples():
    """One of the five real points, 20 %, has the highest score; a false point is next. The best F is 1 for k below 20, then 10/11."""
    real, scores = [0, 1, 1, 1, 1, 1, 0], [0.5, 0.9, 0.4, 0.3, 0.2, 0.1, 0.0]
    assert best_point_adjust_area(real, scores) == approx(0.2 + 0.8 * 10 / 11)
    assert best_point_adjust_area(real, scores, published=True) != approx(0.2 + 0.8 * 10 / 11, abs=1e-4)


@settings(max_examples=40)
@given(range_lists(), score_lists)
def test_published_area_is_sampled(real, scores):
    best = [best_point_adjust_fbeta(real, scores, k=k) for k in range(101)]
    assert best_point_adjust_area(real, scores, published=True) == approx(np.mean([(a + b) / 2 for a, b in itertools.pairwise(best)]))


def test_matches_other_programs():
    for case in vectors("labels"):
        real, predicted, out = real_of(case), half_open(case["predicted"]), case["out"]
        assert composite_fbeta(real, predicted) == approx(out["CompositeFScore"], abs=1e-9)
        assert segment_fbeta(real, predicted) == approx(out["SegmentwiseFScore"], abs=1e-9)
        assert tolerant_fbeta(real, predicted, tolerance=3) == approx(out["TimeTolerantFScore"], abs=1e-9)
        assert delayed_adjust_fbeta(real, predicted, k=3) == approx(out["DelayThresholdedPointadjustedFScore"], abs=1e-9)
        assert latency_fbeta(real, predicted, variant="published") == approx(out["LatencySparsityawareFScore"], abs=1e-9)
        assert latency_fbeta(real, predicted) == approx(out["LatencySparsityawareFScore"], abs=1e-4)
        assert affiliation_fbeta(real, predicted, length=case["n"]) == approx(out["AffiliationbasedFScore"], abs=1e-9)


def test_huge_coordinates():
    far = 2**60
    assert tolerant_fbeta([(far, far + 4)], [(far + 5, far + 6)], tolerance=2**61) == 1.0
    assert latency_fbeta([(far, far + 4)], [(far + 2, far + 3)]) == approx(2 / 3)


def test_default_deadline_is_ten_points():
    assert delayed_adjust_fbeta([(0, 50)], [(9, 10)]) == 1.0
    assert delayed_adjust_fbeta([(0, 50)], [(10, 11)]) == 0.0


def test_nothing():
    for metric in (composite_fbeta, segment_fbeta, tolerant_fbeta, delayed_adjust_fbeta, latency_fbeta, point_adjust_area):
        assert metric([0, 1], [0, 0]) == 0.0
        assert math.isnan(metric([0, 1], [0, 0], zero_division=math.nan))
        assert metric([], [], zero_division=1.0) == 1.0
    for best in (best_tolerant_fbeta, best_delayed_adjust_fbeta, best_latency_fbeta, best_point_adjust_area):
        assert best([], [], zero_division=1.0) == 1.0
        assert best([0, 0], [0.1, 0.2]) == 0.0


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        (tolerant_fbeta, {"tolerance": -1}, "tolerance is 0 or more; got -1"),
        (tolerant_fbeta, {"tolerance": 1.5}, "tolerance is a whole number; got 1.5"),
        (delayed_adjust_fbeta, {"k": 0}, "k is 1 or more; got 0"),
        (latency_fbeta, {"beta": 0}, "above 0"),
        (best_point_adjust_area, {"beta": 0}, "above 0"),
        (composite_fbeta, {"zero_division": 2}, "0.0, 1.0 or nan"),
    ],
)
def test_rejects_bad_options(metric, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        metric([0, 1], [0, 0], **options)
