"""Results: the content of a store as rows, leaderboard and comparisons."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.bench.experiment import AVERAGES
from rangewise.bench.leaderboard import Comparison, Leaderboard, compare_two, make_leaderboard
from rangewise.bench.metric_choice import MetricChoice, split_reference
from rangewise.bench.published_detector import SAW_LABELS
from rangewise.bench.series_choice import SeriesChoice, checksum
from rangewise.bench.stability import Stability, make_stability
from rangewise.bench.statistics import Pair, TallyTable, compare_all, group_means, mean_ranks
from rangewise.bench.statistics.groups import Unit
from rangewise.bench.store import Store, number
from rangewise.bench.work import ON_ALL_ROWS
from rangewise.checks import check_size, unknown_name
from rangewise.files.source import parse_json
from rangewise.files.writing import written_whole
from rangewise.generate.recipe import Recipe
from rangewise.model.tally import Tally
from rangewise.tables import csv_cell

COLUMNS = (
    "detector", "settings", "series", "seed", "status", "metric", "precision", "recall", "f", "value",
    "seconds_fit", "seconds_score", "peak_memory", "message",
)  # fmt: skip
"""The columns of :meth:`Results.rows` and of an export."""

_RUNS = "plan JOIN series ON series.position = plan.series LEFT JOIN result ON result.key = plan.key"
"""Every planned run with its series, and its result if it has one."""
_ROWS = f"""
SELECT plan.detector, plan.settings, series.name, plan.seed, result.status, result.message, result.seconds_fit, result.seconds_score,
    result.peak_memory, score.status, score.real_reward, score.real_ranges, score.predicted_reward, score.predicted_ranges, score.value,
    score.message
