"""Protocols compared with naive loops, with counts of timescoring 0.0.7, and with an example by hand."""

import json
import math
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rangewise as rw
from naive import protocols as naive
from rangewise.events import PROTOCOLS, EventProtocol, average_by_subject, score_events

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "timescoring.json").read_text())
LENGTH = 60


@st.composite
def events(draw, length=LENGTH):
    """Sorted, disjoint, half-open pairs of whole numbers; some touch."""
    borders = sorted(draw(st.lists(st.integers(0, length), max_size=12)))
    return [(start, stop) for start, stop in zip(borders[::2], borders[1::2], strict=False) if stop > start]


settings = st.fixed_dictionaries(
    {
        "join": st.integers(0, 8),
        "split": st.none() | st.integers(1, 12),
        "tolerance": st.tuples(st.integers(0, 6), st.integers(0, 6)),
        "min_overlap": st.sampled_from([0.0, 0.25, 0.5, 0.9]),
    }
)


@given(events(), events(), settings)
def test_szcore_matches_naive(real, predicted, chosen):
    score = score_events(real, predicted, protocol="szcore", span=(0, LENGTH), **chosen)
    expected = naive.szcore(
        real, predicted, gap=chosen["join"], longest=chosen["split"], before=chosen["tolerance"][0], after=chosen["tolerance"][1],
        least=chosen["min_overlap"], length=LENGTH,
    )  # fmt: skip
    assert (score.true_positives, score.false_positives, score.counts.references) == expected
    assert score.samples.values[:3] == naive.samples(real, predicted)
    assert (sum(row.counts for row in score.real), len(score.predicted) - sum(row.counts for row in score.predicted)) == expected[:2]


def points_of(pairs):
    return {point for start, stop in pairs for point in range(start, stop)}


interval_lists = st.lists(st.tuples(st.integers(0, LENGTH + 5), st.integers(1, 25)).map(lambda each: (each[0], sum(each))), max_size=4)


@given(events(), events(), settings, interval_lists)
def test_ignored_time_does_not_count(real, predicted, chosen, ignore):
    """Intervals may overlap, touch, and extend beyond the recording."""
    score = score_events(real, predicted, protocol="szcore", span=(0, LENGTH), ignore=ignore, **chosen)
    ignored = points_of(ignore) & set(range(LENGTH))
    expected = naive.szcore(
        real, predicted, gap=chosen["join"], longest=chosen["split"], before=chosen["tolerance"][0], after=chosen["tolerance"][1],
        least=chosen["min_overlap"], length=LENGTH, ignored=ignored,
    )  # fmt: skip
    assert (score.true_positives, score.false_positives, score.counts.references) == expected
    assert score.samples.values == (*naive.samples(real, predicted, ignored), LENGTH - len(ignored))
    assert score.counts.seconds == score.ignored.seconds * -1 + LENGTH
    assert all(not points_of([(int(row.start), int(row.stop))]) & ignored for row in (*score.real, *score.predicted))
    assert all(0.0 <= row.credit <= 1.0 for row in score.real)
    if len(ignored) < LENGTH:
        assert score.false_alarms_per_day == score.false_positives / ((LENGTH - len(ignored)) / 86_400)
    else:
        assert math.isnan(score.false_alarms_per_day)
    if not ignore:
        plain = score_events(real, predicted, protocol="szcore", span=(0, LENGTH), **chosen)
        assert (plain.counts, plain.samples, plain.ignored) == (score.counts, score.samples, None)


@given(events(), events(), interval_lists)
def test_taes_with_ignored_time_matches_naive(real, predicted, ignore):
    score = score_events(real, predicted, protocol="taes", ignore=ignore)
    ignored = points_of(ignore)
    hits, alarms = naive.taes(naive.left(real, ignored), naive.left(predicted, ignored))
    assert (score.true_positives, score.false_positives) == (pytest.approx(hits), pytest.approx(alarms))


