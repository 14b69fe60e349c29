"""Average precision compared with naive loops, and the effect of duplicates."""

import math
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from naive import detections as naive
from rangewise.events import ACTIVITYNET_IOUS, THUMOS_IOUS, average_precision, mean_average_precision

pairs = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda each: (each[0], each[0] + each[1]))
scored = st.lists(
    st.tuples(pairs, st.integers(0, 5)).map(lambda each: (*each[0], each[1] / 4)), max_size=8, unique_by=lambda each: each[:2]
)


def random_segments(rng, count):
    segments = set()
    for _ in range(count):
        start = rng.randint(0, 30)
        segments.add((start, start + rng.randint(1, 12)))
    return sorted(segments)


def test_matches_naive_activitynet_on_5000_cases():
    rng = random.Random(31)
    for case in range(5000):
        videos = range(rng.randint(1, 3))
        real = {video: random_segments(rng, rng.randint(0, 4)) for video in videos}
        if not any(real.values()):
            continue
        predicted = {video: [(*segment, rng.randint(0, 6) / 4) for segment in random_segments(rng, rng.randint(0, 6))] for video in videos}
        threshold = rng.choice(ACTIVITYNET_IOUS + THUMOS_IOUS)
        listed = [(video, *each) for video in videos for each in predicted[video]]
        assert average_precision(real, predicted, iou=threshold) == pytest.approx(naive.activitynet(real, listed, threshold)), case


@given(
    st.lists(pairs, min_size=1, max_size=5, unique=True), scored, st.integers(0, 6), st.sampled_from([("both", (0, 1)), ("start", (0,))])
)
def test_tolerance_matches_naive(real, predicted, tolerance, ends):
    value = average_precision(real, predicted, tolerance=tolerance, ends=ends[0])
    assert value == pytest.approx(naive.within(real, predicted, tolerance, ends[1]))


@given(st.lists(pairs, min_size=1, max_size=5), scored, st.data())
def test_duplicates_never_raise_the_value(real, predicted, data):
    if not predicted:
        return
    at = data.draw(st.integers(0, len(predicted) - 1))
    copied, place = predicted[at], data.draw(st.integers(at + 1, len(predicted)))
    iou = data.draw(st.sampled_from(THUMOS_IOUS))
    more = [*predicted[:place], copied, *predicted[place:]]
    assert average_precision(real, more, iou=iou) <= average_precision(real, predicted, iou=iou) + 1e-12


def test_times_tables_and_scored_ranges():
    real = [(0.0, 10.0), (20.0, 30.0)]
    table = pd.DataFrame({"onset": [0, 21], "duration": [9, 9], "confidence": [0.9, 0.7]})
    assert average_precision(real, rw.ScoredRanges(table)) == average_precision(real, table) == 1.0
    assert average_precision(real, [(0.5, 9.0, 1.0)], tolerance="1s") == 0.5
    assert average_precision(real, [(0.5, 9.0, 1.0)], tolerance="900ms") == 0.0


def test_empty_sides():
    assert math.isnan(average_precision([], [(0, 5, 0.5)]))
    assert average_precision([(0, 5)], []) == 0.0


def test_mean_average_precision():
    real = {"a": {"v": [(0, 10)], "w": []}, "b": {"v": [(5, 9)], "w": [(0, 4)]}, "c": {"v": [], "w": []}}
    result = mean_average_precision(real, {"a": {"v": [(0, 10, 0.5)], "w": [(0, 3, 0.9)]}}, iou=(0.5, 0.75))
    assert result.classes["a"] == (0.5, 0.5)
    assert result.classes["b"] == (0.0, 0.0)
    assert math.isnan(result.by_class["c"])
    assert (result.mean, result.by_threshold) == (0.25, {0.5: 0.25, 0.75: 0.25})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_precision([(0, 5)], [(0, 5, 1)], iou=0), "above 0 and at most 1"),
        (lambda: average_precision([(0, 5)], [(0, 5, 1)], iou=0.5, tolerance=1), "give one of them"),
        (lambda: average_precision([(0, 5)], [(0, 5, 1)], ends="start"), "ends= is for tolerance="),
        (lambda: average_precision([(0, 5)], [(0, 5, 1)], tolerance=1, ends="begin"), "ends is one of"),
        (lambda: average_precision([(0, 5)], [(0, 5, 1)], tolerance=-1), "0 or more"),
        (lambda: average_precision([(0, 5)], [(0.5, 5, 1)]), "give both as times"),
        (lambda: average_precision([(0, 5)], [(0, 5)]), r"expected \(start, stop, confidence\)"),
        (lambda: average_precision({"v": [(0, 5)]}, [(0, 5, 1)]), "by recording"),
        (lambda: average_precision({"v": [(0, 5)]}, {"w": [(0, 5, 1)]}), "recording 'w', but real does not"),
        (lambda: mean_average_precision({"v": [(0, 5)]}, {"w": [(0, 5, 1)]}), "class 'w', but real does not"),
        (lambda: mean_average_precision([(0, 5)], [(0, 5, 1)]), "mappings by class"),
        (lambda: mean_average_precision({"v": [(0, 5)]}, {}, iou=(0.5,), tolerance=(1,)), "give one of them"),
        (lambda: mean_average_precision({"v": [(0, 5)]}, {}, iou=0.5), r"iou must be a list of thresholds, e.g. \[0.5\]"),
        (lambda: mean_average_precision({"v": [(0, 5)]}, {}, tolerance="2s"), "tolerance must be a list of thresholds, e.g. \\['2s'\\]"),
    ],
)
def test_rejects_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_ious_are_round_numbers():
    assert np.allclose(ACTIVITYNET_IOUS, np.linspace(0.5, 0.95, 10), atol=0)
