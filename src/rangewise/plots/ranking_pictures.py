"""Plots of a ranking: the map of settings, the order along alpha, and the order under other scoring models."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rangewise.number_text import share_text
from rangewise.plots.figure import new_figure
from rangewise.plots.palette import QUIET, color_of, ink_on, letter, style_of
from rangewise.rankings.settings import name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rangewise.rankings.detector_table import DetectorTable
    from rangewise.rankings.ranking import Ranking

# A letter does not fit in less than this share of the axis.
_ROOM = 0.025
_CARDINALITY_NAMES = {"one": "no penalty", "reciprocal": "1/x"}


def draw_ranking_map(ranking: Ranking, *, ax: Axes | None = None) -> Axes:
    """The leader by setting: alpha across, cardinality, bias and beta down, exact borders; tied leaders are gray with all their letters."""
    rows = list(ranking.tracks)
    axes = ax if ax is not None else _axes(8.0, 1.6 + 0.24 * len(rows))
    low, high = _bounds(ranking)
    for segment in ranking.segments:
        row = rows.index((segment.bias, segment.cardinality, segment.beta))  # type: ignore[arg-type]
        number = ranking.names.index(segment.leader)
        color = color_of(number) if len(segment.leaders) == 1 else QUIET
        start, width = (segment.start, segment.stop - segment.start) if segment.stop > segment.start else (low, high - low)
        axes.barh(row, width, left=start, height=1.0, color=color, edgecolor="white", linewidth=0.8)
        if width >= _ROOM * (high - low):
            letters = "=".join(letter(ranking.names.index(name)) for name in segment.leaders)
            axes.text(
                start + width / 2, row, letters, ha="center", va="center", fontsize=8, fontweight="bold",
                color=ink_on(color),
            )  # fmt: skip
    per_bias, per_cardinality = len(ranking.settings.betas), len(ranking.settings.betas) * len(ranking.settings.biases)
    for row in range(0, len(rows), per_bias):
        wide = row % per_cardinality == 0
        if row:
            axes.axhline(row - 0.5, color="#222222" if wide else "white", linewidth=2.0 if wide else 2.5)
    axes.set_yticks(range(len(rows)), [f"F{family.beta:g}" for family in rows], fontsize=7)
    for row in range(0, len(rows), per_bias):
        family = rows[row]
        cardinality = _CARDINALITY_NAMES.get(name_of(family.cardinality), name_of(family.cardinality))
        axes.annotate(
            f"{name_of(family.bias)}, {cardinality}", (0, row + (per_bias - 1) / 2), (-30, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="right", va="center", annotation_clip=False,
        )  # fmt: skip
    axes.set(xlim=(low, high), ylim=(len(rows) - 0.5, -0.5), xlabel="alpha: weight of being found at all")
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    from matplotlib.patches import Patch

    handles = [
        Patch(color=color_of(at), label=f"{letter(at)}  {name}, first in {share_text(ranking.first[name])}")
        for at, name in enumerate(ranking.names)
    ]
    axes.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(3, len(handles)), frameon=False, fontsize=9)
    return axes


def draw_order_lines(ranking: Ranking, *, beta: float = 1.0, bias: Any = None, cardinality: Any = None, ax: Axes | None = None) -> Axes:
    """F of each detector along alpha, with the borders at which two change places."""
    axes = ax if ax is not None else _axes(6.4, 3.6)
    low, high = _bounds(ranking)
    alphas = np.linspace(low, high, 201)
    settings = {"beta": beta, "bias": bias, "cardinality": cardinality}
    values = [ranking.scores(alpha=alpha, **settings) for alpha in alphas.tolist()]
    ends = _spread([values[-1][name] for name in ranking.names])
    for at, name in enumerate(ranking.names):
        color, style = color_of(at), style_of(at)
        axes.plot(alphas, [value[name] for value in values], color=color, linestyle=style, linewidth=1.8)
        axes.annotate(
            f"{letter(at)}  {name}", (high, values[-1][name]), (high + 0.02 * (high - low), ends[at]),
            va="center", annotation_clip=False, fontsize=9,
        )  # fmt: skip
    family = ranking.family(bias, cardinality)
    for crossing in ranking.crossings:
        if (crossing.bias, crossing.cardinality, crossing.beta) == (family.bias, family.cardinality, beta) and low < crossing.alpha < high:
            axes.axvline(crossing.alpha, color="#888888", linewidth=0.8, linestyle=":")
            axes.text(
                crossing.alpha, 1.0, f"{crossing.alpha:.2f}", ha="center", va="bottom", fontsize=8, transform=axes.get_xaxis_transform()
            )
    axes.set(xlim=(low, high), ylim=(0, 1.02), xlabel="alpha: weight of being found at all", ylabel=f"F{beta:g}")
    axes.set_title(f"{name_of(family.bias)} bias, {name_of(family.cardinality)}", loc="left", fontsize=10, pad=16)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def draw_bump_chart(table: DetectorTable, *, ax: Axes | None = None) -> Axes:
    """The rank of each detector under each metric that is defined for all; equal ranks are drawn side by side."""
    columns, names = [column for column in table.by_metric if not np.isnan(column.values).any()], table.detectors
    axes = ax if ax is not None else _axes(1.6 + 1.05 * len(columns), 1.4 + 0.45 * len(names))
    for at, name in enumerate(names):
        color, style = color_of(at), style_of(at)
        # Those that share a rank are drawn a little apart.
        heights = [column.ranks[at] + 0.22 * column.ranks[:at].count(column.ranks[at]) for column in columns]
        axes.plot(range(len(columns)), heights, color=color, linestyle=style, linewidth=2.2, zorder=1)
        for place, height in enumerate(heights):
            axes.text(
                place, height, letter(at), ha="center", va="center", fontsize=9, fontweight="bold", zorder=2,
                color=ink_on(color), bbox={"boxstyle": "circle,pad=0.25", "color": color},
            )  # fmt: skip
        axes.annotate(name, (len(columns) - 1, heights[-1]), (16, 0), textcoords="offset points", va="center", annotation_clip=False)
    axes.set_xticks(range(len(columns)), [column.named.text.replace("_", "\n") for column in columns], fontsize=8)
    axes.set_yticks(range(1, len(names) + 1))
    axes.set(ylim=(len(names) + 0.6, 0.5), xlim=(-0.3, len(columns) - 0.7), ylabel="rank")
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.tick_params(axis="x", length=0)
    return axes


def _axes(width: float, height: float) -> Axes:
    return new_figure(width, height).add_subplot()


def _bounds(ranking: Ranking) -> tuple[float, float]:
    """The interval of alpha; a single alpha gets a margin."""
    low, high = ranking.settings.low, ranking.settings.high
    return (low, high) if high > low else (low - 0.05, high + 0.05)


def _spread(values: list[float], gap: float = 0.06) -> list[float]:
    """Label heights near the values, far enough apart to read."""
    order = np.argsort(values, kind="stable")
    heights = np.array(values, dtype=np.float64)
    for before, after in pairwise(order):
        heights[after] = max(heights[after], heights[before] + gap)
    heights -= max(0.0, float(heights.max()) - 1.0)
    spread: list[float] = heights.tolist()
    return spread
