import math

from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from naive import model as naive
from rangewise.metrics import best_range_fbeta, range_average_precision
from strategies import range_lists


@settings(max_examples=50)
@given(range_lists(longest=30), st.lists(st.sampled_from([0, 1, 2, 3, 4]), min_size=30, max_size=30))
def test_matches_naive_at_each_threshold(real, scores):
    steps = []
    for threshold in set(scores):
        predicted = naive.ranges_of([int(score >= threshold) for score in scores])
        steps.append(naive.score(real, predicted, beta=2))
    recalls = sorted({recall for _, recall, _ in steps})
    area = sum(
        (recall - before) * max(p for p, r, _ in steps if r >= recall) for before, recall in zip([0.0, *recalls], recalls, strict=False)
    )
    assert range_average_precision(real, scores) == approx(area, abs=1e-12)
    assert best_range_fbeta(real, scores, beta=2.0) == approx(max(f for _, _, f in steps), abs=1e-12)


def test_area_that_rounds_above_1_is_1(monkeypatch):
    # How a sum of steps rounds depends on the machine, so the rounded value is set here.
    monkeypatch.setattr("rangewise.curve.Curve.average_precision", 1.0000000000000002)
    assert range_average_precision([0, 1], [0.1, 0.2]) == 1.0


def test_nothing():
    assert (range_average_precision([], []), best_range_fbeta([], [])) == (0.0, 0.0)
    assert math.isnan(range_average_precision([0, 0], [0.1, 0.2], zero_division=math.nan))
