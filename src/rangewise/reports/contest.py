"""The values and ranks of the page's bump chart: which detector leads under which scoring model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rangewise.inputs.clocks import Clock
from rangewise.metrics.evaluate import NamedMetric, evaluate, headline_metrics
from rangewise.metrics.metric import Metric
from rangewise.metrics.table import METRICS
from rangewise.model.model import RangeModel
from rangewise.number_text import count_text
from rangewise.reports.entries import Entry
from rangewise.reports.verdict import three_digits

_BESIDE = "vus_pr"
"""Also shown if all detectors have scores, although it is not a headline metric."""
MOST_POINTS = 200_000
"""Up to this many points, metrics that need scores are shown too; beyond, they would take too long."""


_PAGE_MODEL = "range_fbeta"
"""The column of the page's model, the only one that depends on the controls."""


@dataclass(frozen=True)
class Contest:
    """One scoring model: its value for each detector (nan if it has none), also as text, and the ranks."""

    name: str
    label: str
    summary: str
    values: Sequence[float]
    texts: Sequence[str]
    ranks: Sequence[int]


def contests(entries: Sequence[Entry], model: RangeModel) -> list[Contest]:
    """The headline metric of every scoring model that is defined for any of these detectors; the page's ``model`` comes first."""
    cases = [entry.case for entry in entries]
    chosen = headline_metrics()
    if all(case.scores is not None for case in cases) and (cases[0].points or 0) <= MOST_POINTS:
        chosen.append(NamedMetric(_BESIDE, METRICS[_BESIDE], {}, asked_for=False))
    if isinstance(cases[0].clock, Clock):
        # Metrics that count points, or steps of a clock, are meaningless for times without rows.
        chosen = [one for one in chosen if one.metric.family in ("range", "event") and one.metric.high - one.metric.low <= 1]
    others = [one for one in chosen if one.text != _PAGE_MODEL]
    columns = [(METRICS[_PAGE_MODEL], f"range F{model.beta:g}", [entry.score.f for entry in entries])]
    for named, values in zip(others, evaluate(cases, others).T.tolist(), strict=True):
        if not np.isnan(values).all():
            columns.append((named.metric, named.text.replace("_fbeta", "_F1").replace("_", " "), values))
    return [
        Contest(metric.name, label, metric.summary, values, [_text(metric, value) for value in values], metric.ranks(values))
        for metric, label, values in columns
    ]


def _text(metric: Metric, value: float) -> str:
    """A score, or a value without bounds with as many digits after the point.

    >>> [_text(METRICS["mean_delay"], value) for value in (3.0, -1.15982, 12345.6, math.nan)]
    ['3.000', '-1.160', '12,346', '-']
    """
    if math.isnan(value):
        return "-"
    if metric.low == 0 and metric.high == 1:
        return three_digits(value)
    text = f"{value:.3f}" if abs(value) < 1_000 else f"{value:,.0f}"
    return f"{value:.1g}" if value and not text.strip("-0.") else text


def contest_words(shown: Sequence[Sequence[int]]) -> str:
    """How the ranks of other scoring models compare with those of the first. ``assets/words.js`` has the same sentences.

    >>> contest_words([[1, 2, 3], [2, 1, 3], [1, 2, 2], [1, 2, 3]])
    '1 of 3 other scoring models ranks two detectors the other way round; 1 more differs only in ties.'
    """
    first, others = shown[0], shown[1:]
    if not others:
        return ""
    reversed_order = sum(_reverses(ranks, first) for ranks in others)
    ties = sum(list(ranks) != list(first) for ranks in others) - reversed_order
    if not reversed_order and not ties:
        return (
            "The other scoring model gives the same order."
            if len(others) == 1
            else f"All {len(others)} other scoring models give the same order."
        )
    several = count_text(len(others), "other scoring model")
    if not reversed_order:
        differ = "differs" if ties == 1 else "differ"
        return f"No other scoring model ranks two detectors the other way round; {ties} of {several} {differ} in ties."
    text = f"{reversed_order} of {several} {'ranks' if reversed_order == 1 else 'rank'} two detectors the other way round"
    return f"{text}; {ties} more {'differs' if ties == 1 else 'differ'} only in ties." if ties else f"{text}."


def _reverses(ranks: Sequence[int], first: Sequence[int]) -> bool:
    """Whether two detectors are in reversed order."""
    pairs = list(zip(ranks, first, strict=True))
    return any((one[0] - two[0]) * (one[1] - two[1]) < 0 for number, one in enumerate(pairs) for two in pairs[:number])
