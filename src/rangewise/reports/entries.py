"""The detectors of a page: their scores or predictions, the threshold each is shown at, and what that scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import unknown_name, visible
from rangewise.curve import Curve, marks_too_much
from rangewise.inputs.case import check_no_nan, read_scores
from rangewise.inputs.ranges import Ranges, RangesLike, array_of, read_side
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.reports.baseline import baseline_f
from rangewise.reports.clock import Clock
from rangewise.reports.pack import ranked
from rangewise.reports.verdict import DetectorFacts

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PLAIN = RangeModel()
_NAMED_MISSES = 3
THIN = 2_000
"""So many entries of a curve are enough to draw it."""


@dataclass(frozen=True, eq=False)
class Given:
    """What somebody gave for one detector: scores, or ranges."""

    name: str
    scores: NDArray[Any] | None
    predicted: Ranges | None
    length: int | None


@dataclass(frozen=True, eq=False)
class Entry:
    """A detector at its threshold."""

    name: str
    letter: str
    predicted: Ranges
    score: Score
    facts: DetectorFacts
    scores: NDArray[Any] | None = None
    distinct: NDArray[Any] | None = None
    ranks: NDArray[np.uint32] | None = None
    curve: Curve | None = None
    threshold: float | None = None
    policy: Literal["given", "best"] | None = None
    """Who chose the threshold: the user, or this page with the labels; None for predictions."""
    key: str = ""
    """The name as it was given; ``name`` is what the page shows."""

    @property
    def rank(self) -> int:
        """The first distinct score that reaches the threshold; their number when none does."""
        assert self.distinct is not None
        assert self.threshold is not None
        return int(np.searchsorted(self.distinct, self.threshold))


def read_detectors(detectors: Mapping[str, Any]) -> list[Given]:
    """An array of one dimension with values other than 0 and 1 holds scores, any other a prediction."""
    if not isinstance(detectors, Mapping):
        raise TypeError(f'detectors come with their names, e.g. {{"mine": scores}}; got {type(detectors).__name__}')
    if not detectors:
        raise ValueError('a page shows at least one detector: give e.g. {"mine": scores}')
    if len(detectors) > len(_LETTERS):
        raise ValueError(f"a page shows up to {len(_LETTERS)} detectors; got {len(detectors)}")
    return [_read(name, given) for name, given in detectors.items()]


def _read(name: str, given: RangesLike) -> Given:
    if not isinstance(name, str) or not name.strip():
        raise TypeError(f"a detector's name is a text that is not empty; got {name!r}")
    if isinstance(given, Ranges):
        return Given(name, None, given, None)
    array = array_of(given, name)
    if array.ndim == 1 and len(array) and not is_prediction(array):
        scores = read_scores(array, f"scores of {name}")
        check_no_nan(scores, f"{name}: ")
        return Given(name, scores, None, len(scores))
    predicted, length = read_side(given if is_timed(array) else array, name)
    # Nothing at all may be no labels or no ranges: a series of any length.
    return Given(name, None, predicted, length or None)


def is_timed(array: NDArray[Any]) -> bool:
    """Whether the array cannot be rows or labels: the door for times reads it."""
    return array.dtype.kind in "OMU"


def is_prediction(array: NDArray[Any]) -> bool:
    """Whether all values are 0 or 1.

    >>> is_prediction(np.array([0, 1, 1])), is_prediction(np.array([0.0, 0.5]))
    (True, False)
    """
    return array.dtype.kind == "b" or bool(((array == 0) | (array == 1)).all())


def make_entries(
    real: Ranges, given: Sequence[Given], thresholds: Mapping[str, float] | None, model: RangeModel, clock: Clock, baseline: bool
) -> list[Entry]:
    """Each detector at its threshold: the one that was given, else the best that does not mark too much."""
    chosen = _checked_thresholds(given, thresholds or {})
    return [_entry(real, one, letter, chosen, model, clock, baseline) for one, letter in zip(given, _LETTERS, strict=False)]


def _checked_thresholds(given: Sequence[Given], thresholds: Mapping[str, float]) -> Mapping[str, float]:
    scored = tuple(one.name for one in given if one.scores is not None)
    for name, value in thresholds.items():
        if name not in {one.name for one in given}:
            raise unknown_name("thresholds: a detector", name, tuple(one.name for one in given))
        if name not in scored:
            raise ValueError(f"thresholds: {name} is a prediction without scores, so it has no threshold")
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or math.isnan(value):
            raise TypeError(f"thresholds: that of {name} is a number; got {value!r}")
    return thresholds


def _entry(
    real: Ranges, one: Given, letter: str, thresholds: Mapping[str, float], model: RangeModel, clock: Clock, baseline: bool
) -> Entry:
    name = visible(one.name)
    if one.scores is None:
        assert one.predicted is not None
        score = model.score(real, one.predicted)
        return Entry(name, letter, one.predicted, score, facts_of(name, real, one.predicted, score, clock, baseline), key=one.name)
    curve = model.curve(real, one.scores, thresholds=_quantiles(one.scores) if _is_slow(model, one.scores) else None)
    distinct, ranks = ranked(one.scores)
    given = thresholds.get(one.name)
    threshold = float(given) if given is not None else _best_threshold(curve, real, one.scores)
    predicted = Ranges.from_labels(one.scores >= threshold)
    score = model.score(real, predicted)
    facts = facts_of(name, real, predicted, score, clock, baseline)
    policy: Literal["given", "best"] = "best" if given is None else "given"
    return Entry(name, letter, predicted, score, facts, one.scores, distinct, ranks, curve, threshold, policy, one.name)


def _is_slow(model: RangeModel, scores: NDArray[Any]) -> bool:
    """Whether a function of the user's own would be asked for every threshold."""
    own = model.size is not None or callable(model.precision_bias)
    return own and len(np.unique(scores)) > THIN // 10


