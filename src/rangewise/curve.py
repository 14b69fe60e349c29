"""Curve: precision, recall and F at every threshold of a detector's scores."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number
from rangewise.inputs.case import check_no_nan, nan_error, read_real_and_scores
from rangewise.inputs.gaps import closed_scores
from rangewise.inputs.ignored import inside, ranked_without, read_zones
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.model.explain import share_text
from rangewise.model.result import Score
from rangewise.model.rewards import sweep_scores
from rangewise.model.tally import f_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rangewise.model.model import RangeModel

MOST_ONE_BY_ONE = 2_000
"""Up to so many distinct scores a model that cannot be swept is evaluated threshold by threshold without being asked to."""


def marks_too_much(marked: float, real_share: float) -> bool:
    """Whether a threshold marks so many points that its score says little: over half and twice what is real, or a fifth and five times.

    >>> marks_too_much(0.998, 0.1), marks_too_much(0.3, 0.02), marks_too_much(0.3, 0.1), marks_too_much(0.6, 0.4)
    (True, True, False, False)
    """
    return marked > max(0.5, 2 * real_share) or marked > max(0.2, 5 * real_share)


class MarksNearlyAllWarning(UserWarning):
    """The threshold with the largest F marks a large part of the series as anomalous: one giant range costs little precision."""


class Threshold(NamedTuple):
    """A threshold and what it scores."""

    threshold: float
    score: Score

    @property
    def marked(self) -> float:
        """The share of all points that the threshold marks."""
        return self.score.marked or 0.0


@dataclass(frozen=True, eq=False)
class Curve:
    """Precision, recall and F of a model, one entry for each threshold, thresholds descending; arrays of equal length.

    A point is predicted where ``score >= threshold``. The scores are kept, not copied: :meth:`best` and :meth:`at` read them again.

    >>> import rangewise as rw
    >>> curve = rw.RangeModel().curve([(1, 3)], [0.1, 0.9, 0.8, 0.3])
    >>> curve.best().threshold, curve.best().score.f
    (0.8, 1.0)
    """

    model: RangeModel
    thresholds: NDArray[Any]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    _real: Ranges = field(repr=False)
    _scores: NDArray[Any] = field(repr=False)
    _ignore: Ranges | None = field(default=None, repr=False)

    @cached_property
    def f(self) -> NDArray[np.float64]:
        """F at each threshold, with the model's beta."""
        return f_scores(self.precision, self.recall, self.model.beta)

    def best(self, beta: float | None = None, *, most_marked: float | None = None, warn: bool = True) -> Threshold:
        """The threshold with the largest F, and the score there; of equal ones the highest threshold.

        ``beta`` replaces the model's; ``most_marked`` keeps to thresholds that mark at most that share of all points. Without it, a
        threshold may win that marks nearly everything, because one giant false range costs precision no more than a small one: then a
        :class:`MarksNearlyAllWarning` says so, where it marks more than half of the points and twice what is real, or more than a fifth
        and five times what is real. The result unpacks: ``threshold, score = curve.best()``.
        """
        if not len(self):
            raise ValueError("a curve without scores has no best threshold")
        model = self.model if beta is None else replace(self.model, beta=beta)
        f = np.nan_to_num(self.f if beta is None else f_scores(self.precision, self.recall, model.beta), nan=-1.0)
        if most_marked is not None:
            allowed = self._shares() <= number("most_marked", most_marked)
            if not allowed.any():
                raise ValueError(f"every threshold marks more than {share_text(most_marked)} of the points; raise most_marked")
            f = np.where(allowed, f, -2.0)
        found = self._at(model, self.thresholds[int(np.argmax(f))])
        if warn and most_marked is None:
            self._warn_of(found)
        return found

    def at(self, threshold: float) -> Score:
        """The score at any threshold, on the curve or between its entries; ``.marked`` is the share of the points it marks."""
        if math.isnan(number("a threshold", threshold)):
            raise ValueError("a threshold is a number; got nan")
        return self._at(self.model, threshold).score

    def _at(self, model: RangeModel, threshold: Any) -> Threshold:
        score = _score_at(model, self._real, self._scores, threshold, self._ignore)
        return Threshold(np.asarray(threshold).item(), replace(score, length=self._points))

    @property
    def _points(self) -> int:
        """The number of points that count."""
        return len(self._scores) - (0 if self._ignore is None else int(self._ignore.lengths.sum()))

    def _shares(self) -> NDArray[np.float64]:
        """The share of the points that each threshold marks."""
        counted = self._scores if self._ignore is None else self._scores[self._ignore.to_labels(len(self._scores)) == 0]
        below = np.searchsorted(np.sort(counted), self.thresholds, side="left")
        return (len(counted) - below) / max(len(counted), 1)

    def _warn_of(self, found: Threshold) -> None:
        real = int(self._real.lengths.sum()) / max(self._points, 1)
        if marks_too_much(found.marked, real):
            warnings.warn(
                f"the best threshold marks {share_text(found.marked)} of all points, of which {share_text(real)} are real: one giant range "
                "costs little precision; ask for less with best(most_marked=0.2) (--most-marked 0.2)",
                MarksNearlyAllWarning,
                stacklevel=3,
            )

    @property
    def average_precision(self) -> float:
        r"""The area under interpolated precision.

        .. math:: AP = \sum_k (r_k - r_{k-1}) \max \{ p_i : r_i \ge r_k \}

        over the distinct recalls :math:`r_1 < r_2 < \dots` of the curve, with :math:`r_0 = 0`: the best precision at that recall or
        more. Recall with a cardinality is not monotone in the threshold, so sums along the thresholds misbehave, and trapezoids
        reward constant detectors; this does neither. From 0 to 1, higher is better; 0 without scores, nan when recall is.
        """
        if np.isnan(self.recall).any():
            return float("nan")
        order = np.argsort(self.recall, kind="stable")
        steps = np.diff(self.recall[order], prepend=0.0)
        best_from_here = np.maximum.accumulate(self.precision[order][::-1])[::-1]
        return float(steps @ best_from_here)

    def thin(self, k: int) -> Curve:
        """At most ``k`` entries that look like all: both ends, the largest precision, recall and F, the rest evenly along the curve."""
        if k < 5:
            raise ValueError(f"a thin curve keeps both ends and three best entries, so k is 5 or more; got {k}")
        if len(self) <= k:
            return self
        kept = {0, len(self) - 1, *(int(np.argmax(np.nan_to_num(values))) for values in (self.precision, self.recall, self.f))}
        ranks = np.arange(len(self)) / len(self)
        moved = sum(np.abs(np.diff(np.nan_to_num(values), prepend=values[0])) for values in (self.precision, self.recall, ranks))
        way = np.cumsum(moved)
        even = np.searchsorted(way, np.linspace(0.0, way[-1], k - len(kept)))
        chosen = np.unique([*kept, *np.minimum(even, len(self) - 1)])
        return Curve(
            self.model, self.thresholds[chosen], self.precision[chosen], self.recall[chosen], self._real, self._scores, self._ignore
        )

    @overload
    def plot(self, *, ax: None = None, name: str | None = None) -> Figure: ...
    @overload
    def plot(self, *, ax: Axes, name: str | None = None) -> Axes: ...
    def plot(self, *, ax: Axes | None = None, name: str | None = None) -> Figure | Axes:
        """Precision over recall, and precision, recall and F over the thresholds, the best F marked. Needs the extra ``plots``.

        With ``ax``, precision over recall on these axes, beside the curves that are there, with ``name`` in the legend: call it once for
        each detector. Gives what it drew on; ``savefig`` of a figure writes PNG, SVG or PDF by the file's ending.
        """
        from rangewise.plots.curve_picture import draw_precision_recall, plot_curve

        return plot_curve(self, name) if ax is None else draw_precision_recall(self, ax, name)

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return f"Curve({len(self)} thresholds, average precision {self.average_precision:.4g}, {self.model})"


