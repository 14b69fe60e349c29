"""Two detectors on the same series: the exact signed-rank test, Holm's correction, wins, and the smallest possible p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.bench.statistics.groups import Groups, Unit, paired_group_means, unit_words
from rangewise.bench.statistics.intervals import Interval, median_interval
from rangewise.bench.statistics.ties import settled

MOST_EXACT = 200
"""Up to this many nonzero differences the test is exact; above, it is the normal approximation with continuity and tie correction."""


@dataclass(frozen=True)
class Pair:
    """First against second on the series that both finished. ``difference`` is the median of first minus second."""

    first: str
    second: str
    series: int
    won: int
    tied: int
    lost: int
    difference: Interval
    p: float
    balance: float
    """The rank-biserial correlation, from -1 to 1: ranks of the series that first won minus those that it lost, as a share of all."""
    min_p: float
    """The smallest p that is possible with this number of differences."""
    adjusted_p: float = math.nan
    """p after Holm's correction over all pairs of a table; nan for a single pair."""
    min_adjusted_p: float = math.nan
    """The smallest possible adjusted p, given the other pairs; nan for a single pair."""
    unit: Unit = "series"
    """The unit of ``series``, ``won``, ``tied`` and ``lost``."""

    def can_be_significant(self, level: float = 0.95) -> bool:
        """Whether any outcome with this number of differing series can be significant, after Holm's correction for several pairs."""
        return (self.min_p if math.isnan(self.min_adjusted_p) else self.min_adjusted_p) <= 1 - level

    def verdict(self, level: float = 0.95) -> str:
        """The result of the test as a sentence.

        The sum of ranks decides which detector is better, so a few large losses may outweigh many small wins.

        >>> compare_pair("a", "b", [0.5] * 7, [0.4, 0.3, 0.2, 0.1, 0.0, 0.4, 0.5]).verdict()
        'a is better, p = 0.0312'
        """
        if not self.can_be_significant(level):
            if not self.won + self.lost:
                return f"the same on every {self.unit}" if self.series else f"no {self.unit} that both finished"
            return f"cannot be significant with so few {unit_words(2, self.unit)}{' that differ' if self.tied else ''}"
        p = self.p if math.isnan(self.adjusted_p) else self.adjusted_p
        if p > 1 - level:
            return f"not separated, p = {p:.3g}"
        better, other = (self.first, self.second) if self.balance > 0 else (self.second, self.first)
        wins, losses = (self.won, self.lost) if self.balance > 0 else (self.lost, self.won)
        smaller = f", though {other} wins more {unit_words(2, self.unit)}, by less" if losses > wins else ""
        return f"{better} is better, p = {p:.3g}{smaller}"


def tests_text(pairs: Sequence[Pair]) -> str:
    """What the tests of pairs are called: exact, unless some pairs differ on too many series.

    >>> tests_text([])
    'exact signed-rank tests'
    """
    return (
        "exact signed-rank tests"
        if all(pair.won + pair.lost <= MOST_EXACT for pair in pairs)
        else f"signed-rank tests (the normal approximation for more than {MOST_EXACT} differences)"
    )


def signed_rank(differences: ArrayLike) -> float:
    r"""The p-value of Wilcoxon's two-sided signed-rank test of differences around 0. nan is an error; zeros are dropped.

    Exact with ties for up to 200 nonzero differences: the distribution of the sum of ranks over all :math:`2^n` signs, by dynamic
    programming over doubled midranks, which are integers. From 0 to 1; 1 if nothing differs. Differences whose sizes are equal up to 1e-9
    of the largest one are tied: 0.9 - 0.8 and 0.8 - 0.7 are not the same float.

    >>> signed_rank([1, 2, 3, 4, 5, 6])
    0.03125
    >>> signed_rank([0, 0, 0])
    1.0
    """
    values = np.asarray(differences, dtype=np.float64).ravel()
    if np.isnan(values).any():
        raise ValueError(f"difference {int(np.flatnonzero(np.isnan(values))[0])} is nan; leave out series that one side did not finish")
    return _signed_rank(_settled_differences(values, float(np.abs(values).max(initial=0.0))))[0]


