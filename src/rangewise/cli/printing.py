"""Printing for commands. Names may come from untrusted files, so control characters are escaped."""

from __future__ import annotations

import typer

from rangewise.checks import visible


def echo(text: object = "", *, nl: bool = True, err: bool = False) -> None:
    """Print text on standard output or, with ``err``, on standard error."""
    typer.echo(visible(str(text), lines=True), nl=nl, err=err)
