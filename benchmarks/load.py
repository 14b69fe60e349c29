"""Was the machine quiet? What others took of it while a part was measured, and how steady a loop of ours was."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

STAT = Path("/proc/stat")
# Above these, a part is marked: cores that others used, share of time that the host took, third quartile of the loop's runs by the fastest:
# results are medians and quartiles, which a single slow run does not change.
MOST_OTHERS, MOST_STOLEN, MOST_UNSTEADY = 0.25, 0.02, 1.25
LOOPS = 15
_SET_CHILD_SUBREAPER = 36  # of prctl
_adopts = False


@dataclass(frozen=True)
class Load:
    """``others`` are cores in use by other processes; nan where the system does not report it."""

    others: float
    stolen: float
    unsteady: float

    def text(self) -> str:
        """What was wrong, or nothing.

        >>> Load(0.1, 0.0, 1.1).text()
        ''
        >>> Load(1.3, 0.05, 1.9).text()
        'other processes used 1.3 cores, the host took 5 % of the time, a quarter of the runs of a loop took 1.9 x the fastest or more'
        """
        found = []
        if self.others > MOST_OTHERS:
            found.append(f"other processes used {self.others:.1f} cores")
        if self.stolen > MOST_STOLEN:
            found.append(f"the host took {100 * self.stolen:.0f} % of the time")
        if self.unsteady > MOST_UNSTEADY:
            found.append(f"a quarter of the runs of a loop took {self.unsteady:.1f} x the fastest or more")
        return ", ".join(found)


def adopt_descendants() -> None:
    """Count the time of processes that outlive their parents as ours: a browser does not wait for all of its own."""
    global _adopts
    _adopts = sys.platform == "linux" and ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


class Watch:
    """Measures the load from its creation on."""

    def __init__(self) -> None:
        self._loops = _loop_times()
        self._before = _ticks()
        self._own = _own_seconds()
        self._begin = time.perf_counter()

    def load(self) -> Load:
        seconds, own = time.perf_counter() - self._begin, _own_seconds() - self._own
        after = _ticks()
        loops = [*self._loops, *_loop_times()]
        if self._before is None or after is None:
            return Load(float("nan"), float("nan"), _unsteadiness(loops))
        busy, stolen, all_ticks = (later - earlier for earlier, later in zip(self._before, after, strict=True))
        a_second = os.sysconf("SC_CLK_TCK")
        # A child is among ours only after its end: less than nothing means that one ended that began earlier.
        return Load(max(0.0, busy / a_second - own) / seconds, stolen / max(1, all_ticks), _unsteadiness(loops))


def _loop_times() -> list[float]:
    times = []
    for _ in range(LOOPS):
        begin = time.perf_counter()
        sum(range(200_000))
        times.append(time.perf_counter() - begin)
    return times


def _unsteadiness(times: list[float]) -> float:
    return quantiles(times, n=4)[2] / min(times)


def _ticks() -> tuple[int, int, int] | None:
    """Busy and stolen ticks of all cores, and all of them."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        ticks = [int(field) for field in STAT.read_text().splitlines()[0].split()[1:9]]
        return sum(ticks[:3]) + sum(ticks[5:7]), ticks[7], sum(ticks)
    return None


def _own_seconds() -> float:
    """The processor time of this process and of its children that have ended."""
    with contextlib.suppress(ChildProcessError):  # raised when there are no children
        while _adopts and os.waitpid(-1, os.WNOHANG)[0]:
            pass
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
