"""Means over series ("macro"), in which every series counts the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rangewise.model.tally import Tally


@dataclass(frozen=True, slots=True)
class MacroScore:
    """The mean of the scores of single series, and the number of series without predicted and without real ranges."""

    precision: float
    recall: float
    f: float
    series: int
    undefined_precision: int
    undefined_recall: int


def macro(tallies: Iterable[Tally]) -> MacroScore:
    """The mean over series ("macro") of precision, of recall and of F: every series counts the same, however many ranges it has.

    The means are over the series that have a real range: without one, recall and F are undefined. False alarms in other series count in
    pooled scores only. With ``zero_division=1.0`` all series count. From 0 to 1, higher is better; nan when no series has a value.

    >>> import rangewise as rw
    >>> macro([rw.RangeModel().tally([(0, 4)], [(2, 6)]), rw.RangeModel().tally([(0, 4)], []), rw.RangeModel().tally([], [])])
    MacroScore(precision=0.25, recall=0.25, f=0.25, series=3, undefined_precision=2, undefined_recall=1)
    """
    added = list(tallies)
    if len({tally.model for tally in added}) > 1:
        raise ValueError("the mean over series needs tallies of one model; got several models")
    scores = [tally.score() for tally in added]
    values = np.array([(score.precision, score.recall, score.f) for score in scores], dtype=np.float64).reshape(-1, 3).T
    counts = np.array([(tally.real_ranges, tally.predicted_ranges) for tally in added], dtype=np.int64).reshape(-1, 2).T
    return mean_of_series(added[0].model.zero_division if added else 0.0, *values, *counts)


def mean_of_series(
    zero_division: float,
    precision: NDArray[np.float64],
    recall: NDArray[np.float64],
    f: NDArray[np.float64],
    real_ranges: NDArray[np.int64],
    predicted_ranges: NDArray[np.int64],
) -> MacroScore:
    """:func:`macro` of scores that are known already."""
    counted = in_means(zero_division, real_ranges)
    means = [defined_mean(values[counted].tolist()) for values in (precision, recall, f)]
    no_precision, no_recall = (int(np.count_nonzero(counts == 0)) for counts in (predicted_ranges, real_ranges))
    return MacroScore(means[0], means[1], means[2], len(f), no_precision, no_recall)


def in_means(zero_division: float, real_ranges: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which series a mean over series counts: those with a real range; all, if it was chosen that an empty series scores 1."""
    return np.asarray((real_ranges > 0) | (zero_division == 1.0))


def defined_mean(values: Sequence[float]) -> float:
    """The mean without nan; nan if nothing remains."""
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan
