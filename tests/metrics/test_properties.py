"""Properties of the model and of every metric in the table that hold for all inputs."""

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import make_scorer, precision_recall_fscore_support

import rangewise as rw
from rangewise import metrics
from rangewise.metrics import METRICS, PROPERTIES, SCENARIOS, Metric, broken_properties, point_fbeta, point_precision, point_recall
from rangewise.metrics.scenarios import REAL, evaluate, noise, value_of
from strategies import bias_names, cardinality_names, labels, range_lists, side_pairs

LABEL_METRICS = [metric for metric in METRICS.values() if metric.needs == "labels"]


@given(side_pairs(), bias_names, cardinality_names)
def test_swapping_sides_swaps_precision_and_recall(sides, bias, cardinality):
    real, predicted = sides
    options = {"bias": bias, "cardinality": cardinality}
    assert rw.range_recall(real, predicted, **options) == rw.range_precision(predicted, real, **options)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=200), st.sampled_from([0.5, 1.0, 2.0]))
def test_unit_ranges_give_the_classical_scores(pairs, beta):
    real, predicted = [a for a, _ in pairs], [b for _, b in pairs]
    unit = rw.RangeModel(beta=beta).score(rw.Ranges.from_labels(real).points(), rw.Ranges.from_labels(predicted).points())
    counted = rw.RangeModel(beta=beta, as_points="both").score(real, predicted)
    classical = (
        precision_recall_fscore_support(real, predicted, beta=beta, average="binary", zero_division=0.0) if pairs else (0.0, 0.0, 0.0)
    )
    for score in (unit, counted):
        assert (score.precision, score.recall, score.f) == approx(classical[:3], abs=1e-12)
    assert (point_precision(real, predicted), point_recall(real, predicted)) == (counted.precision, counted.recall)
    assert point_fbeta(real, predicted, beta=beta) == counted.f


@given(side_pairs(), bias_names, cardinality_names, st.integers(1, 1000))
def test_shifting_both_sides_does_not_change_the_score(sides, bias, cardinality, shift):
    moved = [[(a + shift, b + shift) for a, b in side] for side in sides]
    options = {"bias": bias, "cardinality": cardinality}
    assert rw.score(*moved, **options) == rw.score(*sides, **options)


@given(side_pairs(), cardinality_names)
def test_reversing_time_swaps_front_and_back(sides, cardinality):
    mirrored = [[(60 - b, 60 - a) for a, b in reversed(side)] for side in sides]
    assert rw.score(*mirrored, bias="front", cardinality=cardinality).f == rw.score(*sides, bias="back", cardinality=cardinality).f
    for bias in ("flat", "middle"):
        assert rw.score(*mirrored, bias=bias, cardinality=cardinality).recall == rw.score(*sides, bias=bias, cardinality=cardinality).recall


@given(side_pairs(), bias_names)
def test_fragmentation_never_pays(sides, bias):
    whole, fragmented = rw.score(*sides, bias=bias), rw.score(*sides, bias=bias, cardinality="reciprocal")
    assert fragmented.recall <= whole.recall
    assert fragmented.precision <= whole.precision


@given(side_pairs(), bias_names, cardinality_names)
def test_alpha_weighs_existence_against_overlap(sides, bias, cardinality):
    existence = rw.score(*sides, alpha=1.0).recall
    rows = rw.score(*sides, bias=bias, cardinality=cardinality).real
    assert existence == approx(rows.existence.mean() if len(rows) else 0.0)
    low, high = (rw.score(*sides, alpha=alpha, bias=bias, cardinality=cardinality).recall for alpha in (0.0, 0.5))
    assert high == approx((low + existence) / 2)


def value_for(metric, real, second):
    """The metric's value. Ranges are in a series of 60 points."""
    labeled = bool(real) and isinstance(real[0], int)
    return metric.function(real, second, **({} if labeled or not metric.takes_length else {"length": 60}))


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


# Drawing an input takes longer than computing a metric, so each test draws an input once for all metrics.
@settings(max_examples=100)
@given(labels(), st.integers(0, 2**32))
def test_every_metric_returns_a_float_within_its_bounds(real, seed):
    rng = np.random.default_rng(seed)
    predicted = rng.permutation(np.array(real, dtype=int)).tolist()
    scores = rng.integers(0, 5, len(real)) / 4
    for metric in METRICS.values():
        value = value_for(metric, real, predicted if metric.needs == "labels" else scores)
        assert type(value) is float, metric.name
        assert metric.low <= value <= metric.high or (math.isnan(value) and math.isnan(metric.nothing)), metric.name


@settings(max_examples=100)
@given(range_lists())
def test_perfect_prediction_is_best_for_every_metric(real):
    if real:
        joined = rw.Ranges(real).merge_touching()  # scores cannot separate touching ranges
        for metric in METRICS.values():
            sides = (real, real) if metric.needs == "labels" else (list(joined), joined.to_labels(60) * 0.5)
            assert value_for(metric, *sides) == metric.best, metric.name


@settings(max_examples=100)
@given(range_lists())
def test_empty_prediction_gives_the_value_in_the_table(real):
    if real:
        for metric in LABEL_METRICS:
            assert same(value_for(metric, real, []), metric.nothing), metric.name


@settings(max_examples=100)
@given(side_pairs(), st.integers(1, 1000))
def test_shifting_both_sides_does_not_change_any_metric(sides, shift):
    moved = [[(a + shift, b + shift) for a, b in side] for side in sides]
    for metric in LABEL_METRICS:
        if not metric.takes_length:
            assert same(metric.function(*moved), metric.function(*sides)), metric.name


@settings(max_examples=100)
@given(side_pairs())
def test_labels_and_ranges_give_the_same_value_for_every_metric(sides):
    merged = [rw.Ranges(side).merge_touching() for side in sides]
    for metric in LABEL_METRICS:
        labeled = metric.function(*(side.to_labels(60) for side in merged))
        assert same(value_for(metric, *map(list, merged)), labeled), metric.name


@settings(max_examples=100)
@given(range_lists(), st.integers(0, 2**32))
def test_only_the_order_of_scores_matters(real, seed):
    scores = np.random.default_rng(seed).integers(-3, 4, 60)
    for metric in METRICS.values():
        if metric.needs == "scores":
            assert same(metric.function(real, scores), metric.function(real, np.exp(scores / 7))), metric.name


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
class TestEveryMetric:
    def test_empty_input_gives_0_or_nan(self, metric):
        nothing = np.zeros(4, dtype=int)
        assert same(metric.function(nothing, nothing), math.nan if math.isnan(metric.nothing) else 0.0)

    def test_rejects_bad_options_even_where_they_have_no_effect(self, metric):
        labels = np.array([0, 1, 1, 0])
        parameters = inspect.signature(metric.function).parameters
        for option, value in (("zero_division", 0.5), ("beta", 0.0), ("buffer", -1), ("tolerance", -1), ("thresholds", "some")):
            if option in parameters:
                with pytest.raises(ValueError, match=option):
                    metric.function(labels, labels if metric.needs == "labels" else labels / 2, **{option: value})

    def test_has_a_documentation_page(self, metric, pytestconfig):
        assert (pytestconfig.rootpath / metric.page).is_file()

    def test_docstring_has_an_example_and_the_direction(self, metric):
        text = getattr(metric.function, "func", metric.function).__doc__
        for part in (">>>", f"{metric.better} is better"):
            assert part in text


@pytest.mark.parametrize(("option", "default"), [("beta", 1.0), ("zero_division", 0.0)])
def test_option_has_the_same_default_in_all_functions(option, default):
    functions = {name: getattr(metrics, name) for name in metrics.__all__ if inspect.isfunction(getattr(metrics, name))}
    parameters = {name: inspect.signature(function).parameters for name, function in functions.items()}
    defaults = {name: options[option].default for name, options in parameters.items() if option in options}
    assert defaults == dict.fromkeys(defaults, default)
    assert len(defaults) > 20


