import numpy as np
import pytest

from rangewise.files.formats.base import Choices
from rangewise.files.formats.orion import orion_times, read_orion
from rangewise.files.formats.range_table import ranges_by_series, read_range_table
from rangewise.files.source import Source

INDEX = np.datetime64("2024-01-01T00:00") + np.arange(10) * np.timedelta64(1, "m")


@pytest.fixture
def write(tmp_path):
    def written(text):
        (tmp_path / "table.csv").write_text(text)
        return tmp_path / "table.csv"

    return written


def test_rows_exclude_the_end(write):
    path = write("start,end\n7,8\n2,5\n")
    assert list(read_range_table(path)) == [(2, 5), (7, 8)]
    assert list(read_range_table(path, inclusive=True)) == [(2, 6), (7, 9)]


def test_times_include_the_end(write):
    path = write("start,end\n2024-01-01 00:02,2024-01-01 00:04\n")
    assert list(read_range_table(path, INDEX)) == [(2, 5)]
    assert list(read_range_table(path, INDEX, inclusive=False)) == [(2, 4)]
    with pytest.raises(ValueError, match="has times, not rows"):
        read_range_table(path)


def test_selects_one_of_several_series(write):
    path = write("series,start,end\na,0,2\nb,1,3\na,5,6\n")
    assert list(read_range_table(path, series="a")) == [(0, 2), (5, 6)]
    with pytest.raises(ValueError, match="has 2 series, a, b; choose one with --series"):
        read_range_table(path)
    with pytest.raises(ValueError, match="has no series 'c'; it has a, b"):
        read_range_table(path, series="c")
    with pytest.raises(ValueError, match="no column 'series', so 'a' cannot be chosen"):
        read_range_table(write("start,end\n1,2\n"), series="a")


def test_reads_tables_without_ranges(write):
    assert len(read_range_table(write("start,end\n"))) == 0
    assert len(read_range_table(write("series,start,end\n"), series="a")) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start,end\n1,2\n5,5\n", "line 3: 5 to 5 is not a range of rows"),
        ("start,end\n-1,2\n", "line 2: -1 to 2 is not a range of rows"),
        ("start,end\n1,5\n8,9\n4,6\n", r"line 4: \[4, 6\) overlaps \[1, 5\) in line 2; the ranges of one side must be disjoint"),
        ("start,end\n1,2\n3,x\n", "line 3: 'x' in column 'end' is not a row, but the other end is"),
        ("start,end\n2024-01-02,2024-01-01\n", "line 2: .* ends before it starts"),
        ("start,other\n1,2\n", "none of the columns start, other is recognized as ends; name one with --end-column"),
        ("start,end\n2023-01-01,2023-01-02\n", "lies outside the time index"),
        ("start,end\n2024-01-01T00:00Z,2024-01-01T00:02Z\n2024-01-01T00:04,2024-01-01T00:05\n", "line 3: .* has no time zone"),
    ],
)
def test_rejects_bad_tables(write, text, message):
    with pytest.raises(ValueError, match=message):
        read_range_table(write(text), INDEX)


def test_orion_has_seconds_and_includes_the_end(write):
    begin = 1_704_067_200
    path = write(f"start,end,severity\n{begin + 120},{begin + 240},0.3\n")
    assert list(read_orion(path, INDEX)) == [(2, 5)]
    assert list(read_orion(path, np.arange(10) * 60 + begin)) == [(2, 5)]
    with pytest.raises(ValueError, match="'noon' in column 'start' is not a number"):
        read_orion(write("start,end\nnoon,7\n"), INDEX)


def test_orion_events_keep_their_names(tmp_path):
    (tmp_path / "events.csv").write_text("start,end,severity,event_id\n1700000000,1700000060,0.5,E-1\n1700000600,1700000660,0.9,E-2\n")
    times = orion_times(Source(tmp_path / "events.csv"))
    assert times.names == ("E-1", "E-2")
    assert times.labels[0] == {"severity": "0.5", "event_id": "E-1"}


def test_reads_all_series_of_a_table_at_once(write):
    rows = write("series,start,end,name\nb,7,9,x\na,1,3,y\nb,2,5,z\n")
    assert {name: list(ranges) for name, ranges in ranges_by_series(Source(rows), Choices()).items()} == {
        "a": [(1, 3)],
        "b": [(2, 5), (7, 9)],
    }
    times = write(
        "series,start,end,name\nb,2024-01-01 00:07,,x\na,2024-01-01 00:01,2024-01-01 00:03,y\nb,2024-01-01 00:02,2024-01-01 00:04,z\n"
    )
    by_series = ranges_by_series(Source(times), Choices())
    assert {name: ranges.names for name, ranges in by_series.items()} == {"a": ("y",), "b": ("x", "z")}
    assert list(by_series["a"].rows(INDEX)) == [(1, 4)]
    assert list(by_series["b"].closed(INDEX[9]).rows(INDEX)) == [(2, 5), (7, 10)]
    assert ranges_by_series(Source(write("series,start,end\n")), Choices()) == {}
