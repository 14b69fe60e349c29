"""Segments of actions, compared with MS-TCN's own program and with plain loops."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden import vectors
from naive import classes as naive
from rangewise.classes import SegmentCounts, edit_score, frame_accuracy, segment_counts, segmental_f1
from strategies import class_pairs


def points(runs):
    return [name for name, count in runs for _ in range(count)]


def test_matches_ms_tcn():
    for case in vectors("segmental"):
        sides = points(case["real_rle"]), points(case["predicted_rle"])
        assert edit_score(*sides, background=case["background"]) == pytest.approx(case["out"]["edit"] / 100, abs=1e-9)
        assert frame_accuracy(*sides) == pytest.approx(case["out"]["accuracy"], abs=1e-9)
        for percent in (10, 25, 50):
            right, wrong, missed = case["out"][f"f_{percent}"]
            counts = segment_counts(*sides, overlap=percent / 100, background=case["background"])
            assert (counts.right, counts.wrong, counts.missed) == (right, wrong, missed)
            assert segmental_f1(*sides, overlap=percent / 100, background=case["background"]) == pytest.approx(
                2 * right / (2 * right + wrong + missed), abs=1e-9
            )


@settings(max_examples=60)
@given(class_pairs(), st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0]))
def test_matches_naive(sides, overlap):
    counts = segment_counts(*sides, overlap=overlap, background="-")
    assert (counts.right, counts.wrong, counts.missed) == naive.segment_counts(*sides, overlap, "-")
    assert edit_score(*sides, background="-") == pytest.approx(naive.edit(*sides, "-"))


def test_equal_segments_around_background_stay_separate():
    assert segment_counts([*"aa-aa"], [*"aaaaa"], overlap=0.1, background="-") == SegmentCounts(1, 0, 1)
    assert edit_score([*"aa-aa"], [*"aaaaa"], background=["-"]) == 0.5


def test_segments_have_no_second_choice():
    # The second segment overlaps the first real one most, but that one is already matched.
    assert segment_counts([*"aaaaab"], [*"aabaab"], overlap=0.1) == SegmentCounts(2, 2, 0)


def test_first_of_two_equal_overlaps_counts():
    # The first predicted segment overlaps both real ones by a third. If it took the second one, none would be left for the next segment.
    assert segment_counts([*"aabaaaaaa"], [*"aaaaaabaa"], overlap=0.1) == SegmentCounts(2, 1, 1)


def test_two_empty_sides_are_perfect_but_one_is_not():
    assert segmental_f1([*"--"], [*"--"], background="-") == edit_score([*"--"], [*"--"], background="-") == 1.0
    assert segmental_f1([*"--"], [*"-a"], background="-") == edit_score([*"a-"], [*"--"], background="-") == 0.0
    assert segmental_f1([], []) == 1.0


def test_counts_add_up_over_series():
    parts = [segment_counts([*"aabb"], [*"abbb"], overlap=0.6), segment_counts([*"aa"], [*"aa"])]
    assert sum(parts) == SegmentCounts(2, 1, 1)
    with pytest.raises(TypeError):
        parts[0] + 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: segmental_f1(["a"], ["a", "b"]), ValueError, "real has 1 points and predicted has 2"),
        (lambda: segmental_f1(["a"], ["a"], overlap=0), ValueError, "overlap must be above 0"),
        (lambda: segmental_f1(["a"], ["a"], overlap=10), ValueError, r"overlap is a share .* in 0..1; got 10"),
        (lambda: edit_score({"a": [(0, 2)]}, ["a"]), ValueError, "real has a range of class 'a' that stops at 2; there are 1 points"),
        (lambda: edit_score(["a", None], ["a", "a"]), ValueError, "class 1 is missing"),
    ],
)
def test_rejects_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
