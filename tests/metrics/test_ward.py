from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import ward as naive_ward
from rangewise.metrics import event_analysis, ward_precision, ward_recall
from strategies import side_pairs

MIRRORED = {
    "correct": "correct",
    "insertion": "deletion",
    "fragmenting": "merged",
    "merging": "fragmented",
    "fragmenting and merging": "fragmented and merged",
}


@settings(max_examples=100)
@given(side_pairs())
def test_matches_naive(sides):
    real, predicted = sides
    analysis = event_analysis(real, predicted)
    real_events, returned_events = naive_ward.events(real, predicted)
    assert list(analysis.real_events) == real_events
    assert list(analysis.returned_events) == returned_events
    missed, excess = naive_ward.uncovered(real, predicted), naive_ward.uncovered(predicted, real)
    for i, segments in enumerate((analysis.segments, analysis.points)):
        assert (segments.deletion, segments.fragmenting) == (missed["none"][i], missed["between"][i])
        assert (segments.underfill_start, segments.underfill_end) == (missed["start"][i], missed["end"][i])
        assert (segments.insertion, segments.merge) == (excess["none"][i], excess["between"][i])
        assert (segments.overfill_start, segments.overfill_end) == (excess["start"][i], excess["end"][i])
    assert analysis.segments.true_positive == sum(naive_ward.meet(a, b) for a in real for b in predicted)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=80))
def test_points_follow_the_papers_rule_of_adjacent_segments(pairs):
    real, predicted = [a for a, _ in pairs], [b for _, b in pairs]
    assert asdict(event_analysis(real, predicted).points) == naive_ward.adjacent(real, predicted)


@settings(max_examples=100)
@given(side_pairs())
def test_counts_add_up(sides):
    real, predicted = map(rw.Ranges, sides)
    analysis = event_analysis(real, predicted)
    assert sum(analysis.real_counts.values()) == len(real)
    assert sum(analysis.returned_counts.values()) == len(predicted)
    assert analysis.real_counts["correct"] == analysis.returned_counts["correct"]
    assert (analysis.points.real, analysis.points.returned) == (real.lengths.sum(), predicted.lengths.sum())
    correct = analysis.real_counts["correct"]
    assert ward_recall(real, predicted) == (correct / len(real) if len(real) else 0.0)
    assert ward_precision(real, predicted) == (correct / len(predicted) if len(predicted) else 0.0)


@settings(max_examples=100)
@given(side_pairs())
def test_swapping_sides_mirrors_the_categories(sides):
    analysis, mirrored = event_analysis(*sides), event_analysis(*reversed(sides))
    assert tuple(MIRRORED[category] for category in analysis.returned_events) == mirrored.real_events


def test_every_category_by_hand():
    real = [(0, 10), (20, 30), (34, 40), (50, 60), (70, 90), (92, 95)]
    returned = [(2, 4), (6, 12), (18, 36), (65, 67), (70, 74), (80, 93)]
    analysis = event_analysis(real, returned)
    assert analysis.real_events == ("fragmented", "merged", "merged", "deletion", "fragmented and merged", "merged")
    assert analysis.returned_events == ("fragmenting", "fragmenting", "merging", "insertion", "fragmenting", "fragmenting and merging")
    assert asdict(analysis.points) == {
        "true_positive": 2 + 4 + 10 + 2 + 4 + 10 + 1,
        "deletion": 10,
        "fragmenting": 2 + 6,
        "underfill_start": 2,
        "underfill_end": 4 + 2,
        "insertion": 2,
        "merge": 4 + 2,
        "overfill_start": 2,
        "overfill_end": 2,
    }


def test_diagram(tmp_path):
    axes = event_analysis([(0, 10), (20, 30), (34, 40), (50, 60)], [(2, 4), (6, 12), (22, 40), (52, 58), (70, 71)]).plot().axes[0]
    texts = [text.get_text() for text in axes.texts]
    assert {"real events: 4", "returned events: 5", "C\n1", "I'\n1", "F'\n2", "M\n2"} <= set(texts)
    assert sum(bar.get_width() for bar in axes.patches) == 4 + 5 - 1
    axes.figure.savefig(tmp_path / "diagram.png")
    assert (tmp_path / "diagram.png").stat().st_size > 1000


def test_diagram_of_nothing():
    assert [text.get_text() for text in event_analysis([], []).plot().axes[0].texts] == ["no events"]


def test_missing_matplotlib_names_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r"rangewise\[plots\]"):
        event_analysis([0, 1], [0, 1]).plot()


@pytest.mark.parametrize("as_dates", [False, True])
def test_events_in_times_are_in_seconds(as_dates):
    """The same segments as with one row per quarter of a second."""
    real, predicted = [(2, 41), (80, 120)], [(4, 10), (16, 36), (78, 96), (100, 124), (200, 201)]
    start = np.datetime64("2024-05-01T10:00", "ns")

    def moved(pairs):
        seconds = [(first / 4, last / 4) for first, last in pairs]
        return [tuple(start + np.timedelta64(int(1e9 * end), "ns") for end in pair) for pair in seconds] if as_dates else seconds

    in_rows, in_times = event_analysis(real, predicted), event_analysis(moved(real), moved(predicted))
    assert (in_rows.unit, in_times.unit) == ("points", "seconds")
    assert in_times.segments == in_rows.segments
    assert asdict(in_times.points) == {name: count / 4 for name, count in asdict(in_rows.points).items()}
    assert event_analysis(moved(real), moved(predicted), resolution="250ms") == in_times
    lines = [line.split() for line in str(in_times).splitlines()]
    assert ["real", "seconds", "segments", "seconds", "returned", "seconds", "segments", "seconds"] in lines
    assert lines[-1] == ["total", "8", "19.75", "total", "7", "17.25"]
    rows = event_analysis(moved(real), moved(predicted), step="250ms", span=moved([(0, 204)])[0])
    assert (rows.unit, rows.points) == ("points", in_rows.points)
