"""Series with times, closed gaps and ignored intervals: every kind of table matches each series alone."""

import pickle
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import tables as naive
from naive.gaps import closed_marks, marks_at
from rangewise.many.batches import Columns
from rangewise.many.ignored import IgnoredIntervals
from rangewise.many.segments import Segments, collect
from strategies import series_tables

COLUMNS = {"series": "name", "real": "real", "predicted": ["a", "b"]}
DAY = np.datetime64("2024-05-01T00:00", "ns")
HALF_MINUTE = np.timedelta64(30, "s")
MODEL = rw.RangeModel(cardinality="reciprocal", bias="front", alpha=0.2)

edges = st.tuples(st.integers(0, 80), st.sampled_from([1, 1, 1, 2, 5, 15]))
pairs = st.lists(edges.map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=8)
"""Intervals that overlap, touch, fall between two rows, and lie outside."""


@st.composite
def scenarios(draw):
    """Parts of a table with times in half minutes, shuffled within each part, and the options for scoring it."""
    table = draw(series_tables(least=1))
    size = len(table)
    repeated = draw(st.booleans())
    steps = np.array(draw(st.lists(st.sampled_from([0, 2, 8] if repeated else [2, 8]), min_size=size, max_size=size)))
    minutes = np.zeros(size, dtype=int)
    for name in table["name"].unique():
        own = (table["name"] == name).to_numpy()
        minutes[own] = np.cumsum(steps[own]) + draw(st.sampled_from([0, 20]))
    scores = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=size, max_size=size))
    table = table.with_columns(score=pl.Series(scores), half=pl.Series(minutes), time=pl.Series(DAY + minutes * HALF_MINUTE))
    sizes = draw(st.lists(st.integers(1, 25), max_size=6))
    cuts = sorted({0, *np.clip(np.cumsum(sizes), 0, size).tolist(), size})
    timed = draw(st.booleans())
    parts = []
    for start, stop in pairwise(cuts):
        order = draw(st.permutations(range(start, stop))) if timed else list(range(start, stop))
        parts.append(table[order])
    options = {"times": "time", "repeated_times": "keep" if repeated else "error"} if timed else {}
    by_name = st.dictionaries(st.sampled_from("abcd"), pairs, max_size=4)
    intervals = draw(st.none() | pairs | by_name)
    in_times = timed and draw(st.booleans())
    if isinstance(intervals, dict):
        intervals = {name: own_intervals for name, own_intervals in intervals.items() if name in set(table["name"])}
    return parts, options, intervals, in_times, draw(st.sampled_from([0, 0, 1, 3, 12]))


def as_argument(intervals, in_times):
    """The intervals as a user gives them. Those in times are in half minutes, so that some fall between two rows."""
    if intervals is None or not in_times:
        return intervals
    if isinstance(intervals, dict):
        return {name: as_argument(own, True) for name, own in intervals.items()}
    return [tuple(DAY + edge * HALF_MINUTE for edge in pair) for pair in intervals]


def ignored_of(intervals, name, times, in_times):
    own = (intervals.get(name, []) if isinstance(intervals, dict) else intervals) or []
    return naive.ignored_times(own, times) if in_times else naive.ignored_rows(own, len(times))


def alone(scenario, column):
    """Yield each series alone: its name, its real labels, its predicted labels or scores, and which of its rows are ignored."""
    parts, options, intervals, in_times, max_gap = scenario
    columns = {name: [value for part in parts for value in part[name].to_list()] for name in ("name", "half", "real", column)}
    for name, rows in naive.rows_of(columns["name"], columns["half"] if options else None).items():
        ignored = ignored_of(intervals, name, [columns["half"][row] for row in rows], in_times)
        values = [columns[column][row] for row in rows]
        yield name, [columns["real"][row] for row in rows], values if column == "score" else closed_marks(values, max_gap), ignored


def representations(parts, folder):
    """Yield the same rows as several kinds of tables."""
    yield parts
    yield iter(parts)
    yield [part.to_pandas() for part in parts]
    yield [batch for part in parts for batch in part.to_arrow().to_batches()]
    for number, part in enumerate(parts):
        part.write_parquet(folder / f"part-{number}.parquet")
    yield folder


