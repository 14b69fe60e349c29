"""Alert rules: incidents found over false alerts per day, one line per ``for``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rangewise.plots.figure import new_figure
from rangewise.plots.palette import FAINT, REAL, color_of, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_COLORED = 6


def draw_backtest(
    lines: Mapping[str, NDArray[np.float64]], incidents: int, best: tuple[float, int, str] | None, ax: Axes | None = None
) -> Axes:
    """Each line has rows of (false alerts per day, incidents found), both rising; ``best`` is where the best rule is, and its text."""
    axes = new_figure(7.5, 4.5).subplots() if ax is None else ax
    from matplotlib.ticker import MaxNLocator

    most = max((float(line[:, 0].max()) for line in lines.values() if len(line)), default=0.0)
    for number, (name, line) in enumerate(lines.items()):
        if not len(line):
            continue
        # Step lines: a rule applies until a looser one finds more; the last step extends to the edge.
        steps = np.vstack([[line[0, 0], 0.0], line, [most, line[-1, 1]]])
        colored = number < _MOST_COLORED
        axes.step(
            steps[:, 0], steps[:, 1], where="post", label=name, color=color_of(number) if colored else FAINT,
            linestyle=style_of(number) if colored else "-", linewidth=1.6 if colored else 0.8,
        )  # fmt: skip
    if best is not None:
        axes.plot(best[0], best[1], "o", color=REAL, markersize=8, zorder=4, label=f"best: {best[2]}", clip_on=False)
    axes.set_xscale("symlog", linthresh=0.1)
    axes.set_xticks(_rates(most), [f"{rate:g}" for rate in _rates(most)])
    axes.minorticks_off()
    axes.set_xlim(0.0, max(most, 0.1) * 1.1)
    axes.set_ylim(0, incidents * 1.04 if incidents else 1)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("false alerts per day")
    axes.set_ylabel(f"incidents found, of {incidents:,}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(linewidth=0.4, alpha=0.5)
    axes.legend(loc="lower right", frameon=False, fontsize=9)
    return axes


def _rates(most: float) -> list[float]:
    return [0.0, *(rate for rate in (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0) if rate <= max(most, 0.1))]
