"""The picture of a curve: precision, recall and F at every threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rangewise.plots.figure import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rangewise.curve import Curve

_MOST_DRAWN = 2_000
_LONG_TAIL = 20
PRECISION_COLOUR, RECALL_COLOUR, F_COLOUR = "#3b6fb6", "#c8553d", "#2a2a2a"


def _scale_thresholds(axes: Axes, thresholds: NDArray[np.float64]) -> None:
    """A long tail of scores would press all else into one line: beyond the bulk of them, the scale becomes logarithmic."""
    finite = thresholds[np.isfinite(thresholds)]
    if len(finite) < 2:
        return
    low, high = np.quantile(finite, [0.05, 0.95])
    if high > low and np.ptp(finite) > _LONG_TAIL * (high - low):
        axes.set_xscale("symlog", linthresh=max(abs(low), abs(high)))
        axes.set_xlim(finite.min(), finite.max())
    else:
        axes.locator_params(axis="x", nbins=6)


def plot_curve(curve: Curve) -> Figure:
    """Precision over recall, and all three over the thresholds."""
    best = curve.best(warn=False)
    drawn = curve.thin(_MOST_DRAWN)
    figure = new_figure(10.0, 4.0)
    left, right = figure.subplots(1, 2)
    left.plot(drawn.recall, drawn.precision, color=PRECISION_COLOUR, linewidth=1.2)
    left.plot(best.score.recall, best.score.precision, "o", color=F_COLOUR, label=f"best F{curve.model.beta:g} = {best.score.f:.3f}")
    left.set(
        xlabel="recall",
        ylabel="precision",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.05),
        title=f"average precision {curve.average_precision:.3f}",
    )
    left.legend(loc="upper right", frameon=False)
    finite = np.isfinite(drawn.thresholds.astype(np.float64))
    for values, colour, name in (
        (drawn.precision, PRECISION_COLOUR, "precision"),
        (drawn.recall, RECALL_COLOUR, "recall"),
        (drawn.f, F_COLOUR, f"F{curve.model.beta:g}"),
    ):
        right.plot(drawn.thresholds[finite], values[finite], color=colour, linewidth=1.2, label=name)
    if np.isfinite(best.threshold):
        right.axvline(best.threshold, color=F_COLOUR, linewidth=0.8, linestyle=":", label=f"threshold {best.threshold:.4g}")
    _scale_thresholds(right, curve.thresholds.astype(np.float64))
    right.set(xlabel="threshold", ylim=(-0.02, 1.05))
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False, columnspacing=1.2, handlelength=1.4)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure
