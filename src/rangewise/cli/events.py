"""``rangewise events``: score events in seconds or dates by the protocols of other fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rangewise.checks import did_you_mean, shown_names, unknown_name
from rangewise.cli import inputs, outputs
from rangewise.cli.errors import note
from rangewise.cli.parameters import Only, number_or_text
from rangewise.cli.printing import echo, print_json
from rangewise.datasets.arguments import read_events, read_ignored_file
from rangewise.datasets.cases import check_origins
from rangewise.events import (
    ACTIVITYNET_IOUS,
    PROTOCOLS,
    EventScore,
    agreement,
    average_by_subject,
    compare_with_annotators,
    event_curve,
    mean_average_precision,
    score_annotators,
    score_events,
    score_repeats,
)
from rangewise.events.protocols import chosen_protocol
from rangewise.files.events import EventTable
from rangewise.files.formats.base import Choices
from rangewise.files.formats.llm_answers import FORMAT as LLM
from rangewise.files.formats.llm_answers import read_answers
from rangewise.files.source import Source
from rangewise.inputs.clocks import Clock
from rangewise.inputs.instants import as_times
from rangewise.inputs.ranges import Ranges
from rangewise.inputs.scored_ranges import ScoredRanges, scored_ranges
from rangewise.many.ignored import IgnoredIntervals
from rangewise.number_text import count_text
from rangewise.tables import Table

_SUFFIXES = (".tsv", ".csv", ".txt", ".json", ".edf")
_SUBJECT = re.compile(r"sub-[A-Za-z0-9]+")
_PROTOCOL = "szcore"
_SCORES = ("sensitivity", "precision", "f1", "false_alarms_per_day")


def events(
    real: Annotated[str, typer.Argument(metavar="REAL", help="File of real events, or a folder of them.")],
    predicted: Annotated[str, typer.Argument(metavar="PREDICTED", help="File of predicted events, or a folder with the same names.")],
    *,
    protocol: Annotated[
        str, typer.Option(help=f"How events are matched: {', '.join(PROTOCOLS)}.", autocompletion=inputs.beginning_with(PROTOCOLS))
    ] = _PROTOCOL,
    span: Annotated[
        tuple[str, str] | None, typer.Option(help="Start and end of the recording, e.g. 0 7200. Default: those in the files.")
    ] = None,
    join: Annotated[str | None, typer.Option(help="Join events less than this apart, e.g. 90s.")] = None,
    split: Annotated[str | None, typer.Option(help="Split longer events into parts of this length, or none.")] = None,
    tolerance: Annotated[tuple[str, str] | None, typer.Option(help="Tolerance before and after a real event, e.g. 30s 60s.")] = None,
    min_overlap: Annotated[float | None, typer.Option(help="Share of a real event that must be predicted, 0 to 1.")] = None,
    grid: Annotated[str | None, typer.Option(help="Round times to a sampling grid as timescoring does, e.g. 10Hz.")] = None,
    label: Annotated[list[str] | None, typer.Option(help="Score only events of this class; repeatable.", metavar="CLASS")] = None,
    threshold: Annotated[float | None, typer.Option(help="Score only predicted events with at least this confidence.")] = None,
    by: Annotated[
        str,
        typer.Option(help="What to print: event, threshold (scores at each), iou (average precision) or annotator.", metavar="KIND"),
    ] = "event",
    explain: Annotated[bool, typer.Option("--explain", help="Explain every event.")] = False,
    as_json: outputs.AsJson = False,
    files: Annotated[
        inputs.FileOptions,
        Only(
            "file_format",
            "real_format",
            "predicted_format",
            "column",
            "real_column",
            "predicted_column",
            "series",
            "inclusive",
            "start_column",
            "end_column",
            "until",
            *inputs.IGNORE,
        ),
    ],
) -> None:
    """Score events in seconds by the protocols of other fields: seizures (SzCORE, NEDC), sounds, activities, LLM answers.

    Files are BIDS events.tsv, annotations of MNE or EDF+, DCASE, Audacity, ActivityNet, JSON of a language model, or tables start,end.
    Integers are seconds. Two folders are scored file by file and averaged by subject (sub-... in the path, otherwise the file).
    """
    if by not in _PRINTED:
        raise unknown_name("--by", by, tuple(_PRINTED))
    given = {"join": join, "split": None if split == "none" else split, "tolerance": tolerance, "min_overlap": min_overlap}
    settings = {name: value for name, value in given.items() if value is not None or (name == "split" and split == "none")}
    if by in ("iou", "annotator"):
        unused = {**given, "split": split, "grid": grid, "protocol": None if protocol == _PROTOCOL else protocol}
        for name, value in unused.items():
            if value is not None:
                raise ValueError(f"--{name.replace('_', '-')} belongs to a protocol, which --by {by} does not use; leave it out")
        if files.ignore is not None:
            raise ValueError(f"--ignore is for --by event and --by threshold; --by {by} cannot ignore time, so leave it out")
        if by == "iou" and span is not None:
            raise ValueError("--span is the length of the recording, which --by iou does not use; leave it out")
    elif grid is not None and by == "threshold":
        raise ValueError("--grid is for --by event; at every threshold times are exact")
    chosen = chosen_protocol(protocol, settings)
    # With a duration of the user or of the protocol, scores depend on the unit of time.
    in_seconds = by in ("event", "threshold") and bool(chosen.join or chosen.split or any(chosen.tolerance) or span or grid)
    options = {"protocol": protocol, **settings} | ({} if grid is None else {"grid": grid})
    moments = None if span is None else (number_or_text(span[0]), number_or_text(span[1]))
    reading = _Reading(files, tuple(label or ()), threshold, moments, options, explain, in_seconds)
    if Path(real).is_dir() or Path(predicted).is_dir():
        if by != "event" or explain:
            raise ValueError("--by and --explain are for two files; folders give scores by subject")
        words, content = _folders(Path(real), Path(predicted), reading)
    else:
        inputs.check_one_standard_input(real, predicted)
        if explain and by != "event":
            raise ValueError("--explain is for --by event; leave one of them out")
        words, content = _PRINTED[by](reading, (real, predicted))
    if as_json:
        print_json(content)
    else:
        echo(words)


@dataclass(frozen=True)
class _Reading:
    """Reads files as the options say."""

    files: inputs.FileOptions
    labels: tuple[str, ...]
    threshold: float | None
    span: tuple[Any, Any] | None
    options: Mapping[str, Any]
    explain: bool
    in_seconds: bool
    """Whether rows cannot be scored."""

    def tables(self, real: str, predicted: str) -> tuple[EventTable, EventTable]:
        """Both files, with the classes of --label."""
        return self.labeled([self.all_classes(real, predicted)])[0]

    def all_classes(self, real: str, predicted: str) -> tuple[EventTable, EventTable]:
        both = self.read(real, "real"), self.confident(self.read(predicted, "predicted"))
        check_origins((each.name, each.origin) for each in both)
        if self.files.ignore is None or not Path(self.files.ignore).is_dir():
            self.files.ignored_intervals()
        else:  # one file per recording
            self.files.note_ignored({"format", "start_column", "end_column"})
        self.files.check_used()
        return both

    def read(self, path: str, side: str) -> EventTable:
        uses: set[str] = set()
        table = read_events(path, may_lack_series=side == "predicted", **self.files.choices(side), uses=uses)
        self.files.note(uses, self.files.own_names(side))
        if self.in_seconds and table.unit == "rows" and table.length is not None:
            raise ValueError(
                f"{table.name} has one label per row, but the protocol has durations; give a table start,end of seconds or dates, choose "
                "--protocol ovlp or taes, or score rows with `rangewise score`"
            )
        return table.as_seconds()

    def confident(self, table: EventTable) -> EventTable:
        """The events with at least the confidence of --threshold."""
        if self.threshold is None or not len(table):
            return table
        if table.confidences is None:
            raise ValueError(f"{table.name} has no confidences; leave --threshold out")
        return table.chosen(table.confidences >= self.threshold)

    def ignored(self) -> Ranges | None:
        """The intervals to ignore, for two files."""
        intervals = self.files.ignored_intervals()
        if intervals is None or intervals.everywhere is not None:
            return None if intervals is None else intervals.everywhere
        named = intervals.named
        if self.files.series is None and len(named) == 1:
            return next(iter(named.values()))
        if self.files.series is None or self.files.series not in named:
            raise ValueError(f"{self.files.ignore} has {len(named)} series, {shown_names(sorted(named))}; choose one with --series")
        return named[self.files.series]

    def labeled(self, pairs: Sequence[tuple[EventTable, EventTable]]) -> list[tuple[EventTable, EventTable]]:
        """The events of --label, on both sides of all recordings. A class without any event is an error."""
        known = {name for pair in pairs for table in pair for name in table.classes or ()}
        if not self.labels:
            return list(pairs)
        chosen = [tuple(table.only(self.labels) if len(table) else table for table in pair) for pair in pairs]
        for name in self.labels:
            if name not in known and known:
                raise ValueError(f"there are no events of class {name!r}, real or predicted; the classes are {shown_names(sorted(known))}")
        return [(real, predicted) for real, predicted in chosen]

    def span_of(self, *tables: EventTable) -> Any:
        """--span, or the length of the recording if a file has it."""
        if self.span is not None:
            return self.span
        known = {table.duration: table.name for table in tables if table.duration is not None}
        if len(known) > 1:
            lengths = " and ".join(f"{name} {duration / 1e9:g} s" for duration, name in known.items())
            raise ValueError(f"the files have different lengths of the recording: {lengths}; set it with --span, e.g. --span 0 3600")
        if not known or any(table.unit != "seconds" for table in tables if len(table)):
            return None
        return (0.0, next(iter(known)) / 1e9)

    def score(self, real: EventTable, predicted: EventTable, ignore: Ranges | None) -> EventScore:
        return score_events(real.ranges(), predicted.ranges(), span=self.span_of(real, predicted), ignore=ignore, **self.options)


def _note_classes(reading: _Reading, *tables: EventTable) -> None:
    """Tell the user that a protocol treats all classes alike, if there are several and none was chosen."""
    known = {name for table in tables for name in table.classes or ()}
    if len(known) > 1 and not reading.labels:
        note(f"all classes are scored as one: {shown_names(sorted(known))}; choose with --label, or use `rangewise classes`")


# What --by prints: as text, and as JSON.


def _print_events(files: _Reading, paths: tuple[str, str]) -> tuple[str, dict[str, Any]]:
    answers = _answers(files, *paths)
    if answers is not None:
        return answers
    sides = files.tables(*paths)
    score = files.score(*sides, files.ignored())
    _note_classes(files, *sides)
    content = score.to_dict()
    if files.explain:
        content |= {side: [vars(row) for row in getattr(score, side)] for side in ("real", "predicted")}
    return (score.explain() if files.explain else str(score)) + _unknown_length(score), content


def _unknown_length(score: EventScore) -> str:
    unknown = score.counts.seconds != score.counts.seconds
    return "\nfalse alarms per day need the length of the recording: --span FIRST LAST" if unknown else ""


def _answers(files: _Reading, real_path: str, predicted: str) -> tuple[str, dict[str, Any]] | None:
    """Mean and spread of several answers of a language model; None for a single answer or another format."""
    prefix, colon, path = predicted.partition(":")
    path = path if colon and prefix == LLM.name else predicted
    if path == "-" or not Path(path).is_file():
        return None
    source = Source(path)
    if not (prefix == LLM.name and colon) and files.files.choices("predicted")["format"] != LLM.name and not LLM.fits(source):
        return None
    answers = read_answers(source, Choices(inclusive=files.files.inclusive))
    if len(answers) < 2:
        return None
    if files.explain:
        raise ValueError(f"--explain is for one answer, and {source.name} has {len(answers)}; leave it out, or give one answer per file")
    for reason in [answer.reason for answer in answers if answer.reason][:1]:
        note(f"{reason}; an answer without readable intervals counts as no prediction")
    real = files.read(real_path, "real")
    files.files.note({"format", "inclusive"}, files.files.own_names("predicted"))
    ignored = files.ignored()
    files.files.check_used()
    span, labels = files.span_of(real), files.labels
    # An answer without classes is about the requested class.
    given = [answer.events.as_seconds() if answer.kind == "read" else None for answer in answers]
    chosen = [each if each is None or each.classes is None or not labels else each.only(labels) for each in given]
    real, _ = files.labeled([(real, real)])[0]
    predictions = [None if each is None else files.confident(each).ranges() for each in chosen]
    score = partial(score_events, span=span, ignore=ignored, **files.options)
    repeats = score_repeats(real.ranges(), predictions, score=score, unreadable=sum(answer.kind == "unreadable" for answer in answers))
    _note_classes(files, real, *(each for each in chosen if each is not None))
    content: dict[str, Any] = {"answers": len(answers), "refused": repeats.refused, "unreadable": repeats.unreadable}
    lines = [f"{len(answers)} answers, {repeats.refused} refused, {repeats.unreadable} unreadable; mean ± standard deviation"]
    for name in _SCORES:
        mean, spread = repeats.mean(name), repeats.standard_deviation(name)
        content[name] = {"mean": mean, "standard_deviation": spread, "values": list(repeats.values(name))}
        lines.append(f"  {name.replace('_', ' '):20} {mean:.4g} ± {spread:.4g}")
    return "\n".join(lines), content


def _confidences(table: EventTable) -> ScoredRanges:
    if table.confidences is None:
        if len(table):
            raise ValueError(f"{table.name} has no confidences; expected a number for each event, such as confidence, score or severity")
        return ScoredRanges([])
    pairs = table.pairs()
    return scored_ranges(pairs.starts, pairs.stops, table.confidences, Clock(elapsed=pairs.elapsed))


def _print_thresholds(files: _Reading, paths: tuple[str, str]) -> tuple[str, dict[str, Any]]:
    real, predicted = files.tables(*paths)
    span, ignore = files.span_of(real, predicted), files.ignored()
    curve = event_curve(real.ranges(), _confidences(predicted), span=span, ignore=ignore, **files.options)
    _note_classes(files, real, predicted)
    rows = [
        [f"{at:g}", *(f"{getattr(score, name):.4g}" for name in _SCORES)] for at, score in zip(curve.thresholds, curve.scores, strict=True)
    ]
    words = Table(["threshold", *(name.replace("_", " ") for name in _SCORES)], rows, words=()).to_text()
    content = {"thresholds": curve.thresholds.tolist()} | {name: list(getattr(curve, name)) for name in _SCORES}
    return words, content


def _print_ious(files: _Reading, paths: tuple[str, str]) -> tuple[str, dict[str, Any]]:
    real, predicted = files.tables(*paths)
    sides = [table.by_class() if table.classes is not None else {"event": table} for table in (real, predicted)]
    if real.classes is None or predicted.classes is None:
        # A region with several labels is one event.
        _, first = np.unique(np.column_stack([real.starts, real.stops]), axis=0, return_index=True)
        sides = [{"event": real.chosen(np.isin(np.arange(len(real)), first))}, {"event": predicted}]
    for name in sides[1]:
        sides[0].setdefault(name, real.chosen(real.starts != real.starts))
    precision = mean_average_precision(
        {name: [tuple(pair) for pair in _pairs(table)] for name, table in sides[0].items()},
        {name: _confidences(table) for name, table in sides[1].items()},
        iou=ACTIVITYNET_IOUS,
    )
    shown = (0.5, 0.75, 0.95)
    rows = [
        [str(name), *(f"{values[precision.thresholds.index(iou)]:.4f}" for iou in shown), f"{precision.by_class[name]:.4f}"]
        for name, values in precision.classes.items()
    ]
    rows.append(["mean", *(f"{precision.by_threshold[iou]:.4f}" for iou in shown), f"{precision.mean:.4f}"])
    words = Table(["class", *(f"tIoU {iou:g}" for iou in shown), "mean of .5:.05:.95"], rows, totals=1).to_text()
    content = {
        "mean": precision.mean,
        "thresholds": list(precision.thresholds),
        "classes": {str(name): list(values) for name, values in precision.classes.items()},
    }
    return words, content


def _pairs(table: EventTable) -> Any:
    pairs = table.pairs()
    return list(zip(as_times(pairs.starts, pairs.elapsed), as_times(pairs.stops, pairs.elapsed), strict=True))


def _print_annotators(files: _Reading, paths: tuple[str, str]) -> tuple[str, dict[str, Any]]:
    real, predicted = files.tables(*paths)
    people = {name: table.ranges() for name, table in real.by_annotator().items()}
    span = files.span_of(real, predicted)
    if span is None:
        raise ValueError("agreement over time needs the length of the recording: --span FIRST LAST")
    agreed = agreement(people, span=span)
    scores = score_annotators(people, predicted.ranges())
    lines = [str(scores), "", str(agreed)]
    content: dict[str, Any] = {
        "annotators": {name: {"precision": one.precision, "recall": one.recall, "f": one.f}
                       for name, one in [*scores.each.items(), ("consensus", scores.consensus)]},
        "alpha": agreed.alpha,
        "pairs": {f"{one}, {other}": f for (one, other), f in agreed.pairs.items()},
    }  # fmt: skip
    if len(people) > 1:
        compared = compare_with_annotators(people, predicted.ranges())
        lines += ["", str(compared)]
        content["left_out"] = {"human": list(compared.human), "detector": list(compared.detector), "p": compared.p}
    return "\n".join(lines), content


_PRINTED: dict[str, Callable[[_Reading, tuple[str, str]], tuple[str, dict[str, Any]]]] = {
    "event": _print_events,
    "threshold": _print_thresholds,
    "iou": _print_ious,
    "annotator": _print_annotators,
}


def _folders(real: Path, predicted: Path, reading: _Reading) -> tuple[str, dict[str, Any]]:
    """Score files with the same relative path in both folders, by subject."""
    for folder in (real, predicted):
        if not folder.exists():
            raise FileNotFoundError(f"{folder} does not exist")
        if not folder.is_dir():
            raise ValueError(f"{folder} is not a folder, but the other side is; give two folders, or two files")
    files = [_event_files(folder) for folder in (real, predicted)]
    for mine, theirs, folder in ((files[0], files[1], predicted), (files[1], files[0], real)):
        missing = sorted(mine - theirs)
        if missing:
            files_text = count_text(len(missing), "file")
            raise ValueError(f"{folder} lacks {files_text} that the other folder has: {shown_names(missing, 3)}")
    if not files[0]:
        raise ValueError(f"{real} has no files of events; expected names such as sub-01_events.tsv ({', '.join(_SUFFIXES)})")
    ignored = _ignored_in_folders(reading, files[0])
    subjects: dict[str, list[EventScore]] = {}
    names = sorted(files[0])
    tables = reading.labeled([reading.all_classes(str(real / name), str(predicted / name)) for name in names])
    for name, sides in zip(names, tables, strict=True):
        try:
            score = reading.score(*sides, ignored(name))
        except ValueError as error:
            raise ValueError(str(error) if name in str(error) else f"{name}: {error}") from None
        if score.counts.seconds != score.counts.seconds:
            raise ValueError(f"{real / name}: false alarms per day need the length of the recording; add recordingDuration, or give --span")
        matched = _SUBJECT.search(name)
        subjects.setdefault(matched[0] if matched else name, []).append(score)
    _note_classes(reading, *(table for sides in tables for table in sides))
    averages = average_by_subject(subjects)
    return str(averages), averages.to_dict()


def _ignored_in_folders(reading: _Reading, names: set[str]) -> Callable[[str], Ranges | None]:
    """The ignored intervals of each recording: from one file (for all, or with a column series), or from a folder with the same paths."""
    given, choices = reading.files.ignore, reading.files.ignore_choices
    if given is None:
        return lambda name: None
    from_file = None if Path(given).is_dir() else read_ignored_file(given, **choices)
    own = _event_files(Path(given)) if from_file is None else set(from_file.named)
    for name in sorted(own - names)[:1]:
        raise ValueError(f"{given} has intervals of {name}, which is not one of the {len(names)} recordings{did_you_mean(name, names)}")
    if from_file is not None:
        return lambda name: Ranges() if (own := from_file.of(name)) is None else own
    intervals = {name: _all_series(read_ignored_file(str(Path(given) / name), **choices)) for name in own}
    return lambda name: intervals.get(name, Ranges())


def _all_series(intervals: IgnoredIntervals) -> Ranges:
    if intervals.everywhere is None:
        raise ValueError("a file of one recording must not name series; remove its column series")
    return intervals.everywhere


def _event_files(folder: Path) -> set[str]:
    """The files *_events.tsv of a BIDS folder; if there are none, all files that may contain events."""
    paths = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in _SUFFIXES]
    named = {path for path in paths if path.endswith("_events.tsv")}
    return named or set(paths)
