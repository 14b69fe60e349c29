"""Options for reading files, the same for every command."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from numpy.typing import NDArray

from rangewise.checks import shown, visible, whole
from rangewise.cli.parameters import option_name
from rangewise.datasets.arguments import read_annotations, read_ignored_file, read_timestamps
from rangewise.datasets.cases import file_case
from rangewise.files.annotations import Annotations
from rangewise.files.formats.base import NAME_LABEL_COLUMN, TIMES_END
from rangewise.files.formats.table import FORMATS
from rangewise.files.scores import read_score_file, score_column
from rangewise.files.source import STANDARD_INPUT, Source
from rangewise.files.tables import SCORES_NEED_A_THRESHOLD
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.case import CASE_OPTIONS, Case
from rangewise.inputs.clocks import Clock, RepeatedTimes
from rangewise.inputs.instants import duration
from rangewise.inputs.ranges import Ranges
from rangewise.inputs.scores import Missing, is_scores

if TYPE_CHECKING:
    from rangewise.many.ignored import IgnoredIntervals
    from rangewise.metrics.evaluate import NamedMetric

IGNORE = ("ignore", "ignore_format", "ignore_start_column", "ignore_end_column")
"""The fields of :class:`FileOptions` about ignored intervals."""
_READ_BEFORE = frozenset(("ignore", "close_gaps", "missing", "weights"))
"""The input options that are read from files or text first; the others go to the case as they are."""
OF_RANGES = ("step", "span", "resolution", "weights")
"""The fields about two sides that are ranges, most of them in times."""
_OF_A_TABLE_OF_RANGES = "names a column of a table of ranges, but no input is one"
_OF_A_FORMAT = (
    "sets the format of labels or ranges, but no input uses it: a prefix such as ucr: takes precedence, and scores have no format"
)
_OF_A_TABLE = "names a column of a table, but no input uses it"
NEEDS = {
    "file_format": _OF_A_FORMAT,
    "real_format": _OF_A_FORMAT,
    "predicted_format": _OF_A_FORMAT,
    "column": _OF_A_TABLE,
    "real_column": _OF_A_TABLE,
    "predicted_column": _OF_A_TABLE,
    "series": "chooses one of several series in a file, but no input has several",
    "outside": "is for ranges in times outside the timestamps of rows, but no side has times that are mapped to rows",
    "inclusive": "says whether ranges include their end, but the formats of the inputs define that",
    "start_column": _OF_A_TABLE_OF_RANGES,
    "end_column": _OF_A_TABLE_OF_RANGES,
    "until": "sets the end of open ranges in times, but no input has times",
    "weights": "names a column of the real table of ranges, but the real side is not one",
    "ignore_format": "sets the format of the --ignore file, but its prefix does that already",
    "ignore_start_column": "names a column of a table of ranges, but the --ignore file is not one",
    "ignore_end_column": "names a column of a table of ranges, but the --ignore file is not one",
}
"""Why an option has no effect: for options whose use depends on the files. Readers note the options that they use."""


option = partial(typer.Option, rich_help_panel="Files", show_default=False)


def beginning_with(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Shell completion for an option that takes one of the known names."""
    return lambda incomplete: [name for name in known if name.startswith(incomplete)]


def _metric_names(incomplete: str) -> list[str]:
    from rangewise.metrics import METRICS

    return beginning_with(METRICS)(incomplete)


def _family_names(incomplete: str) -> list[str]:
    from rangewise.metrics import FAMILIES

    return beginning_with(FAMILIES)(incomplete)


