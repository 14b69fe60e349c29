"""Groups of options: what typer sees of them, and what a command gets."""

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


def test_a_group_is_its_options_in_their_place():
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


def test_a_command_without_groups_stays_as_it_is():
    def command(name: str) -> None: ...

    assert expanded(command) is command


def test_an_option_that_is_none_of_the_group_is_a_mistake():
    def command(*, group: Annotated[Group, Only("third")]) -> None: ...

    with pytest.raises(TypeError, match="Group has no option third"):
        expanded(command)


def test_two_options_of_one_name_are_a_mistake():
    def command(first: str, *, group: Group) -> None: ...

    with pytest.raises(TypeError, match="two parameters 'first'"):
        expanded(command)


def test_words_read_back_as_the_options():
    given = {each.name: each.name for each in fields(FileOptions) if each.init} | {
        "outside": "drop",
        "span": ("2024-05-01", "2024-05-02"),
        "inclusive": False,
        "close_gaps": "2",
        "length": 9,
        "repeated_times": "keep",
        "missing": "lowest",
    }
    for kind in (FileOptions, ScoreFileOptions):
        read = []

        def command(*, files: kind) -> None:
            read.append(files)  # noqa: B023

        command.__annotations__ = {"files": kind, "return": None}
        app = typer.Typer()
        app.command()(expanded(command))
        for options in (kind(), kind(column="a b"), kind(**given)):
            app(args=shlex.split(shlex.join(words_of(options))), standalone_mode=False)
            assert read.pop() == options


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_means_the_same_in_every_command(name):
    """What files and their reading are called is declared once; a command's own options have other names."""
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
