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
    assert "mean_delay" in {metric.name for metric in headlines}, "how late a detector is, beside what it finds"
    assert {metric.needs for metric in headlines} == {"labels"}, "compare reads labels when no metric is named"
    pages = [metric.page for metric in headlines if metric.name not in ("mean_delay", "pa20_fbeta")]
    assert sorted(pages) == sorted(set(pages))


def test_every_metric_is_in_a_family_that_is_described():
    for metric in METRICS.values():
        assert metric.family in FAMILIES
        assert metric.family != "tsb-ad", "a column of the leaderboard is named by leaderboard="
        assert metric.belongs_to("threshold-free") == (metric.needs == "scores"), metric.name


def test_ranks_share_the_better_place_and_nan_is_last():
    higher, lower = METRICS["range_fbeta"], METRICS["mean_delay"]
    assert (higher.better, lower.better) == ("higher", "lower")
    assert higher.ranks([0.5, float("nan"), 0.9, 0.5]) == [2, 4, 1, 2]
    assert lower.ranks([5.0, float("nan"), 9.0, 5.0]) == [1, 4, 3, 1]


def test_options_that_a_metric_does_not_take_are_named():
    METRICS["range_fbeta"].check_option("alpha")
    METRICS["pate"].check_option("delay_buffer")
    with pytest.raises(ValueError, match="auc_roc has no options; got 'margin'"):
        METRICS["auc_roc"].check_option("margin")
    with pytest.raises(ValueError, match="early_buffer"):
        METRICS["pate"].check_option("early_bufer")