format_option = partial(option, autocompletion=beginning_with(FORMATS))


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """How the files of both sides and of ignored intervals are read, and the cases of these files."""

    file_format: Annotated[
        str | None,
        format_option(
            "--format", help=f"Format of the files: {', '.join(FORMATS)}. Default: detected. For one file, use a prefix, e.g. ucr:FILE."
        ),
    ] = None
    real_format: Annotated[str | None, format_option(help="The format of the real side, if the sides differ.")] = None
    predicted_format: Annotated[str | None, format_option(help="The format of the predicted side, if the sides differ.")] = None
    column: Annotated[str | None, option(help="Read this column of tables.")] = None
    real_column: Annotated[str | None, option("--real-column", "--real", help="The column of the real side, if the sides differ.")] = None
    predicted_column: Annotated[
        str | None, option("--predicted-column", "--predicted", help="The column of the predicted side, if the sides differ.")
    ] = None
    series: Annotated[
        str | None,
        option(help="Which series, if a file has several; for a table of many series, the column that names them."),
    ] = None
    times: Annotated[
        str | None,
        option(
            help="A file with the timestamps of the rows, for ranges in times; for a table of many series, the column that orders rows.",
            metavar="FILE",
        ),
    ] = None
    repeated_times: Annotated[
        RepeatedTimes | None,
        option(help="In a table of many series, how to treat rows of a series with the same time: error or keep. Default error."),
    ] = None
    outside: Annotated[Outside, option(help="How to treat a range outside the timestamps. Default error.")] = "error"
    inclusive: Annotated[
        bool | None, option("--inclusive/--exclusive", help="Whether ranges include their end, if the format does not define it.")
    ] = None
    start_column: Annotated[str | None, option(help="The column of the starts in a table of ranges.")] = None
    end_column: Annotated[str | None, option(help="The column of the ends in a table of ranges.")] = None
    until: Annotated[str | None, option(help="The end of ranges that are still open, e.g. 2024-05-01T12:00.", metavar="TIME")] = None
    step: Annotated[str | None, option(help="Map times to a grid of rows, e.g. 1min, for metrics that count rows.")] = None
    span: Annotated[
        tuple[str, str] | None,
        option(
            help="First and last time of the evaluation, if both sides are times, or seconds since the start. Default: those of the sides."
        ),
    ] = None
    resolution: Annotated[str | None, option(help="A coarser clock if both sides are times, e.g. 1s; ranges are rounded outwards.")] = None
    weights: Annotated[
        str | None,
        option(help="The column of the real table of ranges with the weight of each range in recall.", metavar="COLUMN"),
    ] = None
    ignore: Annotated[
        str | None, option(help="A file of intervals to ignore, as rows or times; for all series, or with a column series.", metavar="FILE")
    ] = None
    ignore_format: Annotated[str | None, format_option(help="The format of the --ignore file. Default: detected.")] = None
    ignore_start_column: Annotated[str | None, option(help="The column of the starts in the --ignore file.")] = None
    ignore_end_column: Annotated[str | None, option(help="The column of the ends in the --ignore file.")] = None
    close_gaps: Annotated[
        str | None,
        typer.Option(
            help="Join predicted ranges separated by gaps of at most this many rows, or this long, e.g. 5min.", metavar="ROWS|TIME"
        ),
    ] = None
    length: Annotated[int | None, option(help="The number of points of the series, if the files have only ranges.")] = None
    missing: Annotated[
        Missing, option(help="How to treat nan scores: error, lowest (the lowest score), or ignore (the row). Default error.")
    ] = "error"
    used: set[str] = field(default_factory=set, init=False, compare=False, repr=False)
    """The options of ``NEEDS`` that some reader used."""
    _kept: dict[tuple[str, str], Any] = field(default_factory=dict, init=False, compare=False, repr=False)
    _sources: dict[str, Source] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in IGNORE[1:]:
            if getattr(self, name) is not None and self.ignore is None:
                raise ValueError(f"--{name.replace('_', '-')} is for the --ignore file; give --ignore FILE too")
        _ = self.gap  # a wrong one is refused before any file is read

    @property
    def names_columns_only(self) -> bool:
        """Whether no option changes how labels are read, except the column."""
        return self == FileOptions(column=self.column, real_column=self.real_column, predicted_column=self.predicted_column)

    def check_used(self) -> None:
        """Refuse an option that no reader used. Call it after all files are read and before anything is written."""
        for each in fields(self):
            if each.name in NEEDS and each.name not in self.used and getattr(self, each.name) != each.default:
                raise ValueError(f"{option_name(each, getattr(self, each.name))} {NEEDS[each.name]}; leave it out")

    def note(self, uses: set[str], own: Mapping[str, str] | None = None) -> None:
        """Remember what the reader of a file used; ``own`` maps its names to the options of this side."""
        self.used.update((own or {}).get(name, name) for name in uses)

    def note_rows(self) -> None:
        """Remember that times were mapped to rows, where it matters which rows are outside and whether a range includes its end."""
        self.used.update({"outside", "inclusive"} if TIMES_END in self.used else {"outside"})

    def note_ignored(self, uses: set[str]) -> None:
        """Remember what the reader of the ignored intervals used."""
        self.note(uses, {name: f"ignore_{name}" for name in ("format", "start_column", "end_column")})
        self.note({"inclusive"} if TIMES_END in uses else set())

    @property
    def gap(self) -> int | str:
        """The longest gap to close: a number of rows, or a length of time."""
        if self.close_gaps is None:
            return 0
        if re.fullmatch(r"[+-]?\d+", self.close_gaps):
            return whole("--close-gaps", int(self.close_gaps), least=0)
        try:
            if self.close_gaps[-1:].isalpha() and duration(self.close_gaps, "--close-gaps") >= 0:
                return self.close_gaps
        except ValueError:
            pass
        raise ValueError(f"--close-gaps takes an integer number of rows, or a duration, e.g. 30s, 5min or 1h; got {shown(self.close_gaps)}")

    def closed_dict(self) -> dict[str, Any]:
        """For JSON: the closed gaps, which a threshold depends on; empty without any."""
        return {"close_gaps": self.gap} if self.gap else {}

    def closed_lines(self) -> list[str]:
        """The same for a terminal."""
        gap = (f"{self.gap:,} row" + ("s" if self.gap != 1 else "")) if isinstance(self.gap, int) else self.gap
        return [f"gaps of up to {gap} are closed; use the threshold with the same --close-gaps"] if self.gap else []

    def own_names(self, side: str) -> dict[str, str]:
        """The options that set the format and the column of a side."""
        return {
            "format": "file_format" if getattr(self, f"{side}_format") is None else f"{side}_format",
            "column": "column" if getattr(self, f"{side}_column") is None else f"{side}_column",
        }

    @property
    def ignore_choices(self) -> dict[str, Any]:
        """How the --ignore file is read: the options of the sides do not apply to it."""
        return {
            "format": self.ignore_format, "start_column": self.ignore_start_column, "end_column": self.ignore_end_column,
            "inclusive": self.inclusive, "until": self.until,
        }  # fmt: skip

    @property
    def range_choices(self) -> dict[str, Any]:
        """How a table of ranges is read."""
        return {"start_column": self.start_column, "end_column": self.end_column, "inclusive": self.inclusive, "until": self.until}

    def choices(self, side: str) -> dict[str, Any]:
        """How a side is read, for ``read_annotations``."""
        own = {name: getattr(self, option) for name, option in self.own_names(side).items()}
        return {**own, "series": self.series, **self.range_choices, "weights": self.weights if side == "real" else None}

    def source(self, argument: str) -> Source:
        """The file of an argument. Its bytes are read once, because a pipe cannot be read again."""
        return self._sources.setdefault(argument, Source(argument))

    def real(self, argument: str) -> Annotations:
        """The real side, read once for all detectors."""
        annotations: Annotations = self._once("real", argument, lambda: self.read(argument, "real"))
        return annotations

    def _once(self, what: str, argument: str, read: Callable[[], Any]) -> Any:
        """What a file holds, read once for all detectors."""
        if (what, argument) not in self._kept:
            self._kept[what, argument] = read()
        return self._kept[what, argument]

    def read(self, argument: str, side: str) -> Annotations:
        """The annotations of a side."""
        uses: set[str] = set()
        try:
            annotations = read_annotations(self._sources.get(argument, argument), **self.choices(side), uses=uses)
        except ValueError as error:
            # --column is for both files, which may not have the same columns; only a prediction may be scores by mistake.
            text = self._with_columns_of_sides(str(error).replace("--column", f"--{side}-column"))
            raise ValueError(text.replace(f" ({SCORES_NEED_A_THRESHOLD})", "") if side == "real" else text) from error
        self.note(uses, self.own_names(side))
        return annotations

    def _option(self, name: str) -> str:
        """The spelling of an option in this command."""
        return next(option_name(each) for each in fields(self) if each.name == name)

    def _with_columns_of_sides(self, message: str) -> str:
        """An error about the column of --column with the options for one side."""
        if self.column is None or f" has no column {self.column!r}" not in message:
            return message
        real, predicted = self._option("real_column"), self._option("predicted_column")
        return f"{message} (--column is for both files; for one of them, use {real} or {predicted})"

    def changed(self, **changes: Any) -> "FileOptions":
        """A copy with other options that shares what was read and noted so far."""
        other = replace(self, **changes)
        object.__setattr__(other, "_kept", self._kept)
        object.__setattr__(other, "_sources", self._sources)
        object.__setattr__(other, "used", self.used)
        return other

    def check_one_standard_input(self, *arguments: str) -> None:
        """Refuse standard input for two files, --times and --ignore included."""
        check_one_standard_input(*arguments, *(file for file in (self.times, self.ignore) if file is not None))

    def case(self, real: str, predicted: str, name: str = "") -> Case:
        """The case of a prediction."""
        self._check_files(real, predicted)
        if predicted.rpartition(":")[2] == STANDARD_INPUT:  # cannot be read again
            other = self._once("predicted", predicted, lambda: self.read(predicted, "predicted"))
        else:
            other = self.read(predicted, "predicted")
        return self._case(real, other, predicted, name, self.missing)

    def detector_case(self, real: str, file: str, name: str = "") -> Case:
        """The case of a detector: scores if its file has one number per point other than 0 and 1, otherwise a prediction."""
        named = self.predicted_column or self.column
        if named or (source := self.source(file)).is_numbers or score_column(source) is not None:
            return self.score_case(real, file, name, as_labels=True)
        # --missing is for the detectors with scores, not for predictions beside them.
        return self.changed(missing="error").case(real, file, name)

    def metric_case(self, chosen: "Sequence[NamedMetric]", real: str, file: str, name: str = "", *, has_threshold: bool = False) -> Case:
        """One detector's file: scores if a metric or a threshold needs them, otherwise a prediction. Values of 0 and 1 serve as both."""
        if has_threshold:
            return self.detector_case(real, file, name)
        if not any(named.metric.needs == "scores" for named in chosen):
            return self.case(real, file, name)
        case = self.score_case(real, file, name, as_labels=True)
        for named in chosen:
            if named.metric.needs == "labels" and case.predicted is None and named.asked_for:
                assert case.scores is not None
                first = case.scores[(case.scores != 0) & (case.scores != 1)][0]
                raise ValueError(
                    f"{named.text} needs 0/1 labels, but {file} contains {first:g}; score labels and scores in two runs, "
                    "or turn scores into predictions with --threshold"
                )
        return case

    def score_case(self, real: str, scores: str, name: str = "", *, as_labels: bool = False) -> Case:
        """The case of scores; with ``as_labels``, scores that are all 0 or 1 are a prediction."""
        self._check_files(real, scores)
        try:
            values = read_score_file(
                self.source(scores) if scores == STANDARD_INPUT else self._sources.get(scores, scores),
                self.predicted_column or self.column,
                may_miss=self.missing != "error",
            )
        except ValueError as error:
            text = str(error).replace("with --column", f"with {self._option('predicted_column')}")
            raise ValueError(self._with_columns_of_sides(text)) from error
        self.note({"column"}, self.own_names("predicted"))
        if as_labels and not is_scores(values, scores):
            return self._case(real, Annotations(scores, Ranges.from_labels(values), len(values)), scores, name, "error")
        return self._case(real, values, scores, name, self.missing)

    def _case(self, real: str, other: Annotations | NDArray[Any], file: str, name: str, missing: Missing) -> Case:
        annotations = self.real(real)
        ignored = self.ignore
        ignore = None if ignored is None else self._once("ignore", ignored, lambda: self.ignored_file(ignored))
        in_times = any(isinstance(each, Annotations) and isinstance(each.ranges, TimeRanges) for each in (annotations, other))
        options = {name: getattr(self, name) for name in CASE_OPTIONS - _READ_BEFORE}
        if not in_times:
            options["outside"] = "error"  # check_used refuses the option unless another detector is in times
        try:
            # Errors name a detector by its file, results by its name.
            case = file_case(
                annotations, other, timestamps=self.timestamps(), ignore=ignore, close_gaps=self.gap, missing=missing, name=file, **options
            )
        except ValueError as error:
            # With several detectors, the user must know which file it is.
            named = not name or any(each in str(error) for each in (file, annotations.name))
            raise error if named else ValueError(f"{file}: {error}") from error
        if in_times and not isinstance(case.clock, Clock):
            self.note_rows()
        return replace(case.with_points(), name=name)

    def timestamps(self) -> NDArray[Any] | None:
        """The timestamps of the --times file."""
        times = self.times
        return None if times is None else self._once("times", times, lambda: read_timestamps(times))

    def ignored_file(self, path: str) -> Annotations:
        """The ignored intervals of one series."""
        uses: set[str] = set()
        try:
            intervals = read_annotations(path, series=self.series, joined=True, **self.ignore_choices, uses=uses)
        except ValueError as error:
            # --column is for the two sides only.
            text = str(error).replace(NAME_LABEL_COLUMN, "ignored intervals are a table with start and end, or a file of labels only")
            raise ValueError(text) from error
        self.note_ignored(uses)
        return intervals

    def _check_files(self, real: str, other: str) -> None:
        self.check_one_standard_input(real, other)
        if self.repeated_times is not None:
            raise ValueError("--repeated-times is for a table of many series; give it alone, with --series and --times")

    def ignored_intervals(self) -> "IgnoredIntervals | None":
        """The ignored intervals of a table of many series: for all series, or by series name; None without any."""
        if self.ignore is None:
            return None
        uses: set[str] = set()
        intervals = read_ignored_file(self.ignore, **self.ignore_choices, uses=uses)
        self.note_ignored(uses)
        return intervals


MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        help="A metric of `rangewise metrics`; repeatable. Options follow a colon, e.g. point_adjust_fbeta:k=20.",
        metavar="NAME",
        autocompletion=_metric_names,
    ),
]

FamilyName = Annotated[
    str | None,
    typer.Option(help="All metrics of a family; see `rangewise metrics`.", metavar="FAMILY", autocompletion=_family_names),
]


def ignored_lines(ignored: Any) -> list[str]:
    """The effect of ignored intervals, for a terminal."""
    return [] if ignored is None else [f"ignored: {ignored}"]


def ignored_dict(ignored: Any) -> dict[str, Any]:
    """The same for JSON: empty if no intervals are ignored."""
    return {} if ignored is None else {"ignored": ignored.to_dict()}


def check_one_standard_input(*arguments: str) -> None:
    if sum(argument.rpartition(":")[2] == STANDARD_INPUT for argument in arguments) > 1:
        raise ValueError("only one file can be standard input")


def on_one_span(
    files: FileOptions, read: Callable[[FileOptions], dict[str, Case]], *, grids_only: bool = True
) -> tuple[dict[str, Case], FileOptions]:
    """The cases of all detectors of a series, in one period, and the options that they were read with."""
    from rangewise.rankings.cases import shared_span

    cases = read(files)
    span = None if files.span is not None else shared_span(cases.values(), grids_only=grids_only)
    if span is None:
        return cases, files
    files = files.changed(span=span)
    return read(files), files


