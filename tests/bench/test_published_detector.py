import json
import math
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
    """Three series with the scores, labels and ranges of a z-score, in files as other people would publish them."""
    (tmp_path / "data").mkdir()
    for kind in ("scores", "labels", "ranges"):
        (tmp_path / kind).mkdir()
    all_rows = []
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
        all_rows += [(f"{name}.csv", score, label) for score, label in zip(scores.tolist(), labels.tolist(), strict=True)]
    pl.DataFrame(all_rows, schema=["file", "score", "label"], orient="row").write_csv(tmp_path / "all.csv")
    return tmp_path


def experiment(folder, *detectors, metrics=METRICS):
    return rw.bench.Experiment(name="others", detectors=list(detectors), series=["data"], metrics=metrics, folder=folder, baselines=False)


def values(results, detector):
    return {(row["series"], row["metric"]): row["value"] for row in results.rows() if row["detector"] == detector}


def test_published_files_score_like_the_detector_that_wrote_them(folder):
    results = rw.bench.run(
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
    expected = values(results, "run")
    assert len(expected) == 6
    assert not any(np.isnan(value) for value in expected.values())
    for name in ("scores", "table", "by series"):
        assert values(results, name) == expected
    for name in ("labels", "ranges", "table labels"):
        published = values(results, name)
        assert all(published[key] == value for key, value in expected.items() if key[1] == "early")
        assert all(np.isnan(published[key]) for key in expected if key[1] == "auc_pr")
    reasons = {row["message"] for row in results.rows() if row["detector"] == "labels" and row["metric"] == "auc_pr"}
    assert reasons == {"ValueError: this metric needs one score per point, but the detector has only predictions"}


def test_published_scores_may_omit_the_training_part(folder):
    entry = {"path": "data", "train": 2000}
    for name in ("s1", "s2", "s3"):
        lines = (folder / "scores" / f"{name}.csv").read_text().split()
        (folder / "labels" / f"{name}.csv").write_text("\n".join(lines[2000:]) + "\n")
    detectors = [
        {"name": "whole", "scores": "scores/{series}.csv", "threshold": 2.0},
        {"name": "part", "scores": "labels/{series}.csv", "threshold": 2.0},
    ]
    experiment_with_training = rw.bench.Experiment(
        name="part", detectors=detectors, series=[entry], metrics=METRICS, folder=folder, baselines=False
    )
    results = rw.bench.run(experiment_with_training, workers=1)
    assert values(results, "whole") == values(results, "part")
    assert set(results.counts()) == {"ok"}


def test_missing_series_fail_with_a_reason(folder):
    (folder / "scores" / "s2.csv").unlink()
    (folder / "scores" / "s3.csv").write_text("1\n2\n")
    results = rw.bench.run(experiment(folder, {"name": "a", "scores": "scores/{series}.csv", "threshold": 1.0}), workers=1)
    reasons = {row["series"]: row["message"] for row in results.failures()}
    assert "no scores for this series: s2.csv does not exist" in reasons["s2.csv"]
    assert "s3.csv has 2 rows, but the series has 6000" in reasons["s3.csv"]


def test_missing_scores_fail_or_become_the_lowest(folder, capsys, monkeypatch):
    path, table = folder / "scores" / "s1.csv", pl.read_csv(folder / "all.csv")
    lines = path.read_text().split()
    missing, lowest = (0, 5998, 5999), min(lines, key=float)
    path.write_text("\n".join("nan" if row in missing else line for row, line in enumerate(lines)) + "\n")
    (folder / "filled").mkdir()
    (folder / "filled" / "s1.csv").write_text("\n".join(lowest if row in missing else line for row, line in enumerate(lines)) + "\n")
    scores_with_nulls = pl.Series([None if row in missing else value for row, value in enumerate(table["score"].to_list())])
    table.with_columns(score=scores_with_nulls).write_csv(folder / "all.csv")
    (folder / "data" / "s2.csv").unlink()
    (folder / "data" / "s3.csv").unlink()
    detectors = [
        {"name": "files", "scores": "scores/{series}.csv", "threshold": 2.0},
        {"name": "table", "scores": "all.csv", "series_column": "file", "column": "score", "threshold": 2.0},
        {"name": "filled", "scores": "filled/{series}.csv", "threshold": 2.0},
    ]
    results = rw.bench.run(experiment(folder, *detectors), workers=1)
    assert {row["detector"]: "is nan" in row["message"] for row in results.failures()} == {"files": True, "table": True}
    results = rw.bench.run(replace(experiment(folder, *detectors), missing="lowest"), workers=1)
    assert values(results, "files") == values(results, "table") == values(results, "filled")
    assert len(values(results, "files")) == 2
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


def test_changed_file_is_scored_again(folder, tmp_path):
    store = tmp_path / "x.rwbench"
    changing = experiment(folder, {"name": "a", "scores": "scores/{series}.csv", "threshold": 2.0}, metrics=["early"])
    first = values(rw.bench.run(changing, store=store, workers=1), "a")
    lines = (folder / "scores" / "s1.csv").read_text().split()
    (folder / "scores" / "s1.csv").write_text("\n".join(["9"] * 5500 + lines[5500:]) + "\n")
    second = values(rw.bench.run(changing, store=store, workers=1), "a")
    changed = {series for (series, _), value in second.items() if value != first[series, "early"]}
    assert changed == {"s1.csv"}


def test_leaderboard_notes_thresholds_chosen_with_labels(folder):
    detectors = [
        {"name": "fair", "scores": "scores/{series}.csv", "threshold": "quantile:0.99"},
        {"name": "tuned", "scores": "scores/{series}.csv", "threshold": 2.0, "threshold_saw_labels": True},
    ]
    results = rw.bench.run(experiment(folder, *detectors, metrics=["early"]), workers=1)
    assert results.saw_labels() == ["tuned"]
    text = str(results.leaderboard(resamples=10))
    assert "Published thresholds that were chosen with the labels: tuned." in text
    assert "learned from all rows" not in text


def test_a_flag_that_is_added_later_is_shown(folder, tmp_path):
    tuned = {"name": "tuned", "scores": "scores/{series}.csv", "threshold": 2.0}
    store = tmp_path / "later.rwbench"
    assert rw.bench.run(experiment(folder, tuned, metrics=["early"]), store=store, workers=1).saw_labels() == []
    flagged = experiment(folder, {**tuned, "threshold_saw_labels": True}, metrics=["early"])
    assert rw.bench.run(flagged, store=store, workers=1).saw_labels() == ["tuned"]


@pytest.mark.parametrize(
    ("entry", "message"),
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
        ({"name": "a", "scores": "x/{series}.csv", "threshold": math.nan}, "threshold is nan, so nothing would be predicted"),
        ({"name": "a", "scores": "x/{series}.csv", "threshold": {"s1": math.nan}}, "threshold of s1 is nan"),
        ({"name": "a", "scores": "x/{series}.csv", "threshold": 1, "column": 3}, "column must be a text; got 3"),
        (
            {"name": "a", "scores": "x/{series}.csv", "threshold": 1, "threshold_saw_labels": "false"},
            "threshold_saw_labels must be true or false, without quotes; got 'false'",
        ),
    ],
)
def test_rejects_bad_entries(folder, entry, message):
    with pytest.raises(ValueError, match=message):
        experiment(folder, entry)


