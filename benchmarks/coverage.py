"""Do 95 % intervals hold the truth in 95 % of the cases? Series are drawn from a population whose pooled scores are known.

``python -m benchmarks.coverage [repetitions] [--write]``: a table, also for docs/bench.md. The population: easy and hard series, a
geometric number of real ranges (2.9 on average), rewards that cluster by series, false alarms that are over-dispersed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rangewise.bench.statistics import bootstrap, pooled_intervals
from rangewise.bench.statistics.tallies import TallyTable

SIZES = (10, 20, 50, 200)
_PAGE = Path(__file__).parent.parent / "docs" / "bench.md"
_BEGIN, _END = "<!-- coverage: begin -->", "<!-- coverage: end -->"
_POPULATION = 4_000_000


def draw(random: np.random.Generator, series: int) -> NDArray[np.float64]:
    """Counts of two detectors on that many series: series x 2 x (real reward, real ranges, predicted reward, predicted ranges)."""
    real = random.geometric(1 / 2.9, series)
    ease = random.beta(2.0, 1.2, series)
    found = np.empty((series, 2, 4))
    for detector, (skill, alarms) in enumerate(((1.0, 1.5), (0.8, 1.0))):
        # The ranges of a series share its ease: they are not independent.
        chance = np.clip(ease * skill, 0.02, 0.98)
        hits = random.binomial(real, chance)
        quality = random.beta(8 * chance + 1, 8 * (1 - chance) + 1)
        false = random.negative_binomial(0.7, 0.7 / (0.7 + alarms * (1.5 - ease)))
        found[:, detector, 0] = hits * quality
        found[:, detector, 1] = real
        found[:, detector, 2] = hits * random.beta(6.0, 2.0, series)
        found[:, detector, 3] = hits + false
    return found


def table_of(counts: NDArray[np.float64]) -> TallyTable:
    # In units that add up exactly, as tallies of real series are.
    counts = counts.copy()
    counts[..., [0, 2]] = np.rint(counts[..., [0, 2]] * 2.0**30) / 2.0**30
    return TallyTable(("a", "b"), tuple(map(str, range(len(counts)))), counts)


def truth(random: np.random.Generator) -> NDArray[np.float64]:
    total = sum((draw(random, 500_000).sum(axis=0) for _ in range(_POPULATION // 500_000)), start=np.zeros((2, 4)))
    return table_of(np.zeros((1, 2, 4))).scores_of(total)


def coverage(repetitions: int) -> list[tuple[int, dict[str, float], float]]:
    """A row a number of series: the share of intervals that hold the truth, and the mean width for F."""
    random = np.random.default_rng(7)
    known = truth(random)
    found = []
    for size in SIZES:
        hits, width = dict.fromkeys(("precision", "recall", "f", "difference"), 0), 0.0
        for repetition in range(repetitions):
            table = table_of(draw(random, size))
            parts = pooled_intervals(table)["a"]
            for place, part in enumerate(("precision", "recall", "f")):
                hits[part] += parts[part].low <= known[0, place] <= parts[part].high
            width += parts["f"].high - parts["f"].low
            between = bootstrap(table, resamples=2_000, seed=repetition).difference("a", "b")
            hits["difference"] += between.low <= known[0, 2] - known[1, 2] <= between.high
        found.append((size, {name: count / repetitions for name, count in hits.items()}, width / repetitions))
    return found


def markdown(rows: list[tuple[int, dict[str, float], float]], repetitions: int) -> str:
    error = 1.96 * (0.95 * 0.05 / repetitions) ** 0.5
    lines = ["| series | precision | recall | F | difference of F | mean width, F |", "| --- | --- | --- | --- | --- | --- |"]
    for size, shares, width in rows:
        cells = " | ".join(f"{100 * shares[name]:.1f} %" for name in ("precision", "recall", "f", "difference"))
        lines.append(f"| {size} | {cells} | {width:.3f} |")
    return "\n".join([*lines, "", f"{repetitions:,} repetitions a row; chance alone moves a share by ±{100 * error:.1f} points."])


def main() -> None:
    numbers = [int(text) for text in sys.argv[1:] if text.isdigit()]
    repetitions = numbers[0] if numbers else 2_000
    text = markdown(coverage(repetitions), repetitions)
    print(text)
    if "--write" in sys.argv:
        page = _PAGE.read_text(encoding="utf-8")
        before, _, rest = page.partition(_BEGIN)
        _PAGE.write_text(f"{before}{_BEGIN}\n{text}\n{_END}{rest.partition(_END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