FROM {_RUNS} LEFT JOIN score ON score.key = plan.key AND score.metric = ? ORDER BY plan.position
"""


@dataclass(frozen=True)
class SeriesRow:
    """A series as it was scored."""

    name: str
    collection: str
    points: int
    train: tuple[int, int] | None
    test_first: int
    real: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Scores:
    """One metric over all series and detectors. ``tallies[i][j]`` and ``values[i, j]`` are of series (or collection) i and detector j;
    None and nan for failed runs. Without a real range the value is nan too, because means over series do not count it."""

    metric: MetricChoice
    part: str
    detectors: tuple[str, ...]
    series: tuple[str, ...]
    values: NDArray[np.float64]
    tallies: tuple[tuple[Tally | None, ...], ...] | None
    groups: tuple[str, ...] | None = None
    """The collection of each series if collections are the unit of resampling and testing, otherwise None."""

    @property
    def finished(self) -> NDArray[np.bool_]:
        """Whether each run has a tally or a value."""
        if self.tallies is None:
            return ~np.isnan(self.values)
        return np.array([[tally is not None for tally in row] for row in self.tallies], dtype=bool).reshape(self.values.shape)

    @property
    def defined(self) -> NDArray[np.int64]:
        """The rows where every detector has a value."""
        return np.flatnonzero(~np.isnan(self.values).any(axis=1))

    def mean_ranks(self) -> NDArray[np.float64]:
        """The mean rank of each detector over the units; a failure ranks last, and rows where no detector has a value are left out."""
        rows = self.of(np.flatnonzero(~np.isnan(self.values).all(axis=1)).tolist(), range(len(self.detectors)))
        units = rows.values
        if rows.groups is not None:
            # A failure on one series of a collection is a failure on the collection.
            means, failed = group_means(units, rows.groups), group_means(np.isnan(units), rows.groups) > 0
            units = np.where(failed, math.nan, means)
        return mean_ranks(units, higher_is_better=self.metric.higher_is_better)

    @property
    def finishers(self) -> list[int]:
        """The columns of the detectors that finished any row."""
        return np.flatnonzero(self.finished.any(axis=0)).tolist()

    def core(self) -> Scores:
        """The rows that every one of the :attr:`finishers` finished."""
        some = self.finishers
        return self.of(np.flatnonzero(self.finished[:, some].all(axis=1)).tolist() if some else [], some)

    def compared(self) -> Scores:
        """What means and ranks are over: the :attr:`finishers`, on the rows where each of them has a value."""
        core = self.core()
        return core.of(core.defined.tolist(), range(len(core.detectors)))

    def of(self, rows: Sequence[int], columns: Sequence[int]) -> Scores:
        tallies = None if self.tallies is None else tuple(tuple(self.tallies[i][j] for j in columns) for i in rows)
        return Scores(
            self.metric, self.part, tuple(self.detectors[j] for j in columns), tuple(self.series[i] for i in rows),
            self.values[np.ix_(list(rows), list(columns))], tallies, None if self.groups is None else tuple(self.groups[i] for i in rows),
        )  # fmt: skip

    def table(self) -> TallyTable:
        """The tallies by unit, for intervals and resamples; all runs must have finished."""
        assert self.tallies is not None
        columns = {name: [tally for row in self.tallies if (tally := row[j]) is not None] for j, name in enumerate(self.detectors)}
        return TallyTable.of(columns, self.series, self.groups)


class Results:
    """The results of an experiment: rows, leaderboard, comparisons, stability. Reads the store on request, also during a run."""

    def __init__(self, store: Store) -> None:
        self._store = self.store = store
        about = store.about("shown")
        if about is None:
            raise ValueError(f"{store.path} has no run yet")
        self._shown: dict[str, Any] = json.loads(about)
        self.metrics = tuple(MetricChoice(**each) for each in self._shown["metrics"])
        self.detectors: tuple[str, ...] = tuple(self._shown["detectors"])

    @property
    def name(self) -> str:
        return str(self._shown["name"])

    @property
    def metric(self) -> str:
        """The default metric of the leaderboard."""
        return str(self._shown["metric"])

    @property
    def average(self) -> str:
        return str(self._shown["average"])

    @property
    def limits(self) -> dict[str, float]:
        return dict(self._shown["limits"])

    @property
    def cluster(self) -> Unit:
        """The unit of resampling and testing, ``collection`` or ``series``. By default collections, if there are at least two."""
        asked = self._shown["cluster"]
        by_collection = self.collections is not None if asked == "auto" else asked == "collection"
        return "collection" if by_collection else "series"

    @cached_property
    def collections(self) -> tuple[str, ...] | None:
        """The collection of each series, if each has one and there are at least two but fewer than series; otherwise None."""
        collections = tuple(each.collection for each in self.series)
        return collections if all(collections) and 2 <= len(set(collections)) < len(collections) else None

    @cached_property
    def groups(self) -> tuple[str, ...] | None:
        """The collection of each series if collections are the unit of resampling and testing, otherwise None."""
        return tuple(each.collection or each.name for each in self.series) if self.cluster == "collection" else None

    @cached_property
    def ignored(self) -> dict[str, int]:
        """The effect of ignored intervals: the number of ``series``, ``rows``, and real ranges ``shortened``, ``removed`` and ``split``."""
        effect: dict[str, int] = json.loads(self._store.about("ignored") or "{}")
        return effect

    @cached_property
    def series(self) -> tuple[SeriesRow, ...]:
        rows = self._store.rows("SELECT name, collection, points, train, test_first, real FROM series ORDER BY position")
        return tuple(
            SeriesRow(
                name,
                group,
                points,
                None if (rows := json.loads(train)) is None else tuple(rows),
                first,
                tuple(map(tuple, json.loads(real))),
            )
            for name, group, points, train, first, real in rows
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row per run and metric, in the order of the experiment; a run that has not started has the status ``waiting``.

        ``precision``, ``recall`` and ``f`` are nan for metrics other than range models; ``value`` is F or the metric's value;
        ``peak_memory`` is in bytes. Missing values of failed runs are nan or None.
        """
        rows = [_row(metric, row) for metric in self.metrics for row in self._store.rows(_ROWS, (metric.text,))]
        order = {each.name: place for place, each in enumerate(self.series)}
        place = {name: number for number, name in enumerate(self.detectors)}
        names = {metric.label: number for number, metric in enumerate(self.metrics)}
        return sorted(rows, key=lambda row: (order[row["series"]], place[row["detector"]], row["seed"], names[row["metric"]]))

    def counts(self) -> Counter[str]:
        """The number of runs by status, including ``waiting``."""
        return sum(self.counts_by_detector().values(), start=Counter())

    def counts_by_detector(self) -> dict[str, Counter[str]]:
        query = f"SELECT plan.detector, coalesce(result.status, 'waiting'), count(*) FROM {_RUNS} GROUP BY 1, 2"
        counts: dict[str, Counter[str]] = {name: Counter() for name in self.detectors}
        for detector, status, count in self._store.rows(query):
            counts[detector][status] = count
        return counts

    def failures(self) -> list[dict[str, Any]]:
        """The failed runs: detector, series, status, message, traceback."""
        names = ("detector", "series", "status", "message", "traceback")
        columns = "plan.detector, series.name, result.status, result.message, result.traceback"
        rows = self._store.rows(f"SELECT {columns} FROM {_RUNS} WHERE result.status != 'ok' ORDER BY plan.position")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def unscored(self, metric: str | None = None) -> list[dict[str, Any]]:
        """The finished runs that a metric could not score: detector, series, message."""
        chosen, _ = split_reference(metric or self.metric, self.metrics)
        query = f"""
            SELECT plan.detector, series.name, score.message FROM {_RUNS} JOIN score ON score.key = plan.key AND score.metric = ?
            WHERE result.status = 'ok' AND score.status != 'ok' ORDER BY plan.position
        """
        rows = self._store.rows(query, (chosen.text,))
        return [{"detector": detector, "series": series, "message": message} for detector, series, message in rows]

    def slowest(self, count: int = 5) -> list[tuple[str, str, float]]:
        """The slowest runs: detector, series, seconds."""
        columns = "plan.detector, series.name, result.seconds_fit + result.seconds_score AS seconds"
        query = f"SELECT {columns} FROM {_RUNS} WHERE seconds IS NOT NULL ORDER BY seconds DESC LIMIT ?"
        return [(detector, series, seconds) for detector, series, seconds in self._store.rows(query, (count,))]

    def seconds_by_detector(self) -> dict[str, float]:
        query = f"SELECT plan.detector, sum(result.seconds_fit + result.seconds_score) FROM {_RUNS} WHERE result.key IS NOT NULL GROUP BY 1"
        return {detector: number(seconds) for detector, seconds in self._store.rows(query)}

    def runs(self) -> list[tuple[str, str | None, str]]:
        """Start, end (None if it is still running or was killed) and version of each invocation."""
        return [
            (start, end, version) for start, end, version in self._store.rows("SELECT started, ended, version FROM invocation ORDER BY id")
        ]

    def fitted_on_all(self) -> int:
        """The number of series without a training part, where detectors learned from all rows, without labels."""
        return len({series for _, series in self._noted(ON_ALL_ROWS)})

    def saw_labels(self) -> list[str]:
        """The published detectors whose thresholds were chosen with the labels."""
        noted = {detector for detector, _ in self._noted(SAW_LABELS)}
        return [name for name in self.detectors if name in noted]

    def _noted(self, note: str) -> list[tuple[str, int]]:
        query = f"SELECT plan.detector, plan.series FROM {_RUNS} WHERE instr(result.message, ?) > 0"
        return [(detector, series) for detector, series in self._store.rows(query, (note,))]

    def without_anomalies(self) -> int:
        return sum(not each.real for each in self.series)

    def prediction(self, detector: str, series: str) -> Any:
        """The prediction of one run (the first repeat), or None."""
        query = f"SELECT plan.key FROM {_RUNS} WHERE plan.detector = ? AND series.name = ? ORDER BY plan.position LIMIT 1"
        rows = self._store.rows(query, (detector, series))
        return self._store.prediction(rows[0][0]) if rows else None

    def values_of(self, series: str) -> NDArray[np.float64] | None:
        """The values of a series, read again from its source; None if the data is missing or has changed."""
        rows = self._store.rows("SELECT source, data_sha256 FROM series WHERE name = ?", (series,))
        source = parse_json(rows[0][0], f"the store {self._store.path}") if rows else {}
        if not isinstance(source, dict) or "kind" not in source:
            return None
        if source["kind"] == "file" and not Path(str(source.get("where"))).is_file():
            return None
        try:
            choice = SeriesChoice(**source)
            if choice.kind == "recipe":
                recipe = Recipe.from_json(choice.where)
                check_size(8 * recipe.length * recipe.channels, 0, f"series {series!r}")
            loaded = choice.load()
        except (OSError, ValueError, TypeError):
            return None
        # A store may come from others, so values of a file are used only if they match its checksum.
        return loaded.values if checksum(loaded) == rows[0][1] else None

    def scores(self, metric: str | None = None, *, cluster: Unit = "series") -> Scores:
        """One metric over all series and detectors; repeats of a run are added up, and with ``cluster="collection"`` series too."""
        chosen, part = split_reference(metric or self.metric, self.metrics)
        by_collection = cluster == "collection"
        names = list(dict.fromkeys((each.collection or each.name) if by_collection else each.name for each in self.series))
        place = {
            each.name: names.index(each.collection or each.name) if by_collection else number for number, each in enumerate(self.series)
        }
        columns = {name: number for number, name in enumerate(self.detectors)}
        shape = (len(names), len(self.detectors))
        broken = np.zeros(shape, dtype=bool)
        empty = {each.name for each in self.series if not each.real} if chosen.counts_real_only else set()
        sums: list[list[Tally | None]] = [[None] * shape[1] for _ in names]
        values: list[list[list[float]]] = [[[] for _ in self.detectors] for _ in names]
        for row in self._store.rows(_ROWS, (chosen.text,)):
            i, j = place[row[2]], columns[row[0]]
            if row[4] != "ok" or row[9] != "ok":
                broken[i, j] = True
            elif chosen.model is not None:
                tally, before = chosen.tally((int(row[10]), row[11], int(row[12]), row[13])), sums[i][j]
                sums[i][j] = tally if before is None else before + tally
            else:
                values[i][j].append(math.nan if row[2] in empty else number(row[14]))
        table = np.full(shape, math.nan)
        for i, j in np.ndindex(shape):
            if broken[i, j]:
                sums[i][j] = None
            elif (added := sums[i][j]) is not None:
                table[i, j] = getattr(added.score(), part) if added.real_ranges or not chosen.counts_real_only else math.nan
            elif values[i][j]:
                known = [value for value in values[i][j] if not math.isnan(value)]
                table[i, j] = math.fsum(known) / len(known) if known else math.nan
        tallies = tuple(map(tuple, sums)) if chosen.model is not None else None
        return Scores(chosen, part, self.detectors, tuple(names), table, tallies, None if by_collection else self.groups)

    def leaderboard(self, metric: str | None = None, *, average: str | None = None, resamples: int = 10_000) -> Leaderboard:
        """The detectors from best to worst, with intervals: a :class:`~rangewise.bench.leaderboard.Leaderboard`."""
        if average is not None and average not in AVERAGES:
            raise unknown_name("average", average, AVERAGES)
        return make_leaderboard(self, metric or self.metric, average or self.average, resamples)

    def compare(self, first: str, second: str, metric: str | None = None) -> Comparison:
        """Compare two detectors: won, tied and lost series (or collections), median and pooled difference with intervals, p."""
        for name in (first, second):
            if name not in self.detectors:
                raise unknown_name("a detector of this experiment", name, self.detectors)
        if first == second:
            raise ValueError(f"compare takes two detectors; got {first!r} twice")
        return compare_two(self, first, second, metric or self.metric)

    def pairs(self, metric: str | None = None, level: float = 0.95) -> list[Pair]:
        """Compare every pair of detectors, with p after Holm's correction over all pairs."""
        scores = self.scores(metric)
        return compare_all(
            scores.detectors, scores.values, higher_is_better=scores.metric.higher_is_better, level=level, groups=scores.groups
        )

    def stability(self, metric: str | None = None, *, resamples: int = 10_000) -> Stability:
        """How much the order depends on the choice of series, metric and threshold rule."""
        return make_stability(self, metric or self.metric, resamples)

    def export(self, path: str | Path) -> int:
        """Write all rows as Parquet or CSV, by the extension, and return the number of rows."""
        target, rows = Path(path), self.rows()
        if target.suffix not in (".csv", ".parquet"):
            raise ValueError(f"an export needs a file name that ends in .csv or .parquet; got {target.name!r}")
        with written_whole(target) as part:
            if target.suffix == ".csv":
                with part.open("w", newline="", encoding="utf-8") as file:
                    writer = csv.DictWriter(file, COLUMNS)
                    writer.writeheader()
                    writer.writerows({name: csv_cell(value) for name, value in row.items()} for row in rows)
            else:
                from rangewise.files.tables import table_bytes

                part.write_bytes(table_bytes({name: _column(name, rows) for name in COLUMNS}, parquet=True))
        return len(rows)

    def close(self) -> None:
        self._store.close()

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.counts().most_common())
        return f"Results({self.name!r}, {len(self.detectors)} detectors x {len(self.series)} series: {counts})"


