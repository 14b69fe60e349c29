"""Analysis of a table of published scores: one row per series, one column per detector, collections as units."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.bench.stability import kendall_tau
from rangewise.bench.statistics import (
    MIN_SERIES,
    Friedman,
    Groups,
    Interval,
    Pair,
    bootstrap_means,
    compare_all,
    friedman,
    group_means,
    groups_from_names,
    mean_interval,
    mean_ranks,
    pair_correlations,
    standing,
)
from rangewise.bench.statistics.groups import Unit, unit_words
from rangewise.bench.statistics.pairs import tests_text
from rangewise.bench.statistics.ties import RELATIVE, settled
from rangewise.checks import did_you_mean, number, shown_names, visible, whole
from rangewise.number_text import count_text, listed_text, score_text, share_text
from rangewise.tables import Table, markdown_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RANGE = ".."


@dataclass(frozen=True)
class Rankings:
    """The detectors with one unit of resampling and testing."""

    unit: Unit
    units: int
    """The number of series or collections."""
    intervals: dict[str, Interval]
    """The mean over series; the unit affects only the interval."""
    mean_ranks: dict[str, float]
    first_shares: dict[str, float]
    """The share of the resamples of this unit in which a detector has the highest mean."""
    pairs: tuple[Pair, ...]
    friedman: Friedman
    level: float

    @property
    def separated(self) -> int:
        """The number of pairs separated by signed-rank tests, after Holm's correction."""
        return sum(self._is_separated(pair) for pair in self.pairs)

    def not_separated_from(self, detector: str) -> list[str]:
        """The detectors that no test separates from this one."""
        mine = [pair for pair in self.pairs if detector in (pair.first, pair.second) and not self._is_separated(pair)]
        return [pair.second if pair.first == detector else pair.first for pair in mine]

    def _is_separated(self, pair: Pair) -> bool:
        return pair.adjusted_p <= 1 - self.level


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """The analysis of a table of scores, made by :func:`table`. Printing gives the summary and the tables."""

    name: str
    detectors: tuple[str, ...]
    """Best mean first."""
    series: tuple[str, ...]
    values: NDArray[np.float64]
    """``values[i, j]`` of series i and detector j, for the series that every detector finished."""
    groups: Groups | None
    all_series: int
    left_out: tuple[str, ...]
    """Columns other than series, collections and detectors."""
    higher_is_better: bool
    level: float
    resamples: int
    seed: int

    @cached_property
    def by_series(self) -> Rankings:
        """The rankings with series as independent units."""
        return self._rankings(None)

    @cached_property
    def by_collection(self) -> Rankings | None:
        """The rankings with collections as units; None if collections are unknown."""
        return None if self.groups is None else self._rankings(self.groups)

    @property
    def believed(self) -> Rankings:
        """The rankings by collection if collections are known, otherwise by series."""
        return self.by_collection or self.by_series

    @cached_property
    def correlations(self) -> tuple[float, float, float] | None:
        """Quartiles (lower, median, upper) over all pairs of the intraclass correlation of their differences; None without collections."""
        if self.groups is None or len(self.detectors) < 2:
            return None
        known = pair_correlations(self.values, self.groups)
        known = known[~np.isnan(known)]
        if not len(known):
            return math.nan, math.nan, math.nan
        low, middle, high = np.quantile(known, (0.25, 0.5, 0.75)).tolist()
        return low, middle, high

    @cached_property
    def collection_means(self) -> dict[str, float] | None:
        """The mean over collections, each with the same weight; None without collections."""
        if self.groups is None:
            return None
        return dict(zip(self.detectors, group_means(self.values, self.groups).mean(axis=0).tolist(), strict=True))

    @cached_property
    def without(self) -> dict[str, tuple[str, float]] | None:
        """For each collection: the first detector without it, and Kendall's tau of the order with that of the whole table."""
        if self.groups is None or len(self.groups) < 2:
            return None
        whole, leaders = settled(self.values.mean(axis=0)), {}
        for place, name in enumerate(self.groups.names):
            means = settled(self.values[self.groups.place != place].mean(axis=0))
            best = int(np.argmax(means if self.higher_is_better else -means))
            leaders[name] = self.detectors[best], kendall_tau(means, whole)
        return leaders

    def keep(self, series: Collection[str]) -> PublishedTable:
        """The table of some of the series, such as those without a flaw in an audit, sorted again."""
        rows = np.array([name in series for name in self.series])
        if not rows.any():
            raise ValueError("none of the series to keep is in the table")
        values = self.values[rows]
        means = settled(values.mean(axis=0))
        order = np.argsort(-means if self.higher_is_better else means, kind="stable")
        return replace(
            self,
            detectors=tuple(self.detectors[place] for place in order),
            series=tuple(name for name, kept in zip(self.series, rows, strict=True) if kept),
            values=values[:, order],
            groups=None if self.groups is None else self.groups.take(rows),
        )

    def summary(self) -> str:
        """The conclusions in a few sentences."""
        first, pairs = self.detectors[0], len(self.by_series.pairs)
        best = self.by_series.intervals[first].value
        equal = [name for name in self.detectors if math.isclose(self.by_series.intervals[name].value, best, rel_tol=RELATIVE)]
        said = [
            f"{listed_text(equal)} {'has' if len(equal) == 1 else 'have'} the best mean, {score_text(best)}, of "
            f"{count_text(len(self.detectors), 'detector')}."
        ]
        it = "It" if len(equal) == 1 else first
        rivals = len(self.believed.not_separated_from(first))
        if self.by_collection is not None and self.groups is not None:
            said.append(
                f"{it} is first in {share_text(self.by_series.first_shares[first])} of the resamples of {len(self.series)} series, and in "
                f"{share_text(self.by_collection.first_shares[first])} of the resamples of {count_text(len(self.groups), 'collection')}."
            )
            if pairs:
                said.append(
                    f"{self.by_series.separated} of {pairs} pairs are separated in tests by series, {self.by_collection.separated} "
                    f"in tests by collection."
                )
            if self.correlations is not None and not math.isnan(self.correlations[1]):
                low, middle, high = self.correlations
                said.append(
                    f"Differences within a collection have an intraclass correlation of {middle:.2f} (median over pairs; quartiles "
                    f"{low:.2f}, {high:.2f}): {_meaning(middle)}."
                )
        else:
            said.append(f"{it} is first in {share_text(self.by_series.first_shares[first])} of the resamples of {len(self.series)} series.")
            if pairs:
                said.append(f"{self.by_series.separated} of {pairs} pairs are separated if all series are independent.")
        if pairs:
            said.append(
                f"No test separates {it.lower() if it == 'It' else it} from {rivals} of the others."
                if rivals
                else f"{it} is separated from all others."
            )
        return " ".join(said)

    def tables(self) -> list[Table]:
        """The tables: the leaderboard, and the effect of leaving out each collection."""
        tables = [self._leaderboard()]
        if self.without is not None and self.groups is not None:
            sizes = dict(zip(self.groups.names, self.groups.sizes.tolist(), strict=True))
            rows = [[name, str(sizes[name]), best, f"{tau:.2f}"] for name, (best, tau) in self.without.items()]
            changed = [name for name, (best, _) in self.without.items() if best != self.detectors[0]]
            note = (
                f"Without {shown_names(changed)}, another detector is first."
                if changed
                else "The first detector stays first without any one of them."
            )
            columns = ["without", "series", "first", "Kendall's tau"]
            tables.append(Table(columns, rows, "Without one collection", (note,), words=(0, 2)))
        return tables

    def pair_table(self, unit: Unit | None = None) -> Table:
        """Every pair of detectors under the unit."""
        rankings = self._of(unit)
        rows = [
            [pair.first, pair.second, f"{pair.won} / {pair.tied} / {pair.lost}", pair.difference.text(signed=True), _p(pair.adjusted_p)]
            for pair in rankings.pairs
        ]
        units = unit_words(2, rankings.unit)
        note = f"{tests_text(rankings.pairs).capitalize()} over {units}, p after Holm over all pairs; won and lost count {units}."
        columns = ["first", "second", "won / tied / lost", "median difference", "p"]
        return Table(columns, rows, f"Pairs by {rankings.unit}", (note,), words=(0, 1, 3))

    def to_markdown(self) -> str:
        """The summary and the tables as Markdown."""
        return "\n".join([markdown_text(self.summary()) + "\n", *(table.to_markdown() for table in self.tables())])

    def to_latex(self) -> str:
        """The tables as LaTeX (booktabs)."""
        return "\n".join(table.to_latex() for table in self.tables())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON; nan becomes None."""
        content = {
            "name": self.name, "series": len(self.series), "all_series": self.all_series, "level": self.level, "resamples": self.resamples,
            "seed": self.seed, "left_out": list(self.left_out), "higher_is_better": self.higher_is_better, "summary": self.summary(),
            "collections": None if self.groups is None else dict(zip(self.groups.names, self.groups.sizes.tolist(), strict=True)),
            "intraclass_correlation": self.correlations and dict(zip(("q25", "median", "q75"), self.correlations, strict=True)),
            "without": None if self.without is None else {name: {"first": best, "tau": tau} for name, (best, tau) in self.without.items()},
            "by_series": self._plain(self.by_series), "by_collection": self.by_collection and self._plain(self.by_collection),
        }  # fmt: skip
        plain: dict[str, Any] = _finite(content)
        return plain

    def to_html(self) -> str:
        """A self-contained page: the summary, a forest plot, the critical difference diagram, the tables."""
        from rangewise.bench.page import html_page, html_section, picture

        board, *rest = self.tables()
        parts = [f"<h1>{escape(self.name)}</h1>", f'<p id="verdict">{escape(self.summary())}</p>']
        parts.append(f"<section><h2>Means</h2>{picture(self.plot_forest, f'forest plot of {self.name}')}</section>")
        if len(self.detectors) > 1:
            diagram = picture(self.plot_critical_difference, f"critical difference diagram of {self.name}")
            parts.append(f"<section><h2>Critical difference diagram, by {self.believed.unit}</h2>{diagram}</section>")
        parts += [html_section(table, {}) for table in (board, *rest, *([self.pair_table()] if len(self.detectors) > 1 else []))]
        return html_page(self.name, parts)

    def plot_forest(self, ax: Axes | None = None) -> Axes:
        """Each detector's mean with its intervals by series and by collection."""
        from rangewise.plots.forest import draw_forest

        rows = []
        for name in self.detectors:
            inner = self.by_series.intervals[name]
            outer = None if self.by_collection is None else self.by_collection.intervals[name]
            rows.append((name, inner.value, (inner.low, inner.high), None if outer is None else (outer.low, outer.high)))
        return draw_forest(rows, label=f"mean over {len(self.series)} series", level=self.level, ax=ax)

    def plot_critical_difference(self, unit: Unit | None = None, ax: Axes | None = None) -> Axes:
        """Mean ranks, with a bar over detectors that no test separates; by collection if collections are known."""
        from rangewise.plots.critical_difference import draw_critical_difference

        rankings = self._of(unit)
        order, bars = standing(self.detectors, [rankings.mean_ranks[name] for name in self.detectors], rankings.pairs, self.level)
        return draw_critical_difference(order, bars, ax=ax)

    def __str__(self) -> str:
        return "\n\n".join([visible(self.summary()), *(table.to_text() for table in self.tables())])

    def _of(self, unit: Unit | None) -> Rankings:
        if unit is None:
            return self.believed
        if unit == "collection":
            if self.by_collection is None:
                raise ValueError("the collections of the series are unknown; give groups=, a column or a pattern")
            return self.by_collection
        return self.by_series

    def _rankings(self, groups: Groups | None) -> Rankings:
        sign = 1.0 if self.higher_is_better else -1.0
        # Scores between 0 and 1 have a mean between 0 and 1.
        low, high = (0.0, 1.0) if self.values.min() >= 0.0 and self.values.max() <= 1.0 else (-math.inf, math.inf)
        drawn = bootstrap_means(sign * self.values, self.detectors, resamples=self.resamples, seed=self.seed, groups=groups)
        ranks = mean_ranks(self.values, higher_is_better=self.higher_is_better, groups=groups)
        pairs = compare_all(self.detectors, self.values, higher_is_better=self.higher_is_better, level=self.level, groups=groups)
        return Rankings(
            "series" if groups is None else "collection",
            len(self.values) if groups is None else len(groups),
            {
                name: mean_interval(self.values[:, j], self.level, low=low, high=high, groups=groups)
                for j, name in enumerate(self.detectors)
            },
            dict(zip(self.detectors, ranks.tolist(), strict=True)),
            drawn.first_shares(),
            tuple(pairs),
            friedman(self.values, groups=groups),
            self.level,
        )

    def _leaderboard(self) -> Table:
        a, b, means = self.by_series, self.by_collection, self.collection_means
        level, first = f"{100 * self.level:g} %", self.detectors[0]
        alike = set(self.believed.not_separated_from(first))
        cells = {"detector": list(self.detectors)}
        cells[f"mean over series [{level} by series]"] = [str(a.intervals[name]) for name in self.detectors]
        if b is not None and means is not None:
            cells[f"[{level} by collection]"] = [_bounds(b.intervals[name]) for name in self.detectors]
            cells["mean over collections"] = [score_text(means[name]) for name in self.detectors]
        known = {"series": a} | ({} if b is None else {"collections": b})
        for unit, rankings in known.items():
            cells[f"mean rank, {unit}"] = [f"{rankings.mean_ranks[name]:.2f}" for name in self.detectors]
        for unit, rankings in known.items():
            cells[f"first in, {unit}"] = [share_text(rankings.first_shares[name]) for name in self.detectors]
        if len(self.detectors) > 1:
            cells["separated from the first"] = ["" if name == first else "no" if name in alike else "yes" for name in self.detectors]
        rows = [[str(place), *row] for place, row in enumerate(zip(*cells.values(), strict=True), 1)]
        # Intervals are left-aligned, because notes may follow them.
        words = (1, 2, 3) if b is not None else (1, 2)
        return Table(["", *cells], rows, f"{self.name}, by the mean over series", self._notes(), words=words)

    def _notes(self) -> tuple[str, ...]:
        notes = []
        if len(self.series) < self.all_series:
            notes.append(f"{len(self.series)} of {self.all_series} series have a score of every detector; all results are over these.")
        if self.left_out:
            notes.append(f"Columns left out: {', '.join(self.left_out)}.")
        also, means = (", and over collections", " on the means of collections") if self.groups is not None else ("", "")
        notes.append(
            f"Intervals come from the jackknife over series{also}; a note in parentheses says why one is less certain. "
            f"'First in' is the share of {self.resamples:,} resamples in which a detector has the best mean. "
            f"Pairs are separated by {tests_text(self.believed.pairs)}{means}, after Holm's correction."
        )
        if self.believed.units < MIN_SERIES:
            notes.append(f"Fewer than {MIN_SERIES} {unit_words(2, self.believed.unit)}: too few for reliable intervals.")
        return tuple(notes)

    def _plain(self, rankings: Rankings) -> dict[str, Any]:
        return {
            "units": rankings.units,
            "friedman_p": rankings.friedman.p,
            "separated_pairs": rankings.separated,
            "pairs": [
                {name: getattr(pair, name) for name in ("first", "second", "won", "tied", "lost", "p", "adjusted_p")}
                for pair in rankings.pairs
            ],
            "detectors": [
                {
                    "detector": name, "mean": rankings.intervals[name].value, "low": rankings.intervals[name].low,
                    "high": rankings.intervals[name].high, "mean_rank": rankings.mean_ranks[name],
                    "first_share": rankings.first_shares[name],
                }
                for name in self.detectors
            ],
        }  # fmt: skip


