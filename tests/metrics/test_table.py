"""The one table: the documents and the command line show all of it."""

from pathlib import Path

import pytest

from rangewise.cli import run
from rangewise.metrics import METRICS

ROOT = Path(__file__).parent.parent


def test_the_index_page_is_up_to_date(capsys):
    assert run(["metrics", "--markdown"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs/metrics/index.md").read_text(), "rangewise metrics --markdown > docs/metrics/index.md"


def test_the_command_lists_every_metric(capsys):
    assert run(["metrics"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert [name for name in METRICS if name not in listed] == []


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_rows_make_sense(metric):
    assert METRICS[metric.name] is metric
    assert metric.low < metric.high
    assert metric.summary
    assert metric.reference


def test_each_scoring_model_has_one_headline():
    pages = [metric.page for metric in METRICS.values() if metric.headline and metric.name not in ("mean_delay", "pa20_fbeta")]
    assert sorted(pages) == sorted(set(pages))
    assert set(pages) == {metric.page for metric in METRICS.values() if metric.page != "docs/metrics/over_thresholds.md"}
