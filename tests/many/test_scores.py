import csv
import io

import pandas as pd
import polars as pl
import pytest

import rangewise as rw


@pytest.fixture
def found():
    sides = {"a_1": ([0, 1, 1], [0, 1, 0]), "<b>|": ([1, 0, 0], [1, 0, 0]), 3: ([0, 0, 0], [0, 0, 1])}
    return rw.score_many(sides)


def test_arrays_rows_and_totals(found):
    assert found.recall.tolist() == [0.5, 1.0, 0.0]
    assert found.rows[0].series == "a_1"
    assert found.macro == rw.macro(found.tallies)
    assert found.pooled == sum(found.tallies).score()
    assert found == rw.ManyScores.from_tallies(found.model, found.names, list(found.tallies))
    assert found != rw.score_many({"a_1": ([0], [0])})


def test_tables_of_other_libraries(found):
    assert isinstance(found.to_pandas(), pd.DataFrame)
    assert found.to_pandas()["recall"].tolist() == found.recall.tolist()
    assert isinstance(found.to_polars(), pl.DataFrame)
    assert found.to_polars()["f"].to_list() == found.f.tolist()


def test_csv_has_every_digit(found, tmp_path):
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [float(row["recall"]) for row in rows] == found.recall.tolist()
    found.to_csv(tmp_path / "scores.csv")
    assert (tmp_path / "scores.csv").read_text() == found.to_csv()


def test_text(found):
    assert str(found).splitlines()[0].split() == ["series", "precision", "recall", "F1", "real", "predicted"]
    assert str(found).splitlines()[4].startswith("pooled ranges")
    assert found.to_markdown().splitlines()[1] == "| --- | ---: | ---: | ---: | ---: | ---: |"
    assert "&lt;b>\\|" in found.to_markdown()
    assert r"a\_1 & 1.0000 & 0.5000" in found.to_latex()
    assert found.to_latex().startswith(r"\begin{tabular}{lrrrrr}")
    assert "&lt;b&gt;" in found._repr_html_()
    assert "... 2 more with a larger F" in found.to_markdown(limit=1)


def test_healthy_series_are_undefined_listed_last_and_counted():
    sides = {"healthy": ([0, 0, 0], [0, 0, 0]), "loud": ([0, 0, 0], [0, 1, 0]), "good": ([0, 1, 0], [0, 1, 0]), "calm": ([0, 0], [0, 0])}
    found = rw.score_many(sides)
    assert found.healthy.tolist() == [True, False, False, True]
    lines = {line.split()[0]: line.split()[1:] for line in str(found).splitlines() if line}
    assert lines["healthy"] == ["-", "-", "-", "0", "0"]
    assert lines["loud"] == ["0.0000", "0.0000", "0.0000", "0", "1"]
    assert "2 healthy series without a real or predicted range: not defined (-)" in str(found)
    assert "the means are over the 1 series with a real range" in str(found)
    assert (found.macro.f, found.pooled.f) == (1.0, pytest.approx(2 / 3))
    short = found.to_markdown(limit=2)
    assert "| loud |" in short
    assert "| good |" in short
    assert "... 2 more with a larger F, or healthy" in short
    left_out = rw.score_many(sides, model=rw.RangeModel(zero_division=float("nan")))
    assert left_out.macro.f == 1.0
    # A score of 1 that was chosen for empty series counts.
    chosen = rw.score_many(sides, model=rw.RangeModel(zero_division=1.0))
    assert chosen.macro.f == 0.75
    assert "healthy " in str(chosen)
    assert "not defined" not in str(chosen)
    assert "the means are over" not in str(chosen)
