import json

import polars as pl
import pytest

from rangewise.cli import run


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"name": ["a", "a", "b", "b", "c", "c"], "label": [0, 1, 1, 1, 0, 0], "guess": [0, 1, 1, 0, 1, 0]})
    frame.write_parquet(tmp_path / "table.parquet")
    frame.write_csv(tmp_path / "table.csv")
    return tmp_path


def ask(capsys, line):
    code = run(line.split())
    out, error = capsys.readouterr()
    return code, out, error


COLUMNS = "--series name --real label --predicted guess"


@pytest.mark.parametrize("name", ["table.parquet", "table.csv"])
def test_a_row_a_series_and_the_totals(table, capsys, name):
    code, out, _ = ask(capsys, f"score {name} {COLUMNS} --json")
    found = json.loads(out)
    assert code == 0
    assert [(row["series"], row["recall"]) for row in found["series"]] == [("a", 1.0), ("b", 0.5), ("c", 0.0)]
    assert found["pooled"]["recall"] == 0.75
    assert found["macro"]["recall"] == 0.5
    assert found["macro"]["undefined_recall"] == 1


def test_in_words(table, capsys):
    code, out, _ = ask(capsys, f"score table.parquet {COLUMNS}")
    assert code == 0
    assert "pooled ranges   precision 0.6667   recall 0.7500" in out
    assert "of 3 series, 0 have no predicted range and 1 no real one" in out


def test_fail_under_holds_for_the_pooled_score(table, capsys):
    assert ask(capsys, f"score table.parquet {COLUMNS} --fail-under recall=0.8")[0] == 1
    assert ask(capsys, f"score table.parquet {COLUMNS} --fail-under recall=0.7")[0] == 0


def test_two_columns_of_one_file(table, capsys):
    code, out, _ = ask(capsys, "score table.csv table.csv --real-column label --predicted-column guess --json")
    assert code == 0
    assert json.loads(out)["recall"] == pytest.approx((1 / 2 + 1) / 2, abs=0.3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("table.parquet", "--series, --real and --predicted"),
        ("missing.parquet " + COLUMNS, "does not exist"),
        (". " + COLUMNS, "broken.parquet: not a Parquet file"),
        ("broken.parquet " + COLUMNS, "broken.parquet: not a Parquet file"),
        ("table.parquet --series name --real lable --predicted guess", "no column 'lable'"),
        ("table.parquet --series name --real name --predicted guess", "series 'a'"),
        ("table.parquet --explain " + COLUMNS, "--explain"),
        ("table.parquet --workers 0 " + COLUMNS, "1 or more"),
        ("table.parquet --workers 2 --scheduler tcp://127.0.0.1:1 " + COLUMNS, "choose one"),
        ("table.parquet --scheduler tcp://127.0.0.1:1 " + COLUMNS, "no scheduler answers at tcp://127.0.0.1:1"),
        ("table.parquet table.parquet --workers 2 " + COLUMNS, "a table of many series"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(table, capsys, arguments, message):
    (table / "broken.parquet").write_text("nonsense")
    code, out, error = ask(capsys, f"score {arguments}")
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert message in error


def test_workers_give_the_same(table, capsys):
    expected = ask(capsys, f"score table.parquet {COLUMNS} --json")
    assert ask(capsys, f"score *.parquet {COLUMNS} --json --workers 1") == expected
