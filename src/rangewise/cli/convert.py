"""``rangewise convert``: anomalies from one format into another."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from rangewise.cli import inputs, outputs
from rangewise.cli.errors import print_error
from rangewise.cli.parameters import Without
from rangewise.cli.printing import echo, print_data
from rangewise.datasets.arguments import read_timestamps
from rangewise.files.annotations import Annotations
from rangewise.files.conversion import annotation_bytes, write_annotations
from rangewise.files.formats.table import FORMATS
from rangewise.files.source import STANDARD_INPUT
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.clocks import row_clock
from rangewise.inputs.scores import gap_points
from rangewise.number_text import count_text


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="What to read: a file, -, or e.g. nab:FILE.")],
    targets: Annotated[
        list[str] | None, typer.Argument(metavar="OUT", help="The file to write, or - for standard output; with --check, more files.")
    ] = None,
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing: check that every file can be read, and with --to, converted; else exit with 1.")
    ] = False,
    to: Annotated[str | None, typer.Option(help=f"The format to write: {', '.join(FORMATS)}. Default: by OUT, if clear.")] = None,
    length: Annotated[int | None, typer.Option(help="Number of rows, if IN does not have it.", min=0)] = None,
    files: Annotated[
        inputs.FileOptions,
        Without(
            "real_format",
            "predicted_format",
            "real_column",
            "predicted_column",
            "length",
            "repeated_times",
            "missing",
            *inputs.OF_RANGES,
            *inputs.IGNORE,
        ),
    ],
    force: outputs.Force = False,
) -> int:
    """Convert labels and ranges of anomalies between formats.

    With --check nothing is written: every file is read, and one line says what it has or what is wrong with it, for pre-commit and CI.
    """
    if check:
        outputs.check_outputs([], [], force=force)
        return _check([source, *(targets or [])], files, to, length)
    if targets is None or len(targets) != 1:
        raise ValueError("give IN and OUT, the file to read and the one to write; several files can only be checked, with --check")
    (target,) = targets
    outputs.check_outputs([target], [source, files.times], force=force)
    files.check_one_standard_input(source)
    annotations = files.read(source, "real")
    timestamps = None if files.times is None else read_timestamps(files.times)
    if isinstance(annotations.ranges, TimeRanges) and (timestamps is not None or annotations.timestamps is not None):
        files.note_rows()
    files.check_used()
    # Gaps of rows between ranges in times need the timestamps of rows, and so does a length of time between rows.
    closing = bool(files.gap) and (isinstance(files.gap, str) or isinstance(annotations.ranges, TimeRanges))
    if files.gap:
        rows = annotations.rows(timestamps, files.outside)
        index = (annotations.timestamps if timestamps is None else timestamps) if isinstance(files.gap, str) else None
        annotations = replace(annotations, ranges=rows.close_gaps(gap_points(files.gap, None if index is None else row_clock(index))))
    known = {"timestamps": timestamps, "length": length}
    for name, option in (("timestamps", "--times"), ("length", "--length")):
        if (
            known[name] is not None
            and not (closing and name == "timestamps")
            and _is_same(annotations, target, to, files.outside, known, known | {name: None})
        ):
            raise ValueError(f"{option} has no effect: {annotations.name} has all that the new file needs; leave it out")
    content = write_annotations(annotations, target, format=to, outside=files.outside, **known)
    if target.rpartition(":")[2] == STANDARD_INPUT:
        if sys.stdout.isatty():
            print_data(content.decode("utf-8", errors="replace"), nl=False)
        else:
            sys.stdout.buffer.write(content)
    return 0


def _check(paths: list[str], files: inputs.FileOptions, to: str | None, length: int | None) -> int:
    """One line per file: what it has on standard output, or what is wrong with it on standard error; 1 where something is."""
    if files.gap:
        raise ValueError("--close-gaps changes what is written, and --check writes nothing; leave one of them out")
    if length is not None and to is None:
        raise ValueError("--length is for files that are written; with --check, give --to FORMAT too")
    files.check_one_standard_input(*paths)
    timestamps = None if files.times is None else read_timestamps(files.times)
    failed = 0
    for path in paths:
        try:
            annotations = files.read(path, "real")
            ranges = annotations.given_ranges() if timestamps is None else annotations.rows(timestamps, files.outside)
            if to is not None:
                annotation_bytes(annotations, STANDARD_INPUT, format=to, outside=files.outside, timestamps=timestamps, length=length)
            if isinstance(annotations.ranges, TimeRanges) and timestamps is not None:
                files.note_rows()
            rows = "" if annotations.length is None else f" in {count_text(annotations.length, 'row')}"
            echo(f"{path}: {count_text(len(ranges), 'range')}{rows}")
        except (ValueError, OSError) as error:
            failed += 1
            print_error(str(error) if path.rpartition(":")[2] in str(error) else f"{path}: {error}")
    if not failed:
        files.check_used()
    return 1 if failed else 0


def _is_same(annotations: Annotations, target: str, to: str | None, outside: Outside, one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether both options write the same; an error means that nothing is written."""
    first = annotation_bytes(annotations, target, format=to, outside=outside, **one)
    try:
        return annotation_bytes(annotations, target, format=to, outside=outside, **other) == first
    except ValueError:
        return False
