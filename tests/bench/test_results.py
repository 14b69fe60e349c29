"""Results of a store: rows, leaderboard, pairs, stability, tables in four formats, and the HTML page."""

import csv
import math
from dataclasses import replace
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
from rangewise.bench.statistics import compare_all, mean_interval, rank_rows
from rangewise.bench.summary import all_tables, in_form, standing_order
from rangewise.cli import run

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    series = [{"generate": {"base": "walk", "length": 400, "seed": list(range(12)), "anomalies": 3}, "group": "walks"}]
    experiment = rw.bench.Experiment(
        name="shown",
        detectors=["z-score", {"name": "moving-z-score", "settings": {"window": [10, 20]}}, "random", "faulty:Raises"],
        series=series, metrics=["early", "late", "mean_delay"], threshold=["own", "best-f"], folder=HERE, baselines=False,
    )  # fmt: skip
    return rw.bench.run(experiment, store=tmp_path_factory.mktemp("results") / "a.rwbench", workers=2)


def test_one_row_per_run_and_metric(results):
    rows = results.rows()
    assert len(rows) == 5 * 12 * 6
    assert all(tuple(row) == COLUMNS for row in rows)
    by_status = {row["status"] for row in rows if row["detector"] == "Raises"}
    assert by_status == {"error"}
    assert all(math.isnan(row["value"]) for row in rows if row["status"] == "error"), "a failure is never a zero"
    model = next(row for row in rows if row["metric"] == "early" and row["status"] == "ok")
    assert model["value"] == model["f"]
    assert model["seconds_fit"] > 0
    assert model["peak_memory"] > 10**6


def test_leaderboard_uses_series_that_all_detectors_finished(results):
    board = results.leaderboard("early:f")
    assert [each.detector for each in board.standings][-1] == "Raises"
    assert (board.series, board.all_series) == (12, 12)
    assert math.isnan(board["Raises"].pooled.value)
    assert (board["Raises"].failures, board["Raises"].mean_rank_all) == (12, 5.0)
    values = [each.pooled.value for each in board.standings[:-1]]
    assert values == sorted(values, reverse=True)
    scores = results.scores("early")
    pooled = sum(row[0] for row in scores.tallies).score()
    assert board["z-score"].pooled.value == pytest.approx(pooled.f, abs=1e-9)
    assert board["z-score"].macro.value == pytest.approx(np.mean(scores.values[:, 0]))
    assert board["z-score"].pooled.low <= pooled.f <= board["z-score"].pooled.high
    assert "Finished no series: Raises." in board.notes
    assert sum(each.first_share for each in board.standings[:-1]) == pytest.approx(1.0)


def test_tables_show_each_interval_with_its_note(results):
    """Notes say which intervals are one-sided or rest on few series."""
    notes = {
        interval.note
        for metric in ("early:f", "mean_delay")
        for each in results.leaderboard(metric).standings
        for interval in _intervals(each)
    }
    assert len(notes) > 1
    for metric in ("early:f", "mean_delay"):
        board = results.leaderboard(metric)
        for each, row in zip(board.standings, board.table().rows, strict=True):
            for interval in _intervals(each):
                if not math.isnan(interval.value):
                    assert interval.text() in row


def _intervals(standing):
    return (standing.pooled, standing.macro)


def test_a_metric_without_a_score_says_why_and_nobody_is_called_unfinished(tmp_path):
    (tmp_path / "walk seed=0.txt").write_text("0\n" * 300)
    theirs = {"name": "theirs", "predictions": str(tmp_path / "{series}.txt")}
    made = rw.bench.Experiment(
        name="some", detectors=["random", theirs, "faulty:Raises"], series=[{"generate": {"base": "walk", "length": 300, "seed": [0]}}],
        metrics=["early", "vus_pr", "mean_delay"], folder=HERE, baselines=False,
    )  # fmt: skip
    results = rw.bench.run(made, workers=1)
    notes = results.leaderboard("vus_pr", resamples=10).notes
    assert "Finished no series: Raises." in notes
    reason = "ValueError: this metric needs one score per point, but the detector has only predictions"
    assert f"No score: theirs on 1 series ({reason})." in notes
    assert results.unscored("vus_pr") == [{"detector": "theirs", "series": "walk seed=0", "message": reason}]
    notes = results.leaderboard("mean_delay", resamples=10).notes
    assert "No score: theirs, for which the metric is undefined on every series." in notes
    assert all("finished by" not in note for note in notes), "theirs has finished"


