import pickle
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.inputs.clocks import Clock, ClockedRanges, RowClock
from rangewise.metrics import event_analysis
from strategies import OWN_BIASES, bias_pair, biases, cardinalities, cardinality_pair, side_pairs

SECOND = 10**9
EPOCHS = st.sampled_from([0, 1_714_557_720 * SECOND, -5 * SECOND, -(2**62), 2**62 - 70 * SECOND, 123_456_789_012_345_678])


def rows_as_times(origin, tick, pairs):
    """Convert rows to times; ``origin``, in nanoseconds, is the time of row 0."""
    return np.array([[origin + tick * end for end in pair] for pair in pairs], dtype=np.int64).reshape(-1, 2).astype("datetime64[ns]")


@given(sides=side_pairs(), origin=EPOCHS, recall=biases, precision=biases, cardinality=cardinalities, alpha=st.sampled_from([0.0, 0.3]))
def test_times_score_like_rows_of_one_tick(sides, origin, recall, precision, cardinality, alpha):
    model = rw.RangeModel(
        alpha=alpha, recall_bias=bias_pair(recall)[0], precision_bias=bias_pair(precision)[0], cardinality=cardinality_pair(cardinality)[0]
    )
    rows = model.score(*sides)
    for tick, options in ((1, {}), (SECOND, {"resolution": "1s"})):
        if origin % tick:
            continue
        timed = [rows_as_times(origin, tick, side) for side in sides]
        score = model.score(*timed, **options)
        assert (score.precision, score.recall, score.f) == (rows.precision, rows.recall, rows.f)
        assert score.real.reward.tolist() == rows.real.reward.tolist()
        assert score.predicted.overlaps.tolist() == rows.predicted.overlaps.tolist()
        assert model.tally(*timed, **options) == model.tally(*sides)


@given(sides=side_pairs(), origin=EPOCHS)
def test_the_flat_bias_needs_no_resolution(sides, origin):
    timed = [rows_as_times(origin, SECOND, side) for side in sides]
    for options in ({}, {"cardinality": "reciprocal", "alpha": 0.5}, {"as_points": "both"}):
        rows, score = rw.score(*sides, **options), rw.score(*timed, **options)
        assert (score.precision, score.recall) == (pytest.approx(rows.precision), pytest.approx(rows.recall))
    assert event_analysis(*timed).real_events == event_analysis(*sides).real_events


@given(sides=side_pairs(), step=st.sampled_from([1, 60, 3600]))
def test_times_against_rows_score_like_rows(sides, step):
    index = np.datetime64("2024-03-30T22:00", "ns") + np.arange(60) * np.timedelta64(step, "s")
    edges = np.append(index, index[-1] + np.timedelta64(step, "s"))
    real = [(edges[start], edges[stop]) for start, stop in sides[0]]
    labels = rw.Ranges(sides[1]).to_labels(60)
    expected = rw.score(sides[0], labels)
    score = rw.score(real, labels, times=index)
    assert (score.precision, score.recall) == (expected.precision, expected.recall)
    scores = np.linspace(0, 1, 60)
    assert rw.early.curve(real, scores, times=index).recall.tolist() == rw.early.curve(sides[0], scores).recall.tolist()


PAIRS = [("2024-05-01T10:02", "2024-05-01T10:47"), ("2024-05-02T08:00", "2024-05-02T08:30")]
STARTS, ENDS = (pd.to_datetime([pair[end] for pair in PAIRS]) for end in (0, 1))
FRAME = pd.DataFrame({"start": STARTS, "end": ENDS, "id": ["INC-1", "INC-2"]})
ZONED = FRAME.assign(start=STARTS.tz_localize("UTC").tz_convert("Europe/Berlin"), end=ENDS.tz_localize("UTC").tz_convert("Asia/Tokyo"))
EXPECTED = rw.Ranges(PAIRS)


