"""Do 95 % intervals hold the truth in 95 % of the cases, and do tests err in 5 %? The tables of docs/coverage.md, by simulation.

``python docs/make/interval_coverage.py [repetitions]``, run by ``make coverage``: some minutes with the default of 2,000 repetitions for
each number. Needs the extra ``bench``.
"""

import math
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rangewise.bench.statistics import Interval, TallyTable, compare_all, mean_interval, pooled_difference, pooled_intervals, signed_rank
from rangewise.tables import Table

PAGE = Path(__file__).parents[1] / "coverage.md"
BEGIN, END = "<!-- made by docs/make/interval_coverage.py -->", "<!-- end -->"
SIZES = (10, 20, 50)
TRUTHS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98, 0.99, 0.995)
PARTS = ("precision", "recall", "f")
Random = np.random.Generator
Floats = NDArray[np.float64]

COUNTS: dict[str, Callable[[Random, int], NDArray[np.int64]]] = {
    "equal": lambda random, series: np.full(series, 5),
    "skewed": lambda random, series: random.geometric(1 / 3, series),
    "heavy-tailed": lambda random, series: np.ceil(2 * random.pareto(1.5, series) + 0.5).clip(1, 5_000).astype(np.int64),
}
"""The number of ranges of each series: 5, geometric with mean 3, and Pareto's with exponent 1.5, whose variance is infinite."""


def counted(random: Random, counts: str, truth: float, series: int, skills: tuple[float, ...] = (1.0,)) -> TallyTable:
    """Series whose pooled precision, recall and F are ``truth`` times each detector's skill in the long run.

    The ranges of a series share its rate, which is 0 or 1 almost as often as anything between: they are far from independent.
    """
    rate = random.beta(2 * truth, 2 * (1 - truth), series)
    sides = []
    for _ in range(2):
        ranges = COUNTS[counts](random, series)
        sides.append([np.stack([random.binomial(ranges, rate * skill), ranges], axis=-1) for skill in skills])
    table = np.concatenate([np.stack(side, axis=1) for side in sides], axis=-1).astype(np.float64)
    return TallyTable(tuple(f"detector {number}" for number in range(len(skills))), tuple(map(str, range(series))), table)


def with_rare_flood(random: Random, series: int) -> TallyTable:
    """Precision 1/2 but for one series in thirty, which has a hundred times the alarms, all false."""
    flood = random.random(series) < 1 / 30
    alarms = np.where(flood, 1_000, 10)
    hits = np.where(flood, 0, random.binomial(10, 0.5, series))
    table = np.stack([hits, np.full(series, 10), hits, alarms], axis=-1)[:, np.newaxis].astype(np.float64)
    return TallyTable(("detector 0",), tuple(map(str, range(series))), table)


def capped_lognormal_mean(mu: float, sigma: float) -> float:
    """Of a lognormal value, or of 1 where it is above 1."""
    below = NormalDist().cdf
    return math.exp(mu + sigma**2 / 2) * below((-mu - sigma**2) / sigma) + 1 - below(-mu / sigma)


class Values(NamedTuple):
    """Values of single series: how they are drawn, their mean in the long run, and their bounds."""

    draw: Callable[[Random, int], Floats]
    mean: float
    low: float = 0.0
    high: float = 1.0


VALUES = {
    "even: Beta(2, 2)": Values(lambda random, series: random.beta(2, 2, series), 0.5),
    "near 1: Beta(20, 0.5)": Values(lambda random, series: random.beta(20, 0.5, series), 20 / 20.5),
    "0 for nine series of ten": Values(lambda random, series: np.where(random.random(series) < 0.9, 0, random.beta(2, 2, series)), 0.05),
    "1 for 97 of 100": Values(lambda random, series: np.where(random.random(series) < 0.97, 1, random.beta(2, 2, series)), 0.985),
    "a few large: Beta(0.1, 1)": Values(lambda random, series: random.beta(0.1, 1, series), 0.1 / 1.1),
    "a few large: lognormal, sigma 1.5, at most 1": Values(
        lambda random, series: np.minimum(1, random.lognormal(-5, 1.5, series)), capped_lognormal_mean(-5, 1.5)
    ),
    "normal": Values(lambda random, series: random.normal(0, 1, series), 0.0, -math.inf, math.inf),
    "exponential, such as a delay": Values(lambda random, series: random.exponential(1, series), 1.0, 0.0, math.inf),
    "lognormal, sigma 1": Values(lambda random, series: random.lognormal(0, 1, series), math.exp(0.5), 0.0, math.inf),
    "lognormal, sigma 1.5": Values(lambda random, series: random.lognormal(0, 1.5, series), math.exp(1.125), 0.0, math.inf),
}

DIFFERENCES: dict[str, Callable[[Random, tuple[int, ...]], Floats]] = {
    "normal": lambda random, shape: random.normal(0, 0.1, shape),
    "heavy-tailed (t, 2 degrees)": lambda random, shape: random.standard_t(2, shape) / 10,
    "two decimals, many ties": lambda random, shape: np.round(random.normal(0, 0.05, shape), 2),
    "0 or 1 per series": lambda random, shape: random.integers(0, 2, shape).astype(np.float64),
}
"""Scores of detectors that are equally good: series by detectors, exchangeable."""


class Share:
    """How many intervals hold the truth, and how many carry a note."""

    def __init__(self) -> None:
        self.intervals = self.held = self.noted = 0

    def add(self, interval: Interval, truth: float) -> None:
        self.intervals += 1
        self.held += interval.low <= truth <= interval.high
        self.noted += bool(interval.note)

    @property
    def coverage(self) -> float:
        return self.held / self.intervals

    def __str__(self) -> str:
        noted = f" ({100 * self.noted / self.intervals:.0f})" if self.noted else ""
        return f"{100 * self.coverage:.1f}{noted}"


