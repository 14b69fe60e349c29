"""No command writes over what a user has."""

import pytest

from rangewise.cli import run

LABELS = "0\n1\n1\n0\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.txt").write_text(LABELS)
    (tmp_path / "scores.txt").write_text("0.1\n0.9\n0.8\n0.2\n")
    (tmp_path / "s.csv").write_text("value,label\n" + "".join(f"{i % 7},{i % 50 == 0:d}\n" for i in range(400)))
    (tmp_path / "link.csv").symlink_to("s.csv")
    (tmp_path / "there.csv").write_text("precious")
    (tmp_path / "there.png").write_text("precious")
    return tmp_path


WRITING = [
    "detect s.csv --detector z-score --out {}",
    "detect s.csv --detector z-score --save {}",
    "curve real.txt scores.txt --csv {}",
    "convert real.txt {} --to ranges",
    "generate {} --length 100",
]


@pytest.mark.parametrize("command", [*WRITING, "curve real.txt scores.txt --plot there.png", "plot s.csv there.png"])
def test_a_file_that_exists_is_kept(folder, capsys, command):
    words = command.format("there.csv").split()
    assert run(words) == 2
    assert "exists; write to another file, or over it with --force" in capsys.readouterr().err
    assert (folder / "there.csv").read_text() == (folder / "there.png").read_text() == "precious"
    assert run([*words, "--force"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "detect s.csv --detector z-score --out s.csv",
        "detect s.csv --detector z-score --save link.csv",
        "detect link.csv --detector z-score --out ./s.csv",
        "curve real.txt scores.txt --csv scores.txt",
        "curve labels:real.txt scores.txt --csv real.txt",
        "convert real.txt real.txt --to labels",
        "generate s.csv --base s.csv",
    ],
)
def test_an_input_is_never_an_output(folder, capsys, command):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for force in ([], ["--force"]):
        assert run([*command.split(), *force]) == 2
        assert "is one of the files to read; write to another file" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_recipe_beside_the_series_is_kept_too(folder, capsys):
    (folder / "new.csv.recipe.json").write_text("precious")
    assert run(["generate", "new.csv", "--length", "100"]) == 2
    assert "new.csv.recipe.json exists" in capsys.readouterr().err
    assert run(["detect", "s.csv", "--detector", "z-score", "--out", "a.csv", "--save", "a.csv"]) == 2
    assert "is to be written twice" in capsys.readouterr().err