@pytest.mark.parametrize(
    "value",
    [
        [tuple(map(datetime.fromisoformat, pair)) for pair in PAIRS],
        [tuple(map(np.datetime64, pair)) for pair in PAIRS],
        [tuple(map(pd.Timestamp, pair)) for pair in PAIRS],
        [
            tuple(datetime.fromisoformat(end).replace(tzinfo=UTC).astimezone(timezone(timedelta(hours=5.5))) for end in pair)
            for pair in PAIRS
        ],
        np.array(PAIRS, dtype="datetime64[s]"),
        np.array(PAIRS),
        PAIRS[::-1],
        FRAME,
        FRAME.rename(columns={"end": "stop"}),
        FRAME[["start", "end"]].rename(columns={"start": "von", "end": "bis"}),
        pl.from_pandas(FRAME),
        pl.from_pandas(FRAME).to_arrow(),
        ZONED,
        pl.from_pandas(ZONED),
        pa.Table.from_pandas(ZONED),
        pd.IntervalIndex.from_arrays(STARTS, ENDS),
        pd.IntervalIndex.from_arrays(STARTS, ENDS, closed="left"),
        FRAME.astype({"start": "datetime64[s]", "end": "datetime64[ms]"}),
        FRAME.astype({"start": object, "end": str}),
    ],
    ids=lambda value: type(value).__module__,
)
def test_accepts_every_representation_of_times(value):
    assert rw.Ranges(value) == EXPECTED
    assert rw.as_ranges(value) == EXPECTED


def test_days_leap_days_and_daylight_saving():
    day = rw.Ranges([(date(2024, 2, 28), date(2024, 3, 1))])
    assert day.durations[0] == np.timedelta64(2, "D")
    # This day has 23 hours in Berlin.
    spring = pd.DataFrame(
        {
            "start": pd.to_datetime(["2024-03-31"]).tz_localize("Europe/Berlin"),
            "end": pd.to_datetime(["2024-04-01"]).tz_localize("Europe/Berlin"),
        }
    )
    assert rw.Ranges(spring).durations[0] == np.timedelta64(23, "h")
    autumn = [("2024-10-27T02:30+02:00", "2024-10-27T02:30+01:00")]
    assert rw.Ranges(autumn).durations[0] == np.timedelta64(1, "h")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([(datetime(9999, 1, 1), datetime(9999, 1, 2))], "start of range 0 is 9999-01-01.*1678 to 2261"),
        (np.array([("2024-01-01", "9999-01-01")], dtype="datetime64[D]"), "stop of range 0 is 9999-01-01"),
        (pl.DataFrame({"start": [date(2024, 1, 1), date(1500, 1, 1)], "end": [date(2024, 1, 2)] * 2}), "start of range 1 is 1500"),
        ([("2024-01-01", None)], "has no end.*until"),
        ([(datetime(2024, 1, 1), pd.NaT)], "has no end"),
        ([(None, datetime(2024, 1, 1))], "no start|pairs"),
        ([("2024-01-01", "2024-01-01")], "is empty"),
        ([("2024-01-02", "2024-01-01")], "ends before it starts"),
        ([("2024-01-01", "2024-01-03"), ("2024-01-02", "2024-01-04")], "overlap.*joined"),
        ([("2024-01-01", "2024-01-03")] * 2, "overlap"),
        ([("2024-01-01", "2024-01-03T00:00+00:00")], "zone"),
        ([(datetime(2024, 1, 1), datetime(2024, 1, 2, tzinfo=UTC))], "zone"),
        ([("ten", "eleven")], "ISO 8601"),
        ([("1700-01-01", "2200-01-01")], "146 years"),
    ],
)
def test_rejects_invalid_ranges_of_times(value, message):
    with pytest.raises((ValueError, TypeError), match=message):
        rw.score(value, value)


def test_rejects_sides_with_and_without_a_time_zone():
    with pytest.raises(ValueError, match="zone"):
        rw.score(FRAME, ZONED)
    with pytest.raises(ValueError, match="zone"):
        rw.score(FRAME, [0, 1], times=ZONED["start"])
    assert "UTC" in repr(rw.Ranges(ZONED))


def test_rows_against_times_need_an_index():
    with pytest.raises(ValueError, match=r"real is in times, but predicted is in rows.*times="):
        rw.score(PAIRS, [0, 1, 0])
    with pytest.raises(ValueError, match="times="):
        rw.score([(0, 1)], PAIRS)
    with pytest.raises(ValueError, match="times="):
        rw.RangeModel().curve(PAIRS, [0.5, 1.0])
    assert rw.score(PAIRS, []).recall == 0.0
    assert rw.score([], PAIRS).precision == 0.0


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2024-05-01", periods=48, freq="1h"),
        pd.Series(pd.date_range("2024-05-01", periods=48, freq="1h")),
        pl.Series(pd.date_range("2024-05-01", periods=48, freq="1h").to_numpy()),
        pd.date_range("2024-05-01", periods=48, freq="1h").to_numpy().astype("datetime64[s]"),
        list(pd.date_range("2024-05-01", periods=48, freq="1h")),
        [str(each) for each in pd.date_range("2024-05-01", periods=48, freq="1h")],
        (pd.date_range("2024-05-01", periods=48, freq="1h").to_numpy().astype("datetime64[s]").astype(np.int64)),
        (pd.date_range("2024-05-01", periods=48, freq="1h").to_numpy().astype("datetime64[ms]").astype(np.int64)),
        (pd.date_range("2024-05-01", periods=48, freq="1h").to_numpy().astype("datetime64[ns]").astype(np.int64)),
    ],
)
def test_accepts_every_representation_of_an_index(index):
    labels = np.zeros(48, dtype=int)
    labels[10] = 1
    score = rw.score(PAIRS, labels, times=index)
    assert (score.recall, score.precision) == (0.5, 1.0)
    assert isinstance(score.clock, RowClock)
    assert "R1 2024-05-01 10:00 to 11:00 (1 h): all of it found" in score.explain()


def test_accepts_an_index_with_a_time_zone():
    index = pd.date_range("2024-05-01", periods=48, freq="1h", tz="UTC").tz_convert("America/New_York")
    labels = np.zeros(48, dtype=int)
    labels[10] = 1
    assert rw.score(ZONED, labels, times=index).recall == 0.5


