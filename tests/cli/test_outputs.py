"""No command overwrites the files of a user."""

import polars as pl
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
    (tmp_path / "zones.csv").write_text("start,end\n0,1\n")
    for name in ("zones.png", "zones.html"):
        (tmp_path / name).symlink_to("zones.csv")
    (tmp_path / "many.csv").write_text("s,r,p\na,1,0.5\na,0,0.2\n")
    (tmp_path / "tables").mkdir()
    pl.DataFrame({"s": ["a", "a"], "r": [1, 0], "p": [0.5, 0.2]}).write_parquet(tmp_path / "tables" / "a.parquet")
    (tmp_path / "bench.toml").write_text('name = "b"\n[[detector]]\nname = "z-score"\n[[series]]\npath = "s.csv"\n')
    (tmp_path / "b.rwbench").write_text("")
    (tmp_path / "there.csv").write_text("precious")
    (tmp_path / "there.png").write_text("precious")
    return tmp_path


WRITING_COMMANDS = [
    "detect s.csv --detector z-score --out {}",
    "detect s.csv --detector z-score --save {}",
    "curve real.txt scores.txt --csv {}",
    "convert real.txt {} --to ranges",
    "generate {} --length 100",
]


@pytest.mark.parametrize("command", [*WRITING_COMMANDS, "curve real.txt scores.txt --plot there.png", "plot s.csv there.png"])
def test_existing_file_is_kept_without_force(folder, capsys, command):
    words = command.format("there.csv").split()
    assert run(words) == 2
    assert "exists; write to another file, or overwrite it with --force" in capsys.readouterr().err
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
        "curve real.txt scores.txt --ignore zones.csv --csv zones.csv",
        "curve many.csv --series s --real r --scores p --ignore zones.csv --csv zones.csv",
        "curve tables --series s --real r --scores p --csv tables/a.parquet",
        "curve tables/*.parquet --series s --real r --scores p --csv tables/a.parquet",
        "score real.txt real.txt --ignore zones.csv --junit zones.csv --fail-under 0.5",
        "score tables --series s --real r --predicted r --junit tables/a.parquet --fail-under 0.5",
        "ranking real.txt scores.txt real.txt --ignore zones.csv --plot zones.png",
        "report real.txt scores.txt --ignore zones.html --out zones.html",
        "bench run bench.toml --store s.rwbench --junit zones.csv --ignore zones.csv --fail-under 0.5",
        "bench run bench.toml --store s.rwbench --junit s.csv --fail-under 0.5",
        "bench run bench.toml --junit b.rwbench --fail-under 0.5",
    ],
)
def test_input_is_never_overwritten(folder, capsys, command):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for force in ([], ["--force"]):
        assert run([*command.split(), *force]) == 2
        assert "is one of the input files; write to another file" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("command", WRITING_COMMANDS)
def test_dangling_link_is_not_followed(folder, capsys, command):
    """Otherwise whoever made the folder would choose where the output appears."""
    (folder / "out.csv").symlink_to("elsewhere.csv")
    assert run(command.format("out.csv").split()) == 2
    assert "out.csv is a link to" in capsys.readouterr().err
    assert not (folder / "elsewhere.csv").exists()


def test_existing_recipe_is_kept_and_outputs_must_differ(folder, capsys):
    (folder / "new.csv.recipe.json").write_text("precious")
    assert run(["generate", "new.csv", "--length", "100"]) == 2
    assert "new.csv.recipe.json exists" in capsys.readouterr().err
    assert run(["detect", "s.csv", "--detector", "z-score", "--out", "a.csv", "--save", "a.csv"]) == 2
    assert "is given for two outputs" in capsys.readouterr().err
