"""``rangewise detect``: run a detector on a series, and write its predictions."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.checks import once, shown, unknown_name
from rangewise.cli import inputs, options, outputs
from rangewise.cli.errors import warnings_as_notes
from rangewise.cli.parameters import Only
from rangewise.cli.printing import echo, print_data
from rangewise.datasets.arguments import read_annotations
from rangewise.detectors import DETECTORS, load
from rangewise.detectors.base import Detector
from rangewise.files.formats.label_table import label_column, read_series_table
from rangewise.files.formats.table import guess
from rangewise.files.series import Series
from rangewise.files.source import Source
from rangewise.files.writing import write_whole
from rangewise.inputs.instants import time_text
from rangewise.inputs.ranges import Ranges
from rangewise.number_text import count_text, threshold_text
from rangewise.tables import csv_text
from rangewise.thresholds import parse_policy


def detect(
    series: Annotated[str, typer.Argument(metavar="SERIES", help="The series: a file, or e.g. nab:FILE.")],
    *,
    detector: Annotated[str | None, typer.Option(help=f"One of: {', '.join(DETECTORS)}.")] = None,
    train: Annotated[
        str | None, typer.Option(metavar="FIRST:STOP", help="Rows to learn from. Default: the training rows of the file, or all.")
    ] = None,
    out: Annotated[str | None, typer.Option(help="CSV file to write. Default: standard output.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Write each row's score too.")] = False,
    threshold: Annotated[
        str | None, typer.Option(help="A number, quantile:Q, sigma:K, log-mad:K or best-f. Default: the detector's own.")
    ] = None,
    close_gaps: Annotated[int | None, typer.Option(help="Join predictions with gaps of up to this many rows. Default 0.")] = None,
    use_labels: Annotated[bool, typer.Option("--use-labels", help="Let the detector use the labels of the training rows.")] = False,
    model: Annotated[options.ModelFlags, Only("preset", "model")],
    impute: Annotated[str | None, typer.Option(help="Fill missing and infinite values: linear or previous.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed, for detectors that use one. Default 0.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Another setting of the detector; repeatable.")
    ] = None,
    save: Annotated[str | None, typer.Option(help="Write the fitted detector to this file.")] = None,
    saved: Annotated[str | None, typer.Option("--load", help="Use a saved detector, without training.")] = None,
    files: Annotated[inputs.FileOptions, Only("file_format", "column")],
    force: outputs.Force = False,
) -> None:
    """Score every row of a series with a detector and write its labels: 1 where the score reaches the threshold.

    The last column of the file is "label", so that rangewise score can read it. --threshold best-f, and lstm-ad with --use-labels,
    maximize the F of the model (--preset, --model).
    """
    if (detector is None) == (saved is None):
        raise ValueError(f"give either --detector ({', '.join(DETECTORS)}) or --load FILE")
    if threshold == "best-f" and not use_labels:
        raise ValueError("--threshold best-f needs the labels of the training rows: add --use-labels")
    outputs.check_outputs([out, save], [series, saved], force=force)
    whole, labeled = _series(series, files.file_format, files.column)
    if use_labels and not labeled:
        raise ValueError(f"--use-labels needs labels, but {series} has none; name their column with --column, or leave --use-labels out")
    with warnings_as_notes():
        if saved is not None:
            given = {
                "--train": train, "--threshold": threshold, "--close-gaps": close_gaps, "--set": settings, "--seed": seed,
                "--impute": impute, "--save": save,
            }  # fmt: skip
            extra = [name for name, value in given.items() if value is not None]
            extra += [name for name, value in (("--use-labels", use_labels), ("--preset", model.preset), ("--model", model.model)) if value]
            if extra:
                raise ValueError(f"--load uses the saved settings of a detector; leave out {', '.join(extra)}")
            chosen = load(saved)
        else:
            assert detector is not None
            common = {"impute": impute, "close_gaps": close_gaps}
            chosen = _made(detector, common, model=model, threshold=threshold, seed=seed, settings=settings or [])
            if use_labels and threshold != "best-f" and not chosen.learns_from_labels:
                raise ValueError(f"--use-labels is for --threshold best-f and for detectors that learn from labels; {detector} does not")
            first, stop = _rows(train, whole)
            if threshold == "best-f" and not whole.labels[first:stop].any():
                raise ValueError(
                    f"--threshold best-f: no training row ({first}:{stop}) is labeled anomalous, so every threshold has the same F; "
                    "choose other rows with --train, or another rule"
                )
            chosen.fit(whole.values[first:stop], whole.labels[first:stop] if use_labels else None)
        row_scores = chosen.decision_function(whole.values)
    labels = chosen.labels(row_scores)
    if save is not None:
        chosen.save(save)
    text = _csv(whole, row_scores if scores else None, labels)
    if out is None:
        print_data(text, nl=False)
        return
    write_whole(out, text)
    ranges = Ranges.from_labels(labels)
    echo(
        f"{out}: {int(labels.sum()):,} of {len(labels):,} rows in {count_text(len(ranges), 'range')}, "
        f"{chosen.name} at {threshold_text(chosen.threshold_)}"
    )


def _series(path: str, file_format: str | None, column: str | None) -> tuple[Series, bool]:
    """The series, and whether the file has labels."""
    if file_format in (None, "csv") and Path(path).is_file():
        source = Source(path)
        if guess(source).name == "csv":
            # Unlike for other commands, a table needs no labels.
            return read_series_table(source, column), column is not None or label_column(source) is not None
    annotations = read_annotations(path, format=file_format, column=column)
    if annotations.series is None:
        raise ValueError(f"{annotations.name} has no values; expected a series")
    return annotations.series, annotations.ranges is not None


def _made(
    name: str,
    common: dict[str, Any],
    *,
    model: options.ModelFlags,
    threshold: str | None,
    seed: int | None,
    settings: list[str],
) -> Detector:
    """``common``: settings of every detector; None leaves the default."""
    if name not in DETECTORS:
        raise unknown_name("--detector", name, tuple(DETECTORS))
    kind = DETECTORS[name]
    known = {item.name for item in fields(kind) if item.init}
    chosen = once((_setting(text, name, known) for text in settings), "--set")
    chosen |= {setting: value for setting, value in common.items() if value is not None}
    if seed is not None:
        if "seed" not in known:
            raise ValueError(f"--seed is for detectors that use random numbers; {name} does not")
        chosen["seed"] = seed
    judge = model.chosen() if model != options.ModelFlags() else None
    if judge is not None:
        if "model" in known:
            chosen["model"] = judge
        elif threshold != "best-f":
            raise ValueError(f"--preset and --model are for --threshold best-f and for lstm-ad; {name} uses no model")
    if threshold is not None:
        chosen["threshold"] = parse_policy(threshold, judge)
    if "progress" in known:
        chosen["progress"] = True
    return kind(**chosen)


def _setting(text: str, detector: str, known: set[str]) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    own = tuple(sorted(known - {"impute", "threshold", "close_gaps", "seed", "model", "progress"}))
    if not separator or name not in own:
        takes = f"of {', '.join(own)}" if own else f"of a setting, but {detector} has none"
        raise ValueError(f"--set takes NAME=VALUE with a name {takes}; got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (RecursionError, MemoryError) as error:  # Python's parser gives up on deep nesting with either
        raise ValueError(f"--set {name}: the value is nested too deeply; got {shown(value)}") from error
    except (ValueError, SyntaxError):
        return name, value


def _rows(text: str | None, series: Series) -> tuple[int, int]:
    if text is None:
        return series.train or (0, len(series))
    first, separator, stop = text.partition(":")
    try:
        rows = int(first or 0), int(stop or len(series))
    except ValueError:
        separator, rows = "", (0, 0)
    if not separator:
        raise ValueError(f"--train takes rows as FIRST:STOP, such as 0:5000; got {text!r}")
    if not 0 <= rows[0] < rows[1] <= len(series):
        raise ValueError(f"--train {text} is not a range FIRST:STOP within the {len(series)} rows of {series.name}")
    return rows


def _csv(series: Series, scores: NDArray[np.float64] | None, labels: NDArray[np.uint8]) -> str:
    columns: dict[str, Iterable[Any]]
    if series.timestamps is None:
        columns = {"row": range(len(series))}
    else:
        columns = {"timestamp": [time_text(time) for time in series.timestamps]}
    if scores is not None:
        columns["score"] = scores.tolist()
    columns["label"] = labels.tolist()
    return csv_text(columns, zip(*columns.values(), strict=True))
