"""Create figures without pyplot, format time axes, and save figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rangewise.inputs.instants import known_zone

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")
"""The supported file suffixes."""

_NO_DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def new_figure(width: float, height: float) -> Figure:
    """An empty figure. Import matplotlib after this call, which says how to install it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ModuleNotFoundError("plots need matplotlib: pip install 'rangewise[plots]'") from error
    return Figure(figsize=(width, height), layout="constrained")


def name_times(axes: Axes, zone: str = "UTC") -> None:
    """Show only the changing part of the date at each tick. In a zone other than UTC, the name of the zone is below."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    tz = known_zone(zone)
    axes.xaxis_date(tz=tz)
    locator = AutoDateLocator(tz=tz)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=tz))  # type: ignore[no-untyped-call]
    if zone != "UTC":
        axes.set_xlabel(zone)


def plain_texts(figure: Figure) -> None:
    """Show user-provided names as text, not as formulas between dollar signs; tick labels of logarithmic axes stay formulas."""
    from matplotlib.axis import Axis
    from matplotlib.text import Text

    numbers = {text for axis in figure.findobj(Axis) if axis.get_scale() != "linear" for text in axis.findobj(Text)}
    for text in figure.findobj(Text):
        if text not in numbers:
            text.set_parse_math(False)


def save_figure(figure: Figure, path: Path) -> None:
    """Save as PNG, SVG or PDF, by the file suffix; output is reproducible byte by byte."""
    from matplotlib import rc_context

    plain_texts(figure)
    with rc_context({"svg.hashsalt": "rangewise"}):
        figure.savefig(path, dpi=150, metadata=_NO_DATE.get(path.suffix.lower()))
