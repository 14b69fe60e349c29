"""``rangewise plot``: the picture of a series with its real and predicted ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.cli import inputs, outputs
from rangewise.datasets.arguments import read_marks, read_rows_beside
from rangewise.files.times import TimeRanges

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(
    series: Annotated[str, typer.Argument(metavar="IN", help="The series: a file, or e.g. nab:FILE.", show_default=False)],
    picture: Annotated[str, typer.Argument(metavar="OUT", help="The picture to write: PNG, SVG or PDF.", show_default=False)],
    real: Annotated[str | None, typer.Option(help="A file with the real ranges, instead of those in IN.", show_default=False)] = None,
    predicted: Annotated[str | None, typer.Option(help="A file with predicted ranges.", show_default=False)] = None,
    file_format: inputs.FileFormat = None,
    column: inputs.Column = None,
    outside: inputs.Outside = "error",
    end_included: inputs.EndIncluded = None,
    start_column: inputs.StartColumn = None,
    end_column: inputs.EndColumn = None,
    until: inputs.Until = None,
    close_gaps: inputs.CloseGaps = 0,
    force: outputs.Force = False,
) -> None:
    """Draw a series with its real ranges, and predicted ones, shaded.

    Of a file with times and no values, a timeline.
    """
    target = Path(picture)
    outputs.check_picture(picture, "OUT")
    outputs.check_outputs([target], [series, real, predicted], force=force)
    if close_gaps and predicted is None:
        raise ValueError("--close-gaps joins predicted ranges; give them with --predicted FILE")
    how_outside = inputs.checked_outside(outside)
    bounds = {"start_column": start_column, "end_column": end_column, "until": until}
    marks = read_marks(series, format=file_format, column=column, end_included=end_included, **bounds)
    if isinstance(marks.ranges, TimeRanges) and real is None:
        if close_gaps:
            raise ValueError(f"--close-gaps counts rows, and {marks.name} has times only; leave it out, or draw a series with values")
        outputs.save_picture(_timeline(marks.ranges, predicted, bounds), target)
        return
    if marks.series is None:
        raise ValueError(f"{marks.name} has no values to draw; expected a series, and ranges with --real and --predicted")
    rows = {
        side: read_rows_beside(marks, given, outside=how_outside, end_included=end_included, **bounds)
        for side, given in (("real", real), ("predicted", predicted))
        if given is not None
    }
    if "predicted" in rows:
        rows["predicted"] = inputs.Reading(close_gaps=close_gaps).closed(rows["predicted"])
    outputs.save_picture(replace(marks.series, real=rows.get("real", marks.series.real)).plot(rows.get("predicted")), target)


def _timeline(incidents: TimeRanges, predicted: str | None, bounds: Mapping[str, Any]) -> Figure:
    """Times without values: a lane for the incidents, and one for what was predicted."""
    from rangewise.plots.timeline import draw_timeline

    lanes = {}
    if predicted is not None:
        found = read_marks(predicted, **bounds)
        if not isinstance(found.ranges, TimeRanges):
            raise ValueError(f"{found.name} gives rows, but {incidents.name} times; a timeline needs times on both sides")
        lanes["predicted"] = _bounds(found.ranges)
    return draw_timeline(_bounds(incidents), lanes)


def _bounds(times: TimeRanges) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    ranges = times.on_clock()
    return ranges.start_times.view(np.int64), ranges.stop_times.view(np.int64)
