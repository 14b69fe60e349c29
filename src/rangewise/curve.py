"""Curve: precision, recall and F at every threshold of a detector's scores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rangewise.model.score import Score
from rangewise.model.tally import f_scores
from rangewise.ranges import Ranges, RangesLike, array_of, read_side

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rangewise.model.model import RangeModel

MOST_ONE_BY_ONE = 2_000
"""Up to so many distinct scores a model that cannot be swept is evaluated threshold by threshold without being asked to."""


class Threshold(NamedTuple):
    """A threshold and what it scores."""

    threshold: float
    score: Score


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

    @cached_property
    def f(self) -> NDArray[np.float64]:
        """F at each threshold, with the model's beta."""
        return f_scores(self.precision, self.recall, self.model.beta)

    def best(self, beta: float | None = None) -> Threshold:
        """The threshold with the largest F, and the score there; of equal ones the highest threshold.

        ``beta`` replaces the model's. The result unpacks: ``threshold, score = curve.best()``.
        """
        if not len(self):
            raise ValueError("a curve without scores has no best threshold")
        model = self.model if beta is None else replace(self.model, beta=beta)
        f = self.f if beta is None else f_scores(self.precision, self.recall, model.beta)
        threshold = self.thresholds[int(np.argmax(np.nan_to_num(f, nan=-1.0)))]
        return Threshold(threshold.item(), _score_at(model, self._real, self._scores, threshold))

    def at(self, threshold: float) -> Score:
        """The score at any threshold, on the curve or between its entries."""
        return _score_at(self.model, self._real, self._scores, threshold)

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
        return Curve(self.model, self.thresholds[chosen], self.precision[chosen], self.recall[chosen], self._real, self._scores)

    def plot(self) -> Figure:
        """Precision over recall, and precision, recall and F over the thresholds, the best F marked. Needs the extra ``plots``."""
        from rangewise.plots import plot_curve

        return plot_curve(self)

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return f"Curve({len(self)} thresholds, average precision {self.average_precision:.4g}, {self.model})"


def make_curve(model: RangeModel, real: RangesLike, scores: Any, thresholds: Any = None) -> Curve:
    """``RangeModel.curve``."""
    values = read_scores(scores)
    ranges, length = read_side(real, "real")
    if length is not None and length != len(values):
        raise ValueError(f"real has {length} labels and there are {len(values)} scores; give one score a label")
    if len(ranges) and ranges.stops[-1] > len(values):
        raise ValueError(f"real has a range that stops at {ranges.stops[-1]}, but there are only {len(values)} scores")
    if thresholds is not None:
        return _one_by_one(model, ranges, values, _given_thresholds(thresholds))
    found = model.sweep(ranges, values)
    if found is None:
        distinct = np.unique(values)[::-1]
        if len(distinct) > MOST_ONE_BY_ONE:
            raise ValueError(
                "a bias for precision or a size function of your own is evaluated threshold by threshold, "
                f"up to {MOST_ONE_BY_ONE:,} of them; there are {len(distinct):,} distinct scores, "
                "so give thresholds=, e.g. np.quantile(scores, np.linspace(0, 1, 200))"
            )
        return _one_by_one(model, ranges, values, distinct)
    if isinstance(found, int):
        raise _nan_error(found)
    swept, precision, recall = found
    return Curve(model, swept, precision, recall, ranges, values)


def read_scores(scores: Any, name: str = "scores") -> NDArray[Any]:
    """One number a point, without NaN; integers, float32 and float64 stay what they are."""
    values = array_of(scores, name)
    if values.ndim != 1:
        raise ValueError(f"{name} have shape {values.shape}; expected one number a point")
    if values.size == 0:
        return values.astype(np.float64)
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "b":
        values = values.view(np.uint8)
    elif kind == "f" and size not in (4, 8):
        values = values.astype(np.float64)
    elif kind not in "iuf":
        raise TypeError(f"{name} have dtype {values.dtype}; expected numbers")
    if not values.dtype.isnative or not values.flags.aligned:
        values = values.astype(values.dtype.newbyteorder("="))
    return values


def check_no_nan(scores: NDArray[Any]) -> None:
    """Comparisons with NaN are False, which would make it a normal point without a word."""
    if scores.dtype.kind == "f" and (bad := np.flatnonzero(np.isnan(scores))).size:
        raise _nan_error(int(bad[0]))


def _nan_error(index: int) -> ValueError:
    return ValueError(f"score {index} is nan; a point is predicted where score >= threshold, so give every point a number (inf is one)")


def _given_thresholds(thresholds: Any) -> NDArray[Any]:
    values = np.unique(np.atleast_1d(np.asarray(thresholds)))[::-1]
    if values.dtype.kind not in "iuf" or values.ndim != 1 or np.isnan(values.astype(np.float64)).any():
        raise ValueError(f"thresholds are numbers; got {thresholds!r:.60}")
    return values


def _one_by_one(model: RangeModel, real: Ranges, scores: NDArray[Any], thresholds: NDArray[Any]) -> Curve:
    check_no_nan(scores)
    found = [_score_at(model, real, scores, threshold) for threshold in thresholds]
    precision = np.array([score.precision for score in found], dtype=np.float64)
    recall = np.array([score.recall for score in found], dtype=np.float64)
    return Curve(model, thresholds, precision, recall, real, scores)


def _score_at(model: RangeModel, real: Ranges, scores: NDArray[Any], threshold: float) -> Score:
    return model.score(real, scores >= threshold)
