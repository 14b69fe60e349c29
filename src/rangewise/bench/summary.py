"""Everything that a report shows of an experiment, as tables of texts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rangewise.bench.grid import Grid
from rangewise.bench.statistics import Pair, friedman, mean_ranks, standing
from rangewise.bench.work import STATUSES

if TYPE_CHECKING:
    from rangewise.bench.results import Found

FORMS = ("text", "markdown", "latex", "csv")
_MOST_FAILURES = 50


def all_grids(found: Found, metric: str | None = None, *, per_series: bool = True) -> list[Grid]:
    """Leaderboard, pairs, stability, failures, and a row a series."""
    chosen = metric or found.metric
    grids = [found.leaderboard(chosen).grid(), pair_grid(found, chosen), found.stability(chosen).grid(), status_grid(found)]
    if failures := failure_grid(found):
        grids.append(failures)
    return [*grids, series_grid(found, chosen)] if per_series else grids


def in_form(grids: list[Grid], form: str) -> str:
    """The tables one after the other, in one of the four forms."""
    made = {"text": Grid.text, "markdown": Grid.markdown, "latex": Grid.latex, "csv": Grid.csv}[form]
    return "\n\n".join(made(grid) for grid in grids) + "\n"


def pair_grid(found: Found, metric: str) -> Grid:
    pairs = found.pairs(metric)
    rows = [
        [
            pair.first, pair.second, f"{pair.won} / {pair.tied} / {pair.lost}", _interval(pair),
            "" if math.isnan(pair.adjusted_p) else f"{pair.adjusted_p:.3g}", pair.verdict(),
        ]
        for pair in pairs
    ]  # fmt: skip
    scores = found.scores(metric)
    whole = friedman(scores.values)
    notes = ["Exact signed-rank tests over the series that both finished, p after Holm over all pairs; won and lost are series."]
    if whole.detectors > 2 and whole.series > 1:
        notes.append(f"Friedman's test over {whole.series} series: chi squared {whole.statistic:.3g}, p = {whole.p:.3g}.")
    return Grid(f"Pairs, {metric}", ["first", "second", "won / tied / lost", "median difference", "p", "verdict"], rows, notes)


def status_grid(found: Found) -> Grid:
    counts = found.counts_by_detector()
    shown = [status for status in (*STATUSES, "waiting") if any(each[status] for each in counts.values())]
    rows = [[name, *(str(each[status]) for status in shown)] for name, each in counts.items()]
    return Grid("Cells by status", ["detector", *shown], rows)


def failure_grid(found: Found) -> Grid | None:
    """Why cells failed; None when none did."""
    failures = found.failures()
    if not failures:
        return None
    rows = [[each["detector"], each["series"], each["status"], each["message"]] for each in failures[:_MOST_FAILURES]]
    notes = [f"The first {_MOST_FAILURES} of {len(failures)}."] if len(failures) > _MOST_FAILURES else []
    return Grid("Failures", ["detector", "series", "status", "reason"], rows, notes)


def series_grid(found: Found, metric: str) -> Grid:
    scores = found.scores(metric, cluster="series")
    rows = []
    for number, series in enumerate(found.series):
        values = [f"{value:.3f}" if not math.isnan(value) else "-" for value in scores.values[number].tolist()]
        rows.append([series.name, str(series.points - series.test_first), str(len(series.real)), *values])
    return Grid(f"Each series, {metric}", ["series", "points scored", "real ranges", *scores.detectors], rows)


def standing_order(found: Found, metric: str, level: float = 0.95) -> tuple[list[tuple[str, float]], list[tuple[str, ...]]]:
    """Detectors by mean rank, and the bars of a critical difference diagram: only where no pair inside is separated."""
    scores = found.scores(metric)
    ranks = mean_ranks(scores.values, higher_is_better=scores.metric.higher_is_better)
    return standing(scores.detectors, ranks.tolist(), found.pairs(metric, level), level)


def _interval(pair: Pair) -> str:
    found = pair.difference
    if math.isnan(found.value):
        return ""
    return f"{found.value:+.3f}" if math.isnan(found.low) else f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"
