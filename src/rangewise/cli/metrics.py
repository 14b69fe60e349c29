"""``rangewise metrics``: the table of all metrics."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from rangewise.metrics import METRICS


def metrics() -> None:
    """List every metric: what it needs, its bounds, which way is better, where it is from."""
    table = Table(box=None, pad_edge=False)
    for heading in ("metric", "needs", "bounds", "better", "what it is", "reference", "page"):
        table.add_column(heading, no_wrap=heading == "metric")
    for metric in METRICS.values():
        bounds = f"{metric.low:g}..{metric.high:g}"
        table.add_row(metric.name, metric.needs, bounds, metric.better, metric.summary, metric.reference, metric.page)
    Console().print(table)
