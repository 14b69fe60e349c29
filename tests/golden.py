"""What other programs and other people found, in ``tests/data``: always there, in any clone."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np

from rangewise.datasets import Series

GOLDEN = Path(__file__).parent / "data"
# Upstream these are plain files; here they are gzipped.
PACKED = ("paper-labels/*/*.gz", "nab/data/*/*.gz")


def unpack(target):
    """The layout of a data folder below ``target``, with plain files where upstream has them."""
    shutil.copytree(GOLDEN, target, dirs_exist_ok=True)
    for path in [path for pattern in PACKED for path in target.glob(pattern)]:
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    return target


def vectors(name):
    """The cases of one file of ``metric-vectors``: input, and what the other program gave for it."""
    return json.loads((GOLDEN / "metric-vectors" / f"{name}.json").read_text())["cases"]


def nab_rows():
    """The 58 series of NAB by name, with their windows and number of rows but without their values."""
    known = json.loads((GOLDEN / "nab" / "rows.json").read_text())
    return [Series(name, np.zeros(facts["rows"]), real=facts["windows"]) for name, facts in known.items()]


def real_of(case):
    """Its real ranges, half-open."""
    return half_open(case["real"])


def half_open(pairs):
    return [(first, last + 1) for first, last in pairs]
