"""The detectors of a page, with their thresholds and scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import visible
from rangewise.curve import Curve, highest_fair_rate
from rangewise.inputs.case import Case
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.model.rewards import can_sweep
from rangewise.reports.baseline import baseline_f
from rangewise.reports.clock import PageClock
from rangewise.reports.verdict import DetectorFacts

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PLAIN = RangeModel()
_NAMED_MISSES = 3
THIN = 2_000
"""The number of entries for drawing a curve."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A detector at its threshold."""

    name: str
    """The displayed name, with control characters escaped."""
    letter: str
    case: Case
    """The case with the prediction at the threshold."""
    score: Score
    facts: DetectorFacts
    distinct: NDArray[Any] | None = None
    """The distinct scores of the rows that are not ignored, ascending."""
    ranks: NDArray[np.uint32] | None = None
    """The index of each row's score among them; 0 for an ignored row."""
    curve: Curve | None = None
    policy: Literal["given", "best"] | None = None
    """How the threshold was chosen: by the user, or by this page with the labels; None for predictions."""

    @property
    def predicted(self) -> Ranges:
        assert self.case.predicted is not None
        return self.case.predicted

    @property
    def threshold(self) -> float | None:
        return None if self.case.threshold is None else float(self.case.threshold)

    @property
    def missed(self) -> NDArray[np.bool_]:
        """Whether each real range is missed."""
        return ~_plain_score(self.case).real.existence

    @property
    def rank(self) -> int:
        """The index of the first distinct score that reaches the threshold; their number if none does."""
        assert self.distinct is not None
        return int(np.searchsorted(self.distinct, self.case.threshold))


def make_entries(cases: Mapping[str, Case], model: RangeModel, clock: PageClock, baseline: bool) -> list[Entry]:
    """Each detector at its threshold: the given one, or the best one without a high alert rate."""
    return [
        _entry(visible(name), case, letter, model, clock, baseline) for (name, case), letter in zip(cases.items(), LETTERS, strict=False)
    ]


def _entry(name: str, case: Case, letter: str, model: RangeModel, clock: PageClock, baseline: bool) -> Entry:
    if case.scores is None:
        score = model.score(case)
        return Entry(name, letter, case, score, facts_of(name, case, score, clock, baseline))
    scores = case.counted_scores
    slow = not can_sweep(model) and len(np.unique(scores)) > THIN // 10
    curve = model.curve(case, thresholds=_quantiles(scores) if slow else None)
    policy: Literal["given", "best"] = "best" if case.predicted is None else "given"
    shown = case.at(best_threshold(curve)) if case.predicted is None else case
    distinct, numbers = np.unique(scores, return_inverse=True)
    ranks = numbers.astype(np.uint32)
    if (rows := case.counted) is not None:
        ranks = np.zeros(len(case.scores), dtype=np.uint32)
        ranks[rows] = numbers
    score = model.score(shown)
    return Entry(name, letter, shown, score, facts_of(name, shown, score, clock, baseline), distinct, ranks, curve, policy)


def _quantiles(scores: NDArray[Any]) -> NDArray[Any]:
    return np.unique(np.quantile(scores, np.linspace(0, 1, THIN // 10), method="higher"))


def best_threshold(curve: Curve) -> float:
    """The threshold of the largest F without a high alert rate; without real ranges the highest score."""
    if not len(curve.case.real):
        return float(curve.thresholds[0])
    fair = curve.alert_rates() <= highest_fair_rate(curve.case.real_share)
    if not fair.any():
        fair[0] = True
    return float(curve.thresholds[int(np.argmax(np.where(fair, np.nan_to_num(curve.f, nan=-1.0), -2.0)))])


def facts_of(name: str, case: Case, score: Score, clock: PageClock, baseline: bool) -> DetectorFacts:
    """The facts for the verdict; ranges are counted as ranges, even if the model scores points."""
    (real, predicted), plain = case.sides(), _plain_score(case)
    found, touching = plain.real.existence, plain.predicted.existence
    points = int(predicted.lengths.sum())
    missed = np.flatnonzero(~found)[:_NAMED_MISSES].tolist()
    names = names_of(real)
    chance = baseline_f(score.model, case) if baseline and clock.rows and len(real) else None
    return DetectorFacts(
        name=name,
        f=score.f,
        found=int(found.sum()),
        alarms=len(predicted),
        false=int((~touching).sum()),
        covered=float(plain.real.covered.sum()) / float(real.lengths.sum()) if len(real) else 0.0,
        alert_rate=points / counted_span(case, clock),
        pieces=float(plain.real.overlaps[found].mean()) if found.any() else 0.0,
        baseline=chance,
        missed=[f"R{index + 1} ({names[index]}{clock.text(real[index][0])})" for index in missed],
    )


def _plain_score(case: Case) -> Score:
    """The score of ranges as such, whatever the model scores; without a clock, so that the coverage is a number."""
    return _PLAIN.score(*(Ranges(np.asarray(side)) for side in case.sides()))


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
