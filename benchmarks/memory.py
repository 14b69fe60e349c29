"""The memory that a call adds at its peak, seen in a fresh process (`python -m benchmarks.memory PART NAME SIZE`).

A part of the benchmark names its calls in ``MEMORY_CALLS``: each gets a size, makes its input and returns the call.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
STATUS = Path("/proc/self/status")
# A first call of this size loads what is loaded once, which is not what the call needs.
WARM_UP_SIZE = 4000


def extra_bytes(part: str, name: str, size: int) -> int | None:
    """How far the peak of a call rises above what its process held before it; None where the system does not report it."""
    if not STATUS.is_file():
        return None
    command = [sys.executable, "-m", "benchmarks.memory", part, name, str(size)]
    return int(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout)


def main() -> None:
    part, name, size = sys.argv[1:]
    prepare = importlib.import_module(f"benchmarks.{part}").MEMORY_CALLS[name]
    prepare(WARM_UP_SIZE)()
    call = prepare(int(size))
    _forget_the_preparation()
    before = _status_bytes("VmRSS")
    result = call()
    print(_status_bytes("VmHWM") - before)
    del result  # what the call gives counts, so it lives until here


def _forget_the_preparation() -> None:
    """Give back what making the input left free, which the call would use unseen, and start its peak anew; where the system lets us."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _status_bytes(field: str) -> int:
    """A line of the process's status, as `VmHWM: 1234 kB`. Unlike `ru_maxrss` it knows nothing of the parent process."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{field}:"))
    return 1024 * int(line.split()[1])


if __name__ == "__main__":
    main()
