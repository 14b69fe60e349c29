"""A table of tallies: series x detectors, each entry four numbers that add up to a pooled score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.bench.statistics.groups import Groups, group_sums
from rangewise.checks import unknown_name
from rangewise.model.tally import UNIT_BITS, Tally, f_scores

_EXACT_BITS = 52
PARTS = ("precision", "recall", "f")


@dataclass(frozen=True, eq=False)
class TallyTable:
    """``counts[i, j]`` is real reward, real ranges, predicted reward, predicted ranges of detector j on series i.

    Rewards are rounded to multiples of a small power of two, chosen so that every sum over the series is an integer multiple below 2^53:
    sums are exact, and so the same for any order of the series and any number of threads. The error per reward is below 4e-12.

    >>> import rangewise as rw
    >>> a = [rw.early.tally([(0, 4)], [(0, 4)]), rw.early.tally([(0, 4)], [(2, 6)])]
    >>> table = TallyTable.of({"a": a}, ["one", "two"])
    >>> table.pooled()[:, 2].round(3).tolist()
    [0.696]
    """

    detectors: tuple[str, ...]
    series: tuple[str, ...]
    counts: NDArray[np.float64]
    beta: float = 1.0
    zero_division: float = 0.0

    @classmethod
    def of(
        cls, tallies: Mapping[str, Sequence[Tally]], series: Sequence[str] | None = None, clusters: Sequence[Any] | None = None
    ) -> TallyTable:
        """A table from one list of tallies per detector, all for the same series.

        ``clusters`` names the cluster of each series: tallies of a cluster are added up and drawn together.
        """
        detectors = tuple(tallies)
        if not detectors:
            raise ValueError("a table of tallies needs at least one detector")
        lengths = {name: len(tally) for name, tally in tallies.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"every detector needs one tally per series; got {lengths}")
        count = lengths[detectors[0]]
        names = tuple(map(str, range(count))) if series is None else tuple(map(str, series))
        models = {tally.model for own in tallies.values() for tally in own}
        if len(models) > 1:
            raise ValueError("all tallies of a table must have the same model; got several")
        model = next(iter(models), None)
        unit = _EXACT_BITS - int(np.ceil(np.log2(max(2, *(_ranges(own) for own in tallies.values())))))
        rewards = np.array([[_rounded(tally, unit) for tally in own] for own in tallies.values()], dtype=np.float64)
        counts = rewards.reshape(len(detectors), count, 4).transpose(1, 0, 2)
        if clusters is not None:
            if len(clusters) != count:
                raise ValueError(f"clusters must have one name for each of {count} series; got {len(clusters)}")
            collections = Groups.of(clusters, count)
            names, counts = collections.names, group_sums(counts, collections)[0]
        if len(names) != len(counts):
            raise ValueError(f"{len(counts)} tallies per detector need the same number of series names; got {len(names)}")
        # Sorted, so that a resample draws the same series whatever the order of the input.
        named = series is not None or clusters is not None
        order = np.argsort(np.array(names), kind="stable") if named else np.lexsort(counts.reshape(len(names), -1).T)
        return cls(
            detectors,
            tuple(names[place] for place in order),
            counts[order],
            1.0 if model is None else model.beta,
            0.0 if model is None else model.zero_division,
        )

    def pooled(self) -> NDArray[np.float64]:
        """Precision, recall and F of each detector over all series: an array of detectors x 3."""
        return self.scores_of(self.counts.sum(axis=0))

    def scores_of(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Precision, recall and F from sums whose last axis is the four numbers."""
        with np.errstate(divide="ignore", invalid="ignore"):
            recall = np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], self.zero_division)
            precision = np.where(sums[..., 3] > 0, sums[..., 2] / sums[..., 3], self.zero_division)
        return np.stack([precision, recall, f_scores(precision, recall, self.beta)], axis=-1)

    def place_of(self, detector: str) -> int:
        """The column of a detector."""
        if detector not in self.detectors:
            raise unknown_name("a detector of this table", detector, self.detectors)
        return self.detectors.index(detector)

    def __len__(self) -> int:
        return len(self.series)


def check_part(part: str) -> None:
    """Refuse anything other than precision, recall or f."""
    if part not in PARTS:
        raise ValueError(f"part must be one of {', '.join(PARTS)}; got {part!r}")


def _ranges(tallies: Sequence[Tally]) -> int:
    return max(sum(tally.real_ranges for tally in tallies), sum(tally.predicted_ranges for tally in tallies), 1)


def _rounded(tally: Tally, unit: int) -> tuple[float, float, float, float]:
    return (
        _reward(tally.real_reward, unit), float(tally.real_ranges),
        _reward(tally.predicted_reward, unit), float(tally.predicted_ranges),
    )  # fmt: skip


def _reward(reward: int, unit: int) -> float:
    """Round multiples of 2^-94 to multiples of 2^-unit."""
    shift = UNIT_BITS - unit
    return ((reward + (1 << (shift - 1))) >> shift) / (1 << unit)
