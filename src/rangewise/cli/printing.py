"""How commands print: names come from files of others, so control characters are shown and never obeyed."""

from __future__ import annotations

import typer

from rangewise.checks import visible


def echo(text: object = "", *, nl: bool = True, err: bool = False) -> None:
    """Print text on standard output or, with ``err``, on standard error."""
    typer.echo(visible(str(text), lines=True), nl=nl, err=err)