def table(
    source: Any,
    *,
    series: str | None = None,
    groups: str | Sequence[object] | None = None,
    detectors: str | Sequence[str] | None = None,
    higher_is_better: bool = True,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    name: str | None = None,
) -> PublishedTable:
    r"""Analyze a table of scores with one row per series and one column per detector.

    ``source`` is a CSV or Parquet file, a data frame, or a mapping from columns to values. ``series`` is the column that names the series
    (by default the first). ``groups`` is a column, a regular expression whose first group matches the collection in the name of a series,
    or one name per series. ``detectors`` are columns, also as patterns (``"Sub-*"``) and ranges (``"IForest..OFA"``); by default the first
    adjacent columns with numbers between 0 and 1. An empty cell or nan is a series that a detector did not finish; only series that every
    detector finished are used.

    With ``groups``, intervals, resamples and tests are computed by series and by collection. Series of one collection are correlated, so
    trust the second.

    >>> rows = {"file": ["a1", "a2", "b1", "b2"], "one": [0.9, 0.8, 0.3, 0.4], "two": [0.5, 0.6, 0.5, 0.4], "length": [10, 20, 30, 40]}
    >>> published = table(rows, groups=r"^[a-z]", resamples=1000)
    >>> published.detectors, published.left_out, len(published.groups)
    (('one', 'two'), ('length',), 2)
    >>> published.without["a"]
    ('two', -1.0)
    """
    if not 0.0 < number("level", level) < 1.0:
        raise ValueError(f"level must be between 0 and 1, such as 0.95; got {level!r}")
    whole("resamples", resamples, least=1)
    whole("seed", seed, least=0)
    columns, title = _columns(source)
    known = tuple(columns)
    naming = known[0] if series is None else _known_column(series, known, "series")
    names = tuple(str(value) for value in columns[naming])
    if len(set(names)) < len(names):
        twice = next(each for each in names if names.count(each) > 1)
        raise ValueError(f"column {naming!r} has the series {twice!r} twice; give a column of distinct names with series=")
    grouping = groups if isinstance(groups, str) and groups in columns else None
    others = [column for column in known if column not in (naming, grouping)]
    chosen = _first_run(columns, others) if detectors is None else _chosen(detectors, others)
    values = np.column_stack([_numbers(columns[column], column, names) for column in chosen])
    if not np.isfinite(values[~np.isnan(values)]).all():
        raise ValueError("scores must be finite or missing; the table has an infinite one")
    finished: NDArray[np.bool_] = np.asarray(~np.isnan(values).any(axis=1))
    if not finished.any():
        raise ValueError(f"no series has scores of all {len(chosen)} detectors; choose fewer with detectors=")
    collections = None
    if groups is not None:
        each = columns[grouping] if grouping is not None else groups_from_names(names, groups) if isinstance(groups, str) else groups
        collections = Groups.of([_group_name(one) for one in each], len(names))
        if "" in (used := collections.take(finished)).names:
            nameless = names[int(np.flatnonzero(finished)[used.place == used.names.index("")][0])]
            where = f"column {grouping!r}" if grouping is not None else "groups"
            raise ValueError(f"{where} has no collection for the series {nameless!r}; every series needs one")
    left_out = tuple(column for column in others if column not in chosen)
    complete = PublishedTable(
        title if name is None else name, tuple(chosen), names, values, collections, len(names), left_out, higher_is_better, level,
        resamples, seed,
    )  # fmt: skip
    return complete.keep({each for each, done in zip(names, finished, strict=True) if done})