def detector_files(arguments: list[str]) -> dict[str, str]:
    """The file or folder of each detector by its name.

    An argument is ``NAME=FILE`` or a file, whose name without folder and extension is used if that is unique. A folder that contains only
    folders stands for these.
    """
    pairs: list[tuple[str | None, str]] = []
    for argument in arguments:
        name, separator, path = argument.partition("=")
        if separator and not Path(argument).exists():
            if not name or not path:
                raise ValueError(f"{argument}: give a detector as FILE or NAME=FILE")
            pairs.append((visible(name), path))
            continue
        inner = sorted(entry for entry in Path(argument).iterdir() if not entry.name.startswith(".")) if Path(argument).is_dir() else []
        has_folders = inner and all(entry.is_dir() for entry in inner)
        pairs += [(None, str(entry)) for entry in inner] if has_folders else [(None, argument)]
    paths = [path for _, path in pairs]
    if len(set(paths)) != len(paths):
        double = next(path for path in paths if paths.count(path) > 1)
        raise ValueError(f"{double} is given twice; give each detector's file once")
    short = [visible(Path(path).stem) for name, path in pairs if name is None]
    clash = len(set(short)) != len(short)
    files: dict[str, str] = {}
    for given, path in pairs:
        called = given if given is not None else visible(path if clash else Path(path).stem)
        if called in files:
            raise ValueError(f"two detectors have the name {called}; rename one of them with NAME=FILE")
        files[called] = path
    return files


