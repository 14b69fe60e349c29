"""Plot a series and the scores of each detector below it, with the real ranges shaded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rangewise.plots.figure import name_times, new_figure
from rangewise.plots.palette import LINE, PREDICTED, REAL, THRESHOLD
from rangewise.plots.series_picture import positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rangewise.files.series import Series

_NARROWEST = 1 / 400
# A line through more points than this would be a solid block, so each of this many columns shows its highest score.
_COLUMNS = 500


def draw_scores(series: Series, scores: Mapping[str, tuple[NDArray[np.float64], float]], *, first: int = 0) -> Figure:
    """``scores`` are, for each detector's name, its scores from row ``first`` on and its threshold, drawn dashed.

    For a long series, each column of the plot shows its highest score, which is what a threshold is compared with.
    """
    figure = new_figure(9.0, 1.3 + 1.25 * len(scores))
    panels = figure.subplots(1 + len(scores), 1, sharex=True)
    position = positions(series)
    rows = np.arange(first, len(series))
    panels[0].plot(position[first:], series.values[first:], color=LINE, linewidth=0.6)
    panels[0].set_title(f"{series.name}, real ranges shaded", loc="left", fontsize=10)
    for panel, (name, (values, threshold)) in zip(panels[1:], scores.items(), strict=True):
        # Scores span orders of magnitude: linear from the least of them up to the threshold, logarithmic beyond.
        least = min(float(values.min()), threshold)
        shown = _highest(values)
        panel.plot(position[rows[shown]], values[shown] - least, color=PREDICTED, linewidth=0.8)
        panel.axhline(threshold - least, color=THRESHOLD, linewidth=0.9, linestyle="--")
        panel.set_title(f"{name}: scores; threshold dashed", loc="left", fontsize=9)
        highest = max(float(values.max()), threshold)
        # At most three decades, however low the threshold is.
        linear = max(threshold - least, (highest - least) / 1000) or 1.0
        panel.set_yscale("symlog", linthresh=linear)
        panel.set_ylim(bottom=0)
        _name_scores(panel, least, threshold, highest, linear)
    narrowest = math.ceil(_NARROWEST * len(rows))
    for panel in panels:
        for start, stop in series.real:
            if stop > first:
                # A range of a few points would be too narrow to see.
                end = min(max(stop, start + narrowest), len(series) - 1)
                panel.axvspan(position[max(start, first)], position[end], color=REAL, alpha=0.25, linewidth=0)
        panel.margins(x=0)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=8)
    if position.dtype.kind == "M":
        name_times(panels[-1])
    panels[-1].set_xlabel("time" if position.dtype.kind == "M" else "row")
    return figure


def _name_scores(panel: Axes, least: float, threshold: float, highest: float, linear: float) -> None:
    """Ticks at the lowest score, the threshold and the highest score, in the detector's units, where their labels do not overlap."""
    named = [threshold]
    if threshold - least >= linear / 2:
        named.append(least)
    # Logarithmic beyond the linear part.
    if highest - least > 2 * linear:
        named.append(highest)
    negligible = 1e-9 * (highest - least)
    panel.set_yticks([score - least for score in named], [f"{score:.3g}" if abs(score) > negligible else "0" for score in named])
    panel.minorticks_off()


def _highest(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The points to draw: all, or the highest of each column if there are many."""
    if len(values) <= 2 * _COLUMNS:
        return np.arange(len(values))
    edges = np.linspace(0, len(values), _COLUMNS + 1).astype(np.int64)
    return np.array([first + int(np.argmax(values[first:stop])) for first, stop in pairwise(edges.tolist())])
