"""The part of ``rangewise score`` that scores a table of many series."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rangewise.cli.console import PlainConsole
from rangewise.cli.inputs import FileOptions, Reading
from rangewise.cli.json_numbers import finite
from rangewise.cli.printing import echo
from rangewise.files.series_table import TIME_COLUMN
from rangewise.files.tables import check_csv_file, require_polars
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ranges import Ranges
from rangewise.many import ManyScores, score_many
from rangewise.many.parquet import parquet_files
from rangewise.many.scores import SHOWN
from rangewise.model.model import RangeModel
from rangewise.model.result import Score

_THREADS = 2
_OF_ONE_SERIES = (
    "file_format", "real_format", "predicted_format", "column", "outside", "start_column", "end_column", "step", "length",
)  # fmt: skip
"""The options of files that say nothing of a table of many series."""


def print_many(
    path: str,
    model: RangeModel,
    reading: Reading,
    *,
    as_json: bool,
    client: Any = None,
) -> Score:
    """Score the table, print a row a series and the totals, and give the pooled score."""
    series, real, predicted = reading.series, reading.real_column, reading.predicted_column
    if series is None or real is None or predicted is None:
        raise ValueError("give PREDICTED as a second file, or name the columns of a table with --series, --real and --predicted")
    require_polars()
    if client is not None and _is_csv(path):
        raise ValueError(f"{path}: workers share Parquet files; a CSV table is scored without --scheduler and --workers")
    with errors_of_polars(path):
        table, rows, options = read_table(path, reading, series)
        with _progress(rows) as advance:
            options |= {"series": series, "real": real, "predicted": predicted, "model": model}
            found: ManyScores = score_many(table, threads=_THREADS, progress=advance, client=client, **options)
    if as_json:
        echo(json.dumps(_to_dict(found) | reading.closed_dict(), allow_nan=False))
    else:
        _print(found)
    return found.pooled


def read_table(path: str, reading: Reading, series: str) -> tuple[Any, int | None, dict[str, Any]]:
    """A table of many series: what to score, its number of rows where that is quickly told, and the options that say how.

    Names of series are text, so that 01 and 1 are two. Where times order the rows, a CSV table is read as a whole, to be sorted.
    """
    import polars as pl

    unused = [name for name in _OF_ONE_SERIES if getattr(reading, name) != FileOptions.__dataclass_fields__[name].default]
    if unused:
        raise ValueError(
            f"--{unused[0].removeprefix('file_').replace('_', '-')} is for files of one series, not for a table of many; leave it out"
        )
    if isinstance(reading.gap, str):
        raise ValueError(f"--close-gaps of a table of many series is a number of rows; got {reading.gap}")
    columns: list[str] = []
    rows = None
    if _is_csv(path):
        check_csv_file(path)
        separator = "\t" if Path(path).suffix.lower() == ".tsv" else ","
        table: Any = pl.scan_csv(path, separator=separator, schema_overrides={series: pl.String})
        rows, columns = table.select(pl.len()).collect().item(), table.collect_schema().names()
    else:
        table = path
        try:
            scanned = pl.scan_parquet(parquet_files(path), missing_columns="insert", extra_columns="ignore")
            rows, columns = scanned.select(pl.len()).collect().item(), scanned.collect_schema().names()
        except pl.exceptions.PolarsError:
            pass  # which file is wrong and how is reported when it is scored
    intervals = reading.ignored_intervals()
    times = reading.times or _column_of_times(reading, intervals, columns)
    if times is not None and isinstance(table, pl.LazyFrame):
        table = table.collect()
    repeated = {} if reading.repeated_times is None else {"repeated_times": reading.repeated_times}
    return table, rows, {"ignore": intervals, "times": times, "close_gaps": reading.gap, "missing": reading.missing, **repeated}


def _column_of_times(reading: Reading, intervals: Ranges | dict[str, Ranges] | None, columns: Sequence[str]) -> str | None:
    """The column that ignored intervals in times are compared with, where --times names none."""
    each = intervals.values() if isinstance(intervals, dict) else [] if intervals is None else [intervals]
    if not any(isinstance(its.clock, Clock) for its in each):
        return None
    if TIME_COLUMN not in columns:
        raise ValueError(
            f"{reading.ignore} gives times; name the column that says when each row of the table is with --times, or give rows to ignore"
        )
    return TIME_COLUMN


@contextmanager
def errors_of_polars(path: str) -> Iterator[None]:
    """Errors of polars in one line."""
    import polars as pl

    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"{path} is not a table that can be read: {str(error).splitlines()[0]}") from error


def _is_csv(path: str) -> bool:
    return Path(path).suffix.lower() in (".csv", ".tsv", ".txt") and Path(path).is_file()


@contextmanager
def _progress(rows: int | None) -> Iterator[Callable[[int], object]]:
    console = PlainConsole(stderr=True)
    progress = Progress(
        TextColumn("scoring"), BarColumn(), MofNCompleteColumn(), TextColumn("rows"), TimeRemainingColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    with progress:
        task = progress.add_task("", total=rows)
        yield lambda more: progress.advance(task, more)


def _print(found: ManyScores) -> None:
    echo(str(found))
    if len(found) > SHOWN:
        echo("--json lists all series")
    mean = found.macro
    if mean.undefined_precision or mean.undefined_recall:
        echo(f"of {mean.series:,} series, {mean.undefined_precision:,} have no predicted range and {mean.undefined_recall:,} no real one")
    if found.ignored is not None:
        echo(f"ignored: {found.ignored}")


def _to_dict(found: ManyScores) -> dict[str, Any]:
    pooled = found.pooled
    ignored = {} if found.ignored is None else {"ignored": found.ignored.to_dict()}
    return {
        "series": [_finite(asdict(row)) for row in found.rows],
        "pooled": _finite({"precision": pooled.precision, "recall": pooled.recall, "f": pooled.f}),
        "macro": _finite(asdict(found.macro)),
        "model": str(found.model),
        **ignored,
    }


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    return {name: finite(value) if isinstance(value, float) else value for name, value in values.items()}
