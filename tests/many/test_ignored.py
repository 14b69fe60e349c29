"""Ignored intervals in a table of many series: every kind of table matches ``ignore=`` of each series alone."""

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from rangewise.curve import make_curve
from rangewise.inputs.case import Case
from rangewise.inputs.ignored import Clipping
from strategies import series_tables

pytestmark = pytest.mark.kernel

COLUMNS = {"series": "name", "real": "real", "predicted": ["a", "b"]}
DAY = np.datetime64("2024-05-01T00:00", "ns")


@st.composite
def tables(draw):
    """Rows of a few series, each with its own times, a minute and sometimes several apart, and scores with ties."""
    table = draw(series_tables(least=1))
    size = len(table)
    steps = np.array(draw(st.lists(st.sampled_from([1, 1, 1, 4]), min_size=size, max_size=size)))
    minutes = np.zeros(size, dtype=int)
    for name in table["name"].unique():
        own = (table["name"] == name).to_numpy()
        minutes[own] = np.cumsum(steps[own])
    scores = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=size, max_size=size))
    return table.with_columns(score=pl.Series(scores), time=pl.Series(DAY + minutes * np.timedelta64(1, "m")))


pairs = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 15)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=4)
"""Intervals that overlap, touch, and lie outside."""


@st.composite
def ignored_intervals(draw, *, timed):
    """Intervals for all series or for some by name; times are in half minutes, so that some fall between two rows."""
    one = pairs.map(lambda drawn: [tuple(DAY + edge * np.timedelta64(30, "s") for edge in pair) for pair in drawn]) if timed else pairs
    return draw(one | st.dictionaries(st.sampled_from("abcd"), one, max_size=4))


def intervals_of(intervals, name):
    return intervals.get(name, []) if isinstance(intervals, dict) else intervals


def parts_of(table):
    """The columns of each series. It does not use polars, whose threads would take longer than the rest of these tests."""
    columns = {name: table[name].to_numpy() for name in table.columns}
    names = columns["name"].tolist()
    own = {name: np.array([other == name for other in names]) for name in names}
    return {name: {column: values[rows] for column, values in columns.items()} for name, rows in own.items()}


def of_existing_series(intervals, table):
    names = set(table["name"])
    return {name: own for name, own in intervals.items() if name in names} if isinstance(intervals, dict) else intervals


def cut(table, sizes):
    edges = np.minimum(np.cumsum([0, *sizes, len(table)]), len(table)).tolist()
    return [table[start:stop] for start, stop in pairwise(edges)]


def alone(table, model, column, ignored, *, timed):
    """Each series alone: the tallies, and the effect of the intervals on all series."""
    tallies, real, predicted = {}, Clipping(), Clipping()
    for name, part in parts_of(table).items():
        options = {"ignore": intervals_of(ignored, name), "times": part["time"] if timed else None}
        tallies[name] = model.tally(part["real"], part[column], **options)
        clipping = Case.read(part["real"], part[column], **options).clipping
        real, predicted = real + clipping.real, predicted + clipping.predicted
    return tallies, (real, predicted)


SIZES = st.lists(st.integers(1, 25), min_size=1, max_size=12)


@settings(max_examples=50)
@given(st.data(), tables(), st.booleans(), SIZES, st.sampled_from([rw.unfragmented, rw.late, rw.classical]))
def test_batches_match_each_series_alone(data, table, timed, sizes, model):
    ignored = of_existing_series(data.draw(ignored_intervals(timed=timed)), table)
    batched = data.draw(st.sampled_from([lambda: table, lambda: cut(table, sizes), lambda: table.to_pandas()]))()
    results = rw.score_many(batched, **COLUMNS, model=model, ignore=ignored, times="time" if timed else None)
    for column in ("a", "b"):
        tallies, clippings = alone(table, model, column, ignored, timed=timed)
        assert dict(zip(results[column].names, results[column].tallies, strict=True)) == tallies
        assert (results[column].ignored.real, results[column].ignored.predicted) == clippings


@settings(max_examples=30)
@given(st.data(), tables(), st.booleans(), SIZES)
def test_pooled_curve_matches_each_series_alone(data, table, timed, sizes):
    ignored = of_existing_series(data.draw(ignored_intervals(timed=timed)), table)
    model = data.draw(
        st.sampled_from([rw.RangeModel(alpha=0.25, bias="back", cardinality="reciprocal"), rw.RangeModel(bias=lambda at, _: at**2.0)])
    )
    columns, frame = {"series": "name", "real": "real", "scores": "score"}, data.draw(st.sampled_from([table, cut(table, sizes)]))
    gaps = data.draw(st.sampled_from([0, 0, 2]))
    curve = rw.pooled_curve(frame, model=model, **columns, ignore=ignored, times="time" if timed else None, close_gaps=gaps)
    cases, curves = {}, {}
    for name, part in parts_of(table).items():
        options = {"ignore": intervals_of(ignored, name), "times": part["time"] if timed else None, "close_gaps": gaps}
        cases[name] = Case.read(part["real"], scores=part["score"], **options)
        curves[name] = make_curve(model, cases[name], None)
    assert curve.thresholds.tolist() == sorted({value for one in curves.values() for value in one.thresholds.tolist()}, reverse=True)
    for at, threshold in enumerate([*curve.thresholds.tolist(), 0.3]):
        scored = curve.series_at(threshold)
        for row in scored.rows:
            score = model.tally(cases[row.series].at(threshold)).score()
            assert (row.precision, row.recall) == (score.precision, score.recall)
        if at < len(curve):
            assert (curve.precision[at], curve.recall[at]) == pytest.approx((scored.pooled.precision, scored.pooled.recall), abs=1e-12)
        assert scored.ignored.real == curve.ignored.real
        assert scored.ignored.predicted == sum((case.at(threshold).clipping.predicted for case in cases.values()), Clipping())


