"""``rangewise plot``: the picture of a series with its real and predicted ranges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from rangewise.cli import inputs
from rangewise.datasets.formats import read_marks, read_rows_beside
from rangewise.datasets.writing import written_whole

_SUFFIXES = (".png", ".svg")


def plot(
    series: Annotated[str, typer.Argument(metavar="IN", help="The series: a file, or e.g. nab:FILE.", show_default=False)],
    picture: Annotated[str, typer.Argument(metavar="OUT", help="The picture to write: PNG or SVG.", show_default=False)],
    real: Annotated[str | None, typer.Option(help="A file with the real ranges, instead of those in IN.", show_default=False)] = None,
    predicted: Annotated[str | None, typer.Option(help="A file with predicted ranges.", show_default=False)] = None,
    file_format: inputs.FileFormat = None,
    column: inputs.Column = None,
    outside: inputs.Outside = "error",
    end_included: inputs.EndIncluded = None,
) -> None:
    """Draw a series with its real ranges, and predicted ones, shaded."""
    target = Path(picture)
    if target.suffix.lower() not in _SUFFIXES:
        raise ValueError(f"a picture is PNG or SVG; name OUT like picture.png, not {picture!r}")
    how_outside = inputs.checked_outside(outside)
    marks = read_marks(series, format=file_format, column=column, end_included=end_included)
    if marks.series is None:
        raise ValueError(f"{marks.name} has no values to draw; expected a series, and ranges with --real and --predicted")
    rows = {
        side: read_rows_beside(marks, given, outside=how_outside, end_included=end_included)
        for side, given in (("real", real), ("predicted", predicted))
        if given is not None
    }
    figure = replace(marks.series, real=rows.get("real", marks.series.real)).plot(rows.get("predicted"))
    from matplotlib import rc_context

    # The same picture is the same bytes.
    with written_whole(target) as part, rc_context({"svg.hashsalt": "rangewise"}):
        figure.savefig(part, dpi=120, metadata={"Date": None} if target.suffix.lower() == ".svg" else None)
