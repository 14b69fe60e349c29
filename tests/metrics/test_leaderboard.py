"""TSB-AD's nine columns: published vectors, and what exact means."""

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from pytest import approx

from golden import real_of, vectors
from rangewise.metrics import (
    METRICS,
    affiliation_fbeta,
    best_affiliation_fbeta,
    best_composite_fbeta,
    event_recall,
    point_precision,
    tsb_ad,
    tsb_ad_buffer,
)
from rangewise.model.tally import f_score
from strategies import scored_ranges


def test_published_vectors():
    for case in vectors("tsbad"):
        found = tsb_ad(real_of(case), case["scores"], buffer=case["params"]["slidingWindow"], exact=False)
        assert list(found) == list(case["out"]["get_metrics"])
        for name, expected in case["out"]["get_metrics"].items():
            assert found[name] == approx(expected, abs=1e-12), (case["id"], name)


@settings(max_examples=15)
@given(scored_ranges())
def test_exact_is_never_below_the_published_sample(drawn):
    real, scores = drawn
    exact, published = (tsb_ad(real, scores, buffer=4, exact=exact) for exact in (True, False))
    for name in ("Standard-F1", "Event-based-F1", "R-based-F1", "Affiliation-F"):
        assert math.isnan(published[name]) or exact[name] >= published[name] - 1e-12, name


@pytest.mark.kernel
@settings(max_examples=100)
@given(scored_ranges())
def test_best_values_are_the_best_of_all_thresholds(drawn):
    real, scores = drawn
    levels = [np.array(scores) >= threshold for threshold in set(scores)]
    assert best_affiliation_fbeta(real, scores) == approx(max(affiliation_fbeta(real, level) for level in levels), abs=1e-12)
    composite = [f_score(point_precision(real, level), event_recall(real, level), 1.0) for level in levels]
    assert best_composite_fbeta(real, scores) == approx(max(composite))


def test_affiliation_does_not_drift_in_a_long_series():
    rng = np.random.default_rng(3)
    scores = np.round(rng.random(4000), 2)
    real = [(101, 140), (1000, 1003), (1004, 1005), (3000, 3990)]
    expected = max(affiliation_fbeta(real, scores >= threshold, length=4000) for threshold in np.unique(scores))
    assert best_affiliation_fbeta(real, scores) == approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:PATE rewards ties")
def test_the_table_has_a_row_for_each_column():
    real, scores = [(3, 6), (9, 12)], np.arange(20) * 7 % 11
    columns = tsb_ad(real, scores)
    rows = {metric.leaderboard: metric.function(real, scores) for metric in METRICS.values() if metric.leaderboard}
    assert rows == columns


def test_the_published_event_at_the_end_loses_its_last_point_only():
    # Of its points 3 to 5 the published program looks at 3 and 4, and the score is high from 4 on.
    scores = [0.5, 0.1, 0.2, 0.0, 0.9, 0.8]
    assert tsb_ad([0, 0, 0, 1, 1, 1], scores, exact=False)["Event-based-F1"] == approx(1.0)
    assert tsb_ad([0, 0, 0, 0, 0, 1], scores, exact=False)["Event-based-F1"] == 0.0


def test_edges():
    nothing = tsb_ad([0, 0, 0], [1, 2, 3])
    assert set(nothing.values()) == {0.0}
    assert tsb_ad([0, 0, 0], [1, 2, 3], exact=False) == nothing
    assert set(tsb_ad([1, 1, 1], [1, 2, 2]).values()) == {1.0}
    constant = tsb_ad([0, 1, 0, 0], [2, 2, 2, 2], exact=False)
    assert math.isnan(constant["Affiliation-F"])
    assert constant["PA-F1"] == 0.0
    with pytest.raises(ValueError, match="score 1 is nan"):
        tsb_ad([0, 1, 0], [1, np.nan, 1])
    with pytest.raises(ValueError, match="exact=True accepts any"):
        tsb_ad([0, 1, 0], [1, np.inf, 1], exact=False)


def test_buffers_and_rows_equal_tsb_ad():
    """200 series; the script beside the file made it with TSB-AD 1.5."""
    folder = Path(__file__).parents[1] / "data"
    spec = importlib.util.spec_from_file_location("tsb_ad_rows", folder / "tsb_ad_rows.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    cases = json.loads((folder / "tsb_ad_rows.json").read_text())["cases"]
    assert len(cases) == 200
    for case in cases:
        values, labels, scores = script.made(case["number"])
        assert tsb_ad_buffer(values) == case["buffer"], case["number"]
        found = tsb_ad(labels, scores, buffer="tsb-ad", values=values, exact=False)
        assert found == approx(case["row"], abs=1e-9), case["number"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"buffer": "tsb-ad"}, "give its values with values="),
        ({"buffer": "tsb", "values": [0.0] * 4}, 'buffer is a number of points, "tsb-ad" or None'),
        ({"buffer": "tsb-ad", "values": [0.0] * 3}, "got 3 values and 4 scores"),
        ({"buffer": 3, "values": [0.0] * 4}, "drop them"),
    ],
)
def test_bad_buffers(options, says):
    with pytest.raises(ValueError, match=says):
        tsb_ad([(0, 1)], [0.1, 0.2, 0.3, 0.4], **options)


@pytest.mark.parametrize(("period", "buffer"), [(4, 125), (5, 125), (6, 6), (7, 7)])
def test_a_short_period_counts_from_six_on(period, buffer):
    """TSB-AD's ``find_length_rank`` applies its bounds of 3 and 300 to places that begin at the third lag."""
    assert tsb_ad_buffer(np.sin(2 * np.pi * np.arange(600) / period)) == buffer
