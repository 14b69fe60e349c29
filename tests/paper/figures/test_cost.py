"""The five algorithms match the equations, and their cost grows as in the paper, counted in executed lines instead of seconds."""

import sys
from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from pytest import approx

from naive import model as naive
from rangewise.paper.figures import cost, fig6
from strategies import side_pairs

RECIPROCAL = {"recall": (naive.reciprocal, naive.flat), "precision": (naive.reciprocal, naive.flat)}
ALGORITHMS = cost.NAIVE | cost.OPTIMIZED


@settings(max_examples=150)
@given(sides=side_pairs())
@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms_match_naive(name, sides):
    as_points = {"as_points": "both"} if name.endswith("Classical") else RECIPROCAL
    assert ALGORITHMS[name](*sides) == approx(naive.score(*sides, **as_points)[:2])


def lines_run(algorithm, real, predicted):
    """The number of executed lines of cost.py, which does not depend on the load of the machine."""
    count = 0

    def count_line(frame, event, argument):
        nonlocal count
        count += event == "line"
        return count_line

    def trace_call(frame, event, argument):
        return count_line if frame.f_code.co_filename == cost.__file__ else None

    before = sys.gettrace()
    sys.settrace(trace_call)
    try:
        algorithm(real, predicted)
    finally:
        sys.settrace(before)
    return count


def growth(algorithm, counts=(20, 40, 80)):
    generator = np.random.default_rng(1)
    sides = [(fig6.random_ranges(count, generator), fig6.random_ranges(count, generator)) for count in counts]
    work = [lines_run(algorithm, *pair) for pair in sides]
    return log(work[-1] / work[0]) / log(counts[-1] / counts[0])


@pytest.mark.parametrize("name", cost.NAIVE)
def test_naive_algorithms_are_quadratic(name):
    assert growth(cost.NAIVE[name]) == approx(2, abs=0.2)


@pytest.mark.parametrize("name", cost.OPTIMIZED)
def test_optimized_algorithms_are_linear(name):
    assert growth(cost.OPTIMIZED[name]) == approx(1, abs=0.2)


def test_closed_form_does_less_work():
    generator = np.random.default_rng(2)
    sides = fig6.random_ranges(1_000, generator), fig6.random_ranges(1_000, generator)
    with_loop, closed_form = (lines_run(cost.OPTIMIZED[name], *sides) for name in ("Optimized1_T", "Optimized1+2_T"))
    assert closed_form < 0.9 * with_loop


@pytest.mark.parametrize("count", [1, 50, 1_600])
def test_random_ranges_are_disjoint_and_inside(count):
    ranges = fig6.random_ranges(count, np.random.default_rng(count))
    assert len(ranges) == count
    assert ranges[0][0] >= 0
    assert ranges[-1][1] <= fig6.POINTS
    assert all(1 <= stop - start <= fig6.LONGEST for start, stop in ranges)
    assert all(before[1] < after[0] for before, after in pairwise(ranges))


def test_kernel_matches_naive():
    generator = np.random.default_rng(3)
    sides = fig6.random_ranges(400, generator), fig6.random_ranges(400, generator)
    assert fig6._kernel(*sides)(*sides) == approx(cost.naive_range(*sides))


def test_slopes_for_known_growth():
    costs = fig6.Costs((10, 100, 1_000), {"square": (1.0, 100.0, 10_000.0), "line": (2.0, 20.0, 200.0)})
    assert (costs.slope("square"), costs.slope("line")) == approx((2.0, 1.0))
    assert costs.ratio("square", "line") == approx(50.0)


def test_time_is_the_mean_of_enough_calls(monkeypatch):
    clock, calls = [0.0], []

    def algorithm(real, predicted):
        calls.append((real, predicted))
        clock[0] += 0.001

    monkeypatch.setattr(fig6.time, "process_time", lambda: clock[0])
    assert fig6.seconds_of(algorithm, [(0, 1)], [(0, 2)]) == approx(0.001)
    assert set(map(str, calls)) == {"([(0, 1)], [(0, 2)])"}
    assert 0.001 * len(calls) >= fig6._LEAST_SECONDS


def test_coarse_clocks_are_supported(monkeypatch):
    # The clock has steps of a tenth of a second, so most readings equal the previous one.
    calls = []
    monkeypatch.setattr(fig6.time, "process_time", lambda: len(calls) // 100 * 0.1)
    assert 0.0005 < fig6.seconds_of(lambda real, predicted: calls.append(1), [(0, 1)], [(0, 1)]) < 0.002


@pytest.mark.parametrize(("seconds", "text"), [(2.0, "2 s"), (0.0123, "12.3 ms"), (4.5e-6, "4.5 µs"), (3e-8, "30 ns")])
def test_times_as_text(seconds, text):
    assert fig6.time_text(seconds) == text
