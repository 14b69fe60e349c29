import csv
import io

import pandas as pd
import polars as pl
import pytest

import rangewise as rw


@pytest.fixture
def scores():
    sides = {"a_1": ([0, 1, 1], [0, 1, 0]), "<b>|": ([1, 0, 0], [1, 0, 0]), 3: ([0, 0, 0], [0, 0, 1])}
    return rw.score_many(sides)


def test_arrays_rows_and_totals(scores):
    assert scores.recall.tolist() == [0.5, 1.0, 0.0]
    assert scores.rows[0].series == "a_1"
    assert scores.macro == rw.macro(scores.tallies)
    assert scores.pooled == sum(scores.tallies).score()
    assert scores == rw.ManyScores.from_tallies(scores.model, scores.names, list(scores.tallies))
    assert scores != rw.score_many({"a_1": ([0], [0])})


def test_exports_to_pandas_and_polars(scores):
    assert isinstance(scores.to_pandas(), pd.DataFrame)
    assert scores.to_pandas()["recall"].tolist() == scores.recall.tolist()
    assert isinstance(scores.to_polars(), pl.DataFrame)
    assert scores.to_polars()["f"].to_list() == scores.f.tolist()


def test_csv_keeps_every_digit(scores, tmp_path):
    rows = list(csv.DictReader(io.StringIO(scores.to_csv())))
    assert [float(row["recall"]) for row in rows] == scores.recall.tolist()
    scores.to_csv(tmp_path / "scores.csv")
    assert (tmp_path / "scores.csv").read_text() == scores.to_csv()


def test_text_markdown_latex_and_html(scores):
    assert str(scores).splitlines()[0].split() == ["series", "precision", "recall", "F1", "real", "predicted"]
    assert str(scores).splitlines()[4].startswith("pooled ranges")
    assert scores.to_markdown().splitlines()[1] == "| --- | ---: | ---: | ---: | ---: | ---: |"
    assert "&lt;b>\\|" in scores.to_markdown()
    assert r"a\_1 & 1.0000 & 0.5000" in scores.to_latex()
    assert scores.to_latex().startswith(r"\begin{tabular}{lrrrrr}")
    assert "&lt;b&gt;" in scores._repr_html_()
    assert "... 2 more with a larger F" in scores.to_markdown(limit=1)


def test_healthy_series_are_undefined_and_counted():
    sides = {"healthy": ([0, 0, 0], [0, 0, 0]), "loud": ([0, 0, 0], [0, 1, 0]), "good": ([0, 1, 0], [0, 1, 0]), "calm": ([0, 0], [0, 0])}
    scores = rw.score_many(sides)
    assert scores.healthy.tolist() == [True, False, False, True]
    lines = {line.split()[0]: line.split()[1:] for line in str(scores).splitlines() if line}
    assert lines["healthy"] == ["-", "-", "-", "0", "0"]
    assert lines["loud"] == ["0.0000", "0.0000", "0.0000", "0", "1"]
    assert "2 healthy series without a real or predicted range: not defined (-)" in str(scores)
    assert "the means are over the 1 series with a real range" in str(scores)
    assert (scores.macro.f, scores.pooled.f) == (1.0, pytest.approx(2 / 3))
    short = scores.to_markdown(limit=2)
    assert "| loud |" in short
    assert "| good |" in short
    assert "... 2 more with a larger F, or healthy" in short
    left_out = rw.score_many(sides, model=rw.RangeModel(zero_division=float("nan")))
    assert left_out.macro.f == 1.0
    # Healthy series count if zero_division gives them a score.
    chosen = rw.score_many(sides, model=rw.RangeModel(zero_division=1.0))
    assert chosen.macro.f == 0.75
    assert "healthy " in str(chosen)
    assert "not defined" not in str(chosen)
    assert "the means are over" not in str(chosen)