def test_tables_without_the_series_or_with_text_fail(folder):
    assert PublishedDetector("a", "predictions", "x/{series}.csv").path("v/1.csv.gz", "g").as_posix() == "x/v/1.csv"
    (folder / "few.csv").write_text("file,score\ns1.csv,1\n")
    (folder / "text.csv").write_text("file,score\ns1.csv,high\n")
    entries = [
        {"name": name, "scores": f"{name}.csv", "series_column": "file", "column": "score", "threshold": 1.0} for name in ("few", "text")
    ]
    results = rw.bench.run(experiment(folder, *entries, metrics=["early"]), workers=1)
    reasons = {(row["detector"], row["series"]): row["message"] for row in results.failures()}
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


def test_import_and_manifest_commands(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "exp.toml").write_text(TOML)
    arguments = ["bench", "import", "exp.toml", "--scores", "them=scores/{series}.csv", "--threshold", "them=2", "--workers", "1"]
    assert run([*arguments, "--predictions", "labels=labels/{series}.csv", "--saw-labels", "them"]) == 0
    assert capsys.readouterr().out == "them: 3 ok\nlabels: 3 ok\n"
    assert run(["bench", "manifest", "others.rwbench", "--out", "m.json"]) == 0
    content = json.loads((folder / "m.json").read_text())
    assert {row["detector"] for row in content["runs"]} == {"z-score", "them", "labels"}
    by_detector = {(row["detector"], row["series"]): row for row in content["runs"]}
    assert by_detector["them", "s1.csv"]["prediction_sha256"] == by_detector["labels", "s1.csv"]["prediction_sha256"]
    assert run([*arguments, "--predictions", "labels=labels/{series}.csv", "--store", "again.rwbench"]) == 0
    assert run(["bench", "manifest", "again.rwbench", "--check", "m.json"]) == 0
    assert "the same series, predictions and scores" in capsys.readouterr().out
    (folder / "labels" / "s2.csv").write_text("\n".join(["1"] * 6000) + "\n")
    assert run([*arguments, "--predictions", "labels=labels/{series}.csv", "--store", "other.rwbench"]) == 0
    capsys.readouterr()
    assert run(["bench", "manifest", "other.rwbench", "--check", "m.json"]) == 1
    output = capsys.readouterr().out
    assert "labels on s2.csv has a different prediction" in output
    assert "labels on s2.csv: early is" in output


