"""The report of an experiment as tables of text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rangewise.bench.statistics import friedman, standing
from rangewise.bench.statistics.groups import unit_words
from rangewise.bench.statistics.pairs import tests_text
from rangewise.bench.work import STATUSES
from rangewise.number_text import count_text, score_text
from rangewise.tables import Table

if TYPE_CHECKING:
    from rangewise.bench.results import Results

FORMS = ("text", "markdown", "latex", "csv")
_MOST_FAILURES = 50


def all_tables(results: Results, metric: str | None = None, *, per_series: bool = True) -> list[Table]:
    """Leaderboard, pairs, stability, failures, and one row per series."""
    chosen = metric or results.metric
    tables = [results.leaderboard(chosen).table(), pair_table(results, chosen), results.stability(chosen).table(), status_table(results)]
    if failures := failure_table(results):
        tables.append(failures)
    return [*tables, series_table(results, chosen)] if per_series else tables


def in_form(tables: list[Table], form: str) -> str:
    """The tables in one of the four output formats."""
    return "\n".join(getattr(table, f"to_{form}")().rstrip("\n") + "\n" for table in tables)


def pair_table(results: Results, metric: str) -> Table:
    pairs = results.pairs(metric)
    rows = [
        [
            pair.first, pair.second, f"{pair.won:,} / {pair.tied:,} / {pair.lost:,}",
            "" if math.isnan(pair.adjusted_p) else f"{pair.adjusted_p:.3g}", pair.verdict(),
            "" if math.isnan(pair.difference.value) else pair.difference.text(signed=True),
        ]
        for pair in pairs
    ]  # fmt: skip
    compared = results.scores(metric).compared()
    whole = friedman(compared.values, groups=compared.groups)
    units = unit_words(2, results.cluster)
    tests = tests_text(pairs).capitalize()
    notes = [f"{tests} over the {units} that both finished, p after Holm over all pairs; won and lost are {units}."]
    if whole.detectors > 2 and whole.series > 1:
        notes.append(f"Friedman's test over {whole.series} {units}: chi squared {whole.statistic:.3g}, p = {whole.p:.3g}.")
    columns = ["first", "second", "won / tied / lost", "p", "verdict", "median difference"]
    return Table(columns, rows, f"Pairs, {metric}", notes, words=(0, 1, 4, 5))


def status_table(results: Results) -> Table:
    counts = results.counts_by_detector()
    shown = [status for status in (*STATUSES, "waiting") if any(each[status] for each in counts.values())]
    rows = [[name, *(count_text(each[status]) for status in shown)] for name, each in counts.items()]
    return Table(["detector", *shown], rows, "Runs by status")


def failure_table(results: Results) -> Table | None:
    """Why runs failed; None if none did."""
    failures = results.failures()
    if not failures:
        return None
    rows = [[each["detector"], each["series"], each["status"], each["message"]] for each in failures[:_MOST_FAILURES]]
    notes = [f"The first {_MOST_FAILURES} of {len(failures)}."] if len(failures) > _MOST_FAILURES else []
    return Table(["detector", "series", "status", "reason"], rows, "Failures", notes, words=range(4))


def series_table(results: Results, metric: str) -> Table:
    scores = results.scores(metric)
    rows = []
    for number, series in enumerate(results.series):
        values = [score_text(value, undefined="-") for value in scores.values[number].tolist()]
        rows.append([series.name, count_text(series.points - series.test_first), count_text(len(series.real)), *values])
    return Table(["series", "points scored", "real ranges", *scores.detectors], rows, f"Each series, {metric}")


def standing_order(results: Results, metric: str, level: float = 0.95) -> tuple[list[tuple[str, float]], list[tuple[str, ...]]]:
    """Detectors by mean rank, and the bars of a critical difference diagram, which contain no separated pair."""
    scores = results.scores(metric)
    return standing(scores.detectors, scores.mean_ranks().tolist(), results.pairs(metric, level), level)
