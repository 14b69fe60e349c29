"""The Parquet files of one table: their names, their order, and how to read one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from glob import glob
from pathlib import Path
from typing import Any, TypeVar

from rangewise.checks import cell_bytes, fits_size
from rangewise.many.batches import check_columns

Part = TypeVar("Part")
_SLICE = 1 << 20


def parquet_files(given: str | Path) -> list[Path]:
    """The files of a folder or a pattern, or a single file, sorted by name; numbers in names are compared as numbers."""
    text = str(given)
    path = Path(given)
    if path.is_dir():
        files = [
            file
            for file in path.iterdir()
            if file.suffix.lower() in (".parquet", ".pq") and not file.name.startswith((".", "_")) and file.is_file()
        ]
        if not files:
            raise FileNotFoundError(f"{text} is a folder without Parquet files; expected names that end in .parquet")
    elif path.is_file():
        files = [path]
    else:
        files = [Path(name) for name in glob(text, recursive=True) if Path(name).is_file()]
        if not files:
            what = f"no file matches {text}" if any(sign in text for sign in "*?[") else f"{text} does not exist"
            raise FileNotFoundError(f"{what}; expected a Parquet file, a folder of them, or a pattern such as 'data/*.parquet'")
    return sorted(files, key=_natural)


def read_file(file: Path, read: Callable[..., Part], columns: tuple[str, ...]) -> Part:
    """Apply ``read`` to one file, batch by batch; errors begin with the name of the file."""
    try:
        return read(tables_of(file, columns), held=file.stat().st_size)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{file}: {error}") from None


def tables_of(file: Path, columns: tuple[str, ...]) -> Any:
    """These columns of the file, table by table; if it would expand to far more than its size, in small tables."""
    table = scan(file)
    schema = table.collect_schema()
    check_columns(schema.names(), columns)
    rows = row_count(table)
    if fits_size(rows * sum(cell_bytes(schema[name]) for name in columns), file.stat().st_size):
        chosen = table.select(columns)
        return _all_of(rows, chosen.collect_batches() if hasattr(chosen, "collect_batches") else [chosen.collect()])
    # Slices instead of polars' batches, which are read ahead until the whole file is in memory.
    return _all_of(rows, (table.select(columns).slice(at, _SLICE).collect() for at in range(0, rows, _SLICE)))


def _all_of(rows: int, tables: Iterable[Any]) -> Iterator[Any]:
    """The tables, whose number of rows is checked: if polars fails in one of its threads, rows are missing without an error."""
    read = 0
    for table in tables:
        read += len(table)
        yield table
    if read != rows:
        raise ValueError(f"the file is damaged: it has {rows} rows, of which {read} can be read")


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