def test_import_into_an_experiment_with_several_rules(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "exp.toml").write_text(TOML + '[threshold]\nrule = ["own", "best-f"]\n')
    words = ["bench", "import", "exp.toml", "--scores", "them=scores/{series}.csv", "--threshold", "them=2", "--workers", "1"]
    assert run(words) == 0
    assert capsys.readouterr().out == "them: 3 ok\n"
    found = rw.bench.read("others.rwbench")
    assert [metric.label for metric in found.metrics] == ["early", "early@best-f"]
    assert {metric.rule for metric in found.metrics} == {"own", "best-f"}
    by_metric = {row["metric"]: row["f"] for row in found.rows() if row["detector"] == "them" and row["series"] == "s1.csv"}
    assert by_metric["early@best-f"] >= by_metric["early"]


def test_an_import_that_fails_says_why_with_exit_code_3(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "exp.toml").write_text(TOML)
    assert run(["bench", "import", "exp.toml", "--scores", "them=nowhere/{series}.csv", "--threshold", "them=2"]) == 3
    out = capsys.readouterr().out
    assert out.startswith("them: 3 error\n")
    assert "no scores for this series: s1.csv does not exist" in " ".join(out.split())


def test_commands_report_errors(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "exp.toml").write_text(TOML)
    (folder / "no.json").write_text("{")
    (folder / "list.json").write_text("[]")
    (folder / "part.json").write_text('{"format": 1, "series": [{}], "runs": 3}')
    rw.bench.run("exp.toml", store="x.rwbench", workers=1)
    for arguments, message in (
        (["import", "exp.toml"], "nothing to import"),
        (["import", "exp.toml", "--scores", "a"], "--scores is NAME=VALUE; got 'a'"),
        (["import", "exp.toml", "--scores", "a=x/{series}"], "scores need a threshold"),
        (["import", "exp.toml", "--predictions", "a=x/{series}", "--threshold", "b=1"], "b is not one of the detectors to import: a"),
        (["manifest", "x.rwbench", "--check", "no.json"], "no.json is not a manifest"),
        (["manifest", "x.rwbench", "--check", "list.json"], "list.json is not a manifest: expected a manifest of format 1"),
        (["manifest", "x.rwbench", "--check", "part.json"], "part.json is not a manifest: it does not have the content"),
        (["manifest", "absent.rwbench"], "absent.rwbench"),
    ):
        assert run(["bench", *arguments]) == 2
        assert message in capsys.readouterr().err
