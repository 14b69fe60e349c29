import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest
from typer import rich_utils

from rangewise.cli import run
from rangewise.cli.commands import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_what_the_command_says_of_itself(name, capsys, monkeypatch):
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", 200)  # read from the environment when typer is imported, so too early for a test
    assert run([name, "--help"]) == 0
    assert COMMANDS[name] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_no_function_hides_its_file(name):
    import_module(f"rangewise.cli.{name}")
    assert isinstance(getattr(sys.modules["rangewise.cli"], name), ModuleType)


def test_help_lists_all_commands(capsys, monkeypatch):
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", 200)  # read from the environment when typer is imported, so too early for a test
    assert run(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert all(f"│ {name} {text} │" in out for name, text in ((name, " ".join(text.split())) for name, text in COMMANDS.items()))


def test_a_command_that_is_not_there(capsys):
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
def test_a_command_loads_what_it_needs(arguments, absent, tmp_path):
    (tmp_path / "real.txt").write_text("0\n1\n")
    code = f"import sys; from rangewise.cli import run; code = run({arguments}); print(code, *(n for n in {absent} if n in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "0"
