"""The only loop over cases and metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.case import Case
from rangewise.metrics.named import MetricChoice, NamedMetric, named_metrics


def evaluate(
    cases: Iterable[Case],
    metrics: Iterable[MetricChoice | NamedMetric] | Mapping[str, MetricChoice] | None = None,
    *,
    for_means: bool = False,
) -> NDArray[np.float64]:
    """One row per case, one column per metric; bounds are those of each metric. No cases give no rows.

    ``metrics`` are names of :data:`rangewise.metrics.METRICS`, with options after a colon, presets, models, whose F it is, or metrics of
    your own; by default one of each scoring model. A metric that is not defined for a case is nan if it is there by default, and an error
    if it was requested. Metrics of scores take a prediction as scores of 0 and 1, where the number of points is known. With ``for_means``,
    a metric that has nothing to find, because a case has no real range, is nan instead of its ``zero_division``, unless that was chosen.

    >>> case = Case.read([0, 1, 1, 0, 0], [0, 1, 0, 0, 1])
    >>> evaluate([case], ["range_fbeta", "event_recall"]).round(3).tolist()
    [[0.5, 1.0]]
    """
    chosen = read_metrics(metrics)
    rows = [[named.value_in_mean(case) if for_means else named.value(case) for named in chosen] for case in cases]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(chosen))


def read_metrics(metrics: Iterable[MetricChoice | NamedMetric] | Mapping[str, MetricChoice] | None) -> list[NamedMetric]:
    """The metrics that are chosen; metrics that are already read are unchanged."""
    if isinstance(metrics, list) and all(isinstance(one, NamedMetric) for one in metrics):
        return metrics
    return named_metrics(metrics)  # type: ignore[arg-type]