def _columns(source: Any) -> tuple[dict[str, Sequence[Any]], str]:
    if isinstance(source, (str, Path)):
        from rangewise.files.source import Source
        from rangewise.files.tables import FileTable

        read = FileTable(Source(str(source)).content, str(source))
        columns: dict[str, Sequence[Any]] = {column: read.texts(column) for column in read.columns}
        title = Path(source).stem
    elif isinstance(source, Mapping):
        columns, title = {str(column): list(values) for column, values in source.items()}, "table"
    else:
        import narwhals.stable.v2 as nw

        frame: Any = nw.from_native(source, eager_only=True, pass_through=True)
        if not hasattr(frame, "to_dict"):
            raise TypeError(f"expected a file, a data frame or a mapping from columns to values; got {source!r:.60}")
        columns, title = frame.to_dict(as_series=False), "table"
    if len(columns) < 2:
        raise ValueError(f"a table of scores needs a column of series and at least one column of a detector; got {len(columns)} columns")
    lengths = {column: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns must have one value per series; got lengths {lengths}")
    if not next(iter(lengths.values())):
        raise ValueError("the table has no rows; expected one per series")
    return columns, title


def _known_column(column: str, known: Sequence[str], what: str) -> str:
    if column not in known:
        raise ValueError(f"the table has no column {column!r} for {what}; it has {shown_names(known, 12)}{did_you_mean(column, known)}")
    return column


def _chosen(detectors: str | Sequence[str], known: Sequence[str]) -> list[str]:
    """Columns by name, pattern or range, each once."""
    chosen: list[str] = []
    for wish in [detectors] if isinstance(detectors, str) else detectors:
        first, dots, last = wish.partition(_RANGE)
        if wish in known:
            matching = [wish]
        elif dots:
            begin, end = (known.index(_known_column(side, known, "a detector")) for side in (first, last))
            if end < begin:
                raise ValueError(f"{wish!r} is not a range of columns: {last!r} comes before {first!r}")
            matching = list(known[begin : end + 1])
        else:
            matching = [column for column in known if fnmatchcase(column, wish)]
        if not matching:
            _known_column(wish, known, "a detector")
        chosen += [column for column in matching if column not in chosen]
    if not chosen:
        raise ValueError("detectors needs at least one column")
    return chosen


def _first_run(columns: Mapping[str, Sequence[Any]], known: Sequence[str]) -> list[str]:
    numeric: list[str] = []
    for column in known:
        if _is_score(columns[column]):
            numeric.append(column)
        elif numeric:
            break
    if not numeric:
        raise ValueError(
            f"no column has only numbers between 0 and 1; name detectors with detectors= (--detectors), of {shown_names(known, 12)}"
        )
    return numeric


def _is_score(cells: Sequence[Any]) -> bool:
    numbers = [_number(cell) for cell in cells]
    return any(value is not None and not math.isnan(value) for value in numbers) and all(
        value is not None and (math.isnan(value) or 0.0 <= value <= 1.0) for value in numbers
    )


def _group_name(cell: Any) -> str:
    """The name of a collection; empty if a cell has none."""
    return "" if cell is None or cell != cell else str(cell).strip()


def _number(cell: Any) -> float | None:
    """The number of a cell, nan if it is empty, None for text."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return math.nan
    try:
        return float(cell)
    except (TypeError, ValueError):
        return None


def _numbers(cells: Sequence[Any], column: str, names: Sequence[str]) -> NDArray[np.float64]:
    numbers = [_number(cell) for cell in cells]
    if None in numbers:
        row = numbers.index(None)
        raise ValueError(f"column {column!r} has {str(cells[row])!r:.40} for the series {names[row]!r}; expected a score, or nothing")
    return np.array(numbers, dtype=np.float64)


def _meaning(correlation: float) -> str:
    if correlation <= 0.02:
        return "series of one collection are hardly correlated, so tests by series are reliable"
    return "series of one collection are correlated, so tests by series are too optimistic"


def _bounds(interval: Interval) -> str:
    """The interval without its estimate."""
    return "" if math.isnan(interval.low) else interval.text().partition(" ")[2]


def _p(p: float) -> str:
    return "" if math.isnan(p) else f"{p:.3g}"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list) else value
