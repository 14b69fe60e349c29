"""``--baselines`` of compare and ranking."""

import json

import numpy as np
import pytest

from rangewise.cli import run
from rangewise.detectors import ONE_LINERS
from rangewise.metrics import auc_pr, point_adjust_fbeta, point_fbeta

REAL = np.repeat([0, 1, 0, 1, 0], [40, 20, 60, 30, 50])
GOOD = np.roll(REAL, 4)
DOTS = np.zeros(200, dtype=int)
DOTS[[50, 130]] = 1


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scores = REAL + np.random.default_rng(0).random(200)
    for name, values in {"real": REAL, "good": GOOD, "dots": DOTS, "scores": scores}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, values)))
    (tmp_path / "ranges.csv").write_text("start,end\n40,60\n")
    (tmp_path / "times.csv").write_text("start,end\n2024-05-01T10:00,2024-05-01T10:30\n")
    return scores


def invoke(capsys, *words):
    code = run(list(words))
    out, error = capsys.readouterr()
    return code, out, error


def compare_with_chance(capsys, *words):
    code, out, error = invoke(capsys, "compare", *words, "--baselines", "chance", "--json")
    assert (code, error) == (0, "")
    result = json.loads(out)
    rows = {row["detector"]: {name: cell["value"] for name, cell in row["metrics"].items()} for row in result["detectors"]}
    return rows, result["baselines"]


def test_labels_have_a_random_baseline_each_and_all_ones(files, capsys):
    metrics = ["--metric", "point_fbeta", "--metric", "point_adjust_fbeta"]
    rows, baselines = compare_with_chance(capsys, "real.txt", "good.txt", "dots.txt", *metrics)
    assert baselines == ["random:good", "random:dots", "all ones"]
    assert rows["good"]["point_fbeta"] == point_fbeta(REAL, GOOD)
    assert rows["all ones"]["point_fbeta"] == point_fbeta(REAL, np.ones(200, dtype=int))
    random_scores = []
    for seed in range(10):
        labels = np.zeros(200, dtype=int)
        labels[np.random.default_rng(seed).choice(200, 50, replace=False)] = 1
        random_scores.append(point_adjust_fbeta(REAL, labels))
    assert rows["random:good"]["point_adjust_fbeta"] == pytest.approx(np.mean(random_scores))
    assert rows["random:dots"]["point_fbeta"] < 0.1


def test_scores_have_a_permuted_baseline_each_and_a_constant(files, capsys):
    rows, baselines = compare_with_chance(capsys, "real.txt", "scores.txt", "--metric", "auc_pr")
    assert baselines == ["random:scores", "constant"]
    assert rows["scores"]["auc_pr"] == auc_pr(REAL, files)
    assert rows["constant"]["auc_pr"] == 0.25
    random_scores = [auc_pr(REAL, np.random.default_rng(seed).permutation(files)) for seed in range(10)]
    assert rows["random:scores"]["auc_pr"] == pytest.approx(np.mean(random_scores))


def test_all_ones_has_metrics_of_scores_and_labels(files, capsys):
    rows, _ = compare_with_chance(capsys, "real.txt", "good.txt", "--metric", "auc_pr", "--metric", "point_fbeta")
    assert rows["all ones"] == {"auc_pr": 0.25, "point_fbeta": 0.4}


def test_names_detectors_that_are_no_better_than_a_baseline(files, capsys):
    code, out, _ = invoke(
        capsys, "compare", "real.txt", "good.txt", "dots.txt", "--metric", "range_fbeta", "--metric", "event_fbeta", "--baselines", "chance"
    )
    assert code == 0
    assert "dots is no better than a baseline under range_fbeta, event_fbeta\n" in out
    assert "good is no better than a baseline under event_fbeta\n" in out


def test_ranking_includes_baselines(files, capsys):
    code, out, _ = invoke(capsys, "ranking", "real.txt", "good.txt", "dots.txt", "--baselines", "chance")
    assert code == 0
    assert "good is never below" in out
    assert "random:good" in out
    code, out, _ = invoke(capsys, "ranking", "real.txt", "scores.txt", "--threshold", "equal-share:0.2", "--baselines", "chance")
    assert code == 0
    assert "random:scores" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("compare", "ranges.csv", "ranges.csv"),
            "needs the number of points, which ranges do not contain; give labels, --times or --length",
        ),
        (("compare", "times.csv", "times.csv"), "these ranges are times: give a grid, e.g. --step 1min"),
        (("ranking", "real.txt", "scores.txt", "--threshold", "scores=0.5"), "--baselines needs one policy for all detectors"),
    ],
)
def test_rejects_input_without_random_baselines(words, message, files, capsys):
    code, _, error = invoke(capsys, *words, "--baselines", "chance")
    assert code == 2
    assert message in error
    assert error.count("\n") == 1


def test_one_liner_baselines_use_the_values(files, tmp_path, capsys):
    values = np.random.default_rng(3).normal(size=200) + 4 * REAL
    lines = [f"{value:.4f},{label}" for value, label in zip(values, REAL, strict=True)]
    (tmp_path / "series.csv").write_text("\n".join(["Data,Label", *lines]) + "\n")
    code, out, error = invoke(
        capsys, "compare", "series.csv", "scores.txt", "--metric", "auc_pr", "--baselines", "value,moving-std,constant", "--json"
    )
    assert (code, error) == (0, "")
    result = json.loads(out)
    assert result["baselines"] == ["value", "moving-std", "constant"]
    rows = {row["detector"]: row["metrics"]["auc_pr"]["value"] for row in result["detectors"]}
    assert rows["value"] == pytest.approx(auc_pr(REAL, np.round(values, 4)))
    _, out, _ = invoke(capsys, "compare", "series.csv", "good.txt", "--metric", "point_fbeta", "--baselines", "one-liners", "--json")
    assert json.loads(out)["baselines"] == list(ONE_LINERS)
    detector = ONE_LINERS["moving-std"]().fit(np.round(values, 4))
    scores_by_name = {row["detector"]: row["metrics"]["point_fbeta"]["value"] for row in json.loads(out)["detectors"]}
    assert scores_by_name["moving-std"] == point_fbeta(REAL, detector.predict(np.round(values, 4)))
    code, out, _ = invoke(capsys, "ranking", "series.csv", "good.txt", "--baselines", "value")
    assert code == 0
    assert "value" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("real.txt", "good.txt", "--baselines", "value"), "real.txt does not have one value per row"),
        (("real.txt", "good.txt", "--baselines", "chanse"), "did you mean 'chance'?"),
        (
            ("real.txt", "constant=scores.txt", "--metric", "auc_pr", "--baselines", "chance"),
            "a detector has the name of the baseline constant",
        ),
    ],
)
def test_rejects_wrong_baselines(words, message, files, capsys):
    code, _, error = invoke(capsys, "compare", *words)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1
