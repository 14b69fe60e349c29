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
def test_leader_scores_and_order_are_those_of_the_model(real, one, other, alpha, beta):
    found = rw.ranking(real, {"one": one, "other": other})
    for bias in found.settings.biases:
        for cardinality in found.settings.cardinalities:
            model = rw.RangeModel(alpha=alpha, beta=beta, recall_bias=bias, cardinality=cardinality)
            here = {"alpha": alpha, "beta": beta, "bias": bias, "cardinality": cardinality}
            scores = {name: model.score(real, ranges).f for name, ranges in (("one", one), ("other", other))}
            assert found.scores(**here) == approx(scores, abs=1e-12)
            if abs(scores["one"] - scores["other"]) > 1e-9:
                assert found.leader(**here) == max(scores, key=scores.get)
                assert found.order(model)[0] == found.leader(**here)


@settings(max_examples=60)
@given(range_lists(), range_lists(), range_lists())
def test_always_means_never_below(real, one, other):
    found = rw.ranking(real, {"one": one, "other": other}, betas=1)
    for alpha in np.linspace(0, 1, 5):
        for bias in found.settings.biases:
            parts = [naive.earned(real, ranges, bias, "one") for ranges in (one, other)]
            values = [naive.f(part, alpha, 1) for part in parts]
            assert not (found.always("one", "other") and values[0] < values[1] - 1e-9)
    assert (
        found.always("one", "other") or found.always("other", "one") or found.crossings or len({one.leader for one in found.segments}) > 1
    )
    assert sum(found.first.values()) == approx(1)


def test_one_detector_leads_everywhere():
    found = rw.ranking(REAL, {"only": [(0, 3)]})
    assert found.first == {"only": 1.0}
    assert (found.crossings, found.leader(), found.always("only", "only")) == ((), "only", True)
    assert len(found.table()) == 24


def test_equal_detectors_share_the_lead():
    found = rw.ranking(REAL, {"a": [(0, 3)], "b": [(0, 3)], "c": []})
    assert found.first == approx({"a": 0.5, "b": 0.5, "c": 0.0})
    assert (found.leader(), found.leaders(), found.crossings) == ("a", ("a", "b"), ())
    assert found.always("a", "b")
    assert found.always("b", "a")
    assert not found.always("c", "a")
    assert found.table()[0]["leader"] == "a = b"


def test_nothing_real_or_nothing_predicted_is_a_tie_at_zero():
    for real, predicted in (([], {"a": [(0, 3)], "b": []}), (REAL, {"a": [], "b": []})):
        found = rw.ranking(real, predicted)
        assert found.first == approx({"a": 0.5, "b": 0.5})
        assert found.scores() == {"a": 0.0, "b": 0.0}


def test_one_alpha_gives_the_borders_in_beta():
    found = rw.ranking([(0, 10)], {"short": [(0, 4)], "long": [(0, 20)]}, alphas=0, biases="flat")
    assert [(one.first, one.second, one.alpha) for one in found.crossings] == [("short", "long", 0.0)] * 2
    assert found.crossings[0].beta == approx((2 / 3) ** 0.5)
    assert found.first == approx({"short": 1 / 3, "long": 2 / 3})


def test_own_functions_are_full_citizens():
    def steep(positions, length):
        return positions**2.0

    def harsh(overlaps):
        return 1 / overlaps**2

    found = rw.ranking(REAL, DETECTORS, biases=[steep, "flat"], cardinalities=[harsh], precision_bias="back")
    assert {one.bias for one in found.segments} == {steep, "flat"}
    model = rw.RangeModel(alpha=0.3, recall_bias=steep, precision_bias="back", cardinality=harsh)
    expected = {name: model.score(REAL, ranges).f for name, ranges in DETECTORS.items()}
    assert found.scores(alpha=0.3, bias=steep) == approx(expected)
    assert found.table()[0]["bias"] == "steep"


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
    found = rw.ranking(LABELS, {"a": SCORES}, thresholds={"a": 0.7})
    assert found.scores() == rw.ranking(LABELS, {"a": SCORES >= 0.7}).scores()
    assert not found.sees_labels
    shared = rw.ranking(LABELS, {"a": SCORES, "flat": np.full(10, 0.5)}, thresholds="equal-share")
    assert shared.sees_labels
    assert [detection[0].threshold for detection in shared.cases.values()] == [0.6, np.inf]
    assert not rw.ranking(LABELS, {"a": SCORES}, thresholds="equal-share:0.2").sees_labels


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_best_f_is_the_best_of_the_curve_at_every_setting(seed):
    random = np.random.default_rng(seed)
    labels = random.random(30).round(1) > 0.7
    scores = {name: random.random(30).round(1) + 0.01 for name in "ab"}
    found = rw.ranking(labels, scores, thresholds="best-f", biases=["flat", "front"])
    assert found.sees_labels
    for alpha in random.random(3):
        for cardinality in ("one", "reciprocal"):
            model = rw.RangeModel(alpha=alpha, beta=2, recall_bias="front", cardinality=cardinality)
            best = {name: model.curve(labels, values).best().score.f for name, values in scores.items()}
            assert found.scores(alpha=alpha, beta=2, bias="front", cardinality=cardinality) == approx(best, abs=1e-9)
    with pytest.raises(ValueError, match="depend on beta"):
        found.leader(beta=3)
    with pytest.raises(ValueError, match="depend on beta"):
        found.crossings_in_beta(0.5)


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
def test_bad_settings_are_told(options, message):
    with pytest.raises(ValueError, match=message):
        rw.ranking(REAL, DETECTORS, **options)


def test_bad_detectors_are_told():
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
    found = rw.ranking(REAL, DETECTORS)
    with pytest.raises(ValueError, match="thorough, touchy, silent"):
        found.always("thorogh", "touchy")
    with pytest.raises(ValueError, match="a bias of this ranking"):
        found.leader(bias="sideways")


@pytest.mark.parametrize("threshold", ["best-f", "equal-share", {"a": 0.8, "b": 0.3}])
def test_gaps_are_closed_at_whatever_threshold(threshold):
    real = [(2, 8), (14, 18)]
    rng = np.random.default_rng(5)
    scores = {"a": np.round(rng.random(20), 1), "b": np.round(rng.random(20), 1)}
    closed = {name: rw.close_gaps(values, 2) for name, values in scores.items()}
    found = rw.ranking(real, scores, thresholds=threshold, close_gaps=2)
    assert (
        found.scores() == rw.ranking(real, closed, thresholds=threshold).scores() != rw.ranking(real, scores, thresholds=threshold).scores()
    )
    case = at_best_f(found.cases["a"][0], rw.RangeModel())
    assert case.predicted == case.predicted.close_gaps(2)


def test_gaps_of_predictions_are_closed_and_times_have_none():
    real, pieces = {"x": [(0, 9)], "y": [(0, 9)]}, [(0, 3), (5, 9)]
    joined = rw.ranking(real, {"a": {"x": pieces, "y": [(0, 9)]}}, close_gaps=2)
    assert joined.scores() == {"a": 1.0}
    times = [("2024-01-01T00:00", "2024-01-01T00:10")]
    with pytest.raises(ValueError, match="counts rows, but both sides are times"):
        rw.ranking(times, {"a": times}, close_gaps=2)
    with pytest.raises(ValueError, match="close_gaps is 0 or more; got -2"):
        rw.ranking([(0, 9)], {"a": pieces}, close_gaps=-2)
