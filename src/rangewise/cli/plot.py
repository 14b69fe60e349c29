"""``rangewise plot``: plot a series with its real and predicted ranges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.cli import inputs, outputs
from rangewise.cli.parameters import Without
from rangewise.datasets.arguments import read_annotations, read_rows_beside
from rangewise.files.times import TimeRanges
from rangewise.inputs.clocks import ClockedRanges, row_clock
from rangewise.inputs.scores import gap_points

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(
    series: Annotated[str, typer.Argument(metavar="IN", help="The series: a file, or e.g. nab:FILE.")],
    picture: Annotated[str, typer.Argument(metavar="OUT", help="The picture to write: PNG, SVG or PDF.")],
    *,
    real: Annotated[str | None, typer.Option(help="A file with the real ranges, instead of those in IN.")] = None,
    predicted: Annotated[str | None, typer.Option(help="A file with predicted ranges.")] = None,
    files: Annotated[
        inputs.FileOptions,
        Without(
            "real_column", "predicted_column", "series", "times", "length", "repeated_times", "missing", *inputs.OF_RANGES, *inputs.IGNORE
        ),
    ],
    force: outputs.Force = False,
) -> None:
    """Plot a series with its real and predicted ranges.

    A file with times but no values is drawn as a timeline.
    """
    target = Path(picture)
    outputs.check_picture(picture, "OUT")
    outputs.check_outputs([target], [series, real, predicted], force=force)
    if files.close_gaps and predicted is None:
        raise ValueError("--close-gaps joins predicted ranges; give them with --predicted FILE")
    for side, given in (("real", real), ("predicted", predicted)):
        if given is None and getattr(files, f"{side}_format") is not None:
            raise ValueError(f"--{side}-format is for the --{side} file; give --{side} FILE too")
    uses: set[str] = set()
    annotations = read_annotations(series, format=files.file_format, column=files.column, **files.range_choices, uses=uses)
    files.note(uses, {"format": "file_format"})
    if isinstance(annotations.ranges, TimeRanges) and real is None:
        if files.gap and isinstance(files.gap, int):
            raise ValueError(
                f"--close-gaps {files.gap} counts rows, but {annotations.name} has only times; give a duration, e.g. --close-gaps 5min"
            )
        outputs.save_picture(_timeline(annotations.ranges, predicted, files), target)
        return
    if annotations.series is None:
        raise ValueError(f"{annotations.name} has no values to draw; expected a series, and ranges with --real and --predicted")
    rows = {}
    for side, given, own_format in (("real", real, files.real_format), ("predicted", predicted, files.predicted_format)):
        if given is not None:
            uses = set()
            rows[side] = read_rows_beside(annotations, given, outside=files.outside, format=own_format, **files.range_choices, uses=uses)
            files.note(uses, {"format": f"{side}_format"})
            if "until" in uses:
                files.note_rows()
    files.check_used()
    if "predicted" in rows:
        index = annotations.timestamps if isinstance(files.gap, str) else None
        rows["predicted"] = rows["predicted"].close_gaps(gap_points(files.gap, None if index is None else row_clock(index)))
    outputs.save_picture(replace(annotations.series, real=rows.get("real", annotations.series.real)).plot(rows.get("predicted")), target)


def _timeline(incidents: TimeRanges, predicted: str | None, files: inputs.FileOptions) -> Figure:
    """Times without values: one lane for the incidents and one for the predictions."""
    from rangewise.plots.timeline import draw_timeline

    lanes = {}
    if predicted is not None:
        uses: set[str] = set()
        annotations = read_annotations(predicted, format=files.predicted_format, **files.range_choices, uses=uses)
        files.note(uses, {"format": "predicted_format"})
        if not isinstance(annotations.ranges, TimeRanges):
            raise ValueError(f"{annotations.name} has rows, but {incidents.name} has times; a timeline needs times on both sides")
        ranges = annotations.ranges.on_clock()
        lanes["predicted"] = _bounds(ClockedRanges(ranges.close_gaps(gap_points(files.gap, ranges.clock)), ranges.clock))
    files.check_used()
    return draw_timeline(_bounds(incidents.on_clock()), lanes)


def _bounds(ranges: ClockedRanges) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return ranges.start_times.view(np.int64), ranges.stop_times.view(np.int64)
