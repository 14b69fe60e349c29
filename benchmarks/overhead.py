"""What Python adds: the import, and the way from `rw.score` to the kernel and back."""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.inputs import both_sides
from benchmarks.report import Goal, Section, Table, count_text, ratio_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

MOST_ABOVE_KERNEL = 15e-6


def run(settings: Settings) -> Section:
    imports, import_goal = _imports(settings)
    calls, call_goal = _calls(settings)
    return Section(
        "What Python adds",
        [
            "A score by `rw.score`, and the kernel's three calls in it alone (ranges of both sides, tally), uint8 labels:",
            calls,
            "A fresh process that imports and ends, the least of many, in turn:",
            imports,
        ],
        [call_goal, import_goal],
    )


def _calls(settings: Settings) -> tuple[Table, Goal]:
    import rangewise as rw
    from rangewise import kernel as compiled

    model = rw.RangeModel()
    empty = rw.Ranges()
    rules = model._recall.for_tally(empty, empty, False), model._precision.for_tally(empty, empty, False)
    rows, above = [], {}
    for points in (10**3,) if settings.quick else (10**3, 10**4, 10**5, 10**6):
        settings.say(f"overhead: {points:,} points")
        real, predicted = both_sides(points)

        def kernel(real=real, predicted=predicted):
            return compiled.tally(compiled.find_ranges(real), compiled.find_ranges(predicted), *rules)

        times = compare({"ours": lambda real=real, predicted=predicted: rw.score(real, predicted), "kernel": kernel}, settings.seconds)
        above[points] = times["ours"] - times["kernel"]
        rows.append([count_text(points), time_text(times["ours"]), time_text(times["kernel"]), time_text(max(0.0, above[points]))])
    goal = Goal("1,000 points: at most 15 µs above the kernel's own time", time_text(above[10**3]), above[10**3] <= MOST_ABOVE_KERNEL)
    return Table(["points", "rw.score", "kernel alone", "difference"], rows), goal


def _imports(settings: Settings) -> tuple[Table, Goal]:
    least = {"numpy": float("inf"), "rangewise": float("inf")}
    for turn in range(1 if settings.quick else 25):
        settings.say(f"overhead: import {turn + 1}")
        for name in least:
            begin = time.perf_counter()
            # Isolated, so that no folder of the caller is searched first.
            subprocess.run([sys.executable, "-I", "-c", f"import {name}"], check=True)
            least[name] = min(least[name], time.perf_counter() - begin)
    ratio = least["rangewise"] / least["numpy"]
    rows = [[f"`import {name}`", time_text(seconds), ratio_text(seconds / least["numpy"])] for name, seconds in least.items()]
    return Table(["process", "time", "by NumPy"], rows), Goal(
        "`import rangewise`: at most 1.3 x `import numpy`", ratio_text(ratio), ratio <= 1.3
    )