def _settled_differences(differences: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Make differences equal whose sizes are equal up to rounding, and 0 if they are 0 up to rounding."""
    sizes = settled(np.append(np.abs(differences), 0.0), scale)[:-1]
    return np.copysign(sizes, differences) + 0.0


def _signed_rank(differences: NDArray[np.float64]) -> tuple[float, float]:
    """p, and the ranks of positive minus those of negative differences as a share of all."""
    values = differences[differences != 0.0]
    count = len(values)
    if not count:
        return 1.0, 0.0
    doubled = _doubled_midranks(np.abs(values))
    positive, total = int(doubled[values > 0].sum()), int(doubled.sum())
    extreme, balance = min(positive, total - positive), (2 * positive - total) / total
    if count <= MOST_EXACT:
        return min(1.0, 2.0 * _share_at_most(doubled, extreme)), balance
    mean, variance = total / 4.0, float(np.square(doubled / 2.0).sum()) / 4.0
    z = (extreme / 2.0 + 0.5 - mean) / math.sqrt(variance)
    return min(1.0, 2.0 * NormalDist().cdf(z)), balance


def min_possible_p(count: int) -> float:
    """The smallest possible p of the signed-rank test with ``count`` nonzero differences.

    >>> min_possible_p(5), min_possible_p(6)
    (0.0625, 0.03125)
    """
    return min(1.0, 2.0 ** (1 - count))


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Holm's step-down correction: the k-th smallest of m is multiplied by m - k + 1, and made nondecreasing.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def min_adjusted_p(p: ArrayLike, least: ArrayLike) -> NDArray[np.float64]:
    """The corrected value of each p if it were as small as ``least``, with the other p unchanged.

    >>> min_adjusted_p([0.001, 0.02, 0.2], [0.001, 0.02, 0.02]).tolist()
    [0.003, 0.04, 0.04]
    """
    values, smallest = np.sort(np.asarray(p, dtype=np.float64)), np.asarray(least, dtype=np.float64)
    before = np.searchsorted(values, smallest, side="left")
    stepped = np.maximum.accumulate(np.append(0.0, values * np.arange(len(values), 0, -1)))
    return np.minimum(np.maximum(stepped[before], (len(values) - before) * smallest), 1.0)


def compare_pair(
    first: str,
    second: str,
    a: ArrayLike,
    b: ArrayLike,
    *,
    higher_is_better: bool = True,
    level: float = 0.95,
    groups: Groups | Sequence[object] | None = None,
    unit: Unit = "series",
) -> Pair:
    """Compare two detectors on the same series; series that one did not finish (nan) are skipped.

    ``groups`` names the collection of each series: then the means of collections are compared, and ``won`` and ``lost`` count collections.
    ``unit`` is the unit of the values without ``groups``. Scores and differences that are equal up to 1e-9 of the largest one are tied;
    ``level`` is for the interval of the median.
    """
    left, right = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise ValueError(f"both sides need one value per series; got shapes {left.shape} and {right.shape}")
    if groups is not None:
        left, right = paired_group_means(left, right, groups)
    both = ~(np.isnan(left) | np.isnan(right))
    left, right = left[both], right[both]
    differences = _settled_differences(left - right, float(np.abs([left, right]).max(initial=0.0)))
    better = differences if higher_is_better else -differences
    won, lost = int((better > 0).sum()), int((better < 0).sum())
    p, balance = _signed_rank(better)
    return Pair(
        first, second, len(left), won, len(left) - won - lost, lost, median_interval(differences, level), p, balance,
        min_possible_p(won + lost), unit=unit if groups is None else "collection",
    )  # fmt: skip


def compare_all(
    names: Sequence[str],
    values: ArrayLike,
    *,
    higher_is_better: bool = True,
    level: float = 0.95,
    groups: Groups | Sequence[object] | None = None,
    unit: Unit = "series",
) -> list[Pair]:
    """Compare every pair of columns, with p after Holm's correction over all pairs.

    ``values`` has one row per series and one column per detector; nan is a failure.

    ``groups`` names the collection of each series: then the means of collections are compared. ``unit`` is the unit of a row without them.

    >>> pairs = compare_all(["a", "b"], [[0.9, 0.1]] * 5)
    >>> pairs[0].won, pairs[0].verdict()
    (5, 'cannot be significant with so few series')
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(names):
        raise ValueError(f"values must have one row per series and one column for each of {len(names)} detectors; got shape {table.shape}")
    collections = None if groups is None else Groups.of(groups, len(table))
    pairs = [
        compare_pair(
            names[i], names[j], table[:, i], table[:, j], higher_is_better=higher_is_better, level=level, groups=collections, unit=unit
        )
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]
    p = [pair.p for pair in pairs]
    least = min_adjusted_p(p, [pair.min_p for pair in pairs])
    return [
        replace(pair, adjusted_p=adjusted, min_adjusted_p=smallest)
        for pair, adjusted, smallest in zip(pairs, holm(p).tolist(), least.tolist(), strict=True)
    ]


def _doubled_midranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    doubled: NDArray[np.int64] = (2 * last - counts + 1)[place]
    return doubled


def _share_at_most(doubled: NDArray[np.int64], extreme: int) -> float:
    """The share of all signs whose sum of doubled ranks is ``extreme`` or less."""
    chances = np.zeros(extreme + 1)
    chances[0] = 1.0
    for rank in np.sort(doubled):
        # Halved at each step, so that 2^200 is never computed.
        if rank <= extreme:
            chances[rank:] += chances[: extreme + 1 - rank].copy()
        chances *= 0.5
    return float(chances.sum())
