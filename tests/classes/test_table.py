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
def test_values_are_bounded_and_a_perfect_prediction_is_best(metric, sides):
    result = value(metric, *sides)
    assert type(result) is float
    assert 0.0 <= result <= metric.high
    assert value(metric, sides[0], sides[0]) == pytest.approx(metric.best)


@METRICS
@settings(max_examples=25)
@given(class_pairs(), st.permutations("abc-"))
def test_renaming_classes_changes_nothing(metric, sides, order):
    renamed = dict(zip("abc-", order, strict=True))
    other = ([renamed[name] for name in side] for side in sides)
    assert value(metric, *sides) == pytest.approx(value(metric, *other))


@METRICS
@settings(max_examples=25)
@given(class_pairs())
def test_empty_prediction_is_worst(metric, sides):
    real, predicted = [*sides[0], "-"], ["-"] * (len(sides[0]) + 1)
    if set(real) != {"-"}:
        assert value(metric, real, predicted, background="-") == (0.0 if metric.better == "higher" else 1.0)


@METRICS
@settings(max_examples=25)
@given(class_pairs())
def test_reversing_time_changes_nothing(metric, sides):
    if metric.name.startswith("segmental") or metric.name == "class_event_fbeta" or metric.name == "class_error_rate":
        return  # not symmetric in time: ties go to the first segment, onsets and offsets have different collars
    assert value(metric, *sides) == pytest.approx(value(metric, *(side[::-1] for side in sides)))


def test_table_states_what_each_metric_needs():
    assert [name for name, metric in CLASS_METRICS.items() if metric.better == "lower"] == ["class_error_rate"]
    assert CLASS_METRICS["class_error_rate"].high == math.inf
    assert all(len(metric.summary) < 60 for metric in CLASS_METRICS.values())
    for metric in CLASS_METRICS.values():
        if metric.needs_points:
            assert metric.function({"a": [(0, 2)]}, {"a": [(0, 2)]}) == metric.function(["a", "a"], ["a", "a"])


def test_functions_are_exported_at_the_top_level():
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
