"""Plot a curve: precision, recall and F at every threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rangewise.plots.figure import new_figure
from rangewise.plots.palette import PRECISION, RECALL, F, color_of, ink_on, letter, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rangewise.curve import Curve

_MOST_DRAWN = 2_000
_LONG_TAIL = 20
_OWN = "rangewise-curve"
"""Marks the lines of curves on a shared axis."""


def _scale_thresholds(axes: Axes, thresholds: NDArray[np.float64]) -> None:
    """Use a logarithmic scale beyond the bulk of the scores, so that a long tail does not compress the rest."""
    finite = thresholds[np.isfinite(thresholds)]
    if len(finite) < 2:
        return
    low, high = np.quantile(finite, [0.05, 0.95])
    if high > low and np.ptp(finite) > _LONG_TAIL * (high - low):
        axes.set_xscale("symlog", linthresh=max(abs(low), abs(high)))
        # Margins, so that a best threshold at an end lies inside the axis.
        axes.set_xlim(finite.min() - 0.1 * abs(low), finite.max() + 0.5 * abs(finite.max()))
    else:
        axes.locator_params(axis="x", nbins=6)


def draw_precision_recall(curve: Curve, ax: Axes, name: str | None = None) -> Axes:
    """Precision against recall, next to existing curves: each has a color, a line style and, at its best F, a letter."""
    number = sum(line.get_gid() == _OWN for line in ax.lines)
    best, drawn, color = curve.best(warn=False).score, curve.thin(_MOST_DRAWN), color_of(number)
    title = f"{letter(number)}  {name if name is not None else 'curve'}, AP {curve.average_precision:.3f}"
    ax.plot(drawn.recall, drawn.precision, color=color, linestyle=style_of(number), linewidth=1.6, label=title, gid=_OWN)
    ax.text(
        best.recall, best.precision, letter(number), ha="center", va="center", fontsize="small", fontweight="bold", zorder=3,
        color=ink_on(color), bbox={"boxstyle": "circle,pad=0.2", "color": color},
    )  # fmt: skip
    ax.set(xlabel="recall", ylabel="precision", xlim=(-0.02, 1.04), ylim=(-0.02, 1.06))
    ax.spines[["top", "right"]].set_visible(False)
    best_f = f"letter: best F{curve.model.beta:g}"
    ax.legend(frameon=False, title=best_f, alignment="left", loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    return ax


def plot_curve(curve: Curve, name: str | None = None) -> Figure:
    """Precision against recall, and all three against the threshold."""
    best = curve.best(warn=False)
    drawn = curve.thin(_MOST_DRAWN)
    figure = new_figure(10.0, 4.0)
    left, right = figure.subplots(1, 2)
    left.plot(drawn.recall, drawn.precision, color=PRECISION, linewidth=1.2)
    left.plot(best.score.recall, best.score.precision, "o", color=F, label=f"best F{curve.model.beta:g} = {best.score.f:.3f}")
    left.set(
        xlabel="recall",
        ylabel="precision",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.05),
        title=f"{'' if name is None else f'{name}: '}average precision {curve.average_precision:.3f}",
    )
    left.legend(loc="lower left", frameon=False)
    finite = np.isfinite(drawn.thresholds.astype(np.float64))
    for values, color, style, label in (
        (drawn.precision, PRECISION, "--", "precision"),
        (drawn.recall, RECALL, "-.", "recall"),
        (drawn.f, F, "-", f"F{curve.model.beta:g}"),
    ):
        right.plot(drawn.thresholds[finite], values[finite], color=color, linestyle=style, linewidth=1.2, label=label)
    if np.isfinite(best.threshold):
        right.axvline(best.threshold, color=F, linewidth=0.8, linestyle=":", label=f"threshold {best.threshold:.4g}")
    _scale_thresholds(right, curve.thresholds.astype(np.float64))
    right.set(xlabel="threshold", ylim=(-0.02, 1.05))
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False, columnspacing=1.2, handlelength=1.4)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure
