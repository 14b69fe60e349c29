import math

import numpy as np

from rangewise.metrics.table import METRICS
from rangewise.model.model import RangeModel
from rangewise.rankings.cases import read_detectors
from rangewise.reports.clock import clock_of
from rangewise.reports.contest import contest_words, contests
from rangewise.reports.entries import make_entries

REAL = [(10, 20), (50, 60)]


def entries(detectors, **options):
    cases = read_detectors(REAL, detectors, None, {"length": 100, **options}, needs_threshold=False)[""]
    return make_entries(cases, RangeModel(), clock_of(100, None), False)


def test_contests_cover_every_headline_metric():
    all_contests = contests(entries({"a": np.linspace(0, 1, 100), "b": [(12, 18)]}), RangeModel())
    assert {one.name for one in all_contests} == {name for name, metric in METRICS.items() if metric.headline}
    for one in all_contests:
        assert one.values[1] == METRICS[one.name].function(REAL, [(12, 18)], length=100)


def test_equal_values_share_the_better_rank_and_nan_is_last():
    assert METRICS["range_fbeta"].ranks([0.5, math.nan, 0.5, 0.1]) == [1, 4, 1, 3]
    assert METRICS["mean_delay"].ranks([5.0, 2.0, math.nan]) == [2, 1, 3]


def test_vus_is_included_if_all_detectors_have_scores():
    both = {"a": np.linspace(0, 1, 100), "b": np.linspace(1, 0, 100)}
    assert "vus_pr" in {one.name for one in contests(entries(both), RangeModel())}
    # Metrics that cannot ignore intervals are left out.
    assert "affiliation_fbeta" not in {one.name for one in contests(entries(both, ignore=[(0, 5)]), RangeModel())}


def test_first_contest_is_the_model_of_the_page():
    model = RangeModel(alpha=0.5, beta=2.0, recall_bias="front")
    cases = read_detectors(REAL, {"a": [(12, 18)], "b": [(50, 55), (70, 71)]}, None, {"length": 100}, needs_threshold=False)[""]
    first = contests(make_entries(cases, model, clock_of(100, None), False), model)[0]
    assert first.label == "range F2"
    assert first.values == [model.score(case).f for case in cases.values()]


def test_words_for_ties_and_reversals():
    assert contest_words([[1, 2]]) == ""
    assert contest_words([[1, 2], [1, 2]]) == "The other scoring model gives the same order."
    assert (
        contest_words([[1, 2], [1, 1], [1, 2]])
        == "No other scoring model ranks two detectors the other way round; 1 of 2 other scoring models differs in ties."
    )
    assert contest_words([[1, 2], [2, 1], [2, 1]]) == "2 of 2 other scoring models rank two detectors the other way round."
