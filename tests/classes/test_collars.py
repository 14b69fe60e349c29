"""Metrics of events within collars, and the matching they use."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import classes as naive
from rangewise.classes import EventCounts, class_error_rate, class_event_fbeta, event_counts
from rangewise.classes.matching import matching_size, matching_sizes

event_lists = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 4)), max_size=3)


@st.composite
def few_events(draw):
    """Two sides of few events, so that the naive version can try every choice."""
    sides = []
    for _ in range(2):
        side = {}
        for name in draw(st.sets(st.sampled_from("ab"), min_size=1)):
            at, ranges = 0, []
            for gap, length in draw(event_lists):
                ranges.append((at + gap, at + gap + length))
                at += gap + length
            side[name] = ranges
        sides.append(side)
    return sides


@settings(max_examples=60)
@given(few_events(), st.sampled_from([0, 1, 2.5, 6]), st.sampled_from([0, 1, 3]), st.sampled_from([0.0, 0.5, 2.0]))
def test_matches_naive(sides, onset, offset, share):
    counts = event_counts(*sides, onset_collar=onset, offset_collar=offset, offset_share=share)
    assert (counts.real, counts.predicted, counts.matched, counts.substituted) == naive.event_counts(*sides, onset, offset, share)
    assert counts.deleted >= 0
    assert counts.inserted >= 0


def test_matches_naive_where_alignments_compete():
    """Crowded events of three classes: pairs within a class compete with pairs across classes."""
    rng = random.Random(1)
    for _ in range(150):
        sides = [{name: crowded(rng) for name in "abc"} for _ in range(2)]
        onset = rng.choice([1, 2, 4])
        counts = event_counts(*sides, onset_collar=onset, offset_collar=3)
        assert (counts.real, counts.predicted, counts.matched, counts.substituted) == naive.event_counts(*sides, onset, 3, 0.5)


def crowded(rng):
    """At most two adjacent events."""
    cuts = sorted(rng.sample(range(10), 3))
    return [(cuts[0], cuts[1]), (cuts[1], cuts[2])][: rng.randint(0, 2)]


def test_substitutions_use_only_partners_that_are_left():
    """The dog is matched, so the car has no partner left: the cat begins too late for it."""
    real, predicted = {"dog": [(10, 20)], "car": [(8, 20)]}, {"dog": [(10, 20)], "cat": [(12, 20)]}
    assert event_counts(real, predicted, onset_collar=2) == EventCounts(real=2, predicted=2, matched=1, substituted=0)
    assert class_error_rate(real, predicted, onset_collar=2) == 1.0


@settings(max_examples=100)
@given(st.integers(0, 4), st.integers(0, 4), st.data())
def test_matching_prefers_pairs_of_the_first_kind(rows, columns, data):
    pairs = [(row, column) for row in range(rows) for column in range(columns)]
    kinds = {pair: data.draw(st.sampled_from([0, 1, 2])) for pair in pairs}
    first, second = ([[column for column in range(columns) if kinds[row, column] == kind] for row in range(rows)] for kind in (1, 2))
    best = (0, 0)
    for chosen in naive.alignments(range(rows), range(columns), lambda row, column: kinds[row, column] > 0):
        ones = sum(kinds[pair] == 1 for pair in chosen)
        best = max(best, (ones, len(chosen) - ones))
    assert matching_sizes(first, second, columns) == best


def test_many_events_of_two_classes_within_one_collar():
    """Any two events may be paired: 400 and 300 real ones of two classes, 350 and 350 predicted ones."""
    real = {"a": [(at, at + 1) for at in range(400)], "b": [(at, at + 1) for at in range(400, 700)]}
    predicted = {"a": [(at, at + 1) for at in range(350)], "b": [(at, at + 1) for at in range(350, 700)]}
    assert event_counts(real, predicted, onset_collar=1000) == EventCounts(real=700, predicted=700, matched=650, substituted=50)


@settings(max_examples=60)
@given(st.integers(0, 6), st.integers(0, 6), st.data())
def test_matching_has_the_maximum_size(rows, columns, data):
    pairs = [(row, column) for row in range(rows) for column in range(columns)]
    allowed = set(data.draw(st.lists(st.sampled_from(pairs), max_size=9))) if pairs else set()
    neighbors = [[column for column in range(columns) if (row, column) in allowed] for row in range(rows)]
    assert matching_size(neighbors, columns) == naive.most_pairs(lambda row, column: (row, column) in allowed, rows, columns)


def test_a_long_path_needs_no_recursion():
    # Each row accepts its own column or the next one. The last row accepts only the first column, so all others must move.
    count = 5_000
    assert matching_size([*([at, at + 1] for at in range(count)), [0]], count + 1) == count + 1


def test_large_random_matching_matches_augmenting_paths():
    rng = random.Random(0)
    neighbors = [[rng.randrange(200) for _ in range(rng.randrange(4))] for _ in range(200)]
    owner = {}

    def grow(row, seen):
        for other in neighbors[row]:
            if other not in seen:
                seen.add(other)
                if other not in owner or grow(owner[other], seen):
                    owner[other] = row
                    return True
        return False

    assert matching_size(neighbors, 200) == sum(grow(row, set()) for row in range(200))


def test_a_greedy_choice_would_lose_a_pair():
    # The first real event may be paired with either predicted event, the second one only with the first.
    real, predicted = {"a": [(9, 13), (13, 14)]}, {"a": [(10, 12), (12, 20)]}
    assert event_counts(real, predicted, onset_collar=3, offset_collar=2, offset_share=2.0).matched == 2


def test_a_pair_of_two_classes_is_one_substitution():
    counts = event_counts([(0, 10, "dog")], [(1, 10, "cat"), (50, 60, "dog")], onset_collar=2)
    assert counts == EventCounts(real=1, predicted=2, matched=0, substituted=1)
    assert (counts.deleted, counts.inserted, counts.error_rate) == (0, 1, 2.0)


def test_micro_pools_and_macro_averages():
    real = [(0, 10, "dog"), (20, 30, "dog"), (40, 50, "dog"), (60, 70, "cat")]
    predicted = real[:3]
    assert class_event_fbeta(real, predicted, onset_collar=0) == pytest.approx(6 / 7)
    assert class_event_fbeta(real, predicted, onset_collar=0, average="macro") == 0.5
    assert class_event_fbeta({}, {"a": [(0, 1)]}, onset_collar=0, average="macro", zero_division=1.0) == 1.0


def test_offsets_can_be_ignored():
    sides = [(0, 10, "dog")], [(0, 90, "dog")]
    assert class_event_fbeta(*sides, onset_collar=1) == 0.0
    assert class_event_fbeta(*sides, onset_collar=1, offset_collar=math.inf) == 1.0


def test_times_have_the_defaults_of_sed_eval():
    real = [("2024-05-01T00:00:01", "2024-05-01T00:00:03", "dog")]

    def at(onset, offset):
        return [(f"2024-05-01T00:00:0{onset}", f"2024-05-01T00:00:0{offset}", "dog")]

    assert class_event_fbeta(real, at("1.2", "4.0")) == 1.0  # the offset may differ by half of the two seconds
    assert class_event_fbeta(real, at("1.201", "3")) == 0.0
    assert class_event_fbeta(real, at("1.3", "3"), onset_collar="300ms") == 1.0
    assert class_event_fbeta(real, at("1.3", "3"), onset_collar=0.3) == 1.0  # seconds


def test_error_rate_without_real_events():
    assert class_error_rate({}, {}, onset_collar=0) == 0.0
    assert class_error_rate({}, {"a": [(0, 1)]}, onset_collar=0) == math.inf


def test_counts_add_up_over_series():
    assert sum([EventCounts(1, 2, 1, 0), EventCounts(3, 1, 0, 1)]) == EventCounts(4, 3, 1, 1)
    with pytest.raises(TypeError):
        EventCounts() + 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "onset_collar is missing: give the largest distance"),
        ({"onset_collar": -1}, ValueError, "onset_collar is how many points apart .* 0 or more; got -1"),
        ({"onset_collar": "200ms"}, TypeError, "a number of points unless the ranges are times"),
        ({"onset_collar": 1, "offset_share": -0.5}, ValueError, "offset_share is a share"),
        ({"onset_collar": 1, "average": "mean"}, ValueError, "average is one of micro, macro"),
        ({"onset_collar": 1, "beta": 0}, ValueError, "beta"),
        ({"onset_collar": 1, "background": "x"}, ValueError, "background 'x' is not one of the classes"),
    ],
)
def test_rejects_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        class_event_fbeta([*"aab"], [*"abb"], **options)
