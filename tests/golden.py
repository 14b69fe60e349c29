"""Access to ``tests/data``: results of other programs and public labels, available in every clone."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np

from rangewise.datasets import Series

GOLDEN = Path(__file__).parent / "data"
# Plain files upstream; gzipped in the repository.
PACKED = ("paper-labels/*/*.gz", "nab/data/*/*.gz")


def unpack(target):
    """Copy the data to ``target`` in the layout of a data folder, and unzip the files that are plain upstream."""
    shutil.copytree(GOLDEN, target, dirs_exist_ok=True)
    for path in [path for pattern in PACKED for path in target.glob(pattern)]:
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    return target


def vectors(name):
    """The cases of one file of ``metric-vectors``: the input and the result of the other program."""
    return json.loads((GOLDEN / "metric-vectors" / f"{name}.json").read_text())["cases"]


def nab_rows():
    """The 58 NAB series with their windows and number of rows; all values are 0."""
    facts_by_name = json.loads((GOLDEN / "nab" / "rows.json").read_text())
    return [Series(name, np.zeros(facts["rows"]), real=facts["windows"]) for name, facts in facts_by_name.items()]


def real_of(case):
    """The real ranges of a case, half-open."""
    return half_open(case["real"])


def half_open(pairs):
    return [(first, last + 1) for first, last in pairs]
