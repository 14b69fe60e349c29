"""How stable the order of detectors is: over the choice of series, metrics and threshold rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rangewise.bench.leaderboard import Leaderboard, make_leaderboard, resampled
from rangewise.bench.statistics.groups import Unit, unit_words
from rangewise.bench.statistics.ties import settled
from rangewise.number_text import score_text, share_text
from rangewise.tables import Table

if TYPE_CHECKING:
    from rangewise.bench.results import Results


@dataclass(frozen=True)
class Other:
    """The order under another metric or threshold rule: the first detector, and Kendall's tau with the main order (1 same, -1 reversed)."""

    metric: str
    first: str
    tau: float
    sees_labels: bool


@dataclass(frozen=True)
class Stability:
    """``first_shares`` over resamples of the series; ``others`` over metrics and rules."""

    metric: str
    first: str
    first_shares: dict[str, float]
    order_share: float
    others: tuple[Other, ...]
    unit: Unit = "series"
    """The unit of resampling."""
    tied: tuple[str, ...] = ()
    """The other detectors with the score of the first."""

    def summary(self) -> str:
        """One sentence."""
        if not self.first:
            return "There is no series that all detectors finished, so there is no order."
        order = f"the whole order is the same in {share_text(self.order_share)} of the draws."
        if self.tied:
            others = self.tied[0] if len(self.tied) == 1 else f"{len(self.tied)} other detectors"
            return f"{self.first} and {others} share the best score, so none of them is first; {order}"
        same = sum(other.first == self.first for other in self.others)
        shared = f", and under {same} of {len(self.others)} metrics and threshold rules" if len(self.others) > 1 else ""
        return (
            f"{self.first} is first in {share_text(self.first_shares[self.first])} of the draws of the {unit_words(2, self.unit)}{shared}; "
            f"{order}"
        )

    def table(self) -> Table:
        rows = [
            [
                other.metric + (" (used the labels)" if other.sees_labels else ""),
                other.first,
                score_text(other.tau, digits=2, undefined=""),
            ]
            for other in self.others
        ]
        return Table(["metric and threshold", "first", "Kendall's tau"], rows, "How stable is the order", (self.summary(),), words=(0, 1))

    def __str__(self) -> str:
        return self.table().to_text()


def make_stability(results: Results, metric: str, resamples: int) -> Stability:
    board = make_leaderboard(results, metric, results.average, 1)
    drawn = resampled(results.scores(metric).core(), board.average, resamples)
    others = []
    for choice in results.metrics:
        other = make_leaderboard(results, choice.label, results.average, 1)
        others.append(Other(choice.label, _first(other), _tau(board, other), choice.sees_labels))
    first, values = _first(board) if drawn is not None else "", _values(board)
    level = dict(zip(values, settled(np.array([*values.values()])).tolist(), strict=True))
    return Stability(
        metric,
        first,
        drawn.first_shares() if drawn is not None else {},
        drawn.order_share() if drawn is not None else math.nan,
        tuple(others),
        results.cluster,
        tuple(name for name in level if first and name != first and level[name] == level[first]),
    )


def kendall_tau(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Kendall's tau-b: the normalized difference of pairs in the same and in the reversed order, with ties; nan if one side is all tied."""
    first, second = np.sign(a[:, np.newaxis] - a), np.sign(b[:, np.newaxis] - b)
    scale = math.sqrt(float(np.square(first).sum()) * float(np.square(second).sum()))
    return float((first * second).sum()) / scale if scale else math.nan


def _first(board: Leaderboard) -> str:
    values = _values(board)
    return board.standings[0].detector if board.standings and not math.isnan(values[board.standings[0].detector]) else ""


def _values(board: Leaderboard) -> dict[str, float]:
    sign = 1.0 if board.higher_is_better else -1.0
    return {each.detector: sign * board.estimate(each).value for each in board.standings}


def _tau(board: Leaderboard, other: Leaderboard) -> float:
    a, b = _values(board), _values(other)
    known = [name for name in a if not (math.isnan(a[name]) or math.isnan(b[name]))]
    return kendall_tau(np.array([a[name] for name in known]), np.array([b[name] for name in known]))
