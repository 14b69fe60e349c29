"""Process trees: their memory, ending them, and ending with the parent."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_LINUX = sys.platform.startswith("linux")
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def tree(pid: int) -> list[int]:
    """The process and its descendants."""
    if not _LINUX:
        psutil = _psutil()
        if psutil is None:
            return [pid]
        with suppress(psutil.Error):
            return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
        return [pid]
    descendants, waiting = [], [pid]
    while waiting:
        each = waiting.pop()
        descendants.append(each)
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{each}/task"):
                with suppress(OSError):
                    waiting += map(int, Path(f"/proc/{each}/task/{thread}/children").read_bytes().split())
    return descendants


def resident_bytes(pids: list[int]) -> int:
    """Resident memory of the processes; shared pages are counted for each."""
    if not _LINUX:
        psutil = _psutil()
        total = 0
        for pid in pids if psutil is not None else ():
            with suppress(psutil.Error):
                total += psutil.Process(pid).memory_info().rss
        return total
    total = 0
    for pid in pids:
        with suppress(OSError, IndexError):
            total += int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    return total


def reset_peak() -> None:
    """Restart the measurement of :func:`peak_bytes`."""
    if _LINUX:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_bytes(b"5")


def peak_bytes() -> int | None:
    """The peak resident memory of this process; None if the system does not report it."""
    if _LINUX:
        with suppress(OSError, ValueError, IndexError):
            status = Path("/proc/self/status").read_bytes()
            return int(status.partition(b"VmHWM:")[2].split(maxsplit=1)[0]) * 1024
    return None


def end_tree(pid: int) -> None:
    """Kill the process, its descendants and its group, twice, because a process may fork while it is being killed."""
    for _ in range(2):
        for each in reversed(tree(pid)):
            with suppress(OSError):
                os.kill(each, signal.SIGKILL)
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def end_with_parent(parent: int) -> None:
    """Make this process, and processes that it forks from Python, end with its parent.

    On Linux the kernel does it, even while the process is busy in C. Elsewhere the closed pipe does it (``worker_child``).
    """
    if not _LINUX:
        return
    import ctypes

    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # Orphaned descendants become children of this process, so that they are found and ended.
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.register_at_fork(after_in_child=lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    if os.getppid() != parent:
        os._exit(1)  # it died before


def limit_data(limit: int) -> None:
    """Let allocations far beyond the limit fail at once, before the next check of the memory."""
    if not _LINUX:
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    soft = 2 * limit + (1 << 30)
    resource.setrlimit(resource.RLIMIT_DATA, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _psutil() -> Any:
    try:
        import psutil
    except ModuleNotFoundError:
        return None
    return psutil
