"""The options that say how files are read, the same for every command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.datasets.format_table import FORMATS
from rangewise.datasets.formats import read_marks, read_timestamps, rows_of_both
from rangewise.datasets.marks import Marks
from rangewise.datasets.scores import read_score_file
from rangewise.datasets.source import STANDARD_INPUT
from rangewise.ranges import Ranges

_PANEL = "Files"


def _option(*names: str, text: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PANEL, show_default=False, **more)


FileFormat = Annotated[
    str | None, _option("--format", text=f"Read files as: {', '.join(FORMATS)}. Default: guessed. One file: a prefix, e.g. ucr:FILE.")
]
Column = Annotated[str | None, _option("--column", text="Read this column of tables.")]
RealColumn = Annotated[str | None, _option("--real-column", "--real", text="The column of the real side, where the sides differ.")]
PredictedColumn = Annotated[
    str | None, _option("--predicted-column", "--predicted", text="The column of the predicted side, where the sides differ.")
]
ScoresColumn = Annotated[str | None, _option("--scores-column", text="The column of the scores, where the sides differ.")]
SeriesName = Annotated[
    str | None,
    _option("--series", text="Which series, where a file tells of several; of a table of many series, the column that names them."),
]
Times = Annotated[str | None, _option("--times", text="A file with the timestamps of the rows, for ranges given as times.", metavar="FILE")]
Outside = Annotated[str, _option("--outside", text="What to do with a range outside the timestamps: error or drop. Default error.")]
EndIncluded = Annotated[
    bool | None, _option("--end-included/--end-excluded", text="Whether ranges include their end, where a format leaves it open.")
]


def checked_outside(outside: str) -> Any:
    if outside not in ("error", "drop"):
        raise ValueError(f"--outside is error or drop; got {outside!r}")
    return outside


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the files of both sides are read, as the options say."""

    file_format: str | None = None
    column: str | None = None
    real_column: str | None = None
    predicted_column: str | None = None
    series: str | None = None
    times: str | None = None
    outside: str = "error"
    end_included: bool | None = None

    def real(self, argument: str) -> Marks:
        return self._marks(argument, self.real_column)

    def sides(self, real: str, predicted: str) -> tuple[tuple[Ranges, Ranges], int | None]:
        """Both sides, and the number of rows where it is known."""
        check_one_standard_input(real, predicted)
        marks = self.real(real), self._marks(predicted, self.predicted_column)
        return rows_of_both(*marks, times=self.times, outside=checked_outside(self.outside))

    def real_and_scores(self, real: str, scores: str) -> tuple[Ranges, NDArray[np.float64]]:
        """The real ranges and a detector's scores, one for each point."""
        check_one_standard_input(real, scores)
        marks = self.real(real)
        values = read_score_file(scores, self.predicted_column or self.column)
        if marks.length is not None and marks.length != len(values):
            raise ValueError(f"{marks.name} has {marks.length} points and {scores} has {len(values)} scores; give one score a point")
        index = marks.timestamps if self.times is None else read_timestamps(self.times)
        rows = marks.rows(index, checked_outside(self.outside))
        if len(rows) and rows.stops[-1] > len(values):
            raise ValueError(f"{marks.name} has a range that stops at {rows.stops[-1]}, but {scores} has only {len(values)} scores")
        return rows, values

    def _marks(self, argument: str, column: str | None) -> Marks:
        return read_marks(
            argument, format=self.file_format, column=column or self.column, series=self.series, end_included=self.end_included
        )


def check_one_standard_input(*arguments: str) -> None:
    if sum(argument.rpartition(":")[2] == STANDARD_INPUT for argument in arguments) > 1:
        raise ValueError("only one file can be standard input")
