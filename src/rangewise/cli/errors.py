"""Errors of a command: one line each on stderr, also with ``--quiet``; notes, which are no errors, without it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TextIO

import typer

from rangewise.checks import visible
from rangewise.cli.printing import has_color, terminal_width
from rangewise.tables import wrapped

_loud: TextIO | None = None
"""The standard error stream before ``--quiet`` silenced it."""


LONGEST = 600
"""The most characters of an error. A longer one loses its middle: the problem comes first, and what to do last."""


def error_text(message: str) -> str:
    """An error as one line of at most :data:`LONGEST` characters, more or less."""
    text = " ".join(message.split())
    return f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}" if len(text) > LONGEST else text


def print_error(message: str) -> None:
    """Print a line that begins with the program's name."""
    stream, name = _stream(), "rangewise:"
    line = visible(error_text(message))
    if stream.isatty():  # elsewhere an error is one line, however long
        line = "\n".join(wrapped(line, terminal_width(), first=f"{name} ", hang=2)).removeprefix(f"{name} ")
    print(f"{typer.style(name, fg='red', bold=True) if has_color(stream) else name} {line}", file=stream)


def print_line(line: str) -> None:
    """Print a line on standard error as it is."""
    print(visible(line), file=_stream())


def _stream() -> TextIO:
    return _loud if _loud is not None else sys.stderr


@contextmanager
def silent_libraries() -> Iterator[None]:
    """Drop what compiled libraries write to standard error, such as panics of polars about a damaged file, and keep our own lines."""
    before = sys.__stderr__
    if before is None or sys.stderr is not before or os.environ.get("RANGEWISE_DEBUG"):
        yield  # already redirected, or everything should be seen
        return
    before.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    with open(kept, "w", encoding=before.encoding, errors=before.errors, buffering=1) as ours:
        sys.stderr = ours
        try:
            yield
        finally:
            sys.stderr = before
            ours.flush()
            os.dup2(kept, 2)


@contextmanager
def quiet() -> Iterator[None]:
    """Print errors only: no output, progress or warnings."""
    global _loud
    before, _loud = _loud, sys.stderr
    try:
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        _loud = before


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Each warning once, as one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        note(message)


def note(message: str) -> None:
    """Print one line on stderr that is not an error."""
    print(visible(f"rangewise: note: {message}"), file=sys.stderr)
