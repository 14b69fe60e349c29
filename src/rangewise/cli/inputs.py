"""The options that say how files are read, the same for every command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.checks import visible
from rangewise.datasets.arguments import read_marks, read_timestamps, rows_of_both, zones_by_series
from rangewise.files.annotations import Marks
from rangewise.files.formats.table import FORMATS
from rangewise.files.scores import read_score_file
from rangewise.files.source import STANDARD_INPUT
from rangewise.files.times import TimeRanges
from rangewise.inputs.case import check_fits
from rangewise.inputs.clocks import Clock
from rangewise.inputs.gaps import closed_scores
from rangewise.inputs.ignored import Ignored, lowered, read_zones, without
from rangewise.inputs.ranges import Ranges

_PANEL = "Files"


def _option(*names: str, text: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PANEL, show_default=False, **more)


def beginning_with(known: Iterable[str]) -> Callable[[str], list[str]]:
    """What a shell offers for an option that takes one of the known names."""
    return lambda incomplete: [name for name in known if name.startswith(incomplete)]


def _metric_names(incomplete: str) -> list[str]:
    from rangewise.metrics import METRICS

    return beginning_with(METRICS)(incomplete)


def _family_names(incomplete: str) -> list[str]:
    from rangewise.metrics import FAMILIES

    return beginning_with(FAMILIES)(incomplete)


FileFormat = Annotated[
    str | None,
    _option(
        "--format", text=f"Read files as: {', '.join(FORMATS)}. Default: guessed. One file: a prefix, e.g. ucr:FILE.",
        autocompletion=beginning_with(FORMATS),
    ),
]  # fmt: skip
Column = Annotated[str | None, _option("--column", text="Read this column of tables.")]
RealColumn = Annotated[str | None, _option("--real-column", "--real", text="The column of the real side, where the sides differ.")]
PredictedColumn = Annotated[
    str | None, _option("--predicted-column", "--predicted", text="The column of the predicted side, where the sides differ.")
]
ScoresColumn = Annotated[str | None, _option("--scores-column", "--scores", text="The column of the scores, where the sides differ.")]
SeriesName = Annotated[
    str | None,
    _option("--series", text="Which series, where a file tells of several; of a table of many series, the column that names them."),
]
Times = Annotated[
    str | None,
    _option(
        "--times",
        text="A file with the timestamps of the rows, for ranges given as times; of a table of many series, its column of times.",
        metavar="FILE",
    ),
]
Outside = Annotated[str, _option("--outside", text="What to do with a range outside the timestamps: error or drop. Default error.")]
StartColumn = Annotated[str | None, _option("--start-column", text="The column of the starts, in a table of ranges.")]
EndColumn = Annotated[str | None, _option("--end-column", text="The column of the ends, in a table of ranges.")]
Until = Annotated[str | None, _option("--until", text="When ranges end that are still open, e.g. 2024-05-01T12:00.", metavar="TIME")]
Step = Annotated[str | None, _option("--step", text="Put times on a grid of rows, e.g. 1min, for metrics that count rows.")]
Ignore = Annotated[
    str | None, _option("--ignore", text="A file of zones that do not count, as ranges or times: both sides are clipped.", metavar="FILE")
]
EndIncluded = Annotated[
    bool | None, _option("--end-included/--end-excluded", text="Whether ranges include their end, where a format leaves it open.")
]

CloseGaps = Annotated[
    int, typer.Option("--close-gaps", help="Join predicted ranges with gaps of up to this many rows first.", show_default=False)
]

MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        help="A metric of `rangewise metrics`, repeatable; options after a colon, e.g. point_adjust_fbeta:k=20.",
        metavar="NAME",
        show_default=False,
        autocompletion=_metric_names,
    ),
]

FamilyName = Annotated[
    str | None,
    typer.Option(
        "--family", help="All metrics of a family of `rangewise metrics`.", metavar="FAMILY", show_default=False,
        autocompletion=_family_names,
    ),
]  # fmt: skip


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
    start_column: str | None = None
    end_column: str | None = None
    until: str | None = None
    step: str | None = None
    ignore: str | None = None
    close_gaps: int = 0
    ignored: list[Ignored] = field(default_factory=list, init=False, repr=False, compare=False)
    """What zones did to the sides that were read, a line each."""
    _kept: dict[str, Marks] = field(default_factory=dict, init=False, repr=False, compare=False)

    def files(self) -> list[str]:
        """The files beside those of both sides: an output may be none of them."""
        return [file for file in (self.times, self.ignore) if file is not None]

    def real(self, argument: str) -> Marks:
        """The real side, read once for however many detectors."""
        if argument not in self._kept:
            self._kept[argument] = self._marks(argument, self.real_column)
        return self._kept[argument]

    def predicted(self, argument: str) -> Marks:
        """The predicted side."""
        return self._marks(argument, self.predicted_column)

    def sides(self, real: str, predicted: str) -> tuple[tuple[Ranges, Ranges], int | None]:
        """Both sides, and the number of rows where it is known."""
        check_one_standard_input(real, predicted)
        marks = self.real(real), self.predicted(predicted)
        found, length = rows_of_both(*marks, times=self.times, outside=checked_outside(self.outside), step=self.step)
        found = found[0], self.closed(found[1])
        if self.ignore is None:
            return found, length
        zones = self._zones(found[0] if found[0].clock is not None else found[1], marks)
        real_left, _, real_clipping = without(found[0], zones)
        predicted_left, _, predicted_clipping = without(found[1], zones)
        self.ignored.append(Ignored(zones, real_clipping, predicted_clipping))
        return (real_left, predicted_left), length

    def closed(self, predicted: Ranges) -> Ranges:
        """The predicted ranges, joined as --close-gaps says; scores are closed where they are read."""
        if not self.close_gaps:
            return predicted
        if isinstance(predicted.clock, Clock):
            raise ValueError(
                "--close-gaps counts rows, and these files have times: give --step, the length of a row (score, compare), "
                "or --times FILE, the times of the rows"
            )
        return predicted.close_gaps(self.close_gaps)

    def closed_dict(self) -> dict[str, Any]:
        """For JSON: a threshold belongs to the gaps that were closed; nothing where none were."""
        return {"close_gaps": self.close_gaps} if self.close_gaps else {}

    def closed_lines(self) -> list[str]:
        """The same for a terminal."""
        told = f"gaps of up to {self.close_gaps:,} rows are closed; a threshold from here needs --close-gaps too"
        return [told] if self.close_gaps else []

    def ignored_lines(self) -> list[str]:
        """What zones did, for a terminal; of several detectors, to the first."""
        return [f"ignored: {ignored}" for ignored in self.ignored[:1]]

    def ignored_dict(self) -> dict[str, Any]:
        """The same for JSON: nothing where no zones were given."""
        return {"ignored": self.ignored[0].to_dict()} if self.ignored else {}

    def zones(self, like: Ranges, *marks: Marks) -> Ranges | None:
        """The zones that do not count, on the clock or the rows of ``like``; None where there are none."""
        return None if self.ignore is None else self._zones(like, marks)

    def _zones(self, like: Ranges, marks: Sequence[Marks]) -> Ranges:
        assert self.ignore is not None
        found = self._marks(self.ignore, None)
        if not isinstance(found.ranges, TimeRanges):
            return read_zones(found.rows(), like, "--ignore")
        if like.clock is None:
            index = (
                read_timestamps(self.times)
                if self.times
                else next((side.timestamps for side in marks if side.timestamps is not None), None)
            )
            return found.rows(index, None)
        return read_zones(found.ranges.on_clock(), like, "--ignore")

    def real_and_scores(self, real: str, scores: str) -> tuple[Ranges, NDArray[np.float64]]:
        """The real ranges and a detector's scores, one for each point, closed as --close-gaps says."""
        check_one_standard_input(real, scores)
        marks = self.real(real)
        values = read_score_file(scores, self.predicted_column or self.column)
        rows = marks.rows(None if self.times is None else read_timestamps(self.times), checked_outside(self.outside))
        check_fits(rows, marks.length, len(values), (marks.name, scores))
        return rows, closed_scores(values, self.close_gaps)

    def real_and_scores_left(self, real: str, scores: str) -> tuple[Ranges, NDArray[np.float64]]:
        """The real ranges clipped to what counts, and scores that mark no row of a zone at any threshold of the others."""
        ranges, values = self.real_and_scores(real, scores)
        zones = self.zones(ranges, self.real(real))
        if zones is None:
            return ranges, values
        left, _, clipping = without(ranges, zones)
        self.ignored.append(Ignored(zones, clipping, None))
        return left, lowered(values, zones)

    def _marks(self, argument: str, column: str | None) -> Marks:
        return read_marks(
            argument, format=self.file_format, column=column or self.column, series=self.series, end_included=self.end_included,
            start_column=self.start_column, end_column=self.end_column, until=self.until,
        )  # fmt: skip

    def series_zones(self) -> Ranges | dict[str, Ranges] | None:
        """The zones that do not count in a table of many series: for every series, or by the name of each; None where there are none."""
        if self.ignore is None:
            return None
        return zones_by_series(
            self.ignore, format=self.file_format, end_included=self.end_included,
            start_column=self.start_column, end_column=self.end_column, until=self.until,
        )  # fmt: skip


def check_one_standard_input(*arguments: str) -> None:
    if sum(argument.rpartition(":")[2] == STANDARD_INPUT for argument in arguments) > 1:
        raise ValueError("only one file can be standard input")


def detector_names(paths: list[str]) -> list[str]:
    """File names without folder and ending where that tells them apart, else the paths."""
    short = [visible(Path(path).stem) for path in paths]
    if len(set(short)) == len(paths):
        return short
    if len(set(paths)) != len(paths):
        double = next(path for path in paths if paths.count(path) > 1)
        raise ValueError(f"{double} is given twice; give each detector's file once")
    return [visible(path) for path in paths]
