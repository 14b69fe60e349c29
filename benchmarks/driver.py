"""Runs in a peer's own environment (`python -m benchmarks.driver PART PEER`), where rangewise is absent: jobs come in, a line of JSON each.

A part of the benchmark names its calls in ``PEER_CALLS``. A call gets the arrays of the job, does what is not to be timed
(imports, conversions), and returns a function without arguments that is.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from typing import Any

import numpy as np

from benchmarks.timing import compare


def answer(prepare: Any, job: dict[str, Any]) -> dict[str, Any]:
    arrays = {name: np.load(path) for name, path in job["arrays"].items()}
    try:
        call = prepare(**arrays, **job["options"])
        result: list[Any] = []
        seconds = compare({"call": lambda: result.append(call()) if not result else call()}, job["seconds"], rounds=1)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".rstrip(": ")}
    return {"seconds": seconds["call"], "result": float(result[0])}


def main() -> None:
    part, peer = sys.argv[1:]
    replies, sys.stdout = sys.stdout, sys.stderr  # what a peer prints must not mix with the replies
    warnings.simplefilter("ignore")
    prepare = importlib.import_module(f"benchmarks.{part}").PEER_CALLS[peer]
    for line in sys.stdin:
        print(json.dumps(answer(prepare, json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
