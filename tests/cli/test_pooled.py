import json

import numpy as np
import polars as pl
import pytest

import rangewise as rw
from rangewise.cli import run
from rangewise.number_text import share_text, threshold_text

COLUMNS = ["--series", "s", "--real", "y", "--scores", "x"]


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_one_threshold_for_all_series(tmp_path, capsys, name):
    frame = pl.DataFrame({"s": ["a", "a", "b", "b"], "y": [0, 1, 1, 0], "x": [0.1, 0.9, 0.4, 0.2]})
    frame.write_csv(tmp_path / "table.csv")
    frame.write_parquet(tmp_path / "table.parquet")
    assert run(["curve", str(tmp_path / name), *COLUMNS, "--json", "--csv", str(tmp_path / "curve.csv")]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["best_threshold"], result["f"], result["thresholds"]) == (0.4, 1.0, 4)
    assert len((tmp_path / "curve.csv").read_text().splitlines()) == 5


def test_max_alert_rate(tmp_path, capsys):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"s": np.repeat(["a", "b"], 100), "y": rng.random(200) < 0.3, "x": rng.random(200)})
    frame.write_parquet(path := str(tmp_path / "table.parquet"))
    curve = rw.pooled_curve(frame, series="s", real="y", scores="x")
    words = ["curve", path, *COLUMNS, "--max-alert-rate", "0.1"]
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == curve.to_dict(max_alert_rate=0.1) != curve.to_dict()
    assert run(words) == 0
    best, out = curve.best(max_alert_rate=0.1), capsys.readouterr().out
    assert f"best threshold     {threshold_text(best.threshold)}\n" in out
    assert f"  alert rate       {share_text(best.alert_rate)} of all points\n" in out
    assert run([*words[:-1], "0.001"]) == 2
    assert capsys.readouterr().err == "rangewise: every threshold predicts more than 0.1 % of the points; raise --max-alert-rate\n"
    assert run([*words, "--threshold", "0.5"]) == 2
    assert "--threshold sets the threshold, so --max-alert-rate has nothing to search" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["missing.csv", *COLUMNS], "missing.csv does not exist"), (["missing.csv"], "--series, --real and --scores")],
)
def test_bad_input_exits_with_2_and_one_line(capsys, arguments, message):
    assert run(["curve", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
