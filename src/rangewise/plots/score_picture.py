"""Plot a score: real ranges above predicted ones, each with its reward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.plots.figure import name_times, new_figure
from rangewise.plots.palette import FALSE, FALSE_HATCH, FOUND, REAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rangewise.model.result import Score
    from rangewise.model.rows import RangeRows

# More rewards than this on a line would overlap.
_MOST_WRITTEN = 15


def draw_score(score: Score, ax: Axes | None = None) -> Axes:
    """Two lanes on ``ax``, or on a new figure: real ranges dark, missed ones dashed; predicted blue, false ones orange and hatched."""
    axes = ax if ax is not None else new_figure(7.4, 2.0).add_subplot()
    from matplotlib.patches import Patch

    real, predicted = score.real, score.predicted
    _lane(axes, real, 1, {"facecolor": REAL, "edgecolor": REAL}, {"facecolor": "none", "edgecolor": REAL, "linestyle": "--"})
    _lane(axes, predicted, 0, {"facecolor": FOUND, "edgecolor": FOUND}, {"facecolor": FALSE, "edgecolor": "white", "hatch": FALSE_HATCH})
    axes.set(ylim=(-0.5, 1.75))
    axes.set_yticks([0, 1], [f"predicted\nprecision {score.precision:.2f}", f"real\nrecall {score.recall:.2f}"])
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    written = max(len(real), len(predicted)) <= _MOST_WRITTEN
    timed = real.start.dtype.kind == "M"
    if timed:
        name_times(axes)
    axes.set_xlabel(f"{'time' if timed else 'point'}{'; above each range its reward' if written else ''}")
    keys = [
        Patch(facecolor=REAL, edgecolor=REAL, label="real"),
        Patch(facecolor="none", edgecolor=REAL, linestyle="--", label="missed"),
        Patch(facecolor=FOUND, label="found"),
        Patch(facecolor=FALSE, edgecolor="white", hatch=FALSE_HATCH, label="false"),
    ]
    axes.legend(handles=keys, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, frameon=False, fontsize="small")
    return axes


def _lane(axes: Axes, rows: RangeRows, height: int, met: dict[str, Any], not_met: dict[str, Any]) -> None:
    starts, stops = _places(rows.start), _places(rows.stop)
    for which, style in ((rows.existence, met), (~rows.existence, not_met)):
        spans = list(zip(starts[which].tolist(), (stops - starts)[which].tolist(), strict=True))
        axes.broken_barh(spans, (height - 0.3, 0.6), linewidth=0.8, **style)
    if len(rows) <= _MOST_WRITTEN:
        for start, stop, reward in zip(starts, stops, rows.reward, strict=True):
            axes.text((start + stop) / 2, height + 0.34, f"{reward:.2f}", ha="center", va="bottom", fontsize="small")


def _places(at: NDArray[Any]) -> NDArray[np.float64]:
    if at.dtype.kind != "M":
        return at.astype(np.float64)
    from matplotlib.dates import date2num

    return np.asarray(date2num(at), dtype=np.float64)  # type: ignore[no-untyped-call]
