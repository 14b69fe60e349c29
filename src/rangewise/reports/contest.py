"""The values and ranks of the page's bump chart: which detector leads under which scoring model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rangewise.inputs.clocks import Clock
from rangewise.metrics.evaluate import evaluate
from rangewise.metrics.metric import Metric
from rangewise.metrics.named import NamedMetric, headline_metrics
from rangewise.metrics.table import METRICS
from rangewise.model.model import RangeModel
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
        chosen = [one for one in chosen if _is_of_times(one.metric)]
    others = [one for one in chosen if one.text != _PAGE_MODEL]
    shown = [_contest(METRICS[_PAGE_MODEL], f"range F{model.beta:g}", [entry.score.f for entry in entries])]
    for named, column in zip(others, evaluate(cases, others).T.tolist(), strict=True):
        if not np.isnan(column).all():
            shown.append(_contest(named.metric, named.text.replace("_fbeta", "_F1").replace("_", " "), column))
    return shown


def _contest(metric: Metric, label: str, values: Sequence[float]) -> Contest:
    as_score = metric.low == 0 and metric.high == 1
    texts = ["-" if math.isnan(value) else three_digits(value) if as_score else _plain_text(value) for value in values]
    return Contest(metric.name, label, metric.summary, values, texts, metric.ranks(values))


def _plain_text(value: float) -> str:
    """A value without bounds, with three digits after the point as scores have them.

    >>> _plain_text(3.0), _plain_text(-1.15982), _plain_text(12345.6)
    ('3.000', '-1.160', '12,346')
    """
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
    ties = sum(list(ranks) != list(first) and not _reverses(ranks, first) for ranks in others)
    if not reversed_order and not ties:
        return (
            "The other scoring model gives the same order."
            if len(others) == 1
            else f"All {len(others)} other scoring models give the same order."
        )
    several = f"{len(others)} other scoring model{'' if len(others) == 1 else 's'}"
    if not reversed_order:
        differ = "differs" if ties == 1 else "differ"
        return f"No other scoring model ranks two detectors the other way round; {ties} of {several} {differ} in ties."
    text = f"{reversed_order} of {several} {'ranks' if reversed_order == 1 else 'rank'} two detectors the other way round"
    return f"{text}; {ties} more {'differs' if ties == 1 else 'differ'} only in ties." if ties else f"{text}."


def _reverses(ranks: Sequence[int], first: Sequence[int]) -> bool:
    """Whether two detectors are in reversed order."""
    pairs = list(zip(ranks, first, strict=True))
    return any((one[0] - two[0]) * (one[1] - two[1]) < 0 for number, one in enumerate(pairs) for two in pairs[:number])


def _is_of_times(metric: Metric) -> bool:
    return metric.family in ("range", "event") and metric.high - metric.low <= 1