def test_unknown_names_of_a_leaderboard_are_refused(results):
    with pytest.raises(ValueError, match="did you mean 'random'"):
        results.leaderboard(resamples=10)["randm"]
    with pytest.raises(ValueError, match="average is one of pooled, macro; got 'mean'"):
        results.leaderboard(average="mean")


def test_macro_and_lower_is_better(results):
    board = results.leaderboard("mean_delay", resamples=50)
    assert board.average == "macro"
    means = [each.macro.value for each in board.standings if not math.isnan(each.macro.value)]
    assert means == sorted(means)
    assert results.leaderboard("early", average="macro", resamples=50).average == "macro"


def test_leaderboard_notes_thresholds_chosen_with_labels(results):
    text = str(results.leaderboard("early@best-f:f", resamples=50))
    assert "thresholds chosen with the labels" in text
    assert "chosen with the labels" not in str(results.leaderboard("early:f", resamples=50))
    for name in ("z-score", "random"):
        assert (
            results.leaderboard("early@best-f", resamples=50)[name].pooled.value
            >= results.leaderboard("early", resamples=50)[name].pooled.value
        )


def test_compare_and_pairs(results):
    comparison = results.compare("moving-z-score window=10", "random")
    pair = comparison.pair
    assert pair.won + pair.tied + pair.lost == pair.series == 12
    board = results.leaderboard(resamples=10)
    difference = board["moving-z-score window=10"].pooled.value - board["random"].pooled.value
    assert comparison.pooled_difference.value == pytest.approx(difference, abs=1e-9)
    assert "signed-rank" in str(comparison)
    assert len(results.pairs()) == 10
    without_common_series = results.compare("z-score", "Raises")
    assert without_common_series.pair.series == 0
    with pytest.raises(ValueError, match="did you mean 'random'"):
        results.compare("z-score", "randm")
    with pytest.raises(ValueError, match="twice"):
        results.compare("z-score", "z-score")
    with pytest.raises(ValueError, match="a metric of this experiment"):
        results.leaderboard("erly")


def test_scores_have_one_row_per_cluster(results):
    assert results.scores("early", cluster="collection").values.shape == (1, 5)
    assert results.scores("early", cluster="series").values.shape == (12, 5)


@pytest.fixture(scope="module")
def grouped():
    """Three collections of different sizes; one detector fails on one series of the first."""
    groups = {"a": list(range(6)), "b": [6, 7, 8], "c": [9]}
    series = [
        {"generate": {"base": "walk", "length": 300, "seed": seeds, "anomalies": 2}, "group": group} for group, seeds in groups.items()
    ]
    made = rw.bench.Experiment(
        name="grouped", detectors=["z-score", {"name": "moving-z-score", "settings": {"window": 20}}, "random"],
        series=series, metrics=["early", "mean_delay"], average="macro", baselines=False,
    )  # fmt: skip
    return rw.bench.run(made, workers=1)