# Scores of the same synthetic detectors by other programs with their published settings, to three digits.
OTHER_PROGRAMS = {
    "point_fbeta": {"all ones": 0.182, "first point": 0.030, "half front": 0.667, "1 false alarm": 0.985, "lag 20": 0.700},
    "point_adjust_fbeta": {"first point": 1.0, "2 false alarms": 0.971, "lag 5": 0.964, "lag 20": 0.870, "short missed": 0.889},
    "pa20_fbeta": {"first point": 0.030, "half front": 1.0, "lag 20": 0.870, "near miss": 0.0},
    "delayed_adjust_fbeta": {"last point": 0.0, "lag 5": 0.964, "lag 20": 0.0, "every second": 1.0},
    "composite_fbeta": {"all ones": 0.182, "lag 5": 0.961, "lag 20": 0.824, "long missed": 0.800},
    "segment_fbeta": {"all ones": 1.0, "1 false alarm": 0.857, "2 false alarms": 0.750, "long missed": 0.800},
    "tolerant_fbeta": {"all ones": 0.230, "first point": 0.283, "every second": 1.0, "near miss": 0.261, "lag 20": 0.850},
    "latency_fbeta": {"first point": 1.0, "last point": 0.030, "lag 5": 0.925, "lag 20": 0.700},
    "affiliation_fbeta": {"all ones": 0.671, "first point": 0.951, "half front": 0.988, "near miss": 0.897, "lag 20": 0.973},
    "etapr_fbeta": {"half front": 0.857, "1 false alarm": 0.952, "2 false alarms": 0.908, "lag 5": 0.958, "lag 20": 0.833},
    "tapr_fbeta": {"first point": 0.017, "half front": 0.857, "1 false alarm": 0.857},
    "nab_normalized": {"all ones": -31.026, "last point": 0.522, "near miss": -0.44, "1 false alarm": 0.89, "lag 20": 0.527},
}  # fmt: skip


class TestPropertiesAreMeasured:
    @pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
    def test_table_lists_the_properties_that_a_metric_breaks(self, metric):
        assert broken_properties(metric) == metric.breaks

    @pytest.mark.parametrize("name", OTHER_PROGRAMS)
    def test_synthetic_detectors_score_as_in_other_programs(self, name):
        for scenario, value in OTHER_PROGRAMS[name].items():
            assert value_of(METRICS[name], scenario) == approx(value, abs=6e-4), scenario

    def test_every_property_can_be_broken(self):
        """A property that nothing can break measures nothing, so each is broken by a metric of the table or by one of these."""
        of_labels = {
            "beyond": lambda real, predicted: 2.0 + len(predicted),
            "late": lambda real, predicted: 0.1 * float(predicted.starts[0]) / 2000 if len(predicted) else 0.0,
            "short": lambda real, predicted: rw.range_recall([(800, 840)], predicted),
        }
        of_scores = {
            "mean": lambda real, scores: float(np.mean(scores)),
            "half": lambda real, scores: 0.5 * METRICS["best_point_fbeta"].function(real, scores),
        }
        broken = {prop for metric in METRICS.values() for prop in metric.breaks}
        for needs, functions in (("labels", of_labels), ("scores", of_scores)):
            for name, function in functions.items():
                metric = Metric(name=name, function=function, family="point", summary="", reference="", page="", needs=needs,
                                of_labels="point_fbeta" if needs == "scores" else "")  # fmt: skip
                broken |= set(broken_properties(metric))
        assert broken == set(PROPERTIES)

    @pytest.mark.parametrize("name", ["point_fbeta", "point_recall"])
    def test_rescaling_breaks_no_other_property(self, name):
        metric = METRICS[name]
        scaled = replace(
            metric, function=lambda real, predicted: 100.0 + 100.0 * metric.function(real, predicted), low=100.0, high=200.0, nothing=100.0
        )
        assert broken_properties(scaled) == metric.breaks

    def test_last_six_properties_are_choices(self):
        assert [name for name, each in PROPERTIES.items() if each.choice] == list(PROPERTIES)[-6:]

    def test_scenarios_match_their_names(self):
        real = REAL.to_labels(2000)
        count = {name: int(scenario.labels(0).sum()) for name, scenario in SCENARIOS.items()}
        assert count["half front"] == count["half back"] == count["every second"] == 100
        assert SCENARIOS["every second"].labels(0)[300:304].tolist() == [1, 0, 1, 0], "starts at the first point"
        assert count["random 2 %"] == 40
        assert count["2 false alarms"] == count["1 long alarm"] == 212
        assert count["near miss"] == count["far miss"] == 24
        for name in ("near miss", "far miss"):
            assert not (SCENARIOS[name].labels(0) & real).any()
        assert evaluate(METRICS["point_recall"], REAL, real) == 1.0
        assert 0.0 < noise(1).min() < noise(1).max() < 0.5
        assert len(np.unique(noise(1))) == 2000


def test_works_with_make_scorer_of_scikit_learn():
    class Always(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1])

        def predict(self, values):
            return np.array([0, 1, 1, 0])

        def fit(self, values, labels):
            return self

    scorer = make_scorer(rw.range_fbeta, beta=2.0, cardinality="reciprocal")
    assert scorer(Always(), np.zeros((4, 1)), np.array([0, 0, 1, 0])) == rw.range_fbeta([0, 0, 1, 0], [0, 1, 1, 0], beta=2.0)
