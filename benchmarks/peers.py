"""The programs that a user would pick instead, each in an environment of its own, because their requirements clash.

A peer that does not install or does not run is absent, with the reason; it never stops the benchmark.
"""

from __future__ import annotations

import json
import math
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from benchmarks.settings import Settings

ROOT = Path(__file__).parent.parent
ENVIRONMENTS = Path(__file__).parent / ".envs"


class AbsentError(Exception):
    """Why a peer cannot be measured."""


@dataclass(frozen=True)
class Peer:
    """A package and what pip is asked for, one call after the other."""

    name: str
    installs: tuple[tuple[str, ...], ...]

    @property
    def version(self) -> str:
        return self.installs[-1][0].partition("==")[2]

    @property
    def python(self) -> Path:
        return ENVIRONMENTS / self.name / "bin" / "python"

    @property
    def installed(self) -> bool:
        return self._mark.is_file() and self._mark.read_text() == self._asked

    @property
    def _mark(self) -> Path:
        """Holds what was asked for, written when all of it is there."""
        return ENVIRONMENTS / self.name / "installed.txt"

    @property
    def _asked(self) -> str:
        return "\n".join(" ".join(packages) for packages in self.installs)

    def install(self) -> None:
        """Make the environment unless it stands as asked for."""
        if self.installed:
            return
        folder = ENVIRONMENTS / self.name
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        for packages in self.installs:
            _run([str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
        self._mark.write_text(self._asked)


# torch comes first and pinned (PIP_EXTRA_INDEX_URL may name an index of its CPU build): what a peer would draw in takes gigabytes.
PEERS = {
    peer.name: peer
    for peer in (
        Peer("prts", (("prts==1.0.0.3",),)),
        Peer("sktime", (("sktime==1.2.0",),)),
        Peer("tsadmetrics", (("tsadmetrics==1.0.16",),)),
        Peer("aeon", (("aeon==1.6.0",),)),
        Peer("timeeval", (("timeeval==1.5.0",),)),
        Peer(
            "dtaianomaly",
            (("torch==2.13.0",), ("dtaianomaly==0.5.1",)),
        ),
        # Both ask for more than their metrics need, or for what no longer goes together: only what they import.
        Peer("tsb_ad", (("numpy<2", "scikit-learn==1.7.2", "scipy", "pandas", "statsmodels", "matplotlib"), ("TSB-AD==1.5", "--no-deps"))),
        Peer("pate", (("scikit-learn==1.7.2", "joblib", "pandas", "statsmodels"), ("PATE==0.1.1", "--no-deps"))),
        Peer("gutentag", (("timeeval-gutentag==1.5.0",),)),
    )
}


@dataclass(frozen=True)
class Job:
    """One call of a peer. ``size`` is what its time grows with, at least in proportion."""

    arrays: Mapping[str, NDArray[Any]]
    size: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The seconds that a job took and its result, or what is shown instead; for an absent peer also why.

    ``stopped_after`` are the seconds after which a job that ran was stopped: it takes longer than that.
    """

    seconds: float | None = None
    result: float | None = None
    missing: str = ""
    why_absent: str = ""
    stopped_after: float | None = None


def measure_peers(part: str, names: Iterable[str], jobs: Sequence[Job], settings: Settings) -> dict[str, list[Outcome]]:
    """The outcomes of the jobs for each peer; of an absent one, too."""
    found = {}
    for name in names if settings.peers else ():
        settings.say(f"{part}: {name}" if PEERS[name].installed else f"{part}: {name}, installing it first")
        try:
            found[name] = _measure(PEERS[name], part, jobs, settings)
        except AbsentError as absent:
            found[name] = [Outcome(missing="absent", why_absent=str(absent))] * len(jobs)
    return found


def _measure(peer: Peer, part: str, jobs: Sequence[Job], settings: Settings) -> list[Outcome]:
    """The jobs from small to large, in one process of the peer's own, until one takes or would take too long."""
    peer.install()
    too_slow = Outcome(missing=f"over {settings.limit:.0f} s")
    outcomes: list[Outcome] = []
    times: list[tuple[float, float]] = []  # size and seconds of the jobs that ran
    with (
        tempfile.TemporaryDirectory() as folder,
        open(Path(folder) / "errors.txt", "w+") as errors,
        _Process(peer, part, errors) as process,
    ):
        for job in jobs:
            if _expected_seconds(times, job.size) > settings.limit:
                break
            reply = process.ask(_request(job, Path(folder), settings.seconds), settings.limit)
            if reply is None:
                outcomes.append(replace(too_slow, stopped_after=settings.limit))
                break
            if "error" in reply:
                outcomes.append(Outcome(missing=reply["error"]))
            else:
                outcomes.append(Outcome(reply["seconds"], reply["result"]))
                times.append((job.size, reply["seconds"]))
    return outcomes + [too_slow] * (len(jobs) - len(outcomes))


def _expected_seconds(times: Sequence[tuple[float, float]], size: float) -> float:
    """What a larger job takes if time goes on growing as it did between the last two, at least in proportion."""
    if not times:
        return 0.0
    last_size, last_seconds = times[-1]
    power = 1.0
    if len(times) > 1 and times[-2][0] < last_size:
        power = max(1.0, math.log(last_seconds / times[-2][1]) / math.log(last_size / times[-2][0]))
    return last_seconds * (size / last_size) ** power


# What a process may take to load a peer and what it needs, on top of the time for its first job.
START_SECONDS = 120.0


def _request(job: Job, folder: Path, seconds: float) -> dict[str, Any]:
    paths = {}
    for name, array in job.arrays.items():
        paths[name] = str(folder / f"{name}.npy")
        np.save(paths[name], array)
    return {"arrays": paths, "options": dict(job.options), "seconds": seconds}


class _Process:
    """A driver in a peer's environment; it ends with the block, also in the middle of a job."""

    def __init__(self, peer: Peer, part: str, errors: TextIO) -> None:
        self._errors = errors
        command = [str(peer.python), "-m", "benchmarks.driver", part, peer.name]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, bufsize=1
        )
        self._replies: queue.Queue[str] = queue.Queue()
        self._patience = START_SECONDS
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._reader.join()
        self._process.communicate()  # closes the pipes

    def ask(self, request: Mapping[str, Any], limit: float) -> dict[str, Any] | None:
        """The reply, or None when it takes too long."""
        try:
            print(json.dumps(request), file=self._process.stdin, flush=True)
            line = self._replies.get(timeout=limit + self._patience)
            self._patience = 0.0
        except queue.Empty:
            return None
        except BrokenPipeError:
            line = ""
        if not line:
            self._errors.seek(0)
            raise AbsentError(f"does not run: {reason(self._errors.read())}")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._replies.put(line)
        self._replies.put("")


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AbsentError(f"does not install: {reason(done.stderr)}")


def reason(stderr: str) -> str:
    """The last line that says something, without the folders of this machine."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return lines[-1].replace(str(ROOT), ".")[:200] if lines else "no message"
