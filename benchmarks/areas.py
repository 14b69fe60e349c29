"""Areas over thresholds: VUS, PATE and TSB-AD's nine columns, ours at all thresholds, beside the reference programs at their samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import both_sides, scores_for
from benchmarks.memory import extra_bytes
from benchmarks.peers import PEERS, Job, Outcome, measure_peers
from benchmarks.report import Goal, Section, Table, absent_notes, beside_cell, bytes_text, count_text, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

BUFFER = 100
SIZES = (10**3, 10**4, 10**5)
# What is compared with which peer, and how many times as fast ours is at least, at a size.
GOALS = {"VUS": (10**5, 500), "PATE": (10**4, 1000), "nine columns": (10**4, 500)}
MOST_SECONDS_PATE = 0.1
MOST_BY_CURVE = 1.2
MOST_BYTES_A_POINT = 100


def tsb_ad(real: NDArray[Any], scores: NDArray[Any], *, what: str) -> Callable[[], float]:
    """VUS at 250 thresholds, or all nine columns, of which the result is VUS-PR."""
    from TSB_AD.evaluation.basic_metrics import generate_curve
    from TSB_AD.evaluation.metrics import get_metrics

    labels = real.astype(int)
    if what == "VUS":
        return lambda: generate_curve(labels, scores, BUFFER, "opt", 250)[-1]
    return lambda: get_metrics(scores, labels, slidingWindow=BUFFER)["VUS-PR"]


def pate(real: NDArray[Any], scores: NDArray[Any], *, what: str) -> Callable[[], float]:
    from pate.PATE_metric import PATE

    labels = real.astype(int)
    return lambda: PATE(labels, scores, BUFFER, BUFFER)


PEER_CALLS = {"tsb_ad": tsb_ad, "pate": pate}
PEER_OF = {"VUS": "tsb_ad", "nine columns": "tsb_ad", "PATE": "pate"}


def _inputs(points: int) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    real, predicted = both_sides(points)
    return real, scores_for(predicted)


def ours(what: str, points: int) -> Callable[[], float]:
    """Ours at all thresholds."""
    import rangewise as rw
    from rangewise.metrics import auc_pr, vus_pr
    from rangewise.metrics import pate as our_pate

    real, scores = _inputs(points)
    model = rw.RangeModel(cardinality="reciprocal", recall_bias="front")
    return {
        "VUS": lambda: vus_pr(real, scores, buffer=BUFFER),
        "PATE": lambda: our_pate(real, scores, early_buffer=BUFFER, delay_buffer=BUFFER),
        "nine columns": lambda: rw.tsb_ad(real, scores, buffer=BUFFER)["VUS-PR"],
        "AUC-PR": lambda: auc_pr(real, scores),
        "curve": lambda: float(model.curve(real, scores).recall[-1]),
    }[what]


MEMORY_CALLS = {what: lambda size, what=what: ours(what, size) for what in PEER_OF}


def run(settings: Settings) -> Section:
    sizes = SIZES[:1] if settings.quick else SIZES
    rows: list[list[str]] = []
    goals: list[Goal] = []
    absent: list[str] = []
    for what, peer in PEER_OF.items():
        settings.say(f"areas: {what}")
        jobs = [Job(dict(zip(("real", "scores"), _inputs(points), strict=True)), points, {"what": what}) for points in sizes]
        found = measure_peers("areas", [peer], jobs, settings)
        absent += [note for note in absent_notes(found) if note not in absent]
        for number, points in enumerate(sizes):
            seconds = compare({what: ours(what, points)}, settings.seconds)[what]
            memory = extra_bytes("areas", what, points) if points == sizes[-1] else None
            each = None if memory is None else memory / points
            outcomes = found.get(peer)
            cell = beside_cell(outcomes[number], seconds) if outcomes else "-"
            rows.append(
                [
                    what,
                    count_text(points),
                    time_text(seconds),
                    bytes_text(each),
                    f"{peer} {PEERS[peer].version}",
                    cell,
                    spread_text(seconds),
                ]
            )
            goals += _goals(what, points, seconds, each, outcomes[number] if outcomes else Outcome())
    times = compare({what: ours(what, sizes[-1]) for what in ("AUC-PR", "curve")}, settings.seconds)
    ratio = times["AUC-PR"] / times["curve"]
    goals.append(Goal.at_most(f"AUC-PR at most {MOST_BY_CURVE} x our curve's time", ratio, MOST_BY_CURVE))
    return Section(
        "Areas over all thresholds",
        [
            f"Buffers of {BUFFER} points, all scores different. Ours uses every threshold; TSB-AD's VUS uses 250 and its "
            "other columns 100, PATE's program 250. In parentheses, their time divided by ours. Calls that would take more than "
            f"{settings.limit:.0f} s are left out; `python -m benchmarks areas --limit 400` waits longer. "
            "Memory is the peak above the input, in a fresh process.",
            Table(["metric", "points", "ours, all thresholds", "memory per point", "peer", "peer, sampled thresholds", "spread"], rows),
            f"AUC-PR of {count_text(sizes[-1])} points: {time_text(times['AUC-PR'])}; our curve of them: {time_text(times['curve'])}.",
            *absent,
        ],
        goals,
    )


def _goals(what: str, points: int, seconds: float, bytes_a_point: float | None, peer: Outcome) -> list[Goal]:
    goals = []
    size, least = GOALS[what]
    # A call that was stopped at the limit is slower than that, which may be answer enough.
    ratio = (peer.seconds or peer.stopped_after or 0.0) / seconds
    if points == size and (peer.seconds is not None or ratio >= least):
        text = ratio_text(ratio) if peer.seconds else f"over {ratio_text(ratio)}"
        goals.append(Goal(f"{what} of {points:,} points: at least {least:,} x as fast as the reference", text, ratio >= least))
    if what == "PATE" and points == SIZES[-1]:
        goals.append(Goal.at_most(f"PATE of {points:,} points: at most {MOST_SECONDS_PATE} s", seconds, MOST_SECONDS_PATE, time_text))
    if bytes_a_point is not None and points == SIZES[-1]:
        reached = bytes_a_point <= MOST_BYTES_A_POINT
        goals.append(Goal(f"{what} of {points:,} points: at most {MOST_BYTES_A_POINT} bytes per point", bytes_text(bytes_a_point), reached))
    return goals
