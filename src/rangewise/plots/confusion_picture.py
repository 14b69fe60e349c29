"""Plot a confusion matrix of ranges: one square per pair of classes, darker for larger shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rangewise.plots.figure import new_figure
from rangewise.plots.palette import FALSE, FOUND, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rangewise.classes.confusion import Confusion

# On darker squares text is white.
_DARK = 0.75
# With more classes than this, numbers would be too small to read.
_MOST_WRITTEN = 25


def draw_confusion(confusion: Confusion, ax: Axes | None = None, *, counts: bool = False) -> Axes:
    """Shares, or with ``counts`` whole ranges, each row against its own sum. Correct cells are blue and bold, wrong ones orange."""
    table = confusion.table(counts=counts)
    names, columns = [row[0] for row in table.rows], [*table.columns[1:]]
    written = len(columns) <= _MOST_WRITTEN
    if ax is None:
        side, longest = 0.62 if written else 0.25, max((len(name) for name in (*names, *columns)), default=0)
        size = 2.2 + 0.08 * longest + side * len(columns), 1.6 + 0.05 * longest + 0.8 * side * max(len(names), 1)
        ax = new_figure(*size).add_subplot()
    from matplotlib.colors import to_rgba

    values = confusion.counts if counts else confusion.shares
    parts = values / np.maximum(values.sum(axis=1, keepdims=True), 1) if counts else values
    right = {(confusion.real.index(name), column) for column, name in enumerate(confusion.predicted) if name in confusion.real}
    # One image: one patch per square would take seconds for many classes.
    image = np.zeros((*parts.shape, 4))
    for place, part in np.ndenumerate(parts):
        image[place] = to_rgba(FOUND if place in right else FALSE, float(part))
        text = _cell_text(table.rows[place[0]][place[1] + 1], counts)
        if written and text:
            ax.text(
                place[1], place[0], text, ha="center", va="center", fontsize=9,
                color="white" if part > _DARK else "black", fontweight="bold" if place in right else "normal",
            )  # fmt: skip
    if image.size:
        ax.imshow(image, aspect="auto", interpolation="nearest")
    _frame(ax, names, columns, counts)
    return ax


def _frame(ax: Axes, names: list[str], columns: list[str], counts: bool) -> None:
    """Class names, lines between the squares, and thicker lines before the columns and rows that are not classes."""
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(max(len(names), 1) - 0.5, -0.5), xlabel="predicted", ylabel="real")
    ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(names) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=QUIET, linewidth=0.8)
    ax.tick_params(which="both", length=0)
    ax.axvline(len(columns) - 1.5, color="black", linewidth=1.2)
    if counts:
        ax.axhline(len(names) - 1.5, color="black", linewidth=1.2)
    ax.set_title("whole ranges, by largest part" if counts else "shares of real ranges", fontsize=10)


def _cell_text(text: str, counts: bool) -> str:
    """Empty for 0, so that other cells stand out."""
    if counts:
        return text if text != "0" else ""
    share = float(text)
    if share in (0, 1):
        return "100 %" if share else ""
    return "<1 %" if share < 0.005 else ">99 %" if share > 0.995 else f"{100 * share:.0f} %"
