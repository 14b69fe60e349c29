"""What a command says to the user who has to act: one line on stderr, in ``--quiet`` too."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TextIO

from rangewise.checks import visible

_loud: TextIO | None = None
"""The standard error that was there before ``--quiet`` silenced it."""


LONGEST = 600
"""Characters of an error. Of a longer one the middle is left out: what is wrong stands first, and what to do last."""


def print_error(message: str) -> None:
    """A line that begins with the program's name."""
    text = " ".join(message.split())
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    print_note(f"rangewise: {text}")


def print_note(line: str) -> None:
    """A line, on standard error."""
    print(visible(line), file=_loud if _loud is not None else sys.stderr)


@contextmanager
def silent_libraries() -> Iterator[None]:
    """What compiled libraries write to standard error is dropped, such as panics of polars over a damaged file; our own lines are not."""
    before = sys.__stderr__
    if before is None or sys.stderr is not before or os.environ.get("RANGEWISE_DEBUG"):
        yield  # somebody else has taken it already, or wants to see everything
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
    """Neither output nor progress nor warnings; errors are printed."""
    global _loud
    before, _loud = _loud, sys.stderr
    try:
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        _loud = before
