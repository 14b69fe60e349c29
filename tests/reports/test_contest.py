import math

import numpy as np

from rangewise.inputs.ranges import Ranges
from rangewise.metrics.table import METRICS
from rangewise.model.model import RangeModel
from rangewise.reports.clock import clock_of
from rangewise.reports.contest import contests, ranks
from rangewise.reports.entries import make_entries, read_detectors


def entries(real, detectors):
    return make_entries(real, read_detectors(detectors), None, RangeModel(), clock_of(100, None), False)


def test_every_headline_is_asked():
    real = Ranges([(10, 20), (50, 60)])
    found = contests(real, entries(real, {"a": np.linspace(0, 1, 100), "b": [(12, 18)]}), 100)
    assert {one.name for one in found} == {name for name, metric in METRICS.items() if metric.headline}
    for one in found:
        metric = METRICS[one.name]
        options = {"length": 100} if metric.takes_length else {}
        if metric.needs == "labels":
            assert one.values[1] == metric.function(real, Ranges([(12, 18)]), **options) or math.isnan(one.values[1])
        else:
            assert math.isnan(one.values[1])


def test_ranks_share_the_better_place_and_nan_is_last():
    assert ranks([0.5, math.nan, 0.5, 0.1], METRICS["range_fbeta"]) == [1, 4, 1, 3]
    assert ranks([5.0, 2.0, math.nan], METRICS["mean_delay"]) == [2, 1, 3]


def test_volumes_are_asked_where_all_have_scores():
    real = Ranges([(10, 20), (50, 60)])
    found = contests(real, entries(real, {"a": np.linspace(0, 1, 100), "b": np.linspace(1, 0, 100)}), 100)
    assert "vus_pr" in {one.name for one in found}
