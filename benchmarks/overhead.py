"""The overhead of Python: the import, and the way from `rw.score` to the kernel and back."""

from __future__ import annotations

from benchmarks.inputs import both_sides
from benchmarks.report import Goal, Section, Table, count_text, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare, compare_starts

MOST_ABOVE_KERNEL, MOST_BY_NUMPY = 15e-6, 1.15


def run(settings: Settings) -> Section:
    imports, import_goal = _imports(settings)
    calls, call_goal = _calls(settings)
    return Section(
        "Overhead of Python",
        [
            "`rw.score`, and only the three kernel calls in it (ranges of both sides, tally), uint8 labels:",
            calls,
            "Processor time of a fresh process that imports and ends:",
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
            return compiled.tally_bits(compiled.LabelBits(real), compiled.LabelBits(predicted), *rules)

        times = compare({"ours": lambda real=real, predicted=predicted: rw.score(real, predicted), "kernel": kernel}, settings.seconds)
        above[points] = times["ours"] - times["kernel"]
        rows.append(
            [
                count_text(points),
                time_text(times["ours"]),
                time_text(times["kernel"]),
                time_text(max(0.0, above[points])),
                spread_text(times["ours"]),
            ]
        )
    goal = Goal.at_most("1,000 points: at most 15 µs above the kernel's own time", above[10**3], MOST_ABOVE_KERNEL, time_text)
    return Table(["points", "rw.score", "kernel alone", "difference", "spread"], rows), goal


def _imports(settings: Settings) -> tuple[Table, Goal]:
    settings.say("overhead: imports")
    times = compare_starts({name: ["-c", f"import {name}"] for name in ("numpy", "rangewise")}, 1 if settings.quick else 25)
    ratio = times["rangewise"] / times["numpy"]
    rows = [
        [f"`import {name}`", time_text(seconds), ratio_text(seconds / times["numpy"]), spread_text(seconds)]
        for name, seconds in times.items()
    ]
    goal = Goal.at_most(f"`import rangewise`: at most {MOST_BY_NUMPY} x `import numpy`", ratio, MOST_BY_NUMPY)
    return Table(["process", "time", "relative to NumPy", "spread"], rows), goal
