"""A user's table as the base of a generated series: which columns, which labels, and how a recipe finds it again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rangewise.datasets.generate import as_own
from rangewise.datasets.recipe import Recipe
from rangewise.datasets.series import Series
from rangewise.datasets.write_series import LABELS, SUFFIXES, TIMES, polars_or_hint
from rangewise.model.model import unknown_name
from rangewise.ranges import Ranges


def read_own(path: Path, columns: Sequence[str] = ()) -> Series:
    """The values of these columns of a CSV or Parquet file; without names, of all columns of numbers.

    A column ``timestamp`` is kept beside them, and a 0/1 column ``is_anomaly`` gives the real ranges that are already there.
    """
    polars = polars_or_hint()
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{path}: a series to augment is a {' or '.join(SUFFIXES)} file")
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist, or is no file")
    try:
        table = polars.read_csv(path, infer_schema_length=None) if path.suffix.lower() == ".csv" else polars.read_parquet(path)
    except polars.exceptions.PolarsError as error:
        raise ValueError(f"{path} is not a readable table: {str(error).splitlines()[0]}") from error
    for name in columns:
        if name not in table.columns:
            raise unknown_name(f"a column of {path}", name, tuple(table.columns))
    numbers = [name for name, kind in table.schema.items() if kind.is_numeric() and name not in (TIMES, LABELS)]
    chosen = list(columns) or numbers
    for name in chosen:
        if name not in numbers:
            raise ValueError(f"{path}: column {name!r} holds no values to augment; columns of numbers are {', '.join(numbers) or 'none'}")
    if not chosen:
        raise ValueError(f"{path} has no column of numbers; it has {', '.join(map(repr, table.columns))}")
    values = table.select(polars.col(chosen).cast(polars.Float64)).to_numpy()
    real = Ranges.from_labels(table[LABELS]) if LABELS in table.columns else Ranges()
    times = _times(table[TIMES]) if TIMES in table.columns else None
    return as_own(Series(path.stem, values, timestamps=times, real=real))


def _times(column: Any) -> Any:
    """Whole numbers and times are kept as they are; text is a time, or of no use."""
    if column.dtype.is_integer() or column.dtype.is_temporal():
        return column.to_numpy()
    try:
        return column.str.to_datetime().to_numpy()
    except Exception as error:
        raise ValueError(f"column {TIMES!r} holds neither whole numbers nor times: {str(error).splitlines()[0]}") from error


def source_of(path: Path, columns: Sequence[str], recipe_folder: Path, checksum: str | None) -> dict[str, Any]:
    """What a recipe keeps of a user's file: its place as seen from the recipe, the columns, and the checksum."""
    place = os.path.relpath(path.resolve(), recipe_folder.resolve())
    return {"file": Path(place).as_posix(), "columns": list(columns), "sha256": checksum}


def own_place(recipe: Recipe, recipe_folder: Path) -> tuple[Path, list[str]]:
    """The file and the columns that a recipe augments."""
    source = recipe.source or {}
    if not isinstance(source.get("file"), str):
        raise ValueError("the recipe augments values that came from no file; make it in Python, with make_series(recipe, own=...)")
    return recipe_folder / source["file"], list(source.get("columns", ()))
