"""Thresholds of ``rw.compare``: per detector and series, chosen on a validation part, and marked if they saw the labels."""

import math

import numpy as np
import pytest

import rangewise as rw
from naive.validation import best_threshold, quietest_threshold
from rangewise.inputs.case import Case


def random_data(seed, count=4, length=60):
    random = np.random.default_rng(seed)
    real, scores = {}, {"a": {}, "b": {}}
    for number in range(count):
        labels = (random.random(length) < 0.1).astype(int)
        labels[5:8] = labels[40:46] = 1
        real[f"s{number}"] = labels
        for name, noise in (("a", 0.5), ("b", 1.5)):
            scores[name][f"s{number}"] = np.round(labels + random.normal(0, noise, length), 1)
    return real, scores


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("limit", [None, 0.1, 0.3])
def test_chooses_thresholds_on_the_first_rows_and_scores_the_rest(seed, limit):
    real, scores = random_data(seed)
    comparison = rw.compare(real, scores, metrics=["range_fbeta"], validation=0.4, max_alert_rate=limit)
    for at, series in enumerate(real):
        for row, name in enumerate(scores):
            own = scores[name][series]
            expected = best_threshold(real[series][:24].tolist(), own[:24].tolist(), limit)
            assert comparison.thresholds[name][series] == expected
            assert comparison.values[at, row, 0] == rw.range_fbeta(real[series][24:], (own[24:] >= expected).astype(int))
    assert comparison.saw_labels == ()
    assert "†" not in str(comparison)


def test_a_share_of_the_rows_is_not_rounded_down_by_floats():
    """0.29 * 100 is 28.999999999999996."""
    real, scores = [0, 1] * 50, [0.5, 0.4] * 50
    results = [rw.compare(real, {"a": scores}, metrics=["range_fbeta"], validation=part).to_dict() for part in (0.29, 29)]
    assert results[0] == results[1]


def test_validation_part_without_anomalies_uses_the_alert_rate():
    real, scores = random_data(1)
    real["s2"] = np.concatenate([np.zeros(30, dtype=int), real["s2"][30:]])
    with pytest.raises(
        ValueError, match="series 's2': a: the validation part has no anomaly to choose a threshold by; give max_alert_rate="
    ):
        rw.compare(real, scores, metrics=["range_fbeta"], validation=30)
    comparison = rw.compare(real, scores, metrics=["range_fbeta"], validation=30, max_alert_rate=0.2)
    assert comparison.thresholds["a"]["s2"] == quietest_threshold(scores["a"]["s2"][:30].tolist(), 0.2)
    # In a flat part, every score as a threshold would give too many alerts.
    flat = {"a": {series: np.where(np.arange(60) < 30, 0.5, values) for series, values in scores["a"].items()}}
    silent = rw.compare(real, flat, metrics=["range_precision"], validation=30, max_alert_rate=0.2)
    assert set(silent.thresholds["a"].values()) == {math.inf}


def test_one_threshold_per_detector_and_series():
    real, scores = random_data(2)
    chosen = {"a": {series: 0.3 + number / 10 for number, series in enumerate(real)}, "b": 0.7}
    comparison = rw.compare(real, scores, metrics=["range_fbeta"], thresholds=chosen)
    for at, series in enumerate(real):
        expected = rw.range_fbeta(real[series], (scores["a"][series] >= chosen["a"][series]).astype(int))
        assert comparison.values[at, 0, 0] == expected
    assert comparison.thresholds == {"a": chosen["a"], "b": dict.fromkeys(real, 0.7)}
    table = comparison.to_polars(by_series=True)
    assert table["threshold"].to_list()[:2] == [0.3, 0.7]
    assert not any(table["threshold_saw_labels"])


@pytest.mark.parametrize("rule", ["best-f", "equal-share"])
def test_a_threshold_that_saw_the_labels_is_marked_in_every_output(rule):
    real, scores = random_data(3)
    comparison = rw.compare(real, scores, metrics=["range_fbeta", "vus_pr"], thresholds={"a": rule, "b": 0.5})
    assert comparison.saw_labels == ("a",)
    marked, plain = f"{comparison.mean[0, 0]:.4f}†", f"{comparison.mean[1, 0]:.4f}†"
    for text in (str(comparison), comparison.to_markdown(), comparison.to_latex(), comparison._repr_html_()):
        assert marked in text
        assert plain not in text
        assert f"{comparison.mean[0, 1]:.4f}†" not in text  # this metric uses all thresholds, so none was chosen
        assert "†: the threshold was chosen with the labels it is scored on" in text
    for table in (comparison.to_polars(), comparison.to_pandas()):
        assert list(table["threshold_saw_labels"]) == [True, False]
    assert comparison.to_csv().splitlines()[0] == "detector,range_fbeta,vus_pr,threshold_saw_labels"