def test_reports_ignored_intervals():
    real, predicted = [(100, 200), (500, 600)], [(150, 160), (550, 560), (1000, 1010)]
    score = score_events(real, predicted, span=(0, 3600), ignore=[(140, 170), (990, 1100), (540, 600), (3500, 4000)], join=0)
    text = "ignored  4 intervals of 5 min; real events: 1 shortened, 0 removed, 1 split; predicted: 0 shortened, 3 removed, 0 split"
    assert str(score).splitlines()[2] == text
    assert text in score.explain()
    assert score.to_dict()["ignored"]["real"] == {"shortened": 1, "removed": 0, "split": 1}
    both = score + score_events(real, predicted, span=(0, 3600), join=0)
    assert (both.ignored.intervals, both.counts.seconds) == (4, 6900.0)
    assert average_by_subject({"a": [score, score]}).to_dict()["ignored"]["intervals"] == 8
    dated = [("2024-01-01T00:01", "2024-01-01T00:02")]
    dated_score = score_events(dated, [], span=("2024-01-01", "2024-01-02"), ignore=[("2024-01-01T00:00", "2024-01-01T12:00")])
    assert (dated_score.counts.references, dated_score.counts.seconds) == (0, 43_200)


@given(events(), events())
@example([(0, 10), (12, 20)], [(2, 4), (8, 14), (15, 18)])  # the prediction that overlaps both events is not the first one of its event
@example([(0, 10), (12, 20)], [(8, 14), (15, 18)])
def test_taes_matches_naive(real, predicted):
    score = score_events(real, predicted, protocol="taes", span=(0, LENGTH))
    hits, alarms = naive.taes(real, predicted)
    assert score.true_positives == pytest.approx(hits)
    assert score.false_positives == pytest.approx(alarms)


@given(events(), events())
def test_any_overlap_needs_no_span(real, predicted):
    score = score_events(real, predicted, protocol="ovlp")
    expected = naive.szcore(real, predicted, gap=0, longest=None, before=0, after=0, least=0, length=LENGTH)
    assert (score.true_positives, score.false_positives, score.counts.references) == expected
    assert math.isnan(score.false_alarms_per_day)


def test_grid_matches_timescoring():
    for case in GOLDEN["cases"]:
        score = score_events(
            case["real"], case["predicted"], protocol="szcore", span=(0, case["duration"]), grid="10Hz", **case["settings"]
        )
        assert [score.true_positives, score.false_positives, score.counts.references] == case["events"], case
        assert list(score.samples.values[:3]) == case["samples"], case


def test_example_by_hand():
    # The second reference is missed; the last prediction is 61 s after the first reference, one second too late.
    score = score_events([(100, 150), (1000, 1100)], [(60, 75), (211, 215)], protocol="szcore", span=(0, 86_400), join=0)
    assert (score.true_positives, score.false_positives, score.false_negatives) == (1, 1, 1)
    assert (score.sensitivity, score.precision, score.f1, score.false_alarms_per_day) == (0.5, 0.5, 0.5, 1.0)
    assert score.explain().splitlines()[5:] == [
        "real       2 events",
        "  R1 01:40 to 02:30 (50 s): detected, 3.6 % of it and its tolerance predicted",
        "  R2 16:40 to 18:20 (1 min 40 s): missed",
        "",
        "predicted  2 events",
        "  P1 01:00 to 01:15 (15 s): at a detected event",
        "  P2 03:31 to 03:35 (4 s): false alarm",
    ]


def test_a_long_prediction_is_split_and_counts_several_times():
    score = score_events([(0, 60)], [(0, 1000)], protocol="szcore", span=(0, 3600))
    assert [(row.start, row.stop) for row in score.predicted] == [(0, 300), (300, 600), (600, 900), (900, 1000)]
    assert score.false_positives == 3


def test_no_events_give_nan():
    score = score_events([], [], span=(0, 3600))
    assert all(math.isnan(value) for value in (score.sensitivity, score.precision, score.f1))
    assert (score.false_alarms_per_day, score.to_dict()["events"]["f1"]) == (0.0, None)


