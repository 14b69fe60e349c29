"""``rangewise data``: the public data sets, which of them are here, and where."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from rangewise.cli.printing import echo
from rangewise.datasets.location import COLLECTIONS, DataFile, data_folder, fetch, is_intact, local_path, registry
from rangewise.number_text import count_text
from rangewise.tables import Table

app = typer.Typer(add_completion=False, rich_markup_mode="rich")

_CELL = 30
"""Longer texts of the list are folded."""

Names = Annotated[list[str] | None, typer.Argument(help="Collections, folders or files, e.g. nab/data/realTweets.", show_default=False)]


@app.callback(invoke_without_command=True)
def _data(context: typer.Context) -> None:
    """Public data sets: what there is, what is here, and where."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


@app.command("list")
def list_data(names: Names = None) -> None:
    """List the collections; with NAMES, their files, and whether each is here."""
    if names:
        files = [
            [file.name, _size([file]), "yes" if local_path(file.name).is_file() else "no" if file.address else "no: not public"]
            for file in _files(names)
        ]
        echo(Table(["file", "size", "here"], files, words=(0, 2)).to_text())
        return
    rows = []
    for collection in COLLECTIONS.values():
        files_of = _files([collection.folder])
        here = sum(local_path(file.name).is_file() for file in files_of)
        origin = f"github.com/{collection.repository} at {collection.commit[:8]}"
        counts = count_text(len(files_of)), count_text(here), _size(files_of)
        rows.append([collection.folder, *counts, textwrap.fill(collection.about, _CELL), origin])
    echo(Table(["collection", "files", "here", "size", "what it is", "from"], rows, words=(0, 4, 5), folded=True).to_text())


@app.command()
def get(names: Names = None) -> None:
    """Fetch what is missing of NAMES, or of everything, and check what is here."""
    files = _files(names or list(COLLECTIONS))
    wanted = [file for file in files if not is_intact(file)]
    # A derived file is published nowhere; it is an error only where it was asked for by name.
    public = [file for file in wanted if file.address is not None or file.name in (names or ())]
    fetch(public)
    derived = f"; {len(wanted) - len(public)} are not public and not here" if len(wanted) > len(public) else ""
    echo(f"{len(public)} fetched, {len(files) - len(wanted)} were here and intact{derived}: {data_folder()}")


@app.command()
def path(
    name: Annotated[str | None, typer.Argument(help="A file, e.g. nab/labels/combined_windows.json.", show_default=False)] = None,
) -> None:
    """Print the data folder, or where a file of it is or would be."""
    echo(data_folder() if name is None else local_path(name))


def _files(names: list[str]) -> list[DataFile]:
    found: dict[str, DataFile] = {}
    for name in names:
        local_path(name)
        below = name.rstrip("/") + "/"
        matching = {known: file for known, file in registry().items() if known == name or known.startswith(below)}
        if not matching:
            raise ValueError(
                f"there is no public data {name!r}; there are {', '.join(COLLECTIONS)}, and `rangewise data list NAME` shows files"
            )
        found |= matching
    return list(found.values())


def _size(files: list[DataFile]) -> str:
    size = sum(file.bytes for file in files)
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"
