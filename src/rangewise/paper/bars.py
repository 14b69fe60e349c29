"""Grouped bar charts, side by side, as the paper draws its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rangewise.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#b8b8b8", "#6f6f6f", "#3b6fb6", "#c8553d", "#4f9d69", "#e0a83c")
_SIX = 6.0


@dataclass(frozen=True)
class Group:
    """Bars of the same height order for each entry on the x-axis: ``values[series][entry]``."""

    title: str
    entries: Sequence[str]
    series: Sequence[str]
    values: Sequence[Sequence[float]]
    colours: Sequence[str]


def draw_groups(groups: Sequence[Group], low: float = 0.0, height: float = 3.4) -> Figure:
    """A panel for each group, all with the same axis from ``low`` to 1; a bar that is lower still is cut there and marked."""
    figure = new_figure(4.6 * len(groups), height)
    panels = figure.subplots(1, len(groups), squeeze=False)[0]
    for panel, group in zip(panels, groups, strict=True):
        _draw(panel, group, low)
    return figure


def _draw(panel: Axes, group: Group, low: float) -> None:
    width = 0.84 / len(group.series)
    for index, (name, values, colour) in enumerate(zip(group.series, group.values, group.colours, strict=True)):
        places = [entry - 0.42 + (index + 0.5) * width for entry in range(len(group.entries))]
        panel.bar(places, [max(value, low) for value in values], width=0.92 * width, color=colour, label=name)
        for place, value in zip(places, values, strict=True):
            if value < low:
                panel.annotate("▾", (place, low), ha="center", va="bottom", color="white", fontsize=7)
            elif value == 0:
                # A bar of no height would look forgotten.
                panel.plot([place - 0.46 * width, place + 0.46 * width], [0, 0], color=colour, linewidth=2.5, solid_capstyle="butt")
    panel.axhline(0, color="black", linewidth=0.6)
    panel.set_ylim(low, 1.03)
    panel.set_xlim(-0.6, len(group.entries) - 0.4)
    panel.set_xticks(range(len(group.entries)), group.entries, rotation=35 if len(group.entries) > 3 else 0, ha=_side(group), fontsize=8)
    panel.tick_params(axis="x", length=0)
    panel.set_title(group.title, fontsize=10)
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(fontsize=7, frameon=False, loc="lower center", bbox_to_anchor=(0.5, -0.62), ncols=2)


def _side(group: Group) -> str:
    return "right" if len(group.entries) > 3 else "center"
