"""What a store tells: rows, leaderboard, pairs, stability, tables in four forms and the page."""

import csv
import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import rangewise as rw
from rangewise.bench.page import forest_svg, page_text
from rangewise.bench.results import COLUMNS
from rangewise.bench.series_pages import write_series_pages
from rangewise.bench.stability import kendall_tau
from rangewise.bench.summary import all_tables, in_form, standing_order

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    series = [{"generate": {"base": "walk", "length": 400, "seed": list(range(12)), "anomalies": 3}, "group": "walks"}]
    made = rw.bench.Experiment(
        name="shown",
        detectors=["z-score", {"name": "moving-z-score", "settings": {"window": [10, 20]}}, "random", "faulty:Raises"],
        series=series, metrics=["early", "late", "mean_delay"], threshold=["own", "best-f"], folder=HERE, baselines=False,
    )  # fmt: skip
    return rw.bench.run(made, store=tmp_path_factory.mktemp("found") / "a.rwbench", workers=2)


def test_rows_are_a_row_a_cell_and_metric(found):
    rows = found.rows()
    assert len(rows) == 5 * 12 * 6
    assert all(tuple(row) == COLUMNS for row in rows)
    by_status = {row["status"] for row in rows if row["detector"] == "Raises"}
    assert by_status == {"error"}
    assert all(math.isnan(row["value"]) for row in rows if row["status"] == "error"), "a failure is never a zero"
    model = next(row for row in rows if row["metric"] == "early" and row["status"] == "ok")
    assert model["value"] == model["f"]
    assert model["seconds_fit"] > 0
    assert model["peak_memory"] > 10**6


def test_the_leaderboard_is_over_series_that_all_finished(found):
    board = found.leaderboard("early:f")
    assert [each.detector for each in board.standings][-1] == "Raises"
    assert (board.series, board.all_series) == (12, 12)
    assert math.isnan(board["Raises"].pooled.value)
    assert (board["Raises"].failures, board["Raises"].mean_rank_all) == (12, 5.0)
    values = [each.pooled.value for each in board.standings[:-1]]
    assert values == sorted(values, reverse=True)
    scores = found.scores("early")
    pooled = sum(row[0] for row in scores.tallies).score()
    assert board["z-score"].pooled.value == pytest.approx(pooled.f, abs=1e-9)
    assert board["z-score"].macro.value == pytest.approx(np.mean(scores.values[:, 0]))
    assert board["z-score"].pooled.low <= pooled.f <= board["z-score"].pooled.high
    assert "Finished no series: Raises." in board.notes
    assert sum(each.first_share for each in board.standings[:-1]) == pytest.approx(1.0)


def test_notes_stand_beside_their_intervals_in_every_table(found):
    """Each interval's own note, and no other; what is one-sided or rests on few series is there to be seen."""
    shown = {
        interval.note
        for metric in ("early:f", "mean_delay")
        for each in found.leaderboard(metric).standings
        for interval in _intervals(each)
    }
    assert len(shown) > 1
    for metric in ("early:f", "mean_delay"):
        board = found.leaderboard(metric)
        for each, row in zip(board.standings, board.table().rows, strict=True):
            for interval in _intervals(each):
                if not math.isnan(interval.value):
                    assert interval.text() in row


def _intervals(standing):
    return (standing.pooled, standing.macro)


def test_macro_and_lower_is_better(found):
    board = found.leaderboard("mean_delay", resamples=50)
    assert board.average == "macro"
    known = [each.macro.value for each in board.standings if not math.isnan(each.macro.value)]
    assert known == sorted(known)
    assert found.leaderboard("early", average="macro", resamples=50).average == "macro"


def test_thresholds_that_saw_the_labels_are_marked(found):
    text = str(found.leaderboard("early@best-f:f", resamples=50))
    assert "thresholds chosen with the labels" in text
    assert "saw the labels" not in str(found.leaderboard("early:f", resamples=50))
    for name in ("z-score", "random"):
        assert (
            found.leaderboard("early@best-f", resamples=50)[name].pooled.value
            >= found.leaderboard("early", resamples=50)[name].pooled.value
        )