@pytest.mark.parametrize(
    ("real", "predicted", "span"),
    [
        ([(10.0, 20.0)], [(12.0, 15.0)], (0, 60)),
        ([(timedelta(seconds=10), timedelta(seconds=20))], [(12.0, 15.0)], (0.0, 60.0)),
        (pd.DataFrame({"onset": [10], "duration": [10]}), pd.DataFrame({"onset": [12], "duration": [3]}), (0, 60)),
        (
            [(datetime(2024, 1, 1, 0, 0, 10), datetime(2024, 1, 1, 0, 0, 20))],
            [("2024-01-01T00:00:12", "2024-01-01T00:00:15")],
            ("2024-01-01", "2024-01-01T00:01:00"),
        ),
        (rw.Ranges([(10.0, 20.0)]), rw.Ranges([(12, 15)]), (0, 60)),
        ([(10, 14), (12, 20)], [(12, 15)], (0, 60)),
    ],
)
def test_accepts_every_representation_of_events(real, predicted, span):
    score = score_events(real, predicted, span=span)
    assert (score.f1, score.samples.values) == (1.0, (3.0, 0.0, 10.0, 60.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: score_events([(0, 5)], [(0, 5)], protocol="szcor"), "did you mean 'szcore'"),
        (lambda: score_events([(0, 5)], [(0, 5)], tolerence=3), "did you mean 'tolerance'"),
        (lambda: score_events([(0, 5)], [(0, 5)], tolerance=3), r"tolerance must be \(before, after\)"),
        (lambda: score_events([(0, 5)], [(0, 5)], min_overlap=1), "from 0 to below 1"),
        (lambda: score_events([(0, 5)], [(0, 5)], join=-1), "join must be a duration of 0 or more"),
        (lambda: score_events([(0, 5)], [(0, 5)], split=0), "above 0"),
        (lambda: score_events([(0, 5)], [(0, 5)], protocol="taes", tolerance=(1, 1)), "TAES"),
        (lambda: score_events([(0, 5)], [(0, 5)], grid="10Hz"), "needs the start and end"),
        (lambda: score_events([(0, 5)], [(0, 5)], grid="fast", span=(0, 9)), "a sampling rate such as '10Hz'"),
        (lambda: score_events([(0, 5)], [(0, 5)], grid="10Hz", span=(0, 9), ignore=[(1, 2)]), "timescoring, which cannot ignore intervals"),
        (lambda: score_events([(0, 5)], [(0, 5)], span=(0, 9), ignore=[0, 1, 1]), "ignore is .*not labels"),
        (
            lambda: score_events([(0, 5)], [(50, 55)], span=(0, 10)),
            "event 0, 50 s to 55 s, lies outside the recording, 0 s to 10 s",
        ),
        (lambda: score_events([0, 1, 1], [(50, 55)]), "not labels"),
        (
            lambda: score_events([(0, 5)], [], span=(0, "1h")),
            "last is '1h' beside a number of seconds; give two numbers",
        ),
        (lambda: score_events([("2024-01-01", "2024-01-02")], [(50, 55)]), "has dates, but"),
        (lambda: score_events([(5, 1)], []), "real: range 0"),
        (lambda: average_by_subject({}), "no subjects"),
        (lambda: average_by_subject({"a": []}), "subject a has no recordings"),
        (lambda: score_events([(0, 5)], [], protocol="ovlp") + score_events([(0, 5)], []), "different protocols"),
    ],
)
def test_rejects_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_subjects_are_averaged_and_pooled():
    one, other = (score_events([(0, 60)], predicted, span=(0, 43_200)) for predicted in ([(0, 60)], [(9000, 9100)]))
    scores = average_by_subject({"sub-01": [one, one, other], "sub-02": other})
    assert scores.subjects["sub-01"].sensitivity == pytest.approx(2 / 3)
    assert scores.mean("sensitivity") == pytest.approx(1 / 3)
    assert scores.standard_deviation("sensitivity") == pytest.approx(1 / 3)
    assert (scores.pooled.sensitivity, scores.pooled.false_alarms_per_day) == (0.5, 1.0)
    assert "2 subjects" in str(scores)
    assert scores.to_dict()["events"]["sensitivity"]["mean"] == pytest.approx(1 / 3)


def test_protocols_are_values():
    assert PROTOCOLS["szcore"] == EventProtocol(join="90s", split="5min", tolerance=("30s", "1min"))
    assert str(PROTOCOLS["szcore"]) == (
        "join events less than 1 min 30 s apart, split them after 5 min, tolerance 30 s before and 1 min after, any overlap detects"
    )
