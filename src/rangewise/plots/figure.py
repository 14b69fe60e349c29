"""A new figure, made without pyplot, or the error that names the extra; an axis of times; a picture as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")
"""The endings of files that pictures are written to."""

_NO_DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def new_figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ModuleNotFoundError("pictures need matplotlib: pip install 'rangewise[plots]'") from error
    return Figure(figsize=(width, height), layout="constrained")


def name_times(axes: Axes) -> None:
    """Days and hours where they change, not the whole date at each tick."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    axes.xaxis_date()
    locator = AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def plain_texts(figure: Figure) -> None:
    """Names of others are text, not formulas between dollar signs; numbers of logarithmic axes stay formulas."""
    from matplotlib.axis import Axis
    from matplotlib.text import Text

    numbers = {text for axis in figure.findobj(Axis) if axis.get_scale() != "linear" for text in axis.findobj(Text)}
    for text in figure.findobj(Text):
        if text not in numbers:
            text.set_parse_math(False)


def save_figure(figure: Figure, path: Path) -> None:
    """As PNG, SVG or PDF, by the ending of the name; the same picture is the same bytes."""
    from matplotlib import rc_context

    plain_texts(figure)
    with rc_context({"svg.hashsalt": "rangewise"}):
        figure.savefig(path, dpi=150, metadata=_NO_DATE.get(path.suffix.lower()))