def _quantiles(scores: NDArray[Any]) -> NDArray[Any]:
    return np.unique(np.quantile(scores, np.linspace(0, 1, THIN // 10), method="higher"))


def _best_threshold(curve: Curve, real: Ranges, scores: NDArray[Any]) -> float:
    """The threshold of the largest F among those that do not mark too much; without real ranges the highest score."""
    if not len(real):
        return float(curve.thresholds[0])
    marked = 1 - np.searchsorted(np.sort(scores), curve.thresholds) / len(scores)
    share = float(real.lengths.sum()) / len(scores)
    fair = np.array([not marks_too_much(value, share) for value in marked.tolist()])
    if not fair.any():
        fair[0] = True
    return float(curve.thresholds[int(np.argmax(np.where(fair, np.nan_to_num(curve.f, nan=-1.0), -2.0)))])


def facts_of(name: str, real: Ranges, predicted: Ranges, score: Score, clock: Clock, baseline: bool) -> DetectorFacts:
    """What the verdict has to know; ranges count as ranges, also where the model scores points."""
    # Without a clock, so that what is covered is a number.
    plain = _PLAIN.score(Ranges(np.asarray(real)), Ranges(np.asarray(predicted)))
    found, touching = plain.real.existence, plain.predicted.existence
    points = int(predicted.lengths.sum())
    missed = np.flatnonzero(~found)[:_NAMED_MISSES].tolist()
    names = names_of(real)
    chance = None
    if baseline and clock.rows and len(real):
        chance = baseline_f(score.model, real, clock.rows, points)
    return DetectorFacts(
        name=name,
        f=score.f,
        found=int(found.sum()),
        alarms=len(predicted),
        false=int((~touching).sum()),
        covered=float(plain.real.covered.sum()) / float(real.lengths.sum()) if len(real) else 0.0,
        marked=points / clock.rows if clock.rows else points / (clock.last - clock.first) if clock.ticks else None,
        pieces=float(plain.real.overlaps[found].mean()) if found.any() else 0.0,
        baseline=chance,
        missed=[f"R{index + 1} ({names[index]}{clock.text(real[index][0])})" for index in missed],
    )


def names_of(real: Ranges) -> list[str]:
    """What stands before the time of each range: its name, where it has one."""
    names = getattr(real, "names", None)
    return [f"{visible(str(name))} · " if name else "" for name in names] if names is not None else [""] * len(real)
