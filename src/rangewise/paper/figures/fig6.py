"""Figure 6: what precision and recall cost to compute, as the number of ranges grows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.paper.figures.cost import NAIVE, OPTIMIZED, Algorithm, Pairs, PrecisionRecall
from rangewise.paper.part import Bar, Part, markdown_table
from rangewise.plots.figure import new_figure
from rangewise.plots.palette import LINE, color_of, style_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 50_000
LONGEST = 10
"""The largest number of points in a range: the number of ranges grows, not their length."""
COUNTS = (50, 100, 200, 400, 800, 1_600)
QUICK_COUNTS = (25, 50, 100)
KERNEL = "rangewise"
PANELS = {"naive": tuple(NAIVE), "optimized": (*OPTIMIZED, KERNEL)}
_SEED = 2018
_LEAST_SECONDS, _TURNS = 0.03, 6
# What takes over a second is measured well by two turns.
_SLOW_SECONDS, _SLOW_TURNS = 1.0, 2
_MODEL = RangeModel(cardinality="reciprocal")
_CLASSICAL, _RANGES = (LINE, "-", "o"), (color_of(0), style_of(1), "s")
_LOOKS: dict[str, tuple[str, Any, str]] = {
    "Naive_Classical": _CLASSICAL,
    "Naive_T": _RANGES,
    "Optimized_Classical": _CLASSICAL,
    "Optimized1_T": (color_of(1), style_of(2), "^"),
    "Optimized1+2_T": _RANGES,
    KERNEL: (color_of(2), style_of(4), "D"),
}
"""Color, line and marker of each algorithm."""


@dataclass(frozen=True)
class Costs:
    """Seconds of each algorithm, ``seconds[series]`` as long as ``counts``, the numbers of ranges on each side."""

    counts: tuple[int, ...]
    seconds: dict[str, tuple[float, ...]]

    def slope(self, series: str) -> float:
        """The growth: the power of the number of ranges that fits best, on logarithms."""
        slope, _ = np.polyfit(np.log(self.counts), np.log(self.seconds[series]), 1)
        return float(slope)

    def ratio(self, slower: str, faster: str) -> float:
        """How many times as long one takes as the other, at the largest number of ranges."""
        return self.seconds[slower][-1] / self.seconds[faster][-1]


def random_ranges(count: int, generator: np.random.Generator) -> Pairs:
    """``count`` disjoint ranges of 1 to 10 points, anywhere in the series and at least a point apart."""
    lengths = generator.integers(1, LONGEST + 1, size=count)
    free = POINTS - int(lengths.sum()) - count
    before = np.sort(generator.integers(0, free + 1, size=count)) + np.arange(count)
    starts = before + np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return list(zip(starts.tolist(), (starts + lengths).tolist(), strict=True))


def measure(counts: Sequence[int] = COUNTS, say: Callable[[str], None] = lambda text: None) -> Costs:
    """All algorithms on the same random ranges, interleaved; the shortest of several times, because other processes can only add to it."""
    generator = np.random.default_rng(_SEED)
    sides = {count: (random_ranges(count, generator), random_ranges(count, generator)) for count in counts}
    least: dict[tuple[str, int], float] = {}
    for turn in range(_TURNS):
        for count, (real, predicted) in sides.items():
            say(f"fig6: {count} ranges on each side, turn {turn + 1} of {_TURNS}")
            for series, algorithm in (NAIVE | OPTIMIZED | {KERNEL: _kernel(real, predicted)}).items():
                known = least.get((series, count), math.inf)
                if turn < _SLOW_TURNS or known < _SLOW_SECONDS:
                    least[series, count] = min(known, seconds_of(algorithm, real, predicted))
    names = [series for panel in PANELS.values() for series in panel]
    return Costs(tuple(counts), {series: tuple(least[series, count] for count in counts) for series in names})


def seconds_of(algorithm: Algorithm, real: Pairs, predicted: Pairs) -> float:
    """The processor's time of one call, over enough calls for the clock."""
    calls = 1
    while True:
        begin = time.process_time()
        for _ in range(calls):
            algorithm(real, predicted)
        took = time.process_time() - begin
        if took >= _LEAST_SECONDS:
            return took / calls
        calls *= 2 if took <= 0 else math.ceil(1.3 * _LEAST_SECONDS / took)


