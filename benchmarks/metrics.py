"""Other scoring models: affiliation, and point-adjust and PA%K at every threshold, beside a peer that has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from benchmarks.inputs import both_sides, scores_for
from benchmarks.peers import Job, measure_peers
from benchmarks.report import Goal, Section, Table, absent_notes, ratio_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

POINTS = 10**5
GOALS = {"affiliation": 50, "point-adjust": 100, "PA%K, K = 20": 100}


def tsadmetrics(real: NDArray[Any], predicted: NDArray[Any], *, what: str) -> Callable[[], float]:
    """F at one threshold; it has no call for all of them."""
    from tsadmetrics.metrics.tem.ptdm import PointadjustedAtKFScore
    from tsadmetrics.metrics.tem.tpdm import PointadjustedFScore
    from tsadmetrics.metrics.tem.tstm import AffiliationbasedFScore

    metric = {
        "affiliation": AffiliationbasedFScore,
        "point-adjust": PointadjustedFScore,
        "PA%K, K = 20": lambda: PointadjustedAtKFScore(k=0.2),
    }[what]()
    return lambda: metric.compute(real, predicted)


PEER_CALLS = {"tsadmetrics": tsadmetrics}


def run(settings: Settings) -> Section:
    from rangewise.metrics import affiliation_fbeta, point_adjust_curve

    points = POINTS // 100 if settings.quick else POINTS
    real, predicted = both_sides(points)
    scores = scores_for(predicted)
    calls = {
        "affiliation": lambda: affiliation_fbeta(real, predicted),
        "point-adjust": lambda: point_adjust_curve(real, scores),
        "PA%K, K = 20": lambda: point_adjust_curve(real, scores, k=20),
    }
    settings.say("metrics: ours")
    ours = compare(calls, settings.seconds)
    jobs = [Job({"real": real, "predicted": predicted}, options={"what": what}) for what in calls]
    found = measure_peers("metrics", PEER_CALLS, jobs, settings)
    rows, goals = [], []
    for at, what in enumerate(calls):
        thresholds = 1 if what == "affiliation" else points
        for peer, outcomes in found.items():
            one = outcomes[at].seconds
            if one is None:
                rows.append([what, time_text(ours[what]), peer, outcomes[at].missing, "-", "-"])
                continue
            ratio = thresholds * one / ours[what]
            rows.append([what, time_text(ours[what]), peer, time_text(one), time_text(thresholds * one), ratio_text(ratio)])
            goals.append(Goal.at_least(f"{what}: at least {GOALS[what]} x faster than {peer}", ratio, GOALS[what]))
        if not found:
            rows.append([what, time_text(ours[what]), "-", "-", "-", "-"])
    return Section(
        "Other scoring models",
        [
            f"{points:,} points. Affiliation scores one prediction. Point-adjust and PA%K are scored at all {points:,} thresholds: "
            "ours in one pass; the other package's time is that of one threshold times their number.",
            Table(["metric", "ours", "peer", "one threshold", "all of them", "ratio"], rows),
            *absent_notes(found),
        ],
        goals,
    )
