"""docs/sql.md: its examples with polars' SQL, and those with DuckDB if it is installed, give the same scores."""

import doctest
import re
from pathlib import Path

import pytest

import rangewise as rw

PAGE = (Path(__file__).parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
COLUMNS = {"series": ["region", "host"], "real": "label", "predicted": "alarm"}


@pytest.fixture
def page():
    """The names that the examples of the page define."""
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        for example in doctest.DocTestParser().get_examples(block):
            if not example.source.startswith("print("):
                exec(compile(example.source, "docs/sql.md", "exec"), names)
    return names


def test_query_gives_the_scores_of_the_readings(page):
    expected = rw.score_many(page["readings"].with_columns(alarm=(page["readings"]["score"] > 0.7).cast(int)), **COLUMNS)
    assert page["results"] == expected


def test_duckdb_gives_the_same_scores(page, tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    block = next(block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if block.startswith("import duckdb"))
    polars_results = page["results"]
    exec(compile(block, "docs/sql.md", "exec"), page)
    assert page["results"] == polars_results
    readings, scores = page["readings"], page["scores"]
    connection = duckdb.connect()
    connection.register("scores", scores)
    assert connection.sql(page["SUMMARY"]).fetchall() == [pytest.approx(("eu", page["scores"]["f"][:2].mean(), 2))]
    monkeypatch.chdir(tmp_path)
    readings.write_parquet("readings.parquet")
    copy = re.search(r'duckdb -c "(COPY .*?)"\n', PAGE)
    assert copy is not None
    connection.sql(copy[1])
    assert rw.score_many("alarms.parquet", times="ts", **COLUMNS) == polars_results
