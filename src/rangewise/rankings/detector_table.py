"""``rw.compare``: detectors side by side under several metrics, over one series or many, as a table for a paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import unknown_name
from rangewise.inputs.case import Case, CaseOptions
from rangewise.metrics.evaluate import MetricChoice, NamedMetric, evaluate, named_metrics
from rangewise.number_text import score_text
from rangewise.rankings.cases import ThresholdChoice, read_detectors
from rangewise.rankings.validation import ValidationPart, choose_thresholds, saw_labels
from rangewise.tables import Table, columns_as_csv

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import polars
    from matplotlib.axes import Axes

    from rangewise.bench.statistics import Pair

_DIGITS = 4
SAW_LABELS = "†"
"""Marks a value whose threshold was chosen with the labels it is scored on."""


@dataclass(frozen=True)
class MetricColumn:
    """A metric and its value for each detector."""

    named: NamedMetric
    values: tuple[float, ...]

    @cached_property
    def merits(self) -> tuple[float, ...]:
        """Values oriented so that higher is better; nan is worst."""
        return tuple(self.named.metric.merit(value) for value in self.values)

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """Ranks from 1, the best; ties share the better rank."""
        return tuple(self.named.metric.ranks(self.values))

    def order(self, one: int, other: int) -> int:
        """1 when ``one`` is better, -1 when ``other`` is, 0 when they are equal."""
        return (self.merits[one] > self.merits[other]) - (self.merits[one] < self.merits[other])

    def marks(self, yardstick: MetricColumn) -> list[bool]:
        """The detectors that swap order with some other one compared with the reference metric."""
        numbers = range(len(self.values))
        return [any(self.order(own, other) * yardstick.order(own, other) < 0 for other in numbers) for own in numbers]


@dataclass(frozen=True)
class Dispute:
    """Two detectors, and the metrics that rank each of them first."""

    one: str
    other: str
    for_one: list[str]
    for_other: list[str]


@dataclass(frozen=True, eq=False, repr=False)
class DetectorTable:
    """One row per detector and one column per metric; made by :func:`compare`. Printing gives the table.

    ``values`` has an entry for each series, detector and metric; nan if a metric is undefined. Over many series the table holds
    means of each metric over the series where all detectors have a value, so that all are compared on the same series.
    """

    detectors: tuple[str, ...]
    metrics: tuple[NamedMetric, ...]
    values: NDArray[np.float64]
    series: tuple[Any, ...] = field(default=("",))
    thresholds: Mapping[str, Mapping[Any, float]] = field(default_factory=dict)
    """The threshold of each detector of scores that has one, by series."""
    saw_labels: tuple[str, ...] = ()
    """The detectors whose threshold was chosen with the labels that they are scored on."""
    healthy: Mapping[str, int | None] = field(default_factory=dict)
    """Of each detector, the ranges that it predicted in series without an anomaly; None for scores without a threshold."""
    healthy_series: int = 0
    """How many of several series have no anomaly."""
    keys: tuple[str, ...] = ()
    """The columns of a table that name its series together, where there are several; a series is then a tuple."""

    @classmethod
    def of_cases(
        cls,
        series: Mapping[Any, Mapping[str, Case]],
        metrics: Sequence[NamedMetric],
        saw_labels: tuple[str, ...] = (),
    ) -> DetectorTable:
        """The table of detectors on one series or many, which are at their thresholds."""
        detectors = tuple(next(iter(series.values())))
        chosen = list(metrics)
        values = np.stack([evaluate(cases.values(), chosen, for_means=len(series) > 1) for cases in series.values()])
        thresholds = {
            name: {key: cases[name].threshold for key, cases in series.items() if cases[name].threshold is not None} for name in detectors
        }
        healthy = [cases for cases in series.values() if not len(next(iter(cases.values())).real)] if len(series) > 1 else []
        return cls(
            detectors, tuple(chosen), values, tuple(series), {name: own for name, own in thresholds.items() if own}, saw_labels,
            {name: _total(cases[name] for cases in healthy) for name in detectors} if healthy else {}, len(healthy),
        )  # fmt: skip

    def saw(self, detector: str, metric: NamedMetric) -> bool:
        """Whether a value was reached with a threshold that was chosen with the labels it is scored on."""
        return bool(metric.metric.of_labels) or (metric.metric.needs == "labels" and detector in self.saw_labels)

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """The mean over series, one row per detector and one column per metric."""
        means = np.full(self.values.shape[1:], np.nan)
        for at in range(len(self.metrics)):
            defined = self._defined(at)
            if len(defined):
                means[:, at] = defined.mean(axis=0)
            elif len(self.series) == 1:
                means[:, at] = self.values[0, :, at]
        return means

    def _defined(self, metric: int) -> NDArray[np.float64]:
        """A metric's values, one row per series where all detectors have a value."""
        own = self.values[:, :, metric]
        return own[~np.isnan(own).any(axis=1)]

    @cached_property
    def by_metric(self) -> tuple[MetricColumn, ...]:
        """The columns of the table."""
        return tuple(MetricColumn(named, tuple(self.mean[:, at].tolist())) for at, named in enumerate(self.metrics))

    def disputes(self, detectors: int | None = None) -> list[Dispute]:
        """The pairs that metrics rank in different orders, among the first ``detectors`` rows."""
        disputed = []
        for one, other in combinations(range(len(self.detectors) if detectors is None else detectors), 2):
            for_one = [column.named.text for column in self.by_metric if column.order(one, other) > 0]
            for_other = [column.named.text for column in self.by_metric if column.order(one, other) < 0]
            if for_one and for_other:
                disputed.append(Dispute(self.detectors[one], self.detectors[other], for_one, for_other))
        return disputed

    def pairs(self, metric: str | None = None, *, level: float = 0.95) -> list[Pair]:
        """Every pair of detectors over the series: wins, ties, losses, the exact signed-rank test, p with Holm's correction over all pairs.

        ``metric`` is a column's title, by default the first. ``pair.verdict()`` is the result as text.

        >>> real = {day: [(0, 10)] for day in range(8)}
        >>> table = compare(real, {"a": {day: [(0, 9)] for day in real}, "b": {day: [(0, 3 + day % 3)] for day in real}})
        >>> table.pairs("range_fbeta")[0].verdict()
        'a is better, p = 0.00781'
        """
        from rangewise.bench.statistics import compare_all

        at = self._index(metric)
        defined = self._defined(at)
        return compare_all(self.detectors, defined, higher_is_better=self.metrics[at].metric.better == "higher", level=level)

    def plot(self, metric: str | None = None, *, ax: Axes | None = None, level: float = 0.95) -> Axes:
        """The critical difference diagram over the series: mean ranks, and bars over detectors that no test separates. Needs matplotlib."""
        from rangewise.bench.statistics import mean_ranks, standing
        from rangewise.plots.critical_difference import draw_critical_difference

        at = self._index(metric)
        if len(self.series) < 2:
            raise ValueError("a critical difference diagram needs many series; this table has one")
        ranks = mean_ranks(self._defined(at), higher_is_better=self.metrics[at].metric.better == "higher")
        return draw_critical_difference(*standing(self.detectors, ranks.tolist(), self.pairs(metric, level=level), level), ax=ax)

    def _index(self, metric: str | None) -> int:
        titles = [named.text for named in self.metrics]
        if metric is None:
            return 0
        if metric not in titles:
            raise unknown_name("a metric of this table", metric, titles)
        return titles.index(metric)

    def columns(self, *, by_series: bool = False) -> dict[str, list[Any]]:
        """The table by column, for a data frame of any library: one row per detector; with ``by_series`` one per series and detector.

        Where detectors have thresholds, ``threshold_saw_labels`` says which were chosen with the labels they are scored on, and
        ``by_series`` adds ``threshold``.
        """
        if not by_series:
            marks = {"threshold_saw_labels": [name in self.saw_labels for name in self.detectors]} if self.thresholds else {}
            return {"detector": list(self.detectors)} | {column.named.text: list(column.values) for column in self.by_metric} | marks
        rows = [(series, detector) for series in self.series for detector in self.detectors]
        parts = {key: [series[at] for series, _ in rows] for at, key in enumerate(self.keys)}
        named = (parts or {"series": [series for series, _ in rows]}) | {"detector": [detector for _, detector in rows]}
        values: dict[str, list[Any]] = {named.text: self.values[:, :, at].ravel().tolist() for at, named in enumerate(self.metrics)}
        if self.thresholds:
            values["threshold"] = [self.thresholds.get(detector, {}).get(series) for series, detector in rows]
            values["threshold_saw_labels"] = [detector in self.saw_labels for _, detector in rows]
        return named | values

    def to_polars(self, *, by_series: bool = False) -> polars.DataFrame:
        """A polars table; rows as in :meth:`columns`."""
        import polars as pl

        return pl.DataFrame(self.columns(by_series=by_series), strict=False)

    def to_pandas(self, *, by_series: bool = False) -> pandas.DataFrame:
        """A pandas table; rows as in :meth:`columns`."""
        import pandas as pd

        return pd.DataFrame(self.columns(by_series=by_series))

    def to_csv(self, path: str | Path | None = None, *, by_series: bool = False) -> str | None:
        """CSV with all digits, rows as in :meth:`columns`; written to ``path``, or returned as text without one."""
        return columns_as_csv(self.columns(by_series=by_series), path)

    def to_dict(self, detectors: int | None = None) -> dict[str, Any]:
        """The table as ``rangewise compare --json`` prints it; ``detectors`` as in :meth:`disputes`.

        >>> table = compare([(2, 6)], {"a": [(2, 4)], "b": [(5, 6)]}, metrics=["range_recall"])
        >>> table.to_dict()["detectors"][0]
        {'detector': 'a', 'metrics': {'range_recall': {'value': 0.5, 'rank': 1, 'disagrees': False}}}
        """
        yardstick = self.by_metric[0]
        values: dict[str, Any] = {}
        if self.thresholds:
            alone = len(self.series) == 1
            values["thresholds"] = {name: own[""] if alone else dict(own) for name, own in self.thresholds.items()}
            values["saw_labels"] = list(self.saw_labels)
        if len(self.series) > 1:
            values |= {"series": list(self.series), "healthy_series": self.healthy_series, "alarms_in_healthy_series": dict(self.healthy)}
        values["yardstick"] = yardstick.named.text
        values["detectors"] = [
            {
                "detector": name,
                "metrics": {
                    column.named.text: {
                        "value": column.values[at],
                        "rank": column.ranks[at],
                        "disagrees": column.marks(yardstick)[at],
                        **({"saw_labels": True} if self.saw(name, column.named) else {}),
                    }
                    for column in self.by_metric
                },
            }
            for at, name in enumerate(self.detectors)
        ]
        values["disputes"] = [
            {"detectors": [each.one, each.other], "first_above": each.for_one, "second_above": each.for_other}
            for each in self.disputes(detectors)
        ]
        return values

    def to_markdown(self, *, digits: int = _DIGITS) -> str:
        """A Markdown table, the best of each column bold.

        >>> table = compare([(0, 4)], {"early": [(0, 2)], "whole": [(0, 4)]}, metrics={"F1": "range_fbeta", "delay": "mean_delay"})
        >>> print(table.to_markdown(), end="")
        | detector | F1 | delay |
        | --- | ---: | ---: |
        | early | 0.6667 | **0.0000** |
        | whole | **1.0000** | **0.0000** |
        """
        return self._table(digits).to_markdown()

    def to_latex(self, *, digits: int = _DIGITS) -> str:
        """A LaTeX ``tabular`` (booktabs), the best of each column bold."""
        return self._table(digits).to_latex()

    def _table(self, digits: int = _DIGITS) -> Table:
        rows = [
            [
                name,
                *(
                    score_text(value, digits=digits, undefined="-") + (SAW_LABELS if self.saw(name, named) else "")
                    for value, named in zip(row, self.metrics, strict=True)
                ),
            ]
            for name, row in zip(self.detectors, self.mean.tolist(), strict=True)
        ]
        return Table(["detector", *(named.text for named in self.metrics)], rows, bold=self._best(), notes=self.notes())

    def _best(self) -> list[tuple[int, int]]:
        return [
            (row, at + 1)
            for at, column in enumerate(self.by_metric)
            for row, (rank, value) in enumerate(zip(column.ranks, column.values, strict=True))
            if rank == 1 and not math.isnan(value)
        ]

    def notes(self) -> list[str]:
        """Notes below the table: which series the means cover, and which values are too good."""
        notes = []
        if len(self.series) > 1:
            used = {named.text: len(self._defined(at)) for at, named in enumerate(self.metrics)}
            fewer = ", ".join(f"{text} of {count}" for text, count in used.items() if count < len(self.series))
            notes.append(f"mean of {len(self.series)} series{f'; {fewer}, where all detectors have a value' if fewer else ''}")
        if self.healthy_series:
            alarms = ", ".join(f"{name} {count}" for name, count in self.healthy.items() if count is not None)
            have, them = ("1 series has", "it") if self.healthy_series == 1 else (f"{self.healthy_series} series have", "them")
            notes.append(f"{have} no anomaly: the means leave {them} out" + (f"; ranges predicted there: {alarms}" if alarms else ""))
        if any(self.saw(name, named) for name in self.detectors for named in self.metrics):
            notes.append(f"{SAW_LABELS}: the threshold was chosen with the labels it is scored on, so the value is too good")
        return notes

    def __repr__(self) -> str:
        over = f" over {len(self.series)} series" if len(self.series) > 1 else ""
        return f"DetectorTable({len(self.detectors)} detectors, {len(self.metrics)} metrics{over})"

    def __str__(self) -> str:
        table = replace(self._table(), notes=())
        return "\n".join([table.to_text(), *self.notes()])

    def _repr_html_(self) -> str:
        from html import escape

        return self._table().to_html() + "".join(f"<p>{escape(note)}</p>" for note in self.notes())


