"""``rangewise compare``: several detectors under several scoring models, and where these disagree on the order."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from rangewise.checks import shown_names
from rangewise.cli import inputs
from rangewise.cli.json_numbers import finite
from rangewise.cli.named import NamedMetric, headline_metrics, metric_values, named_metrics

_SHOWN_DISPUTES, _SHOWN_METRICS = 3, 2
_WIDE = 10_000
_WINDOW = 80


def compare(
    real: Annotated[str, typer.Argument(metavar="REAL", help="File of real anomalies, -, or e.g. nab:FILE.", show_default=False)],
    predicted: Annotated[
        list[str], typer.Argument(metavar="PREDICTED...", help="A file of predictions (or scores) for each detector.", show_default=False)
    ],
    metric: inputs.MetricNames = None,
    family: inputs.FamilyName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    wide: Annotated[bool, typer.Option("--wide", help="A row a detector, however wide; else a row a metric beyond 80 columns.")] = False,
    file_format: inputs.FileFormat = None,
    column: inputs.Column = None,
    real_column: inputs.RealColumn = None,
    predicted_column: inputs.PredictedColumn = None,
    series: inputs.SeriesName = None,
    times: inputs.Times = None,
    outside: inputs.Outside = "error",
    end_included: inputs.EndIncluded = None,
    start_column: inputs.StartColumn = None,
    end_column: inputs.EndColumn = None,
    until: inputs.Until = None,
    step: inputs.Step = None,
    ignore: inputs.Ignore = None,
) -> None:
    """Compare detectors: a row a detector, a column a metric, with ranks; * marks an order other than the first metric's.

    Without --metric, one metric of each scoring model is shown.
    """
    reading = inputs.Reading(
        file_format=file_format, column=column, real_column=real_column, predicted_column=predicted_column, series=series,
        times=times, outside=outside, end_included=end_included,
        start_column=start_column, end_column=end_column, until=until, step=step, ignore=ignore,
    )  # fmt: skip
    inputs.check_one_standard_input(real, *predicted)
    chosen = named_metrics(metric, family) if metric or family else headline_metrics()
    names = inputs.detector_names(predicted)
    rows = [metric_values(chosen, real, path, reading) for path in predicted]
    columns = [_Column(named, [row[at] for row in rows]) for at, named in enumerate(chosen)]
    disputes = _disputes(names, columns)
    if as_json:
        typer.echo(json.dumps(_as_dict(names, columns, disputes), allow_nan=False))
    else:
        _print(names, columns, disputes, wide)
        lacking = [column.named.text for column in columns if not column.named.asked_for and all(map(math.isnan, column.values))]
        if lacking and step is None and times is None:
            typer.echo(f"-: {', '.join(lacking)} are not told by these files (of times, metrics that count rows need --step)")
        for ignored in reading.ignored[:1]:
            typer.echo(f"ignored: {ignored}")


@dataclass(frozen=True)
class _Column:
    """A metric and its value for each detector."""

    named: NamedMetric
    values: list[float]

    @property
    def merits(self) -> list[float]:
        """Values so that higher is better, and nan is worst."""
        sign = 1.0 if self.named.metric.better == "higher" else -1.0
        return [-math.inf if math.isnan(value) else sign * value for value in self.values]

    @property
    def ranks(self) -> list[int]:
        """1 is best; equals share the better rank."""
        merits = self.merits
        return [1 + sum(other > own for other in merits) for own in merits]

    def order(self, one: int, other: int) -> int:
        """1 when ``one`` is better, -1 when ``other`` is, 0 when they are equal."""
        merits = self.merits
        return (merits[one] > merits[other]) - (merits[one] < merits[other])

    def marks(self, yardstick: _Column) -> list[bool]:
        """The detectors that stand to some other the other way round than by the yardstick."""
        numbers = range(len(self.values))
        return [any(self.order(own, other) * yardstick.order(own, other) < 0 for other in numbers) for own in numbers]


@dataclass(frozen=True)
class _Dispute:
    """Two detectors, and the metrics that put the one or the other first."""

    one: str
    other: str
    for_one: list[str]
    for_other: list[str]


def _disputes(names: Sequence[str], columns: list[_Column]) -> list[_Dispute]:
    found = []
    for one, other in combinations(range(len(names)), 2):
        for_one = [column.named.text for column in columns if column.order(one, other) > 0]
        for_other = [column.named.text for column in columns if column.order(one, other) < 0]
        if for_one and for_other:
            found.append(_Dispute(names[one], names[other], for_one, for_other))
    return found


def _print(names: list[str], columns: list[_Column], disputes: list[_Dispute], wide: bool) -> None:
    yardstick = columns[0]
    rows = [[name] for name in names]
    for column in columns:
        for row, value, rank, marked in zip(rows, column.values, column.ranks, column.marks(yardstick), strict=True):
            row.append(f"{'-' if math.isnan(value) else f'{value:.4g}'} #{rank}{'*' if marked else ' '}")
    # A table wider than 80 columns is turned; one that is too wide even so wraps in the window rather than losing columns.
    console = Console(highlight=False, emoji=False, markup=False, width=_WIDE)
    table = Table(box=None, pad_edge=False)
    table.add_column("detector", no_wrap=True)
    for column, cells in zip(columns, list(zip(*rows, strict=True))[1:], strict=True):
        table.add_column(_folded(column.named.text, max(map(len, cells))), justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    if not wide and console.measure(table).maximum > _WINDOW:
        table = Table(box=None, pad_edge=False)
        for heading in ("metric", *names):
            table.add_column(heading, justify="left" if heading == "metric" else "right", no_wrap=True)
        for column, cells in zip(columns, list(zip(*rows, strict=True))[1:], strict=True):
            table.add_row(column.named.text, *cells)
    console.print(table)
    if not disputes:
        console.print("\nAll metrics agree on the order.")
        return
    console.print(f"\n#n: rank.  *: {yardstick.named.text} puts it and another detector the other way round.  Disputed:")
    for dispute in disputes[:_SHOWN_DISPUTES]:
        for first, second, metrics in (
            (dispute.one, dispute.other, dispute.for_one),
            (dispute.other, dispute.one, dispute.for_other),
        ):
            console.print(f"  {first} above {second}: {shown_names(metrics, _SHOWN_METRICS)}")
    if len(disputes) > _SHOWN_DISPUTES:
        console.print(f"  and {len(disputes) - _SHOWN_DISPUTES} more pairs; --json lists all of them")


def _folded(name: str, width: int) -> str:
    """A long name in lines of about the width of its column, cut after _ and before options."""
    lines = [""]
    for part in re.findall(r"[:,]?[^_:,]+_?", name):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _as_dict(names: list[str], columns: list[_Column], disputes: list[_Dispute]) -> dict[str, object]:
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
