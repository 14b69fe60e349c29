"""The detectors of a page, with their thresholds and scores, and those of random predictions beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import visible
from rangewise.curve import Curve, highest_fair_rate
from rangewise.inputs.case import Case
from rangewise.inputs.ranges import Ranges, trusted_ranges
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.model.rewards import can_sweep
from rangewise.reports.clock import PageClock
from rangewise.reports.verdict import DetectorFacts

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PLAIN = RangeModel()
_NAMED_MISSES = 3
THIN = 2_000
"""The number of entries for drawing a curve."""
SEEDS = 20
MOST_POINTS = 4_000_000
"""The most points drawn over all seeds."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A detector at its threshold."""

    name: str
    """The displayed name, with control characters escaped."""
    letter: str
    case: Case
    """The case with the prediction at the threshold."""
    predicted: Ranges
    score: Score
    facts: DetectorFacts
    missed: NDArray[np.bool_]
    """Whether each real range is missed."""
    threshold: float | None = None
    distinct: NDArray[Any] | None = None
    """The distinct scores of the rows that are not ignored, ascending."""
    rank: int | None = None
    """The index of the first distinct score that reaches the threshold; their number if none does."""
    ranks: NDArray[np.uint32] | None = None
    """The index of each row's score among them; 0 for an ignored row."""
    curve: Curve | None = None
    policy: Literal["given", "best"] | None = None
    """How the threshold was chosen: by the user, or by this page with the labels; None for predictions."""


def make_entries(cases: Mapping[str, Case], model: RangeModel, clock: PageClock, baseline: bool) -> list[Entry]:
    """Each detector at its threshold: the given one, or the best one without a high alert rate."""
    entries = []
    for (given_name, case), letter in zip(cases.items(), LETTERS, strict=False):
        name = visible(given_name)
        of_scores: dict[str, Any] = {}
        if case.scores is not None:
            case, of_scores = _at_threshold(case, model)
        # Ranges are counted as ranges, whatever the model scores; without a clock, so that the coverage is a number.
        real, predicted = (trusted_ranges(np.asarray(side)) for side in case.sides())
        plain = _PLAIN.score(Case(real, predicted))
        score = model.score(case)
        facts = _facts(name, case, score, plain, clock, baseline)
        entries.append(Entry(name, letter, case, case.sides()[1], score, facts, ~plain.real.existence, **of_scores))
    return entries


def _at_threshold(case: Case, model: RangeModel) -> tuple[Case, dict[str, Any]]:
    """A case of scores at its threshold, and what an entry has of its scores."""
    assert case.scores is not None
    scores = case.counted_scores
    distinct, numbers = np.unique(scores, return_inverse=True)
    some = None
    if not can_sweep(model) and len(distinct) > THIN // 10:
        some = np.unique(np.quantile(scores, np.linspace(0, 1, THIN // 10), method="higher"))
    curve = model.curve(case, thresholds=some)
    shown = case.at(best_threshold(curve)) if case.predicted is None else case
    ranks = numbers.astype(np.uint32)
    if (rows := case.counted) is not None:
        ranks = np.zeros(len(case.scores), dtype=np.uint32)
        ranks[rows] = numbers
    of_scores = {"threshold": float(shown.threshold), "rank": int(np.searchsorted(distinct, shown.threshold))}
    return shown, of_scores | {
        "distinct": distinct, "ranks": ranks, "curve": curve, "policy": "best" if case.predicted is None else "given",
    }  # fmt: skip


def best_threshold(curve: Curve) -> float:
    """The threshold of the largest F without a high alert rate; without real ranges the highest score."""
    if not len(curve.case.real):
        return float(curve.thresholds[0])
    fair = curve.alert_rates() <= highest_fair_rate(curve.case.real_share)
    if not fair.any():
        fair[0] = True
    return float(curve.thresholds[int(np.argmax(np.where(fair, np.nan_to_num(curve.f, nan=-1.0), -2.0)))])


def _facts(name: str, case: Case, score: Score, plain: Score, clock: PageClock, baseline: bool) -> DetectorFacts:
    """The facts for the verdict; ``plain`` is the score of ranges as such."""
    real, predicted = case.sides()
    found, names = plain.real.existence, names_of(real)
    return DetectorFacts(
        name=name,
        f=score.f,
        found=int(found.sum()),
        alarms=len(predicted),
        false=int((~plain.predicted.existence).sum()),
        covered=float(plain.real.covered.sum()) / float(real.lengths.sum()) if len(real) else 0.0,
        alert_rate=int(predicted.lengths.sum()) / counted_span(case, clock),
        pieces=float(plain.real.overlaps[found].mean()) if found.any() else 0.0,
        baseline=baseline_f(score.model, case) if baseline and clock.rows and len(real) else None,
        missed=[f"R{at + 1} ({names[at]}{clock.text(real[at][0])})" for at in np.flatnonzero(~found)[:_NAMED_MISSES].tolist()],
    )


def counted_span(case: Case, clock: PageClock) -> int:
    """The number of points, or ticks of a clock without rows, that are not ignored."""
    if clock.rows is not None and case.points is not None:
        return max(case.points, 1)
    ignored = sum(max(0, min(stop, clock.last) - max(start, clock.first)) for start, stop in case.ignored)
    return max(clock.last - clock.first - ignored, 1)


def names_of(real: Ranges) -> list[str]:
    """The name of each range, if it has one, as a prefix of its time."""
    names = getattr(real, "names", None)
    return [f"{visible(name)} · " if name else "" for name in names] if names is not None else [""] * len(real)


def random_ranges(case: Case, count: int, seed: int) -> Ranges:
    """The ``count`` rows with the smallest hashes, without ignored rows. ``kernel.js`` draws the same."""
    assert case.length is not None
    rows = np.arange(case.length) if case.counted is None else case.counted
    labels = np.zeros(case.length, dtype=np.uint8)
    if count:
        salt = (seed + 1) * 0x85EBCA6B & 0xFFFFFFFF
        hashed = rows.astype(np.uint32) * np.uint32(0x9E3779B1) + np.uint32(salt)
        hashed = (hashed ^ (hashed >> np.uint32(16))) * np.uint32(0x85EBCA6B)
        hashed = (hashed ^ (hashed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
        hashed ^= hashed >> np.uint32(16)
        last = np.partition(hashed, count - 1)[count - 1]
        below = hashed < last
        ties = np.flatnonzero(hashed == last)[: count - int(below.sum())]
        below[ties] = True
        labels[rows[below]] = 1
    return Ranges.from_labels(labels)


def baseline_f(model: RangeModel, case: Case) -> float:
    """The mean F of random predictions of as many points as the case predicts, without ignored points.

    The number matters: a few random points score near 0, all points may score well.

    >>> low, high = (baseline_f(RangeModel(), Case.read([(100, 200)], [(0, count)], length=1_000)) for count in (10, 1_000))
    >>> low < high
    True
    """
    assert case.predicted is not None
    assert case.points is not None
    count = int(case.predicted.lengths.sum())
    seeds = max(1, min(SEEDS, MOST_POINTS // max(case.points, 1)))
    total = 0.0
    for seed in range(seeds):
        total += model.score(Case(case.real, random_ranges(case, count, seed))).f
    return total / seeds
