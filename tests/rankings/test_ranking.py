import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import rankings as naive
from rangewise.rankings.cases import at_best_f
from strategies import range_lists

REAL = [(0, 10), (20, 30)]
DETECTORS = {"thorough": [(0, 10)], "touchy": [(0, 2), (20, 22)], "silent": []}


@settings(max_examples=60)
@given(range_lists(), range_lists(), range_lists(), st.floats(0, 1), st.sampled_from([0.5, 1.0, 2.0, 0.7]))
def test_leader_scores_and_order_match_the_model(real, one, other, alpha, beta):
    ranking = rw.ranking(real, {"one": one, "other": other})
    for bias in ranking.settings.biases:
        for cardinality in ranking.settings.cardinalities:
            model = rw.RangeModel(alpha=alpha, beta=beta, recall_bias=bias, cardinality=cardinality)
            here = {"alpha": alpha, "beta": beta, "bias": bias, "cardinality": cardinality}
            scores = {name: model.score(real, ranges).f for name, ranges in (("one", one), ("other", other))}
            assert ranking.scores(**here) == approx(scores, abs=1e-12)
            if abs(scores["one"] - scores["other"]) > 1e-9:
                assert ranking.leader(**here) == max(scores, key=scores.get)
                assert ranking.order(model)[0] == ranking.leader(**here)


@settings(max_examples=60)
@given(range_lists(), range_lists(), range_lists())
def test_always_means_never_below(real, one, other):
    ranking = rw.ranking(real, {"one": one, "other": other}, betas=1)
    for alpha in np.linspace(0, 1, 5):
        for bias in ranking.settings.biases:
            parts = [naive.earned(real, ranges, bias, "one") for ranges in (one, other)]
            values = [naive.f(part, alpha, 1) for part in parts]
            assert not (ranking.always("one", "other") and values[0] < values[1] - 1e-9)
    assert (
        ranking.always("one", "other")
        or ranking.always("other", "one")
        or ranking.crossings
        or len({one.leader for one in ranking.segments}) > 1
    )
    assert sum(ranking.first.values()) == approx(1)


def test_one_detector_leads_everywhere():
    ranking = rw.ranking(REAL, {"only": [(0, 3)]})
    assert ranking.first == {"only": 1.0}
    assert (ranking.crossings, ranking.leader(), ranking.always("only", "only")) == ((), "only", True)
    assert len(ranking.table()) == 24


def test_equal_detectors_share_the_lead():
    ranking = rw.ranking(REAL, {"a": [(0, 3)], "b": [(0, 3)], "c": []})
    assert ranking.first == approx({"a": 0.5, "b": 0.5, "c": 0.0})
    assert (ranking.leader(), ranking.leaders(), ranking.crossings) == ("a", ("a", "b"), ())
    assert ranking.always("a", "b")
    assert ranking.always("b", "a")
    assert not ranking.always("c", "a")
    assert ranking.table()[0]["leader"] == "a = b"


def test_empty_sides_are_a_tie_at_zero():
    for real, predicted in (([], {"a": [(0, 3)], "b": []}), (REAL, {"a": [], "b": []})):
        ranking = rw.ranking(real, predicted)
        assert ranking.first == approx({"a": 0.5, "b": 0.5})
        assert ranking.scores() == {"a": 0.0, "b": 0.0}


@pytest.mark.parametrize("healthy", [[], [0, 0, 0, 0]])
@pytest.mark.parametrize("names", ["ab", "ba", "a", ""])
def test_healthy_series_add_no_range(names, healthy):
    """A series may have neither a real nor a predicted range, the first and the last of many too."""
    sides = {"a": ([(0, 4)], [(0, 2)]), "b": ([(1, 4)], [(0, 1), (1, 3)])}
    some = {"first": (healthy, healthy), **{name: sides[name] for name in names}, "last": (healthy, healthy)}
    ranking = rw.ranking({name: real for name, (real, _) in some.items()}, {"d": {name: alarms for name, (_, alarms) in some.items()}})
    for alpha in (0.0, 0.3):
        model = rw.RangeModel(alpha=alpha, recall_bias="front", cardinality="reciprocal")
        pooled = rw.score_many(some, model=model).pooled.f
        assert ranking.scores(alpha=alpha, bias="front", cardinality="reciprocal") == approx({"d": pooled}, abs=1e-12)
        assert ranking.order(model) == ["d"]
    assert ranking.explain()


def test_one_alpha_gives_the_borders_in_beta():
    ranking = rw.ranking([(0, 10)], {"short": [(0, 4)], "long": [(0, 20)]}, alphas=0, biases="flat")
    assert [(one.first, one.second, one.alpha) for one in ranking.crossings] == [("short", "long", 0.0)] * 2
    assert ranking.crossings[0].beta == approx((2 / 3) ** 0.5)
    assert ranking.first == approx({"short": 1 / 3, "long": 2 / 3})


def test_accepts_custom_functions():
    def steep(positions, length):
        return positions**2.0

    def harsh(overlaps):
        return 1 / overlaps**2

    ranking = rw.ranking(REAL, DETECTORS, biases=[steep, "flat"], cardinalities=[harsh], precision_bias="back")
    assert {one.bias for one in ranking.segments} == {steep, "flat"}
    model = rw.RangeModel(alpha=0.3, recall_bias=steep, precision_bias="back", cardinality=harsh)
    expected = {name: model.score(REAL, ranges).f for name, ranges in DETECTORS.items()}
    assert ranking.scores(alpha=0.3, bias=steep) == approx(expected)
    assert ranking.table()[0]["bias"] == "steep"


SCORES = np.array([0.9, 0.8, 0.1, 0.1, 0.3, 0.7, 0.2, 0.1, 0.1, 0.6])
LABELS = np.array([1, 1, 0, 0, 0, 1, 1, 0, 0, 0])


def test_scores_need_a_threshold():
    with pytest.raises(ValueError, match=r"a holds scores.*best-f"):
        rw.ranking(LABELS, {"a": SCORES})
    with pytest.raises(ValueError, match="a holds scores"):
        rw.ranking(LABELS, {"a": SCORES, "b": LABELS}, thresholds={"b": 0.5})
    with pytest.raises(ValueError, match="a: score 3 is nan"):
        rw.ranking(LABELS, {"a": np.where(np.arange(10) == 3, np.nan, SCORES)}, thresholds="best-f")
    with pytest.raises(ValueError, match="best-f"):
        rw.ranking(LABELS, {"a": SCORES}, thresholds="best")
    with pytest.raises(ValueError, match=r"in 0\.\.1"):
        rw.ranking(LABELS, {"a": SCORES}, thresholds="equal-share:2")
    with pytest.raises(ValueError, match="threshold of a is nan"):
        rw.ranking(LABELS, {"a": SCORES}, thresholds={"a": np.nan})
    with pytest.raises(ValueError, match="threshold of a is a number, or a rule that is one of best-f, equal-share"):
        rw.ranking(LABELS, {"a": SCORES}, thresholds={"a": "high"})
    with pytest.raises(TypeError, match="threshold of a is a number"):
        rw.ranking(LABELS, {"a": SCORES}, thresholds={"a": None})
    with pytest.raises(ValueError, match="best-f takes no number"):
        rw.ranking(LABELS, {"a": SCORES}, thresholds="best-f:0.05")
    assert rw.ranking(LABELS, {"a": SCORES}, thresholds=0.5).scores() == rw.ranking(LABELS, {"a": SCORES}, thresholds={"a": 0.5}).scores()


