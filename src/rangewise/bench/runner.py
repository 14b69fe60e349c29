"""run: what the store lacks is done, on this machine or on a Dask cluster, and every cell becomes a row."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rangewise.bench.experiment import Experiment, Limits
from rangewise.bench.metric_choice import Scored
from rangewise.bench.pool import Crew, Running, default_workers
from rangewise.bench.results import Found
from rangewise.bench.runs import Plan, make_plan
from rangewise.bench.store import Store
from rangewise.bench.work import STATUSES, Job, Outcome
from rangewise.checks import unknown_name, whole


class SchedulerLostError(ConnectionError):
    """The Dask scheduler is gone. What was done is in the store; the same command goes on from there."""


@dataclass
class State:
    """How far a run is: what ``progress`` is told."""

    total: int
    """Cells to do in this run."""
    kept: int
    """Cells that the store had already."""
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
) -> Found:
    """Run every cell of an experiment that the store does not have, and give what was found.

    ``store`` is a file to keep everything in and to go on from, or None to keep nothing. ``workers`` cells run at the same time, each
    in a process of its own (default: as many as there are cores); with ``client``, a ``dask.distributed.Client``, they run on its
    cluster. Cells that failed before stay as they are, unless a limit that stopped them was raised or ``retry`` names their status
    (timeout, memory, crash, error, skipped). ``progress`` is called with a :class:`State` several times a second.

    A detector that fails is a row with its reason, never an exception. Ctrl-C ends the run and keeps what is done.
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
        kept.begin_run(plan, shown(chosen))
        state = State(len(jobs), len({cell.key for cell in plan.cells}) - len({job.cell.key for job in jobs}))

        def done(job: Job, outcome: Outcome | None, scores: dict[str, Scored]) -> None:
            kept.add(job.cell.key, outcome, scores, chosen.limits, keep_scores=chosen.keep_scores)
            state.done += 1
            state.failed += outcome is not None and outcome.status != "ok"
            watch(state.running)

        def watch(running: list[Running]) -> None:
            state.running = running
            if progress is not None:
                progress(state)

        watch([])
        _work(jobs, kept, chosen.limits, done, watch, workers, client)
        kept.end_run()
        if store is None:
            return Found(kept)
    except BaseException:
        kept.close()
        raise
    kept.close()
    assert store is not None
    return Found(Store.reading(store))


def open_jobs(plan: Plan, store: Store, retry: frozenset[str] = frozenset()) -> list[Job]:
    """The jobs whose prediction or scores the store lacks, each key once; predictions that it has are not among what is run again."""
    results, scored, with_scores = store.results(), store.scored(), store.keys_with_scores()
    needs_scores = any(metric.needs_scores for metric in plan.metrics)
    found: dict[str, Job] = {}
    for cell in plan.cells:
        if cell.key in found:
            continue
        if _runs(results.get(cell.key), plan.experiment.limits, retry):
            found[cell.key] = Job(cell, plan.metrics)
        elif results[cell.key][0] == "ok":
            missing = tuple(metric for metric in plan.metrics if scored.get((cell.key, metric.text), "missing") in {"missing", *retry})
            if missing:
                # Without its scores a prediction at another threshold is not known: the detector has to run again.
                whole = needs_scores and cell.key not in with_scores and any(metric.needs_scores for metric in missing)
                found[cell.key] = Job(cell, plan.metrics) if whole else Job(cell, missing, _NOT_READ)
    return list(found.values())


_NOT_READ: Any = "in the store"
"""Stands for a prediction until its job's turn comes: all of them at once may not fit in memory."""


def _with_predictions(jobs: list[Job], store: Store) -> Iterator[Job]:
    for job in jobs:
        yield job if job.kept is None else Job(job.cell, job.metrics, store.prediction(job.cell.key))


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
    with Crew(min(workers or default_workers(), len(jobs)), limits) as crew:
        crew.work(_with_predictions(jobs, store), done, watch)


def shown(experiment: Experiment) -> dict[str, Any]:
    """What a report needs to know of the experiment."""
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
