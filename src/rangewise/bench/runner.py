"""run: execute the runs that the store does not have yet, on this machine or on a Dask cluster, and store every outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rangewise.bench.experiment import Experiment, Limits
from rangewise.bench.metric_choice import Scored
from rangewise.bench.pool import Pool, Running, default_workers
from rangewise.bench.results import Results
from rangewise.bench.runs import Plan, make_plan
from rangewise.bench.store import Store
from rangewise.bench.work import STATUSES, Job, Outcome
from rangewise.checks import unknown_name, whole


class SchedulerLostError(ConnectionError):
    """The connection to the Dask scheduler is lost. Finished runs are in the store; the same command resumes."""


@dataclass
class State:
    """The progress of an experiment, as passed to ``progress``."""

    total: int
    """Runs to do now."""
    kept: int
    """Runs that the store had already."""
    done: int = 0
    failed: int = 0
    running: list[Running] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)


Progress = Callable[[State], object]


def run(
    experiment: Experiment | str | Path,
    *,
    store: str | Path | None = None,
    workers: int | None = None,
    client: Any = None,
    retry: Collection[str] = (),
    progress: Progress | None = None,
) -> Results:
    """Execute all runs of an experiment that the store does not have yet, and return the results.

    ``store`` is a file to keep results in and to resume from, or None to keep nothing. ``workers`` runs are executed in parallel, each in
    its own process (default: one per core); with ``client``, a ``dask.distributed.Client``, they run on its cluster. Failed runs are not
    repeated, unless a limit that stopped them was raised or ``retry`` contains their status (timeout, memory, crash, error, skipped).
    ``progress`` is called with a :class:`State` several times per second.

    Failures of detectors are recorded with the reason and never raised. Ctrl-C ends the run and keeps finished runs.
    """
    chosen = experiment if isinstance(experiment, Experiment) else Experiment.read(experiment)
    for status in retry:
        if status not in STATUSES[1:]:
            raise unknown_name("a status to retry", status, STATUSES[1:])
    if workers is not None:
        whole("workers", workers, least=1)
    plan = make_plan(chosen)
    kept = Store.writing(store, chosen.name)
    try:
        jobs = open_jobs(plan, kept, frozenset(retry))
        kept.begin_invocation(plan, shown(chosen))
        state = State(len(jobs), len({run.key for run in plan.runs}) - len({job.run.key for job in jobs}))

        def done(job: Job, outcome: Outcome | None, scores: dict[str, Scored]) -> None:
            kept.add(job.run.key, outcome, scores, chosen.limits, keep_scores=chosen.keep_scores)
            state.done += 1
            state.failed += outcome is not None and outcome.status != "ok"
            watch(state.running)

        def watch(running: list[Running]) -> None:
            state.running = running
            if progress is not None:
                progress(state)

        watch([])
        _work(jobs, kept, chosen.limits, done, watch, workers, client)
        kept.end_invocation()
        if store is None:
            return Results(kept)
    except BaseException:
        kept.close()
        raise
    kept.close()
    assert store is not None
    return Results(Store.reading(store))


def open_jobs(plan: Plan, store: Store, retry: frozenset[str] = frozenset()) -> list[Job]:
    """The jobs whose prediction or scores are missing in the store, without duplicates. Stored predictions are only scored."""
    results, scored, with_scores = store.results(), store.scored(), store.keys_with_scores()
    needs_scores = any(metric.needs_scores for metric in plan.metrics)
    jobs: dict[str, Job] = {}
    for run in plan.runs:
        if run.key in jobs:
            continue
        if _runs(results.get(run.key), plan.experiment.limits, retry):
            jobs[run.key] = Job(run, plan.metrics)
        elif results[run.key][0] == "ok":
            missing = tuple(metric for metric in plan.metrics if scored.get((run.key, metric.text), "missing") in {"missing", *retry})
            if missing:
                # A prediction at another threshold needs the scores; without them the detector must run again.
                whole = needs_scores and run.key not in with_scores and any(metric.needs_scores for metric in missing)
                jobs[run.key] = Job(run, plan.metrics) if whole else Job(run, missing, _NOT_READ)
    return list(jobs.values())


_NOT_READ: Any = "in the store"
"""The placeholder of a prediction until its job starts, because all predictions may not fit into memory."""


def _with_predictions(jobs: list[Job], store: Store) -> Iterator[Job]:
    for job in jobs:
        yield job if job.kept is None else Job(job.run, job.metrics, store.prediction(job.run.key))


def _runs(result: tuple[str, float, int] | None, limits: Limits, retry: frozenset[str]) -> bool:
    if result is None:
        return True
    status, seconds, memory = result
    raised = (status == "timeout" and limits.seconds > seconds) or (status == "memory" and limits.memory_bytes > memory)
    return raised or status in retry


def _work(
    jobs: list[Job], store: Store, limits: Limits, done: Any, watch: Callable[[list[Running]], None], workers: int | None, client: Any
) -> None:
    if not jobs:
        return
    if client is not None:
        from rangewise.bench.on_dask import work_on_dask

        work_on_dask(client, _with_predictions(jobs, store), limits, done, watch)
        return
    with Pool(min(workers or default_workers(), len(jobs)), limits) as pool:
        pool.work(_with_predictions(jobs, store), done, watch)


def shown(experiment: Experiment) -> dict[str, Any]:
    """The settings of the experiment that a report shows."""
    return {
        "name": experiment.name,
        "seed": experiment.seed,
        "repeats": experiment.repeats,
        "metric": experiment.metric,
        "average": experiment.average,
        "cluster": experiment.cluster,
        "limits": {"seconds": experiment.limits.seconds, "memory": experiment.limits.memory_bytes},
        "metrics": [{**asdict(metric), "options": dict(metric.options)} for metric in experiment.metric_choices],
        "detectors": [choice.label for choice in experiment.detector_choices],
    }
