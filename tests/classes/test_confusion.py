"""The confusion of classes, compared with plain loops over points."""

import numpy as np
import pytest
from hypothesis import given, settings

import rangewise as rw
from naive import classes as naive
from strategies import bias_names, class_pairs, overlapping_classes


@settings(max_examples=60)
@given(class_pairs(), bias_names)
def test_matches_naive(sides, bias):
    left_out = ["-"] if "-" in {*sides[0], *sides[1]} else []
    scores = rw.score_classes(*sides, background=left_out, model=rw.RangeModel(bias=bias))
    _compare(scores, *(naive.by_class(side, left_out) for side in sides), bias)


@settings(max_examples=60)
@given(overlapping_classes(), bias_names)
def test_matches_naive_where_classes_overlap(sides, bias):
    _compare(rw.score_classes(*sides, model=rw.RangeModel(bias=bias)), *sides, bias)


def _compare(scores, real, predicted, bias):
    names = list(scores.classes)
    confusion = scores.confusion
    assert list(confusion.real) == [name for name in names if real.get(name)]
    expected = np.array(naive.shares(real, predicted, names, bias)).reshape(confusion.shares.shape)
    np.testing.assert_allclose(confusion.shares, expected, atol=1e-12)
    np.testing.assert_allclose(confusion.shares.sum(axis=1), 1.0, atol=1e-12)
    assert confusion.counts.tolist() == naive.counts(real, predicted, names)
    assert confusion.counts[:-1].sum(axis=1).tolist() == [len(real[name]) for name in confusion.real]
    # The diagonal is the share found, before cardinality and alpha apply.
    for row, name in enumerate(confusion.real):
        assert confusion.shares[row, names.index(name)] == pytest.approx(scores[name].real.size.mean())


def test_ties_go_to_the_own_class_then_to_the_first():
    confusion = rw.score_classes([*"bbbbcc"], [*"aabb--"], background="-").confusion
    assert confusion.counts.tolist() == [[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    confusion = rw.score_classes([*"cccc"], [*"bbaa"]).confusion
    assert confusion.counts.tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]


def test_correct_overlapping_classes_are_not_confused():
    real = {"dog": [(0, 10)], "car": [(0, 20)]}
    scores = rw.score_classes(real, {"car": [(0, 20)], "cat": [(6, 10)]})
    assert scores.confusion.shares.tolist() == [[1.0, 0.0, 0.0, 0.0], [0.0, pytest.approx(0.4), 0.0, pytest.approx(0.6)]]
    assert str(scores.real[0]) == "dog 1 [0, 10): 40 % taken for cat, 60 % missed: 0.00"
    assert str(scores.predicted[1]) == "cat 1 [6, 10): all is dog: 0.00"
    assert scores.confusion.counts.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_counts_divide_points_like_shares():
    """Four points are predicted as both b and c, three as d alone, which therefore has the largest share. Two points are found."""
    real = {"a": [(0, 9)]}
    confusion = rw.score_classes(real, {"a": [(7, 9)], "b": [(0, 4)], "c": [(0, 4)], "d": [(4, 7)]}).confusion
    assert confusion.shares[0].tolist() == pytest.approx([2 / 9, 2 / 9, 2 / 9, 3 / 9, 0.0])
    assert confusion.counts[0].tolist() == [0, 0, 0, 1, 0]
    # A class predicted in addition to the right one takes no share of the point.
    confusion = rw.score_classes(real, {"a": [(0, 4)], "b": [(0, 7)]}).confusion
    assert confusion.counts[0].tolist() == [1, 0, 0]


def test_text_and_dict():
    confusion = rw.score_classes([*"aabb--"], [*"abbb-a"], background="-").confusion
    assert str(confusion).splitlines() == [
        "real \\ predicted       a       b  missed",
        "a                 0.5000  0.5000  0.0000",
        "b                 0.0000  1.0000  0.0000",
        "",
        "real \\ predicted  a  b  missed",
        "a                 1  0       0",
        "b                 0  1       0",
        "background        1  0",
    ]
    exported = confusion.to_dict()
    assert (exported["rows"], exported["columns"]) == (["a", "b", "background"], ["a", "b", "missed"])
    assert repr(confusion) == "Confusion(2 real classes, 2 classes)"


def test_confusion_of_times():
    real = [("2024-05-01T00:00", "2024-05-01T00:10", "a")]
    predicted = [("2024-05-01T00:00", "2024-05-01T00:04", "a"), ("2024-05-01T00:04", "2024-05-01T00:07", "b")]
    assert rw.score_classes(real, predicted).confusion.shares[0].tolist() == pytest.approx([0.4, 0.3, 0.3])