@pytest.mark.kernel
@settings(max_examples=120, deadline=None)
@given(scenarios(), st.integers(1, 3))
def test_each_series_is_scored_as_a_whole(tmp_path_factory, scenario, threads):
    parts, options, intervals, in_times, max_gap = scenario
    arguments = {"model": MODEL, "close_gaps": max_gap, "ignore": as_argument(intervals, in_times), **options, "threads": threads}
    expected = {}
    for column in ("a", "b"):
        expected[column] = {
            name: MODEL.tally(naive.left(real, ignored), naive.left(predicted, ignored))
            for name, real, predicted, ignored in alone(scenario, column)
        }
    for frame in representations(parts, tmp_path_factory.mktemp("parts")):
        results = rw.score_many(frame, **COLUMNS, **arguments)
        for column in ("a", "b"):
            assert dict(zip(results[column].names, results[column].tallies, strict=True)) == expected[column]
            assert list(results[column].names) == list(expected[column])


@pytest.mark.kernel
@settings(max_examples=60, deadline=None)
@given(scenarios())
def test_pooled_curve_matches_naive(tmp_path_factory, scenario):
    parts, options, intervals, in_times, max_gap = scenario
    arguments = {"model": MODEL, "close_gaps": max_gap, "ignore": as_argument(intervals, in_times), **options}
    series = list(alone(scenario, "score"))
    thresholds = set()
    for _, _, scores, ignored in series:
        # The score of a row with closed gaps is the largest threshold at which the row is predicted.
        predicted = {threshold: marks_at(scores, threshold, max_gap) for threshold in scores}
        thresholds |= {max(at for at in predicted if predicted[at][row]) for row, out in enumerate(ignored) if not out}
    for frame in representations(parts, tmp_path_factory.mktemp("parts")):
        curve = rw.pooled_curve(frame, series="name", real="real", scores="score", **arguments)
        assert curve.thresholds.tolist() == sorted(thresholds, reverse=True)
        for threshold in [*curve.thresholds.tolist(), 0.3]:
            tallies, points, alerts = [], 0, 0
            for _, real, scores, ignored in series:
                predicted = naive.left(marks_at(scores, threshold, max_gap), ignored)
                tallies.append(MODEL.tally(naive.left(real, ignored), predicted))
                points, alerts = points + ignored.count(False), alerts + sum(predicted)
            assert list(curve.series_at(threshold).tallies) == tallies
            assert curve.at(threshold) == sum(tallies).score()
            assert curve.at(threshold).alert_rate == (alerts / points if points else None)


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.randoms(use_true_random=False))
def test_parts_join_in_any_grouping(scenario, random):
    parts, options, intervals, in_times, max_gap = scenario
    ignored = None if intervals is None else IgnoredIntervals.read(as_argument(intervals, in_times))
    columns = Columns(("name",), "real", ("a", "b"), instants=in_times and ignored is not None, **options)
    at_once = collect(parts, columns, ignored).series_of(columns, max_gap, ignored)
    collected = [pickle.loads(pickle.dumps(collect(part, columns, ignored))) for part in parts]
    while len(collected) > 1:
        at = random.randrange(len(collected) - 1)
        collected[at : at + 2] = [Segments.joined(collected[at : at + 2])]
    joined = collected[0].series_of(columns, max_gap, ignored)
    assert (joined.names, joined.borders.tolist()) == (at_once.names, at_once.borders.tolist())
    assert (joined.real, joined.predicted, joined.ignored) == (at_once.real, at_once.predicted, at_once.ignored)


TABLE = pl.DataFrame(
    {"name": ["x"] * 4 + ["y"] * 2, "real": [0, 1, 1, 0, 1, 0], "a": [0, 1, 0, 0, 1, 0], "step": [0, 1, 2, 3, 0, 1]}
).with_columns(time=pl.lit(DAY) + pl.duration(minutes="step"))
ONE_COLUMN = {"series": "name", "real": "real", "predicted": "a"}


def test_interval_between_two_rows_ignores_the_row_before_it_across_batches():
    table = pl.DataFrame({"name": ["x"] * 4 + ["y"] * 2, "real": 1, "a": 1, "minute": [0, 5, 10, 15, 30, 35]})
    table = table.with_columns(time=pl.lit(DAY) + pl.duration(minutes="minute"))
    between = [("2024-05-01T00:06", "2024-05-01T00:07"), ("2024-05-01T00:20", "2024-05-01T00:25")]
    for frame in (table, [table[:2], table[2:]], [table[:1], table[1:2], table[2:4], table[4:]]):
        scores = rw.score_many(frame, **ONE_COLUMN, ignore=between, times="time")
        assert scores.real_ranges.tolist() == [2, 1]  # ignores row 1 of x, and nothing after x or before y


