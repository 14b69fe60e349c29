"""``rangewise data``: list and download public data sets."""

from __future__ import annotations

from typing import Annotated

import typer

from rangewise.cli.printing import echo, print_data
from rangewise.datasets.location import COLLECTIONS, DataFile, data_folder, fetch, is_intact, local_path, registry
from rangewise.number_text import count_text
from rangewise.tables import Table

app = typer.Typer(add_completion=False, rich_markup_mode="rich")

Names = Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Collections, folders or files, e.g. nab/data/realTweets.")]


@app.callback(invoke_without_command=True)
def _data(context: typer.Context) -> None:
    """List and download public data sets."""
    if context.invoked_subcommand is None:
        print_data(context.get_help())


@app.command("list")
def list_data(names: Names = None) -> None:
    """List the collections; with NAMES, their files, and whether each is downloaded."""
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
        rows.append([collection.folder, *counts, collection.about, origin])
    echo(Table(["collection", "files", "local", "size", "content", "source"], rows, words=(0, 4, 5)).to_text())


@app.command()
def get(names: Names = None) -> None:
    """Download the missing files of NAMES, or all files, and verify the others."""
    files = _files(names or list(COLLECTIONS))
    wanted = [file for file in files if not is_intact(file)]
    # A derived file is not published; that is an error only if it was requested by name.
    public = [file for file in wanted if file.address is not None or file.name in (names or ())]
    fetch(public)
    derived = f"; {len(wanted) - len(public)} are neither public nor local" if len(wanted) > len(public) else ""
    echo(f"{len(public)} downloaded, {len(files) - len(wanted)} already local and intact{derived}: {data_folder()}")


@app.command()
def path(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A file, e.g. nab/labels/combined_windows.json.")] = None,
) -> None:
    """Print the path of the data folder or of a file in it."""
    echo(data_folder() if name is None else local_path(name))


def _files(names: list[str]) -> list[DataFile]:
    chosen: dict[str, DataFile] = {}
    for name in names:
        local_path(name)
        below = name.rstrip("/") + "/"
        matching = {known: file for known, file in registry().items() if known == name or known.startswith(below)}
        if not matching:
            raise ValueError(
                f"unknown public data {name!r}; expected one of {', '.join(COLLECTIONS)}, or a file listed by `rangewise data list NAME`"
            )
        chosen |= matching
    return list(chosen.values())


def _size(files: list[DataFile]) -> str:
    size = sum(file.bytes for file in files)
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"
