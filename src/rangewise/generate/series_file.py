"""Write a generated series to CSV or Parquet chunk by chunk, so that it may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rangewise.checks import whole
from rangewise.files.formats.timeeval import LABEL, TIMESTAMP
from rangewise.files.series import Series
from rangewise.files.tables import require_polars
from rangewise.files.writing import written_together
from rangewise.generate.bases import CHUNK, Floats
from rangewise.generate.maker import Maker, Progress
from rangewise.generate.recipe import Recipe
from rangewise.inputs.ranges import Ranges

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".csv", ".parquet")


def write_series(
    recipe: Recipe, path: str | Path, *, own: Series | None = None, workers: int = 1, progress: Progress | None = None
) -> tuple[Path, Ranges]:
    """Write the series of a recipe to a CSV or Parquet file (by its suffix), and the recipe next to it, as ``<name>.recipe.json``.

    The columns are those of a TimeEval file: ``timestamp`` (that of the user's series, else the row's number), ``value`` (with several
    channels ``value-0``, ``value-1``, ...) and ``is_anomaly`` (0 or 1). Both files are written completely or not at all. Returns the
    recipe's path and the real ranges.
    """
    path, workers = Path(path), whole("workers", workers, least=1)
    check_target(path)
    require_polars()
    maker = Maker(recipe, own)
    tables = _tables(maker, own, workers, progress)
    recipe_path = recipe_beside(path)
    with written_together(path, recipe_path) as (unfinished, unfinished_recipe):
        unfinished_recipe.write_text(recipe.to_json(), encoding="utf-8")
        if path.suffix.lower() == ".csv":
            _write_csv(tables, unfinished)
        else:
            _write_parquet(tables, _schema(recipe, own), unfinished)
    return recipe_path, maker.real


def check_target(path: Path) -> None:
    """Raise an error for a file that cannot be written, before the work begins."""
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{path}: the suffix must be {' or '.join(SUFFIXES)}; got {path.suffix or 'none'!r}")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; expected the name of a file to write")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {path.parent} does not exist")


def recipe_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.recipe.json")


def _tables(maker: Maker, own: Series | None, workers: int, progress: Progress | None) -> Iterator[pl.DataFrame]:
    for start, values in maker.each_chunk(workers):
        yield _table(maker, own, start, values)
        if progress is not None:
            progress(len(values))


def _table(maker: Maker, own: Series | None, start: int, values: Floats) -> pl.DataFrame:
    import polars as pl

    stop = start + len(values)
    times = own.timestamps[start:stop] if own is not None and own.timestamps is not None else np.arange(start, stop)
    names = _value_names(maker.recipe.channels)
    columns = {name: np.ascontiguousarray(values[:, channel]) for channel, name in enumerate(names)}
    return pl.DataFrame({TIMESTAMP: times, **columns, LABEL: _labels(maker.real, start, stop)})


def _labels(real: Ranges, start: int, stop: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """0/1 labels of only the rows [start, stop), because those of a whole series may not fit in memory."""
    first, last = np.searchsorted(real.stops, start, side="right"), np.searchsorted(real.starts, stop, side="left")
    inside = real[int(first) : int(last)]
    bounds = np.clip(np.asarray(inside), start, stop) - start
    return Ranges(bounds).to_labels(stop - start)


def _value_names(channels: int) -> list[str]:
    return ["value"] if channels == 1 else [f"value-{channel}" for channel in range(channels)]


def _schema(recipe: Recipe, own: Series | None) -> dict[str, Any]:
    import polars as pl

    time = pl.Int64() if own is None or own.timestamps is None else pl.Series(own.timestamps[:1]).dtype
    return {TIMESTAMP: time, **dict.fromkeys(_value_names(recipe.channels), pl.Float64()), LABEL: pl.UInt8()}


def _write_csv(tables: Iterator[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as file:
        for number, table in enumerate(tables):
            table.write_csv(file, include_header=number == 0)


def _write_parquet(tables: Iterator[pl.DataFrame], schema: dict[str, Any], path: Path) -> None:
    """One Parquet file from an iterator: polars pulls the tables as a source and its streaming engine writes them."""
    from polars.io.plugins import register_io_source

    def source(*_pushed_down: object) -> Iterator[pl.DataFrame]:
        return tables

    register_io_source(source, schema=schema).sink_parquet(path, row_group_size=4 * CHUNK, engine="streaming")
