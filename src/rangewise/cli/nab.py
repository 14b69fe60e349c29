"""``rangewise nab``: a detector's results on the Numenta Anomaly Benchmark, scored as NAB does."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any

import typer
from rich.progress import track
from rich.table import Table

from rangewise.checks import visible, whole
from rangewise.cli import inputs
from rangewise.cli.console import PlainConsole
from rangewise.cli.printing import echo
from rangewise.datasets.arguments import file_zones
from rangewise.datasets.nab import nab_names, nab_thresholds, read_nab, read_nab_results
from rangewise.inputs.ignored import without
from rangewise.inputs.ranges import Ranges
from rangewise.metrics.nab.corpus import NabCorpus, nab_corpus
from rangewise.metrics.nab.scoring import NAB_PROFILES, as_profile

_COUNTS = ("tp", "fp", "fn", "tn")
_WIDE_ENOUGH = 200
"""Columns of a file or pipe, so that no name is cut."""


def nab(
    data_dir: Annotated[str, typer.Argument(help="Folder of NAB, with data/ and labels/ in it.", show_default=False)],
    detector_results: Annotated[
        str, typer.Argument(help="Folder of result files in NAB's layout, or anomaly_scores.csv.gz.", show_default=False)
    ],
    profile: Annotated[
        list[str] | None, typer.Option(help=f"One of {', '.join(NAB_PROFILES)}; repeatable. Default all.", show_default=False)
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Detect at this score and above. Default the best.", show_default=False)] = None,
    published: Annotated[bool, typer.Option("--published", help="Detect at the thresholds in DATA_DIR/config/thresholds.json.")] = False,
    detector: Annotated[
        str | None, typer.Option(help="The detector's name, when the results do not tell or hold several.", show_default=False)
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="Print every file too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, every file included.")] = False,
    ignore: Annotated[
        str | None,
        typer.Option(
            help="A file of zones that do not count: times or rows for all files; by file as NAB's windows, or with a column series.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    close_gaps: inputs.CloseGaps = 0,
) -> None:
    """Score a detector's results on NAB: 0 finds nothing, 100 is perfect.

    One threshold for all files: the best one, found exactly over all thresholds, unless it is given.
    """
    for name in profile or ():
        as_profile(name)
    reading = inputs.Reading(close_gaps=whole("--close-gaps", close_gaps, least=0))
    if threshold is not None and math.isnan(threshold):
        raise ValueError("--threshold takes a number; got nan")
    if threshold is not None and published:
        raise ValueError("--threshold and --published both give the threshold; choose one")
    names = nab_names(data_dir)
    results = read_nab_results(detector_results, names, detector)
    thresholds: dict[str, float | None] = dict.fromkeys(profile or NAB_PROFILES, threshold)
    if published:
        known = nab_thresholds(data_dir, results.detector)
        missing = [name for name in thresholds if name not in known]
        if missing:
            raise ValueError(f"there is no published threshold of {results.detector} for {missing[0]}; give --threshold")
        thresholds = {name: known[name] for name in thresholds}
    bars = PlainConsole(stderr=True)
    zones_of = None if ignore is None else file_zones(ignore, names)
    corpus, zones = {}, {}
    for name in track(names, "Reading", console=bars, transient=True, disable=not bars.is_terminal):
        series = read_nab(data_dir, name)
        corpus[name] = (series.real, results.scores(series))
        if zones_of is not None:
            zones[name] = zones_of(series)
    found = {
        name: nab_corpus(corpus, profile=name, threshold=thresholds[name], ignore=zones, close_gaps=close_gaps)
        for name in track(thresholds, "Scoring", console=bars, transient=True, disable=not bars.is_terminal)
    }
    if as_json:
        report: dict[str, Any] = {"detector": results.detector, "profiles": {name: _as_dict(score) for name, score in found.items()}}
        report |= reading.closed_dict()
        if zones:
            report["ignored"] = _ignored(corpus, zones)
        echo(json.dumps(report, allow_nan=False))
    else:
        _print(results.detector, found, files)
        for line in reading.closed_lines():
            echo(line)
        if zones:
            told = ", ".join(f"{count:,} {what}" for what, count in _ignored(corpus, zones).items())
            echo(f"ignored: {told.replace('zones', 'zones: of the windows', 1)}")


def _ignored(corpus: dict[str, tuple[Ranges, Any]], zones: dict[str, Ranges]) -> dict[str, int]:
    """How many zones there are in all files, and what they did to the windows."""
    clippings = [without(corpus[name][0], own)[2] for name, own in zones.items()]
    counts = {what: sum(getattr(each, what) for each in clippings) for what in ("clipped", "emptied", "cut")}
    return {"zones": sum(map(len, zones.values())), **counts}


def _as_dict(score: NabCorpus) -> dict[str, Any]:
    """Nothing in JSON stands for inf, the threshold above all scores, but null."""
    return {
        "threshold": score.threshold if math.isfinite(score.threshold) else None,
        "normalized": score.normalized,
        "raw": score.raw,
        **{count: getattr(score, count) for count in _COUNTS},
        "files": [
            {"name": file.name, "windows": len(file.score.windows), "raw": file.raw, **{count: getattr(file, count) for count in _COUNTS}}
            for file in score.files
        ],
    }


def _print(detector: str, found: dict[str, NabCorpus], files: bool) -> None:
    console = PlainConsole()
    if not console.is_terminal:
        console.width = _WIDE_ENOUGH
    summary = _table(f"{detector} on NAB's {len(next(iter(found.values())).files)} files", "profile", "threshold", "score", "raw")
    for name, score in found.items():
        threshold = "above all" if score.threshold == math.inf else f"{score.threshold:.10g}"
        summary.add_row(name, threshold, f"{score.normalized:.2f}", f"{score.raw:.4f}", *_counts(score))
    console.print(summary)
    for name, score in found.items() if files else ():
        console.print()
        table = _table(name, "file", "windows", "raw")
        for file in score.files:
            table.add_row(visible(file.name), str(len(file.score.windows)), f"{file.raw:.4f}", *_counts(file))
        console.print(table)


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, title=title, title_justify="left")
    table.add_column(first)
    for heading in (*others, *_COUNTS):
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _counts(row: Any) -> list[str]:
    return [f"{getattr(row, count):,}" for count in _COUNTS]
