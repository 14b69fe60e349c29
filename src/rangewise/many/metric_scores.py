"""Any metrics for each series of a table: the part of ``score_many`` with ``metrics=``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rangewise.many.batches import Columns, Progress
from rangewise.many.ignored import IgnoredIntervals
from rangewise.many.table_cases import read_cases
from rangewise.metrics.evaluate import read_metrics
from rangewise.metrics.named import MetricChoice
from rangewise.rankings.detector_table import DetectorTable


def score_metrics(
    frame: Any,
    columns: Columns,
    metrics: Iterable[MetricChoice] | Mapping[str, MetricChoice],
    intervals: IgnoredIntervals | None,
    close_gaps: int,
    progress: Progress | None,
) -> DetectorTable:
    """Each predicted column of each series under each metric."""
    chosen = read_metrics(metrics)
    cases = {name: own.cases for name, own in read_cases(frame, columns, intervals, close_gaps, progress=progress).items()}
    table = DetectorTable.of_cases(cases, chosen)
    return replace(table, keys=columns.series) if len(columns.series) > 1 else table
