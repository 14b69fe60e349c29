import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import rangewise as rw
from rangewise.bench.published_detector import PublishedDetector
from rangewise.cli import run
from rangewise.detectors import ZScore
from rangewise.generate.flaws import clean_series

SEEDS = (1, 2, 3)
METRICS = ["early", "auc_pr"]


@pytest.fixture
def folder(tmp_path):
    """Three series, and the scores and labels of a z-score on each, as others would publish them."""
    (tmp_path / "data").mkdir()
    for kind in ("scores", "labels", "ranges"):
        (tmp_path / kind).mkdir()
    long = []
    for seed in SEEDS:
        series = clean_series(seed)
        name = f"s{seed}"
        rows = {"timestamp": series.timestamps // 10**9, "value": series.values[:, 0], "label": series.labels}
        pl.DataFrame(rows).write_csv(tmp_path / "data" / f"{name}.csv")
        detector = ZScore(threshold=2.0).fit(series.values)
        scores = detector.decision_function(series.values)
        (tmp_path / "scores" / f"{name}.csv").write_text("\n".join(map(repr, scores.tolist())) + "\n")
        labels = detector.labels(scores)
        (tmp_path / "labels" / f"{name}.csv").write_text("\n".join(map(str, labels.tolist())) + "\n")
        ranges = rw.Ranges.from_labels(labels)
        (tmp_path / "ranges" / f"{name}.csv").write_text("start,stop\n" + "".join(f"{a},{b}\n" for a, b in ranges))
        long += [(f"{name}.csv", score, label) for score, label in zip(scores.tolist(), labels.tolist(), strict=True)]
    pl.DataFrame(long, schema=["file", "score", "label"], orient="row").write_csv(tmp_path / "all.csv")
    return tmp_path


def experiment(folder, *detectors, metrics=METRICS):
    return rw.bench.Experiment(name="others", detectors=list(detectors), series=["data"], metrics=metrics, folder=folder, baselines=False)


def values(found, detector):
    return {(row["series"], row["metric"]): row["value"] for row in found.rows() if row["detector"] == detector}


def test_files_of_others_score_as_the_detector_that_wrote_them(folder):
    found = rw.bench.run(
        experiment(
            folder,
            {"name": "z-score", "settings": {"threshold": 2.0}, "label": "run"},
            {"name": "scores", "scores": "scores/{series}.csv", "threshold": 2.0},
            {"name": "labels", "predictions": "labels/{stem}.csv"},
            {"name": "ranges", "predictions": "{group}/../ranges/{series}.csv"},
            {"name": "table", "scores": "all.csv", "series_column": "file", "column": "score", "threshold": 2.0},
            {"name": "table labels", "predictions": "all.csv", "series_column": "file", "column": "label"},
            {"name": "by series", "scores": "scores/{series}.csv", "threshold": {"s1": 2.0, "s2": 2.0, "s3.csv": 2.0}},
        ),
        workers=1,
    )
    expected = values(found, "run")
    assert len(expected) == 6
    assert not any(np.isnan(value) for value in expected.values())
    for name in ("scores", "table", "by series"):
        assert values(found, name) == expected
    for name in ("labels", "ranges", "table labels"):
        mine = values(found, name)
        assert all(mine[place] == value for place, value in expected.items() if place[1] == "early")
        assert all(np.isnan(mine[place]) for place in expected if place[1] == "auc_pr")
    reasons = {row["message"] for row in found.rows() if row["detector"] == "labels" and row["metric"] == "auc_pr"}
    assert reasons == {"ValueError: this metric needs one score per point, but the detector has only predictions"}


def test_only_the_scored_part_counts(folder):
    entry = {"path": "data", "train": 2000}
    for name in ("s1", "s2", "s3"):
        lines = (folder / "scores" / f"{name}.csv").read_text().split()
        (folder / "labels" / f"{name}.csv").write_text("\n".join(lines[2000:]) + "\n")
    others = [
        {"name": "whole", "scores": "scores/{series}.csv", "threshold": 2.0},
        {"name": "part", "scores": "labels/{series}.csv", "threshold": 2.0},
    ]
    made = rw.bench.Experiment(name="part", detectors=others, series=[entry], metrics=METRICS, folder=folder, baselines=False)
    found = rw.bench.run(made, workers=1)
    assert values(found, "whole") == values(found, "part")
    assert set(found.counts()) == {"ok"}


def test_missing_series_are_failures_with_a_reason(folder):
    (folder / "scores" / "s2.csv").unlink()
    (folder / "scores" / "s3.csv").write_text("1\n2\n")
    found = rw.bench.run(experiment(folder, {"name": "a", "scores": "scores/{series}.csv", "threshold": 1.0}), workers=1)
    reasons = {row["series"]: row["message"] for row in found.failures()}
    assert "no scores for this series: s2.csv does not exist" in reasons["s2.csv"]
    assert "s3.csv has 2 rows, but the series has 6000" in reasons["s3.csv"]


def test_scores_that_are_missing_fail_or_are_the_lowest(folder, capsys, monkeypatch):
    path, table = folder / "scores" / "s1.csv", pl.read_csv(folder / "all.csv")
    lines = path.read_text().split()
    gone, lowest = (0, 5998, 5999), min(lines, key=float)
    path.write_text("\n".join("nan" if row in gone else line for row, line in enumerate(lines)) + "\n")
    (folder / "filled").mkdir()
    (folder / "filled" / "s1.csv").write_text("\n".join(lowest if row in gone else line for row, line in enumerate(lines)) + "\n")
    holes = pl.Series([None if row in gone else value for row, value in enumerate(table["score"].to_list())])
    table.with_columns(score=holes).write_csv(folder / "all.csv")
    (folder / "data" / "s2.csv").unlink()
    (folder / "data" / "s3.csv").unlink()
    others = [
        {"name": "files", "scores": "scores/{series}.csv", "threshold": 2.0},
        {"name": "table", "scores": "all.csv", "series_column": "file", "column": "score", "threshold": 2.0},
        {"name": "filled", "scores": "filled/{series}.csv", "threshold": 2.0},
    ]
    found = rw.bench.run(experiment(folder, *others), workers=1)
    assert {row["detector"]: "is nan" in row["message"] for row in found.failures()} == {"files": True, "table": True}
    found = rw.bench.run(replace(experiment(folder, *others), missing="lowest"), workers=1)
    assert values(found, "files") == values(found, "table") == values(found, "filled")
    assert len(values(found, "files")) == 2
    monkeypatch.chdir(folder)
    text = 'name = "x"\nbaselines = false\n[[detector]]\nname = "files"\nscores = "scores/{series}.csv"\nthreshold = 2.0\n'
    (folder / "x.toml").write_text(text + '[[series]]\npath = "data"\n')
    assert run(["bench", "run", "x.toml", "--workers", "1"]) == 3
    assert run(["bench", "run", "x.toml", "--workers", "1", "--missing", "lowest"]) == 0
    (folder / "x.toml").write_text(f'missing = "lowest"\n{text}[[series]]\npath = "data"\n')
    assert run(["bench", "run", "x.toml", "--workers", "1"]) == 0
    capsys.readouterr()
    assert run(["bench", "run", "x.toml", "--missing", "ignore"]) == 2
    assert "would score detectors on different rows" in capsys.readouterr().err


def test_a_changed_file_is_scored_again(folder, tmp_path):
    store = tmp_path / "x.rwbench"
    made = experiment(folder, {"name": "a", "scores": "scores/{series}.csv", "threshold": 2.0}, metrics=["early"])
    first = values(rw.bench.run(made, store=store, workers=1), "a")
    lines = (folder / "scores" / "s1.csv").read_text().split()
    (folder / "scores" / "s1.csv").write_text("\n".join(["9"] * 5500 + lines[5500:]) + "\n")
    second = values(rw.bench.run(made, store=store, workers=1), "a")
    changed = {series for (series, _), value in second.items() if value != first[series, "early"]}
    assert changed == {"s1.csv"}


def test_thresholds_that_saw_the_labels_are_marked(folder):
    detectors = [
        {"name": "fair", "scores": "scores/{series}.csv", "threshold": "quantile:0.99"},
        {"name": "tuned", "scores": "scores/{series}.csv", "threshold": 2.0, "threshold_saw_labels": True},
    ]
    found = rw.bench.run(experiment(folder, *detectors, metrics=["early"]), workers=1)
    assert found.saw_labels() == ["tuned"]
    text = str(found.leaderboard(resamples=10))
    assert "Published thresholds that were chosen with the labels: tuned." in text
    assert "learned from all rows" not in text


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"scores": "x/{series}.csv"}, "needs a name"),
        ({"name": "a", "scores": "x/{series}.csv"}, "scores need a threshold"),
        ({"name": "a", "scores": "x.csv", "threshold": 1}, "is one file for all series; put {series}"),
        ({"name": "a", "scores": "x.csv", "threshold": 1, "series_column": "f"}, "give the column of the table"),
        ({"name": "a", "predictions": "x/{series}.csv", "threshold": 1}, "predictions have no threshold"),
        ({"name": "a", "predictions": "x/{series}.csv", "scores": "y/{series}.csv"}, "has both scores and predictions"),
        ({"name": "a", "scores": 5, "threshold": 1}, "must be a path such as"),
        ({"name": "a", "scores": "x/{series}.csv", "threshold": "best-f"}, "uses labels"),
        ({"name": "a", "scores": "x/{series}.csv", "treshold": 1}, "did you mean 'threshold'"),
    ],
)
def test_bad_entries(folder, entry, says):
    with pytest.raises(ValueError, match=says):
        experiment(folder, entry)


