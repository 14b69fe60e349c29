"""``rangewise convert``: anomalies from one format into another."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import typer

from rangewise.cli import inputs, outputs
from rangewise.cli.printing import echo
from rangewise.datasets.arguments import read_marks, read_timestamps
from rangewise.files.conversion import write_marks
from rangewise.files.formats.table import FORMATS
from rangewise.files.source import STANDARD_INPUT


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="What to read: a file, -, or e.g. nab:FILE.", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The file to write, or - for standard output.", show_default=False)],
    to: Annotated[
        str | None, typer.Option("--to", help=f"The format to write: {', '.join(FORMATS)}. Default: by OUT, if clear.", show_default=False)
    ] = None,
    length: Annotated[int | None, typer.Option(help="How many rows there are, where IN does not tell.", min=0, show_default=False)] = None,
    file_format: inputs.FileFormat = None,
    column: inputs.Column = None,
    series: inputs.SeriesName = None,
    times: inputs.Times = None,
    outside: inputs.Outside = "error",
    end_included: inputs.EndIncluded = None,
    start_column: inputs.StartColumn = None,
    end_column: inputs.EndColumn = None,
    until: inputs.Until = None,
    close_gaps: inputs.CloseGaps = 0,
    force: outputs.Force = False,
) -> None:
    """Convert labels and ranges of anomalies between formats."""
    outputs.check_outputs([target], [source, times], force=force)
    how_outside = inputs.checked_outside(outside)
    marks = read_marks(
        source,
        format=file_format,
        column=column,
        series=series,
        end_included=end_included,
        start_column=start_column,
        end_column=end_column,
        until=until,
    )
    timestamps = None if times is None else read_timestamps(times)
    if close_gaps:
        rows = marks.rows(timestamps, how_outside)
        marks = replace(marks, ranges=inputs.Reading(close_gaps=close_gaps).closed(rows))
    content = write_marks(marks, target, format=to, timestamps=timestamps, length=length, outside=how_outside)
    if target.rpartition(":")[2] == STANDARD_INPUT:
        if sys.stdout.isatty():
            echo(content.decode("utf-8", errors="replace"), nl=False)
        else:
            sys.stdout.buffer.write(content)
