"""Borders between leaders, checked with exact fractions: who leads on either side of each, and that none is missing."""

import os
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import rankings as naive
from rangewise.rankings.borders import Line, Track, best_track, crossing_beta, crossing_places, stretches
from strategies import range_lists

# Set RANGEWISE_BORDERS=1000 for a long run.
CASES = int(os.environ.get("RANGEWISE_BORDERS", "40"))
BETAS = {0.5: Fraction(1, 2), 1.0: Fraction(1), 2.0: Fraction(2)}
NEAR = Fraction(1, 10**6)


@settings(max_examples=CASES)
@given(range_lists(), st.lists(range_lists(), min_size=2, max_size=4))
def test_borders_are_correct_and_complete(real, predictions):
    predicted = {f"d{i}": ranges for i, ranges in enumerate(predictions)}
    ranking = rw.ranking(real, predicted)
    for bias in ranking.settings.biases:
        for cardinality in ranking.settings.cardinalities:
            parts = {name: naive.earned(real, ranges, bias, cardinality) for name, ranges in predicted.items()}
            for beta, exact in BETAS.items():
                _check_borders(ranking, parts, bias, cardinality, beta, exact)
                _check_segments(ranking, parts, bias, cardinality, beta, exact)


def _check_borders(ranking, parts, bias, cardinality, beta, exact):
    crossings = [one for one in ranking.crossings if (one.bias, one.cardinality, one.beta) == (bias, cardinality, beta)]
    for at, one in enumerate(ranking.names):
        for other in ranking.names[at + 1 :]:
            here = [crossing for crossing in crossings if {crossing.first, crossing.second} == {one, other}]
            assert len(here) == naive.changes(parts[one], parts[other], exact)
    for crossing in crossings:
        alpha = Fraction(crossing.alpha)
        assert 0 < alpha < 1
        near = min(NEAR, alpha / 2, (1 - alpha) / 2)
        first, second = parts[crossing.first], parts[crossing.second]
        assert naive.f(first, alpha - near, exact) > naive.f(second, alpha - near, exact)
        assert naive.f(first, alpha + near, exact) < naive.f(second, alpha + near, exact)


def _check_segments(ranking, parts, bias, cardinality, beta, exact):
    segments = [one for one in ranking.segments if (one.bias, one.cardinality, one.beta) == (bias, cardinality, beta)]
    assert (segments[0].start, segments[-1].stop) == (0.0, 1.0)
    assert [one.stop for one in segments[:-1]] == [one.start for one in segments[1:]]
    for segment in segments:
        width = Fraction(segment.stop) - Fraction(segment.start)
        for alpha in (Fraction(segment.start) + width * share for share in (Fraction(1, 1000), Fraction(1, 3), Fraction(999, 1000))):
            values = {name: naive.f(part, alpha, exact) for name, part in parts.items()}
            assert segment.leaders == tuple(name for name, value in values.items() if value == max(values.values()))


@settings(max_examples=CASES)
@given(range_lists(), range_lists(), range_lists(), st.sampled_from([0.0, 0.3, 1.0]))
def test_borders_in_beta_are_correct(real, one, other, alpha):
    crossings = rw.ranking(real, {"one": one, "other": other}).crossings_in_beta(alpha)
    for crossing in crossings:
        parts = {name: naive.earned(real, ranges, crossing.bias, crossing.cardinality) for name, ranges in (("one", one), ("other", other))}
        for beta, ahead, behind in (
            (crossing.beta * 0.999, crossing.first, crossing.second),
            (crossing.beta * 1.001, crossing.second, crossing.first),
        ):
            exact, at = Fraction(beta), Fraction(alpha)
            assert naive.f(parts[ahead], at, exact) > naive.f(parts[behind], at, exact)


def test_touching_without_crossing_is_no_border():
    touching = _touching_pair()
    along = stretches(Track((touching[0],)), Track((touching[1],)), 1.0, 0.0, 1.0)
    assert [stretch.order for stretch in along] == [-1]
    assert crossing_places(along) == []
    nudged = touching[1]._replace(precision=touching[1].precision - 1e-4)
    assert len(crossing_places(stretches(Track((touching[0],)), Track((nudged,)), 1.0, 0.0, 1.0))) == 2


def _touching_pair():
    """Two lines whose F meet at alpha 1/2 with the same slope there."""
    one = Line(0.5, 0.2, 0.6)  # R = 0.4 at 1/2, slope 0.4
    precision = 0.8
    # Equal F at 1/2 means 1/R = 1/P_A + 1/R_A - 1/P; an equal slope of 1/R means an equal slope / R^2.
    recall = 1 / (1 / 0.5 + 1 / 0.4 - 1 / precision)
    slope = 0.4 / 0.4**2 * recall**2
    return one, Line(precision, recall - slope / 2, recall + slope / 2)


def test_equal_lines_are_equal_everywhere():
    track = Track((Line(0.5, 0.2, 0.6),))
    assert stretches(track, track, 2.0, 0.0, 1.0) == [(0.0, 1.0, 0)]
    assert crossing_beta(track.lines[0], track.lines[0], 0.5) is None


@settings(max_examples=CASES)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.5, 1.0, 2.0]))
def test_best_threshold_is_best_at_every_alpha(seed, beta):
    random = np.random.default_rng(seed)
    lines = random.random((3, 12)).round(1)
    track = best_track((lines[0], lines[1], np.maximum(lines[1], lines[2])), np.arange(12.0), beta, 0.0, 1.0)
    assert list(track.starts) == sorted(track.starts)
    for alpha in random.random(20):
        best = max(Line(p, o, max(o, e)).f(alpha, beta) for p, o, e in lines.T)
        assert track.f(alpha, beta) == approx(best, abs=1e-9)
        assert track.thresholds[track.starts.index(max(start for start in track.starts if start <= alpha))] == track.threshold(alpha)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_detector_with_score_0_stays_behind(beta):
    silent, loud = Track((Line(0.0, 0.0, 0.0),)), Track((Line(0.1, 0.2, 0.3),))
    assert stretches(silent, loud, beta, 0.0, 1.0) == [(0.0, 1.0, -1)]
