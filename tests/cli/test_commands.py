import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from types import ModuleType

import pytest
from typer import rich_utils

from rangewise.cli import run
from rangewise.cli.commands import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_the_text_of_the_table(name, capsys, monkeypatch):
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", 200)  # typer reads the environment when it is imported, before this test
    assert run([name, "--help"]) == 0
    assert COMMANDS[name] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_no_function_shadows_its_module(name):
    import_module(f"rangewise.cli.{name}")
    assert isinstance(getattr(sys.modules["rangewise.cli"], name), ModuleType)


def test_help_lists_all_commands(capsys, monkeypatch):
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", 200)  # typer reads the environment when it is imported, before this test
    assert run(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert all(f"│ {name} {text} │" in out for name, text in ((name, " ".join(text.split())) for name, text in COMMANDS.items()))


def test_unknown_command_suggests_a_similar_one(capsys):
    assert run(["scor"]) == 2
    assert capsys.readouterr().err == "rangewise: No such command 'scor'. Did you mean 'score'?\n"


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--version"], ("typer", "rich", "polars")),
        (["--help"], ("polars", "rangewise.metrics", "rangewise.cli.score")),
        (["score", "real.txt", "real.txt"], ("polars", "torch", "rich", "matplotlib", "rangewise.metrics", "rangewise.cli.curve")),
    ],
)
def test_command_loads_only_what_it_needs(arguments, absent, tmp_path):
    (tmp_path / "real.txt").write_text("0\n1\n")
    code = f"import sys; from rangewise.cli import run; code = run({arguments}); print(code, *(n for n in {absent} if n in sys.modules))"
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert completed.stdout.splitlines()[-1] == "0"


def completions(words, shell="bash"):
    """The completions that a shell gets for the last word."""
    variables = {
        "bash": {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": words},
        "fish": {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    environment = os.environ | {"_RANGEWISE_COMPLETE": f"complete_{shell}", **variables}
    return subprocess.run([sys.executable, "-m", "rangewise"], capture_output=True, text=True, check=True, env=environment).stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("rangewise co", ["compare", "convert"]),
        ("rangewise bench r", ["run", "report"]),
        ("rangewise compare --la", ["--latex"]),
        ("rangewise score --metric vus_", ["vus_pr", "vus_roc"]),
        ("rangewise score --preset un", ["unfragmented"]),
    ],
)
def test_bash_completes_commands_options_and_names(words, expected):
    assert completions(words).split() == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_zsh_and_fish_complete_commands(shell):
    assert "curve" in completions("rangewise cur", shell)


@pytest.mark.parametrize("words", ["", "score", "bench run"])
@pytest.mark.skipif(version("typer") >= "0.29", reason="typer 0.29 shows the type of a flag; the package asks for an older one")
def test_help_shows_no_type_for_flags(words, capsys):
    assert run([*words.split(), "--help"]) == 0
    assert "bool" not in capsys.readouterr().out


def test_help_uses_the_width_of_the_terminal(capsys, monkeypatch):
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", 400)
    assert run(["score", "--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert any(
        line.startswith("A file has one label per line, 0 or 1") and line.endswith("with --workers or --scheduler.") for line in lines
    )


def test_no_color_is_respected(tmp_path):
    (tmp_path / "real.txt").write_text("0\n1\n")
    for words in (["score", "--help"], ["compare", "real.txt", "real.txt"]):
        environment = os.environ | {"NO_COLOR": "1", "FORCE_COLOR": "1"}
        command = [sys.executable, "-m", "rangewise", *words]
        completed = subprocess.run(command, capture_output=True, check=True, env=environment, cwd=tmp_path)
        codes = re.findall(rb"\x1b\[([0-9;]*)m", completed.stdout)
        assert not [code for code in codes if any(30 <= int(part or 0) <= 107 for part in code.split(b";"))]


def test_quiet_prints_only_errors(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.txt").write_text("0\n1\n")
    (tmp_path / "none.txt").write_text("0\n0\n")
    for words, code, error in [
        ("score real.txt real.txt --quiet", 0, ""),
        ("--quiet score real.txt none.txt --fail-under f=0.5", 1, "rangewise: f is 0.0000, below 0.5\n"),
        ("score real.txt absent.txt --quiet", 2, None),
    ]:
        assert run(words.split()) == code
        out, errors = capsys.readouterr()
        assert out == ""
        assert errors == error if error is not None else errors.count("\n") == 1
    assert run(["score", "real.txt", "real.txt"]) == 0
    assert capsys.readouterr().out.startswith("precision")
