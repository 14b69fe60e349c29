"""A worker: a child process that runs one job at a time. Its parent enforces the limits of time and memory."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache

from rangewise.bench.experiment import Limits
from rangewise.bench.metric_choice import Scored
from rangewise.bench.processes import end_tree, resident_bytes, tree
from rangewise.bench.work import Job, Outcome, Status
from rangewise.bench.worker_child import LENGTH

WATCH_SECONDS = 0.05
_START_SECONDS = 120.0
_KEPT_OUTPUT = 4_000
_READ_BYTES = 1 << 20
_KILLED_OUTSIDE = -signal.SIGKILL
_TRIES = 3
"""How often a job is tried if its worker is killed from outside (by a person, or by a system that is out of memory)."""
_RESTARTS = 20
_PROBLEMS = (BrokenPipeError, ConnectionResetError, EOFError)


class WorkerStartError(RuntimeError):
    """A worker could not be started."""


class Worker:
    """One child process. ``begin`` sends it a job; ``step`` monitors it and returns the result, if there is one."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.job: Job | None = None
        self.since = 0.0
        self._outcome: Outcome | None = None
        self._tries, self._peak, self._watch, self._restarts = 1, 0, 0.0, _RESTARTS
        self._start()

    @property
    def descriptors(self) -> tuple[int, int]:
        return self._answers, self._output

    @property
    def pid(self) -> int:
        return self._process.pid

    def begin(self, job: Job) -> None:
        self.job, self._outcome, self._tries, self._peak = job, None, 1, 0
        self._send()

    def step(self) -> tuple[Job, Outcome | None, dict[str, Scored]] | None:
        """Read messages and check the limits. Returns the finished job, its outcome (None if its prediction was stored) and its scores."""
        self._drain()
        for message in self._messages():
            if message is None:
                self._ready = True
                if self.job is not None:
                    self.since = time.monotonic()
            elif isinstance(message, Outcome):
                self._outcome = replace(message, peak_memory=max(message.peak_memory or 0, self._peak) or None)
                self.since = time.monotonic()  # the limit starts again for scoring
                if message.status != "ok":
                    return self._finish({})
            elif isinstance(message, dict):
                return self._finish(message)
        now = time.monotonic()
        if self._process.poll() is not None and (self._ended or not self._read_some()):
            return self._died()
        if not self._ready:
            if now - self._started > _START_SECONDS:
                raise WorkerStartError(f"a worker was not ready after {_START_SECONDS:g} s: {self._tail()}")
            return None
        if self.job is None:
            return None
        if now - self.since > self.limits.seconds:
            return self._stopped("timeout", f"stopped after the limit of {self.limits.seconds:g} s")
        if now >= self._watch:
            self._watch = now + WATCH_SECONDS
            held = resident_bytes(tree(self.pid))
            self._peak = max(self._peak, held)
            if held > self.limits.memory_bytes:
                return self._stopped("memory", f"stopped at the limit of {self.limits.memory_bytes / 1e6:,.0f} MB")
        return None

    def close(self) -> None:
        """End the child and its descendants."""
        end_tree(self.pid)
        self._process.wait()
        for descriptor in (self._jobs, self._answers, self._output):
            with suppress(OSError):
                os.close(descriptor)

    def _start(self) -> None:
        jobs_end, self._jobs = os.pipe()
        self._answers, answers_end = os.pipe()
        self._output, output_end = os.pipe()
        command = [sys.executable, "-m", "rangewise.bench.worker_child", str(jobs_end), str(answers_end), str(os.getpid())]
        threads = str(self.limits.threads)
        environment = {
            **os.environ,
            **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), threads),
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        try:
            self._process = (
                _spawner()
                .submit(
                    subprocess.Popen,
                    [*command, str(self.limits.memory_bytes)],
                    stdin=subprocess.DEVNULL,
                    stdout=output_end,
                    stderr=output_end,
                    pass_fds=(jobs_end, answers_end),
                    start_new_session=True,
                    env=environment,
                )
                .result()
            )
        finally:
            for descriptor in (jobs_end, answers_end, output_end):
                os.close(descriptor)
        for descriptor in self.descriptors:
            os.set_blocking(descriptor, False)
            _widen(descriptor)
        self._received, self._printed = bytearray(), b""
        self._ready, self._ended = False, False
        self._started = self.since = time.monotonic()
        self._watch = 0.0

    def _again(self) -> None:
        self.close()
        self._start()

    def _send(self) -> None:
        content = pickle.dumps(self.job, protocol=5)
        self.since = time.monotonic()
        self._printed = b""
        # A broken pipe means that the child died, which step() detects.
        with suppress(*_PROBLEMS), open(os.dup(self._jobs), "wb") as target:
            target.write(LENGTH.pack(len(content)) + content)

    def _finish(self, scores: dict[str, Scored]) -> tuple[Job, Outcome | None, dict[str, Scored]]:
        job, outcome = self.job, self._outcome
        assert job is not None
        self.job = None
        if len(tree(self.pid)) > 1:
            self._again()  # end processes that the detector left running
        return job, outcome, scores

    def _stopped(self, status: Status, message: str, traceback: str = "") -> tuple[Job, Outcome | None, dict[str, Scored]]:
        """End the child and the job, with a failure of its detector or of its metrics."""
        job, outcome, peak = self.job, self._outcome, self._peak
        assert job is not None
        self.job = None
        self._again()
        if outcome is None and job.kept is None:
            return job, Outcome(job.run.key, status, message, traceback, peak_memory=peak or None), {}
        return job, outcome, {metric.text: Scored(message=message, status=status) for metric in job.metrics}

    def _died(self) -> tuple[Job, Outcome | None, dict[str, Scored]] | None:
        code = self._process.wait()
        if not self._ready:
            if code == _KILLED_OUTSIDE and time.monotonic() - self._started < _START_SECONDS and self._restarts > 1:
                self._restarts -= 1
                job = self.job
                self._again()
                if job is not None:
                    self._send()
                return None
            raise WorkerStartError(f"a worker did not start ({_ending(code)}): {self._tail()}")
        if self.job is None:
            self._again()
            return None
        if code == _KILLED_OUTSIDE and self._tries < _TRIES:
            self._tries += 1
            outcome = self._outcome
            self._again()
            if outcome is not None:
                self.job = replace(self.job, kept=outcome.prediction)
            self._send()
            return None
        more = f", {_TRIES} times: killed from outside, perhaps because memory ran out" if code == _KILLED_OUTSIDE else ""
        return self._stopped("crash", _ending(code) + more, self._tail())

    def _drain(self) -> None:
        """Read the output of the child and keep only its end."""
        with suppress(BlockingIOError, OSError):
            while chunk := os.read(self._output, _READ_BYTES):
                self._printed = (self._printed + chunk[-_KEPT_OUTPUT:])[-_KEPT_OUTPUT:]
                if len(chunk) < _READ_BYTES // 16:
                    return

    def _read_some(self) -> bool:
        try:
            chunk = os.read(self._answers, _READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        self._received += chunk
        self._ended = not chunk
        return bool(chunk)

    def _messages(self) -> list[object]:
        while self._read_some():
            pass
        messages = []
        while len(self._received) >= LENGTH.size:
            length = LENGTH.unpack_from(self._received)[0]
            if len(self._received) < LENGTH.size + length:
                break
            messages.append(pickle.loads(self._received[LENGTH.size : LENGTH.size + length]))
            del self._received[: LENGTH.size + length]
        return messages

    def _tail(self) -> str:
        self._drain()
        return self._printed.decode(errors="replace").strip()


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"signal {-code} ({signal.Signals(-code).name})"
    return f"signal {-code}"


def _widen(descriptor: int) -> None:
    """Increase the size of a pipe, so that a child with much output waits less."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _READ_BYTES)


@cache
def _spawner() -> ThreadPoolExecutor:
    """One thread that lives as long as the process, because Linux ends a child with the thread that started it."""
    return ThreadPoolExecutor(1, thread_name_prefix="rangewise-workers")
