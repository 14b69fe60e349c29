"""Values that other programs gave, of ``metric-vectors`` in the data folder; tests of them are skipped where it is absent."""

import json
import os
from pathlib import Path

import pytest


def cases(name):
    folder = os.environ.get("RANGEWISE_DATA")
    path = Path(folder or ".") / "metric-vectors" / f"{name}.json"
    if not folder or not path.is_file():
        pytest.skip(f"RANGEWISE_DATA has no metric-vectors/{name}.json")
    return json.loads(path.read_text())["cases"]


def real_of(case):
    """Its real ranges, half-open."""
    return half_open(case["real"])


def half_open(pairs):
    return [(first, last + 1) for first, last in pairs]