@pytest.mark.parametrize("column", ["time", "step"])
def test_shuffled_rows_score_like_sorted_rows(column):
    shuffled = TABLE[[5, 1, 0, 2, 3, 4]]
    expected, scores = rw.score_many(TABLE, **ONE_COLUMN), rw.score_many(shuffled, **ONE_COLUMN, times=column)
    assert dict(zip(scores.names, scores.tallies, strict=True)) == dict(zip(expected.names, expected.tallies, strict=True))
    assert scores.pooled.f == expected.pooled.f != rw.score_many(shuffled, **ONE_COLUMN).pooled.f


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        ([TABLE[2:], TABLE[:2]], {}, r"series 'x': row 2 of the series is at 2024-05-01T00:00:00, .* sort the rows by time, or load"),
        ([TABLE[2:], TABLE[:2]], {"repeated_times": "keep"}, "row 2 of the series is at"),
        ([TABLE, TABLE[3:4]], {}, "series 'x': rows 3 and 4 of the series have the same time, 2024-05-01T00:03:00; drop the duplicates"),
        (TABLE[[0, 4, 1, 2, 1]], {}, "series 'x': rows 2 and 4 of the table have the same time, 2024-05-01T00:01:00"),
        ([TABLE[:1], TABLE[[1, 1]]], {}, "batch 1: column 'time', series 'x': rows 0 and 1 of the table"),
        (TABLE, {"times": "when"}, "no column 'when'"),
        (TABLE, {"times": "name"}, "column 'name', row 0: 'x' is not a time"),
        (TABLE.with_columns(time=pl.lit(float("nan"))), {}, "column 'time': row 0 of the batch is nan"),
        (TABLE.with_columns(time=pl.lit(None)), {}, "column 'time': row 0 of the batch is missing"),
        (TABLE, {"repeated_times": "drop"}, "repeated_times is one of error, keep; got 'drop'"),
        (TABLE, {"times": None, "repeated_times": "keep"}, "applies to the column times=, which is not given"),
    ],
)
def test_rejects_bad_times(frame, options, message):
    with pytest.raises(ValueError, match=message):
        rw.score_many(frame, **ONE_COLUMN, **{"times": "time"} | options)
    with pytest.raises(ValueError, match=message):
        rw.pooled_curve(frame, series="name", real="real", scores="a", **{"times": "time"} | options)


def test_rejects_time_columns_without_a_table():
    for options in ({"times": "time"}, {"repeated_times": "keep"}):
        with pytest.raises(ValueError, match="about a column of a table"):
            rw.score_many({"x": ([1], [1])}, **options)
        with pytest.raises(ValueError, match="about a column of a table"):
            rw.pooled_curve({"x": ([1], [1])}, **options)


def test_files_a_lazy_table_and_a_mapping_agree(tmp_path):
    table = pl.DataFrame({"name": ["x"] * 6 + ["y"] * 4, "real": [0, 1, 1, 1, 1, 0, 1, 1, 1, 1], "guess": [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]})
    for number, part in enumerate((table[:3], table[3:8], table[8:])):
        part.write_parquet(tmp_path / f"{number}.parquet")
    columns = {"series": "name", "real": "real", "predicted": "guess"}
    rows = []
    scores = rw.score_many(tmp_path, **columns, close_gaps=2, progress=rows.append)
    assert sum(rows) == len(table)
    assert scores.recall.tolist() == [1.0, 0.25]
    assert scores == rw.score_many(table.lazy(), **columns, close_gaps=2)
    assert (
        scores.recall.tolist()
        == rw.score_many({"x": (table["real"][:6], table["guess"][:6]), "y": ([(0, 4)], [(0, 1)])}, close_gaps=2).recall.tolist()
    )
    assert rw.score_many(table, **columns, close_gaps=1).recall.tolist() == [0.5, 0.25]


def test_rejects_bad_input_with_close_gaps(tmp_path):
    table = pl.DataFrame({"name": ["x", "x"], "real": [0, 1], "guess": [0, 3]})
    columns = {"series": "name", "real": "real", "predicted": "guess"}
    table.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: series 'x', column 'guess': .*1 is 3"):
        rw.score_many(tmp_path, **columns, close_gaps=1)
    with pytest.raises(ValueError, match="close_gaps is 0 or more; got -1"):
        rw.score_many(table, **columns, close_gaps=-1)
    times = [("2024-05-01 10:00", "2024-05-01 11:00")]
    with pytest.raises(ValueError, match="series 'x': close_gaps=1 counts rows"):
        rw.score_many({"x": (times, times)}, close_gaps=1)


def test_accepts_tables_without_rows():
    empty = pl.DataFrame({"name": [], "real": [], "guess": []}, schema={"name": pl.String, "real": pl.Int8, "guess": pl.Int8})
    assert len(rw.score_many(empty, series="name", real="real", predicted="guess", close_gaps=3)) == 0
