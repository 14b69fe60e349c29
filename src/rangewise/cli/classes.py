"""``rangewise classes``: several classes instead of one kind of anomaly."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rangewise.checks import unknown_name
from rangewise.classes.explain import ClassRow
from rangewise.classes.scores import ClassScores
from rangewise.classes.scoring import score_classes
from rangewise.classes.substitutions import class_event_analysis
from rangewise.classes.table import CLASS_METRICS
from rangewise.cli import inputs, options, outputs
from rangewise.cli.parameters import Without, number_or_text
from rangewise.cli.printing import echo, print_data, print_json
from rangewise.datasets.arguments import prefixed, read_timestamps
from rangewise.datasets.cases import side_of
from rangewise.files.class_annotations import ClassAnnotations, read_class_annotations
from rangewise.files.formats.base import Choices
from rangewise.files.times import TimeRanges
from rangewise.inputs.clocks import Clock
from rangewise.inputs.instants import read_instants
from rangewise.inputs.ranges import Ranges
from rangewise.model.explain import row_dict
from rangewise.number_text import score_text


def classes(
    real: Annotated[str, typer.Argument(metavar="REAL", help="File with the real classes; - is standard input.")],
    predicted: Annotated[str, typer.Argument(metavar="PREDICTED", help="File with the predicted classes.")],
    *,
    background: Annotated[list[str] | None, typer.Option(help="Do not score this class, e.g. normal; repeatable.", metavar="CLASS")] = None,
    by: Annotated[
        str, typer.Option(help="What to print: class, range, error (Ward's kinds of error) or metric.", metavar="KIND")
    ] = "class",
    collar: Annotated[
        str | None, typer.Option(help="For --by metric: tolerance between events, in points, or e.g. 200ms for times.")
    ] = None,
    confusion: Annotated[Path | None, typer.Option(help="Plot the confusion matrix of segments to this PNG, SVG or PDF file.")] = None,
    form: Annotated[outputs.PrintOptions, Without("csv")],
    files: Annotated[
        inputs.FileOptions,
        Without(
            "file_format",
            "real_format",
            "predicted_format",
            "close_gaps",
            "length",
            "repeated_times",
            "missing",
            *inputs.OF_RANGES,
        ),
    ],
    force: outputs.Force = False,
    model: options.ModelFlags,
) -> None:
    """Score several classes, such as activities, sounds or heart beats: one row per class, averages, and confusions.

    A file has one class per line, a column of classes, the columns start,end,class, or is an export of Label Studio.
    """
    if by not in _PRINTED:
        raise unknown_name("--by", by, _PRINTED)
    if (form.markdown or form.latex) and by != "class":
        raise ValueError("--markdown and --latex print the table of classes; leave --by out")
    if collar is not None and by != "metric":
        raise ValueError("--collar is for --by metric")
    outputs.check_picture(confusion, "--confusion")
    outputs.check_outputs([confusion], [real, predicted, files.times, files.ignore], force=force)
    inputs.check_one_standard_input(real, predicted)
    chosen = model.chosen()
    if files.ignore is not None and by in ("error", "metric"):
        raise ValueError(f"--by {by} cannot ignore intervals; leave --ignore out")
    if by == "error" and model != options.ModelFlags():
        raise ValueError("--by error does not use the model; leave the options of the model out")
    end = None if files.until is None else read_instants([files.until], "until").times[0]
    annotations = [_read(path, side, files, end) for side, path in (("real", real), ("predicted", predicted))]
    ignored = None if files.ignore is None else files.ignored_file(files.ignore)
    index = None
    if any(each.gives_times for each in annotations) or (ignored is not None and isinstance(ignored.ranges, TimeRanges)):
        index = (
            read_timestamps(files.times)
            if files.times
            else next((each.timestamps for each in annotations if each.timestamps is not None), None)
        )
        files.note({"until"})
        if index is not None:
            files.note_rows()
    elif files.times is not None:
        raise ValueError("--times maps times to rows, but no file has times; leave it out")
    files.check_used()
    sides = annotations[0].side(index, files.outside), annotations[1].side(index, files.outside)
    in_rows = index is not None or not any(each.gives_times for each in annotations)
    ignore = None if ignored is None else side_of(ignored, in_rows)
    scores = score_classes(*sides, background=background, model=chosen, times=index, ignore=ignore)
    if confusion is not None:
        _draw(scores, confusion)
    if (text := form.text_of(scores)) is not None:
        print_data(text, nl=False)
        return
    points = None if any(each.points is None for each in annotations) else sides
    words, content = _PRINTED[by](scores, _Metrics(points, background, collar))
    if form.json:
        print_json(scores.to_dict() | content)
    else:
        echo(words)


def _read(path: str, side: str, files: inputs.FileOptions, end: Any) -> ClassAnnotations:
    """One side; ranges that are still open end at ``end``."""
    names = files.own_names(side)
    how = Choices(
        column=getattr(files, names["column"]), series=files.series, inclusive=files.inclusive,
        start_column=files.start_column, end_column=files.end_column, may_lack_series=side == "predicted",
    )  # fmt: skip
    named, place = prefixed(path)
    annotations = read_class_annotations(place, how, named).closed(end)
    files.note(how.uses, names)
    return annotations


@dataclass(frozen=True)
class _Metrics:
    """What class metrics need besides the scores: one class per point of both sides, if there is one, and the collar."""

    points: tuple[Any, Any] | None
    background: list[str] | None
    collar: str | None

    def values(self, scores: ClassScores) -> dict[str, float]:
        """The values of all metrics that the input allows: some count points, some need a collar, which has a default for times."""
        ranges = _by_class(scores)
        on_clock = any(isinstance(each.clock, Clock) for side in ranges for each in side.values())
        options = {} if self.collar is None else {"onset_collar": number_or_text(self.collar)}
        values = {"macro_range_f1": scores.macro.f, "micro_range_f1": scores.micro.f}
        for name, metric in CLASS_METRICS.items():
            if metric.needs_points and self.points is not None:
                values[name] = metric.function(*self.points, background=self.background)
            elif metric.needs_collar and (options or on_clock):
                try:
                    values[name] = metric.function(*ranges, **options)
                except (TypeError, ValueError) as error:
                    raise type(error)(str(error).replace("onset_collar", "--collar")) from None
        return values


def _by_class(scores: ClassScores) -> tuple[dict[Any, Ranges], dict[Any, Ranges]]:
    """Both sides as they were scored: on one clock, without the background."""
    sides = scores.sides
    return dict(zip(sides.classes, sides.real, strict=True)), dict(zip(sides.classes, sides.predicted, strict=True))


# What --by prints: as text, and for JSON what is added to the classes.


def _print_classes(scores: ClassScores, metrics: _Metrics) -> tuple[str, dict[str, Any]]:
    return str(scores), {}


def _print_ranges(scores: ClassScores, metrics: _Metrics) -> tuple[str, dict[str, Any]]:
    def plain(row: ClassRow) -> dict[str, Any]:
        taken = {str(name): share for name, share in row.taken_for.items()}
        return {"class": str(row.name), "number": row.number, **row_dict(row.row), "found": row.found, "taken_for": taken, "rest": row.rest}

    return scores.explain(), {side: [plain(row) for row in getattr(scores, side)] for side in ("real", "predicted")}


def _print_errors(scores: ClassScores, metrics: _Metrics) -> tuple[str, dict[str, Any]]:
    analyses = class_event_analysis(*_by_class(scores), classes=scores.classes)
    content = {
        str(name): {
            "real_events": analysis.real_counts,
            "returned_events": analysis.returned_counts,
            "points": asdict(analysis.points),
            "substituted_points": asdict(analyses.substituted[name]),
        }
        for name, analysis in analyses.items()
    }
    return str(analyses), {"errors": content}


def _print_metrics(scores: ClassScores, metrics: _Metrics) -> tuple[str, dict[str, Any]]:
    values = metrics.values(scores)
    width = max(map(len, values))
    lines = [f"{name:{width}} {score_text(value)}  {CLASS_METRICS[name].summary}" for name, value in values.items()]
    return "\n".join(lines), {"metrics": values}


_PRINTED = {"class": _print_classes, "range": _print_ranges, "error": _print_errors, "metric": _print_metrics}


def _draw(scores: ClassScores, target: Path) -> None:
    """Shares and counts side by side."""
    from rangewise.plots.figure import new_figure

    classes = max(len(scores), 2)
    figure = new_figure(5.0 + 1.1 * classes, 2.0 + 0.45 * classes)
    shares, counts = figure.subplots(1, 2)
    scores.plot_confusion(ax=shares)
    scores.plot_confusion(ax=counts, counts=True)
    outputs.save_picture(figure, target)
