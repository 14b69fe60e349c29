import numpy as np
import pytest

import rangewise as rw
from rangewise.metrics.table import METRICS
from rangewise.rankings.metric_orders import metric_orders

LABELS = np.array([0, 1, 1, 1, 0, 0, 1, 0, 0, 0])
PREDICTED = {"a": LABELS, "b": np.roll(LABELS, 2), "c": LABELS * 0}


def test_every_scoring_model_gives_a_rank():
    orders = metric_orders(rw.ranking(LABELS, PREDICTED))
    assert {order.metric.name for order in orders} == {
        metric.name for metric in METRICS.values() if metric.headline and metric.needs == "labels"
    }
    for order in orders:
        assert order.ranks["a"] == 1
        for name, value in order.values.items():
            options = {"length": 10} if order.metric.takes_length else {}
            np.testing.assert_equal(value, order.metric.function(rw.as_ranges(LABELS), rw.as_ranges(PREDICTED[name]), **options))


def test_what_needs_the_length_waits_for_it():
    found = rw.ranking([(0, 3)], {"a": [(0, 3)]})
    assert not any(order.metric.takes_length for order in metric_orders(found))
    assert any(order.metric.takes_length for order in metric_orders(found, length=10))


def test_many_series_are_refused():
    with pytest.raises(ValueError, match="one series"):
        metric_orders(rw.ranking({"s": [(0, 3)], "t": []}, {"a": {"s": [], "t": []}}))


def test_scores_are_labelled_at_their_threshold():
    scores = {name: labels * 0.8 + 0.1 for name, labels in PREDICTED.items()}
    orders = metric_orders(rw.ranking(LABELS, scores, threshold="best-f"))
    assert all(order.ranks["a"] == 1 for order in orders)
