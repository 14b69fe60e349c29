import gzip
import io
import os
import re
import subprocess
import sys
import zlib
from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from examples import FIXTURES
from rangewise.datasets import read_annotations
from rangewise.files.source import Source, unpacked
from rangewise.files.tables import FileTable, table_bytes, text_of
from rangewise.inputs.instants import time_index
from rangewise.inputs.ranges import Ranges

GOOD = b"timestamp,value,label\r\n2024-01-01T00:00:00Z, 1.5 ,0\r\n2024-01-01T01:00:00.5Z,nan,True\r\n\r\n"


def test_reads_columns():
    table = FileTable(GOOD, "t.csv")
    assert (table.columns, len(table)) == (["timestamp", "value", "label"], 2)
    assert table.labels("label").tolist() == [0, 1]
    assert table.numbers("value")[0] == 1.5
    assert np.isnan(table.numbers("value")[1])
    assert table.timestamps("timestamp", ascending=True)[1] == np.datetime64("2024-01-01T01:00:00.5")
    assert table.texts("label") == ["0", "True"]
    assert table.integers("value") is None
    assert table.is_numeric("value")
    assert not table.is_numeric("label")
    gaps = FileTable(b"a,b,c,d\n1,,x,nan\n ,,,2\n", "t.csv")
    assert [gaps.is_numeric(column) for column in "abcd"] == [False, False, False, True]
    assert [gaps.is_numeric(column, may_be_empty=True) for column in "abcd"] == [True, False, False, True]
    assert FileTable(b"a\n 7\n8", "t.csv").timestamps("a", ascending=True).tolist() == [7, 8]


def test_first_and_last_cells_may_be_empty_between_tabs():
    """A table with an index has no name for it, and the last event may lack its class."""
    table = FileTable(b"\n \n\tonset\tkind\n0\t1.5\tx\r\n1\t3.0\t\r\n\r\n", "t.tsv")
    assert table.columns == ["", "onset", "kind"]
    assert (table.texts("kind"), table.texts("onset"), table.where(0)) == (["x", ""], ["1.5", "3.0"], "t.tsv, line 4")
    assert FileTable(b"a\tb\n1\t", "t.tsv").texts("b") == [""]
    with pytest.raises(ValueError, match="line 3: 2 cells, but the first line names 3"):
        FileTable(b"a\tb\tc\n1\t2\t3\n4\t5\n", "t.tsv")


@pytest.mark.parametrize("name", ["labels.txt", "column.csv", "events.tsv", "audacity.txt", "dcase.tsv"])
def test_carriage_returns_end_lines(name, tmp_path):
    """As in tables of Excel for Macintosh, which would have no rows otherwise."""
    content = (FIXTURES / name).read_bytes()
    (tmp_path / name).write_bytes(content.replace(b"\r\n", b"\n").replace(b"\n", b"\r"))
    one, other = (read_annotations(folder / name).given_ranges() for folder in (FIXTURES, tmp_path))
    assert len(one)
    sides = [each if isinstance(each, Ranges) else each.on_clock() for each in (one, other)]
    assert sides[0] == sides[1]


def test_reads_parquet_like_csv():
    frame = pl.DataFrame(
        {"timestamp": pl.Series([0, 3_600_500], dtype=pl.Datetime("ms", "Europe/Paris")), "value": [1.5, 2.0], "label": [False, True]}
    )
    target = io.BytesIO()
    frame.write_parquet(target)
    table = FileTable(target.getvalue(), "t.parquet")
    assert table.labels("label").tolist() == [0, 1]
    assert table.timestamps("timestamp", ascending=True)[1] == np.datetime64("1970-01-01T01:00:00.5")
    with pytest.raises(ValueError, match=r"t.parquet: column 'value' has type Float64"):
        table.times("value")
    with pytest.raises(ValueError, match=r"t.parquet, row 0: '1.5' is not a label"):
        table.labels("value")
    with pytest.raises(ValueError, match="not a complete Parquet file"):
        FileTable(target.getvalue()[:100], "t.parquet")


