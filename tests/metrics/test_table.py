"""The one table: the documents and the command line show all of it."""

from pathlib import Path

import pytest

from rangewise.cli import run
from rangewise.metrics import FAMILIES, METRICS

ROOT = Path(__file__).parents[2]


def test_the_index_page_is_up_to_date(capsys):
    assert run(["metrics", "--markdown"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs/metrics/index.md").read_text(), "rangewise metrics --markdown > docs/metrics/index.md"


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_rows_make_sense(metric):
    assert METRICS[metric.name] is metric
    assert metric.low < metric.high
    assert metric.summary
    assert metric.reference


def test_headlines_score_labels_one_for_each_scoring_model():
    headlines = [metric for metric in METRICS.values() if metric.headline]
    assert {metric.needs for metric in headlines} == {"labels"}, "compare reads labels when no metric is named"
    pages = [metric.page for metric in headlines if metric.name not in ("mean_delay", "pa20_fbeta")]
    assert sorted(pages) == sorted(set(pages))


def test_every_metric_is_in_a_family_that_is_described():
    for metric in METRICS.values():
        assert metric.family in FAMILIES
        assert metric.family != "tsb-ad", "a column of the leaderboard is named by leaderboard="
        assert metric.belongs_to("threshold-free") == (metric.needs == "scores"), metric.name
