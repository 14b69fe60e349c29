import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import model as naive
from rangewise.curve import HighAlertRateWarning
from rangewise.model.bias import BIASES
from rangewise.model.cardinality import CARDINALITIES
from rangewise.plots.figure import new_figure
from strategies import (
    OWN_BIASES,
    bias_names,
    bias_pair,
    biases,
    cardinalities,
    cardinality_names,
    cardinality_pair,
    precision_weights,
    range_lists,
    steep,
)

pytestmark = pytest.mark.kernel

points = st.sampled_from([None, "real", "predicted", "both"])
# Few distinct values make ties and plateaus; a ramp makes runs that grow and span many real ranges.
score_lists = st.one_of(
    st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.5, -math.inf, math.inf]), min_size=60, max_size=60),
    st.lists(st.floats(allow_nan=False), min_size=60, max_size=60),
    st.lists(st.integers(-4, 4), min_size=60, max_size=60),
    st.permutations(list(range(60))),
    st.just([float(i) for i in range(60)]),
    st.just([1.0] * 60),
)


@given(
    range_lists(),
    score_lists,
    biases,
    bias_names,
    cardinalities,
    cardinalities,
    st.sampled_from([0.0, 0.3, 1.0]),
    points,
    precision_weights,
)
def test_every_threshold_matches_score(real, scores, recall_bias, precision_bias, rc, pc, alpha, as_points, precision_weight):
    model = rw.RangeModel(
        precision_weight=precision_weight,
        alpha=alpha,
        recall_bias=bias_pair(recall_bias)[0],
        precision_bias=precision_bias,
        recall_cardinality=cardinality_pair(rc)[0],
        precision_cardinality=cardinality_pair(pc)[0],
        as_points=as_points,
    )
    curve = model.curve(real, scores)
    assert curve.thresholds.tolist() == sorted(set(scores), reverse=True)
    fresh = [model.score(real, np.array(scores) >= threshold) for threshold in curve.thresholds]
    # A user-defined bias is summed in the order of the scores; everything else is summed in integers.
    exact = recall_bias not in OWN_BIASES
    assert curve.precision.tolist() == approx([score.precision for score in fresh], rel=4e-16 if exact else 1e-12, abs=1e-28)
    assert curve.recall.tolist() == approx([score.recall for score in fresh], rel=4e-16 if exact else 1e-12, abs=1e-28)
    assert curve.f.tolist() == approx([score.f for score in fresh], rel=1e-12)


@given(range_lists(), score_lists, bias_names, cardinality_names)
@settings(max_examples=60)
def test_every_threshold_matches_naive(real, scores, bias, cardinality):
    gamma, delta = naive.CARDINALITIES[cardinality], naive.BIASES[bias]
    curve = rw.RangeModel(bias=bias, cardinality=cardinality).curve(real, scores)
    for threshold, precision, recall in zip(curve.thresholds.tolist(), curve.precision, curve.recall, strict=True):
        predicted = naive.ranges_of([score >= threshold for score in scores])
        expected = naive.score(real, predicted, recall=(gamma, delta), precision=(gamma, delta))
        assert (precision, recall) == approx(expected[:2], abs=1e-12)