@pytest.mark.parametrize(
    ("content", "call", "message"),
    [
        (b"  \n", "", "t.csv is empty"),
        (b"a,b\n1,2\n3\n4,5\n", "", "line 3: 1 cells, but the first line names 2 columns"),
        (b"a,b\n1,2\n3,4,5\n", "", "line 3: 3 cells"),
        (b"a,b\n1,2\n\n4,5\n", "", "line 3: 0 cells"),
        (b"a,b\n1,2\n1,\xff\n", "", "line 3: byte 0xff is not UTF-8"),
        (b'a,b\n"1,2\n', "", "t.csv"),
        (b"a, a\n1,2\n", "", "t.csv has several columns named 'a'"),
        (b"\n\na,b\n1,2\n3\n", "", "line 5: 1 cells"),
        (b"\n\na,b\n1,2\n3,x\n", "numbers b", "line 5: 'x'"),
        (b"a,b\n1,2\n3,\n", "numbers b", "line 3: '' in column 'b' is not a number"),
        (b"a,b\n1,2\n3,x\n", "numbers b", "line 3: 'x' in column 'b' is not a number"),
        (b"a,b\n1,2\n", "numbers c", "no column 'c'; it has 'a', 'b'"),
        (b"a,b\n1,1\n3,2\n", "labels b", "line 3: '2' is not a label"),
        (b"a,b\n1,1\n3,\n", "labels b", "line 3: '' is not a label"),
        (b"a,b\n2024-01-01,1\nnoon,2\n", "times a", "line 3: 'noon' is not a time"),
        (b"a,b\n2024-01-01,1\n,2\n", "times a", "line 3: '' is not a time"),
        (b"a,b\n2024-01-01 00:00:00Z,1\n2024-01-01 00:00:00,2\n", "times a", "line 3: '2024-01-01 00:00:00' has no time zone"),
        (b"a,b\n2024-01-01 00:00:00,1\n2024-01-01 00:00:00+01:00,2\n", "times a", "has a time zone, but the times before it have none"),
    ],
)
def test_errors_name_the_line(content, call, message):
    method, _, column = call.partition(" ")
    with pytest.raises(ValueError, match=re.escape(message)):
        getattr(FileTable(content, "t.csv"), method)(column)


def test_errors_about_unsorted_and_repeated_times_name_the_line():
    with pytest.raises(ValueError, match="line 4: 3 goes back in time"):
        FileTable(b"t\n1\n5\n3\n", "t.csv").timestamps("t", ascending=True)
    with pytest.raises(ValueError, match="line 3: 2024-01-01T00:00:00 repeats"):
        FileTable(b"t\n2024-01-01\n2024-01-01\n", "t.csv").timestamps("t", ascending=True)


def test_reads_times_in_mixed_notations():
    times = FileTable(b"t\n2024-01-01\n2024-01-02 10:30\n20240103T000000\n", "t.csv").times("t")
    assert times.tolist() == [int(np.datetime64(text, "ns").astype(int)) for text in ("2024-01-01", "2024-01-02T10:30", "2024-01-03")]


def test_converts_time_zones_to_utc():
    times = FileTable(b"t\n2024-01-01T00:00:00+02:00\n2024-01-01t00:00:00-0130\n2024-01-01T00:00:00z\n", "t.csv").times("t")
    assert [str(time)[:16] for time in times] == ["2023-12-31T22:00", "2024-01-01T01:30", "2024-01-01T00:00"]


def test_text_of_rejects_utf_16_and_binary_data():
    assert text_of(b"\xef\xbb\xbf1", "f") == "1"
    with pytest.raises(ValueError, match="UTF-16"):
        text_of("1".encode("utf-16"), "f")
    with pytest.raises(ValueError, match="binary"):
        text_of(b"1\0", "f")


def test_round_trip():
    columns = {"t": np.array(["2024-01-01T00:00:00.123456789", "2024-01-02"], dtype="datetime64[ns]"), "v": np.array([0.1, 1e-300])}
    for parquet in (False, True):
        table = FileTable(table_bytes(columns, parquet=parquet), "t")
        assert table.times("t").tolist() == columns["t"].tolist()
        assert table.numbers("v").tolist() == columns["v"].tolist()


def test_without_polars_the_error_names_the_extra():
    code = "import sys; sys.modules['polars'] = None; from rangewise.cli import run; sys.exit(run(sys.argv[1:]))"
    process = subprocess.run([sys.executable, "-c", code, "score", __file__, __file__, "--column", "a"], capture_output=True, check=False)
    assert process.returncode == 2
    assert process.stderr.decode().strip() == "rangewise: reading and writing tables needs polars: pip install 'rangewise[files]'"


@pytest.mark.parametrize("header", ["a,b,a", " a,b,a "])
def test_rejects_duplicate_column_names(header):
    with pytest.raises(ValueError, match="has several columns named 'a': columns 1 and 3"):
        FileTable(f"{header}\n1,2,3\n".encode(), "double.csv")


MOMENTS = [datetime(2024, 3, 31, 0, 30), datetime(2024, 3, 31, 1, 30)]
SECONDS = [1_711_845_000, 1_711_848_600]


def parquet_of(cells, **options):
    target = io.BytesIO()
    pq.write_table(pa.table({"timestamp": cells}), target, **options)
    return FileTable(target.getvalue(), "t.parquet")


