import json

import numpy as np
import pytest

from rangewise.cli import run
from rangewise.datasets import generate
from rangewise.detectors import DETECTORS, ZScore


@pytest.fixture
def folder(tmp_path, monkeypatch):
    series = generate("sine", length=600, seed=3, anomalies=2)
    rows = "".join(f"{value},{label}\n" for value, label in zip(series.values[:, 0], series.labels, strict=True))
    (tmp_path / "series.csv").write_text(f"value,label\n{rows}")
    times = "".join(f"2024-01-01 {hour:02}:{minute:02}:00,{hour + minute % 7}\n" for hour in range(24) for minute in range(60))
    (tmp_path / "times.csv").write_text(f"timestamp,value\n{times}")
    (tmp_path / "plain.csv").write_text("a,b\n" + "".join(f"{i % 5},{i % 3}\n" for i in range(100)))
    (tmp_path / "holes.csv").write_text("timestamp,value\n1,2.0\n2,nan\n3,4.0\n4,5.0\n")
    (tmp_path / "empty.csv").write_text("timestamp,a,b,label\n1,2.0,1,0\n2,,3,0\n3,4.0,2,1\n4,5.0,2,0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(capsys, text):
    code = run(text.split())
    out, error = capsys.readouterr()
    return code, out, error


@pytest.mark.parametrize("detector", [name for name in DETECTORS if name not in ("lstm-ad", "greenhouse", "luminol-bitmap")])
def test_output_can_be_scored(folder, capsys, detector):
    code, out, error = invoke(capsys, f"detect series.csv --detector {detector} --train 0:200 --out pred.csv --scores")
    assert (code, error) == (0, "")
    assert out.startswith("pred.csv: ")
    assert (folder / "pred.csv").read_text().startswith("row,score,label\n0,")
    code, out, error = invoke(capsys, "score series.csv pred.csv --json")
    assert (code, error) == (0, "")
    assert 0 <= json.loads(out)["f"] <= 1


def test_networks_are_reproducible(folder, capsys):
    arguments = "--train 0:500 --set hidden=4 --set epochs=1 --seed 2"
    for detector, more in (("lstm-ad", "--use-labels --preset early --set sequence=30"), ("greenhouse", "")):
        code, _, error = invoke(capsys, f"detect series.csv --detector {detector} {arguments} {more} --out one.csv --force")
        assert code == 0, error
        invoke(capsys, f"detect series.csv --detector {detector} {arguments} {more} --out two.csv --force")
        assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()


def test_training_labels_choose_the_threshold(folder, capsys):
    _, out, _ = invoke(capsys, "detect series.csv --detector z-score --threshold best-f --use-labels --preset early")
    labels = np.array([int(line.rpartition(",")[2]) for line in out.splitlines()[1:]])
    assert out.startswith("row,label\n")
    assert 0 < labels.sum() < 300


def test_timestamps_are_kept(folder, capsys):
    _, out, _ = invoke(capsys, "detect times.csv --detector moving-z-score --set window=30")
    assert out.splitlines()[0] == "timestamp,label"
    assert out.splitlines()[1].startswith("2024-01-01T00:00:00")
    assert len(out.splitlines()) == 1 + 24 * 60


def test_table_with_values_only(folder, capsys):
    code, out, _ = invoke(capsys, "detect plain.csv --detector z-score")
    assert code == 0
    assert len(out.splitlines()) == 101


def test_save_and_load(folder, capsys):
    assert invoke(capsys, "detect series.csv --detector z-score --train 0:300 --threshold sigma:2 --save fitted --out one.csv")[0] == 0
    assert invoke(capsys, "detect series.csv --load fitted --out two.csv")[0] == 0
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()


def test_fallback_prints_a_note(folder, capsys):
    code, _, error = invoke(capsys, "detect series.csv --detector luminol-bitmap")
    assert code == 0
    assert error.startswith("rangewise: note: the bitmap's windows of 7 and 7 points are too short for a series of 600: 14 < 50")
    assert error.count("\n") == 1


@pytest.mark.parametrize("file", ["holes.csv", "empty.csv"])
def test_imputes_missing_values(folder, capsys, file):
    code, out, _ = invoke(capsys, f"detect {file} --detector z-score --impute linear")
    assert code == 0
    assert len(out.splitlines()) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("series.csv", "give either --detector"),
        ("series.csv --detector z-score --load fitted", "give either --detector"),
        ("series.csv --detector zscore", "did you mean 'z-score'"),
        ("series.csv --detector z-score --train 5", "--train takes rows as FIRST:STOP"),
        ("series.csv --detector z-score --train 5:five", "--train takes rows as FIRST:STOP"),
        ("series.csv --detector z-score --train 5:601", "not a range FIRST:STOP within the 600 rows"),
        ("series.csv --detector z-score --threshold high", "a threshold must be a number"),
        ("series.csv --detector z-score --threshold best-f", "add --use-labels"),
        ("plain.csv --detector z-score --threshold best-f --use-labels", "--use-labels needs labels, but plain.csv has none"),
        ("plain.csv --detector sub-pca --use-labels", "--use-labels needs labels, but plain.csv has none"),
        ("series.csv --detector z-score --threshold best-f --use-labels --train 0:9", "no training row (0:9) is labeled anomalous"),
        ("series.csv --detector z-score --preset early", "uses no model"),
        ("series.csv --detector z-score --seed 1", "--seed is for detectors"),
        ("series.csv --detector moving-z-score --set windw=3", "a name of window"),
        ("series.csv --detector moving-z-score --set window=x", "whole number"),
        ("series.csv --detector z-score --out nowhere/pred.csv", "nowhere"),
        ("series.csv --load series.csv", "not a detector that was saved"),
        ("series.csv --load fitted --train 0:5", "leave out --train"),
        ("series.csv --load fitted --close-gaps 5", "leave out --close-gaps"),
        ("series.csv --detector z-score --close-gaps -1", "--close-gaps is 0 or more; got -1"),
        ("holes.csv --detector z-score", "fill or drop it, or use --impute linear or --impute previous"),
        ("empty.csv --detector z-score", "row 1, channel 0 is nan (1 value is not finite)"),
        ("missing.csv --detector z-score", "missing.csv does not exist"),
        ("series.csv --detector greenhouse --train 0:20", "too short"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(folder, capsys, arguments, message):
    ZScore().fit([1.0, 2.0]).save(folder / "fitted")
    code, out, error = invoke(capsys, f"detect {arguments}")
    assert (code, out) == (2, "")
    assert error.startswith("rangewise: ")
    assert message in error.splitlines()[-1]
