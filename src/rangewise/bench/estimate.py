"""An estimate of the duration of an experiment: each detector on the shortest series, assuming linear time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rangewise.bench.metric_choice import Scored
from rangewise.bench.pool import Pool
from rangewise.bench.runs import Plan
from rangewise.bench.work import Job, Outcome

_MOST_SECONDS = 20.0


@dataclass(frozen=True)
class Estimate:
    """Total seconds of the runs of each detector; ``failed`` says why a detector could not be tried."""

    seconds: dict[str, float]
    failed: dict[str, str]

    def total(self, workers: int) -> float:
        return sum(self.seconds.values()) / workers


def estimate(plan: Plan, workers: int) -> Estimate:
    """Try each detector once, for at most 20 s."""
    shortest = min(plan.series, key=lambda series: series.points)
    points = sum(series.points for series in plan.series)
    first = {run.detector.label: run for run in reversed(plan.runs) if run.series is shortest}
    limits = replace(plan.experiment.limits, seconds=min(plan.experiment.limits.seconds, _MOST_SECONDS))
    seconds: dict[str, float] = {}
    failed: dict[str, str] = {}

    def done(job: Job, outcome: Outcome | None, scores: dict[str, Scored]) -> None:
        assert outcome is not None
        label = job.run.detector.label
        taken = limits.seconds if outcome.status == "timeout" else (outcome.seconds_fit or 0.0) + (outcome.seconds_score or 0.0)
        if outcome.status == "ok" or outcome.status == "timeout":
            longest = plan.experiment.limits.seconds * len(plan.series)
            seconds[label] = min(taken * points / shortest.points, longest) * plan.experiment.repeats
        if outcome.status != "ok":
            failed[label] = f"{outcome.status}: {outcome.message}"

    with Pool(workers, limits) as pool:
        pool.work((Job(run, ()) for run in first.values()), done)
    return Estimate(seconds, failed)
