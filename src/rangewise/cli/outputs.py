"""Files that a command writes, without losing existing files."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import iglob
from pathlib import Path
from typing import Annotated, Any

import typer

from rangewise.cli.printing import echo, print_data, print_json
from rangewise.files.source import STANDARD_INPUT
from rangewise.files.writing import written_whole
from rangewise.plots.figure import PICTURES, save_figure

Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, kw_only=True)
class PrintOptions:
    """The output format of a table."""

    json: AsJson = False
    latex: Annotated[bool, typer.Option("--latex", help="Print a LaTeX table (booktabs).")] = False
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV, with all digits.")] = False

    def __post_init__(self) -> None:
        if len(given := [name for name, value in vars(self).items() if value]) > 1:
            raise ValueError(f"--{given[0]} and --{given[1]} both set the output format; choose one")

    def text_of(self, table: Any) -> str | None:
        """The table as LaTeX, Markdown or CSV; None if none of them was requested."""
        asked = next((form for form in ("latex", "markdown", "csv") if getattr(self, form)), None)
        return None if asked is None else getattr(table, f"to_{asked}")()

    def show(self, result: Any) -> None:
        """Print a result in this form, or as text for readers."""
        if self.json:
            print_json(result.to_dict())
        elif (text := self.text_of(result)) is not None:
            print_data(text, nl=not text.endswith("\n"))
        else:
            echo(result)


def check_outputs(outputs: Iterable[str | Path | None], inputs: Iterable[str | Path | None], *, force: bool) -> None:
    """Before any work, refuse an output that is one of the inputs, or that exists and may not be replaced.

    ``inputs`` are all files that the command reads; a folder or a pattern stands for its files. None entries are skipped, and so are
    prefixes such as ``grafana:``.
    """
    read = {place for path in inputs if path is not None for place in _places(path)}
    written: dict[str, str | Path] = {}
    named = [output for output in outputs if output is not None and str(output).rpartition(":")[2] != STANDARD_INPUT]
    if force and not named:
        raise ValueError("--force overwrites existing files, but this command writes no file; leave it out")
    for output in named:
        place = os.path.realpath(_plain(output))
        if place in read:
            raise ValueError(f"{output} is one of the input files; write to another file")
        if place in written:
            raise ValueError(f"{output} is given for two outputs; give each file its own name")
        written[place] = output
        if not force and os.path.islink(_plain(output)) and not os.path.exists(place):
            raise ValueError(f"{output} is a link to {place}, which does not exist; write to another file, or use --force")
        if not force and os.path.isfile(place):
            raise ValueError(f"{output} exists; write to another file, or overwrite it with --force")


def check_table_file(out: Path | None) -> None:
    """Refuse a table file that is neither CSV nor Parquet by its extension."""
    if out is not None and out.suffix.lower() not in (".csv", ".parquet", ".pq"):
        raise ValueError(f"--out needs a file name that ends in .csv or .parquet; got {out}")


def check_picture(path: str | Path | None, where: str) -> None:
    """Before any work, refuse a picture without a known extension; ``where`` names the option."""
    if path is not None and Path(path).suffix.lower() not in PICTURES:
        raise ValueError(f"pictures are PNG, SVG or PDF: {where} needs a file name that ends in {', '.join(PICTURES)}; got {path}")


def check_page(path: Path | None, where: str) -> None:
    """Before any work, refuse an HTML page without the extension of one; ``where`` names the option."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{where} needs a file name that ends in .html; got {path}")


def save_picture(figure: Any, target: Path) -> None:
    """Write a picture atomically."""
    with written_whole(target) as part:
        save_figure(figure, part)


def _plain(path: str | Path) -> str:
    """The path without the prefix that names a format."""
    text = str(path)
    return text.partition(":")[2] if ":" in text and not os.path.lexists(text) else text


def _places(path: str | Path) -> Iterator[str]:
    """The files that an input names: itself, those in a folder, those that match a pattern."""
    text = _plain(path)
    yield os.path.realpath(text)
    if os.path.isdir(text):
        yield from (os.path.realpath(entry.path) for entry in os.scandir(text))
    elif not os.path.exists(text):
        yield from map(os.path.realpath, iglob(text, recursive=True))