def read(store: str | Path) -> Results:
    """Read the results of a store, also while a run writes it."""
    opened = Store.reading(store)
    try:
        return Results(opened)
    except BaseException:
        opened.close()
        raise


def _row(metric: MetricChoice, row: tuple[Any, ...]) -> dict[str, Any]:
    detector, settings, series, seed, status, message, fit, score, peak, scored, *counts, value, problem = row
    parts = (math.nan, math.nan, math.nan)
    if status == "ok" and scored == "ok" and metric.model is not None:
        pooled = metric.tally((int(counts[0]), counts[1], int(counts[2]), counts[3])).score()
        parts = (pooled.precision, pooled.recall, pooled.f)
    shown = "waiting" if status is None or (status == "ok" and scored is None) else status if status != "ok" else scored
    said = problem if status == "ok" and scored not in (None, "ok") else message
    cells = (detector, settings, series, seed, shown, metric.label, *parts, number(value), fit, score, peak, said or "")
    return dict(zip(COLUMNS, cells, strict=True))


def _column(name: str, rows: list[dict[str, Any]]) -> NDArray[Any]:
    values = [row[name] for row in rows]
    if name in ("detector", "settings", "series", "status", "metric", "message"):
        return np.array(values, dtype=object if not values else np.str_)
    if name == "seed":
        return np.array(values, dtype=np.int64)
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


__all__ = ["COLUMNS", "ON_ALL_ROWS", "Results", "Scores", "SeriesRow", "read"]
