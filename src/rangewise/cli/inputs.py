"""The options that say how files are read, the same for every command."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rangewise.datasets.format_table import FORMATS

_PANEL = "Files"


def _option(*names: str, text: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PANEL, show_default=False, **more)


FileFormat = Annotated[
    str | None, _option("--format", text=f"Read files as: {', '.join(FORMATS)}. Default: guessed. One file: a prefix, e.g. ucr:FILE.")
]
Column = Annotated[str | None, _option("--column", text="Read this column of tables.")]
SeriesName = Annotated[str | None, _option("--series", text="Which series, where a file tells of several.")]
Times = Annotated[str | None, _option("--times", text="A file with the timestamps of the rows, for ranges given as times.", metavar="FILE")]
Outside = Annotated[str, _option("--outside", text="What to do with a range outside the timestamps: error or drop. Default error.")]
EndIncluded = Annotated[
    bool | None, _option("--end-included/--end-excluded", text="Whether ranges include their end, where a format leaves it open.")
]


def checked_outside(outside: str) -> Any:
    if outside not in ("error", "drop"):
        raise ValueError(f"--outside is error or drop; got {outside!r}")
    return outside
