"""Parquet files of one table: which they are, in which order, and that they agree on their columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import Any

from rangewise.checks import cell_bytes, fits_size
from rangewise.many.batches import Batch, Columns, batches, check_columns
from rangewise.many.gathered import Gathered, Job
from rangewise.many.scoring import Progress, gather
from rangewise.many.series_zones import SeriesZones, Survey, ZonedRows, survey, survey_columns, zoned_rows

_SLICE = 1 << 20


def parquet_files(given: str | Path) -> list[Path]:
    """The files of a folder, of a pattern, or the one file, in the order of their names; numbers in names count as numbers."""
    text = str(given)
    path = Path(given)
    if path.is_dir():
        found = [
            file
            for file in path.iterdir()
            if file.suffix.lower() in (".parquet", ".pq") and not file.name.startswith((".", "_")) and file.is_file()
        ]
        if not found:
            raise FileNotFoundError(f"{text} is a folder without Parquet files; expected names that end in .parquet")
    elif path.is_file():
        found = [path]
    else:
        found = [Path(name) for name in glob(text, recursive=True) if Path(name).is_file()]
        if not found:
            what = f"no file matches {text}" if any(sign in text for sign in "*?[") else f"{text} does not exist"
            raise FileNotFoundError(f"{what}; expected a Parquet file, a folder of them, or a pattern such as 'data/*.parquet'")
    return sorted(found, key=_natural)


def gather_files(
    given: str | Path, columns: Columns, jobs: tuple[Job, ...], threads: int, progress: Progress | None, zones: SeriesZones | None = None
) -> Gathered:
    """All series of the files, one file after the other."""
    files = parquet_files(given)
    zoned = None if zones is None else zoned_rows((survey_file(file, columns.series, zones) for file in files), zones)
    gathered = Gathered(jobs)
    for file in files:
        gathered = gathered.join(gather_file(file, zoned, columns, jobs, threads, progress))
        gathered.check_series(size_of(files))
    return gathered


def gather_file(
    file: Path, zoned: ZonedRows | None, columns: Columns, jobs: tuple[Job, ...], threads: int = 1, progress: Progress | None = None
) -> Gathered:
    """The series of one file, read batch by batch; ``zoned`` are the rows that do not count."""
    with _named(file):
        tables = tables_of(file, columns.all())
        return gather(tables, columns, jobs, threads, progress, goes_on=True, zoned=zoned, held=size_of([file]))


def file_batches(files: Iterable[Path], columns: Columns) -> Iterator[Batch]:
    """The batches of files, one file after the other; their complaints name the file."""
    files = list(files)
    held = size_of(files)
    for file in files:
        with _named(file):
            for batch in batches(tables_of(file, columns.all()), columns, held):
                yield replace(batch, where=f"{file}: {batch.where}")


def survey_file(file: Path, series: str, zones: SeriesZones) -> Survey:
    """How many rows of each series one file has, and where its zones are."""
    with _named(file):
        return survey(tables_of(file, survey_columns(series, zones).all()), series, zones)


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Complaints begin with the name of the file."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"{file}: {error}") from None


def size_of(files: Iterable[Path]) -> int:
    """How many bytes the files hold together."""
    return sum(file.stat().st_size for file in files)


def tables_of(file: Path, columns: tuple[str, ...]) -> Any:
    """The file as a lazy table; where it would unpack to far more than it holds, as small tables of these columns, one after the other."""
    table = scan(file)
    schema = table.collect_schema()
    check_columns(schema.names(), columns)
    rows = row_count(table)
    if fits_size(rows * sum(cell_bytes(schema[name]) for name in columns), size_of([file])):
        return table
    # Slices, not polars' batches: those are read ahead of whoever takes them, until the whole file is in memory.
    return (table.select(columns).slice(at, _SLICE).collect() for at in range(0, rows, _SLICE))


def row_count(table: Any) -> int:
    """The number of rows of a lazy table."""
    import polars as pl

    return int(table.select(pl.len()).collect().item())


def scan(file: Path) -> Any:
    try:
        import polars as pl
    except ImportError as error:
        raise ModuleNotFoundError("reading Parquet files needs polars: pip install 'rangewise[files]'") from error
    try:
        table = pl.scan_parquet(file)
        table.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"not a Parquet file that can be read: {str(error).splitlines()[0]}") from None
    return table


def _natural(file: Path) -> list[Any]:
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"(\d+)", str(file))]