def make_curve(
    model: RangeModel,
    real: RangesLike,
    scores: Any,
    thresholds: Any = None,
    *,
    times: Any = None,
    ignore: RangesLike | None = None,
    close_gaps: int = 0,
) -> Curve:
    """``RangeModel.curve``."""
    ranges, values = read_real_and_scores(real, scores, times=times)
    values = closed_scores(values, close_gaps)
    zones = None if ignore is None else inside(read_zones(ignore, ranges), len(values))
    if thresholds is not None:
        return _one_by_one(model, ranges, values, _given_thresholds(thresholds), zones)
    found = sweep_scores(model, ranges, values) if zones is None else _sweep_without(model, ranges, values, zones)
    if found is None:
        distinct = np.unique(values if zones is None else values[zones.to_labels(len(values)) == 0])[::-1]
        if len(distinct) > MOST_ONE_BY_ONE:
            raise ValueError(
                "a bias for precision, a cardinality of the length for it or a size function of your own is evaluated "
                "threshold by threshold, "
                f"up to {MOST_ONE_BY_ONE:,} of them; there are {len(distinct):,} distinct scores, "
                "so give thresholds=, e.g. np.quantile(scores, np.linspace(0, 1, 200))"
            )
        return _one_by_one(model, ranges, values, distinct, zones)
    if isinstance(found, int):
        raise nan_error(found)
    swept, precision, recall = found
    return Curve(model, swept, precision, recall, ranges, values, zones)


def _sweep_without(
    model: RangeModel, real: Ranges, scores: NDArray[Any], zones: Ranges
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]] | int | None:
    """A sweep over the rows outside of zones."""
    check_no_nan(scores)
    ranked = ranked_without(real, scores, zones)
    swept = sweep_scores(model, ranked.real, ranked.ranks)
    if swept is None or isinstance(swept, int):
        return swept
    ranks, precision, recall = swept
    above, thresholds = ranked.thresholds(ranks)
    return thresholds, precision[above], recall[above]


def _given_thresholds(thresholds: Any) -> NDArray[Any]:
    values = np.unique(np.atleast_1d(np.asarray(thresholds)))[::-1]
    if values.dtype.kind not in "iuf" or values.ndim != 1 or np.isnan(values.astype(np.float64)).any():
        raise ValueError(f"thresholds are numbers; got {thresholds!r:.60}")
    return values


def _one_by_one(model: RangeModel, real: Ranges, scores: NDArray[Any], thresholds: NDArray[Any], zones: Ranges | None) -> Curve:
    check_no_nan(scores)
    found = [_score_at(model, real, scores, threshold, zones) for threshold in thresholds]
    precision = np.array([score.precision for score in found], dtype=np.float64)
    recall = np.array([score.recall for score in found], dtype=np.float64)
    return Curve(model, thresholds, precision, recall, real, scores, zones)


def _score_at(model: RangeModel, real: Ranges, scores: NDArray[Any], threshold: float, zones: Ranges | None) -> Score:
    return model.score(real, scores >= threshold, ignore=zones)
