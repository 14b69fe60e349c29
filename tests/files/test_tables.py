import io
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from rangewise.files.tables import Table, table_bytes, text_of

GOOD = b"timestamp,value,label\r\n2024-01-01T00:00:00Z, 1.5 ,0\r\n2024-01-01T01:00:00.5Z,nan,True\r\n\r\n"


def test_columns():
    table = Table(GOOD, "t.csv")
    assert (table.columns, len(table)) == (["timestamp", "value", "label"], 2)
    assert table.labels("label").tolist() == [0, 1]
    assert table.numbers("value")[0] == 1.5
    assert np.isnan(table.numbers("value")[1])
    assert table.timestamps("timestamp", ascending=True)[1] == np.datetime64("2024-01-01T01:00:00.5")
    assert table.texts("label") == ["0", "True"]
    assert table.integers("value") is None
    assert table.is_numeric("value")
    assert not table.is_numeric("label")
    assert Table(b"a\n 7\n8", "t.csv").timestamps("a", ascending=True).tolist() == [7, 8]


def test_parquet_is_the_same_table():
    frame = pl.DataFrame(
        {"timestamp": pl.Series([0, 3_600_500], dtype=pl.Datetime("ms", "Europe/Paris")), "value": [1.5, 2.0], "label": [False, True]}
    )
    target = io.BytesIO()
    frame.write_parquet(target)
    table = Table(target.getvalue(), "t.parquet")
    assert table.labels("label").tolist() == [0, 1]
    assert table.timestamps("timestamp", ascending=True)[1] == np.datetime64("1970-01-01T01:00:00.5")
    with pytest.raises(ValueError, match=r"t.parquet: column 'value' holds Float64"):
        table.times("value")
    with pytest.raises(ValueError, match=r"t.parquet, row 0: '1.5' is not a label"):
        table.labels("value")
    with pytest.raises(ValueError, match="not a whole Parquet file"):
        Table(target.getvalue()[:100], "t.parquet")


@pytest.mark.parametrize(
    ("content", "ask", "message"),
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
        (b"a,b\n2024-01-01 00:00:00Z,1\n2024-01-01 00:00:00,2\n", "times a", "line 3: '2024-01-01 00:00:00' has no zone"),
        (b"a,b\n2024-01-01 00:00:00,1\n2024-01-01 00:00:00+01:00,2\n", "times a", "has a zone, but the times before it have none"),
    ],
)
def test_complaints_name_the_line(content, ask, message):
    method, _, column = ask.partition(" ")
    with pytest.raises(ValueError, match=re.escape(message)):
        getattr(Table(content, "t.csv"), method)(column)


def test_unsorted_and_duplicate_times_name_the_line():
    with pytest.raises(ValueError, match="line 4: 3 goes back in time"):
        Table(b"t\n1\n5\n3\n", "t.csv").timestamps("t", ascending=True)
    with pytest.raises(ValueError, match="line 3: 2024-01-01T00:00:00 repeats"):
        Table(b"t\n2024-01-01\n2024-01-01\n", "t.csv").timestamps("t", ascending=True)


def test_unusual_times_are_read_one_by_one():
    times = Table(b"t\n2024-01-01\n2024-01-02 10:30\n20240103T000000\n", "t.csv").times("t")
    assert times.tolist() == [int(np.datetime64(text, "ns").astype(int)) for text in ("2024-01-01", "2024-01-02T10:30", "2024-01-03")]


def test_zones_become_utc():
    times = Table(b"t\n2024-01-01T00:00:00+02:00\n2024-01-01t00:00:00-0130\n2024-01-01T00:00:00z\n", "t.csv").times("t")
    assert [str(time)[:16] for time in times] == ["2023-12-31T22:00", "2024-01-01T01:30", "2024-01-01T00:00"]


def test_text():
    assert text_of(b"\xef\xbb\xbf1", "f") == "1"
    with pytest.raises(ValueError, match="UTF-16"):
        text_of("1".encode("utf-16"), "f")
    with pytest.raises(ValueError, match="binary"):
        text_of(b"1\0", "f")


def test_written_tables_come_back():
    columns = {"t": np.array(["2024-01-01T00:00:00.123456789", "2024-01-02"], dtype="datetime64[ns]"), "v": np.array([0.1, 1e-300])}
    for parquet in (False, True):
        table = Table(table_bytes(columns, parquet=parquet), "t")
        assert table.times("t").tolist() == columns["t"].tolist()
        assert table.numbers("v").tolist() == columns["v"].tolist()


def test_without_polars_the_error_names_the_extra():
    code = "import sys; sys.modules['polars'] = None; from rangewise.cli import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, "score", __file__, __file__, "--column", "a"], capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.decode().strip() == "rangewise: reading and writing tables needs polars: pip install 'rangewise[files]'"


@pytest.mark.parametrize("header", ["a,b,a", " a,b,a "])
def test_columns_of_one_name_are_an_error_that_names_them(header):
    with pytest.raises(ValueError, match="has several columns named 'a': columns 1 and 3"):
        Table(f"{header}\n1,2,3\n".encode(), "double.csv")