def test_a_table_without_the_series_or_with_text(folder):
    assert PublishedDetector("a", "predictions", "x/{series}.csv").path("v/1.csv.gz", "g").as_posix() == "x/v/1.csv"
    (folder / "few.csv").write_text("file,score\ns1.csv,1\n")
    (folder / "text.csv").write_text("file,score\ns1.csv,high\n")
    entries = [
        {"name": name, "scores": f"{name}.csv", "series_column": "file", "column": "score", "threshold": 1.0} for name in ("few", "text")
    ]
    found = rw.bench.run(experiment(folder, *entries, metrics=["early"]), workers=1)
    reasons = {(row["detector"], row["series"]): row["message"] for row in found.failures()}
    assert "has no rows of this series" in reasons["few", "s2.csv"]
    assert "must contain only numbers" in reasons["text", "s1.csv"]


TOML = """
name = "others"
baselines = false
[[series]]
path = "data"
[[detector]]
name = "z-score"
[[metric]]
model = "early"
"""


def test_import_and_manifest_by_command(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "exp.toml").write_text(TOML)
    words = ["bench", "import", "exp.toml", "--scores", "them=scores/{series}.csv", "--threshold", "them=2", "--workers", "1"]
    assert run([*words, "--predictions", "labels=labels/{series}.csv", "--saw-labels", "them"]) == 0
    assert capsys.readouterr().out == "them: 3 ok\nlabels: 3 ok\n"
    assert run(["bench", "manifest", "others.rwbench", "--out", "m.json"]) == 0
    content = json.loads((folder / "m.json").read_text())
    assert {row["detector"] for row in content["runs"]} == {"z-score", "them", "labels"}
    by_detector = {(row["detector"], row["series"]): row for row in content["runs"]}
    assert by_detector["them", "s1.csv"]["prediction_sha256"] == by_detector["labels", "s1.csv"]["prediction_sha256"]
    assert run([*words, "--predictions", "labels=labels/{series}.csv", "--store", "again.rwbench"]) == 0
    assert run(["bench", "manifest", "again.rwbench", "--check", "m.json"]) == 0
    assert "the same series, predictions and scores" in capsys.readouterr().out
    (folder / "labels" / "s2.csv").write_text("\n".join(["1"] * 6000) + "\n")
    assert run([*words, "--predictions", "labels=labels/{series}.csv", "--store", "other.rwbench"]) == 0
    capsys.readouterr()
    assert run(["bench", "manifest", "other.rwbench", "--check", "m.json"]) == 1
    out = capsys.readouterr().out
    assert "labels on s2.csv has a different prediction" in out
    assert "labels on s2.csv: early is" in out


def test_commands_complain_in_one_line(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "exp.toml").write_text(TOML)
    (folder / "no.json").write_text("{")
    rw.bench.run("exp.toml", store="x.rwbench", workers=1)
    for words, says in (
        (["import", "exp.toml"], "nothing to import"),
        (["import", "exp.toml", "--scores", "a"], "--scores is NAME=VALUE; got 'a'"),
        (["import", "exp.toml", "--scores", "a=x/{series}"], "scores need a threshold"),
        (["import", "exp.toml", "--predictions", "a=x/{series}", "--threshold", "b=1"], "b is not one of the detectors to import: a"),
        (["manifest", "x.rwbench", "--check", "no.json"], "no.json is not a manifest"),
        (["manifest", "absent.rwbench"], "absent.rwbench"),
    ):
        assert run(["bench", *words]) == 2
        assert says in capsys.readouterr().err
