"""``rangewise data``: the public data sets, which of them are here, and where."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from rangewise.cli.console import PlainConsole
from rangewise.cli.printing import echo
from rangewise.datasets.location import COLLECTIONS, DataFile, data_folder, fetch, is_intact, local_path, registry

app = typer.Typer(add_completion=False, rich_markup_mode="rich")

Names = Annotated[list[str] | None, typer.Argument(help="Collections, folders or files, e.g. nab/data/realTweets.", show_default=False)]


@app.callback(invoke_without_command=True)
def _data(context: typer.Context) -> None:
    """Public data sets: what there is, what is here, and where."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


@app.command("list")
def list_data(names: Names = None) -> None:
    """List the collections; with NAMES, their files, and whether each is here."""
    console = PlainConsole()
    table = Table(box=None, pad_edge=False)
    if not names:
        for heading in ("collection", "files", "here", "size", "what it is", "from"):
            table.add_column(
                heading,
                justify="right" if heading in ("files", "here", "size") else "left",
                overflow="fold",
                no_wrap=heading == "collection",
            )
        for collection in COLLECTIONS.values():
            files = _files([collection.folder])
            here = sum(local_path(file.name).is_file() for file in files)
            origin = f"github.com/{collection.repository} at {collection.commit[:8]}"
            table.add_row(collection.folder, str(len(files)), str(here), _size(files), collection.about, origin)
        console.print(table)
        return
    for heading in ("file", "size", "here"):
        table.add_column(heading, justify="right" if heading == "size" else "left", overflow="fold")
    for file in _files(names):
        missing = "no: not public" if file.address is None else "no"
        table.add_row(file.name, _size([file]), "yes" if local_path(file.name).is_file() else missing)
    console.print(table)


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
