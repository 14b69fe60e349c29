import json

import polars as pl
import pytest

from rangewise.cli import run

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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["missing.csv", *COLUMNS], "missing.csv does not exist"), (["missing.csv"], "--series, --real and --scores")],
)
def test_bad_input_exits_with_2_and_one_line(capsys, arguments, message):
    assert run(["curve", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
