"""One score from labels: `rw.score` beside the memory's own speed, scikit-learn's point scores and the peers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import both_sides
from benchmarks.peers import PEERS, Job, measure_peers
from benchmarks.report import Goal, Section, Table, absent_notes, beside_cell, count_text, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

Labels = NDArray[Any]
Sides = tuple[Labels, Labels]
Call = Callable[[], float]

SIZES = (10**3, 10**4, 10**5, 10**6, 10**7)
# The setting of the paper's own measurements: 50,000 points, 10 to 5,000 ranges per side.
PAPER_POINTS = 50_000
PAPER_RANGES = (10, 50, 100, 500, 1000, 5000)
# Other labels of a million points: type, and ranges per side.
KINDS = ((np.uint8, 50), (np.uint8, 50_000), (np.int64, 50), (np.int64, 5_000), (np.int64, 50_000))


# F of range-based precision and recall as each peer's documentation calls it, with the model's settings made equal.


def aeon(real: Labels, predicted: Labels, *, beta: float, recall_bias: str, precision_bias: str, cardinality: str) -> Call:
    from aeon.benchmarking.metrics.anomaly_detection import range_f_score

    options = {"beta": beta, "p_alpha": 0, "r_alpha": 0, "cardinality": cardinality, "p_bias": precision_bias, "r_bias": recall_bias}
    return lambda: range_f_score(real, predicted, **options)


def dtaianomaly(real: Labels, predicted: Labels, *, beta: float, recall_bias: str, precision_bias: str, cardinality: str) -> Call:
    from dtaianomaly.evaluation import RangeBasedFBeta

    if recall_bias != precision_bias:
        raise NotImplementedError("one bias for both sides")
    metric = RangeBasedFBeta(beta=beta, alpha=0.0, delta=recall_bias, gamma=cardinality)
    return lambda: metric.compute(real, predicted)


def prts(real: Labels, predicted: Labels, *, beta: float, recall_bias: str, precision_bias: str, cardinality: str) -> Call:
    from prts import ts_fscore

    return lambda: ts_fscore(real, predicted, beta=beta, cardinality=cardinality, p_bias=precision_bias, r_bias=recall_bias)


def sktime(real: Labels, predicted: Labels, *, beta: float, recall_bias: str, precision_bias: str, cardinality: str) -> Call:
    # Its public metric is the area under a curve; this is the function that scores one threshold of it.
    from sktime.performance_metrics.detection.utils import _ts_precision_and_recall

    if (recall_bias, precision_bias) != ("flat", "flat"):
        raise NotImplementedError("flat bias only")
    factor = {"one": lambda count, length: 1.0, "reciprocal": lambda count, length: 1.0 / max(1, count)}[cardinality]

    def f_score() -> float:
        precision, recall = _ts_precision_and_recall(real, predicted, recall_cardinality_fn=factor)
        return (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if precision + recall else 0.0

    return f_score


def timeeval(real: Labels, predicted: Labels, *, beta: float, recall_bias: str, precision_bias: str, cardinality: str) -> Call:
    from timeeval.metrics import RangeFScore

    metric = RangeFScore(beta=beta, p_alpha=0, r_alpha=0, cardinality=cardinality, p_bias=precision_bias, r_bias=recall_bias)
    real, predicted = real.astype(np.int64), predicted.astype(np.int64)  # it takes no bool and no unsigned labels
    return lambda: metric(real, predicted)


def tsadmetrics(real: Labels, predicted: Labels, *, beta: float, recall_bias: str, precision_bias: str, cardinality: str) -> Call:
    from tsadmetrics.metrics.tem.tpdm import RangebasedFScore

    metric = RangebasedFScore(beta=beta, p_alpha=0.0, r_alpha=0.0, p_bias=precision_bias, r_bias=recall_bias, cardinality_mode=cardinality)
    return lambda: metric.compute(real, predicted)


PEER_CALLS = {"aeon": aeon, "dtaianomaly": dtaianomaly, "prts": prts, "sktime": sktime, "timeeval": timeeval, "tsadmetrics": tsadmetrics}
PLAIN = {"beta": 1.0, "recall_bias": "flat", "precision_bias": "flat", "cardinality": "one"}


def run(settings: Settings) -> Section:
    import rangewise as rw

    sizes = SIZES[:2] if settings.quick else SIZES
    ranges = PAPER_RANGES[:2] if settings.quick else PAPER_RANGES
    by_size = {points: both_sides(points) for points in sizes}
    long = [side.astype(np.int64) for side in by_size[max(by_size)]]
    by_ranges = {count: both_sides(PAPER_POINTS, count) for count in ranges}

    limits, ours, limit_goals = _beside_the_limit(by_size, settings)
    kinds, kind_goals = _kinds(settings)
    peers, peer_goals = _beside_peers("points", by_size, ours, settings)
    paper, _ = _beside_peers(
        "ranges per side", by_ranges, {count: _our_seconds(sides, settings) for count, sides in by_ranges.items()}, settings
    )
    return Section(
        "One score from labels",
        [
            "`rw.score(real, predicted)` with flat bias and cardinality one, with one range per 200 points on each side. The limit is the "
            "speed of memory: one `np.count_nonzero` per side; its ratio is our time divided by the limit. scikit-learn is "
            "`precision_recall_fscore_support`, which does not know ranges; its ratio is its time divided by ours.",
            limits,
            "Other labels: few ranges and many, and a type of eight bytes; then long int64 labels on two threads (`rw.set_threads(2)`).",
            kinds,
            on_threads(max(by_size), lambda: rw.score(*long), settings.seconds),
            "F1 of the same labels (uint8) by other packages; in parentheses, their time divided by ours. Calls that would take more than "
            f"{settings.limit:.0f} s, extrapolated from smaller sizes, are left out.",
            *peers,
            f"The size of the paper's own measurements: {PAPER_POINTS:,} points.",
            *paper,
        ],
        [*limit_goals, *kind_goals, *peer_goals],
    )


def _our_seconds(sides: Sides, settings: Settings) -> float:
    import rangewise as rw

    return compare({"ours": lambda: rw.score(*sides)}, settings.seconds)["ours"]


def _beside_the_limit(by_size: Mapping[int, Sides], settings: Settings) -> tuple[Table, dict[int, float], list[Goal]]:
    """The table, our own seconds for uint8 labels of each size, and the goals."""
    rows, ours, goals = [], {}, []
    for points, sides in by_size.items():
        for dtype in (np.bool_, np.uint8):
            settings.say(f"score: {points:,} points, {np.dtype(dtype)}")
            times = _in_process_times(sides[0].astype(dtype), sides[1].astype(dtype), settings)
            ours[points] = times["ours"]
            above, faster = times["ours"] / times["limit"], times["sklearn"] / times["ours"]
            shown = [
                time_text(times["ours"]),
                time_text(times["limit"]),
                ratio_text(above),
                time_text(times["sklearn"]),
                ratio_text(faster),
                spread_text(above),
            ]
            rows.append([f"{points:,} {np.dtype(dtype)}", *shown])
            if points == 10**6:
                kind = f"{points:,} {np.dtype(dtype)} labels"
                goals.append(Goal.at_most(f"{kind}: at most 2 x the limit", above, 2.0))
                goals.append(Goal.at_least(f"{kind}: 100 x faster than scikit-learn", faster, 100.0))
    return Table(["points", "rangewise", "limit", "ratio", "scikit-learn", "ratio", "spread"], rows), ours, goals


def _kinds(settings: Settings) -> tuple[Table, list[Goal]]:
    import rangewise as rw

    points = 10**5 if settings.quick else 10**6
    rows, goals = [], []
    for dtype, count in KINDS:
        settings.say(f"score: {points:,} points, {np.dtype(dtype)}, {count:,} ranges")
        real, predicted = (side.astype(dtype) for side in both_sides(points, count * points // 10**6))
        calls = {
            "ours": lambda real=real, predicted=predicted: rw.score(real, predicted),
            "limit": lambda real=real, predicted=predicted: (np.count_nonzero(real), np.count_nonzero(predicted)),
        }
        times = compare(calls, settings.seconds)
        above = times["ours"] / times["limit"]
        what = f"{points:,} {np.dtype(dtype)}"
        rows.append([what, count_text(count), time_text(times["ours"]), time_text(times["limit"]), ratio_text(above), spread_text(above)])
        goals.append(Goal.at_most(f"{what} labels, {count:,} ranges per side: at most 2 x the limit", above, 2.0))
    return Table(["points", "ranges per side", "rangewise", "limit", "ratio", "spread"], rows), [] if settings.quick else goals


def on_threads(points: int, call: Callable[[], object], seconds: float) -> Table:
    """A call with one thread and with two."""
    import rangewise as rw

    def allowed(threads: int) -> Callable[[], object]:
        def timed() -> object:
            rw.set_threads(threads)
            return call()

        return timed

    times = compare({"one": allowed(1), "two": allowed(2)}, seconds)
    rw.set_threads(None)
    ratio = times["two"] / times["one"]
    cells = [count_text(points), time_text(times["one"]), time_text(times["two"]), ratio_text(ratio), spread_text(ratio)]
    return Table(["points", "one thread", "two threads", "ratio", "spread"], [cells])


def _in_process_times(real: Labels, predicted: Labels, settings: Settings) -> dict[str, float]:
    from sklearn.metrics import precision_recall_fscore_support

    import rangewise as rw

    calls = {
        "ours": lambda: rw.score(real, predicted),
        "limit": lambda: (np.count_nonzero(real), np.count_nonzero(predicted)),
        "sklearn": lambda: precision_recall_fscore_support(real, predicted, average="binary", zero_division=0),
    }
    return compare(calls, settings.seconds)


def _beside_peers(
    unit: str, inputs: Mapping[int, Sides], ours: Mapping[int, float], settings: Settings
) -> tuple[list[str | Table], list[Goal]]:
    jobs = [Job({"real": real, "predicted": predicted}, size, PLAIN) for size, (real, predicted) in inputs.items()]
    found = measure_peers("score", PEER_CALLS, jobs, settings)
    rows = [
        [count_text(size), time_text(ours[size]), *(beside_cell(outcomes[number], ours[size]) for outcomes in found.values())]
        for number, size in enumerate(inputs)
    ]
    # How many times as long the nearest peer takes, from small to large.
    nearest = {
        size: min((outcomes[number].seconds / ours[size], name) for name, outcomes in found.items() if outcomes[number].seconds is not None)
        for number, size in enumerate(inputs)
        if any(outcomes[number].seconds is not None for outcomes in found.values())
    }
    goals = []
    for at, least, sizes in (("1,000 points", 5.0, SIZES[:1]), ("100,000 points and more", 100.0, SIZES[2:])):
        chosen = [(*nearest[size], size) for size in sizes if size in nearest]
        if chosen:
            faster, name, size = min(chosen)
            goal = Goal.at_least(f"{at}: {least:.0f} x faster than every Python peer", faster, least)
            goals.append(replace(goal, measured=f"{goal.measured} ({name}, {size:,})"))
    table = Table([unit, "rangewise", *(f"{name} {PEERS[name].version}" for name in found)], rows)
    return [table, *absent_notes(found)], goals
