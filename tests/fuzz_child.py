"""Runs commands for ``test_fuzz.py``, one after the other, in a process that may die of them: words come in as JSON, outcomes go out."""

import io
import json
import os
import resource
import sys
import warnings
from contextlib import redirect_stdout

from peak_memory import peak_memory
from rangewise.cli import run

ADDRESSES, WRITTEN = 12 << 30, 16 << 20
"""Of memory, so that the machine does not suffer, and of a file that is written: a recipe says how long its series is."""


def outcome(words):
    """The exit code, all that came to standard error, of libraries too, and the most memory that was held so far."""
    os.ftruncate(2, 0)
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code = run(words)
        except BaseException as error:  # a panic of another library is no Exception
            return None, f"{type(error).__name__}: {error}", 0
    sys.stderr.flush()
    said = os.pread(2, 1 << 20, 0).decode(errors="replace")
    return code, said, peak_memory()


def main():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (WRITTEN, WRITTEN))
    replies = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        print(json.dumps(outcome(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
