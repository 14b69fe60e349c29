"""A pool: several workers, and one loop that sends them jobs, monitors them and receives their results."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from rangewise.bench.experiment import Limits
from rangewise.bench.metric_choice import Scored
from rangewise.bench.work import Job, Outcome
from rangewise.bench.worker import WATCH_SECONDS, Worker

Done = Callable[[Job, Outcome | None, dict[str, Scored]], object]
"""Called with a finished job: its outcome (None if its prediction was already stored) and its scores by metric."""


@dataclass(frozen=True)
class Running:
    """A running job, for progress displays."""

    detector: str
    series: str
    seconds: float


class Pool:
    """``size`` workers with the same limits. A context manager: leaving it ends all workers."""

    def __init__(self, size: int, limits: Limits) -> None:
        self.size, self.limits = size, limits
        self.workers: list[Worker] = []
        self.stopped = False

    def work(self, jobs: Iterator[Job], done: Done, watch: Callable[[list[Running]], object] | None = None) -> None:
        """Run all jobs; ``done`` is called for each finished job, ``watch`` a few times per second."""
        waiting = next(jobs, None)
        seen = 0.0
        while (waiting is not None or any(worker.job is not None for worker in self.workers)) and not self.stopped:
            if waiting is not None and len(self.workers) < self.size and all(worker.job is not None for worker in self.workers):
                self.workers.append(Worker(self.limits))
            for worker in self.workers:
                finished = worker.step()
                if finished is not None:
                    done(*finished)
                if worker.job is None and waiting is not None:
                    worker.begin(waiting)
                    waiting = next(jobs, None)
            if watch is not None and time.monotonic() - seen > 0.2:
                seen = time.monotonic()
                watch(self.running())
            self._wait()

    def running(self) -> list[Running]:
        now = time.monotonic()
        return [
            Running(worker.job.run.detector.label, worker.job.run.series.name, now - worker.since)
            for worker in list(self.workers)
            if worker.job is not None
        ]

    def _wait(self) -> None:
        """Wait for a message of a worker, or until the next check of its memory."""
        descriptors = [descriptor for worker in self.workers for descriptor in worker.descriptors]
        if hasattr(select, "poll"):
            watched = select.poll()
            for descriptor in descriptors:
                watched.register(descriptor, select.POLLIN)
            watched.poll(1000 * WATCH_SECONDS)
        else:
            select.select(descriptors, [], [], WATCH_SECONDS)

    def close(self) -> None:
        workers, self.workers = self.workers, []
        for worker in workers:
            with suppress(OSError):
                worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def default_workers() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