def _kernel(real: Pairs, predicted: Pairs) -> Algorithm:
    """Our model, with its own type of ranges, as the others get theirs."""
    sides = Ranges(real), Ranges(predicted)

    def score(_: Pairs, __: Pairs) -> PrecisionRecall:
        result = _MODEL.score(*sides)
        return result.precision, result.recall

    return score


def make(costs: Costs) -> Part:
    rows = [
        Bar(panel, str(count), "", series, seconds)
        for panel, names in PANELS.items()
        for series in names
        for count, seconds in zip(costs.counts, costs.seconds[series], strict=True)
    ]
    slopes = [(series, round(costs.slope(series), 3)) for names in PANELS.values() for series in names]
    table = markdown_table(
        ["", *(f"{count:,} ranges" for count in costs.counts), "growth"],
        [[f"`{series}`", *(time_text(seconds) for seconds in costs.seconds[series]), f"{slope:.2f}"] for series, slope in slopes],
    )
    text = (
        f"Random ranges of 1 to {LONGEST} points in a series of {POINTS:,}; the same number of real and of predicted ones. Five "
        "algorithms in plain Python (`rangewise/paper/figures/cost.py`), and `rangewise`, our compiled kernel, as a sixth line. Naive: "
        "every real range is compared with every predicted one. Optimization 1: one pass over both. Optimization 2: the bias in closed "
        "form. Times are processor times, the shortest of several runs. *Growth* is the slope on logarithmic axes: 2 means that twice as "
        "many ranges take four times as long, 1 that they take twice as long. The line of `rangewise` is flatter than 1 because at these "
        "sizes the overhead of a call outweighs its work.\n\n"
        f"{table}\n\n"
        f"With {costs.counts[-1]:,} ranges, the naive algorithm for ranges takes {costs.ratio('Naive_T', 'Naive_Classical'):.1f} times as "
        f"long as the naive classical one, and the optimized one {costs.ratio('Optimized1+2_T', 'Optimized_Classical'):.1f} times as long "
        f"as the optimized classical one. The optimizations make ranges {costs.ratio('Naive_T', 'Optimized1+2_T'):,.0f} times and points "
        f"{costs.ratio('Naive_Classical', 'Optimized_Classical'):,.0f} times as fast; our kernel is "
        f"{costs.ratio('Optimized1+2_T', KERNEL):,.0f} times as fast again as the optimized Python.\n\n"
        "In `fig6.csv` the column `dataset` holds the number of ranges on each side, and `value` seconds; `fig6_slopes.csv` has the growth."
    )
    return Part(
        "fig6",
        "Figure 6: cost analysis",
        Bar._fields,
        rows,
        text,
        pictures={"fig6": lambda: _draw(costs)},
        more={"fig6_slopes.csv": (("series", "slope"), slopes)},
    )


def time_text(seconds: float) -> str:
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _draw(costs: Costs) -> Figure:
    figure = new_figure(8.8, 3.9)
    for panel, (name, title) in zip(figure.subplots(1, 2), (("naive", "a) Naive"), ("optimized", "b) Optimized")), strict=True):
        for series in PANELS[name]:
            color, style, marker = _LOOKS[series]
            label = f"{series} (growth {costs.slope(series):.2f})"
            panel.loglog(
                costs.counts, costs.seconds[series], color=color, linestyle=style, marker=marker, markersize=5, linewidth=1.4, label=label
            )  # fmt: skip
        panel.set_xticks(costs.counts, [f"{count:,}" for count in costs.counts])
        panel.minorticks_off()
        panel.tick_params(labelsize=8.5)
        panel.set_xlabel("ranges on each side")
        panel.set_ylabel("seconds")
        panel.set_title(title, fontsize=10)
        panel.legend(fontsize=8.5, frameon=False, loc="upper left", handlelength=4)
        panel.margins(y=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    return figure