def compare(
    real: Any,
    predicted: Mapping[str, Any],
    *,
    metrics: Iterable[MetricChoice] | Mapping[str, MetricChoice] | None = None,
    family: str | None = None,
    thresholds: ThresholdChoice = None,
    validation: ValidationPart = None,
    max_alert_rate: float | None = None,
    **options: Unpack[CaseOptions],
) -> DetectorTable:
    """Compare detectors: one row per detector, one column per metric.

    :param real: the real ranges or labels of one series; or of many, ``{series: ranges}``, and each detector too.
    :param predicted: the detectors by name: ranges, 0/1 labels, or scores (an array whose values are not all 0 or 1).
    :param metrics: names of ``rangewise.metrics.METRICS``, with options after a colon (``point_adjust_fbeta:k=20``), presets, models, whose
        F is shown, or your own ``Metric``; or a mapping from the title of each column to one of these. Default: one per scoring model.
    :param family: all metrics of a family, after ``metrics``. ``"tsb-ad"`` has the columns of that leaderboard, but not its buffer, which
        is a period of the values: VUS takes the median length of the real ranges; :func:`rangewise.bench.tsb_ad_rows` gives the
        leaderboard's row.
    :param thresholds: for metrics of labels where detectors give scores, one for all, one per detector (``{detector: x}``), or one per
        detector and series (``{detector: {series: x}}``): a number, ``"equal-share"`` or ``"equal-share:0.05"``, or ``"best-f"``, of each
        series the threshold with the largest F of ``RangeModel()``; as for :func:`rangewise.ranking`.
    :param validation: the first rows of each series, as a share below 1 or a whole number of rows: there the rule chooses the threshold
        (``"best-f"`` unless ``thresholds`` names another), and only the rows after them are scored. Without it, ``"best-f"`` and
        ``"equal-share"`` see the labels they are scored on; every output marks such values with a dagger.
    :param max_alert_rate: ``"best-f"`` chooses among thresholds that predict at most this share of the points it chooses on; where these
        hold no anomaly, it takes the lowest of them.
    :param options: the input options of :meth:`rangewise.RangeModel.score` for all detectors, e.g. ``times``, ``ignore`` and
        ``close_gaps``; over many series a mapping gives each series its own. Sides in times without ``span=`` are evaluated from the first
        start to the last end of all detectors.

    The bounds are those of each metric. Over many series the table holds means; a series where a metric is undefined for one detector is
    dropped for all. So recall and F drop series without an anomaly, unless a metric's ``zero_division`` was chosen; the table shows how
    many there are, and how many ranges each detector predicted there. A default metric that is undefined for the input is nan, shown as
    ``-``; a requested one raises an error.

    >>> print(compare([(0, 10), (20, 25)], {"a": [(0, 8)], "b": [(0, 2), (20, 22)]}, metrics=["range_fbeta", "event_fbeta"]))
    detector  range_fbeta  event_fbeta
    a              0.5714       0.6667
    b              0.4615       1.0000
    """
    chosen = named_metrics(metrics, family)
    read = read_detectors(real, predicted, None, options, needs_threshold=False, grids_only=False)
    # Scores without a threshold stay scores; a metric that needs a threshold raises.
    at = choose_thresholds(read, thresholds, validation, max_alert_rate)
    return DetectorTable.of_cases(at, chosen, saw_labels(read, thresholds, validation))


def _total(cases: Iterable[Case]) -> int | None:
    """How many ranges are predicted together; None where that is not known."""
    counts = [None if case.predicted is None else len(case.predicted) for case in cases]
    return None if None in counts else sum(filter(None, counts))
