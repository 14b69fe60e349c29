import csv
import io
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given

import rangewise as rw
from rangewise.metrics import METRICS
from strategies import side_pairs

REAL = [0, 0, 1, 1, 1, 1, 0, 0, 1, 0]
WHOLE = [0, 0, 1, 1, 1, 1, 1, 0, 0, 0]
DOTS = [0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
SCORES = [0.1, 0.2, 0.9, 0.8, 0.7, 0.3, 0.2, 0.1, 0.6, 0.1]
DAYS = range(12)
MANY = {
    "real": {day: [(0, 10), (30 + day, 40 + day)] for day in DAYS},
    "good": {day: [(0, 9), (30 + day, 39 + day)] for day in DAYS},
    "poor": {day: [(4, 12), (20, 22 + day % 4)] for day in DAYS},
    "odd": {day: [(0, 9)] if day % 2 else [(15, 16)] for day in DAYS},
}


def many(**options):
    return rw.compare(MANY["real"], {name: MANY[name] for name in ("good", "poor", "odd")}, **options)


@given(side_pairs())
def test_values_match_the_metrics(sides):
    real, predicted = sides
    comparison = rw.compare(real, {"a": predicted}, metrics=["range_fbeta", "point_adjust_fbeta:k=20", rw.early])
    expected = [
        rw.range_fbeta(real, predicted),
        METRICS["point_adjust_fbeta"].function(real, predicted, k=20),
        rw.early.score(real, predicted).f,
    ]
    assert comparison.values[0, 0].tolist() == pytest.approx(expected, nan_ok=True)
    assert [named.text for named in comparison.metrics] == ["range_fbeta", "point_adjust_fbeta:k=20", "early"]


def test_default_metrics_are_the_headline_metrics():
    comparison = rw.compare(REAL, {"whole": WHOLE, "dots": DOTS})
    assert [named.text for named in comparison.metrics] == [name for name, metric in METRICS.items() if metric.headline]
    assert not np.isnan(comparison.mean).any()
    # Ranges do not define the length of the series.
    without_length = rw.compare([(2, 6)], {"a": [(3, 7)]}).columns()
    assert math.isnan(without_length["affiliation_fbeta"][0])
    with pytest.raises(ValueError, match="number of points"):
        rw.compare([(2, 6)], {"a": [(3, 7)]}, metrics=["affiliation_fbeta"])


def test_scores_need_a_threshold_for_metrics_of_predictions():
    comparison = rw.compare(REAL, {"s": SCORES}, metrics=["auc_pr", "vus_pr"])
    assert comparison.mean[0, 0] == METRICS["auc_pr"].function(REAL, SCORES)
    with pytest.raises(ValueError, match=r"range_fbeta of s: .*needs a prediction, but this case has scores"):
        rw.compare(REAL, {"s": SCORES}, metrics=["range_fbeta"])
    at = rw.compare(REAL, {"s": SCORES}, metrics=["range_fbeta", "auc_pr"], thresholds={"s": 0.65})
    assert at.mean[0, 0] == rw.range_fbeta(REAL, np.array(SCORES) >= 0.65)
    best = rw.compare(REAL, {"s": SCORES}, metrics=["range_fbeta"], thresholds="best-f")
    assert best.mean[0, 0] == rw.RangeModel().curve(REAL, SCORES).best().score.f
    assert math.isnan(rw.compare(REAL, {"s": SCORES}).mean[0, 0])


def test_labels_count_as_scores_but_ranges_do_not():
    assert rw.compare(REAL, {"w": WHOLE}, metrics=["auc_pr"]).mean[0, 0] == METRICS["auc_pr"].function(REAL, WHOLE)
    with pytest.raises(ValueError, match="auc_pr of w: auc_pr needs one score per point"):
        rw.compare([(2, 6)], {"w": [(2, 7)]}, metrics=["auc_pr"])


def test_means_use_series_where_all_detectors_have_a_value():
    comparison = many(metrics={"F1": "range_fbeta", "delay": "mean_delay"})
    assert comparison.series == tuple(DAYS)
    expected = [np.mean([rw.range_fbeta(MANY["real"][day], MANY[name][day]) for day in DAYS]) for name in comparison.detectors]
    assert comparison.mean[:, 0].tolist() == pytest.approx(expected)
    # "odd" finds nothing on even days, so its delay is nan there: the means of all detectors skip these days.
    odd_days = [day for day in DAYS if day % 2]
    assert comparison.mean[0, 1] == np.mean([METRICS["mean_delay"].function(MANY["real"][day], MANY["good"][day]) for day in odd_days])
    assert "mean of 12 series; delay of 6, where all detectors have a value" in str(comparison)


def test_exports_contain_the_same_numbers():
    comparison = many(metrics={"F_1 & more": "range_fbeta", "delay": "mean_delay"})
    rows = list(csv.reader(io.StringIO(comparison.to_csv())))
    assert rows[0] == ["detector", "F_1 & more", "delay"]
    assert [[float(cell) for cell in row[1:]] for row in rows[1:]] == comparison.mean.tolist()
    assert comparison.to_polars().rows() == [tuple(row) for row in comparison.to_pandas().itertuples(index=False)]
    best = f"{comparison.mean[0, 0]:.4f}"
    assert f"| good | **{best}** |" in comparison.to_markdown()
    assert rf"good & \textbf{{{best}}} &" in comparison.to_latex()
    assert r"detector & F\_1 \& more & delay \\" in comparison.to_latex()
    assert f"{comparison.mean[0, 0]:.5f}" in comparison.to_markdown(digits=5)
    assert f">{best}<" in comparison._repr_html_()


def test_exports_one_row_per_series_and_detector(tmp_path):
    comparison = many(metrics=["range_fbeta"])
    table = comparison.to_polars(by_series=True)
    assert table.shape == (36, 3)
    assert table.row(4) == (1, "poor", rw.range_fbeta(MANY["real"][1], MANY["poor"][1]))
    assert comparison.to_csv(tmp_path / "t.csv", by_series=True) is None
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 37


def test_pairs_and_plot_compare_detectors_over_series():
    comparison = many(metrics=["range_fbeta", "mean_delay"])
    pairs = comparison.pairs("range_fbeta")
    assert [(pair.first, pair.second) for pair in pairs] == [("good", "poor"), ("good", "odd"), ("poor", "odd")]
    assert pairs[0].won == 12
    assert "good is better" in pairs[0].verdict()
    texts = " ".join(text.get_text() for text in comparison.plot().texts)
    assert "good  1.00" in texts
    with pytest.raises(ValueError, match="needs many series"):
        rw.compare(REAL, {"a": WHOLE}).plot()
    with pytest.raises(ValueError, match="a metric of this table is one of"):
        comparison.pairs("nonsense")


def test_disputes():
    comparison = rw.compare(REAL, {"whole": WHOLE, "dots": DOTS}, metrics=["point_fbeta", "event_fbeta"])
    assert [(one.one, one.for_one, one.for_other) for one in comparison.disputes()] == [("whole", ["point_fbeta"], ["event_fbeta"])]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((REAL, {"a": WHOLE}), {"metrics": "range_fbeta"}, "give \\['range_fbeta'\\]"),
        ((REAL, {"a": WHOLE}), {"metrics": ["range_fbet"]}, "did you mean 'range_fbeta'"),
        ((REAL, {"a": WHOLE}), {"metrics": []}, "names none"),
        ((REAL, {"a": WHOLE}), {"metrics": [3]}, "a metric is a name, a RangeModel or a Metric; got 3"),
        ((REAL, {"a": WHOLE}), {"metrics": ["range_fbeta", "range_fbeta"]}, "two columns are called"),
        ((REAL, {"a": WHOLE}), {"family": "nonsense"}, "a family is one of"),
        ((REAL, [WHOLE]), {}, "predicted must map names to detectors"),
        ((REAL, {"a": WHOLE[:-1]}), {}, "and a has 9"),
        (({1: REAL}, {"a": {2: WHOLE}}), {}, "different series"),
        (({}, {"a": {}}), {}, "real is empty"),
    ],
)
def test_rejects_bad_input(arguments, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        rw.compare(*arguments, **options)


def test_a_family_is_added_to_the_metrics():
    comparison = rw.compare(REAL, {"a": WHOLE}, metrics=["point_fbeta"], family="range")
    titles = [named.text for named in comparison.metrics]
    assert titles[0] == "point_fbeta"
    assert titles[1:] == [name for name, metric in METRICS.items() if metric.belongs_to("range")]


def test_gaps_are_closed_for_metrics_of_labels_and_of_scores():
    real, scores = [(1, 5)], np.array([0.1, 0.9, 0.2, 0.3, 0.9, 0.25])
    comparison = rw.compare(real, {"a": scores}, metrics=["point_fbeta", "auc_pr"], thresholds={"a": 0.9}, close_gaps=2)
    assert comparison.values.ravel().tolist() == [1.0, 1.0]


def test_metric_options_may_be_booleans():
    real, scores = [0, 1, 1, 1, 1, 0], [0.1, 0.9, 0.8, 0.2, 0.1, 0.5]
    names = ["best_point_adjust_area", "best_point_adjust_area:published=false", "best_point_adjust_area:published=True"]
    exact, same, sampled = rw.compare(real, {"a": scores}, metrics=names).values[0, 0].tolist()
    assert exact == same != sampled
    with pytest.raises(ValueError, match="published is True or False; got 'no'"):
        rw.compare(real, {"a": scores}, metrics=["best_point_adjust_area:published=no"])


def minutes(pairs):
    start = np.datetime64("2024-05-01T00:00", "ns")
    return [tuple(start + np.timedelta64(edge, "m") for edge in pair) for pair in pairs]


def test_all_detectors_in_times_have_one_period():
    """A distant false alarm made the series of its own detector longer, which raised the affiliation of that detector's near misses."""
    real, near = minutes([(100, 110), (200, 210)]), minutes([(95, 104), (206, 214)])
    detectors = {"near": near, "far": [*near, *minutes([(100_000, 100_001)])], "silent": []}
    metrics = ["affiliation_precision", "affiliation_fbeta", "mean_delay"]
    found = rw.compare(real, detectors, metrics=metrics)
    span = (minutes([(95, 96)])[0][0], minutes([(95, 100_001)])[0][1])
    assert np.array_equal(found.values, rw.compare(real, detectors, metrics=metrics, span=span).values, equal_nan=True)
    assert found.values[0, 0, 0] > found.values[0, 1, 0]
    # One detector has its own period, as in the function.
    alone = rw.compare(real, {"near": near}, metrics=metrics)
    assert alone.values[0, 0, 1] == METRICS["affiliation_fbeta"].function(real, near)


def test_all_detectors_in_times_have_one_grid():
    """A grid began at the first range of each pair of sides, so that detectors were scored on other rows."""
    real, half = minutes([(100, 103), (200, 202)]), np.timedelta64(30, "s")
    detectors = {"a": minutes([(101, 108)]), "b": [(start - half, stop) for start, stop in minutes([(99, 108)])]}
    span = (detectors["b"][0][0], real[-1][1])
    options = {"metrics": ["range_fbeta", "tolerant_fbeta:tolerance=0"], "step": "1min"}
    found = rw.compare(real, detectors, **options)
    assert np.array_equal(found.values, rw.compare(real, detectors, **options, span=span).values)
    asked = {"alphas": 0, "betas": 1, "biases": "flat", "cardinalities": "one", "step": "1min"}
    for name in detectors:
        ranked = [rw.ranking(real, detectors, **asked, **more)._score(name, rw.RangeModel()) for more in ({}, {"span": span})]
        assert ranked[0] == ranked[1]
    shown = [rw.report(real, detectors, step="1min", **more).to_dict() for more in ({}, {"span": span})]
    assert shown[0]["detectors"] == shown[1]["detectors"]
    assert [detector["f"] for detector in shown[0]["detectors"]] == found.values[0, :, 0].tolist()
    # The call on the page scores the same rows again.
    calls = re.findall(r'"call":("(?:[^"\\]|\\.)*")', rw.report(real, detectors, step="1min").html)
    said = "step='1min', span=('2024-05-01T01:38:30', '2024-05-01T03:22:00')"
    assert [json.loads(call) for call in calls] == [f'.score(real, predicted["{name}"], {said})' for name in detectors]
    # In seconds, and over several series.
    many = rw.compare({"s": [(1.0, 3.0)]}, {"a": {"s": [(2.0, 3.0)]}, "b": {"s": [(0.5, 9.0)]}}, metrics=["range_fbeta"], step="1s")
    assert many.values.ravel().tolist() == [
        rw.range_fbeta([(1.0, 3.0)], side, step="1s", span=(0.5, 9)) for side in ([(2.0, 3.0)], [(0.5, 9.0)])
    ]


@pytest.mark.parametrize("thresholds", [0.5, "best-f", "equal-share"])
@pytest.mark.parametrize("ask", [rw.compare, rw.ranking, rw.report])
def test_a_threshold_without_scores_is_refused(ask, thresholds):
    """As on the command line: it has no effect."""
    with pytest.raises(ValueError, match="thresholds= turns scores into predictions, but no detector has scores"):
        ask(REAL, {"whole": WHOLE, "dots": DOTS}, thresholds=thresholds)
    ask(REAL, {"whole": WHOLE, "scores": SCORES}, thresholds=thresholds)
