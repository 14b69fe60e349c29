"""NAB's score at every threshold of one series, or of many under one threshold, in one pass after one sort."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import flag
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.metrics.nab.scoring import (
    NabProfile,
    ProfileLike,
    as_profile,
    false_values,
    normalize,
    probation_rows,
    window_value,
)

_SUM_BITS = 62


class NabPoint(NamedTuple):
    """The score at one threshold; ``inf`` is the threshold above all scores, where nothing is detected."""

    threshold: float
    raw: float
    normalized: float


@dataclass(frozen=True, eq=False)
class NabCurve:
    """NAB's score at every threshold: descending ``thresholds``, one per distinct score, with ``raw`` and ``normalized`` scores.

    ``nothing`` is the point above all of them, where nothing is detected.
    """

    thresholds: NDArray[np.float64]
    raw: NDArray[np.float64]
    normalized: NDArray[np.float64]
    nothing: NabPoint
    profile: NabProfile

    def best(self) -> NabPoint:
        """The point of the highest score; of equal ones that of the highest threshold.

        Detecting nothing, at ``inf``, is a choice too, unless a score is infinite itself.
        """
        at = best_entry(self.thresholds, self.raw, self.nothing.raw)
        return self.nothing if at is None else NabPoint(self.thresholds[at].item(), self.raw[at].item(), self.normalized[at].item())

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        best = self.best()
        return f"NabCurve({len(self)} thresholds, best {best.normalized:.4g} at {best.threshold:g})"


def nab_curve(
    real: RangesLike | Case,
    scores: Any = None,
    *,
    profile: ProfileLike = "standard",
    probation: bool = True,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> NabCurve:
    """NAB's score at every threshold; a row is detected when its score is at or above it.

    Each entry is what :func:`~rangewise.nab_score` of ``scores >= threshold`` gives, but all of them take one sort and one pass: as the
    threshold falls, a row outside the windows adds its cost, and a window changes when an earlier row of it is detected. Normalized
    scores are at most 1, without a lower bound; ``zero_division`` without windows to find. No scores make an empty curve. ``close_gaps``
    joins the detections of every threshold over gaps of up to so many rows.

    >>> curve = nab_curve([(2, 5)], [0.1, 0.7, 0.2, 0.9, 0.1, 0.0])
    >>> curve.thresholds.tolist()
    [0.9, 0.7, 0.2, 0.1, 0.0]
    >>> curve.normalized.round(3).tolist()
    [0.972, 0.917, 0.945, 0.89, 0.843]
    >>> curve.best().threshold
    0.9
    """
    weights = as_profile(profile)
    sheet = score_sheet(Case.of_scores(real, scores, options, "nab_curve"), weights, probation)
    thresholds, raw = sweep([sheet], weights)
    null = -weights.fn * sheet.counted
    nothing, normalized = (normalize(value, sheet.counted, len(sheet.windows), weights, zero_division) for value in (null, raw))
    return NabCurve(thresholds, raw, normalized, NabPoint(math.inf, null, nothing), weights)


@dataclass(frozen=True, eq=False)
class ScoreSheet:
    """The data for the score of a series at any threshold: the score of each row, and its cost outside the windows."""

    windows: Ranges
    scores: NDArray[np.float64]
    costs: NDArray[np.float64]
    probation: int
    ignored: Ranges
    """Intervals that do not count: their rows cost nothing, and are in no window."""
    own_type: np.dtype[Any]
    """The type of the given scores, in which a threshold is compared."""

    @property
    def counted(self) -> int:
        """The number of windows that can be found."""
        return int(np.count_nonzero(self.windows.stops > self.probation))


def score_sheet(case: Case, profile: NabProfile, probation: bool) -> ScoreSheet:
    """The score sheet of a case of scores. The probation is that of the whole series."""
    assert case.scores is not None
    scores = case.scores.astype(np.float64)
    skipped = probation_rows(len(scores)) if flag("probation", probation) else 0
    costs = np.zeros(len(scores))
    rows, _, values = false_values(case.real, np.arange(skipped, len(scores)), profile)
    costs[rows] = values
    ignored = case.ignored.to_labels(len(scores)) == 1
    costs[ignored] = 0.0
    own_type = case.scores.dtype if case.scores.dtype.kind == "f" else scores.dtype
    return ScoreSheet(case.real, scores, costs, skipped, case.ignored, own_type)


def sweep(sheets: list[ScoreSheet], profile: NabProfile) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Every distinct score of the rows that count, of all sheets, descending, and the raw sum over all of them at each."""
    scores = np.concatenate([sheet.scores for sheet in sheets])
    gains = np.concatenate([sheet.costs for sheet in sheets])
    rows, gained = _window_gains(sheets, scores, profile)
    gains[rows] = gained
    counted = np.concatenate([sheet.ignored.to_labels(len(sheet.scores)) == 0 for sheet in sheets])
    scores, gains = scores[counted], gains[counted]
    order = np.argsort(scores)[::-1]
    falling = scores[order]
    ends_of_ties = np.flatnonzero(np.append(falling[1:] != falling[:-1], True)[: len(falling)])
    null = -profile.fn * sum(sheet.counted for sheet in sheets)
    return falling[ends_of_ties], null + _running_sum(gains[order])[ends_of_ties]


def best_entry(thresholds: NDArray[np.float64], raw: NDArray[np.float64], null: float) -> int | None:
    """The first of the highest raw scores; None when detecting nothing is as good and there is a threshold for that."""
    if not len(raw):
        return None
    at = int(np.argmax(raw))
    return at if raw[at] > null or thresholds[0] == math.inf else None


def _window_gains(
    sheets: list[ScoreSheet], scores: NDArray[np.float64], profile: NabProfile
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows inside windows, and what detecting each adds to what its window has from rows of higher scores."""
    offsets = np.cumsum([0, *(len(sheet.scores) for sheet in sheets)])[:-1].tolist()
    both = list(zip(sheets, offsets, strict=True))
    starts = np.concatenate([np.maximum(sheet.windows.starts, sheet.probation) + offset for sheet, offset in both])
    stops = np.concatenate([sheet.windows.stops + offset for sheet, offset in both])
    lengths = np.concatenate([sheet.windows.lengths for sheet in sheets])
    visible = np.maximum(stops - starts, 0)
    window = np.repeat(np.arange(len(visible)), visible)
    rows = np.arange(len(window)) + np.repeat(starts - (np.cumsum(visible) - visible), visible)
    # Of rows with the same score, the earliest of a window first: the others then add nothing.
    by_score = np.lexsort((rows, -scores[rows], window))
    rows = rows[by_score]
    # Windows count upwards, so that one running maximum begins anew in each.
    base = window * lengths.max(initial=0)
    rows_left = np.maximum.accumulate(base + stops[window] - rows) - base
    value = window_value(rows_left, lengths[window], profile)
    first = np.append(True, window[1:] != window[:-1])[: len(window)]
    before = np.where(first, -profile.fn, np.roll(value, 1))
    return rows, value - before


def _running_sum(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum up to each value, right to the last digits: whole multiples of a small unit add up as integers, and the rests as floats.

    Plain running sums of hundreds of thousands of equal costs drift by 1e-9 and more.
    """
    most = float(np.abs(values).max(initial=0.0)) * len(values)
    if most == 0.0:
        return np.zeros(len(values))
    unit = 2.0 ** (math.frexp(most)[1] - _SUM_BITS)
    whole = np.rint(values / unit)
    return np.cumsum(whole.astype(np.int64)).astype(np.float64) * unit + np.cumsum(values - whole * unit)