def test_rejects_bad_indexes():
    labels = [0, 1]
    for index, message in (
        (["2024-05-01", "2024-04-01"], "goes back"),
        ([datetime(2024, 5, 1), None], "row 1.*missing"),
        (["2024-05-01T10:00"], "outside|2 labels and times has 1"),
        ([1, 2], "count rows"),
        (["2025-05-01", "2025-05-02"], "outside the time index"),
        ([0.5, 1.5], "real has dates, but times has seconds"),
        (np.array(["2024-05-01", "9999-05-01"], dtype="datetime64[D]"), "row 1.*1678"),
        (np.array([2**63, 2**63 + 10], dtype=np.uint64), "row 1.*1678"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            rw.score(PAIRS, labels, times=index)


def test_resolution_rounds_outwards_and_joins():
    pairs = [("2024-05-01T10:00:00.2", "2024-05-01T10:00:00.4"), ("2024-05-01T10:00:00.6", "2024-05-01T10:00:01.1")]
    score = rw.score(pairs, [], resolution="1s")
    assert score.real.start.tolist() == [np.datetime64("2024-05-01T10:00:00", "ns").astype(np.int64)]
    assert score.real.stop[0] == np.datetime64("2024-05-01T10:00:02")
    for bad in ("0s", "soon", None.__class__):
        with pytest.raises((ValueError, TypeError), match="resolution"):
            rw.score(pairs, pairs, resolution=bad)
    with pytest.raises(ValueError, match="these are rows"):
        rw.score([(0, 1)], [(0, 1)], resolution="1s")


def test_custom_biases_need_a_coarser_resolution():
    with pytest.raises(ValueError, match=r"100,000,000.*resolution='1s'"):
        rw.score(PAIRS, PAIRS, bias=OWN_BIASES["steep"])
    assert rw.score(PAIRS, PAIRS, bias=OWN_BIASES["steep"], resolution="1s").recall == 1.0


def test_explain_columns_and_rows_show_times():
    score = rw.score(FRAME, [("2024-05-01T10:09", "2024-05-01T10:31"), ("2024-05-03", "2024-05-04")])
    text = score.explain()
    assert "R1 INC-1 2024-05-01 10:02 to 10:47 (45 min): 49 % of it found, 7 min late: 0.49" in text
    assert "P2 2024-05-03 00:00 to 2024-05-04 00:00 (1 d): false alarm" in text
    assert "INC-2 2024-05-02 08:00 to 08:30 (30 min)" in score._repr_html_()
    columns = score.real.columns()
    assert columns["start"][0] == np.datetime64("2024-05-01T10:02")
    assert columns["delay"][0] == np.timedelta64(7, "m")
    assert np.isnat(columns["delay"][1])
    assert columns["covered"].tolist() == [22 * 60 * SECOND, 0]
    assert columns["name"].tolist() == ["INC-1", "INC-2"]
    row = score.real[-1]
    assert (row.name, row.start) == ("INC-2", np.datetime64("2024-05-02T08:00"))
    assert [row.name for row in score.real] == ["INC-1", "INC-2"]
    assert len(score.real[1:]) == 1


def test_ranges_of_times_are_values():
    ranges = rw.Ranges(FRAME)
    assert isinstance(ranges, ClockedRanges)
    assert isinstance(ranges.clock, Clock)
    assert pickle.loads(pickle.dumps(ranges)) == ranges
    assert len({ranges, rw.Ranges(PAIRS)}) == 1
    assert ranges != rw.Ranges([(0, 1)])
    assert ranges[1:].names == ("INC-2",)
    assert rw.Ranges(ranges) == ranges
    assert "..., 2024" in repr(rw.Ranges([(f"2024-01-{day:02}", f"2024-01-{day:02}T12") for day in range(1, 20)]))
    joined = rw.Ranges.joined([*PAIRS, ("2024-05-01T10:30", "2024-05-01T11:00")])
    assert joined.durations[0] == np.timedelta64(58, "m")
    assert list(rw.Ranges.joined([(4, 8), (0, 5), (8, 9)])) == [(0, 8), (8, 9)]


SECONDS = [(12.5, 30.0), (60.0, 75.25)]


@pytest.mark.parametrize(
    "value",
    [
        SECONDS,
        np.array(SECONDS),
        [(timedelta(seconds=start), timedelta(seconds=stop)) for start, stop in SECONDS],
        (np.array(SECONDS) * 1000).astype("timedelta64[ms]"),
        pd.DataFrame({"onset": [12.5, 60], "duration": [17.5, 15.25], "trial_type": "x"}),
        pd.DataFrame({"onset": [12.5, 60], "offset": [30, 75.25]}),
        pl.DataFrame({"start": [12.5, 60.0], "end": [30.0, 75.25]}),
        pd.DataFrame(pd.to_timedelta(np.array(SECONDS).ravel(), unit="s").to_numpy().reshape(2, 2), columns=["start", "stop"]),
        [(60, 75.25), (12.5, 30)],
    ],
)
def test_accepts_seconds_and_durations(value):
    ranges = rw.Ranges(value)
    assert ranges.start_times.tolist() == [12_500_000_000, 60_000_000_000]
    assert repr(ranges) == "Ranges([12.5 s to 30 s (17.5 s), 01:00 to 01:15.25 (15.2 s)])"
    assert rw.score(value, SECONDS).f == 1.0


def test_whole_numbers_in_onset_and_duration_columns_are_seconds():
    assert rw.Ranges(pd.DataFrame({"onset": [3], "duration": [2]})) == rw.Ranges([(3.0, 5.0)])
    assert rw.Ranges(pd.DataFrame({"start": [3], "stop": [5]})).clock is None


def test_seconds_work_with_rows_and_ignored_intervals():
    assert rw.score([(1.0, 3.0)], [0, 1, 1, 0, 0], times=[0.0, 1.0, 2.0, 3.0, 4.0]).f == 1.0
    assert rw.score([(1.0, 3.0)], [(1.5, 2.5)], ignore=[(0, 1.5), (2.5, 9)]).f == 1.0
    assert rw.RangeModel().curve([(1.0, 3.0)], [0.1, 0.9, 0.8, 0.2], times=np.arange(4.0)).average_precision == 1.0


@pytest.mark.parametrize(
    ("real", "predicted", "message"),
    [
        ([(1.0, 2.0)], [("2024-05-01", "2024-05-02")], "predicted has dates, but real has seconds"),
        ([(1.0, 2.0)], [(1, 2)], "write seconds as floats"),
        ([(1.0, float("nan"))], [], "range 0, which begins 1 s, has no end"),
        ([(65.0, 2.0)], [], "range 0 01:05 to 2 s ends before it starts"),
        ([(1.0, float("inf"))], [], "within a century"),
        ([(timedelta(1), "2024-05-01")], [], "real has dates, but real has seconds|a date, but others are durations"),
    ],
)
def test_rejects_bad_seconds(real, predicted, message):
    with pytest.raises(ValueError, match=message):
        rw.score(real, predicted)


NAMED = ClockedRanges.of(
    pd.DataFrame({"start": pd.date_range("2024-05-01", periods=5, freq="D"), "duration": 5 * [3600], "name": list("abcde")})
)


@given(st.slices(5))
def test_a_slice_keeps_each_name_with_its_range(chosen):
    selected = NAMED[chosen]
    rows = sorted(range(5)[chosen])
    assert list(selected) == [NAMED[row] for row in rows]
    assert selected.names == tuple("abcde"[row] for row in rows)


@pytest.mark.parametrize("as_table", [pd.DataFrame, pl.DataFrame, lambda columns: pa.table(columns)])
@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"start": [0, 10], "duration": [5, 2]}, rw.Ranges([(0, 5), (10, 12)])),
        ({"start": [0.5, 10.0], "duration": [5.0, 2.5]}, rw.Ranges([(0.5, 5.5), (10.0, 12.5)])),
        ({"onset": [1, 10], "duration": [5, 2]}, rw.Ranges([(1.0, 6.0), (10.0, 12.0)])),
        ({"start": [datetime(2024, 5, 1)], "duration": [timedelta(hours=1)]}, rw.Ranges([("2024-05-01", "2024-05-01T01:00")])),
        ({"start": [datetime(2024, 5, 1)], "duration": [90]}, rw.Ranges([("2024-05-01", "2024-05-01T00:01:30")])),
        ({"start": ["2024-05-01T00:00Z"], "duration": [1.5]}, rw.Ranges([("2024-05-01T00:00Z", "2024-05-01T00:00:01.5Z")])),
        ({"id": ["x"], "start": [3], "end": [7]}, rw.Ranges([(3, 7)])),
        ({"start": [3], "stop": [7], "duration": [4]}, rw.Ranges([(3, 7)])),
    ],
    ids=str,
)
def test_tables_may_give_durations(as_table, columns, expected):
    assert rw.Ranges(as_table(columns)) == expected
    assert rw.score(as_table(columns), expected).f == 1.0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"start": [0, 10], "length": [5, 2]}, "ranges: .* column 'length' looks like a length; name the columns start and duration"),
        ({"begin": [0.5], "duration_s": [5.0]}, "column 'duration_s' looks like a length"),
        ({"start": [datetime(2024, 5, 1)], "duration": [datetime(2024, 5, 1)]}, "column 'duration' has dates; a duration is a number"),
        ({"start": [10], "duration": [-2]}, r"range 0 is \[10, 8\)"),
        ({"start": [10.0], "duration": [-2.0]}, "range 0 10 s to 8 s ends before it starts"),
        ({"onset": [1.0, 2.0], "duration": [1.0, None]}, "range 1, which begins 2 s, has no end"),
    ],
    ids=str,
)
def test_rejects_bad_durations(columns, message):
    with pytest.raises((ValueError, TypeError), match=message):
        rw.Ranges(pd.DataFrame(columns))


def test_closed_gaps_keep_the_names():
    table = pd.DataFrame({"start": pd.to_datetime([0, 60, 600, 700], unit="s"), "end": pd.to_datetime([50, 90, 620, 705], unit="s")})
    named = table.assign(name=["a", "b", "c", ""])
    real = [(np.datetime64(0, "s"), np.datetime64(100, "s"))]
    found = rw.score(real, named, close_gaps="10s")
    assert [row.name for row in found.predicted] == ["a + b", "c", ""]
    assert [row.name for row in rw.score(real, named, close_gaps="2min").predicted] == ["a + b", "c"]
    assert [row.name for row in rw.score(real, table, close_gaps="10s").predicted] == [None] * 3


def test_points_of_nanoseconds_are_too_many_to_list():
    day = [(np.datetime64("2024-05-01"), np.datetime64("2024-05-02"))]
    score = rw.score(day, day, as_points="both")
    assert score.f == 1.0
    with pytest.raises(ValueError, match=r"times have a point for each tick of their clock, .* give a grid, e.g. step='1min'"):
        score.explain()
    assert len(rw.score(day, day, as_points="both", step="1min").real) == 1440
