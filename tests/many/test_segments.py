"""Whole series: times that order rows, closed gaps and ignored intervals give what each series by itself gives, however the table comes."""

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
def questions(draw):
    """Parts of a table with a column of half minutes, shuffled in each part, and the options to score it with."""
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
        intervals = {name: its for name, its in intervals.items() if name in set(table["name"])}
    return parts, options, intervals, in_times, draw(st.sampled_from([0, 0, 1, 3, 12]))


def given_intervals(intervals, in_times):
    """As a user gives them; those in times are drawn in half minutes, so that some fall between two rows."""
    if intervals is None or not in_times:
        return intervals
    if isinstance(intervals, dict):
        return {name: given_intervals(its, True) for name, its in intervals.items()}
    return [tuple(DAY + edge * HALF_MINUTE for edge in pair) for pair in intervals]


def ignored_of(intervals, name, times, in_times):
    its = (intervals.get(name, []) if isinstance(intervals, dict) else intervals) or []
    return naive.ignored_times(its, times) if in_times else naive.ignored_rows(its, len(times))


def alone(question, column):
    """The real and the predicted labels, or the scores, of each series by itself, and which of its rows are ignored."""
    parts, options, intervals, in_times, most = question
    columns = {name: [value for part in parts for value in part[name].to_list()] for name in ("name", "half", "real", column)}
    for name, rows in naive.rows_of(columns["name"], columns["half"] if options else None).items():
        ignored = ignored_of(intervals, name, [columns["half"][row] for row in rows], in_times)
        values = [columns[column][row] for row in rows]
        yield name, [columns["real"][row] for row in rows], values if column == "score" else closed_marks(values, most), ignored


def ways(parts, folder):
    """The same rows in parts, as many kinds of tables."""
    yield parts
    yield iter(parts)
    yield [part.to_pandas() for part in parts]
    yield [batch for part in parts for batch in part.to_arrow().to_batches()]
    for number, part in enumerate(parts):
        part.write_parquet(folder / f"part-{number}.parquet")
    yield folder


@pytest.mark.kernel
@settings(max_examples=120, deadline=None)
@given(questions(), st.integers(1, 3))
def test_each_series_is_scored_as_a_whole(tmp_path_factory, question, threads):
    parts, options, intervals, in_times, most = question
    how = {"model": MODEL, "close_gaps": most, "ignore": given_intervals(intervals, in_times), **options, "threads": threads}
    wanted = {}
    for column in ("a", "b"):
        wanted[column] = {
            name: MODEL.tally(naive.left(real, ignored), naive.left(predicted, ignored))
            for name, real, predicted, ignored in alone(question, column)
        }
    for frame in ways(parts, tmp_path_factory.mktemp("parts")):
        found = rw.score_many(frame, **COLUMNS, **how)
        for column in ("a", "b"):
            assert dict(zip(found[column].names, found[column].tallies, strict=True)) == wanted[column]
            assert list(found[column].names) == list(wanted[column])


@pytest.mark.kernel
@settings(max_examples=60, deadline=None)
@given(questions())
def test_one_threshold_for_all_series(tmp_path_factory, question):
    parts, options, intervals, in_times, most = question
    how = {"model": MODEL, "close_gaps": most, "ignore": given_intervals(intervals, in_times), **options}
    series = list(alone(question, "score"))
    thresholds = set()
    for _, _, scores, ignored in series:
        # A row that counts has the largest threshold that marks it, once gaps are closed.
        marks = {threshold: marks_at(scores, threshold, most) for threshold in scores}
        thresholds |= {max(at for at in marks if marks[at][row]) for row, out in enumerate(ignored) if not out}
    for frame in ways(parts, tmp_path_factory.mktemp("parts")):
        curve = rw.pooled_curve(frame, series="name", real="real", scores="score", **how)
        assert curve.thresholds.tolist() == sorted(thresholds, reverse=True)
        for threshold in [*curve.thresholds.tolist(), 0.3]:
            tallies, points, alerts = [], 0, 0
            for _, real, scores, ignored in series:
                marks = naive.left(marks_at(scores, threshold, most), ignored)
                tallies.append(MODEL.tally(naive.left(real, ignored), marks))
                points, alerts = points + ignored.count(False), alerts + sum(marks)
            assert list(curve.series_at(threshold).tallies) == tallies
            assert curve.at(threshold) == sum(tallies).score()
            assert curve.at(threshold).alert_rate == (alerts / points if points else None)


@settings(max_examples=40, deadline=None)
@given(questions(), st.randoms(use_true_random=False))
def test_parts_join_in_any_grouping(question, random):
    parts, options, intervals, in_times, most = question
    its = None if intervals is None else IgnoredIntervals.read(given_intervals(intervals, in_times))
    columns = Columns(("name",), "real", ("a", "b"), instants=in_times and its is not None, **options)
    at_once = collect(parts, columns, its).series_of(columns, most, its)
    leaves = [pickle.loads(pickle.dumps(collect(part, columns, its))) for part in parts]
    while len(leaves) > 1:
        at = random.randrange(len(leaves) - 1)
        leaves[at : at + 2] = [Segments.joined(leaves[at : at + 2])]
    joined = leaves[0].series_of(columns, most, its)
    assert (joined.names, joined.borders.tolist()) == (at_once.names, at_once.borders.tolist())
    assert (joined.real, joined.predicted, joined.ignored) == (at_once.real, at_once.predicted, at_once.ignored)


TABLE = pl.DataFrame(
    {"name": ["x"] * 4 + ["y"] * 2, "real": [0, 1, 1, 0, 1, 0], "a": [0, 1, 0, 0, 1, 0], "step": [0, 1, 2, 3, 0, 1]}
).with_columns(time=pl.lit(DAY) + pl.duration(minutes="step"))
ONE = {"series": "name", "real": "real", "predicted": "a"}


def test_an_interval_between_two_rows_means_the_row_before_it_also_across_batches():
    table = pl.DataFrame({"name": ["x"] * 4 + ["y"] * 2, "real": 1, "a": 1, "minute": [0, 5, 10, 15, 30, 35]})
    table = table.with_columns(time=pl.lit(DAY) + pl.duration(minutes="minute"))
    between = [("2024-05-01T00:06", "2024-05-01T00:07"), ("2024-05-01T00:20", "2024-05-01T00:25")]
    for frame in (table, [table[:2], table[2:]], [table[:1], table[1:2], table[2:4], table[4:]]):
        found = rw.score_many(frame, **ONE, ignore=between, times="time")
        assert found.real_ranges.tolist() == [2, 1]  # row 1 of x; behind x and before y there is nothing to ignore


@pytest.mark.parametrize("column", ["time", "step"])
def test_shuffled_rows_score_what_sorted_rows_do(column):
    shuffled = TABLE[[5, 1, 0, 2, 3, 4]]
    wanted, found = rw.score_many(TABLE, **ONE), rw.score_many(shuffled, **ONE, times=column)
    assert dict(zip(found.names, found.tallies, strict=True)) == dict(zip(wanted.names, wanted.tallies, strict=True))
    assert found.pooled.f == wanted.pooled.f != rw.score_many(shuffled, **ONE).pooled.f


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
def test_bad_times_are_reported(frame, options, message):
    with pytest.raises(ValueError, match=message):
        rw.score_many(frame, **ONE, **{"times": "time"} | options)
    with pytest.raises(ValueError, match=message):
        rw.pooled_curve(frame, series="name", real="real", scores="a", **{"times": "time"} | options)


def test_times_are_columns_of_tables():
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
    seen = rw.score_many(tmp_path, **columns, close_gaps=2, progress=rows.append)
    assert sum(rows) == len(table)
    assert seen.recall.tolist() == [1.0, 0.25]
    assert seen == rw.score_many(table.lazy(), **columns, close_gaps=2)
    assert (
        seen.recall.tolist()
        == rw.score_many({"x": (table["real"][:6], table["guess"][:6]), "y": ([(0, 4)], [(0, 1)])}, close_gaps=2).recall.tolist()
    )
    assert rw.score_many(table, **columns, close_gaps=1).recall.tolist() == [0.5, 0.25]


def test_what_cannot_be_closed_is_told(tmp_path):
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


def test_no_rows():
    empty = pl.DataFrame({"name": [], "real": [], "guess": []}, schema={"name": pl.String, "real": pl.Int8, "guess": pl.Int8})
    assert len(rw.score_many(empty, series="name", real="real", predicted="guess", close_gaps=3)) == 0
