"""A user's table as the base of a generated series: its columns, and how a recipe refers to it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rangewise.checks import unknown_name
from rangewise.files.formats.label_table import label_column
from rangewise.files.series import TIME_COLUMN, Series, series_of
from rangewise.files.source import Source
from rangewise.generate.maker import as_own
from rangewise.generate.recipe import Recipe


def read_own(path: Path, columns: Sequence[str] = ()) -> Series:
    """The values of these columns of a CSV or Parquet file; without names, of all columns of numbers. A missing value is an error.

    A first column ``timestamp`` is kept beside them, and a last column ``is_anomaly`` (or ``label`` or so) gives the real ranges that are
    already there.
    """
    source = Source(path)
    table, label = source.table, label_column(source)
    timestamp = TIME_COLUMN if table.columns[0] == TIME_COLUMN else None
    numbers = [name for name in table.columns if name not in (timestamp, label) and table.is_numeric(name, may_be_empty=True)]
    for name in columns:
        if name not in table.columns:
            raise unknown_name(f"a column of {path}", name, tuple(table.columns))
    chosen = list(columns) or numbers
    if not chosen:
        raise ValueError(f"{path} has no column that holds only numbers; it has {', '.join(map(repr, table.columns))}")
    return as_own(series_of(source, timestamp=timestamp, values=chosen, label=label, ascending=False))


def source_of(path: Path, columns: Sequence[str], recipe_folder: Path, checksum: str | None) -> dict[str, Any]:
    """A recipe's reference to a user's file: its path relative to the recipe, the columns, and the checksum."""
    place = os.path.relpath(path.resolve(), recipe_folder.resolve())
    return {"file": Path(place).as_posix(), "columns": list(columns), "sha256": checksum}


def own_place(recipe: Recipe, recipe_folder: Path) -> tuple[Path, list[str]]:
    """The file and the columns that a recipe augments."""
    source = recipe.source or {}
    if not isinstance(source.get("file"), str):
        raise ValueError("the recipe augments values that are not from a file; use make_series(recipe, own=...) in Python")
    return recipe_folder / source["file"], list(source.get("columns", ()))
