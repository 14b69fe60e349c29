"""The peak memory of a process that a test starts."""

import resource
import sys
from pathlib import Path

IMPORT = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from peak_memory import peak_memory\n"
"""First line of a program for ``python -c``: imports this module."""


def peak_memory():
    """The peak memory of this process in bytes. ``ru_maxrss`` also counts what the parent held when it started this process."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) << 10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10
