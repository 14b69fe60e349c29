"""Properties that hold for every metric of classes."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from rangewise.classes import CLASS_METRICS
from strategies import class_pairs

METRICS = pytest.mark.parametrize("metric", CLASS_METRICS.values(), ids=lambda metric: metric.name)


def value(metric, real, predicted, background=None):
    options = {"onset_collar": 2} if metric.needs_collar else {}
    return metric.function(real, predicted, background=background, **options)


@METRICS
@settings(max_examples=25)
@given(class_pairs())
def test_bounded_and_a_perfect_prediction_is_the_best(metric, sides):
    found = value(metric, *sides)
    assert type(found) is float
    assert 0.0 <= found <= metric.high
    assert value(metric, sides[0], sides[0]) == pytest.approx(metric.best)


@METRICS
@settings(max_examples=25)
@given(class_pairs(), st.permutations("abc-"))
def test_other_names_change_nothing(metric, sides, order):
    renamed = dict(zip("abc-", order, strict=True))
    other = ([renamed[name] for name in side] for side in sides)
    assert value(metric, *sides) == pytest.approx(value(metric, *other))


@METRICS
@settings(max_examples=25)
@given(class_pairs())
def test_nothing_predicted_is_the_worst(metric, sides):
    real, nothing = [*sides[0], "-"], ["-"] * (len(sides[0]) + 1)
    if set(real) != {"-"}:
        assert value(metric, real, nothing, background="-") == (0.0 if metric.better == "higher" else 1.0)


@METRICS
@settings(max_examples=25)
@given(class_pairs())
def test_the_other_way_in_time_is_worth_the_same(metric, sides):
    if metric.name.startswith("segmental") or metric.name == "class_event_fbeta" or metric.name == "class_error_rate":
        return  # the first segment in time wins in doubt; onsets and offsets have different collars
    assert value(metric, *sides) == pytest.approx(value(metric, *(side[::-1] for side in sides)))


def test_the_table_says_what_each_needs():
    assert [name for name, metric in CLASS_METRICS.items() if metric.better == "lower"] == ["class_error_rate"]
    assert CLASS_METRICS["class_error_rate"].high == math.inf
    assert all(len(metric.summary) < 60 for metric in CLASS_METRICS.values())
    for metric in CLASS_METRICS.values():
        if metric.needs_points:
            assert metric.function({"a": [(0, 2)]}, {"a": [(0, 2)]}) == metric.function(["a", "a"], ["a", "a"])


def test_the_names_are_at_the_top():
    for name in (
        "score_classes",
        "segmental_f1",
        "edit_score",
        "class_event_fbeta",
        "class_error_rate",
        "frame_accuracy",
        "macro_frame_f1",
    ):
        assert callable(getattr(rw, name))
