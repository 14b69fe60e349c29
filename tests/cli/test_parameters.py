"""Groups of options: the parameters that typer sees, and the group that a command gets."""

import shlex
from dataclasses import dataclass, fields
from inspect import Parameter, signature
from typing import Annotated

import pytest
import typer

from rangewise.cli.commands import COMMANDS, load_command
from rangewise.cli.inputs import FileOptions
from rangewise.cli.parameters import Only, Without, expanded, words_of
from rangewise.cli.score_inputs import ScoreFileOptions


@dataclass(frozen=True, kw_only=True)
class Group:
    first: Annotated[int, typer.Option("--first")] = 1
    second: Annotated[bool | None, typer.Option("--second/--not-second")] = None


def test_group_expands_to_its_options():
    def command(
        name: str, *, group: Annotated[Group, Without("second")], last: Annotated[bool, typer.Option("--last")] = False
    ) -> tuple[str, Group, bool]:
        """What it does."""
        return name, group, last

    flat = expanded(command)
    assert list(signature(flat).parameters) == ["name", "first", "last"]
    assert signature(flat).parameters["first"].default == 1
    assert signature(flat).parameters["name"].default is Parameter.empty
    assert (flat.__doc__, flat.__name__) == ("What it does.", "command")
    assert flat(name="a", first=3, last=True) == ("a", Group(first=3), True)


def test_command_without_groups_is_unchanged():
    def command(name: str) -> None: ...

    assert expanded(command) is command


def test_rejects_option_that_the_group_lacks():
    def command(*, group: Annotated[Group, Only("third")]) -> None: ...

    with pytest.raises(TypeError, match="Group has no option third"):
        expanded(command)


def test_rejects_two_options_with_one_name():
    def command(first: str, *, group: Group) -> None: ...

    with pytest.raises(TypeError, match="two parameters 'first'"):
        expanded(command)


def test_words_of_options_round_trip():
    values = {each.name: each.name for each in fields(FileOptions) if each.init} | {
        "outside": "drop",
        "span": ("2024-05-01", "2024-05-02"),
        "inclusive": False,
        "close_gaps": "2",
        "length": 9,
        "repeated_times": "keep",
        "missing": "lowest",
    }
    for kind in (FileOptions, ScoreFileOptions):
        parsed = []

        def command(*, files: kind) -> None:
            parsed.append(files)  # noqa: B023

        command.__annotations__ = {"files": kind, "return": None}
        app = typer.Typer()
        app.command()(expanded(command))
        for options in (kind(), kind(column="a b"), kind(**values)):
            app(args=shlex.split(shlex.join(words_of(options))), standalone_mode=False)
            assert parsed.pop() == options


@pytest.mark.parametrize("name", COMMANDS)
def test_option_has_the_same_meaning_in_every_command(name):
    """Options for reading files are declared once. No command declares another option with one of their names."""
    declared = {
        "--times",
        "--outside",
        "--until",
        "--start-column",
        "--end-column",
        "--step",
        "--resolution",
        "--weights",
        "--real-format",
        "--ignore-format",
    }
    command = load_command(name)
    for each in getattr(command, "params", []):
        if declared & set(each.opts):
            assert each.name in {field.name for field in fields(FileOptions) if field.init}
            assert each.rich_help_panel == "Files"
