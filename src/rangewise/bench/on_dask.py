"""Runs the worker processes inside the tasks of a Dask cluster. Results go to the driver, the only writer of the store."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from typing import Any

from rangewise import __version__
from rangewise.bench.experiment import Limits
from rangewise.bench.metric_choice import Scored
from rangewise.bench.pool import Done, Pool, Running
from rangewise.bench.runner import SchedulerLostError
from rangewise.bench.work import Job, Outcome

_TASK_SECONDS = 2.0
"""Target duration of a task: short runs share a task, because each task costs milliseconds."""
_MOST_RUNS = 200
_POLL_SECONDS = 0.2
_TRIES = 3

Finished = tuple[Outcome | None, dict[str, Scored]]

_guard = threading.Lock()
_idle: list[Pool] = []
_busy: set[Pool] = set()


def work_batch(jobs: list[Job], limits: Limits, version: str) -> tuple[list[Finished], float]:
    """On a Dask worker: run the jobs in a process that is kept for the next task. Returns the results in order, and the seconds."""
    if version != __version__:
        raise ValueError(f"this worker has rangewise {__version__}, the driver has {version}; install the same on both")
    with _guard:
        pool = next((each for each in _idle if each.limits == limits), None) or Pool(1, limits)
        if pool in _idle:
            _idle.remove(pool)
        pool.stopped = False
        _busy.add(pool)
    outcomes: dict[str, Finished] = {}

    def done(job: Job, outcome: Outcome | None, scores: dict[str, Scored]) -> None:
        outcomes[job.run.key] = outcome, scores

    begin = time.monotonic()
    whole = False
    try:
        pool.work(iter(jobs), done)
        whole = True
    finally:
        with _guard:
            _busy.discard(pool)
            if whole and not pool.stopped:
                _idle.append(pool)
        if pool not in _idle:
            pool.close()
    if pool.stopped:
        raise InterruptedError("the run was stopped")
    return [outcomes[job.run.key] for job in jobs], time.monotonic() - begin


def end_workers() -> None:
    """On a Dask worker: end its processes, including busy ones."""
    with _guard:
        for pool in _busy:
            pool.stopped = True
        closing = _idle[:]
        _idle.clear()
    for pool in closing:
        pool.close()


def work_on_dask(client: Any, jobs: Iterator[Job], limits: Limits, done: Done, watch: Callable[[list[Running]], object]) -> None:
    """Run all jobs on the cluster; ``done`` is called for each result."""
    driver = _Driver(client, jobs, limits, done)
    finished = False
    try:
        while driver.feed():
            watch([])
            driver.take()
        finished = True
    except SchedulerLostError:
        raise
    except Exception as error:
        # Dask reports it in several ways: canceled futures, closed connections, a closed client.
        if _is_alive(client) and "Cancelled" not in type(error).__name__:
            raise
        raise SchedulerLostError(_lost(client)) from error
    finally:
        if finished or _is_alive(client):
            with suppress(Exception):
                if not finished:
                    client.cancel(list(driver.flying), force=True)
                client.run(end_workers)


class _Driver:
    """The running tasks."""

    def __init__(self, client: Any, jobs: Iterator[Job], limits: Limits, done: Done) -> None:
        self.client, self.jobs, self.limits, self.done = client, jobs, limits, done
        self.flying: dict[Any, tuple[list[Job], int]] = {}
        self._again: deque[tuple[list[Job], int]] = deque()
        self._seconds_per_run: float | None = None

    def feed(self) -> bool:
        """Keep one task running and one waiting per thread of the cluster; False when all are done."""
        threads = max(1, sum(self.client.nthreads().values())) if _is_alive(self.client) else 1
        while len(self.flying) < 2 * threads:
            batch, tries = self._again.popleft() if self._again else (self._batch(), 1)
            if not batch:
                break
            future = self.client.submit(work_batch, batch, self.limits, __version__, pure=False)
            self.flying[future] = batch, tries
        return bool(self.flying)

    def take(self) -> None:
        """Wait briefly for results, and pass them on."""
        wait = import_module("distributed").wait
        with suppress(TimeoutError):
            wait(list(self.flying), timeout=_POLL_SECONDS, return_when="FIRST_COMPLETED")
        if not _is_alive(self.client):
            raise SchedulerLostError(_lost(self.client))
        for future in [each for each in self.flying if each.done()]:
            self._take_one(future, *self.flying.pop(future))

    def _take_one(self, future: Any, batch: list[Job], tries: int) -> None:
        if future.status == "cancelled":
            raise SchedulerLostError(_lost(self.client))
        error = future.exception()
        if isinstance(error, InterruptedError) or type(error).__name__ == "KilledWorker":
            self._retry(batch, tries)
            return
        if error is not None:
            raise error
        answers, seconds = future.result()
        per_run = seconds / len(batch)
        self._seconds_per_run = per_run if self._seconds_per_run is None else 0.7 * self._seconds_per_run + 0.3 * per_run
        for job, answer in zip(batch, answers, strict=True):
            self.done(job, *answer)

    def _retry(self, batch: list[Job], tries: int) -> None:
        """Retry the runs of a task one by one, after Dask gave it up because several workers died: one run may be the cause."""
        if len(batch) > 1:
            self._again += [([job], tries) for job in batch]
        elif tries < _TRIES:
            self._again.append((batch, tries + 1))
        else:
            self.done(batch[0], Outcome(batch[0].run.key, "crash", f"the Dask workers that ran it died {tries} times"), {})

    def _batch(self) -> list[Job]:
        size = 1 if self._seconds_per_run is None else max(1, min(_MOST_RUNS, int(_TASK_SECONDS / max(self._seconds_per_run, 1e-4))))
        return list(islice(self.jobs, size))


def _is_alive(client: Any) -> bool:
    if client.status not in ("running", "connecting", "newly-created") or client.scheduler is None:
        return False
    return client.scheduler_comm is not None and not client.scheduler_comm.closed()


def _lost(client: Any) -> str:
    address = f" {client.scheduler.address}" if getattr(client.scheduler, "address", "") else ""
    return f"the connection to the Dask scheduler{address} is lost; finished runs are in the store: run again to resume"
