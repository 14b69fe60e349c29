"""Tables in the documents are what their scripts make."""

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_sampled_thresholds(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "make"))
    import vus_sampling

    page = (DOCS / "metrics" / "vus.md").read_text()
    for points, rate in ((250, 0.1), (10_000, 0.005)):
        assert vus_sampling.row(points, rate) in page, "run docs/make/vus_sampling.py"
    sys.modules.pop("vus_sampling")


def test_the_tables_of_properties(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "make"))
    import properties

    page = (DOCS / "metrics" / "properties.md").read_text()
    for name in ("range_fbeta", "point_adjust_fbeta", "vus_pr"):
        for half in properties.HALVES:
            assert properties.values_row(properties.METRICS[name], half) in page, "run docs/make/properties.py"
    for line in properties.breaks_table().splitlines():
        assert line in page, "run docs/make/properties.py"
    sys.modules.pop("properties")


def test_the_tables_of_coverage(monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.syspath_prepend(str(DOCS / "make"))
    import interval_coverage as made

    page = (DOCS / "coverage.md").read_text()
    said = "run docs/make/interval_coverage.py"
    assert f"| 0.5 | {made.worst(made.pooled_shares('equal', 0.5, 10, 2_000))} | " in page, said
    name = "exponential, such as a delay"
    assert f"| {name} | {made.mean_share(name, 10, 2_000)} | " in page, said
    sys.modules.pop("interval_coverage")


def test_every_claim_of_coverage_is_what_its_tables_say():
    """92 of 100 everywhere but for lognormal values, and tests that err in 5 of 100 up to chance."""
    pooled, differences, means, _, tests = (DOCS / "coverage.md").read_text().split("\n## ")[1:]
    for table in (pooled, differences, means):
        for name, shares in _rows(table, r"(\d+\.\d)(?: \(\d+\))?"):
            assert min(shares) >= (85.0 if "lognormal" in name else 92.0)
    assert max(share for _, shares in _rows(tests, r"(\d+\.\d)") for share in shares) < 6.0


def _rows(text, cell):
    """The first cell of each row of a table, and the numbers in the others."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ") and "---" not in line][1:]
    return [(name, [float(number) for each in cells for number in re.findall(cell, each)]) for name, *cells in rows]