def test_macro_is_the_mean_over_series_and_only_its_interval_is_by_collection(grouped):
    board, groups = grouped.leaderboard(resamples=300), list("aaaaaabbbc")
    assert (board.cluster, board.series, board.all_series) == ("collection", 10, 10)
    assert "10 of 10 series (3 of 3 collections) have a score of every detector" in board.notes[0]
    assert "300 draws of the collections" in " ".join(board.notes)
    values = {
        name: [row["f"] for row in grouped.rows() if row["detector"] == name and row["metric"] == "early"] for name in grouped.detectors
    }
    for name, own in values.items():
        expected = mean_interval(own, low=0.0, high=1.0, groups=groups)
        assert board[name].macro == expected
        assert expected.value == pytest.approx(np.mean(own))
        means = [np.mean(own[:6]), np.mean(own[6:9]), own[9]]
        better = [[np.mean(other[:6]), np.mean(other[6:9]), other[9]] for other in values.values()]
        ranks = [1 + sum(other[at] > mean for other in better) for at, mean in enumerate(means)]
        assert board[name].mean_rank == pytest.approx(np.mean(ranks))
    assert [each.detector for each in board.standings] == sorted(values, key=lambda name: -np.mean(values[name]))


def test_pairs_compare_the_means_of_collections(grouped):
    scores = grouped.scores("early")
    expected = compare_all(scores.detectors, scores.values, groups=list("aaaaaabbbc"))
    assert grouped.pairs("early") == expected
    separated = sum(pair.adjusted_p <= 0.05 for pair in expected)
    assert any(f"{separated} in tests by collection (3 collections)" in note for note in grouped.leaderboard(resamples=10).notes)
    for pair in expected:
        alone = grouped.compare(pair.first, pair.second, "early").pair
        assert alone == replace(pair, adjusted_p=math.nan, min_adjusted_p=math.nan)
    assert "Friedman's test over 3 collections" in " ".join(all_tables(grouped, "early")[1].notes)


def test_a_failure_leaves_out_its_series_and_not_its_collection(tmp_path):
    rows = [0] * 280 + [1] * 20
    for seed in (0, 1, 3, 4):
        (tmp_path / f"walk seed={seed}.txt").write_text("\n".join(map(str, rows)) + "\n")
    series = [
        {"generate": {"base": "walk", "length": 300, "seed": seeds, "anomalies": 2}, "group": group}
        for group, seeds in {"a": [0, 1, 2], "b": [3, 4]}.items()
    ]
    theirs = {"name": "theirs", "predictions": "{series}.txt"}
    made = rw.bench.Experiment(name="some", detectors=["z-score", theirs], series=series, folder=tmp_path, baselines=False)
    results = rw.bench.run(made, workers=1)
    board = results.leaderboard("early:f", resamples=100)
    assert "4 of 5 series (2 of 2 collections) have a score of every detector" in board.notes[0]
    scores = results.scores("early")
    pooled = sum(scores.tallies[place][0] for place in (0, 1, 3, 4)).score().f
    assert board["z-score"].pooled.value == pytest.approx(pooled, abs=1e-9)
    # With failures last, theirs is second in collection a.
    assert board["theirs"].mean_rank_all == (2.0 + rank_rows([scores.values[3:].mean(axis=0)])[0, 1]) / 2


def test_stability_covers_resamples_metrics_and_threshold_rules(results):
    stability = results.stability(resamples=200)
    assert [other.metric for other in stability.others] == [
        "early",
        "late",
        "mean_delay",
        "early@best-f",
        "late@best-f",
        "mean_delay@best-f",
    ]
    assert stability.others[0].tau == pytest.approx(1.0)
    assert "of the draws of the series, and under" in stability.summary()
    assert 0 <= stability.order_share <= 1


def test_detectors_with_the_same_score_are_not_first():
    """A threshold that no score reaches: every detector scores 0."""
    series = [{"generate": {"base": "walk", "length": 200, "seed": [0, 1], "anomalies": 2}}]
    how = {"series": series, "metrics": ["early"], "threshold": 1e9, "baselines": False}
    names = ["z-score", "moving-range", "moving-std"]
    two, three = (rw.bench.run(rw.bench.Experiment(name="tied", detectors=names[:count], **how)).stability() for count in (2, 3))
    assert two.summary().startswith(f"{two.first} and {two.tied[0]} share the best score, so none of them is first; the whole order")
    assert three.summary().startswith(f"{three.first} and 2 other detectors share the best score, so none of them is first;")
    assert "is first in" not in three.summary()


