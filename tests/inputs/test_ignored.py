import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from naive import ignored as naive
from rangewise.cli import run
from rangewise.inputs.ignored import Clipping, without
from strategies import range_lists, side_pairs

interval_lists = st.lists(st.tuples(st.integers(0, 70), st.integers(1, 20)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=5)


@given(ranges=range_lists(), intervals=interval_lists)
def test_removing_ignored_intervals_matches_naive(ranges, intervals):
    left, source, clipping = without(rw.Ranges(ranges), rw.Ranges.joined(intervals))
    expected, counts = naive.without(ranges, intervals)
    assert (list(left), clipping) == (expected, Clipping(*counts))
    assert all(ranges[row][0] <= start and stop <= ranges[row][1] for row, (start, stop) in zip(source, left, strict=True))


@given(sides=side_pairs(), intervals=interval_lists)
def test_a_score_ignores_intervals_on_both_sides(sides, intervals):
    real, predicted = sides
    score = rw.score(real, predicted, ignore=intervals, recall_bias="front", cardinality="reciprocal")
    (left_real, real_counts), (left_predicted, predicted_counts) = (naive.without(side, intervals) for side in sides)
    expected = rw.score(left_real, left_predicted, recall_bias="front", cardinality="reciprocal")
    assert (score.precision, score.recall, score.f) == (expected.precision, expected.recall, expected.f)
    assert score.ignored.real == Clipping(*real_counts)
    assert score.ignored.predicted == Clipping(*predicted_counts)
    assert rw.RangeModel().tally(real, predicted, ignore=intervals) == rw.RangeModel().tally(left_real, left_predicted)


@given(data=st.data(), intervals=interval_lists)
def test_a_curve_ignores_intervals(data, intervals):
    real = data.draw(range_lists(longest=40))
    scores = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, -np.inf, np.inf]), min_size=40, max_size=40)))
    model = rw.RangeModel(alpha=0.25, bias="back", cardinality="reciprocal")
    curve = model.curve(real, scores, ignore=intervals)
    counting = [row for row in range(40) if not any(start <= row < stop for start, stop in intervals)]
    assert curve.thresholds.tolist() == sorted(set(scores[counting].tolist()), reverse=True)
    for threshold, precision, recall in zip(curve.thresholds, curve.precision, curve.recall, strict=True):
        score = model.score(real, scores >= threshold, ignore=intervals)
        assert (precision, recall) == (pytest.approx(score.precision), pytest.approx(score.recall))
    one_by_one = model.curve(real, scores, ignore=intervals, thresholds=[0.5])
    assert one_by_one.recall[0] == curve.at(0.5).recall


def test_intervals_may_be_labels_or_times_and_are_reported():
    labels = np.zeros(20, dtype=int)
    labels[4:6] = 1
    score = rw.score([(0, 10)], [(4, 8)], ignore=labels)
    assert (score.recall, len(score.real)) == (0.25, 2)
    assert "1 split" in score.explain()
    real, alerts = [("2024-05-01T10:00", "2024-05-01T11:00")], [("2024-05-01T10:30", "2024-05-01T10:45")]
    timed = rw.score(real, alerts, ignore=[("2024-05-01T10:40", "2024-05-01T12:00"), ("1960-01-01", "2024-05-01T10:10")])
    assert timed.recall == pytest.approx(1 / 3)
    assert timed.ignored.to_dict()["real"] == {"shortened": 1, "removed": 0, "split": 0}


def test_rejects_intervals_in_another_unit_than_the_sides():
    times = [("2024-05-01T10:00", "2024-05-01T11:00")]
    with pytest.raises(ValueError, match="in rows, but the sides are in times"):
        rw.score(times, times, ignore=[(0, 4)])
    with pytest.raises(ValueError, match="in times, but the sides are in rows"):
        rw.score([(0, 4)], [(0, 4)], ignore=times)


def test_a_day_without_anything_may_have_ignored_times(tmp_path, capsys):
    """Two empty sides may be rows or times; they were taken for rows."""
    ignore = [("2024-05-01T10:00", "2024-05-01T11:00")]
    for options in ({}, {"step": "1min"}, {"resolution": "1s"}):
        score = rw.score([], [], ignore=ignore, zero_division=1.0, **options)
        assert (score.f, len(score.ignored.intervals)) == (1.0, 1)
    assert rw.score_many({"a": ([], [])}, ignore=ignore).pooled.f == 0.0
    assert rw.compare([], {"a": []}, metrics=["event_recall"], ignore=ignore).values == 0.0
    assert rw.report([], {"a": []}, ignore=ignore).to_dict()["detectors"][0]["alarms"] == 0
    assert len(rw.early.curve([], rw.ScoredRanges([]), ignore=ignore)) == 0
    (tmp_path / "none.csv").write_text("start,end\n")
    (tmp_path / "ignore.csv").write_text("start,end\n2024-05-01T10:00,2024-05-01T11:00\n")
    assert run(["score", str(tmp_path / "none.csv"), str(tmp_path / "none.csv"), "--ignore", str(tmp_path / "ignore.csv")]) == 0
    assert "ignored    1 interval" in capsys.readouterr().out
    # Labels and ranges of rows are rows.
    for sides in (([0, 0], [0, 0]), ([], [(1, 2)]), ([(1, 2)], [])):
        with pytest.raises(ValueError, match="ignore is in times, but the sides are in rows"):
            rw.score(*sides, ignore=ignore)
