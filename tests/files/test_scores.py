import math

import pytest

from rangewise.files.scores import read_score_file


def test_reads_lines_and_columns(tmp_path):
    (tmp_path / "plain.txt").write_text("0.5\n\n1e-3\r\n-2\ninf\n")
    assert read_score_file(tmp_path / "plain.txt").tolist() == [0.5, 0.001, -2.0, math.inf]
    (tmp_path / "table.csv").write_text("time,score\na,0.5\nb, 2\n")
    assert read_score_file(tmp_path / "table.csv", "score").tolist() == [0.5, 2.0]
    (tmp_path / "named.csv").write_text("score\n0.5\n2\n")
    assert read_score_file(tmp_path / "named.csv").tolist() == [0.5, 2.0]


@pytest.mark.parametrize("header", ["time,score", '"time","Score"', "value,anomaly_score", "time,scores\r"])
def test_detects_the_score_column_of_a_table(tmp_path, header):
    (tmp_path / "table.csv").write_text(f"{header}\n1,0.5\n2,2\n")
    assert read_score_file(tmp_path / "table.csv").tolist() == [0.5, 2.0]


def test_detects_the_score_column_of_a_parquet_table(tmp_path):
    polars = pytest.importorskip("polars")
    polars.DataFrame({"time": ["a", "b"], "score": [0.5, 2.0]}).write_parquet(tmp_path / "table.parquet")
    assert read_score_file(tmp_path / "table.parquet").tolist() == [0.5, 2.0]


@pytest.mark.parametrize(
    ("content", "column", "message"),
    [
        (b"", None, "is empty"),
        (b"\x00\x01", None, "binary"),
        (b"0.5\nhigh\n", None, "line 2: 'high' is not a number"),
        (b"high\n0.5\n", None, "has the columns 'high'; name the column"),
        (b"score\n0.5\n\n0.2\n", None, "line 3 is empty; expected a value"),
        (b"0.1 0.5\n0.2 0.3\n", None, "2 numbers per line; expected one score per line"),
        (b"0.5\nnan\n", None, "score 1 is nan"),
        (b"time,score\na,\n", "score", "score 0 is nan.*missing='lowest'"),
        (b"time,score\na,1\n", "scores", "no column 'scores'"),
        (b"score,anomaly_score\n1,1\n", None, "has the columns 'score', 'anomaly_score'; name the column of the scores"),
        (b"time,rating\n1,1\n", None, "has the columns 'time', 'rating'; name the column"),
    ],
)
def test_rejects_bad_files(tmp_path, content, column, message):
    (tmp_path / "scores.txt").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_score_file(tmp_path / "scores.txt", column)
