"""Every threshold at once for metrics that add up points: points enter from the highest score down, equal scores together.

The counts of such a metric at a threshold are running sums over the points in order of score, so one sort and one pass suffice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import checked_beta, checked_zero_division
from rangewise.inputs.case import Case
from rangewise.inputs.ranges import Ranges
from rangewise.model.tally import f_scores

_Places = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class ThresholdStep:
    """One threshold of a :class:`MetricCurve`."""

    threshold: float
    precision: float
    recall: float
    f: float


@dataclass(frozen=True, eq=False)
class MetricCurve:
    """Precision, recall and F of a metric at every distinct score, thresholds descending; arrays of equal length."""

    thresholds: NDArray[Any]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f: NDArray[np.float64]
    beta: float

    def best(self) -> ThresholdStep:
        """The threshold with the largest F, the highest of several. It is chosen on the labels: an upper bound, not a fair score."""
        if not len(self):
            raise ValueError("a curve without scores has no best threshold")
        at = int(np.argmax(np.nan_to_num(self.f, nan=-1.0)))
        return ThresholdStep(*(float(array[at]) for array in (self.thresholds, self.precision, self.recall, self.f)))

    def best_f(self, zero_division: float) -> float:
        """The largest F; ``zero_division`` without scores."""
        return self.best().f if len(self) else checked_zero_division(zero_division)

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} thresholds, beta={self.beta:g})"


@dataclass(frozen=True, eq=False)
class Ranked:
    """Real ranges and scores, the points in the order in which they enter.

    ``order`` are the points, ``entering`` the number of the real range around each of them, -1 for a normal point; ``ends`` are the
    places in that order where a threshold is complete, ``thresholds`` the scores there.
    """

    real: Ranges
    order: _Places
    entering: _Places
    ends: _Places
    thresholds: NDArray[Any]
    length: int
    """The number of points of the series, ignored ones included."""

    @classmethod
    def of(cls, case: Case) -> Ranked:
        """The points that count, sorted by their scores."""
        assert case.scores is not None
        length, rows, values = len(case.scores), case.counted, case.counted_scores
        # Places in the series: half the memory while they fit.
        places: Any = np.int32 if length < 2**31 else np.int64
        order = np.argsort(values, kind="stable")[::-1].astype(places)
        ordered = values[order]
        ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)]).astype(places)
        if rows is not None:
            order = rows[order].astype(places)
        range_of_point = np.full(length, -1, dtype=places)
        range_of_point[case.real.points().starts] = np.repeat(np.arange(len(case.real), dtype=places), case.real.lengths)
        thresholds = ordered if len(ends) == len(ordered) else ordered[ends]
        return cls(case.real, order, range_of_point[order], ends, thresholds, length)

    def summed(self, gains: NDArray[Any]) -> NDArray[Any]:
        """The sum over the predicted points at each threshold."""
        return np.asarray(np.cumsum(gains)[self.ends])

    @property
    def predicted(self) -> _Places:
        """How many points are on at each threshold."""
        return self.ends + 1

    @property
    def false_points(self) -> NDArray[np.int64]:
        """How many normal points are on at each threshold."""
        return self.summed(self.entering < 0)

    @property
    def real_points(self) -> int:
        return int(self.real.lengths.sum())

    def curve(self, precision: NDArray[np.float64], recall: NDArray[np.float64], beta: float) -> MetricCurve:
        beta = checked_beta(beta)
        return MetricCurve(self.thresholds, precision, recall, f_scores(precision, recall, beta), beta)

    def share_of(self, hits: NDArray[Any], whole: int, zero_division: float) -> NDArray[np.float64]:
        """Hits at each threshold over a whole that stays the same; ``zero_division`` when there is none."""
        nothing = checked_zero_division(zero_division)
        return np.asarray(hits / whole) if whole else np.full(len(hits), nothing)