def test_compare_and_pairs(found):
    compared = found.compare("moving-z-score window=10", "random")
    pair = compared.pair
    assert pair.won + pair.tied + pair.lost == pair.series == 12
    board = found.leaderboard(resamples=10)
    difference = board["moving-z-score window=10"].pooled.value - board["random"].pooled.value
    assert compared.pooled_difference.value == pytest.approx(difference, abs=1e-9)
    assert "signed-rank" in str(compared)
    assert len(found.pairs()) == 10
    nothing = found.compare("z-score", "Raises")
    assert nothing.pair.series == 0
    with pytest.raises(ValueError, match="did you mean 'random'"):
        found.compare("z-score", "randm")
    with pytest.raises(ValueError, match="twice"):
        found.compare("z-score", "z-score")
    with pytest.raises(ValueError, match="a metric of this experiment"):
        found.leaderboard("erly")


def test_clusters_are_one_row_each(found):
    assert found.scores("early", cluster="collection").values.shape == (1, 5)
    assert found.scores("early", cluster="series").values.shape == (12, 5)


def test_stability_is_over_draws_metrics_and_rules(found):
    told = found.stability(resamples=200)
    assert [other.metric for other in told.others] == ["early", "late", "mean_delay", "early@best-f", "late@best-f", "mean_delay@best-f"]
    assert told.others[0].tau == pytest.approx(1.0)
    assert "of the draws of the series, and under" in told.summary()
    assert 0 <= told.order_share <= 1


def test_kendalls_tau_equals_scipy():
    stats = pytest.importorskip("scipy.stats")
    a, b = (np.random.default_rng(seed).integers(0, 5, 12).astype(float) for seed in (1, 2))
    assert kendall_tau(a, b) == pytest.approx(stats.kendalltau(a, b).statistic)


def test_an_export_has_all_rows(found, tmp_path):
    for name in ("rows.csv", "rows.parquet"):
        assert found.export(tmp_path / name) == len(found.rows())
    with (tmp_path / "rows.csv").open(newline="") as file:
        assert tuple(next(csv.reader(file))) == COLUMNS
    table = pl.read_parquet(tmp_path / "rows.parquet")
    assert tuple(table.columns) == COLUMNS
    assert table["f"].to_list()[0] == found.rows()[0]["f"]
    with pytest.raises(ValueError, match=r"\.csv or \.parquet"):
        found.export(tmp_path / "rows.xlsx")


def test_tables_in_four_forms(found):
    tables = all_tables(found)
    assert [table.title.partition(",")[0] for table in tables][-3:] == ["Runs by status", "Failures", "Each series"]
    for form in ("text", "markdown", "latex", "csv"):
        assert "moving-z-score" in in_form(tables, form)


def test_the_page_stands_alone_and_escapes(found, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    links = write_series_pages(found, tmp_path / "pages", back="index.html")
    text = page_text(found, None, links)
    assert "<svg" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    ).replace("https://matplotlib.org", "")
    assert all((tmp_path / link).is_file() for link in links.values())
    assert text.count('href="pages/') >= 12
    assert "walk seed=0" in (tmp_path / links["walk seed=0"]).read_text(encoding="utf-8")


def test_the_page_begins_with_estimates_and_intervals(found):
    board = found.leaderboard()
    drawn = ElementTree.fromstring(forest_svg(board))
    names = [text.text for text in drawn.iter("text") if text.get("class") == "strong"]
    known = [each for each in board.standings if math.isfinite((each.pooled if board.average == "pooled" else each.macro).value)]
    assert names == [each.detector for each in known]
    # Larger estimates stand further to the right; an interval is around its estimate.
    places = [float(circle.get("cx")) for circle in drawn.iter("circle")]
    values = [(each.pooled if board.average == "pooled" else each.macro).value for each in known]
    assert np.argsort(places, kind="stable").tolist() == np.argsort(values, kind="stable").tolist()
    text = page_text(found, None, {})
    assert text.index("estimates and intervals") < text.index("<table")


def test_the_order_of_the_diagram_is_of_mean_ranks(found):
    order, bars = standing_order(found, "early:f")
    ranks = [rank for _, rank in order]
    assert ranks == sorted(ranks)
    assert order[-1] == ("Raises", 5.0)
    assert all(set(bar) <= {name for name, _ in order} for bar in bars)
