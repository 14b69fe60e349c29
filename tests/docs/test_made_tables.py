"""Tables in the documents are up to date with the scripts that make them."""

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_table_of_sampled_thresholds_is_current(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "make"))
    import vus_sampling

    page = (DOCS / "metrics" / "vus.md").read_text()
    for points, rate in ((250, 0.1), (10_000, 0.005)):
        assert vus_sampling.row(points, rate) in page, "run docs/make/vus_sampling.py"
    sys.modules.pop("vus_sampling")


def test_tables_of_properties_are_current(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "make"))
    import properties

    page = (DOCS / "metrics" / "properties.md").read_text()
    for name in ("range_fbeta", "point_adjust_fbeta", "vus_pr"):
        for half in properties.HALVES:
            assert properties.values_row(properties.METRICS[name], half) in page, "run docs/make/properties.py"
    for line in properties.breaks_table().splitlines():
        assert line in page, "run docs/make/properties.py"
    sys.modules.pop("properties")


def test_tables_of_coverage_are_current(monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.syspath_prepend(str(DOCS / "make"))
    import interval_coverage

    page = (DOCS / "coverage.md").read_text()
    advice = "run docs/make/interval_coverage.py"
    assert f"| 0.5 | {interval_coverage.worst(interval_coverage.pooled_shares('equal', 0.5, 10, 2_000))} | " in page, advice
    name = "exponential, such as a delay"
    assert f"| {name} | {interval_coverage.mean_share(name, 10, 2_000)} | " in page, advice
    sys.modules.pop("interval_coverage")


def test_claims_about_coverage_match_the_tables():
    """Coverage of at least 92 %, except for lognormal values, and tests that err in 5 %, up to chance."""
    pooled, differences, means, _, tests = (DOCS / "coverage.md").read_text().split("\n## ")[1:]
    for table in (pooled, differences, means):
        for name, shares in _rows(table, r"(\d+\.\d)(?: \(\d+\))?"):
            assert min(shares) >= (85.0 if "lognormal" in name else 92.0)
    assert max(share for _, shares in _rows(tests, r"(\d+\.\d)") for share in shares) < 6.0


def _rows(text, cell):
    """The first cell of each row of a table, and the numbers in the others."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ") and "---" not in line][1:]
    return [(name, [float(number) for each in cells for number in re.findall(cell, each)]) for name, *cells in rows]
