"""``rangewise compare``: several detectors under several metrics, and where the metrics disagree on the order."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated

import numpy as np
import typer

from rangewise.checks import shown_names
from rangewise.cli import inputs, outputs
from rangewise.cli.baselines import (
    Baselines,
    baseline_names,
    baseline_values,
    check_new_names,
    no_better_than_baselines,
    one_liner_cases,
)
from rangewise.cli.parameters import Without
from rangewise.cli.printing import echo, print_data, print_json
from rangewise.cli.threshold_options import Thresholds, check_predictions_used, check_thresholds_apply, read_thresholds
from rangewise.inputs.case import Case
from rangewise.metrics.evaluate import headline_metrics, named_metrics
from rangewise.number_text import score_text
from rangewise.rankings.cases import BEST_F, check_same_ignored, check_thresholds, threshold_rule
from rangewise.rankings.detector_table import SAW_LABELS, DetectorTable, Dispute, MetricColumn
from rangewise.rankings.validation import choose_thresholds, saw_labels
from rangewise.tables import Table, current_width, display_width

_SHOWN_DISPUTES, _SHOWN_METRICS = 3, 2
_LONGEST_NAME, _LONGEST_METRIC = 24, 36


def compare(
    real: Annotated[
        str,
        typer.Argument(
            metavar="REAL", help="File of real anomalies, - for standard input, e.g. nab:FILE, or a folder with one file per series."
        ),
    ],
    predicted: Annotated[
        list[str],
        typer.Argument(
            metavar="PREDICTED...",
            help="FILE or NAME=FILE of predictions or scores for each detector, or a folder with one file per series.",
        ),
    ],
    *,
    metric: inputs.MetricNames = None,
    family: inputs.FamilyName = None,
    threshold: Thresholds = None,
    validation: Annotated[
        float | None,
        typer.Option(
            help="Choose the threshold on the first rows of each series (a share below 1, or a number of rows) and score the others.",
            metavar="ROWS",
        ),
    ] = None,
    max_alert_rate: Annotated[
        float | None, typer.Option(help="Maximum alert rate of best-f on the rows where it chooses, e.g. 0.05.", metavar="SHARE")
    ] = None,
    baselines: Baselines = None,
    form: outputs.PrintOptions,
    files: Annotated[inputs.FileOptions, Without("repeated_times")],
) -> None:
    """Compare detectors: one row per detector, one column per metric, with ranks; * marks where metrics disagree on the order.

    Without --metric, one metric of each family is shown. For folders with one file per series, the table has the means.
    """
    paths = inputs.detector_files(predicted)
    files.check_one_standard_input(real, *paths.values())
    chosen = named_metrics(metric, family) if metric or family else headline_metrics()
    extra = baseline_names(baselines)
    thresholds = read_thresholds(threshold or [])
    check_thresholds(thresholds, list(paths))
    part = int(validation) if validation is not None and validation >= 1 and validation.is_integer() else validation
    rule = thresholds if thresholds is not None or part is None else BEST_F
    read: dict[str, dict[str, Case]] = {}
    for series, (truth, own) in inputs.files_of_series(real, paths).items():

        def read_cases(
            files: inputs.FileOptions, truth: str = truth, own: Mapping[str, str] = own, series: str = series
        ) -> dict[str, Case]:
            return {
                name: files.metric_case(chosen, truth, path, name, has_threshold=threshold_rule(rule, name, series) is not None)
                for name, path in own.items()
            }

        cases = inputs.on_one_span(files, read_cases, grids_only=False)[0]
        check_same_ignored(cases, files.missing)
        one_liners = one_liner_cases(
            next(iter(cases.values())), extra, files.real(truth), own_threshold=rule is None or isinstance(rule, Mapping)
        )
        check_new_names(one_liners, cases)
        read[series] = cases | one_liners
    files.check_used()
    check_thresholds_apply(thresholds, (case for cases in read.values() for case in cases.values()))
    if threshold:
        check_predictions_used(chosen)
    scored = choose_thresholds(read, thresholds, part, max_alert_rate)
    table = DetectorTable.of_cases(scored, chosen, saw_labels(read, thresholds, part))
    chance, values = baseline_values({series: {name: cases[name] for name in paths} for series, cases in scored.items()}, extra, chosen)
    check_new_names(chance, paths)
    table = replace(table, detectors=(*table.detectors, *chance), values=np.concatenate([table.values, values], axis=1))
    shown, known_nothing = list(table.detectors), [name for name in table.detectors if name not in paths]
    first = next(iter(next(iter(scored.values())).values()))
    columns, disputes = list(table.by_metric), table.disputes(len(paths))
    if (text := form.text_of(table)) is not None:
        print_data(text, nl=False)
    elif form.json:
        about = {"baselines": known_nothing} if extra else {}
        print_json(table.to_dict(len(paths)) | about | inputs.ignored_dict(first.clipping))
    else:
        by_name = dict(zip(shown, table.mean.tolist(), strict=True))
        notes = [*table.notes(), *no_better_than_baselines(chosen, by_name, list(paths))]
        lacking = [column.named.text for column in columns if not column.named.asked_for and all(map(math.isnan, column.values))]
        if lacking and files.step is None and files.times is None:
            notes.append(f"-: {', '.join(lacking)} cannot be computed from these files (with times, metrics that count rows need --step)")
        if family == "tsb-ad":
            notes.append(
                "the buffer of VUS is the median length of the real ranges, not the leaderboard's period; use `bench tsb-ad` for its row"
            )
        notes += inputs.ignored_lines(first.clipping)
        _print(table, disputes, notes)


def _print(table_of: DetectorTable, disputes: list[Dispute], notes: list[str]) -> None:
    names, columns = list(table_of.detectors), list(table_of.by_metric)
    yardstick = columns[0]
    width = current_width()
    called = dict(zip(names, names, strict=True))
    if width is not None and max(map(display_width, names)) > _LONGEST_NAME:
        called = {name: f"d{number}" for number, name in enumerate(names, start=1)}
        for name, key in called.items():
            echo(f"{key}: {name}")
        echo()
    cells = [_cells(column, yardstick, [table_of.saw(name, column.named) for name in names]) for column in columns]
    table = _by_detector(list(called.values()), columns, cells)
    if width is None or table.width <= width:
        echo(table.to_text())
    else:
        for number, block in enumerate(_by_metric(list(called.values()), columns, cells, width)):
            if number:
                echo()
            echo(block.to_text())
    echo()
    if not disputes and any(cell.endswith("*") for column in cells for cell in column):
        # Detectors swap places with baselines only.
        legend = f"#n: rank.  *: {yardstick.named.text} puts it and a baseline the other way round."
        echo(f"{legend}  All metrics agree on the order of the detectors.")
    elif not disputes:
        echo("All metrics agree on the order.")
    else:
        echo(f"#n: rank.  *: {yardstick.named.text} puts it and another detector the other way round.  Disputed:")
        for dispute in disputes if width is None else disputes[:_SHOWN_DISPUTES]:
            for first, second, metrics in (
                (dispute.one, dispute.other, dispute.for_one),
                (dispute.other, dispute.one, dispute.for_other),
            ):
                line = f"  {called[first]} above {called[second]}: "
                # As many metrics as fit into one line, at least one.
                most = len(metrics) if width is None else _SHOWN_METRICS
                while most > 1 and width is not None and display_width(line + shown_names(metrics, most)) > width:
                    most -= 1
                echo(line + shown_names(metrics, most))
        if len(disputes) > _SHOWN_DISPUTES and width is not None:
            echo(f"  and {len(disputes) - _SHOWN_DISPUTES} more pairs; --json lists all of them, --wide too")
    for note in notes:
        echo(note)


def _cells(column: MetricColumn, yardstick: MetricColumn, saw: list[bool]) -> list[str]:
    """The value, rank and marks of each detector."""
    return [
        f"{score_text(value, undefined='-')}{SAW_LABELS if saw_labels else ' ' if any(saw) else ''} #{rank}{'*' if disputed else ' '}"
        for value, rank, disputed, saw_labels in zip(column.values, column.ranks, column.marks(yardstick), saw, strict=True)
    ]


def _by_detector(names: list[str], columns: list[MetricColumn], cells: list[list[str]]) -> Table:
    """One row per detector, one column per metric."""
    heads = [_folded(column.named.text, max(map(len, own))) for column, own in zip(columns, cells, strict=True)]
    return Table(["detector", *heads], list(zip(names, *cells, strict=True)), folded=True)


def _by_metric(names: list[str], columns: list[MetricColumn], cells: list[list[str]], window: int) -> Iterator[Table]:
    """One row per metric, one column per detector; as many tables as the window needs, one below the other."""
    texts = [_folded(column.named.text, min(_LONGEST_METRIC, window // 2 - 4)) for column in columns]
    room = window - max(display_width(line) for text in ("metric", *texts) for line in text.split("\n"))
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
