"""Times of calls that take turns: medians with their spread, and ratios from pairs of neighbors, which a busy moment hits alike."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

# A batch of calls lasts at least this long, so that the clock's own steps do not show.
BATCH_SECONDS = 0.002
# Each call runs in at least this many rounds, unless they would take this many times as long as they are given.
ROUNDS, MOST_TIMES = 5, 20

Name = TypeVar("Name", bound=Hashable)


class Measured(float):
    """The median of samples, one per round. Arithmetic goes sample by sample: the ratio of two calls is the median of its rounds.

    >>> ratio = Measured([2.0, 4.4, 2.0]) / Measured([1.0, 2.0, 1.0])
    >>> float(ratio), ratio.low, ratio.high
    (2.0, 2.0, 2.1)
    """

    samples: np.ndarray

    def __new__(cls, samples: Iterable[float]) -> Measured:
        found = np.asarray(list(samples), dtype=np.float64)
        self = super().__new__(cls, np.median(found))
        self.samples = found
        return self

    @property
    def low(self) -> float:
        """The lower quartile."""
        return float(np.quantile(self.samples, 0.25))

    @property
    def high(self) -> float:
        """The upper quartile."""
        return float(np.quantile(self.samples, 0.75))

    def _with(self, other: float, operation: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Measured:
        if not isinstance(other, Measured):
            return Measured(operation(self.samples, np.float64(other)))
        rounds = min(len(self.samples), len(other.samples))
        return Measured(operation(self.samples[:rounds], other.samples[:rounds]))

    def __truediv__(self, other: float) -> Measured:
        return self._with(other, np.divide)

    def __rtruediv__(self, other: float) -> Measured:
        return self._with(other, lambda mine, others: others / mine)

    def __sub__(self, other: float) -> Measured:
        return self._with(other, np.subtract)

    def __mul__(self, other: float) -> Measured:
        return self._with(other, np.multiply)

    __rmul__ = __mul__


def compare(calls: Mapping[Name, Callable[[], object]], seconds: float, rounds: int = ROUNDS) -> dict[Name, Measured]:
    """Seconds a call of each, from batches taken in turn for about ``seconds`` a call, and in at least so many rounds."""
    # The first call of each is the warm-up; it also sets how many calls make a batch. A slow one counts.
    sizes: dict[Name, int] = {}
    samples: dict[Name, list[float]] = {}
    spent = dict.fromkeys(calls, 0.0)
    for name, call in calls.items():
        first = _batch(call, 1)
        samples[name], spent[name] = ([first], first) if first >= seconds else ([], 0.0)
        again = _batch(call, 1) if first < seconds else first
        sizes[name] = max(1, int(BATCH_SECONDS / max(again, 1e-9)))

    def waits(name: Name) -> bool:
        few = len(samples[name]) < rounds and spent[name] < MOST_TIMES * seconds
        return few or spent[name] < seconds

    while waiting := [name for name in calls if waits(name)]:
        for name in waiting:
            took = _batch(calls[name], sizes[name])
            samples[name].append(took / sizes[name])
            spent[name] += took
    return {name: Measured(found) for name, found in samples.items()}


def compare_starts(arguments: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Measured]:
    """Processor time of a fresh Python with each list of arguments, in turn, after a first round that compiles what is imported.

    Not the time on the clock, which other processes lengthen for one start and not for the next. Isolated: no folder of the caller is
    searched first, and no variable of the caller keeps compiled files from being kept.
    """
    calls = {
        name: lambda given=given: subprocess.run([sys.executable, "-I", *given], check=True, stdout=subprocess.DEVNULL)
        for name, given in arguments.items()
    }
    for call in calls.values():
        call()
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            before = _children_seconds()
            call()
            samples[name].append(_children_seconds() - before)
    return {name: Measured(found) for name, found in samples.items()}


def _children_seconds() -> float:
    """Processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _batch(call: Callable[[], object], count: int) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - begin
