"""Plot a timeline of incidents and alerts: one lane for the incidents, and one per rule below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.plots.figure import name_times, new_figure
from rangewise.plots.palette import FALSE, FALSE_HATCH, FOUND, REAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    _Lane = tuple[NDArray[np.int64], NDArray[np.int64]]

MOST_LANES = 20


def draw_timeline(incidents: _Lane, lanes: Mapping[str, _Lane], ax: Axes | None = None, *, lead: int = 0, zone: str = "UTC") -> Figure:
    """Incidents dark, those missed as a dashed outline; alerts at an incident blue, false ones orange and hatched.

    An alert within ``lead`` nanoseconds before an incident is at it. Draws on ``ax`` if given. If there are more than 20 rules, shows those
    with the most alerts.
    """
    shown = sorted(lanes, key=lambda rule: -len(lanes[rule][0]))[:MOST_LANES]
    shown = [rule for rule in lanes if rule in shown]
    figure = new_figure(11.0, 1.6 + 0.45 * (1 + len(shown))) if ax is None else ax.figure
    axes = figure.subplots() if ax is None else ax
    from matplotlib.patches import Patch

    every = [np.concatenate([lanes[rule][end] for rule in lanes] or [incidents[0][:0]]) for end in (0, 1)]
    watched = incidents[0] - lead, incidents[1]
    met = _meets(watched, (every[0], every[1]))
    _bars(axes, (incidents[0][met], incidents[1][met]), 0, facecolor=REAL, edgecolor=REAL)
    _bars(axes, (incidents[0][~met], incidents[1][~met]), 0, facecolor="none", edgecolor=REAL, linestyle="--")
    for row, rule in enumerate(shown, start=1):
        lane = lanes[rule]
        hit = _meets(lane, watched)
        _bars(axes, (lane[0][hit], lane[1][hit]), row, facecolor=FOUND, edgecolor=FOUND)
        _bars(axes, (lane[0][~hit], lane[1][~hit]), row, facecolor=FALSE, edgecolor=FALSE, hatch=FALSE_HATCH, alpha=0.8)
    axes.set_yticks(range(1 + len(shown)), ["incidents", *shown])
    axes.invert_yaxis()
    name_times(axes, zone)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis="x", linewidth=0.4, alpha=0.5)
    keys = [
        Patch(facecolor=REAL, edgecolor=REAL, label="incident, found"),
        Patch(facecolor="none", edgecolor=REAL, linestyle="--", label="incident, missed"),
        Patch(facecolor=FOUND, label="alert at an incident"),
        Patch(facecolor=FALSE, hatch=FALSE_HATCH, label="false alert"),
    ]
    axes.legend(handles=keys, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, frameon=False, fontsize=9)
    return figure  # type: ignore[return-value]


def _bars(axes: Axes, lane: _Lane, row: int, **style: Any) -> None:
    from matplotlib.dates import date2num

    starts, stops = (date2num(side.astype("datetime64[ns]")) for side in lane)  # type: ignore[no-untyped-call]
    # The edge keeps a short bar of a long span visible.
    axes.broken_barh(list(zip(starts, stops - starts, strict=True)), (row - 0.35, 0.7), linewidth=0.8, **style)


def _meets(these: _Lane, those: _Lane) -> NDArray[np.bool_]:
    begun = np.searchsorted(np.sort(those[0]), these[1], side="left")
    ended = np.searchsorted(np.sort(those[1]), these[0], side="right")
    return np.asarray(begun > ended)
