"""``--close-gaps`` of the commands that score predictions; that of ``detect`` is tested with it."""

import json

import pytest

from rangewise.cli import run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.txt").write_text("0\n1\n1\n1\n1\n0\n")
    (tmp_path / "pred.txt").write_text("0\n1\n0\n0\n1\n0\n")
    (tmp_path / "real.csv").write_text("start,end\n2024-01-01T00:00:00,2024-01-01T00:05:00\n")
    (tmp_path / "pred.csv").write_text("start,end\n2024-01-01T00:00:00,2024-01-01T00:02:00\n2024-01-01T00:03:00,2024-01-01T00:05:00\n")


@pytest.mark.parametrize(
    ("files", "gap", "recall"),
    [
        ("real.txt pred.txt", 0, 0.5),
        ("real.txt pred.txt", 1, 0.5),
        ("real.txt pred.txt", 2, 1.0),
        ("real.csv pred.csv --step 1min", 1, 1.0),
    ],
)
def test_score_joins_predicted_ranges_first(folder, capsys, files, gap, recall):
    assert run(["score", *files.split(), "--close-gaps", str(gap), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["recall"] == recall


def test_compare_joins_predicted_ranges_first(folder, capsys):
    assert run(["compare", "real.txt", "pred.txt", "--metric", "point_fbeta", "--close-gaps", "2", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith(",1.0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("score real.txt pred.txt --close-gaps -1", "is 0 or more; got -1"),
        ("score real.csv pred.csv --close-gaps 2", "--close-gaps counts rows, and these files have times: give --step"),
        ("score real.csv --close-gaps 2", "--close-gaps are for two sides of one series"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(folder, capsys, arguments, message):
    assert run(arguments.split()) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