def test_kendalls_tau_equals_scipy():
    stats = pytest.importorskip("scipy.stats")
    a, b = (np.random.default_rng(seed).integers(0, 5, 12).astype(float) for seed in (1, 2))
    assert kendall_tau(a, b) == pytest.approx(stats.kendalltau(a, b).statistic)


def test_export_has_all_rows(results, tmp_path):
    for name in ("rows.csv", "rows.parquet"):
        assert results.export(tmp_path / name) == len(results.rows())
    with (tmp_path / "rows.csv").open(newline="") as file:
        assert tuple(next(csv.reader(file))) == COLUMNS
    table = pl.read_parquet(tmp_path / "rows.parquet")
    assert tuple(table.columns) == COLUMNS
    assert table["f"].to_list()[0] == results.rows()[0]["f"]
    with pytest.raises(ValueError, match=r"\.csv or \.parquet"):
        results.export(tmp_path / "rows.xlsx")


def test_tables_in_four_formats(results):
    tables = all_tables(results)
    assert [table.title.partition(",")[0] for table in tables][-3:] == ["Runs by status", "Failures", "Each series"]
    for format_name in ("text", "markdown", "latex", "csv"):
        assert "moving-z-score" in in_form(tables, format_name)


def test_page_is_self_contained_and_links_to_series_pages(results, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    links = write_series_pages(results, tmp_path / "pages", back="index.html")
    text = page_text(results, None, links)
    assert "<svg" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    ).replace("https://matplotlib.org", "")
    assert all((tmp_path / link).is_file() for link in links.values())
    assert text.count('href="pages/') >= 12
    assert "walk seed=0" in (tmp_path / links["walk seed=0"]).read_text(encoding="utf-8")


def test_page_begins_with_estimates_and_intervals(results):
    board = results.leaderboard()
    svg = ElementTree.fromstring(forest_svg(board))
    names = [text.text for text in svg.iter("text") if text.get("class") == "strong"]
    ranked = [each for each in board.standings if math.isfinite((each.pooled if board.average == "pooled" else each.macro).value)]
    assert names == [each.detector for each in ranked]
    # Larger estimates are further to the right.
    positions = [float(circle.get("cx")) for circle in svg.iter("circle")]
    values = [(each.pooled if board.average == "pooled" else each.macro).value for each in ranked]
    assert np.argsort(positions, kind="stable").tolist() == np.argsort(values, kind="stable").tolist()
    text = page_text(results, None, {})
    assert text.index("estimates and intervals") < text.index("<table")


def test_without_anomalies_there_is_a_page_but_no_diagram(tmp_path, capsys):
    (tmp_path / "plain.csv").write_text("value\n" + "".join(f"{row % 7}\n" for row in range(200)))
    several = {"name": "moving-z-score", "settings": {"window": list(range(5, 18))}}
    made = rw.bench.Experiment(name="plain", detectors=[several], series=["plain.csv"], folder=tmp_path, baselines=False)
    rw.bench.run(made, store=tmp_path / "plain.rwbench", workers=1).close()
    report = ["bench", "report", str(tmp_path / "plain.rwbench")]
    assert run([*report, "--html", str(tmp_path / "page.html")]) == 0
    assert "No series has a score under this metric, so there are no ranks." in (tmp_path / "page.html").read_text()
    assert run([*report, "--diagram", str(tmp_path / "diagram.svg")]) == 2
    assert "no series has a score under this metric, so there are no mean ranks" in " ".join(capsys.readouterr().err.split())


def test_diagram_orders_detectors_by_mean_rank(results):
    order, bars = standing_order(results, "early:f")
    ranks = [rank for _, rank in order]
    assert ranks == sorted(ranks)
    assert order[-1] == ("Raises", 5.0)
    assert all(set(bar) <= {name for name, _ in order} for bar in bars)
