"""The leaderboard: detectors from best to worst, with intervals, ranks and failures; and the comparison of two detectors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rangewise.bench.statistics import (
    MIN_SERIES,
    Interval,
    Pair,
    Resamples,
    bootstrap,
    bootstrap_means,
    compare_all,
    compare_pair,
    mean_interval,
    pair_correlations,
    pooled_difference,
    pooled_intervals,
)
from rangewise.bench.statistics.groups import Unit, unit_words
from rangewise.bench.statistics.pairs import tests_text
from rangewise.checks import unknown_name
from rangewise.number_text import count_text, score_text, seconds_text, share_text
from rangewise.tables import Table

if TYPE_CHECKING:
    from rangewise.bench.results import Results, Scores

_NAN = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Standing:
    """One detector. ``pooled`` is over all ranges of all series, ``macro`` is the mean of the scores of each series; both over the series
    that every detector finished. ``mean_rank`` is over the units of these (series, or means of collections), ``mean_rank_all`` over all
    units, with failures ranked last."""

    detector: str
    pooled: Interval
    macro: Interval
    precision: Interval
    recall: Interval
    mean_rank: float
    mean_rank_all: float
    rank: Interval
    first_share: float
    failures: int
    seconds: float


@dataclass(frozen=True)
class Leaderboard:
    """Standings, best first. Printing gives a table."""

    metric: str
    average: str
    sees_labels: bool
    higher_is_better: bool
    series: int
    """The number of series that all detectors finished, except detectors that finished none."""
    all_series: int
    cluster: Unit
    standings: tuple[Standing, ...]
    notes: tuple[str, ...]

    def table(self) -> Table:
        """As a table to print or write."""
        is_model = any(not math.isnan(each.pooled.value) for each in self.standings)
        parts = ["precision", "recall", "macro"] if is_model else []
        columns = ["", "detector", "pooled" if is_model else "macro", "mean rank", "first in", "failed", *parts]
        columns += ["rank, failures last", "CPU time"]
        rows = []
        for place, each in enumerate(self.standings, 1):
            first_in = "" if math.isnan(each.first_share) else share_text(each.first_share)
            own = [_plain(each.precision), _plain(each.recall), str(each.macro)] if is_model else []
            rows.append(
                [
                    str(place), each.detector, str(each.pooled if is_model else each.macro), _two(each.mean_rank), first_in,
                    count_text(each.failures), *own, _two(each.mean_rank_all), seconds_text(each.seconds),
                ]
            )  # fmt: skip
        marked = " (thresholds chosen with the labels)" if self.sees_labels else ""
        # Intervals are left-aligned, because notes may follow them.
        words = [1, *(columns.index(name) for name in ("pooled", "macro") if name in columns)]
        return Table(columns, rows, f"{self.metric}, ordered by the {self.average} score{marked}", self.notes, words=words)

    def estimate(self, standing: Standing) -> Interval:
        """The score that the order goes by."""
        return standing.pooled if self.average == "pooled" else standing.macro

    def __getitem__(self, detector: str) -> Standing:
        by_name = {each.detector: each for each in self.standings}
        if detector not in by_name:
            raise unknown_name("a detector of this leaderboard", detector, tuple(by_name))
        return by_name[detector]

    def __str__(self) -> str:
        return self.table().to_text()


@dataclass(frozen=True)
class Comparison:
    """Two detectors under one metric: the comparison of their scores by series, and the difference of the pooled scores."""

    metric: str
    pair: Pair
    pooled_difference: Interval

    def __str__(self) -> str:
        pair = self.pair
        lines = [
            f"{pair.first} against {pair.second}, {self.metric}, {pair.series} {unit_words(pair.series, pair.unit)} that both finished",
            f"  won {pair.won}, tied {pair.tied}, lost {pair.lost}",
            f"  median difference {pair.difference.text(signed=True)}",
        ]
        if not math.isnan(self.pooled_difference.value):
            lines.append(f"  difference of the pooled scores {self.pooled_difference.text(signed=True)}, paired by {pair.unit}")
        return "\n".join([*lines, f"  {pair.verdict()} ({tests_text([pair]).replace('tests', 'test', 1)})"])


def make_leaderboard(results: Results, metric: str, average: str, resamples: int) -> Leaderboard:
    scores = results.scores(metric)
    better, core = scores.metric.higher_is_better, scores.core()
    means = scores.compared()
    counts, seconds = results.counts_by_detector(), results.seconds_by_detector()
    all_ranks = scores.mean_ranks()
    intervals = pooled_intervals(core.table(), unit=results.cluster) if core.tallies is not None and len(core.series) else {}
    ranks = means.mean_ranks()
    drawn = resampled(core, average, resamples)
    rank_intervals = drawn.rank_intervals() if drawn is not None else {}
    firsts = drawn.first_shares() if drawn is not None else {}
    standings = []
    for j, name in enumerate(scores.detectors):
        here = core.detectors.index(name) if name in core.detectors else None
        parts: Mapping[str, Interval] = intervals.get(name, {})
        failures = sum(count for status, count in counts[name].items() if status not in ("ok", "waiting"))
        standings.append(
            Standing(
                detector=name,
                pooled=parts.get(scores.part, _NAN),
                macro=_macro(means, here, results.cluster) if here is not None and len(means.series) else _NAN,
                precision=parts.get("precision", _NAN),
                recall=parts.get("recall", _NAN),
                mean_rank=float(ranks[here]) if here is not None and len(means.series) else math.nan,
                mean_rank_all=float(all_ranks[j]),
                rank=rank_intervals.get(name, _NAN),
                first_share=firsts.get(name, math.nan),
                failures=failures,
                seconds=seconds.get(name, math.nan),
            )
        )
    used = "macro" if scores.tallies is None else average
    standings.sort(key=lambda each: _order(each, used, better))
    board = Leaderboard(
        metric, used, scores.metric.sees_labels, better, len(core.series), len(scores.series), results.cluster, tuple(standings), ()
    )
    return replace(board, notes=_notes(results, board, scores, resamples))


def resampled(core: Scores, average: str, resamples: int) -> Resamples | None:
    """The series bootstrap of the scores that define the order; None without series. Signs are flipped if lower is better."""
    if not len(core.series) or not core.detectors:
        return None
    if core.tallies is not None and average == "pooled":
        return bootstrap(core.table(), core.part, resamples=resamples)
    sign, means = 1.0 if core.metric.higher_is_better else -1.0, core.compared()
    return bootstrap_means(sign * means.values, means.detectors, resamples=resamples, groups=means.groups) if len(means.series) else None


def compare_two(results: Results, first: str, second: str, metric: str) -> Comparison:
    scores = results.scores(metric)
    columns = [scores.detectors.index(first), scores.detectors.index(second)]
    both = np.flatnonzero(scores.finished[:, columns].all(axis=1))
    core = scores.of(both.tolist(), columns)
    better, unit = scores.metric.higher_is_better, results.cluster
    pair = compare_pair(first, second, core.values[:, 0], core.values[:, 1], higher_is_better=better, groups=core.groups)
    difference = _NAN
    if core.tallies is not None and len(core.series):
        difference = pooled_difference(core.table(), first, second, core.part, unit=unit)
    return Comparison(metric, pair, difference)


def _order(each: Standing, average: str, better: bool) -> tuple[bool, float, str]:
    value = each.pooled.value if average == "pooled" else each.macro.value
    return math.isnan(value), 0.0 if math.isnan(value) else -value if better else value, each.detector


def _notes(results: Results, board: Leaderboard, scores: Scores, resamples: int) -> tuple[str, ...]:
    what, core = unit_words(2, board.cluster), scores.core()
    units, finished = board.series, f"{board.series} of {board.all_series} series"
    if scores.groups is not None and core.groups is not None:
        units = len(set(core.groups))
        finished += f" ({units} of {len(set(scores.groups))} collections)"
    notes = [f"{finished} have a score of every detector that has any; scores and ranks are over these."]
    if units < MIN_SERIES:
        notes.append(f"Fewer than {MIN_SERIES} {what}: too few for reliable intervals.")
    notes.append(f"Intervals are 95 %, by the jackknife over {what}; a note in parentheses says why one is less certain.")
    notes.append(f"'First in' is the share of {resamples:,} draws of the {what} in which a detector comes first.")
    if results.collections is not None:
        notes.append(_both_units(results, board.metric))
    counts = results.counts_by_detector()
    absent = [name for j, name in enumerate(scores.detectors) if j not in scores.finishers]
    if idle := [name for name in absent if not counts[name]["ok"]]:
        notes.append(f"Finished no series: {', '.join(idle)}.")
    notes += [f"No score: {reason}." for reason in _unscored(results, scores, [name for name in absent if counts[name]["ok"]])]
    if board.sees_labels:
        notes.append("The thresholds were chosen with the labels of the scored rows, so these scores are upper bounds, not results.")
    if results.saw_labels():
        notes.append(f"Published thresholds that were chosen with the labels: {', '.join(results.saw_labels())}.")
    if results.fitted_on_all():
        notes.append(
            f"{results.fitted_on_all()} of {len(results.series)} series have no training part: "
            "detectors learned from all rows, without labels."
        )
    if results.without_anomalies():
        notes.append(
            f"Series without an anomaly in the scored part: {results.without_anomalies()}. Means and ranks leave them out; pooled scores "
            "count their alarms."
        )
    return tuple(notes)


def _unscored(results: Results, scores: Scores, absent: Sequence[str]) -> list[str]:
    """The finished runs that the metric could not score, by detector and reason; and the ``absent`` detectors for which it is undefined."""
    failed = Counter((each["detector"], each["message"]) for each in results.unscored(scores.metric.label))
    reasons = [f"{name} on {count_text(count)} series ({message})" for (name, message), count in failed.items()]
    reported = {name for name, _ in failed}
    return [*reasons, *(f"{name}, for which the metric is undefined on every series" for name in absent if name not in reported)]


def _both_units(results: Results, metric: str) -> str:
    """The results of tests by series and by collection, and the correlation within collections."""
    scores = results.scores(metric)
    assert results.collections is not None
    better, pairs = scores.metric.higher_is_better, {}
    for unit, groups in (("series", None), ("collections", results.collections)):
        compared = compare_all(scores.detectors, scores.values, higher_is_better=better, groups=groups)
        pairs[unit] = sum(pair.adjusted_p <= 0.05 for pair in compared), len(compared)
    known = pair_correlations(scores.values, results.collections)
    known = known[~np.isnan(known)]
    alike = (
        f" Differences within a collection have an intraclass correlation of {np.median(known):.2f} (median over pairs)."
        if len(known)
        else ""
    )
    return (
        f"{pairs['series'][0]} of {pairs['series'][1]} pairs are separated in tests by series, {pairs['collections'][0]} in tests by "
        f"collection ({len(set(results.collections))} collections).{alike}"
    )


def _macro(core: Scores, detector: int, unit: Unit) -> Interval:
    metric = core.metric
    low, high = (0.0, 1.0) if metric.model is not None else (metric.table_metric.low, metric.table_metric.high)
    return mean_interval(core.values[:, detector], low=low, high=high, groups=core.groups, unit=unit)


def _plain(interval: Interval) -> str:
    return score_text(interval.value, undefined="")


def _two(value: float) -> str:
    return score_text(value, digits=2, undefined="")
