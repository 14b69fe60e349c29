"""Grouped bar charts, as the paper draws its results; a scoring model looks the same in all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rangewise.plots.figure import new_figure
from rangewise.plots.palette import FAINT, LINE, QUIET, color_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class BarStyle(NamedTuple):
    """A color, and a hatch for readers and prints without colors."""

    color: str
    hatch: str = ""


COUNTED, AS_POINTS = BarStyle(QUIET), BarStyle(FAINT)
"""The classical model: points counted, and our model with every point as its own range."""
FLAT, FRONT, BACK, MIDDLE = (
    BarStyle(color_of(0)),
    BarStyle(color_of(1), "///"),
    BarStyle(color_of(2), "\\\\\\"),
    BarStyle(color_of(3), "xxx"),
)
"""Our model, by the bias of recall."""
NAB = BarStyle(color_of(4), "...")

_WIDTH, _HEIGHT, _FEW = 8.8, 2.2, 3


@dataclass(frozen=True)
class Group:
    """A panel: the bars of each entry on the x-axis, ``values[series][entry]``."""

    title: str
    entries: Sequence[str]
    series: Sequence[str]
    values: Sequence[Sequence[float]]
    looks: Sequence[BarStyle]
    measure: str = "score"


def draw_groups(sources: Mapping[str, Sequence[Group]], low: float = 0.0) -> Figure:
    """The panels of each source, all on one axis from ``low`` to 1; a lower bar is clipped there and marked.

    Panels with few entries form one row per source, with one legend for all. Other panels form one column per source, with a legend at
    the right of each row.
    """
    groups = [list(each) for each in sources.values()]
    side_by_side = all(len(group.entries) <= _FEW for each in groups for group in each)
    rows, columns = (len(groups), len(groups[0])) if side_by_side else (len(groups[0]), len(groups))
    figure = new_figure(_WIDTH if rows * columns > 1 else 0.6 * _WIDTH, _HEIGHT * rows + (0.5 if side_by_side else 0.2))
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for (name, each), of_source in zip(sources.items(), panels if side_by_side else panels.T, strict=True):
        for panel, group in zip(of_source, each, strict=True):
            _draw(panel, group, low, slanted=not side_by_side and columns > 1)
            panel.set_title(f"{group.title}: {name}" if name else group.title, fontsize=10)
    for row, line in enumerate(panels):
        line[0].set_ylabel(groups[0][0 if side_by_side else row].measure)
        if not side_by_side:
            line[-1].legend(fontsize=8.5, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    if side_by_side:
        figure.legend(*panels[0][0].get_legend_handles_labels(), fontsize=8.5, frameon=False, loc="outside lower center", ncols=3)
    return figure


def _draw(panel: Axes, group: Group, low: float, *, slanted: bool) -> None:
    width = 0.84 / len(group.series)
    for index, (name, values, look) in enumerate(zip(group.series, group.values, group.looks, strict=True)):
        places = [entry - 0.42 + (index + 0.5) * width for entry in range(len(group.entries))]
        heights = [max(value, low) for value in values]
        panel.bar(places, heights, width=width, color=look.color, hatch=look.hatch, edgecolor=LINE, linewidth=0.5, label=name)
        for place, value in zip(places, values, strict=True):
            if value < low:
                panel.plot(place, low + 0.12, "v", color=LINE, markeredgecolor="white", markersize=7)
    panel.axhline(0, color=LINE, linewidth=0.6)
    panel.set_ylim(low, 1.03)
    panel.set_xlim(-0.6, len(group.entries) - 0.4)
    turn, at = (30, "right") if slanted else (0, "center")
    panel.set_xticks(range(len(group.entries)), group.entries, fontsize=8.5, rotation=turn, ha=at, rotation_mode="anchor")
    panel.tick_params(axis="x", length=0)
    panel.tick_params(axis="y", labelsize=8.5)
    panel.spines[["top", "right"]].set_visible(False)
