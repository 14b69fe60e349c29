"""Ward's categories per class, and which errors are confusions with another class."""

import pytest
from hypothesis import given, settings

from naive import classes as naive
from rangewise.classes import class_event_analysis
from rangewise.metrics import event_analysis
from strategies import class_pairs, overlapping_classes

KINDS = (("deletion", "fragmenting", "underfill_start", "underfill_end"), ("insertion", "merge", "overfill_start", "overfill_end"))


@settings(max_examples=60)
@given(class_pairs())
def test_matches_naive(sides):
    left_out = ["-"] if "-" in {*sides[0], *sides[1]} else []
    _compare(class_event_analysis(*sides, background=left_out), *(naive.by_class(side, left_out) for side in sides))


@settings(max_examples=60)
@given(overlapping_classes())
def test_matches_naive_where_classes_overlap(sides):
    _compare(class_event_analysis(*sides), *sides)


def _compare(analysis, real, predicted):
    for name in analysis:
        assert analysis[name] == event_analysis(real.get(name, []), predicted.get(name, []))
        other = analysis.substituted[name]
        for kinds, own, others in zip(KINDS, (real, predicted), (predicted, real), strict=True):
            assert [getattr(other, kind) for kind in kinds] == naive.substituted(own, others, name)
            # A substitution is one of the class's own errors.
            assert all(getattr(other, kind) <= getattr(analysis[name].points, kind) for kind in kinds)


def test_without_background_every_error_is_a_substitution():
    analysis = class_event_analysis([*"aabbb"], [*"abbaa"])
    for name in "ab":
        points, other = analysis[name].points, analysis.substituted[name]
        assert (points.real - points.true_positive, points.returned - points.true_positive) == (other.real, other.returned)


def test_is_a_mapping_with_short_lines():
    analysis = class_event_analysis(["walking"] * 3 + ["running"], ["walking"] * 4)
    assert (list(analysis), len(analysis)) == (["running", "walking"], 2)
    assert repr(analysis) == "ClassEventAnalysis(running, walking)"
    assert all(len(line) <= 80 for line in str(analysis).splitlines())
    with pytest.raises(KeyError, match="there is no class 'x'"):
        analysis["x"]