TABLE = pl.DataFrame(
    {"name": ["x"] * 6 + ["y"] * 6, "real": [1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0], "a": [0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1]}
).with_columns(b=pl.col("a"), score=pl.int_range(12), time=pl.lit(DAY) + pl.duration(minutes=pl.int_range(12)))


def test_reports_the_effect_of_ignored_intervals():
    scores = rw.score_many(TABLE, series="name", real="real", predicted="a", ignore=[(2, 3), (5, 9)])
    assert str(scores.ignored) == (
        "2 intervals in 2 series: of the real ranges 1 shortened, 0 removed, 1 split; of the predicted 1 shortened, 2 removed, 0 split"
    )
    assert scores.ignored.to_dict()["series"] == 2
    assert rw.score_many(TABLE, series="name", real="real", predicted="a").ignored is None


def test_accepts_intervals_as_tables_and_mappings():
    columns = {"series": "name", "real": "real", "predicted": "a"}
    expected = rw.score_many(TABLE, **columns, ignore={"x": [(0, 2)], "y": [(1, 3), (5, 6)]})
    interval_table = pl.DataFrame({"series": ["y", "x", "y"], "start": [5, 0, 1], "end": [6, 2, 3], "why": ["", "", ""]})
    for intervals in (interval_table, interval_table.to_pandas(), interval_table.to_arrow()):
        scores = rw.score_many(TABLE, **columns, ignore=intervals)
        assert (scores, scores.ignored) == (expected, expected.ignored)
    numbered = TABLE.with_columns(name=pl.col("name").replace_strict({"x": 1, "y": 2}))
    by_number = rw.score_many(numbered, **columns, ignore={1: [(0, 2)], "2": [(1, 3), (5, 6)]})
    assert by_number.tallies == expected.tallies
    sides = {name: (part["real"], part["a"]) for name, part in parts_of(TABLE).items()}
    mapped = rw.score_many(sides, ignore={"x": [(0, 2)], "y": [(1, 3), (5, 6)]})
    assert (mapped.tallies, mapped.ignored) == (expected.tallies, expected.ignored)
    timed = rw.score_many({"x": ([("2024-05-01", "2024-05-03")], [("2024-05-02", "2024-05-03")])}, ignore=[("2024-05-02", "2024-05-04")])
    assert (timed.pooled.recall, timed.ignored.predicted.removed) == (0.0, 1)


@pytest.mark.parametrize("intervals", [[], {}, {"x": []}, [(100, 200)]])
def test_intervals_without_rows_change_nothing(intervals):
    scores = rw.score_many(TABLE, **COLUMNS, ignore=intervals)["a"]
    assert scores == rw.score_many(TABLE, **COLUMNS)["a"]
    assert scores.ignored.real == Clipping()


def test_intervals_over_all_rows_leave_no_ranges():
    scores = rw.score_many(TABLE, **COLUMNS, ignore=[(0, 100)])["a"]
    assert scores.real_ranges.tolist() == scores.predicted_ranges.tolist() == [0, 0]
    assert scores.ignored.real == Clipping(removed=2)
    curve = rw.pooled_curve(TABLE, series="name", real="real", scores="score", ignore=[(0, 100)])
    assert len(curve) == 0
    assert curve.at(3).recall == 0.0


