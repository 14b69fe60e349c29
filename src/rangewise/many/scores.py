"""ManyScores: one row per series and the totals, as arrays. ManyDetectors: one ManyScores per detector and model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.many.batches import series_text
from rangewise.many.ignored import ManyIgnored
from rangewise.model.means import MacroScore, in_means, mean_of_series
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.model.tally import Tally, f_scores
from rangewise.number_text import count_text, score_text
from rangewise.tables import Frames, Table

SHOWN = 20


@dataclass(frozen=True)
class SeriesScore:
    """The score of one series of many."""

    series: Any
    precision: float
    recall: float
    f: float
    real_ranges: int
    predicted_ranges: int


@dataclass(frozen=True, eq=False, repr=False)
class ManyScores(Frames):
    """One row per series, in order of first appearance, and the totals: pooled and macro.

    ``precision``, ``recall``, ``f``, ``real_ranges`` and ``predicted_ranges`` are arrays with one entry per series. ``words`` are the
    rewards, four 64-bit words per series: high and low of the real, then of the predicted ranges, in units of ``2 ** -94``.
    """

    model: RangeModel
    names: tuple[Any, ...]
    words: NDArray[np.uint64]
    real_ranges: NDArray[np.int64]
    predicted_ranges: NDArray[np.int64]
    unit: str = "series"
    """What a row is called in tables: series or channel."""
    ignored: ManyIgnored | None = None
    """How ignored intervals changed real and predicted ranges; None if there were none."""
    keys: tuple[str, ...] = ()
    """The columns that name the series together, where there are several; a name is then a tuple."""

    @classmethod
    def from_tallies(
        cls, model: RangeModel, names: tuple[Any, ...], tallies: list[Tally], unit: str = "series", ignored: ManyIgnored | None = None
    ) -> ManyScores:
        """Scores of series that were tallied one by one."""
        counts = np.array([(tally.real_ranges, tally.predicted_ranges) for tally in tallies], dtype=np.int64).reshape(-1, 2)
        return cls(model, names, words_of(tallies), counts[:, 0].copy(), counts[:, 1].copy(), unit, ignored)

    @cached_property
    def precision(self) -> NDArray[np.float64]:
        return kernel.mean_rewards(self.words[:, 2], self.words[:, 3], self.predicted_ranges, self.model.zero_division)

    @cached_property
    def recall(self) -> NDArray[np.float64]:
        return kernel.mean_rewards(self.words[:, 0], self.words[:, 1], self.real_ranges, self.model.zero_division)

    @cached_property
    def f(self) -> NDArray[np.float64]:
        return f_scores(self.precision, self.recall, self.model.beta)

    @cached_property
    def healthy(self) -> NDArray[np.bool_]:
        """The series with neither a real nor a predicted range: nothing to find, nothing predicted."""
        healthy: NDArray[np.bool_] = (self.real_ranges == 0) & (self.predicted_ranges == 0)
        return healthy

    @property
    def _undefined(self) -> NDArray[np.bool_]:
        """The healthy series, unless the model says what they score."""
        chosen = self.model.zero_division != 0.0 and not math.isnan(self.model.zero_division)
        return np.zeros(len(self), dtype=np.bool_) if chosen else self.healthy

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """The tally of each series."""
        rows = zip(self.words.tolist(), self.real_ranges.tolist(), self.predicted_ranges.tolist(), strict=True)
        return tuple(Tally(self.model, w[0] << 64 | w[1], real, w[2] << 64 | w[3], predicted) for w, real, predicted in rows)

    @cached_property
    def rows(self) -> tuple[SeriesScore, ...]:
        return tuple(SeriesScore(*row) for row in zip(self.names, *(values.tolist() for values in self._numbers().values()), strict=True))

    @property
    def pooled(self) -> Score:
        """All ranges of all series in one score ("micro")."""
        # Sums of half words fit in 64 bits for any number of series that fits in memory.
        low = (self.words & np.uint64(0xFFFFFFFF)).sum(axis=0, dtype=np.uint64).tolist()
        high = (self.words >> np.uint64(32)).sum(axis=0, dtype=np.uint64).tolist()
        words = [(more << 32) + less for more, less in zip(high, low, strict=True)]
        real, predicted = ((words[at] << 64) + words[at + 1] for at in (0, 2))
        return Tally(self.model, real, int(self.real_ranges.sum()), predicted, int(self.predicted_ranges.sum())).score()

    @property
    def macro(self) -> MacroScore:
        """The mean of the scores of the series that have a real range; see :func:`rangewise.macro`."""
        return mean_of_series(self.model.zero_division, self.precision, self.recall, self.f, self.real_ranges, self.predicted_ranges)

    def columns(self) -> dict[str, Any]:
        """One row per series, by column, for a data frame of any library."""
        if self.keys:
            columns = zip(*self.names, strict=True) if self.names else [()] * len(self.keys)
            return {**{key: list(column) for key, column in zip(self.keys, columns, strict=True)}, **self._numbers()}
        return {self.unit: list(self.names), **self._numbers()}

    def to_dict(self) -> dict[str, Any]:
        """The scores as ``rangewise score --json`` prints those of a table of many series."""
        pooled, series = self.pooled, []
        for row in self.rows:
            name = {"series": series_text(row.series), **dict(zip(self.keys, row.series, strict=True))} if self.keys else {}
            series.append(asdict(row) | name)
        return {
            "series": series,
            "healthy": int(self.healthy.sum()),
            "pooled": {"precision": pooled.precision, "recall": pooled.recall, "f": pooled.f},
            "macro": asdict(self.macro),
            "model": str(self.model),
            **({} if self.ignored is None else {"ignored": self.ignored.to_dict()}),
        }

    def to_markdown(self, limit: int | None = None) -> str:
        """A Markdown table of one row per series and the totals; with ``limit``, only that many series, those with the smallest F."""
        return self._table(limit).to_markdown()

    def to_latex(self, limit: int | None = None) -> str:
        """A LaTeX ``tabular`` (booktabs) of one row per series and the totals; ``limit`` as for :meth:`to_markdown`."""
        return self._table(limit).to_latex()

    @property
    def _units(self) -> str:
        return "series" if self.unit == "series" else f"{self.unit}s"

    def _numbers(self) -> dict[str, NDArray[Any]]:
        return {item.name: getattr(self, item.name) for item in fields(SeriesScore)[1:]}

    def _table(self, limit: int | None) -> Table:
        """The series and the totals; with a limit, those with the smallest F, healthy ones last."""
        shown, undefined = np.arange(len(self)), self._undefined
        if limit is not None and limit < len(self):
            worst = np.where(undefined | np.isnan(self.f), math.inf, self.f)
            shown = np.sort(np.argsort(worst, kind="stable")[:limit])
        columns = ["/".join(self.keys) or self.unit, "precision", "recall", f"F{self.model.beta:g}", "real", "predicted"]
        rows = []
        for at in shown.tolist():
            values = ["-"] * 3 if undefined[at] else [score_text(column[at]) for column in (self.precision, self.recall, self.f)]
            rows.append([series_text(self.names[at]), *values, count_text(self.real_ranges[at]), count_text(self.predicted_ranges[at])])
        if len(shown) < len(self):
            others = "larger F, or healthy" if undefined.sum() > undefined[shown].sum() else "larger F"
            rows.append([f"... {len(self) - len(shown):,} more with a {others}", "", "", "", "", ""])
        counts = [count_text(self.real_ranges.sum()), count_text(self.predicted_ranges.sum())]
        for name, total in (("pooled ranges", self.pooled), (f"mean of {self._units}", self.macro)):
            rows.append([name, *map(score_text, (total.precision, total.recall, total.f)), *counts])
            counts = ["", ""]
        return Table(columns, rows, totals=2, notes=self._notes())

    def _notes(self) -> list[str]:
        healthy = int(np.count_nonzero(self._undefined))
        counted = int(np.count_nonzero(in_means(self.model.zero_division, self.real_ranges)))
        notes = []
        if healthy:
            units = self.unit if healthy == 1 else self._units
            notes.append(f"{count_text(healthy)} healthy {units} without a real or predicted range: not defined (-)")
        if counted < len(self):
            notes.append(f"the means are over the {count_text(counted)} {self.unit if counted == 1 else self._units} with a real range")
        return notes

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ManyScores):
            return NotImplemented
        arrays = ("words", "real_ranges", "predicted_ranges")
        same = self.model == other.model and self.names == other.names
        return same and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        pooled, mean = self.pooled, self.macro
        return f"ManyScores({len(self)} {self._units}, pooled F {pooled.f:.4g}, mean F {mean.f:.4g}, {self.model})"

    def __str__(self) -> str:
        return self._table(SHOWN).to_text()

    def _repr_html_(self) -> str:
        return self._table(SHOWN).to_html()


class ManyDetectors(Mapping[Any, ManyScores]):
    """The scores of several detectors, or under several models, over the same series.

    ``scores["a"]`` are the scores of the column ``a``; with several models, ``scores["a", model]``.
    """

    def __init__(self, scores: Mapping[tuple[str, RangeModel], ManyScores]) -> None:
        self._scores = dict(scores)
        self._several = len({model for _, model in scores}) > 1

    def __getitem__(self, key: Any) -> ManyScores:
        if isinstance(key, tuple) and key in self._scores:
            return self._scores[key]
        matching = [scores for (name, _), scores in self._scores.items() if name == key]
        if len(matching) == 1:
            return matching[0]
        if matching:
            raise KeyError(f"{key!r} was scored under {len(matching)} models; use [{key!r}, model]")
        raise KeyError(f"there is no {key!r}; there are {', '.join(map(repr, self))}")

    def __iter__(self) -> Iterator[Any]:
        return iter(self._scores if self._several else [name for name, _ in self._scores])

    def __len__(self) -> int:
        return len(self._scores)

    def _table(self) -> Table:
        columns = ["detector", *(["model"] if self._several else []), "pooled F", "mean F", "precision", "recall"]
        rows = []
        for (name, model), scores in self._scores.items():
            pooled = scores.pooled
            values = (pooled.f, scores.macro.f, pooled.precision, pooled.recall)
            rows.append([name, *([str(model)] if self._several else []), *map(score_text, values)])
        return Table(columns, rows, words=(0, 1) if self._several else (0,))

    def __repr__(self) -> str:
        series = len(next(iter(self._scores.values()))) if self._scores else 0
        return f"ManyDetectors({series} series, {', '.join(map(repr, self))})"

    def __str__(self) -> str:
        return self._table().to_text()


def words_of(tallies: list[Tally]) -> NDArray[np.uint64]:
    """Rewards as arrays: four words per tally."""
    mask = (1 << 64) - 1
    for tally in tallies:
        if max(tally.real_reward, tally.predicted_reward) >> 128:
            raise ValueError("a series of more than 2**34 anomalous points that are scored one by one is too long here; score it alone")
    words = [(t.real_reward >> 64, t.real_reward & mask, t.predicted_reward >> 64, t.predicted_reward & mask) for t in tallies]
    return np.array(words, dtype=np.uint64).reshape(-1, 4)
