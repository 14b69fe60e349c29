"""``rangewise score`` for a table of many series."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rangewise.cli.console import PlainConsole
from rangewise.cli.errors import silent_libraries
from rangewise.cli.inputs import OF_RANGES, FileOptions, ignored_lines
from rangewise.cli.printing import echo, print_json
from rangewise.files.series import TIME_COLUMN
from rangewise.files.tables import check_csv_file, require_polars
from rangewise.files.writing import written_whole
from rangewise.many import ManyScores, score_many
from rangewise.many.batches import series_text
from rangewise.many.ignored import IgnoredIntervals
from rangewise.many.parquet import parquet_files
from rangewise.many.scores import SHOWN
from rangewise.metrics.evaluate import NamedMetric
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.number_text import score_text
from rangewise.rankings.detector_table import DetectorTable
from rangewise.tables import Table, columns_as_csv

_THREADS = 2
_ALL_SERIES = "--json lists all series, and --out FILE.csv or FILE.parquet writes them"
_OF_ONE_SERIES = (
    "file_format", "real_format", "predicted_format", "column", "outside", "start_column", "end_column", "length", *OF_RANGES,
)  # fmt: skip
"""The file options that do not apply to a table of many series."""


def print_many(
    path: str,
    model: RangeModel,
    files: FileOptions,
    *,
    as_json: bool,
    out: Path | None = None,
    client: Any = None,
) -> Score:
    """Score the table, print one row per series and the totals, and return the pooled score."""
    if client is not None and _is_csv(path):
        raise ValueError(f"{path}: --scheduler and --workers need Parquet files; leave them out for a CSV table")
    scores: ManyScores = _scored(path, files, model=model, threads=_THREADS, client=client)
    _write(scores.columns(), out)
    if as_json:
        print_json(scores.to_dict() | files.closed_dict())
    else:
        _print(scores, out)
    return scores.pooled


def print_metrics(path: str, metrics: list[NamedMetric], files: FileOptions, *, as_json: bool, out: Path | None = None) -> dict[str, float]:
    """Score the table under metrics, print one row per series and the means, and return the means."""
    table: DetectorTable = _scored(path, files, metrics=metrics)
    columns = {name: values for name, values in table.columns(by_series=True).items() if name != "detector"}
    means = dict(zip((named.text for named in table.metrics), table.mean[0].tolist(), strict=True))
    _write(columns, out)
    if as_json:
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        print_json({"series": rows, "mean": means, "healthy_series": table.healthy_series} | files.closed_dict())
        return means
    merits = np.array([table.metrics[0].metric.merit(value) for value in table.values[:, 0, 0].tolist()])
    order = np.argsort(np.where(np.isnan(table.values[:, 0, 0]), np.inf, merits), kind="stable")
    shown = np.sort(order[:SHOWN]).tolist()
    texts = [[series_text(table.series[at]), *(score_text(value, undefined="-") for value in table.values[at, 0].tolist())] for at in shown]
    if len(shown) < len(table.series):
        texts.append([f"... {len(table.series) - len(shown):,} more with a better {table.metrics[0].text}", *[""] * len(means)])
    texts.append(["mean", *(score_text(value, undefined="-") for value in means.values())])
    head = ["/".join(table.keys) or "series", *means]
    echo("\n".join([Table(head, texts, totals=1).to_text(), *table.notes()]))
    if len(shown) < len(table.series):
        echo(_ALL_SERIES if out is None else f"{out} lists all series")
    return means


def _scored(path: str, files: FileOptions, **how: Any) -> Any:
    """``score_many`` of the table."""
    series, real, predicted = files.series, files.real_column, files.predicted_column
    if series is None or real is None or predicted is None:
        raise ValueError("give PREDICTED as a second file, or name the columns of a table with --series, --real and --predicted")
    with opened_table(path, files, series) as (table, rows, options), _progress(rows) as advance:
        return score_many(table, real=real, predicted=predicted, progress=advance, **options, **how)


def _write(columns: Mapping[str, Any], out: Path | None) -> None:
    """Write one row per series to a file, with all digits."""
    if out is None:
        return
    import polars as pl

    table = pl.DataFrame(dict(columns), strict=False)
    with written_whole(out) as part:
        if out.suffix.lower() == ".csv":
            columns_as_csv(table.to_dict(as_series=False), part)
        else:
            table.write_parquet(part)


def _read_table(path: str, files: FileOptions, series: str) -> tuple[Any, int | None, dict[str, Any]]:
    """A table of many series: the input to score, its number of rows if that is cheap to get, and the options of ``score_many``.

    Names of series are text, so that 01 and 1 differ. If times order the rows, a CSV table is read as a whole to sort it.
    """
    import polars as pl

    unused = [name for name in _OF_ONE_SERIES if getattr(files, name) != FileOptions.__dataclass_fields__[name].default]
    if unused:
        raise ValueError(
            f"--{unused[0].removeprefix('file_').replace('_', '-')} is for files of one series, not for a table of many; leave it out"
        )
    if isinstance(files.gap, str):
        raise ValueError(f"for a table of many series, --close-gaps takes a number of rows; got {files.gap}")
    columns: list[str] = []
    rows = None
    if _is_csv(path):
        check_csv_file(path)
        separator = "\t" if Path(path).suffix.lower() == ".tsv" else ","
        columns = pl.scan_csv(path, separator=separator, infer_schema=False).collect_schema().names()
        keys = _series_columns(series, columns)
        table: Any = pl.scan_csv(path, separator=separator, schema_overrides=dict.fromkeys(keys, pl.String))
        rows = table.select(pl.len()).collect().item()
    else:
        table = path
        try:
            scanned = pl.scan_parquet(parquet_files(path), missing_columns="insert", extra_columns="ignore")
            rows, columns = scanned.select(pl.len()).collect().item(), scanned.collect_schema().names()
        except pl.exceptions.PolarsError:
            pass  # which file is wrong and how is reported when it is scored
    intervals = files.ignored_intervals()
    files.used.update(("series", "real_column", "predicted_column"))
    files.check_used()
    times = files.times or _column_of_times(files, intervals, columns)
    if times is not None and isinstance(table, pl.LazyFrame):
        table = table.collect()
    repeated = {} if files.repeated_times is None else {"repeated_times": files.repeated_times}
    named = _series_columns(series, columns)
    return (
        table,
        rows,
        {
            "series": named[0] if len(named) == 1 else named,
            "ignore": intervals,
            "times": times,
            "close_gaps": files.gap,
            "missing": files.missing,
            **repeated,
        },
    )


def _series_columns(given: str, columns: Sequence[str]) -> list[str]:
    """The columns that name the series: one, or several separated by commas."""
    return [given] if given in columns else given.split(",")


def _column_of_times(files: FileOptions, intervals: IgnoredIntervals | None, columns: Sequence[str]) -> str | None:
    """The column of times for ignored intervals in times, if --times names none."""
    if intervals is None or not intervals.timed:
        return None
    if TIME_COLUMN not in columns:
        raise ValueError(f"{files.ignore} has times; name the column of times of the table with --times, or give rows to ignore")
    return TIME_COLUMN


@contextmanager
def opened_table(path: str, files: FileOptions, series: str) -> Iterator[tuple[Any, int | None, dict[str, Any]]]:
    """What :func:`_read_table` returns; errors and panics of polars, also while it is scored, become errors of one line."""
    require_polars()
    import polars as pl

    try:
        with silent_libraries():
            yield _read_table(path, files, series)
    except pl.exceptions.PanicException as error:
        raise ValueError(f"{path} is damaged: it cannot be read ({str(error).splitlines()[0]})") from None
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"{path} cannot be read as a table: {str(error).splitlines()[0]}") from error


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


def _print(scores: ManyScores, out: Path | None) -> None:
    echo(str(scores))
    if len(scores) > SHOWN:
        echo(_ALL_SERIES if out is None else f"{out} lists all series")
    mean = scores.macro
    if mean.undefined_precision or mean.undefined_recall:
        echo(f"of {mean.series:,} series, {mean.undefined_precision:,} have no predicted range and {mean.undefined_recall:,} no real range")
    for line in ignored_lines(scores.ignored):
        echo(line)
