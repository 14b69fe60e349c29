"""How often a test calls two equal detectors different, if series of one collection are correlated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rangewise.bench.statistics.groups import Groups, group_means
from rangewise.bench.statistics.pairs import signed_rank
from rangewise.checks import number, whole
from rangewise.number_text import share_text


@dataclass(frozen=True)
class FalseRejections:
    """The share of simulated tables of two equal detectors in which each test rejects."""

    correlation: float
    series: int
    collections: int
    trials: int
    level: float
    by_series: float
    by_collection: float

    def __str__(self) -> str:
        return (
            f"correlation {self.correlation:.2f} within {self.collections} collections ({self.series} series): equal detectors are "
            f"called different in {share_text(self.by_series)} of {self.trials:,} trials by series, "
            f"in {share_text(self.by_collection)} by collection"
        )


def false_rejections(
    sizes: Sequence[int], correlation: float, *, trials: int = 1500, level: float = 0.95, seed: int = 0
) -> FalseRejections:
    r"""Simulate tables of two equal detectors, and count how often the signed-rank test rejects at ``1 - level``.

    .. math:: d_{gi} = \sqrt{\rho}\, u_g + \sqrt{1 - \rho}\, e_{gi}

    The difference on series i of collection g has a part that its collection shares; u and e are standard normal, :math:`\rho` is
    ``correlation``, and ``sizes`` are the numbers of series in the collections. One test uses series, the other the means of collections.
    A valid test rejects in at most 5 % of the trials at level 0.95.

    >>> rejections = false_rejections([20] * 10, 0.4, trials=200)
    >>> rejections.by_series > 0.3, rejections.by_collection < 0.1
    (True, True)
    """
    counts = [whole("a size", size, least=1) for size in sizes]
    if len(counts) < 2:
        raise ValueError(f"sizes needs at least two collections; got {len(counts)}")
    rho = number("correlation", correlation)
    if not 0.0 <= rho <= 1.0:
        raise ValueError(f"correlation must be between 0 and 1; got {rho}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, such as 0.95; got {level!r}")
    trials = whole("trials", trials, least=1)
    random = np.random.default_rng(seed)
    groups = Groups.of(np.repeat(np.arange(len(counts)), counts).tolist(), sum(counts))
    rejected = [0, 0]
    for _ in range(trials):
        shared = random.standard_normal(len(counts))[groups.place]
        differences = math.sqrt(rho) * shared + math.sqrt(1.0 - rho) * random.standard_normal(sum(counts))
        for place, values in enumerate((differences, group_means(differences[:, np.newaxis], groups)[:, 0])):
            rejected[place] += signed_rank(values) <= 1 - level
    return FalseRejections(rho, sum(counts), len(counts), trials, level, rejected[0] / trials, rejected[1] / trials)