def test_thresholds_by_name_and_by_share():
    ranking = rw.ranking(LABELS, {"a": SCORES}, thresholds={"a": 0.7})
    assert ranking.scores() == rw.ranking(LABELS, {"a": SCORES >= 0.7}).scores()
    assert not ranking.sees_labels
    shared = rw.ranking(LABELS, {"a": SCORES, "flat": np.full(10, 0.5)}, thresholds="equal-share")
    assert shared.sees_labels
    assert [detection[0].threshold for detection in shared.cases.values()] == [0.6, np.inf]
    assert not rw.ranking(LABELS, {"a": SCORES}, thresholds="equal-share:0.2").sees_labels
    # A rule by detector and series sees the labels of its series.
    by_series = {"a": {"x": "equal-share", "y": 0.7}}
    found = rw.ranking({"x": LABELS, "y": LABELS}, {"a": {"x": SCORES, "y": SCORES}}, thresholds=by_series, resamples=5)
    assert found.sees_labels


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_best_f_is_the_best_of_the_curve_at_every_setting(seed):
    random = np.random.default_rng(seed)
    labels = random.random(30).round(1) > 0.7
    scores = {name: random.random(30).round(1) + 0.01 for name in "ab"}
    ranking = rw.ranking(labels, scores, thresholds="best-f", biases=["flat", "front"])
    assert ranking.sees_labels
    for alpha in random.random(3):
        for cardinality in ("one", "reciprocal"):
            model = rw.RangeModel(alpha=alpha, beta=2, recall_bias="front", cardinality=cardinality)
            best = {name: model.curve(labels, values).best().score.f for name, values in scores.items()}
            assert ranking.scores(alpha=alpha, beta=2, bias="front", cardinality=cardinality) == approx(best, abs=1e-9)
    with pytest.raises(ValueError, match="depend on beta"):
        ranking.leader(beta=3)
    with pytest.raises(ValueError, match="depend on beta"):
        ranking.crossings_in_beta(0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": (0.5, 0.2)}, "interval"),
        ({"alphas": (0, 1, 2)}, "interval"),
        ({"alphas": (0, 2)}, "lies in 0..1"),
        ({"betas": ()}, "betas is empty"),
        ({"betas": [0]}, "above 0"),
        ({"biases": "frnt"}, "did you mean 'front'"),
        ({"cardinalities": ["two"]}, "one, reciprocal"),
    ],
)
def test_rejects_bad_settings(options, message):
    with pytest.raises(ValueError, match=message):
        rw.ranking(REAL, DETECTORS, **options)


def test_rejects_bad_detectors():
    with pytest.raises(ValueError, match="predicted is empty"):
        rw.ranking(REAL, {})
    with pytest.raises(TypeError, match="must map names to detectors"):
        rw.ranking(REAL, [(0, 3)])
    with pytest.raises(TypeError, match="name must be text"):
        rw.ranking(REAL, {1: []})
    with pytest.raises(ValueError, match=r"bad:.*disjoint"):
        rw.ranking(REAL, {"bad": [(0, 3), (2, 4)]})
    with pytest.raises(ValueError, match="short"):
        rw.ranking(LABELS, {"short": LABELS[:5]})
    with pytest.raises(ValueError, match="short has 5 scores"):
        rw.ranking(LABELS, {"short": SCORES[:5]}, thresholds="best-f")
    ranking = rw.ranking(REAL, DETECTORS)
    with pytest.raises(ValueError, match="thorough, touchy, silent"):
        ranking.always("thorogh", "touchy")
    with pytest.raises(ValueError, match="a bias of this ranking"):
        ranking.leader(bias="sideways")


@pytest.mark.parametrize("threshold", ["best-f", "equal-share", {"a": 0.8, "b": 0.3}])
def test_gaps_are_closed_at_every_threshold(threshold):
    real = [(2, 8), (14, 18)]
    rng = np.random.default_rng(5)
    scores = {"a": np.round(rng.random(20), 1), "b": np.round(rng.random(20), 1)}
    closed = {name: rw.close_gaps(values, 2) for name, values in scores.items()}
    ranking = rw.ranking(real, scores, thresholds=threshold, close_gaps=2)
    assert (
        ranking.scores()
        == rw.ranking(real, closed, thresholds=threshold).scores()
        != rw.ranking(real, scores, thresholds=threshold).scores()
    )
    case = at_best_f(ranking.cases["a"][0], rw.RangeModel())
    assert case.predicted == case.predicted.close_gaps(2)


def test_gaps_of_predictions_are_closed_in_rows_only():
    real, pieces = {"x": [(0, 9)], "y": [(0, 9)]}, [(0, 3), (5, 9)]
    joined = rw.ranking(real, {"a": {"x": pieces, "y": [(0, 9)]}}, close_gaps=2)
    assert joined.scores() == {"a": 1.0}
    times = [("2024-01-01T00:00", "2024-01-01T00:10")]
    with pytest.raises(ValueError, match="counts rows, but both sides are times"):
        rw.ranking(times, {"a": times}, close_gaps=2)
    with pytest.raises(ValueError, match="close_gaps is 0 or more; got -2"):
        rw.ranking([(0, 9)], {"a": pieces}, close_gaps=-2)
