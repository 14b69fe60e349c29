"""Plot a series: its values, with real and predicted ranges shaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.ranges import Ranges
from rangewise.plots.figure import name_times, new_figure
from rangewise.plots.palette import FALSE, FALSE_HATCH, FOUND, LINE, REAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rangewise.files.series import Series

MOST_CHANNELS = 8
# More columns of points than a picture has pixels add nothing but time.
_COLUMNS = 2000


def draw_series(series: Series, predicted: Ranges | None) -> Figure:
    """One panel per channel, at most eight. Real ranges shade the upper half of a panel, predicted ones the lower half; alone, all of it.

    A predicted range that overlaps no real one is false: orange and hatched.
    """
    if not len(series) or not series.channels:
        raise ValueError(f"series {series.name} has no values to draw")
    if predicted is not None and len(predicted) and predicted.stops[-1] > len(series):
        raise ValueError(f"series {series.name} has {len(series)} points, but a predicted range stops at {predicted.stops[-1]}")
    shown = min(series.channels, MOST_CHANNELS)
    figure = new_figure(11.0, 1.2 + 2.3 * shown)
    panels = figure.subplots(shown, 1, sharex=True, squeeze=False)[:, 0]
    position = positions(series)
    for channel, panel in enumerate(panels):
        half = 0.0 if predicted is None else 0.5
        _shade(panel, series.real, position, (half, 1.0), REAL)
        if predicted is not None:
            meets_real = _meets(predicted, series.real)
            for of, color, hatch in ((meets_real, FOUND, None), (~meets_real, FALSE, FALSE_HATCH)):
                if of.any():
                    _shade(panel, Ranges(np.asarray(predicted)[of]), position, (0.0, half), color, hatch)
        rows = outline(series.values[:, channel])
        panel.plot(position[rows], series.values[rows, channel], color=LINE, linewidth=0.8)
        panel.margins(x=0)
        panel.spines[["top", "right"]].set_visible(False)
        if series.channels > 1:
            panel.set_ylabel(f"channel {channel}")
    if position.dtype.kind == "M":
        name_times(panels[-1])
    panels[-1].set_xlabel("time" if position.dtype.kind == "M" else "row")
    _title(figure, panels[0], series, predicted)
    return figure


def _title(figure: Figure, panel: Axes, series: Series, predicted: Ranges | None) -> None:
    from matplotlib.patches import Patch

    only = f", channels 0 to {MOST_CHANNELS - 1} of {series.channels}" if series.channels > MOST_CHANNELS else ""
    panel.set_title(f"{series.name}{only}", loc="left", fontsize=11, parse_math=False)
    keys = [Patch(color=REAL, alpha=0.35, label=f"real ({len(series.real)})")]
    if predicted is not None:
        meets_real = _meets(predicted, series.real)
        keys.append(Patch(color=FOUND, alpha=0.35, label=f"predicted, overlaps a real one ({np.count_nonzero(meets_real)})"))
        keys.append(
            Patch(facecolor="none", edgecolor=FALSE, hatch=FALSE_HATCH, label=f"predicted, false ({np.count_nonzero(~meets_real)})")
        )
    figure.legend(handles=keys, loc="outside lower right", ncols=3, frameon=False, fontsize=9)


def positions(series: Series) -> NDArray[Any]:
    """Times if they ascend, else rows: with times out of order the line would run backward."""
    times = series.timestamps
    if times is not None and times.dtype.kind == "M" and bool(np.all(times[1:] >= times[:-1])):
        return times
    return np.arange(len(series))


def _meets(predicted: Ranges, real: Ranges) -> NDArray[np.bool_]:
    """Which predicted ranges overlap a real one."""
    return np.searchsorted(real.stops, predicted.starts, side="right") < np.searchsorted(real.starts, predicted.stops, side="left")


def _shade(panel: Axes, ranges: Ranges, position: NDArray[Any], height: tuple[float, float], color: str, hatch: str | None = None) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.dates import date2num

    at: NDArray[Any] = date2num(position) if position.dtype.kind == "M" else position.astype(float)  # type: ignore[no-untyped-call]
    # A range ends where the next row begins, so that a single point has a width.
    edges = np.append(at, 2 * at[-1] - at[-2] if len(at) > 1 else at[-1] + 1)
    starts, stops = edges[ranges.starts], edges[ranges.stops]
    spans = list(zip(starts.tolist(), (stops - starts).tolist(), strict=True))
    inside, rim = to_rgba(color, 0.35), to_rgba(color, 0.6)
    # The edge keeps a short range of a long series visible.
    panel.broken_barh(
        spans,
        (height[0], height[1] - height[0]),
        transform=panel.get_xaxis_transform(),
        facecolor=inside,
        edgecolor=rim,
        linewidth=0.8,
        hatch=hatch,
    )


def outline(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The rows to draw: all, or for a long series the lowest and the highest of each column of the plot."""
    if len(values) <= 4 * _COLUMNS:
        return np.arange(len(values))
    width = len(values) // _COLUMNS
    whole = np.nan_to_num(values[: width * _COLUMNS], nan=0.0).reshape(_COLUMNS, width)
    first = np.arange(_COLUMNS) * width
    rest = np.arange(width * _COLUMNS, len(values))
    return np.unique(np.concatenate([first + whole.argmin(axis=1), first + whole.argmax(axis=1), rest, [0]]))
