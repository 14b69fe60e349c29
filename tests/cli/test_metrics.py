"""The list of metrics, by family and in 80 columns; and families in score and compare."""

import json

import pytest

from rangewise.cli import run
from rangewise.metrics import FAMILIES, METRICS, tsb_ad


def invoke(capsys, *words):
    code = run(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_list_fits_80_columns_and_has_every_metric_once(capsys):
    code, out, _ = invoke(capsys, "metrics")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    first_words = [line.split()[0] for line in out.splitlines() if line.startswith("  ") and not line.startswith("   ")]
    assert sorted(first_words) == sorted(METRICS)


@pytest.mark.parametrize("family", FAMILIES)
def test_list_of_one_family(family, capsys):
    code, out, _ = invoke(capsys, "metrics", "--family", family)
    assert code == 0
    members = [name for name, metric in METRICS.items() if metric.belongs_to(family)]
    assert members
    assert [name for name in METRICS if f"  {name} " in out] == members


def test_details_of_one_metric(capsys):
    code, out, _ = invoke(capsys, "metrics", "vus_pr")
    assert code == 0
    assert "VUS-PR" in out
    assert "docs/metrics/vus.md" in out
    code, _, err = invoke(capsys, "metrics", "vus")
    assert code == 2
    assert "did you mean 'vus_pr'?" in err


def test_details_name_the_properties_that_a_metric_breaks(capsys):
    code, out, _ = invoke(capsys, "metrics", "point_adjust_fbeta", "point_fbeta")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    adjusted, plain = out.split("\n\n")
    assert "that fires at random reaches 0.79" in adjusted
    assert "breaks" not in plain, "it differs only by design"
    assert "differs by design (not a fault)" in plain


def test_wide_has_one_line_per_metric(capsys):
    code, out, _ = invoke(capsys, "metrics", "--wide")
    head, *lines = out.splitlines()
    assert code == 0
    assert head.split("  ")[0] == "metric"
    assert [line.split()[0] for line in lines] == list(METRICS)
    for line, metric in zip(lines, METRICS.values(), strict=True):
        assert all(text in line for text in (metric.summary, metric.reference, metric.page, metric.needs, f"{metric.better} is better"))
    assert len(invoke(capsys, "metrics", "--wide", "vus_pr", "pate")[1].splitlines()) == 3
    members = [name for name, metric in METRICS.items() if metric.belongs_to("tsb-ad")]
    assert [line.split()[0] for line in invoke(capsys, "metrics", "--wide", "--family", "tsb-ad")[1].splitlines()[1:]] == members


def test_score_and_compare_accept_a_family(tmp_path, capsys):
    real, scores = [0, 1, 1, 0, 0, 0], [0.1, 0.9, 0.4, 0.5, 0.0, 0.2]
    for name, values in (("real", real), ("scores", scores), ("other", scores[::-1])):
        (tmp_path / name).write_text("\n".join(map(str, values)))
    paths = [str(tmp_path / name) for name in ("real", "scores", "other")]
    code, out, _ = invoke(capsys, "score", *paths[:2], "--family", "tsb-ad", "--json")
    values_by_name = json.loads(out)
    assert code == 0
    assert {METRICS[name].leaderboard: value for name, value in values_by_name.items()} == tsb_ad(real, scores)
    code, out, _ = invoke(capsys, "compare", *paths, "--metric", "vus_pr:buffer=1", "--family", "tsb-ad", "--json")
    assert code == 0
    columns = json.loads(out)["detectors"][0]["metrics"]
    assert next(iter(columns)) == "vus_pr:buffer=1"
    assert len(columns) == 9, "a metric that is given with options is not repeated without them"
    code, _, err = invoke(capsys, "score", *paths[:2], "--family", "tsb")
    assert code == 2
    assert "did you mean 'tsb-ad'?" in err
