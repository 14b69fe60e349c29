"""Metrics of points, compared with plain loops and scikit-learn."""

import pytest
from hypothesis import given, settings
from sklearn.metrics import f1_score

from naive import classes as naive
from rangewise.classes import frame_accuracy, macro_frame_f1
from strategies import class_pairs


@settings(max_examples=60)
@given(class_pairs())
def test_matches_naive(sides):
    for background in ((), ("-",), ("-", "a")):
        assert frame_accuracy(*sides, background=background) == pytest.approx(naive.accuracy(*sides, background))
        assert macro_frame_f1(*sides, background=background) == pytest.approx(naive.macro_frame_f1(*sides, background))


@settings(max_examples=60)
@given(class_pairs())
def test_macro_f1_matches_scikit_learn_over_real_classes(sides):
    expected = f1_score(*sides, labels=sorted(set(sides[0])), average="macro", zero_division=0)
    assert macro_frame_f1(*sides) == pytest.approx(expected)


def test_no_points_give_zero_division():
    assert frame_accuracy([*"--"], [*"-a"], background="-", zero_division=1.0) == 1.0
    assert macro_frame_f1([], []) == 0.0
