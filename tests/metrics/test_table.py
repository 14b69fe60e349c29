"""The table of metrics, which the documentation and the command line show in full."""

from pathlib import Path

import pytest

import rangewise as rw
from rangewise.cli import run
from rangewise.metrics import FAMILIES, METRICS
from rangewise.metrics.evaluate import evaluate

ROOT = Path(__file__).parents[2]


def test_index_page_is_up_to_date(capsys):
    assert run(["metrics", "--markdown"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs/metrics/index.md").read_text(), "rangewise metrics --markdown > docs/metrics/index.md"


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_rows_are_complete_and_consistent(metric):
    assert METRICS[metric.name] is metric
    assert metric.low < metric.high
    assert metric.summary
    assert metric.reference


def test_headline_metrics_need_labels_and_cover_different_scoring_models():
    headlines = [metric for metric in METRICS.values() if metric.headline]
    assert "mean_delay" in {metric.name for metric in headlines}, "headlines must include how late a detector is"
    assert {metric.needs for metric in headlines} == {"labels"}, "compare reads labels when no metric is named"
    pages = [metric.page for metric in headlines if metric.name not in ("mean_delay", "pa20_fbeta")]
    assert sorted(pages) == sorted(set(pages))


def test_every_metric_belongs_to_a_described_family():
    for metric in METRICS.values():
        assert metric.family in FAMILIES
        assert metric.family != "tsb-ad", "a column of the leaderboard is named by leaderboard="
        assert metric.belongs_to("threshold-free") == (metric.needs == "scores"), metric.name


def test_ties_share_the_better_rank_and_nan_is_last():
    higher, lower = METRICS["range_fbeta"], METRICS["mean_delay"]
    assert (higher.better, lower.better) == ("higher", "lower")
    assert higher.ranks([0.5, float("nan"), 0.9, 0.5]) == [2, 4, 1, 2]
    assert lower.ranks([5.0, float("nan"), 9.0, 5.0]) == [1, 4, 3, 1]


def test_rejects_options_that_a_metric_does_not_take():
    METRICS["range_fbeta"].check_option("alpha")
    METRICS["pate"].check_option("delay_buffer")
    with pytest.raises(ValueError, match="auc_roc has no options; got 'margin'"):
        METRICS["auc_roc"].check_option("margin")
    with pytest.raises(ValueError, match="early_buffer"):
        METRICS["pate"].check_option("early_bufer")


@pytest.mark.parametrize(
    "name", ["nab_normalized:probation", "pate:include_zero", "pate_f1:include_zero", "best_point_adjust_area:published"]
)
def test_a_word_is_not_true(name):
    """``probation=no`` was taken for True."""
    case = rw.Case.read([0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 1, 0])
    for word in ("no", "maybe", "2", "0.5"):
        with pytest.raises(ValueError, match=f"{name.partition(':')[2]} is True or False; got"):
            evaluate([case], [f"{name}={word}"])
    for one, other in (("true", "1"), ("False", "0")):
        assert evaluate([case], [f"{name}={one}"]) == evaluate([case], [f"{name}={other}"])


def test_a_mean_over_series_leaves_out_a_series_only_if_all_of_its_points_are_ignored():
    labels, metric = [0, 1, 1, 0, 1], "point_recall:zero_division=1.0"
    values = [
        evaluate([rw.Case.read(labels, labels, ignore=[ignored])], [metric], for_means=True)[0, 0] for ignored in ((0, 5), (1, 5), (0, 4))
    ]
    assert str(values[0]) == "nan"
    assert values[1:] == [1.0, 1.0]
