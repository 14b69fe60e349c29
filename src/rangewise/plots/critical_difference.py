"""The critical difference diagram: detectors along an axis of mean ranks, bars over those that no test separates (Demšar 2006)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rangewise.plots.figure import new_figure
from rangewise.plots.palette import FOUND, LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STEP, _BAR_STEP = 0.42, 0.16
_MOST_TICKS = 12


def draw_critical_difference(ranks: Sequence[tuple[str, float]], bars: Sequence[Sequence[str]], ax: Axes | None = None) -> Axes:
    """``ranks`` are (detector, mean rank), best first; each of ``bars`` joins detectors of which no pair is separated."""
    if any(math.isnan(rank) for _, rank in ranks):
        raise ValueError("no series has a score under this metric, so there are no mean ranks for a critical difference diagram")
    count = len(ranks)
    rows = math.ceil(count / 2)
    height = 0.9 + _BAR_STEP * len(bars) + _STEP * rows
    axes = ax if ax is not None else new_figure(8.0, max(1.6, height * 0.62)).add_subplot()
    place = dict(ranks)
    low, high = 1, max(count, 2)
    if count > _MOST_TICKS:
        # Mean ranks of many detectors lie close together: show the part of the axis that is used.
        low, high = math.floor(min(place.values())), math.ceil(max(place.values()))
        high = max(high, low + 1)
    axes.set_xlim(low - 0.45 * (high - low), high + 0.45 * (high - low))
    top = _BAR_STEP * (len(bars) + 1)
    axes.set_ylim(-(top + _STEP * rows), 0.55)
    axes.axis("off")
    axes.plot([low, high], [0, 0], color=LINE, linewidth=1.2)
    for tick in range(low, high + 1, max(1, math.ceil((high - low) / _MOST_TICKS))):
        axes.plot([tick, tick], [0, 0.09], color=LINE, linewidth=1.0)
        axes.text(tick, 0.14, str(tick), ha="center", va="bottom", fontsize=9)
    for number, (name, rank) in enumerate(ranks):
        left = number < rows
        depth = -(top + _STEP * (number if left else count - 1 - number))
        edge = low - 0.04 * (high - low) if left else high + 0.04 * (high - low)
        axes.plot([rank, rank, edge], [0, depth, depth], color=LINE, linewidth=0.9)
        text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        axes.text(edge, depth, f"{text} " if left else f" {text}", ha="right" if left else "left", va="center", fontsize=9)
    reach = 0.012 * (high - low)
    for number, bar in enumerate(bars):
        places = [place[name] for name in bar]
        axes.plot(
            [min(places) - reach, max(places) + reach], [-_BAR_STEP * (number + 0.8)] * 2, color=FOUND, linewidth=4, solid_capstyle="round"
        )
    axes.set_title("mean rank, 1 is the best; a bar joins detectors that no test separates", fontsize=9, color=LINE)
    return axes
