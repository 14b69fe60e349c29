"""The nine columns of TSB-AD: published vectors, and the exact variants."""

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


def test_matches_published_vectors():
    for case in vectors("tsbad"):
        row = tsb_ad(real_of(case), case["scores"], buffer=case["params"]["slidingWindow"], exact=False)
        assert list(row) == list(case["out"]["get_metrics"])
        for name, expected in case["out"]["get_metrics"].items():
            assert row[name] == approx(expected, abs=1e-12), (case["id"], name)


@settings(max_examples=15)
@given(scored_ranges())
def test_exact_is_never_below_published(drawn):
    real, scores = drawn
    exact, published = (tsb_ad(real, scores, buffer=4, exact=exact) for exact in (True, False))
    for name in ("Standard-F1", "Event-based-F1", "R-based-F1", "Affiliation-F"):
        assert math.isnan(published[name]) or exact[name] >= published[name] - 1e-12, name


@pytest.mark.kernel
@settings(max_examples=100)
@given(scored_ranges())
def test_best_scores_are_the_maxima_over_thresholds(drawn):
    real, scores = drawn
    predictions = [np.array(scores) >= threshold for threshold in set(scores)]
    assert best_affiliation_fbeta(real, scores) == approx(max(affiliation_fbeta(real, predicted) for predicted in predictions), abs=1e-12)
    composite = [f_score(point_precision(real, predicted), event_recall(real, predicted), 1.0) for predicted in predictions]
    assert best_composite_fbeta(real, scores) == approx(max(composite))


def test_affiliation_does_not_drift_in_long_series():
    rng = np.random.default_rng(3)
    scores = np.round(rng.random(4000), 2)
    real = [(101, 140), (1000, 1003), (1004, 1005), (3000, 3990)]
    expected = max(affiliation_fbeta(real, scores >= threshold, length=4000) for threshold in np.unique(scores))
    assert best_affiliation_fbeta(real, scores) == approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:PATE rewards ties")
def test_metrics_table_has_every_column():
    real, scores = [(3, 6), (9, 12)], np.arange(20) * 7 % 11
    columns = tsb_ad(real, scores)
    rows = {metric.leaderboard: metric.function(real, scores) for metric in METRICS.values() if metric.leaderboard}
    assert rows == columns


def test_published_variant_ignores_the_last_point_of_an_event_at_the_end():
    # The event has points 3 to 5. The published program looks at 3 and 4 only, and the score is high from 4 on.
    scores = [0.5, 0.1, 0.2, 0.0, 0.9, 0.8]
    assert tsb_ad([0, 0, 0, 1, 1, 1], scores, exact=False)["Event-based-F1"] == approx(1.0)
    assert tsb_ad([0, 0, 0, 0, 0, 1], scores, exact=False)["Event-based-F1"] == 0.0


def test_edge_cases():
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


def test_buffers_and_rows_match_tsb_ad():
    """Compares with TSB-AD 1.5 on 200 series; `tests/data/tsb_ad_rows.py` wrote the file."""
    folder = Path(__file__).parents[1] / "data"
    spec = importlib.util.spec_from_file_location("tsb_ad_rows", folder / "tsb_ad_rows.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    cases = json.loads((folder / "tsb_ad_rows.json").read_text())["cases"]
    assert len(cases) == 200
    for case in cases:
        values, labels, scores = script.make_series(case["number"])
        assert tsb_ad_buffer(values) == case["buffer"], case["number"]
        row = tsb_ad(labels, scores, buffer="tsb-ad", values=values, exact=False)
        assert row == approx(case["row"], abs=1e-9), case["number"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"buffer": "tsb-ad"}, "give its values with values="),
        ({"buffer": "tsb", "values": [0.0] * 4}, 'buffer is a number of points, "tsb-ad" or None'),
        ({"buffer": "tsb-ad", "values": [0.0] * 3}, "got 3 values and 4 scores"),
        ({"buffer": 3, "values": [0.0] * 4}, "drop them"),
    ],
)
def test_rejects_bad_buffers(options, message):
    with pytest.raises(ValueError, match=message):
        tsb_ad([(0, 1)], [0.1, 0.2, 0.3, 0.4], **options)


@pytest.mark.parametrize(("period", "buffer"), [(4, 125), (5, 125), (6, 6), (7, 7)])
def test_shortest_period_is_six(period, buffer):
    """TSB-AD's ``find_length_rank`` applies its bounds of 3 and 300 to positions that start at the third lag."""
    assert tsb_ad_buffer(np.sin(2 * np.pi * np.arange(600) / period)) == buffer