def random_series(length, seed, distinct=None):
    rng = np.random.default_rng(seed)
    labels = np.repeat(rng.random(length // 20 + 1) < 0.2, 20)[:length]
    scores = np.convolve(rng.random(length) + 0.5 * labels, np.ones(5) / 5, mode="same")
    return labels, scores if distinct is None else np.round(scores, distinct)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("cardinality", [*CARDINALITIES, lambda x: 1 / x**2])
def test_no_drift_over_100_000_thresholds(bias, cardinality):
    labels, scores = random_series(100_000, seed=1)
    model = rw.RangeModel(alpha=0.2, bias=bias, cardinality=cardinality)
    curve = model.curve(labels, scores)
    for index in np.linspace(0, len(curve) - 1, 25).astype(int):
        fresh = model.score(labels, scores >= curve.thresholds[index])
        assert (curve.precision[index], curve.recall[index]) == approx((fresh.precision, fresh.recall), rel=1e-14, abs=1e-28)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64", "uint64", "bool", ">f8"])
def test_scores_of_every_dtype_give_the_same_curve(dtype):
    labels, scores = random_series(500, seed=2)
    typed = np.round(scores * 40).astype(dtype)[::-1]
    curve = rw.early.curve(labels, typed)
    expected = rw.early.curve(labels, typed.astype(np.float64))
    assert curve.thresholds.astype(float).tolist() == expected.thresholds.tolist()
    assert curve.recall.tolist() == expected.recall.tolist()


@pytest.mark.parametrize("kind", ["i", "u", "f"])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_thresholds_keep_values_and_dtype_of_the_scores(kind, size):
    dtype = np.dtype(f"{kind}{max(size, 4) if kind == 'f' else size}")
    draw = np.random.default_rng(size)
    if kind == "f":
        scores = draw.normal(scale=1e3, size=60).astype(dtype)
        scores[:4] = [np.inf, -np.inf, np.finfo(dtype).tiny, -np.finfo(dtype).max]
    else:
        limits = np.iinfo(dtype)
        scores = draw.integers(limits.min, limits.max, size=60, dtype=dtype, endpoint=True)
        scores[:2] = [limits.min, limits.max]
    curve = rw.RangeModel().curve([(3, 9), (20, 30)], scores)
    assert curve.thresholds.dtype == dtype
    assert np.array_equal(curve.thresholds, np.unique(scores)[::-1])


@pytest.mark.parametrize("close", [3, 40])
def test_scores_that_differ_in_their_lowest_bits_stay_distinct(close):
    """A distant score uses up the digits that are sorted first, so that groups of close scores need a second sort."""
    scores = np.concatenate([np.nextafter(base, 2, dtype=np.float64) + np.arange(close) * 2.0**-52 for base in np.linspace(1, 1.9, 20)])
    scores = np.random.default_rng(2).permutation(np.append(scores, [-1e300, scores[0]]))
    curve = rw.RangeModel().curve([(3, 9)], scores)
    assert curve.thresholds.tolist() == np.unique(scores)[::-1].tolist()
    assert curve.f[7] == rw.score([(3, 9)], scores >= curve.thresholds[7]).f


DISTRIBUTIONS = {
    "uniform": lambda draw, size: draw.random(size),
    "normal": lambda draw, size: draw.normal(size=size),
    "long tail": lambda draw, size: np.exp(40 * draw.normal(size=size)),
    "crowded with outliers": lambda draw, size: np.where(draw.random(size) < 0.01, 1e6, 1e-9) * draw.normal(size=size),
    "mostly 0": lambda draw, size: np.where(draw.random(size) < 0.1, draw.normal(size=size), 0.0),
    "neighbors, far apart": lambda draw, size: draw.choice([1e-300, 1.0], size) * (1 + draw.integers(0, 8, size) * 2.0**-52),
    "infinite": lambda draw, size: np.where(draw.random(size) < 0.1, np.inf, 1.0) * draw.normal(size=size),
    "largest": lambda draw, size: draw.choice([-1.7e308, 1.7e308], size) * draw.random(size),
    "smallest": lambda draw, size: draw.integers(0, 1000, size) * 5e-324,
    "constant": lambda draw, size: np.full(size, 0.1),
    "few": lambda draw, size: draw.integers(0, 10, size),
    "large integers": lambda draw, size: draw.integers(-(2**63), 2**63 - 1, size, dtype=np.int64),
    "rising": lambda draw, size: np.arange(size) / 7,
    "falling": lambda draw, size: -np.arange(size),
}


@pytest.mark.parametrize("size", [2_047, 2_048, 40_000])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_scores_of_any_distribution_are_sorted(distribution, size):
    draw = np.random.default_rng(size)
    scores = DISTRIBUTIONS[distribution](draw, size)
    real, _ = random_series(size, seed=size)
    model = rw.RangeModel(cardinality="reciprocal", recall_bias="front", precision_bias="back")
    curve = model.curve(real, scores)
    assert np.array_equal(curve.thresholds, np.unique(scores)[::-1])
    for at in draw.integers(0, len(curve), 8).tolist():
        fresh = model.score(real, scores >= curve.thresholds[at])
        assert curve.precision[at] == approx(fresh.precision, abs=1e-12)
        assert curve.recall[at] == approx(fresh.recall, abs=1e-12)


def test_large_integers_stay_distinct():
    curve = rw.RangeModel().curve([1, 0, 0], np.array([2**53 + 1, 2**53, 2**53 - 1]))
    assert curve.thresholds.tolist() == [2**53 + 1, 2**53, 2**53 - 1]


@given(range_lists(), score_lists, bias_names)
def test_an_increasing_transform_changes_nothing(real, scores, bias):
    ranks = np.unique(scores, return_inverse=True)[1]
    one, other = (rw.RangeModel(bias=bias, cardinality="reciprocal").curve(real, values) for values in (scores, np.exp(ranks / 8)))
    assert one.precision.tolist() == other.precision.tolist()
    assert one.recall.tolist() == other.recall.tolist()


@given(range_lists(), score_lists)
def test_reversing_time_swaps_front_and_back(real, scores):
    reversed_real = [(60 - stop, 60 - start) for start, stop in reversed(real)]
    front = rw.RangeModel(bias="front", cardinality="reciprocal").curve(real, scores)
    back = rw.RangeModel(bias="back", cardinality="reciprocal").curve(reversed_real, scores[::-1])
    assert front.precision.tolist() == back.precision.tolist()
    assert front.recall.tolist() == back.recall.tolist()


def test_best_is_the_highest_of_equal_thresholds():
    curve = rw.RangeModel().curve([(1, 3), (5, 6)], [0.0, 5.0, 5.0, 0.0, 0.0, 0.0])
    threshold, score = curve.best()
    assert threshold == 5.0
    assert (score.precision, score.recall) == (1.0, 0.5)
    assert len(score.real) == 2
    flat = rw.RangeModel().curve([(1, 3)], [3.0, 0.0, 0.0, 2.0])
    assert flat.best().threshold == 0.0
    assert rw.RangeModel().curve([], [3.0, 1.0]).best().threshold == 3.0


def test_best_skips_nan():
    # No score reaches 5, so precision and F are nan there. At 0.5 there is a false alarm and F is 0, which is a number.
    curve = rw.RangeModel(zero_division=math.nan).curve([(1, 3)], [0.5, 0.1, 0.1, 0.1], thresholds=[5.0, 0.5])
    assert math.isnan(curve.f[0])
    assert curve.best().threshold == 0.5


def test_best_with_another_beta():
    labels, scores = random_series(2000, seed=3)
    curve = rw.early.curve(labels, scores)
    assert curve.best(beta=0.1).score.precision >= curve.best(beta=10).score.precision
    assert curve.best(beta=0.1).score.model.beta == 0.1
    assert curve.best().score.f == approx(curve.f.max())


def test_at_any_threshold():
    curve = rw.RangeModel().curve([(1, 3)], [0.1, 0.9, 0.8, 0.3])
    assert curve.at(0.85).recall == 0.5
    assert curve.at(math.inf).recall == 0.0
    assert curve.at(-1).recall == 1.0


def test_requested_thresholds_in_any_order():
    labels, scores = random_series(3000, seed=4)
    whole = rw.unfragmented.curve(labels, scores)
    some = rw.unfragmented.curve(labels, scores, thresholds=[0.4, 0.9, 0.6, 0.9, 5.0])
    assert some.thresholds.tolist() == [5.0, 0.9, 0.6, 0.4]
    for threshold, recall in zip(some.thresholds, some.recall, strict=True):
        reached = np.flatnonzero(whole.thresholds >= threshold)
        assert recall == approx(whole.recall[reached[-1]] if reached.size else 0.0)


def test_user_defined_precision_bias_and_size():
    labels, scores = random_series(3000, seed=5)
    model = rw.RangeModel(precision_bias=steep)
    coarse = np.round(scores, 2)
    curve = model.curve(labels, coarse)
    assert len(curve) == len(np.unique(coarse))
    assert curve.precision[7] == model.score(labels, coarse >= curve.thresholds[7]).precision
    for custom in (model, rw.RangeModel(size=lambda own, overlap, bias: 0.5)):
        with pytest.raises(ValueError, match="thresholds="):
            custom.curve(labels, scores)
        assert len(custom.curve(labels, scores, thresholds=[0.5])) == 1


def test_user_defined_bias_allows_at_most_2_000_thresholds():
    model = rw.RangeModel(precision_bias=steep)
    assert len(model.curve([(0, 5)], np.arange(2000))) == 2000
    with pytest.raises(ValueError, match="up to 2,000 of them; there are 2,001 distinct"):
        model.curve([(0, 5)], np.arange(2001))


def naive_average_precision(precision, recall):
    """The area under steps between the distinct recalls; each step has the largest precision at that recall or more."""
    area, last = 0.0, 0.0
    for level in sorted(set(recall)):
        area += (level - last) * max(p for p, r in zip(precision, recall, strict=True) if r >= level)
        last = level
    return area


@given(range_lists(), score_lists, cardinality_names)
def test_average_precision_matches_naive(real, scores, cardinality):
    curve = rw.RangeModel(cardinality=cardinality).curve(real, scores)
    assert curve.average_precision == approx(naive_average_precision(curve.precision.tolist(), curve.recall.tolist()))
    assert 0.0 <= curve.average_precision <= 1.0 + 1e-12


def test_average_precision_of_perfect_constant_and_no_scores():
    assert rw.RangeModel().curve([(2, 4)], [0, 0, 1, 1, 0]).average_precision == 1.0
    assert rw.RangeModel().curve([(2, 4)], [1.0] * 20).average_precision == approx(0.1)
    assert rw.RangeModel().curve([], []).average_precision == 0.0
    assert math.isnan(rw.RangeModel(zero_division=math.nan).curve([], [1.0]).average_precision)


def test_thin_keeps_the_ends_and_the_best():
    labels, scores = random_series(20_000, seed=6)
    curve = rw.unfragmented.curve(labels, scores)
    thin = curve.thin(50)
    assert 20 <= len(thin) <= 50
    assert thin.best() == curve.best()
    assert (thin.thresholds[0], thin.thresholds[-1]) == (curve.thresholds[0], curve.thresholds[-1])
    assert thin.recall.max() == curve.recall.max()
    assert curve.thin(10**6) is curve
    with pytest.raises(ValueError, match="5 or more"):
        curve.thin(2)


def naive_thin(curve, k):
    """Both ends and the maximum of each measure, then entries spaced evenly along the path, which has length 0 at the first entry."""
    count = len(curve)
    kept = {0, count - 1, *(max(range(count), key=lambda i, v=v: v[i]) for v in (curve.precision, curve.recall, curve.f))}
    path_length = [0.0]
    for i in range(1, count):
        steps = (curve.precision[i] - curve.precision[i - 1], curve.recall[i] - curve.recall[i - 1], 1 / count)
        path_length.append(path_length[-1] + sum(map(abs, steps)))
    remaining = k - len(kept)
    for step in range(remaining):
        kept.add(next(i for i in range(count) if path_length[i] >= path_length[-1] * step / (remaining - 1) - 1e-12))
    return sorted(kept)


@pytest.mark.parametrize("k", [7, 12, 50])
def test_thin_matches_naive(k):
    labels, scores = random_series(2000, seed=8)
    curve = rw.early.curve(labels, scores)
    assert curve.precision[0] > 0  # so that a step from 0 to the first entry would change the result
    assert curve.thin(k).thresholds.tolist() == curve.thresholds[naive_thin(curve, k)].tolist()


def test_plot_writes_a_picture(tmp_path):
    labels, scores = random_series(5000, seed=7)
    figure = rw.unfragmented.curve(labels, scores).plot()
    figure.savefig(tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 10_000
    assert [axes.get_xlabel() for axes in figure.axes] == ["recall", "threshold"]


def test_repr_is_short():
    assert repr(rw.RangeModel().curve([1, 0], [0.5, 0.1])) == "Curve(2 thresholds, average precision 1, RangeModel())"


@pytest.mark.parametrize(
    ("real", "scores", "error", "message"),
    [
        ([0, 1, 0], [0.1, math.nan, 0.2], ValueError, "score 1 is nan"),
        ([0, 1], [0.1, 0.2, 0.3], ValueError, "2 labels, but there are 3 scores"),
        ([(0, 9)], [0.1, 0.2, 0.3], ValueError, "stops at 9"),
        ([0, 1], [[0.1], [0.2]], ValueError, "shape"),
        ([0, 1], ["a", "b"], TypeError, "numbers"),
        ([0, 1], [None, 1.0], ValueError, "score 0 is nan"),
        ([0, 2], [0.1, 0.2], ValueError, "real: label 1 is 2"),
    ],
)
def test_rejects_bad_input(real, scores, error, message):
    with pytest.raises(error, match=message):
        rw.RangeModel().curve(real, scores)


def test_rejects_bad_thresholds():
    for bad in (["a"], [math.nan]):
        with pytest.raises(ValueError, match="thresholds must be numbers"):
            rw.RangeModel().curve([0, 1], [0.1, 0.2], thresholds=bad)
    with pytest.raises(ValueError, match="score 0 is nan"):
        rw.RangeModel().curve([0, 1], [math.nan, 0.2], thresholds=[0.5])
    with pytest.raises(ValueError, match="no best"):
        rw.RangeModel().curve([], []).best()


class TestAlertRate:
    @pytest.fixture
    def curve(self):
        """One real range of 10 among 1,000 points. Only the lowest threshold covers all of it, as one range over the whole series."""
        scores = np.full(1000, 0.1)
        scores[500:502] = 0.9
        scores[[100, 200, 300]] = 0.5
        return rw.RangeModel(alpha=0.0, beta=3).curve([(500, 510)], scores)

    def test_best_warns_at_a_high_alert_rate(self, curve):
        with pytest.warns(HighAlertRateWarning, match=r"alert rate of 99\.0 %; 2\.0 % of the points are real.*max_alert_rate=0\.2"):
            best = rw.RangeModel(alpha=1.0, beta=50).curve([(500, 510), (10, 20)], -np.abs(np.arange(1000) - 2000.0)).best()
        assert best.alert_rate == best.score.alert_rate > 0.9

    @pytest.mark.parametrize(
        ("real_share", "alert_rate", "warns"),
        [(0.3, 0.5, False), (0.2, 0.51, True), (0.3, 0.59, False), (0.02, 0.21, True), (0.05, 0.21, False), (0.04, 0.2, False)],
    )
    def test_warning_depends_on_alert_rate_and_real_share(self, real_share, alert_rate, warns):
        scores = np.zeros(10_000)
        scores[: int(alert_rate * 10_000)] = 1.0
        scores[int(alert_rate * 10_000) :] = -np.arange(10_000 - int(alert_rate * 10_000), dtype=float) - 1
        curve = rw.RangeModel().curve([(0, int(real_share * 10_000))], scores)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert curve.best().alert_rate == pytest.approx(alert_rate)
            assert curve.best(max_alert_rate=1.0) == curve.best(warn=False)
        assert len(caught) == warns

    def test_best_with_max_alert_rate(self, curve):
        for limit in (0.002, 0.003):
            best = curve.best(max_alert_rate=limit)
            assert (best.threshold, best.alert_rate) == (0.9, 0.002)
        with pytest.raises(ValueError, match=r"every threshold predicts more than 0\.1 %"):
            curve.best(max_alert_rate=0.001)

    def test_alert_rate_needs_the_length(self):
        assert rw.score([0, 1, 0, 0], [0, 1, 1, 0]).alert_rate == 0.5
        assert rw.score([(1, 2)], [(1, 3)]).alert_rate is None
        assert "alert rate 50 % of all points" in str(rw.score([0, 1, 0, 0], [0, 1, 1, 0]))

    def test_at_rejects_nan(self, curve):
        with pytest.raises(ValueError, match="a threshold must be a number; got nan"):
            curve.at(math.nan)
        assert curve.at(0.5).alert_rate == 0.005


def test_several_curves_on_the_same_axes():
    axes = new_figure(5, 4).add_subplot()
    real = [(2, 5), (8, 9)]
    for name, scores in {"one": np.arange(10.0), "two": np.arange(10.0)[::-1], "three": np.ones(10)}.items():
        assert rw.RangeModel().curve(real, scores).plot(ax=axes, name=name) is axes
    styles = [(line.get_color(), line.get_linestyle()) for line in axes.lines]
    assert len(set(styles)) == 3
    assert [text.get_text() for text in axes.texts] == ["A", "B", "C"]
    assert [text.get_text().split(",")[0] for text in axes.get_legend().get_texts()] == ["A  one", "B  two", "C  three"]
    axes.figure.canvas.draw()


@pytest.mark.parametrize("share", [-1, 0, 2, np.nan])
def test_a_share_of_points_is_checked(share):
    """More than 1 would limit nothing."""
    with pytest.raises(ValueError, match="max_alert_rate is a share of points above 0 and up to 1; got"):
        rw.early.curve([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4]).best(max_alert_rate=share)
