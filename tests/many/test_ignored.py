"""Zones in a table of many series: what ``ignore=`` of each series by itself gives, however the table comes."""

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
"""Zones that overlap, touch, and lie outside."""


@st.composite
def zones(draw, *, timed):
    """For every series, or for some of those that may be there; times in half minutes, so that some fall between two rows."""
    one = pairs.map(lambda given: [tuple(DAY + edge * np.timedelta64(30, "s") for edge in pair) for pair in given]) if timed else pairs
    return draw(one | st.dictionaries(st.sampled_from("abcd"), one, max_size=4))


def of(given_zones, name):
    return given_zones.get(name, []) if isinstance(given_zones, dict) else given_zones


def parts_of(table):
    """The columns of each series, without polars: its threads take longer than the rest of these tests."""
    columns = {name: table[name].to_numpy() for name in table.columns}
    names = columns["name"].tolist()
    own = {name: np.array([other == name for other in names]) for name in names}
    return {name: {column: values[rows] for column, values in columns.items()} for name, rows in own.items()}


def there(given_zones, table):
    names = set(table["name"])
    return {name: its for name, its in given_zones.items() if name in names} if isinstance(given_zones, dict) else given_zones


def cut(table, sizes):
    edges = np.minimum(np.cumsum([0, *sizes, len(table)]), len(table)).tolist()
    return [table[start:stop] for start, stop in pairwise(edges)]


def alone(table, model, column, ignored, *, timed):
    """Each series by itself: its tally, and what zones did to all of them."""
    tallies, real, predicted = {}, Clipping(), Clipping()
    for name, part in parts_of(table).items():
        how = {"ignore": of(ignored, name), "times": part["time"] if timed else None}
        tallies[name] = model.tally(part["real"], part[column], **how)
        clipping = Case.read(part["real"], part[column], **how).clipping
        real, predicted = real + clipping.real, predicted + clipping.predicted
    return tallies, (real, predicted)


SIZES = st.lists(st.integers(1, 25), min_size=1, max_size=12)


@settings(max_examples=50)
@given(st.data(), tables(), st.booleans(), SIZES, st.sampled_from([rw.unfragmented, rw.late, rw.classical]))
def test_any_batches_are_each_series_by_itself(data, table, timed, sizes, model):
    ignored = there(data.draw(zones(timed=timed)), table)
    batched = data.draw(st.sampled_from([lambda: table, lambda: cut(table, sizes), lambda: table.to_pandas()]))()
    found = rw.score_many(batched, **COLUMNS, model=model, ignore=ignored, times="time" if timed else None)
    for column in ("a", "b"):
        tallies, clippings = alone(table, model, column, ignored, timed=timed)
        assert dict(zip(found[column].names, found[column].tallies, strict=True)) == tallies
        assert (found[column].ignored.real, found[column].ignored.predicted) == clippings


@settings(max_examples=30)
@given(st.data(), tables(), st.booleans(), SIZES)
def test_one_threshold_for_all_series(data, table, timed, sizes):
    ignored = there(data.draw(zones(timed=timed)), table)
    model = data.draw(
        st.sampled_from([rw.RangeModel(alpha=0.25, bias="back", cardinality="reciprocal"), rw.RangeModel(bias=lambda at, _: at**2.0)])
    )
    columns, frame = {"series": "name", "real": "real", "scores": "score"}, data.draw(st.sampled_from([table, cut(table, sizes)]))
    gaps = data.draw(st.sampled_from([0, 0, 2]))
    curve = rw.pooled_curve(frame, model=model, **columns, ignore=ignored, times="time" if timed else None, close_gaps=gaps)
    cases, curves = {}, {}
    for name, part in parts_of(table).items():
        how = {"ignore": of(ignored, name), "times": part["time"] if timed else None, "close_gaps": gaps}
        cases[name] = Case.read(part["real"], scores=part["score"], **how)
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


def test_what_zones_did_is_told():
    found = rw.score_many(TABLE, series="name", real="real", predicted="a", ignore=[(2, 3), (5, 9)])
    assert str(found.ignored) == (
        "2 intervals in 2 series: of the real ranges 1 shortened, 0 removed, 1 split; of the predicted 1 shortened, 2 removed, 0 split"
    )
    assert found.ignored.to_dict()["series"] == 2
    assert rw.score_many(TABLE, series="name", real="real", predicted="a").ignored is None


