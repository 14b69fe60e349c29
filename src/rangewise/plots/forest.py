"""The forest plot: each detector's mean with two intervals, by series (thick) and by collection (thin)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from rangewise.plots.figure import new_figure
from rangewise.plots.palette import FAINT, FOUND, LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Bounds: TypeAlias = tuple[float, float]
_ROW = 0.26


def draw_forest(
    rows: Sequence[tuple[str, float, Bounds, Bounds | None]], *, label: str = "mean score", level: float = 0.95, ax: Axes | None = None
) -> Axes:
    """``rows`` are (detector, mean, bounds by series, bounds by collection or None), best first; nan bounds are not drawn. ``level`` is the
    confidence level of the bounds, for the title."""
    axes = ax if ax is not None else new_figure(7.5, 1.2 + _ROW * len(rows)).add_subplot()
    drawn = set()
    for at, (_, value, by_series, by_collection) in enumerate(rows):
        for name, bounds, width, color in (("collection", by_collection, 1.2, LINE), ("series", by_series, 4.0, FOUND)):
            if bounds is not None and not math.isnan(bounds[0]):
                axes.plot(bounds, [at, at], color=color, linewidth=width, solid_capstyle="butt")
                drawn.add(name)
        axes.plot([value], [at], marker="D", markersize=4.5, color="white", markeredgecolor=LINE, markeredgewidth=1.0)
    if rows:
        axes.axvline(rows[0][1], color=FAINT, linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(rows)), [row[0] for row in rows], fontsize=9)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel(label)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    said = [
        f"{width}: {100 * level:g} % interval by {name}" for name, width in (("series", "thick"), ("collection", "thin")) if name in drawn
    ]
    axes.set_title("; ".join(said), fontsize=9, color=LINE, loc="left")
    return axes
