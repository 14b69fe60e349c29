"""``rangewise generate``: write a labeled series of any size, with a recipe to reproduce it."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from rangewise.checks import check_size
from rangewise.cli import outputs
from rangewise.cli.console import PlainConsole
from rangewise.cli.errors import silent_libraries
from rangewise.cli.printing import echo
from rangewise.files.series import Series
from rangewise.files.tables import text_of
from rangewise.generate.bases import BASES
from rangewise.generate.kinds import KINDS
from rangewise.generate.maker import own_digest
from rangewise.generate.own_file import own_place, read_own, source_of
from rangewise.generate.plan import Anomalies, plan_bytes
from rangewise.generate.recipe import OWN, Recipe
from rangewise.generate.series_file import SUFFIXES, check_target, recipe_beside, write_series
from rangewise.number_text import count_text

_anomaly = partial(typer.Option, rich_help_panel="Anomalies")


def generate(
    out: Annotated[Path, typer.Argument(help="The .csv or .parquet file to write.", metavar="OUT")],
    base: Annotated[str | None, typer.Option(help=f"One of {', '.join(BASES)}, or a CSV or Parquet file to augment. Default sine.")] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="Column of the file to augment; repeatable. Default: all numeric columns.", metavar="NAME"),
    ] = None,
    length: Annotated[int | None, typer.Option(help="Number of points. Default 10000.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed. Default 0.")] = None,
    noise: Annotated[float | None, typer.Option(help="Standard deviation of the noise, as a fraction of high - low.")] = None,
    period: Annotated[float | None, typer.Option(help="Points per cycle.")] = None,
    low: Annotated[float | None, typer.Option(help="Minimum of the base signal.")] = None,
    high: Annotated[float | None, typer.Option(help="Maximum of the base signal.")] = None,
    channels: Annotated[int | None, typer.Option(help="Number of channels. Default 1.")] = None,
    kind: Annotated[
        list[str] | None,
        _anomaly(help=f"Kind of anomaly, one of {', '.join(KINDS)}; repeatable.", metavar="NAME"),
    ] = None,
    number: Annotated[int | None, _anomaly(help="Number of anomalies. Default: from --rate.")] = None,
    rate: Annotated[float | None, _anomaly(help="Share of anomalous points. Default 0.04.")] = None,
    lengths: Annotated[
        tuple[int, int] | None,
        _anomaly(help="Minimum and maximum length. Default 50 100.", metavar="FROM TO"),
    ] = None,
    gap: Annotated[int | None, _anomaly(help="Minimum number of points between two anomalies. Default 10.")] = None,
    strength: Annotated[
        tuple[float, float] | None,
        _anomaly(help="Minimum and maximum strength, in units of high - low. Default 0.5 1.5.", metavar="FROM TO"),
    ] = None,
    part: Annotated[
        tuple[int, int] | None,
        _anomaly(help="Place anomalies only in rows START to STOP - 1.", metavar="START STOP"),
    ] = None,
    recipe: Annotated[Path | None, typer.Option(help="Reproduce the series of this recipe file.")] = None,
    workers: Annotated[int | None, typer.Option(help="Number of threads, without effect on the output. Default: one per core.")] = None,
    force: outputs.Force = False,
) -> None:
    """Generate a labeled series into a CSV or Parquet file, with a JSON recipe beside it.

    The series is written while it is generated, so it may be larger than memory.
    """
    check_target(out)
    own_base = base if base is not None and Path(base).suffix.lower() in SUFFIXES else None
    outputs.check_outputs([out, recipe_beside(out)], [recipe, own_base], force=force)
    wanted: dict[str, Any] = {
        "kinds": kind,
        "number": number,
        "rate": rate,
        "lengths": lengths,
        "gap": gap,
        "strength": strength,
        "part": part,
    }
    settings: dict[str, Any] = {"seed": seed, "noise": noise, "period": period, "low": low, "high": high}
    if recipe is not None:
        made_by_hand = {**wanted, **settings, "base": base, "column": column, "length": length, "channels": channels}
        if given := [name for name, value in made_by_hand.items() if value is not None]:
            raise ValueError(f"--recipe defines the whole series; leave out --{'kind' if given[0] == 'kinds' else given[0]}")
        chosen, own = _from_file(recipe, out)
    else:
        anomalies = Anomalies(**{name: value for name, value in wanted.items() if value is not None})
        settings |= {"anomalies": anomalies}
        chosen, own = _from_options(base or "sine", column or [], length, channels, settings, out)
    _write(chosen, own, out, workers if workers is not None else os.cpu_count() or 1)


def _from_file(path: Path, out: Path) -> tuple[Recipe, Series | None]:
    if not path.is_file():
        raise FileNotFoundError(f"the recipe {path} does not exist, or is not a file")
    text = text_of(path.read_bytes(), str(path))
    try:
        recipe = Recipe.from_json(text)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from error
    check_size(plan_bytes(recipe.anomalies, recipe.length), path.stat().st_size, f"{path}: a plan of the anomalies in {recipe.length} rows")
    if recipe.base != OWN:
        return recipe, None
    own_path, columns = own_place(recipe, path.parent)
    own = read_own(own_path, columns)
    # The new recipe may be in another folder than the old one.
    source = source_of(own_path, columns, recipe_beside(out).parent, (recipe.source or {}).get("sha256"))
    return replace(recipe, source=source), own


def _from_options(
    base: str, columns: list[str], length: int | None, channels: int | None, settings: dict[str, Any], out: Path
) -> tuple[Recipe, Series | None]:
    settings = {name: value for name, value in settings.items() if value is not None}
    if Path(base).suffix.lower() not in SUFFIXES:
        if columns:
            raise ValueError("--column selects columns of a file; give that file with --base")
        if base == OWN:
            raise ValueError("to augment a series of your own, give its CSV or Parquet file with --base")
        return Recipe(
            base=base, length=10_000 if length is None else length, channels=1 if channels is None else channels, **settings
        ), None
    if length is not None or channels is not None:
        raise ValueError("a series to augment keeps its length and its channels; leave out --length and --channels")
    path = Path(base)
    own = read_own(path, columns)
    source = source_of(path, columns, recipe_beside(out).parent, own_digest(own))
    return Recipe(base=OWN, length=len(own), channels=own.channels, source=source, **settings), own


def _write(recipe: Recipe, own: Series | None, out: Path, workers: int) -> None:
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with silent_libraries():  # polars prints its own message when it is interrupted
        console = PlainConsole(stderr=True)
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task(f"writing {out.name}", total=recipe.length)
            recipe_path, real = write_series(recipe, out, own=own, workers=workers, progress=lambda rows: bar.advance(task, rows))
    ranges, points = count_text(len(real), "real range"), count_text(int(real.lengths.sum()), "point")
    echo(f"{out}: {count_text(recipe.length, 'point')}, {ranges} with {points}; recipe {recipe_path}")