def test_tables_and_mappings_name_the_series():
    columns = {"series": "name", "real": "real", "predicted": "a"}
    wanted = rw.score_many(TABLE, **columns, ignore={"x": [(0, 2)], "y": [(1, 3), (5, 6)]})
    zone_table = pl.DataFrame({"series": ["y", "x", "y"], "start": [5, 0, 1], "end": [6, 2, 3], "why": ["", "", ""]})
    for given_zones in (zone_table, zone_table.to_pandas(), zone_table.to_arrow()):
        found = rw.score_many(TABLE, **columns, ignore=given_zones)
        assert (found, found.ignored) == (wanted, wanted.ignored)
    numbered = TABLE.with_columns(name=pl.col("name").replace_strict({"x": 1, "y": 2}))
    by_number = rw.score_many(numbered, **columns, ignore={1: [(0, 2)], "2": [(1, 3), (5, 6)]})
    assert by_number.tallies == wanted.tallies
    sides = {name: (part["real"], part["a"]) for name, part in parts_of(TABLE).items()}
    mapped = rw.score_many(sides, ignore={"x": [(0, 2)], "y": [(1, 3), (5, 6)]})
    assert (mapped.tallies, mapped.ignored) == (wanted.tallies, wanted.ignored)
    timed = rw.score_many({"x": ([("2024-05-01", "2024-05-03")], [("2024-05-02", "2024-05-03")])}, ignore=[("2024-05-02", "2024-05-04")])
    assert (timed.pooled.recall, timed.ignored.predicted.removed) == (0.0, 1)


@pytest.mark.parametrize("nothing", [[], {}, {"x": []}, [(100, 200)]])
def test_zones_of_nothing(nothing):
    found = rw.score_many(TABLE, **COLUMNS, ignore=nothing)["a"]
    assert found == rw.score_many(TABLE, **COLUMNS)["a"]
    assert found.ignored.real == Clipping()


def test_zones_of_everything():
    found = rw.score_many(TABLE, **COLUMNS, ignore=[(0, 100)])["a"]
    assert found.real_ranges.tolist() == found.predicted_ranges.tolist() == [0, 0]
    assert found.ignored.real == Clipping(removed=2)
    curve = rw.pooled_curve(TABLE, series="name", real="real", scores="score", ignore=[(0, 100)])
    assert len(curve) == 0
    assert curve.at(3).recall == 0.0


def test_times_of_any_kind():
    zone = [("2024-05-01T00:01", "2024-05-01T00:03"), ("2024-05-01T00:08", "2024-05-01T00:09")]
    wanted = rw.score_many(TABLE, **COLUMNS, ignore={"x": [(1, 3)], "y": [(2, 3)]})["a"]
    zoned = TABLE.with_columns(pl.col("time").dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin"))
    with_zone = [tuple(f"{time}+00:00" for time in pair) for pair in zone]
    for table, given_zones in [
        (TABLE, zone),
        (TABLE.to_pandas(), zone),
        (TABLE.to_arrow(), zone),
        (TABLE.with_columns(pl.col("time").dt.to_string("%Y-%m-%dT%H:%M:%S")), zone),
        (TABLE.with_columns(pl.col("time").dt.epoch("s")), zone),
        (zoned, with_zone),
        (zoned.to_pandas(), with_zone),
        (TABLE, pd.IntervalIndex.from_tuples([tuple(map(pd.Timestamp, pair)) for pair in zone], closed="left")),
    ]:
        assert rw.score_many(table, **COLUMNS, ignore=given_zones, times="time")["a"] == wanted


@pytest.mark.parametrize("timed", [False, True])
def test_a_folder_of_files(tmp_path, timed):
    for number, part in enumerate(cut(TABLE, [2, 3, 3, 1])):
        part.write_parquet(tmp_path / f"part-{number}.parquet")
    zone, times = ([("2024-05-01T00:01", "2024-05-01T00:03")], "time") if timed else ({"x": [(1, 3)]}, None)
    found = rw.score_many(tmp_path, **COLUMNS, ignore=zone, times=times)["a"]
    wanted = rw.score_many(TABLE, **COLUMNS, ignore={"x": [(1, 3)]})["a"]
    assert (found, found.ignored.real) == (wanted, wanted.ignored.real)


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
def test_bad_input_is_told(frame, options, message):
    with pytest.raises(ValueError, match=message):
        rw.score_many(frame, **COLUMNS, **options)


def test_bad_input_to_mappings_and_curves_is_told():
    with pytest.raises(ValueError, match="about a column of a table"):
        rw.score_many({"x": ([1], [1])}, ignore=[(0, 1)], times="time")
    with pytest.raises(ValueError, match="series 'x': ignore is in times"):
        rw.score_many({"x": ([1], [1])}, ignore=TIMES)
    with pytest.raises(ValueError, match="give a table and its column"):
        rw.pooled_curve({"x": ([1], [0.5])}, ignore=TIMES)
    with pytest.raises(ValueError, match="series 'y': score 1 is nan"):
        rw.pooled_curve({"x": ([1], [0.5]), "y": ([0, 1], [0.1, np.nan])}, ignore=[(0, 1)])


def test_a_series_that_is_ignored_whole_adds_nothing():
    found = rw.score_many({"a": ([0, 1], [0, 1]), "b": ([0, 1], [1, 1])}, ignore={"a": [(0, 2)]})
    assert found.pooled == rw.score([0, 1], [1, 1])
    assert found.tallies[0] == rw.RangeModel().tally([], [])