def test_accepts_times_of_every_type():
    intervals = [("2024-05-01T00:01", "2024-05-01T00:03"), ("2024-05-01T00:08", "2024-05-01T00:09")]
    expected = rw.score_many(TABLE, **COLUMNS, ignore={"x": [(1, 3)], "y": [(2, 3)]})["a"]
    with_time_zone = TABLE.with_columns(pl.col("time").dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin"))
    utc_intervals = [tuple(f"{time}+00:00" for time in pair) for pair in intervals]
    for table, ignore in [
        (TABLE, intervals),
        (TABLE.to_pandas(), intervals),
        (TABLE.to_arrow(), intervals),
        (TABLE.with_columns(pl.col("time").dt.to_string("%Y-%m-%dT%H:%M:%S")), intervals),
        (TABLE.with_columns(pl.col("time").dt.epoch("s")), intervals),
        (with_time_zone, utc_intervals),
        (with_time_zone.to_pandas(), utc_intervals),
        (TABLE, pd.IntervalIndex.from_tuples([tuple(map(pd.Timestamp, pair)) for pair in intervals], closed="left")),
    ]:
        assert rw.score_many(table, **COLUMNS, ignore=ignore, times="time")["a"] == expected


@pytest.mark.parametrize("timed", [False, True])
def test_folder_of_files_matches_a_table(tmp_path, timed):
    for number, part in enumerate(cut(TABLE, [2, 3, 3, 1])):
        part.write_parquet(tmp_path / f"part-{number}.parquet")
    intervals, times = ([("2024-05-01T00:01", "2024-05-01T00:03")], "time") if timed else ({"x": [(1, 3)]}, None)
    scores = rw.score_many(tmp_path, **COLUMNS, ignore=intervals, times=times)["a"]
    expected = rw.score_many(TABLE, **COLUMNS, ignore={"x": [(1, 3)]})["a"]
    assert (scores, scores.ignored.real) == (expected, expected.ignored.real)


TIMES = [("2024-05-01", "2024-05-02")]


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (TABLE, {"ignore": {"z": [(0, 1)]}}, "intervals of 'z', which is not one of the 2 series of the table, x, y"),
        (TABLE[:0], {"ignore": {"z": [(0, 1)]}}, "not one of the 0 series of the table, since it is empty"),
        (TABLE, {"ignore": {1: [(0, 1)], "1": [(0, 1)]}}, "the series 1 twice"),
        (TABLE, {"ignore": {"x": [(3, 1)]}}, "stops after it starts|stops"),
        (TABLE, {"ignore": TIMES}, "name the time column of the table"),
        (TABLE, {"ignore": TIMES, "times": "when"}, "no column 'when'"),
        (TABLE, {"ignore": [("2024-05-01T00:00Z", "2024-05-02T00:00Z")], "times": "time"}, "ignore has a time zone"),
        (TABLE, {"ignore": pl.DataFrame({"series": ["x"], "from": [1], "stop": [2]})}, "has start and stop"),
        (TABLE, {"ignore": pl.DataFrame({"series": ["x", None], "start": [1, 1], "stop": [2, 2]})}, "row 1 of the table has no series"),
    ],
)
def test_rejects_bad_input(frame, options, message):
    with pytest.raises(ValueError, match=message):
        rw.score_many(frame, **COLUMNS, **options)


def test_rejects_bad_input_to_mappings_and_curves():
    with pytest.raises(ValueError, match="about a column of a table"):
        rw.score_many({"x": ([1], [1])}, ignore=[(0, 1)], times="time")
    with pytest.raises(ValueError, match="series 'x': ignore is in times"):
        rw.score_many({"x": ([1], [1])}, ignore=TIMES)
    with pytest.raises(ValueError, match="give a table and its column"):
        rw.pooled_curve({"x": ([1], [0.5])}, ignore=TIMES)
    with pytest.raises(ValueError, match="series 'y': score 1 is nan"):
        rw.pooled_curve({"x": ([1], [0.5]), "y": ([0, 1], [0.1, np.nan])}, ignore=[(0, 1)])


def test_fully_ignored_series_add_nothing():
    scores = rw.score_many({"a": ([0, 1], [0, 1]), "b": ([0, 1], [1, 1])}, ignore={"a": [(0, 2)]})
    assert scores.pooled == rw.score([0, 1], [1, 1])
    assert scores.tallies[0] == rw.RangeModel().tally([], [])


@pytest.mark.parametrize("ignore", [[0, 0, 1], {"a": [0, 0, 1]}])
def test_labels_to_ignore_are_one_per_point(ignore):
    sides = {"a": ([0, 1, 1, 0], [0, 1, 0, 0])}
    table = pl.DataFrame({"name": ["a"] * 4, "real": [0, 1, 1, 0], "predicted": [0, 1, 0, 0]})
    columns = {"series": "name", "real": "real"}
    for score in (
        lambda: rw.score_many(sides, ignore=ignore),
        lambda: rw.pooled_curve(sides, ignore=ignore),
        lambda: rw.score_many(table, predicted="predicted", ignore=ignore, **columns),
        lambda: rw.score_many(table, predicted="predicted", ignore=ignore, metrics=["point_fbeta"], **columns),
        lambda: rw.pooled_curve(table, scores="predicted", ignore=ignore, **columns),
    ):
        with pytest.raises(ValueError, match=r"ignore has 3 labels, but .* has 4 points; give one label per point"):
            score()
    labels = [*ignore, 0] if isinstance(ignore, list) else {"a": [0, 0, 1, 0]}
    assert rw.score_many(sides, ignore=labels).pooled == rw.score_many(table, predicted="predicted", ignore=labels, **columns).pooled
