"""``rangewise demo``: the main job on built-in data."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from rangewise.model.presets import PRESETS
from rangewise.ranges import Ranges

# One anomaly found at once and whole, one late, one in three pieces, one missed, and two false alarms.
_REAL = Ranges([(40, 80), (150, 210), (300, 360), (450, 455)])
_PREDICTED = Ranges([(40, 80), (120, 125), (190, 215), (302, 310), (325, 330), (350, 358), (400, 420)])
_SHOWN = ("classical", "early", "late", "centred", "unfragmented")


def demo() -> None:
    """Score built-in example labels: the classical model beside four of ranges, with the explanation."""
    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, title="The same prediction under five models", title_justify="left")
    table.add_column("preset")
    for heading in ("precision", "recall", "F1"):
        table.add_column(heading, justify="right")
    for name in _SHOWN:
        found = PRESETS[name].score(_REAL, _PREDICTED)
        table.add_row(name, *(f"{value:.4f}" for value in (found.precision, found.recall, found.f)))
    console.print(table)
    console.print("\nWhy, range by range, under unfragmented:\n")
    console.print(PRESETS["unfragmented"].score(_REAL, _PREDICTED).explain(), soft_wrap=True)
