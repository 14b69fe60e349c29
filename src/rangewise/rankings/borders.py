r"""Where two detectors change places, exactly.

Recall is linear in alpha, :math:`R = O + \alpha (E - O)` with the overlap reward O and the existence reward E, and precision does
not depend on alpha. So :math:`F_A > F_B` where

.. math:: \beta^2 P_A P_B (R_A - R_B) + R_A R_B (P_A - P_B) > 0,

a quadratic in alpha and linear in :math:`\beta^2`: the borders are its roots, not samples.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rangewise.model.bias import BiasChoice
from rangewise.model.cardinality import CardinalityChoice
from rangewise.model.tally import f_score, f_scores

# Sums of rewards are rounded once each: scores with a smaller relative difference than this are equal.
EQUAL = 1e-12
# The next best threshold is searched for just above the alpha where it overtakes the last one.
_BEHIND = 1e-9
# Rounding may split a double root in two that are closer to each other than this.
_NARROW = 1e-6


class Line(NamedTuple):
    """The rewards of a prediction under a bias and a cardinality, for every alpha and beta."""

    precision: float
    overlap: float
    existence: float

    def recall(self, alpha: float) -> float:
        return self.overlap + alpha * (self.existence - self.overlap)

    def f(self, alpha: float, beta: float) -> float:
        return f_score(self.precision, self.recall(alpha), beta)


@dataclass(frozen=True)
class Track:
    """The rewards of a detector along alpha: one line, or several if its threshold depends on alpha. Line i applies from ``starts[i]``."""

    lines: tuple[Line, ...]
    starts: tuple[float, ...] = (0.0,)
    thresholds: tuple[float | None, ...] = (None,)

    def _at(self, alpha: float) -> int:
        return max(bisect_right(self.starts, alpha) - 1, 0)

    def line(self, alpha: float) -> Line:
        return self.lines[self._at(alpha)]

    def threshold(self, alpha: float) -> float | None:
        return self.thresholds[self._at(alpha)]

    def f(self, alpha: float, beta: float) -> float:
        return self.line(alpha).f(alpha, beta)


@dataclass(frozen=True)
class Crossing:
    """Two detectors change places: ``first`` is ahead below the border, ``second`` above it. The bias is that of recall."""

    first: str
    second: str
    bias: BiasChoice
    cardinality: CardinalityChoice
    beta: float
    alpha: float


@dataclass(frozen=True)
class AlphaSegment:
    """An interval of alpha in which the same detectors lead: one, or several that are equal."""

    bias: BiasChoice
    cardinality: CardinalityChoice
    beta: float
    start: float
    stop: float
    leaders: tuple[str, ...]

    @property
    def leader(self) -> str:
        """The first of the leaders, in the order the detectors were given."""
        return self.leaders[0]


def order_of(one: float, other: float) -> int:
    """1 if ``one`` is larger, -1 if ``other`` is, 0 if they are equal up to rounding."""
    if abs(one - other) <= EQUAL * max(abs(one), abs(other)):
        return 0
    return 1 if one > other else -1


class AlphaStretch(NamedTuple):
    """From alpha ``start`` to ``stop`` the first of two is ahead (1), behind (-1), or they are equal (0)."""

    start: float
    stop: float
    order: int


def stretches(one: Track, other: Track, beta: float, low: float, high: float) -> list[AlphaStretch]:
    """Which of two is ahead along alpha; neighboring stretches differ, and a double root does not split one."""
    if low == high:
        return [AlphaStretch(low, high, order_of(one.f(low, beta), other.f(low, beta)))]
    cuts = sorted({low, high, *(start for start in (*one.starts, *other.starts) if low < start < high)})
    edges = {low, high}
    for start, stop in pairwise(cuts):
        middle = (start + stop) / 2
        edges |= {start, *(root for root in _roots(one.line(middle), other.line(middle), beta) if start < root < stop)}
    along: list[AlphaStretch] = []
    for start, stop in pairwise(sorted(edges)):
        # The order is constant between two roots, except at an undetected double root, so check two places.
        orders = (order_of(one.f(alpha, beta), other.f(alpha, beta)) for alpha in ((start + stop) / 2, (3 * start + stop) / 4))
        along.append(AlphaStretch(start, stop, next(filter(None, orders), 0)))
    return _joined(along)


def crossing_places(along: Sequence[AlphaStretch]) -> list[tuple[float, int]]:
    """The alphas at which the order reverses, with the order before; the middle of the stretch if both are equal in between."""
    decided = [stretch for stretch in along if stretch.order]
    return [((before.stop + after.start) / 2, before.order) for before, after in pairwise(decided) if before.order != after.order]


def crossing_beta(one: Line, other: Line, alpha: float) -> float | None:
    r"""The beta at which two change places, at one alpha; None if there is none.

    .. math:: \beta^2 = \frac{R_A R_B (P_B - P_A)}{P_A P_B (R_A - R_B)}
    """
    recalls = one.recall(alpha), other.recall(alpha)
    if 0.0 in (one.precision, other.precision, *recalls):
        return None
    if not order_of(*recalls) or not order_of(one.precision, other.precision):
        return None
    square = recalls[0] * recalls[1] * (other.precision - one.precision) / (one.precision * other.precision * (recalls[0] - recalls[1]))
    return math.sqrt(square) if square > 0.0 else None


def best_track(
    lines: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    thresholds: NDArray[np.float64],
    beta: float,
    low: float,
    high: float,
) -> Track:
    """The best threshold at each alpha: the upper envelope of the lines of all thresholds, from ``low`` to ``high``.

    ``lines`` are precision, overlap and existence at each threshold.
    """
    precision, overlap, existence = lines

    def best(alpha: float) -> int:
        return int(np.argmax(f_scores(precision, overlap + alpha * (existence - overlap), beta)))

    def line(index: int) -> Line:
        return Line(float(precision[index]), float(overlap[index]), float(existence[index]))

    starts, chosen = [low], [best(min(low + _BEHIND, high))]
    at = low
    while (at := _first_root_behind(line(chosen[-1]), lines, beta, at)) < high:
        following = best(min(at + _BEHIND, high))
        if following != chosen[-1]:
            starts.append(at)
            chosen.append(following)
    return Track(tuple(map(line, chosen)), tuple(starts), tuple(float(thresholds[index]) for index in chosen))


def _first_root_behind(line: Line, others: tuple[NDArray[np.float64], ...], beta: float, at: float) -> float:
    """The first alpha above ``at`` where any of many lines meets this one; infinity if none does."""
    c0, c1, c2 = coefficients(line, others, beta)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = -0.5 * (c1 + np.copysign(np.sqrt(c1 * c1 - 4 * c2 * c0), c1))
        roots = np.concatenate([q / c2, c0 / q])
    roots = roots[roots > at + _BEHIND / 10]
    return float(roots.min()) if len(roots) else math.inf


def coefficients(one: Any, other: Any, beta: float) -> tuple[Any, Any, Any]:
    """The coefficients of 1, alpha and alpha squared of a polynomial that is positive where ``one`` is ahead; each argument is (precision,
    overlap, existence), numbers or arrays."""
    (p, o, e), (other_p, other_o, other_e) = one, other
    slope, other_slope = e - o, other_e - other_o
    weight, gap = beta * beta * p * other_p, p - other_p
    c1 = weight * (slope - other_slope) + (o * other_slope + other_o * slope) * gap
    return weight * (o - other_o) + o * other_o * gap, c1, slope * other_slope * gap


def _roots(one: Line, other: Line, beta: float) -> list[float]:
    """Where the quadratic of two lines is 0."""
    c0, c1, c2 = coefficients(one, other, beta)
    if c2 == 0.0:
        return [-c0 / c1] if c1 else []
    square = c1 * c1 - 4 * c2 * c0
    if square < 0.0:
        return []
    # Each root by the formula that does not subtract near-equal numbers.
    q = -0.5 * (c1 + math.copysign(math.sqrt(square), c1))
    return [q / c2, *([c0 / q] if q else [])]


def _joined(along: list[AlphaStretch]) -> list[AlphaStretch]:
    """Join neighbors with the same order; a stretch of equality no wider than rounding is divided between its neighbors."""
    low, high = along[0].start, along[-1].stop
    kept = [stretch for stretch in along if stretch.order or stretch.stop - stretch.start > _NARROW] or [AlphaStretch(low, high, 0)]
    joined = [kept[0]._replace(start=low)]
    for stretch in kept[1:]:
        if joined[-1].order == stretch.order:
            joined[-1] = joined[-1]._replace(stop=stretch.stop)
        else:
            border = (joined[-1].stop + stretch.start) / 2
            joined[-1:] = [joined[-1]._replace(stop=border), stretch._replace(start=border)]
    joined[-1] = joined[-1]._replace(stop=high)
    return joined
