"""Values that other programs gave, of ``metric-vectors`` in the data folder; tests of them are skipped where it is absent."""

import json
import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("RANGEWISE_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))


def cases(name):
    path = DATA / "metric-vectors" / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"the data folder has no metric-vectors/{name}.json: set RANGEWISE_DATA (looked at {DATA})")
    return json.loads(path.read_text())["cases"]


def real_of(case):
    """Its real ranges, half-open."""
    return half_open(case["real"])


def half_open(pairs):
    return [(first, last + 1) for first, last in pairs]
