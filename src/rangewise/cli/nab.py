"""``rangewise nab``: score a detector's results on the Numenta Anomaly Benchmark as NAB does."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import track

from rangewise.cli import inputs
from rangewise.cli.console import PlainConsole
from rangewise.cli.parameters import Only
from rangewise.cli.printing import echo, print_json
from rangewise.datasets.arguments import ignored_by_series
from rangewise.datasets.nab import nab_names, nab_thresholds, read_nab, read_nab_results
from rangewise.inputs.ignored import Clipping, without
from rangewise.inputs.ranges import Ranges
from rangewise.many.ignored import ManyIgnored
from rangewise.metrics.nab.corpus import NabCorpus, nab_corpus
from rangewise.metrics.nab.scoring import NAB_PROFILES, as_profile
from rangewise.number_text import count_text, score_text, threshold_text
from rangewise.tables import Table

_COUNTS = ("tp", "fp", "fn", "tn")


def nab(
    data_dir: Annotated[str, typer.Argument(metavar="DATA_DIR", help="Folder of NAB, with data/ and labels/.")],
    detector_results: Annotated[
        str, typer.Argument(metavar="RESULTS", help="Folder of result files in NAB's layout, or anomaly_scores.csv.gz.")
    ],
    *,
    profile: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(NAB_PROFILES)}; repeatable. Default all.")] = None,
    threshold: Annotated[float | None, typer.Option(help="Threshold of the scores. Default: the best one.")] = None,
    published: Annotated[bool, typer.Option("--published", help="Use the thresholds in DATA_DIR/config/thresholds.json.")] = False,
    detector: Annotated[str | None, typer.Option(help="The detector's name, if the results have none or several.")] = None,
    files: Annotated[bool, typer.Option("--files", help="Also print every file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, including every file.")] = False,
    reading: Annotated[inputs.FileOptions, Only(*inputs.IGNORE, "close_gaps", "missing")],
) -> None:
    """Score a detector's results on NAB: 0 finds nothing, 100 is perfect.

    All files share one threshold: the given one, or the best of all thresholds.
    """
    for name in profile or ():
        as_profile(name)
    if isinstance(reading.gap, str):
        raise ValueError(f"for NAB, --close-gaps takes a number of rows; got {reading.gap}")
    if threshold is not None and math.isnan(threshold):
        raise ValueError("--threshold takes a number; got nan")
    if threshold is not None and published:
        raise ValueError("--threshold and --published both set the threshold; choose one")
    names = nab_names(data_dir)
    results = read_nab_results(detector_results, names, detector)
    thresholds: dict[str, float | None] = dict.fromkeys(profile or NAB_PROFILES, threshold)
    if published:
        known = nab_thresholds(data_dir, results.detector)
        missing = [name for name in thresholds if name not in known]
        if missing:
            raise ValueError(f"NAB has no published threshold of {results.detector} for {missing[0]}; give --threshold")
        thresholds = {name: known[name] for name in thresholds}
    bars = PlainConsole(stderr=True)
    uses: set[str] = set()
    ignored_in = None if reading.ignore is None else ignored_by_series(reading.ignore, names, **reading.ignore_choices, uses=uses)
    reading.note_ignored(uses)
    reading.check_used()
    corpus, ignored = {}, {}
    for name in track(names, "Reading", console=bars, transient=True, disable=not bars.is_terminal):
        series = read_nab(data_dir, name)
        corpus[name] = (series.real, results.scores(series))
        if ignored_in is not None:
            ignored[name] = ignored_in(series)
    if reading.missing == "ignore":
        ignored |= {name: _without_scores(scores, ignored.get(name, Ranges())) for name, (_, scores) in corpus.items()}
    scores = {
        name: nab_corpus(corpus, profile=name, threshold=thresholds[name], ignore=ignored, close_gaps=reading.gap, missing=reading.missing)
        for name in track(thresholds, "Scoring", console=bars, transient=True, disable=not bars.is_terminal)
    }
    show_ignored = reading.ignore is not None or any(map(len, ignored.values()))
    if as_json:
        report: dict[str, Any] = {"detector": results.detector, "profiles": {name: score.to_dict() for name, score in scores.items()}}
        report |= reading.closed_dict()
        if show_ignored:
            report["ignored"] = _clipped(corpus, ignored).to_dict()
        print_json(report)
    else:
        _print(results.detector, scores, files)
        for line in reading.closed_lines():
            echo(line)
        if show_ignored:
            echo(f"ignored: {_clipped(corpus, ignored)}")


def _without_scores(scores: NDArray[np.float64], ignored: Ranges) -> Ranges:
    """The ignored intervals of a file, and its rows whose score is nan."""
    return Ranges.from_labels((ignored.to_labels(len(scores)) == 1) | np.isnan(scores))


def _clipped(corpus: dict[str, tuple[Ranges, Any]], ignored: dict[str, Ranges]) -> ManyIgnored:
    """The number of ignored intervals in all files, and their effect on the windows."""
    clippings = [without(corpus[name][0], own)[2] for name, own in ignored.items()]
    return ManyIgnored(sum(map(len, ignored.values())), sum(map(bool, map(len, ignored.values()))), sum(clippings, Clipping()), None)


def _print(detector: str, scores: dict[str, NabCorpus], files: bool) -> None:
    title = f"{detector} on NAB's {len(next(iter(scores.values())).files):,} files"
    rows = [
        [name, threshold_text(score.threshold), score_text(score.normalized, digits=2), score_text(score.raw), *_counts(score)]
        for name, score in scores.items()
    ]
    echo(Table(["profile", "threshold", "score", "raw", *_COUNTS], rows, title).to_text())
    for name, score in scores.items() if files else ():
        rows = [[file.name, count_text(len(file.score.windows)), score_text(file.raw), *_counts(file)] for file in score.files]
        echo("\n" + Table(["file", "windows", "raw", *_COUNTS], rows, name).to_text())


def _counts(row: Any) -> list[str]:
    return [count_text(getattr(row, count)) for count in _COUNTS]