def test_best_values_over_all_thresholds_are_marked_too():
    real, scores = random_data(4)
    assert "†" in str(rw.compare(real, scores, metrics=["best_range_fbeta"]))
    assert "†" not in str(rw.compare(real, scores, metrics=["range_fbeta"], thresholds="equal-share:0.1"))


def test_series_without_anomalies_are_excluded_from_means_and_counted():
    real = {"a": [0, 1, 1, 0], "b": [0, 0, 0, 0], "c": [0, 0, 0, 0]}
    predicted = {
        "quiet": {"a": [0, 1, 0, 0], "b": [0] * 4, "c": [0] * 4},
        "loud": {"a": [0, 1, 1, 1], "b": [1, 0, 1, 0], "c": [1, 0, 0, 0]},
    }
    comparison = rw.compare(real, predicted, metrics=["range_recall", "range_precision", "range_fbeta", "auc_pr", rw.early])
    assert comparison.mean[:, 0].tolist() == [0.5, 1.0]
    assert np.isnan(comparison.values[1:]).all()
    assert (comparison.healthy_series, dict(comparison.healthy)) == (2, {"quiet": 0, "loud": 3})
    assert "2 series have no anomaly: the means leave them out; ranges predicted there: quiet 0, loud 3" in str(comparison)
    # An explicit zero_division applies to these series too.
    kept = rw.compare(real, predicted, metrics=["range_recall:zero_division=1", rw.RangeModel(zero_division=1.0)])
    assert kept.mean[0].tolist() == pytest.approx([2.5 / 3, (2 / 3 + 2) / 3])


def test_part_of_a_case_equals_the_case_of_its_rows():
    random = np.random.default_rng(5)
    for _ in range(50):
        real, predicted = (random.random((2, 30)) < 0.4).astype(int)
        ignored = (random.random(30) < 0.2).astype(int)
        scores = random.random(30)
        start, stop = sorted(random.choice(31, 2, replace=False).tolist())
        rows = slice(start, stop)
        for prediction in ({"predicted": predicted}, {"scores": scores}):
            part = Case.read(real, ignore=ignored, **prediction).part(start, stop)
            expected = Case.read(real[rows], ignore=ignored[rows], **{name: values[rows] for name, values in prediction.items()})
            assert (part.real, part.predicted, part.points) == (expected.real, expected.predicted, expected.points)
            assert np.array_equal(part.ignored, expected.ignored)
    timed = Case.read([0, 1, 1, 0], [0, 0, 1, 1], times=np.arange(4).astype("datetime64[h]"))
    assert timed.part(2, 4).real.start_times[0] == np.datetime64(2, "h")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"validation": 1.5}, "a share of the rows above 0 and below 1, or a whole number of rows; got 1.5"),
        ({"validation": 60}, "60 of 60 rows are for validation"),
        ({"validation": {"s0": 10}}, "no entry for series 's1'"),
        ({"validation": {"t0": 10}}, "a series in validation= is one of s0, s1, s2, s3; got 't0'"),
        ({"validation": 0.5, "thresholds": 0.5}, "no detector has a rule here"),
        ({"max_alert_rate": 0.1, "thresholds": 0.5}, "limits thresholds='best-f'"),
        ({"max_alert_rate": 0, "thresholds": "best-f"}, "above 0 and up to 1; got 0"),
        ({"thresholds": {"a": {"s0": 1}}}, "a has no threshold for series 's1'"),
        ({"thresholds": {"a": {"nope": 1}}}, "a series in thresholds= of a is one of s0, s1, s2, s3; got 'nope'"),
        ({"thresholds": {"c": 1}}, "a detector with a threshold is one of a, b; got 'c'"),
    ],
)
def test_rejects_bad_options(options, message):
    real, scores = random_data(6)
    with pytest.raises(ValueError, match=message):
        rw.compare(real, scores, metrics=["range_fbeta"], **options)


def test_rejects_thresholds_of_predictions():
    with pytest.raises(ValueError, match="a is a prediction without scores"):
        rw.compare([0, 1, 0], {"a": [0, 1, 1]}, thresholds={"a": 0.5})
