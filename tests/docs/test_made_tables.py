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
