"""``rangewise compare``: several detectors under several scoring models, and where these disagree on the order."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from rangewise.checks import shown_names
from rangewise.cli import inputs, outputs
from rangewise.cli.baselines import Baselines, baseline_rows, no_better_than_chance
from rangewise.cli.console import PlainConsole
from rangewise.cli.detectors import detector_case
from rangewise.cli.json_numbers import finite
from rangewise.cli.printing import echo
from rangewise.metrics.evaluate import evaluate
from rangewise.metrics.named import headline_metrics, named_metrics
from rangewise.number_text import score_text
from rangewise.rankings.cases import check_same_ignored
from rangewise.rankings.detector_table import DetectorTable, Dispute, MetricColumn
from rangewise.tables import Table, display_width

_SHOWN_DISPUTES, _SHOWN_METRICS = 3, 2
_WIDE = 100_000
_WINDOW, _LONGEST_NAME, _LONGEST_METRIC = 80, 24, 36


def compare(
    real: Annotated[str, typer.Argument(metavar="REAL", help="File of real anomalies, -, or e.g. nab:FILE.", show_default=False)],
    predicted: Annotated[
        list[str], typer.Argument(metavar="PREDICTED...", help="A file of predictions (or scores) for each detector.", show_default=False)
    ],
    *,
    metric: inputs.MetricNames = None,
    family: inputs.FamilyName = None,
    baselines: Baselines = False,
    form: outputs.PrintOptions,
    wide: Annotated[bool, typer.Option("--wide", help="One table, a row a detector, and all disputes, however wide.")] = False,
    files: inputs.FileOptions,
) -> None:
    """Compare detectors: a row a detector, a column a metric, with ranks; * marks an order other than the first metric's.

    Without --metric, one metric of each scoring model is shown.
    """
    reading = files.reading()
    inputs.check_one_standard_input(real, *predicted)
    chosen = named_metrics(metric, family) if metric or family else headline_metrics()
    names = inputs.detector_names(predicted)
    cases = {name: detector_case(chosen, reading, real, path, name) for name, path in zip(names, predicted, strict=True)}
    check_same_ignored(cases, files.missing)
    rows = evaluate(cases.values(), chosen).tolist()
    known_nothing = baseline_rows(chosen, cases) if baselines else {}
    first = cases[names[0]]
    shown = [*names, *known_nothing]
    table = DetectorTable(tuple(shown), tuple(chosen), np.array([[*rows, *known_nothing.values()]], dtype=np.float64))
    columns, disputes = list(table.by_metric), table.disputes(len(names))
    if (text := form.text_of(table)) is not None:
        echo(text, nl=False)
    elif form.json:
        found = _to_dict(shown, columns, disputes) | ({"baselines": list(known_nothing)} if baselines else {}) | inputs.ignored_dict(first)
        echo(json.dumps(found, allow_nan=False))
    else:
        notes = list(no_better_than_chance(chosen, names, rows, known_nothing)) if baselines else []
        lacking = [column.named.text for column in columns if not column.named.asked_for and all(map(math.isnan, column.values))]
        if lacking and files.step is None and files.times is None:
            notes.append(f"-: {', '.join(lacking)} are not told by these files (of times, metrics that count rows need --step)")
        notes += inputs.ignored_lines(first)
        _print(shown, columns, disputes, notes, wide)


def _print(names: list[str], columns: list[MetricColumn], disputes: list[Dispute], notes: list[str], wide: bool) -> None:
    yardstick = columns[0]
    console = PlainConsole(width=_WIDE if wide else _WINDOW)
    called = dict(zip(names, names, strict=True))
    if not wide and max(map(display_width, names)) > _LONGEST_NAME:
        called = {name: f"d{number}" for number, name in enumerate(names, start=1)}
        for name, key in called.items():
            _say(console, f"{key}: {name}", "    ")
        console.print()
    cells = [_cells(column, yardstick) for column in columns]
    table = _by_detector(list(called.values()), columns, cells)
    if wide or table.width <= _WINDOW:
        console.print(table.to_text())
    else:
        for number, block in enumerate(_by_metric(list(called.values()), columns, cells)):
            if number:
                console.print()
            console.print(block.to_text())
    console.print()
    if not disputes and any(cell.endswith("*") for column in cells for cell in column):
        # Only against baselines, which nobody disputes about.
        legend = f"#n: rank.  *: {yardstick.named.text} puts it and a baseline the other way round."
        _say(console, f"{legend}  All metrics agree on the order of the detectors.", "  ")
    elif not disputes:
        console.print("All metrics agree on the order.")
    else:
        _say(console, f"#n: rank.  *: {yardstick.named.text} puts it and another detector the other way round.  Disputed:", "  ")
        for dispute in disputes if wide else disputes[:_SHOWN_DISPUTES]:
            for first, second, metrics in (
                (dispute.one, dispute.other, dispute.for_one),
                (dispute.other, dispute.one, dispute.for_other),
            ):
                line = f"  {called[first]} above {called[second]}: "
                # As many of the metrics as leave it one line, and one at least.
                most = len(metrics) if wide else _SHOWN_METRICS
                while most > 1 and not wide and display_width(line + shown_names(metrics, most)) > _WINDOW:
                    most -= 1
                _say(console, line + shown_names(metrics, most), "    ")
        if len(disputes) > _SHOWN_DISPUTES and not wide:
            console.print(f"  and {len(disputes) - _SHOWN_DISPUTES} more pairs; --json lists all of them, --wide too")
    for note in notes:
        _say(console, note, "  ")


def _say(console: Console, line: str, indent: str) -> None:
    """A line, or as many as the window needs, those after the first indented."""
    if display_width(line) <= console.width:
        console.print(line)
        return
    for number, part in enumerate(Text(line).wrap(console, console.width - len(indent))):
        console.print(f"{indent if number else ''}{part.plain.rstrip()}")


def _cells(column: MetricColumn, yardstick: MetricColumn) -> list[str]:
    """The value, rank and mark of each detector."""
    return [
        f"{score_text(value, undefined='-')} #{rank}{'*' if marked else ' '}"
        for value, rank, marked in zip(column.values, column.ranks, column.marks(yardstick), strict=True)
    ]


def _by_detector(names: list[str], columns: list[MetricColumn], cells: list[list[str]]) -> Table:
    """A row a detector, a column a metric."""
    heads = [_folded(column.named.text, max(map(len, own))) for column, own in zip(columns, cells, strict=True)]
    return Table(["detector", *heads], list(zip(names, *cells, strict=True)), folded=True)


def _by_metric(names: list[str], columns: list[MetricColumn], cells: list[list[str]]) -> Iterator[Table]:
    """A row a metric, a column a detector; as many tables as the window needs, one below the other."""
    texts = [_folded(column.named.text, _LONGEST_METRIC) for column in columns]
    room = _WINDOW - max(display_width(line) for text in ("metric", *texts) for line in text.split("\n"))
    widths = [2 + max(display_width(name), *(len(own[at]) for own in cells)) for at, name in enumerate(names)]
    blocks: list[list[int]] = [[]]
    for at, width in enumerate(widths):
        if sum(widths[other] for other in blocks[-1]) + width > room:
            blocks.append([])
        blocks[-1].append(at)
    for block in blocks:
        rows = [[text, *(own[at] for at in block)] for text, own in zip(texts, cells, strict=True)]
        yield Table(["metric", *(names[at] for at in block)], rows, folded=True)


def _folded(name: str, width: int) -> str:
    """A long name in lines of about the width of its column, cut after _ and before options."""
    lines = [""]
    for part in re.findall(rf"[:,]?[^_:,]{{1,{_LONGEST_METRIC - 2}}}_?|[_:,]", name):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _to_dict(names: list[str], columns: list[MetricColumn], disputes: list[Dispute]) -> dict[str, object]:
    yardstick = columns[0]
    detectors = []
    for at, name in enumerate(names):
        cells = {
            column.named.text: {
                "value": finite(column.values[at]),
                "rank": column.ranks[at],
                "disagrees": column.marks(yardstick)[at],
            }
            for column in columns
        }
        detectors.append({"detector": name, "metrics": cells})
    return {
        "yardstick": yardstick.named.text,
        "detectors": detectors,
        "disputes": [
            {"detectors": [dispute.one, dispute.other], "first_above": dispute.for_one, "second_above": dispute.for_other}
            for dispute in disputes
        ],
    }