def pooled_shares(counts: str, truth: float, series: int, repetitions: int) -> dict[str, Share]:
    random, shares = np.random.default_rng(1), {part: Share() for part in PARTS}
    for _ in range(repetitions):
        intervals = pooled_intervals(counted(random, counts, truth, series))["detector 0"]
        for part in PARTS:
            shares[part].add(intervals[part], truth)
    return shares


def difference_shares(counts: str, truth: float, series: int, repetitions: int, skill: float = 0.7) -> dict[str, Share]:
    random, shares = np.random.default_rng(2), {part: Share() for part in PARTS}
    for _ in range(repetitions):
        table = counted(random, counts, truth, series, (1.0, skill))
        for part in PARTS:
            shares[part].add(pooled_difference(table, "detector 0", "detector 1", part), truth * (1 - skill))
    return shares


def mean_share(name: str, series: int, repetitions: int) -> Share:
    values, random, share = VALUES[name], np.random.default_rng(4), Share()
    for _ in range(repetitions):
        share.add(mean_interval(values.draw(random, series), low=values.low, high=values.high), values.mean)
    return share


def flood_share(series: int, repetitions: int) -> Share:
    random, share = np.random.default_rng(5), Share()
    truth = (29 / 30 * 5) / (29 / 30 * 10 + 1_000 / 30)
    for _ in range(repetitions):
        share.add(pooled_intervals(with_rare_flood(random, series))["detector 0"]["precision"], truth)
    return share


def false_alarms(name: str, series: int, repetitions: int) -> tuple[float, float]:
    """The share of tables of two, and of five equally good detectors, in which some pair is called significant."""
    random, shares = np.random.default_rng(6), []
    for detectors in (2, 5):
        names = [str(number) for number in range(detectors)]
        tables = (DIFFERENCES[name](random, (series, detectors)) for _ in range(repetitions))
        shares.append(np.mean([any(pair.adjusted_p <= 0.05 for pair in compare_all(names, table)) for table in tables]))
    return shares[0], shares[1]


def lopsided_rejections(series: int, repetitions: int) -> float:
    """Of differences whose median is 0 but whose tails are not alike: the test then finds the tail."""
    random = np.random.default_rng(7)
    return float(np.mean([signed_rank(random.exponential(1, series) - np.log(2)) <= 0.05 for _ in range(repetitions)]))


def worst(shares: dict[str, Share]) -> Share:
    return min(shares.values(), key=lambda share: share.coverage)


def tables(repetitions: int) -> Iterator[str]:
    header = ["truth", *(f"{counts}, {series}" for counts, series in product(COUNTS, SIZES))]
    rows = [[f"{truth:g}", *(str(worst(pooled_shares(*kind, repetitions))) for kind in _kinds(truth))] for truth in TRUTHS]
    yield (
        "## Pooled precision, recall and F\n\nThe lowest of the three. The columns are the distribution of ranges over series, and the "
        "number of series."
    )
    yield Table(header, rows).to_markdown().strip()
    rows = [[f"{truth:g}", *(str(worst(difference_shares(*kind, repetitions))) for kind in _kinds(truth))] for truth in TRUTHS[::2]]
    yield "## Differences of pooled scores\n\nA detector with the score of the first column, and one that finds 70 % as much."
    yield Table(header, rows).to_markdown().strip()
    rows = [[name, *(str(mean_share(name, series, repetitions)) for series in SIZES)] for name in VALUES]
    yield "## Means over series"
    yield Table(["values", *(f"{series} series" for series in SIZES)], rows).to_markdown().strip()
    rows = [["a rare flood of alarms", *(str(flood_share(series, repetitions)) for series in SIZES)]]
    yield _FLOOD
    yield Table(["precision of", *(f"{series} series" for series in SIZES)], rows).to_markdown().strip()
    sizes = (6, *SIZES)
    rows = []
    for name in DIFFERENCES:
        errors = [false_alarms(name, series, repetitions) for series in sizes]
        rows.append([name, *(" / ".join(f"{100 * share:.1f}" for share in pair) for pair in errors)])
    yield _TESTS
    yield Table(["scores", *(f"{series} series" for series in sizes)], rows).to_markdown().strip()
    shares = ", ".join(f"{100 * lopsided_rejections(series, repetitions):.0f} % with {series}" for series in SIZES)
    yield _LOPSIDED.format(shares=shares)
    error = 196 * (0.95 * 0.05 / repetitions) ** 0.5
    yield f"{repetitions:,} repetitions for each number; chance alone changes a share by about ±{error:.1f} points."


_FLOOD = """## What no interval shows

An interval depends only on the kinds of series in the sample. Here one series in thirty has a hundred times as many alarms, all false, and
determines the precision. A sample without such a series does not show it, and its interval has no note."""
_TESTS = """## False alarms of the pair tests

How often a pair of equally good detectors is called significant at 5 %: with two detectors, and with five after Holm's correction."""
_LOPSIDED = """Every signed-rank test is a test of symmetry around 0: differences with a median of 0 and one long tail
(exponential minus its median) are called significant in {shares} series. So read the median difference and the wins together with p."""


def _kinds(truth: float) -> list[tuple[str, float, int]]:
    return [(counts, truth, series) for counts, series in product(COUNTS, SIZES)]


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    text = "\n\n".join(tables(repetitions))
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
