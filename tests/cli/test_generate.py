import os
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

from rangewise.cli import run
from rangewise.datasets import generate


def test_recipe_reproduces_the_series(tmp_path, capsys):
    out, again = tmp_path / "series.csv", tmp_path / "again.parquet"
    assert run(["generate", str(out), "--length", "3000", "--seed", "5", "--kind", "mean", "--kind", "trend", "--number", "4"]) == 0
    assert "3,000 points, 4 real ranges" in capsys.readouterr().out
    marked = tmp_path / "marked.json"
    marked.write_text((tmp_path / "series.csv.recipe.json").read_text(), encoding="utf-8-sig")  # as Windows writes it
    assert run(["generate", str(again), "--recipe", str(marked), "--workers", "3"]) == 0
    assert pl.read_csv(out)["value"].to_list() == pl.read_parquet(again)["value"].to_list()
    assert (tmp_path / "series.csv.recipe.json").read_text() == (tmp_path / "again.parquet.recipe.json").read_text()


def test_defaults_are_those_of_the_library(tmp_path):
    out = tmp_path / "series.parquet"
    assert run(["generate", str(out)]) == 0
    table, series = pl.read_parquet(out), generate()
    assert table["value"].to_list() == series.values[:, 0].tolist()
    assert table["is_anomaly"].to_list() == series.labels.tolist()


def test_every_option_reaches_the_series(tmp_path):
    out = tmp_path / "series.csv"
    options = "--base seasonal --length 5000 --seed 2 --noise 0.1 --period 50 --low -1 --high 3 --channels 2 --kind platform"
    more = "--rate 0.1 --lengths 20 30 --gap 40 --strength 2 3 --part 1000 4000 --workers 2"
    assert run(["generate", str(out), *options.split(), *more.split()]) == 0
    table = pl.read_csv(out)
    rows = table["is_anomaly"].arg_true() if table["is_anomaly"].dtype == pl.Boolean else (table["is_anomaly"] == 1).arg_true()
    assert table.columns == ["timestamp", "value-0", "value-1", "is_anomaly"]
    assert rows.min() >= 1000
    assert rows.max() < 4000
    assert len(rows) == pytest.approx(300, rel=0.2)


def test_augments_a_users_file_and_its_recipe_finds_it(tmp_path):
    own, out = tmp_path / "own.csv", tmp_path / "made" / "out.csv"
    out.parent.mkdir()
    pl.DataFrame({"load": [float(row % 50) for row in range(2000)], "other": ["x"] * 2000}).write_csv(own)
    assert run(["generate", str(out), "--base", str(own), "--kind", "extremum", "--number", "3"]) == 0
    assert run(["generate", str(tmp_path / "again.csv"), "--recipe", f"{out}.recipe.json"]) == 0
    assert out.read_bytes() == (tmp_path / "again.csv").read_bytes()
    assert run(["generate", str(tmp_path / "third.csv"), "--recipe", str(tmp_path / "again.csv.recipe.json")]) == 0
    own.write_text(own.read_text().replace("49.0", "48.0", 1))
    assert run(["generate", str(tmp_path / "fourth.csv"), "--recipe", f"{out}.recipe.json"]) == 2
    assert not (tmp_path / "fourth.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x.txt"], "the suffix must be"),
        (["none/x.csv"], "the folder none does not exist"),
        (["x.csv", "--base", "sinus"], "did you mean 'sine'"),
        (["x.csv", "--base", "own"], "give its CSV or Parquet file"),
        (["x.csv", "--base", "none.csv"], "none.csv does not exist"),
        (["x.csv", "--base", "own.csv", "--length", "5"], "keeps its length"),
        (["own.csv", "--base", "own.csv"], "write to another file"),
        (["x.csv", "--column", "a"], "give that file with --base"),
        (["x.csv", "--kind", "mena"], "did you mean 'mean'"),
        (["x.csv", "--rate", "0.99"], "do not fit"),
        (["x.csv", "--lengths", "5000", "20000"], "do not fit in 10000 rows"),
        (["x.csv", "--length", "0"], "length is 1 or more"),
        (["x.csv", "--workers", "0"], "workers is 1 or more"),
        (["x.csv", "--recipe", "none.json"], "none.json does not exist"),
        (["x.csv", "--recipe", "own.csv"], "own.csv: a recipe is JSON"),
        (["x.csv", "--recipe", "none.json", "--kind", "mean"], "leave out --kind"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text("value\n1\n2\n")
    assert run(["generate", *arguments]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert output.err.count("\n") == 1
    assert output.out == ""
    assert sorted(os.listdir(tmp_path)) == ["own.csv"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_interrupt_leaves_no_files(tmp_path, suffix):
    command = [sys.executable, "-m", "rangewise", "generate", str(tmp_path / f"long.{suffix}"), "--length", "2000000000"]
    # A test run in the background ignores Ctrl-C, and so would its child.
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
    )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not any(path.stat().st_size for path in tmp_path.glob(f".*{suffix}")):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, errors) == (130, "rangewise: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_rejects_recipe_with_too_many_anomalies(tmp_path, capsys):
    """A few hundred bytes ask for a plan of more than a gigabyte."""
    from rangewise.generate.recipe import Recipe

    (tmp_path / "recipe.json").write_text(Recipe(length=32_147_483_647).to_json())
    assert run(["generate", str(tmp_path / "made.csv"), "--recipe", str(tmp_path / "recipe.json")]) == 2
    assert "a plan of the anomalies in 32147483647 rows would take 1.37 GB of memory" in capsys.readouterr().err
    assert not (tmp_path / "made.csv").exists()
