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


def print_error(message: str) -> None:
    """A line that begins with the program's name."""
    print_note(f"rangewise: {' '.join(message.split())}")


def print_note(line: str) -> None:
    """A line, on standard error."""
    print(visible(line), file=_loud if _loud is not None else sys.stderr)


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
