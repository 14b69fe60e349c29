"""How commands print: text for readers fits the terminal and has colors by meaning; data is printed as it is.

Names come from files of others, so control characters are shown and never obeyed.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from typing import Any, TextIO

import typer

from rangewise.checks import visible
from rangewise.tables import current_width, display_width, wrapped

UNKNOWN_WIDTH = 80
"""The width of text where no terminal has one, such as in a pipe."""
_NARROWEST = 40

# A label and its value, two spaces or more apart: the lines that follow are indented as the value.
_LABEL = re.compile(r"\s*\S+(?: \S+)*\s{2,}(?=\S)")
# A command stays on its line, so that it can be copied.
_COMMAND = re.compile(r"\s*(?:rangewise |--\w)")
_COUNT = r"(?<![\d,.])(?!0 )[\d,]+ "
_COLORS = {
    "red": rf"{_COUNT}(?:missed|false(?: alarms?)?)\b|(?<=: )(?:missed|false alarm)\b|\bof them false\b|(?<=alarm, )false\b",
    "green": rf"{_COUNT}found\b|(?:\b\d[\d.]* %|\ball) of it(?: found| is real)\b",
    "dim": r"(?<![\w#])#[0-9a-f]{8,}\b",
    "timeline": r"(?<!\S)[-=!]{30,}(?!\S)",
}
_MEANING = "|".join(f"(?P<{color}>{pattern})" for color, pattern in _COLORS.items())


def echo(text: object = "", *, nl: bool = True, err: bool = False) -> None:
    """Print text for readers on standard output or, with ``err``, on standard error: wrapped at words, and colored in a terminal.

    Where nobody has said how wide it is, as in a pipe, a line stays a line, for ``grep``; only tables are fitted, to 80 columns.
    """
    stream = sys.stderr if err else sys.stdout
    width = current_width() if stream.isatty() or _columns() else None
    lines = visible(str(text), lines=True).split("\n")
    shown = "\n".join(lines if width is None else (part for line in lines for part in _fitted(line, width)))
    typer.echo(re.sub(_MEANING, _colored, shown) if has_color(stream) else shown, nl=nl, err=err, color=True)


def print_data(text: object, *, nl: bool = True) -> None:
    """Print JSON, CSV, Markdown, LaTeX, or a command to copy: as it is, however wide."""
    typer.echo(visible(str(text), lines=True), nl=nl)


def print_json(content: Any, *, indent: int | None = None) -> None:
    """Print a value as JSON, which has no nan and no infinity: null stands for them."""
    print_data(json.dumps(_finite(content), indent=indent, allow_nan=False))


def _finite(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def terminal_width() -> int:
    """``COLUMNS``, or the width of the terminal, or 80 columns."""
    if given := _columns():
        return max(given, _NARROWEST)
    for stream in (1, 2, 0):  # a pipe into a pager still has a terminal
        try:
            return max(os.get_terminal_size(stream).columns or UNKNOWN_WIDTH, _NARROWEST)
        except OSError:
            continue
    return UNKNOWN_WIDTH


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() else 0


def has_color(stream: TextIO) -> bool:
    """In a terminal, unless ``NO_COLOR`` is set; ``FORCE_COLOR`` wants it elsewhere too."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def _fitted(line: str, width: int) -> list[str]:
    if display_width(line) <= width or _COMMAND.match(line):
        return [line]
    label = _LABEL.match(line)
    first = label[0] if label and display_width(label[0]) <= width // 2 else line[: len(line) - len(line.lstrip())]
    hang = display_width(first) if first.strip() else len(first) + 2
    return wrapped(line[len(first) :], width, first=first, hang=hang)


def _colored(match: re.Match[str]) -> str:
    color = str(match.lastgroup)
    if color == "timeline":  # = where an alarm is right, ! where it is false
        return re.sub(r"=+|!+", lambda run: typer.style(run[0], fg="green" if run[0][0] == "=" else "red"), match[0])
    return typer.style(match[0], dim=True) if color == "dim" else typer.style(match[0], fg=color)
