"""How much memory a process of a test held at most."""

import resource
import sys
from pathlib import Path

IMPORT = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from peak_memory import peak_memory\n"
"""The first line of a program that is run with ``python -c``."""


def peak_memory():
    """In bytes, of this process alone: ``ru_maxrss`` also counts what the parent process held when it started this one."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) << 10
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10
