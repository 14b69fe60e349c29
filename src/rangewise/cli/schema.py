"""``rangewise schema``: what ``--json`` prints, for programs that read it."""

from __future__ import annotations

from typing import Annotated

import typer

from rangewise.checks import unknown_name
from rangewise.cli.json_schemas import SHAPES, json_schema
from rangewise.cli.printing import echo, print_json


def schema(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]", help="A command, such as score or bench table; or error.")
    ] = None,
) -> None:
    """Print the JSON Schema of what a command prints with --json; without a command, list those that have one.

    The schema error describes what takes its place where a command fails: one object, with the message and the exit code.
    """
    if not command:
        echo("\n".join(SHAPES))
        return
    name = " ".join(command)
    if name not in SHAPES:
        raise unknown_name("COMMAND", name, tuple(SHAPES))
    print_json(json_schema(name), indent=1)
