"""The palette of all plots. Color is never the only cue: false is hatched, missed dashed, detectors have letters and line styles."""

from __future__ import annotations

from string import ascii_uppercase
from typing import Any

REAL = LINE = "#333333"
FOUND = PREDICTED = "#0072b2"
FALSE = "#d55e00"
FALSE_HATCH = "////"
THRESHOLD = "#009e73"
QUIET = "#dddddd"
FAINT = "#8c8c8c"

PRECISION, RECALL, F = "#0072b2", "#009e73", "#333333"

# Okabe and Ito's colors, safe for the color-blind.
DETECTORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
STYLES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2, 2, 2)))
_DARK = ("#0072b2", "#009e73", "#d55e00")


def letter(number: int) -> str:
    """A detector's letter: A to Z, then A1, B1 and so on."""
    return ascii_uppercase[number % 26] + (str(number // 26) if number >= 26 else "")


def color_of(number: int) -> str:
    """A detector's color."""
    return DETECTORS[number % len(DETECTORS)]


def style_of(number: int) -> Any:
    """A detector's line style."""
    return STYLES[number % len(STYLES)]


def ink_on(color: str) -> str:
    """A readable text color on this background."""
    return "white" if color in _DARK else "black"
