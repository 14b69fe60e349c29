"""Ranges as input: the cost grows with their number, whatever their shape."""

from __future__ import annotations

import numpy as np

from benchmarks.report import Goal, Section, Table, count_text, number_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

COUNTS = (10**3, 10**4, 10**5, 10**6)
LONG_RANGE = 10**6
# A range in pieces has an overlap for each of them, an ordinary one has fewer: so much is left to that and to noise.
AS_FAST = 1.25


def spread(count: int, seed: int) -> np.ndarray:
    """Pairs of ``count`` ranges of random lengths and gaps, about as long as the gaps are."""
    edges = np.cumsum(np.random.default_rng(seed).integers(1, 100, size=2 * count))
    return edges.reshape(count, 2)


def run(settings: Settings) -> Section:
    growth, growth_goal = _growth(settings)
    shapes, shape_goals = _shapes(settings)
    return Section(
        "Ranges as input",
        [
            "`rw.score` of two `Ranges`: the time, and the time per range of both sides together, as their number grows.",
            growth,
            f"One range of {LONG_RANGE:,} points against {LONG_RANGE // 2:,} unit ranges inside it, and the ordinary case with as many "
            "ranges. A program that compares every pair, or visits every point of a range for each piece, takes quadratic time.",
            shapes,
        ],
        [growth_goal, *shape_goals],
    )


def _growth(settings: Settings) -> tuple[Table, Goal]:
    import rangewise as rw

    counts = COUNTS[:2] if settings.quick else COUNTS
    pairs = [(count, count) for count in counts] + [(counts[0], counts[-1]), (counts[-1], counts[0])]
    settings.say("ranges: as their number grows")
    sides = {(real, predicted): (rw.Ranges(spread(real, 1)), rw.Ranges(spread(predicted, 2))) for real, predicted in pairs}
    # In turn, because the goal compares two of them.
    times = compare({pair: lambda both=both: rw.score(*both) for pair, both in sides.items()}, settings.seconds)
    rows, each = [], {}
    for (real_count, predicted_count), seconds in times.items():
        each[real_count, predicted_count] = seconds / (real_count + predicted_count)
        rows.append(
            [
                count_text(real_count),
                count_text(predicted_count),
                time_text(seconds),
                time_text(each[real_count, predicted_count]),
                spread_text(seconds),
            ]
        )
    largest, middle = each[counts[-1], counts[-1]], each[counts[-2], counts[-2]]
    what = f"cost grows with Nr + Np: {counts[-1]:,} ranges per side take at most 1.5 x the time per range of {counts[-2]:,}"
    return Table(["real ranges", "predicted ranges", "time", "time per range", "spread"], rows), Goal.at_most(what, largest / middle, 1.5)


def _shapes(settings: Settings) -> tuple[Table, list[Goal]]:
    import rangewise as rw

    points = LONG_RANGE // 100 if settings.quick else LONG_RANGE
    pieces = points // 2
    long_range = rw.Ranges([(0, points)])
    units = rw.Ranges(np.column_stack([np.arange(0, points, 2), np.arange(1, points, 2)]))
    half = (pieces + 1) // 2
    shapes = {
        "ordinary": (rw.Ranges(spread(half, 1)), rw.Ranges(spread(half, 2))),
        "real range in pieces": (long_range, units),
        "predicted range in pieces": (units, long_range),
    }
    rows, goals = [], []
    for name, model in {
        "flat, one": rw.RangeModel(),
        "front, reciprocal": rw.RangeModel(bias="front", cardinality="reciprocal"),
    }.items():
        settings.say(f"ranges: one long range, {name}")
        calls = {shape: lambda sides=sides, model=model: model.score(*sides) for shape, sides in shapes.items()}
        times = compare(calls, settings.seconds)
        each = {shape: times[shape] / sum(map(len, shapes[shape])) for shape in shapes}
        for shape in shapes:
            ratio = each[shape] / each["ordinary"]
            rows.append(
                [
                    f"{shape} ({name})",
                    count_text(sum(map(len, shapes[shape]))),
                    time_text(times[shape]),
                    time_text(each[shape]),
                    number_text(ratio),
                    spread_text(ratio),
                ]
            )
        worst = max(each[shape] / each["ordinary"] for shape in shapes if shape != "ordinary")
        goals.append(
            Goal.at_most(f"one long range in pieces, {name}: time per range within a quarter of the ordinary case", worst, AS_FAST)
        )
    return Table(["shape", "ranges", "time", "time per range", "relative to ordinary", "spread"], rows), goals
