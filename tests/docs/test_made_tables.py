"""Tables in the documents are what their scripts make."""

import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_sampled_thresholds(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "make"))
    import vus_sampling

    page = (DOCS / "metrics" / "vus.md").read_text()
    for points, rate in ((250, 0.1), (10_000, 0.005)):
        assert vus_sampling.row(points, rate) in page, "run docs/make/vus_sampling.py"
    sys.modules.pop("vus_sampling")


def test_the_tables_of_laws(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "make"))
    import laws

    page = (DOCS / "metrics" / "laws.md").read_text()
    for name in ("range_fbeta", "point_adjust_fbeta", "vus_pr"):
        assert laws.values_row(laws.METRICS[name]) in page, "run docs/make/laws.py"
    for line in laws.breaks_table().splitlines():
        assert line in page, "run docs/make/laws.py"
    sys.modules.pop("laws")
