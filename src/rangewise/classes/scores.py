"""ClassScores: one row per class, the averages over classes, and the confusion behind them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rangewise.checks import did_you_mean, shown, shown_names
from rangewise.classes.confusion import Confusion, confusion_of
from rangewise.classes.reading import ClassSides
from rangewise.inputs.ignored import Ignored
from rangewise.model.result import Score
from rangewise.model.tally import Tally, f_score, mean_reward
from rangewise.number_text import count_text, score_text
from rangewise.tables import Frames, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rangewise.classes.explain import ClassRow

Average = Literal["macro", "micro", "weighted by ranges", "weighted by points"]


@dataclass(frozen=True)
class ClassScore:
    """The score of one class against the rest."""

    name: Any
    precision: float
    recall: float
    f: float
    real_ranges: int
    predicted_ranges: int


@dataclass(frozen=True)
class ClassAverage:
    """Precision, recall and F over classes, and how: ``by`` is the name of the average, ``classes`` over how many it goes."""

    precision: float
    recall: float
    f: float
    by: Average
    classes: int


@dataclass(frozen=True, eq=False, repr=False)
class ClassScores(Frames):
    """One row per class, and averages over classes.

    ``scores["walk"]`` is the :class:`Score` of one class, with its rows and explanation. ``macro`` is the mean over classes with real
    ranges, ``weighted`` the same weighted by their numbers of real ranges, ``weighted_by_points`` by their real points; ``micro`` pools
    the rewards of all ranges of all classes. Classes that are only predicted are in ``only_predicted``: their false alarms count only in
    ``micro``. ``confusion`` shows which classes were predicted for each class.
    """

    sides: ClassSides
    tallies: tuple[Tally, ...]
    """The tally of each class."""

    @property
    def classes(self) -> tuple[Hashable, ...]:
        return self.sides.classes

    @cached_property
    def rows(self) -> tuple[ClassScore, ...]:
        """One row per class, in the order of :attr:`classes`."""
        rows = []
        for name, tally in zip(self.classes, self.tallies, strict=True):
            score = tally.score()
            rows.append(ClassScore(name, score.precision, score.recall, score.f, tally.real_ranges, tally.predicted_ranges))
        return tuple(rows)

    @property
    def only_predicted(self) -> tuple[Hashable, ...]:
        """The classes that have predicted ranges and no real ones."""
        return tuple(row.name for row in self.rows if row.predicted_ranges and not row.real_ranges)

    @cached_property
    def macro(self) -> ClassAverage:
        r"""The mean over the classes with real ranges: every class counts the same.

        .. math:: F_{macro} = \frac{1}{|C|} \sum_{c \in C} F(c), \quad C = \{c : N_r(c) > 0\}

        A class without predicted ranges enters with the precision ``zero_division``, and is excluded from the mean if that is nan. nan
        if no class has real ranges.
        """
        return self._weighted("macro", [float(bool(row.real_ranges)) for row in self.rows])

    @cached_property
    def micro(self) -> ClassAverage:
        r"""All ranges of all classes in one mean: every range counts the same.

        .. math:: Recall_{micro} = \frac{\sum_c \sum_i Recall_T(R_{c,i}, P_c)}{\sum_c N_r(c)}

        and likewise precision over predicted ranges, including those of classes that are only predicted.
        """
        real, predicted = (sum(getattr(tally, f"{side}_reward") for tally in self.tallies) for side in ("real", "predicted"))
        counts = [sum(getattr(tally, f"{side}_ranges") for tally in self.tallies) for side in ("real", "predicted")]
        beta, zero_division = self._shared()
        precision, recall = mean_reward(predicted, counts[1], zero_division), mean_reward(real, counts[0], zero_division)
        return ClassAverage(precision, recall, f_score(precision, recall, beta), "micro", len(self.classes))

    @cached_property
    def weighted(self) -> ClassAverage:
        """The mean over classes, weighted by their numbers of real ranges; its recall is that of :attr:`micro`."""
        return self._weighted("weighted by ranges", [float(row.real_ranges) for row in self.rows])

    @cached_property
    def weighted_by_points(self) -> ClassAverage:
        """The mean over classes, weighted by their real points: long activities count more."""
        return self._weighted("weighted by points", [float(ranges.lengths.sum()) for ranges in self.sides.real])

    @property
    def averages(self) -> tuple[ClassAverage, ...]:
        return self.macro, self.micro, self.weighted, self.weighted_by_points

    @cached_property
    def confusion(self) -> Confusion:
        """The confusion matrix of ranges: shares and counts."""
        return confusion_of(self.sides, [tally.model for tally in self.tallies])

    def plot_confusion(self, ax: Axes | None = None, *, counts: bool = False) -> Axes:
        """Plot the confusion: shares, or with ``counts`` whole ranges; on ``ax``, or on a new figure. Needs the extra ``plots``."""
        return self.confusion.plot(ax, counts=counts)

    @cached_property
    def real(self) -> tuple[ClassRow, ...]:
        """One row per real range of each class, in order of time: its reward, and the classes predicted for the rest of it."""
        from rangewise.classes.explain import class_rows

        return class_rows(self, "real")

    @cached_property
    def predicted(self) -> tuple[ClassRow, ...]:
        """One row per predicted range of each class, in order of time: its reward, and the real classes there."""
        from rangewise.classes.explain import class_rows

        return class_rows(self, "predicted")

    def explain(self, limit: int | None = None) -> str:
        """The table, then one line per range; with ``limit``, only that many real and predicted ranges, those that lost the most."""
        from rangewise.classes.explain import explain_text

        return explain_text(self, limit)

    def columns(self) -> dict[str, list[Any]]:
        """One row per class, by column, for a data frame of any library."""
        names = [item.name for item in fields(ClassScore)]
        return {"class" if name == "name" else name: [getattr(row, name) for row in self.rows] for name in names}

    def to_markdown(self) -> str:
        """A Markdown table of one row per class and the averages."""
        return self.table().to_markdown()

    def to_latex(self) -> str:
        """A LaTeX ``tabular`` (booktabs) of one row per class and the averages."""
        return self.table().to_latex()

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON; nan is None, and classes are text."""
        rows = [{**asdict(row), "name": str(row.name)} for row in self.rows]
        averages = {average.by: asdict(average) for average in self.averages}
        return {
            "classes": [{name: _finite(value) for name, value in row.items()} for row in rows],
            "averages": {by: {name: _finite(value) for name, value in each.items() if name != "by"} for by, each in averages.items()},
            "only_predicted": [str(name) for name in self.only_predicted],
            "confusion": self.confusion.to_dict(),
            **({} if self.ignored is None else {"ignored": self.ignored.to_dict()}),
            "models": {str(name): str(tally.model) for name, tally in zip(self.classes, self.tallies, strict=True)},
        }

    def table(self) -> Table:
        """The classes and the averages, as text."""
        columns = ["class", "precision", "recall", f"F{self._shared()[0]:g}", "real", "predicted"]
        rows = [[str(row.name), *_three(row), count_text(row.real_ranges), count_text(row.predicted_ranges)] for row in self.rows]
        counts = [count_text(sum(row.real_ranges for row in self.rows)), count_text(sum(row.predicted_ranges for row in self.rows))]
        for average in self.averages:
            rows.append([average.by, *_three(average), *counts])
            counts = ["", ""]
        return Table(columns, rows, totals=len(self.averages))

    def note(self) -> str:
        """Notes on the averages and on ignored intervals; empty if there is nothing to note."""
        notes = []
        if self.only_predicted:
            named = shown_names([str(name) for name in self.only_predicted])
            notes.append(f"only predicted: {named}; counts only in micro")
        if self.ignored is not None:
            notes.append(f"ignored: {self.ignored}")
        return "\n".join(notes)

    def __len__(self) -> int:
        return len(self.classes)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.classes)

    def __getitem__(self, name: Hashable) -> Score:
        if name not in self.classes:
            known = [str(each) for each in self.classes]
            raise KeyError(f"there is no class {shown(name)}; there are {shown_names(known)}{did_you_mean(name, known)}")
        at = self.classes.index(name)
        score = self.tallies[at].score()
        both = self.sides.real[at], self.sides.predicted[at]
        ignored = self.sides.ignored[at] if self.sides.ignored else None
        return Score(score.precision, score.recall, score.f, score.model, both, ignored=ignored, length=self.sides.points)

    @cached_property
    def ignored(self) -> Ignored | None:
        """The ignored intervals, and how they changed the real and predicted ranges of all classes; None without any."""
        return reduce(add, self.sides.ignored) if self.sides.ignored else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassScores):
            return NotImplemented
        same = (self.classes, self.sides.real, self.sides.predicted) == (other.classes, other.sides.real, other.sides.predicted)
        return same and self.tallies == other.tallies

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ClassScores({len(self)} classes, macro F {self.macro.f:.4g}, micro F {self.micro.f:.4g})"

    def __str__(self) -> str:
        return "\n".join(part for part in (self.table().to_text(), self.note()) if part)

    def _repr_html_(self) -> str:
        from html import escape

        notes = "".join(f"<p>{escape(line)}</p>" for line in self.note().splitlines())
        return self.table().to_html() + notes + self.confusion.table().to_html()

    def _shared(self) -> tuple[float, float]:
        """The beta and the zero_division that all classes share."""
        model = self.tallies[0].model if self.tallies else None
        return (1.0, 0.0) if model is None else (model.beta, model.zero_division)

    def _weighted(self, by: Average, weights: list[float]) -> ClassAverage:
        precision, recall, f = (_weighted_mean([getattr(row, name) for row in self.rows], weights) for name in ("precision", "recall", "f"))
        return ClassAverage(precision, recall, f, by, int(np.count_nonzero(weights)))


def _weighted_mean(values: list[float], weights: list[float]) -> float:
    """The mean without nan; nan if nothing remains."""
    defined = [(value, weight) for value, weight in zip(values, weights, strict=True) if weight and not math.isnan(value)]
    whole = math.fsum(weight for _, weight in defined)
    return math.fsum(value * weight for value, weight in defined) / whole if whole else math.nan


def _three(row: ClassScore | ClassAverage) -> list[str]:
    return [score_text(value) for value in (row.precision, row.recall, row.f)]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
