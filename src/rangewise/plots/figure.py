"""A new figure, made without pyplot, or the error that names the extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ModuleNotFoundError("pictures need matplotlib: pip install 'rangewise[plots]'") from error
    return Figure(figsize=(width, height), layout="constrained")
