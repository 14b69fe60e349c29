"""Every threshold of a score: `model.curve` beside scikit-learn's curve of points, and beside peers that sample thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import both_sides, scores_for
from benchmarks.memory import extra_bytes
from benchmarks.peers import PEERS, Job, measure_peers
from benchmarks.report import Goal, Section, Table, absent_notes, beside_cell, bytes_text, count_text, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

Array = NDArray[Any]
Call = Callable[[], float]

SIZES = (10**5, 10**6, 10**7)
GOAL_SIZE = 10**6
MOST_BY_SKLEARN = 0.25
MOST_BYTES_A_POINT = 50
# Memory beyond the caches makes points of long series dearer; more than this is not called n log n any more.
MOST_BY_GROWTH = 1.3
PEER_SIZES = (10**4, 10**5)
SAMPLED = 100


# The peers' own calls over sampled thresholds, reciprocal cardinality, flat bias, which all of them have. What they make of the
# curve differs (an area, the best F); the time goes into its entries.


def aeon(real: Array, scores: Array) -> Call:
    from aeon.benchmarking.metrics.anomaly_detection import rp_rr_auc_score

    return lambda: rp_rr_auc_score(real, scores, max_samples=SAMPLED, r_alpha=0, cardinality="reciprocal", bias="flat")


def dtaianomaly(real: Array, scores: Array) -> Call:
    from dtaianomaly.evaluation import BestThresholdMetric, RangeBasedFBeta

    metric = BestThresholdMetric(RangeBasedFBeta(alpha=0.0, delta="flat", gamma="reciprocal"), max_nb_thresholds=SAMPLED)
    return lambda: metric.compute(real, scores)


def sktime(real: Array, scores: Array) -> Call:
    # Its public metric takes every distinct score; this is the function that it calls for each.
    from sktime.performance_metrics.detection.utils import _ts_precision_and_recall

    def factor(count: int, length: int) -> float:
        return 1.0 / max(1, count)

    def best_recall() -> float:
        thresholds = np.quantile(scores, np.linspace(0.0, 1.0, SAMPLED))
        return max(_ts_precision_and_recall(real, scores >= threshold, recall_cardinality_fn=factor)[1] for threshold in thresholds)

    return best_recall


def timeeval(real: Array, scores: Array) -> Call:
    from timeeval.metrics import RangePrecisionRangeRecallAUC

    metric = RangePrecisionRangeRecallAUC(max_samples=SAMPLED, r_alpha=0, cardinality="reciprocal", bias="flat")
    labels = real.astype(np.int64)  # it takes no unsigned labels
    return lambda: metric(labels, scores)


PEER_CALLS = {"aeon": aeon, "dtaianomaly": dtaianomaly, "sktime": sktime, "timeeval": timeeval}


def ours(points: int) -> Callable[[], object]:
    import rangewise as rw

    real, predicted = both_sides(points)
    model, scores = rw.RangeModel(cardinality="reciprocal", recall_bias="front"), scores_for(predicted)
    return lambda: model.curve(real, scores)


MEMORY_CALLS = {"curve": ours}


def run(settings: Settings) -> Section:
    table, goals = _beside_sklearn(settings)
    return Section(
        "Every threshold",
        [
            "`model.curve(real, scores)` with cardinality reciprocal and recall bias front: precision and recall at every threshold, all "
            "scores different (float64). scikit-learn is `precision_recall_curve`, which does not know ranges; the ratio is our time "
            "divided by its time. Memory is the peak above the input, in a fresh process. Per n log n is the time divided by "
            "points x log2(points).",
            table,
            f"Packages that score one threshold at a time: {SAMPLED} thresholds (reciprocal, flat bias), and ours for all of "
            "them with the same settings; in parentheses, their time divided by ours.",
            *_beside_peers(settings),
        ],
        goals,
    )


def _beside_sklearn(settings: Settings) -> tuple[Table, list[Goal]]:
    from sklearn.metrics import precision_recall_curve

    rows, goals, a_step = [], [], {}
    for points in SIZES[:1] if settings.quick else SIZES:
        settings.say(f"curve: {points:,} points")
        real, predicted = both_sides(points)
        scores = scores_for(predicted)
        calls = {"ours": ours(points), "sklearn": lambda real=real, scores=scores: precision_recall_curve(real, scores)}
        times = compare(calls, 10 * settings.seconds)
        extra = extra_bytes("curve", "curve", points)
        each = None if extra is None else extra / points
        ratio = times["ours"] / times["sklearn"]
        a_step[points] = times["ours"] / (points * math.log2(points))
        shown = [time_text(times["ours"]), time_text(times["sklearn"]), ratio_text(ratio)]
        rows.append([count_text(points), *shown, bytes_text(each), time_text(a_step[points]), spread_text(ratio)])
        what = f"curve of {points:,} points"
        if points >= GOAL_SIZE:
            goals.append(Goal.at_most(f"{what}: at most {MOST_BY_SKLEARN} x scikit-learn's", ratio, MOST_BY_SKLEARN))
            if points == GOAL_SIZE and each is not None:
                goals.append(Goal(f"{what}: at most {MOST_BYTES_A_POINT} bytes per point", bytes_text(each), each <= MOST_BYTES_A_POINT))
    largest = max(a_step)
    if largest > GOAL_SIZE:
        growth = a_step[largest] / a_step[GOAL_SIZE]
        what = f"curve grows as n log n: {largest:,} points take at most {MOST_BY_GROWTH} x what {GOAL_SIZE:,} predict"
        goals.append(Goal.at_most(what, growth, MOST_BY_GROWTH))
    return Table(["points", "rangewise", "scikit-learn", "ratio", "memory per point", "per n log n", "spread"], rows), goals


def _beside_peers(settings: Settings) -> list[str | Table]:
    import rangewise as rw

    inputs = {}
    for points in PEER_SIZES[:1] if settings.quick else PEER_SIZES:
        real, predicted = both_sides(points)
        inputs[points] = {"real": real, "scores": scores_for(predicted)}
    model = rw.RangeModel(cardinality="reciprocal")
    found = measure_peers("curve", PEER_CALLS, [Job(arrays, points) for points, arrays in inputs.items()], settings)
    rows = []
    for number, (points, arrays) in enumerate(inputs.items()):
        seconds = compare({"ours": lambda arrays=arrays: model.curve(**arrays)}, settings.seconds)["ours"]
        rows.append([count_text(points), time_text(seconds), *(beside_cell(outcomes[number], seconds) for outcomes in found.values())])
    names = [f"{name} {PEERS[name].version}" for name in found]
    return [Table(["points", "rangewise, all", *names], rows), *absent_notes(found)]
