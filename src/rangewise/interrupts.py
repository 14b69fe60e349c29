"""Ends the command line with one line instead of a traceback on Ctrl-C while libraries are still loading."""

from __future__ import annotations

import os
import sys
from types import TracebackType


def _is_command_line() -> bool:
    """Whether this process is ``rangewise`` or ``python -m rangewise``, and not a program that imports the package."""
    called = os.path.splitext(os.path.basename((sys.argv or [""])[0]))[0]
    return called == "rangewise" or ("-m", "rangewise") in zip(sys.orig_argv, sys.orig_argv[1:], strict=False)


def _told_in_a_line(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("rangewise: interrupted", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, traceback)


if _is_command_line():
    sys.excepthook = _told_in_a_line
