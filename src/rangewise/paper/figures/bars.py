"""Grouped bar charts, side by side, as the paper draws its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rangewise.plots.figure import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#b8b8b8", "#6f6f6f", "#3b6fb6", "#c8553d", "#4f9d69", "#e0a83c")
_FEW = 3


@dataclass(frozen=True)
class Group:
    """A panel: the bars of each entry on the x-axis, ``values[series][entry]``."""

    title: str
    entries: Sequence[str]
    series: Sequence[str]
    values: Sequence[Sequence[float]]
    colours: Sequence[str]


def draw_groups(rows: Mapping[str, Sequence[Group]], low: float = 0.0) -> Figure:
    """A row of panels for each entry of ``rows``, all on one axis from ``low`` to 1; a bar that goes lower is cut there and marked."""
    most = max(len(groups) for groups in rows.values())
    figure = new_figure(4.5 * most, 2.9 * len(rows) + 0.7)
    panels = figure.subplots(len(rows), most, squeeze=False)
    for line, (name, groups) in zip(panels, rows.items(), strict=True):
        for panel, group in zip(line, groups, strict=False):
            _draw(panel, group, low)
        for panel in line[len(groups) :]:
            panel.set_visible(False)
        line[0].set_ylabel(name)
    for column, panel in enumerate(panels[-1]):
        # One legend a column: the rows have the same series in it.
        below = -0.12 if len(panel.get_xticks()) <= _FEW else -0.3
        handles, labels = panels[0][column].get_legend_handles_labels()
        panel.legend(handles, labels, fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, below), ncols=2)
    return figure


def _draw(panel: Axes, group: Group, low: float) -> None:
    width = 0.84 / len(group.series)
    for index, (name, values, colour) in enumerate(zip(group.series, group.values, group.colours, strict=True)):
        places = [entry - 0.42 + (index + 0.5) * width for entry in range(len(group.entries))]
        panel.bar(places, [max(value, low) for value in values], width=0.92 * width, color=colour, label=name)
        for place, value in zip(places, values, strict=True):
            if value < low:
                panel.text(place, low, "▼", ha="center", va="bottom", color="white", fontsize=7)
    panel.axhline(0, color="black", linewidth=0.6)
    panel.set_ylim(low, 1.03)
    panel.set_xlim(-0.6, len(group.entries) - 0.4)
    few = len(group.entries) <= _FEW
    panel.set_xticks(range(len(group.entries)), group.entries, rotation=0 if few else 30, ha="center" if few else "right", fontsize=8)
    panel.tick_params(axis="x", length=0)
    panel.set_title(group.title, fontsize=10)
    panel.spines[["top", "right"]].set_visible(False)
