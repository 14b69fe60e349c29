"""The part of ``rangewise score`` that scores a table of many series."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from rangewise.checks import visible
from rangewise.cli.console import PlainConsole
from rangewise.cli.inputs import Reading
from rangewise.cli.json_numbers import finite
from rangewise.cli.printing import echo
from rangewise.files.series_table import TIME_COLUMN
from rangewise.files.tables import check_csv_file, require_polars
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ranges import Ranges
from rangewise.many import ManyScores, score_many
from rangewise.many.parquet import parquet_files
from rangewise.model.model import RangeModel
from rangewise.model.result import Score

_SHOWN_SERIES = 40
_THREADS = 2


def print_many(
    path: str,
    model: RangeModel,
    reading: Reading,
    *,
    series: str | None,
    real: str | None,
    predicted: str | None,
    as_json: bool,
    client: Any = None,
) -> Score:
    """Score the table, print a row a series and the totals, and give the pooled score."""
    if series is None or real is None or predicted is None:
        raise ValueError("give PREDICTED as a second file, or name the columns of a table with --series, --real and --predicted")
    require_polars()
    table, rows, columns = _table(path, client)
    zones, times = zones_of_table(reading, columns)
    with _progress(rows) as advance:
        found = score_many(
            table, series=series, real=real, predicted=predicted, model=model, threads=_THREADS, progress=advance, client=client,
            ignore=zones, times=times, close_gaps=reading.close_gaps,
        )  # fmt: skip
    if as_json:
        echo(json.dumps(_as_dict(found) | reading.closed_dict(), allow_nan=False))
    else:
        _print(found)
    return found.pooled


def zones_of_table(reading: Reading, columns: Sequence[str]) -> tuple[Ranges | dict[str, Ranges] | None, str | None]:
    """The zones of ``--ignore`` for a table of many series, and where they are times its column of times."""
    zones = reading.series_zones()
    if zones is None or not any(isinstance(its.clock, Clock) for its in (zones.values() if isinstance(zones, dict) else [zones])):
        return zones, None
    times = reading.times or (TIME_COLUMN if TIME_COLUMN in columns else None)
    if times is None:
        raise ValueError(
            f"{reading.ignore} gives times; name the column that says when each row of the table is with --times, or give zones as rows"
        )
    return zones, times


def _table(path: str, client: Any) -> tuple[Any, int | None, list[str]]:
    """What to score, its number of rows where that is quickly told, and its columns."""
    import polars as pl

    if Path(path).suffix.lower() in (".csv", ".tsv", ".txt") and Path(path).is_file():
        if client is not None:
            raise ValueError(f"{path}: workers share Parquet files; a CSV table is scored without --scheduler and --workers")
        try:
            check_csv_file(path)
            table = pl.scan_csv(path)
            return table, table.select(pl.len()).collect().item(), table.collect_schema().names()
        except pl.exceptions.PolarsError as error:
            raise ValueError(f"{path} is not a table that can be read: {str(error).splitlines()[0]}") from error
    try:
        table = pl.scan_parquet(parquet_files(path), missing_columns="insert", extra_columns="ignore")
        return path, table.select(pl.len()).collect().item(), table.collect_schema().names()
    except pl.exceptions.PolarsError:
        return path, None, []  # which file is wrong and how is told when it is scored


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
    console = PlainConsole()
    table = Table(box=None, pad_edge=False)
    table.add_column("series")
    for heading in ("precision", "recall", f"F{found.model.beta:g}", "real", "predicted"):
        table.add_column(heading, justify="right")
    # All rows as objects would take far more memory than those that are shown.
    worst = sorted(sorted(range(len(found)), key=found.f.__getitem__)[:_SHOWN_SERIES])
    for at in worst:
        table.add_row(
            visible(str(found.names[at])),
            *(f"{values[at]:.4f}" for values in (found.precision, found.recall, found.f)),
            f"{found.real_ranges[at]:,}",
            f"{found.predicted_ranges[at]:,}",
        )
    console.print(table)
    if len(found) > len(worst):
        console.print(f"... and {len(found) - len(worst):,} more with a larger F; --json lists all")
    pooled, mean = found.pooled, found.macro
    console.print(f"\npooled ranges   precision {pooled.precision:.4f}   recall {pooled.recall:.4f}   F{found.model.beta:g} {pooled.f:.4f}")
    console.print(f"mean of series  precision {mean.precision:.4f}   recall {mean.recall:.4f}   F{found.model.beta:g} {mean.f:.4f}")
    if mean.undefined_precision or mean.undefined_recall:
        console.print(
            f"of {mean.series} series, {mean.undefined_precision} have no predicted range and {mean.undefined_recall} no real one"
        )
    if found.ignored is not None:
        console.print(f"ignored: {found.ignored}", soft_wrap=True)


def _as_dict(found: ManyScores) -> dict[str, Any]:
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