def files_of_series(real: str, detectors: Mapping[str, str]) -> dict[str, tuple[str, dict[str, str]]]:
    """The real file and each detector's file by series. Folders have one file per series, with the same name on both sides.

    Two files are one series, which is called ``""``.
    """
    folders = [path for path in (real, *detectors.values()) if Path(path).is_dir()]
    if not folders:
        return {"": (real, dict(detectors))}
    if len(folders) <= len(detectors):
        other = next(path for path in (real, *detectors.values()) if path not in folders)
        raise ValueError(f"{folders[0]} is a folder of series and {other} is a file; give folders or files for all of them")
    ours = series_files(real)
    theirs = {name: series_files(path) for name, path in detectors.items()}
    for name, files in theirs.items():
        for series in [*ours, *files]:
            if series not in files:
                raise ValueError(f"{detectors[name]} has no file for series {series!r}, which {real} has as {Path(ours[series]).name}")
            if series not in ours:
                raise ValueError(f"{detectors[name]} has a file for series {series!r}, which {real} does not have")
    return {series: (file, {name: files[series] for name, files in theirs.items()}) for series, file in ours.items()}


def series_files(folder: str) -> dict[str, str]:
    """The files of a folder by the name of their series: the file name without its extension."""
    files: dict[str, str] = {}
    for path in sorted(Path(folder).iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        series = Path(path.name.removesuffix(".gz")).stem
        if series in files:
            raise ValueError(f"{folder} has two files for series {series!r}: {Path(files[series]).name} and {path.name}")
        files[series] = str(path)
    if not files:
        raise ValueError(f"{folder} has no files; expected one file per series, e.g. {folder}/SERIES.csv")
    return files