@pytest.mark.parametrize(
    "cells",
    [
        *(pa.array([second * per for second in SECONDS], pa.uint64()) for per in (1, 10**3, 10**6, 10**9)),
        *(pa.array(SECONDS, kind) for kind in (pa.uint32(), pa.int32(), pa.int64())),
        *(pa.array(MOMENTS, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")),
        pa.array(MOMENTS, pa.timestamp("us", tz="Europe/Berlin")),
    ],
    ids=lambda cells: f"{cells.type} {cells[0]}",
)
def test_reads_parquet_times_of_every_unit(cells):
    """Berlin skips an hour between these times because of daylight saving; in UTC they are an hour apart."""
    expected = np.array(SECONDS, dtype="datetime64[s]")
    assert (time_index(parquet_of(cells).timestamps("timestamp", ascending=True)) == expected).all()


def test_reads_parquet_times_of_old_writers():
    table = parquet_of(pa.array(MOMENTS, pa.timestamp("ns")), use_deprecated_int96_timestamps=True)
    assert (table.times("timestamp") == np.array(SECONDS, dtype="datetime64[s]")).all()
    days = parquet_of(pa.array([date(2024, 2, 29), date(2024, 3, 1)], pa.date32())).times("timestamp")
    assert str(days[1] - days[0]) == f"{86_400 * 10**9} nanoseconds"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (pa.array([1, 2**63 + 5], pa.uint64()), "row 1: 9223372036854775813 .* is neither a row nor a time"),
        (pa.array([SECONDS[0], None], pa.uint64()), "has type UInt64"),
        (pa.array([MOMENTS[0], datetime(9999, 1, 1)], pa.timestamp("us")), "row 1: the time is 9999-01-01"),
        (pa.array([MOMENTS[0], None], pa.timestamp("us")), "row 1: the time is missing in column 'timestamp'"),
        (pa.array([moment.time() for moment in MOMENTS], pa.time64("us")), "has type Time; expected times or integers"),
        (pa.array([timedelta(1), timedelta(2)], pa.duration("us")), "has type Duration"),
        (pa.array([float(second) for second in SECONDS]), "has type Float64"),
        (pa.array([True, False]), "has type Boolean"),
    ],
    ids=lambda cells: str(getattr(cells, "type", "")),
)
def test_rejects_parquet_columns_that_are_not_times(cells, message):
    with pytest.raises(ValueError, match=message):
        parquet_of(cells).timestamps("timestamp", ascending=True)


def test_rejects_parquet_columns_larger_than_memory(monkeypatch):
    target = io.BytesIO()
    pl.DataFrame({"label": [0] * 1000, "value": [0.0] * 1000}).write_parquet(target)
    table = FileTable(target.getvalue(), "t.parquet")
    assert table.labels("label").sum() == 0
    monkeypatch.setattr(os, "sysconf", lambda name: 190)
    with pytest.raises(ValueError, match=re.escape("t.parquet: column 'value' of 1000 rows would take 4.8e-05 GB of memory, and this ")):
        table.numbers("value")
    monkeypatch.undo()
    monkeypatch.setenv("RANGEWISE_MEMORY_GB", "3e-5")
    again = FileTable(target.getvalue(), "t.parquet")
    again.labels("label")
    with pytest.raises(ValueError, match=re.escape("would take 4.8e-05 GB of memory, and the file has 0.0")):
        again.numbers("value")
    monkeypatch.setenv("RANGEWISE_MEMORY_GB", "much")
    with pytest.raises(ValueError, match="RANGEWISE_MEMORY_GB is a number of GB, such as 8; got 'much'"):
        FileTable(target.getvalue(), "t.parquet").labels("label")


def test_rejects_nested_and_binary_columns():
    target = io.BytesIO()
    pl.DataFrame({"a": [[1, 2]], "b": [{"x": 1}], "c": [b"bytes"]}).write_parquet(target)
    table = FileTable(target.getvalue(), "t.parquet")
    for name, kind in zip("abc", ("List(Int64)", "Struct", "Binary"), strict=True):
        with pytest.raises(ValueError, match=re.escape(f"t.parquet: column {name!r} of 1 rows: it holds {kind}")):
            table.column(name)


def test_rejects_too_many_columns():
    with pytest.raises(ValueError, match="t has 100001 columns; expected at most 20000"):
        FileTable(b"," * 100_000 + b"\n1", "t")


def test_rejects_short_lines_before_padding_them():
    with pytest.raises(ValueError, match="t, line 2: 1 cells, but the first line names 10001 columns"):
        FileTable(b"a," * 10_000 + b"z\n" + b"1\n" * 100_000, "t")


@pytest.mark.parametrize("compress", [gzip.compress, zlib.compress])
def test_rejects_compressed_text(compress):
    with pytest.raises(ValueError, match=r"t\.csv is compressed, .*; unpack it first"):
        FileTable(compress(GOOD), "t.csv")


def test_unpacks_gz_files_up_to_a_limit(tmp_path, monkeypatch):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert Source(path).file_name == "t.csv"
    assert Source(path).table.texts("b") == ["2"]
    path.write_bytes(gzip.compress(b"0" * 5000))
    with pytest.raises(ValueError, match="unpacks to more than 0 MB; unpack it yourself"):
        unpacked(path, most=1000)
    path.write_bytes(b"no gzip")
    with pytest.raises(ValueError, match="is not a complete gzip file"):
        _ = Source(path).text
