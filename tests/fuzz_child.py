"""Runs commands for ``test_fuzz.py`` in a process that may crash: reads arguments as lines of JSON and writes outcomes."""

import io
import json
import os
import resource
import sys
import warnings
from contextlib import redirect_stdout

from peak_memory import peak_memory
from rangewise.cli import run

ADDRESS_SPACE, FILE_SIZE = 12 << 30, 16 << 20
"""Limits in bytes: of the address space, to protect the machine, and of written files, because a recipe may ask for a very long series."""


def outcome(words):
    """The exit code, everything written to standard error, also by libraries, and the peak memory so far."""
    os.ftruncate(2, 0)
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code = run(words)
        except BaseException as error:  # a Rust panic is not an Exception
            return None, f"{type(error).__name__}: {error}", 0
    sys.stderr.flush()
    errors = os.pread(2, 1 << 20, 0).decode(errors="replace")
    return code, errors, peak_memory()


def main():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    replies = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        print(json.dumps(outcome(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
