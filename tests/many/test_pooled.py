import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import pooled as naive
from rangewise.curve import HighAlertRateWarning
from strategies import bias_names, bias_pair, biases, cardinalities, cardinality_pair, steep

pytestmark = pytest.mark.kernel

as_points_options = st.sampled_from([None, "real", "predicted", "both"])


@st.composite
def corpora(draw):
    """A few series. Their scores have few distinct values, so that runs end at borders of series and ties cross them."""
    corpus = {}
    for name in range(draw(st.integers(1, 5))):
        size = draw(st.integers(1, 15))
        scores = draw(st.lists(st.sampled_from([0.0, 1.0, 2.5, -1.0]) | st.floats(-9, 9), min_size=size, max_size=size))
        corpus[name] = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)), scores
    return corpus


@settings(max_examples=150)
@given(corpora(), biases, bias_names, cardinalities, cardinalities, as_points_options, st.sampled_from([0.0, 0.3]))
def test_every_threshold_matches_naive(corpus, recall_bias, precision_bias, rc, pc, as_points, alpha):
    (recall_argument, naive_recall_bias), (gamma, naive_gamma) = bias_pair(recall_bias), cardinality_pair(rc)
    model = rw.RangeModel(
        alpha=alpha, recall_bias=recall_argument, precision_bias=precision_bias, recall_cardinality=gamma,
        precision_cardinality=cardinality_pair(pc)[0], as_points=as_points,
    )  # fmt: skip
    curve = rw.pooled_curve(corpus, model=model)
    equations = {"recall": (naive_gamma, naive_recall_bias), "precision": (cardinality_pair(pc)[1], bias_pair(precision_bias)[1])}
    expected = list(naive.curve(list(corpus.values()), alpha=alpha, as_points=as_points, **equations))
    assert curve.thresholds.tolist() == [threshold for threshold, _, _ in expected]
    assert curve.precision.tolist() == approx([precision for _, precision, _ in expected], abs=1e-12)
    assert curve.recall.tolist() == approx([recall for _, _, recall in expected], abs=1e-12)
    best = curve.best()
    assert best.score.f == approx(curve.f.max(), abs=1e-12)
    for threshold in (best.threshold, 0.7):
        tallies = [model.tally(real, np.array(scores) >= threshold) for real, scores in corpus.values()]
        assert curve.at(threshold) == sum(tallies).score()
        assert curve.macro(threshold) == rw.macro(tallies)


@given(corpora(), st.lists(st.integers(0, 14), max_size=4), st.sampled_from([0.05, 0.1, 0.25, 0.5, 0.9, 1.0]))
def test_best_within_an_alert_rate_matches_a_loop(corpus, ignored_rows, limit):
    """The largest pooled F among thresholds that predict at most a share of the rows of all series that count."""
    ignore = [(row, row + 1) for row in sorted(set(ignored_rows))]
    left = {name: [row for row in range(len(scores)) if row not in ignored_rows] for name, (_, scores) in corpus.items()}
    assume(all(left.values()))
    curve = rw.pooled_curve(corpus, ignore=ignore)
    points = sum(map(len, left.values()))
    f_of = {}
    for threshold in curve.thresholds.tolist():
        predicted = sum(corpus[name][1][row] >= threshold for name, rows in left.items() for row in rows)
        if predicted / points <= limit:
            tallies = [
                curve.model.tally(
                    real, [int(score >= threshold) for score in scores], ignore=[each for each in ignore if each[0] < len(real)]
                )
                for real, scores in corpus.values()
            ]
            f_of[threshold] = sum(tallies).score().f
    if not f_of:
        with pytest.raises(ValueError, match=rf"every threshold predicts more than {100 * limit:g}.* of the points; raise max_alert_rate"):
            curve.best(max_alert_rate=limit)
        return
    best = curve.best(max_alert_rate=limit)
    assert best.alert_rate <= limit
    assert best.score.f == approx(max(f_of.values()), abs=1e-12)
    assert best.score.f == f_of[best.threshold]
    assert not any(f > best.score.f + 1e-12 or (threshold > best.threshold and f > best.score.f) for threshold, f in f_of.items())


def test_best_warns_at_a_high_alert_rate_as_a_curve_does():
    """Rows that are ignored are neither real nor predicted."""
    real, scores = [(10, 20), (500, 510)], -np.abs(np.arange(1000) - 2000.0)
    model, options = rw.RangeModel(alpha=1.0, beta=50), {"ignore": [(600, 900)]}
    messages = []
    for curve in (rw.pooled_curve({"a": (real, scores)}, model=model, **options), model.curve(real, scores, **options)):
        with pytest.warns(HighAlertRateWarning, match=r"2\.9 % of the points are real") as caught:
            curve.best()
        messages.append(str(caught[0].message))
        assert caught[0].filename == __file__
    assert messages[0] == messages[1]


def test_best_of_one_series_is_that_of_its_curve():
    rng = np.random.default_rng(4)
    real, scores = rng.random(400) < 0.1, rng.integers(0, 60, 400) / 4
    own, pooled = rw.RangeModel().curve(real, scores), rw.pooled_curve({"a": (real, scores)})
    assert np.array_equal(pooled.alert_rates(), own.alert_rates())
    for limit in (0.05, 0.2, 0.7, 1.0):
        for beta in (None, 3.0):
            best, expected = (curve.best(beta, max_alert_rate=limit) for curve in (pooled, own))
            assert (best.threshold, best.alert_rate, best.score.f) == (expected.threshold, expected.alert_rate, expected.score.f)
    for wrong in (-1, 0, 2, np.nan, "x"):
        messages = []
        for curve in (pooled, own):
            with pytest.raises((ValueError, TypeError), match="max_alert_rate is a") as caught:
                curve.best(max_alert_rate=wrong)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
    assert pooled.to_dict(max_alert_rate=0.05)["best_threshold"] == own.best(max_alert_rate=0.05).threshold


def test_one_series_gives_its_own_curve():
    rng = np.random.default_rng(1)
    real, scores = rng.random(500) < 0.3, rng.random(500)
    one, pooled = rw.unfragmented.curve(real, scores), rw.pooled_curve({"a": (real, scores)}, model=rw.unfragmented)
    assert np.array_equal(one.precision, pooled.precision)
    assert np.array_equal(one.recall, pooled.recall)
    assert pooled.average_precision == one.average_precision
    assert len(pooled.thin(20)) == len(one.thin(20))


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("batched", [False, True])
def test_tables_match_mappings(shuffled, batched):
    rng = np.random.default_rng(2)
    labels, scores = rng.random(120) < 0.3, rng.random(120)
    table = pl.DataFrame({"s": np.repeat([3, 1, 2], 40), "time": np.tile(np.arange(40), 3), "y": labels, "x": scores})
    corpus = {name: (part["y"], part["x"]) for (name,), part in table.group_by("s", maintain_order=True)}
    rows = table.sort("time", maintain_order=True) if shuffled else table
    source = [rows[:50], rows[50:]] if batched else rows
    curve, expected = (
        rw.pooled_curve(source, model=rw.early, series="s", real="y", scores="x"),
        rw.pooled_curve(corpus, model=rw.early),
    )
    assert np.array_equal(curve.f, expected.f)
    assert curve.names == expected.names


def test_bias_without_a_sweep_matches_naive():
    corpus = {"a": ([0, 1, 1, 0], [1, 2, 3, 4]), "b": ([1, 1], [4, 4])}
    model = rw.RangeModel(precision_bias=steep)
    expected = list(naive.curve(list(corpus.values()), precision=(lambda overlaps: 1, steep)))
    assert rw.pooled_curve(corpus, model=model).precision.tolist() == approx([precision for _, precision, _ in expected])


def test_accepts_no_series():
    curve = rw.pooled_curve({})
    assert len(curve) == 0
    with pytest.raises(ValueError, match="no best threshold"):
        curve.best()


@pytest.mark.parametrize(
    ("frame", "columns", "message"),
    [
        ({"a": ([0, 1], [0.1, float("nan")])}, {}, "series 'a': score 1 is nan"),
        ({"a": ([1], [1.0]), "b": ([0, 1, 1], [0.1, 0.2])}, {}, "series 'b': real has 3 labels, but series 'b' has 2 scores"),
        ({"a": ([(0, 9)], [0.1, 0.2])}, {}, "series 'a'.*stops at 9"),
        ([("a", [1], [1.0]), ("a", [1], [1.0])], {}, "two series are called 'a'"),
        (3, {}, "got int"),
        ({"a": ([1],)}, {}, r"series 'a' is \(\[1\],\); expected a pair \(real, scores\)"),
        ({"a": 3}, {}, r"series 'a' is 3; expected a pair \(real, scores\)"),
        ([("a", [1])], {}, r"series 0 is \('a', \[1\]\); expected \(name, real, scores\)"),
        (pl.DataFrame({"s": [1], "y": [1], "x": [0.5]}), {"series": "s"}, "series=, real= and scores="),
        (pl.DataFrame({"s": [1], "y": [1], "x": [0.5]}), {"series": "s", "real": "y", "scores": "z"}, "no column 'z'"),
        ({"a": ([1], [0.5]), "b": ([1], [2**60])}, {}, "floats cannot distinguish"),
    ],
)
def test_rejects_bad_input(frame, columns, message):
    with pytest.raises(ValueError, match=message):
        rw.pooled_curve(frame, **columns)


def test_arrays_match_lists():
    draw = np.random.default_rng(5)
    sides = {name: (draw.integers(0, 2, size), draw.integers(0, 9, size) / 8) for name, size in zip("abc", (1, 30, 7), strict=True)}
    from_arrays = rw.pooled_curve(sides)
    from_lists = rw.pooled_curve({name: (real.tolist(), scores.tolist()) for name, (real, scores) in sides.items()})
    for name in ("thresholds", "precision", "recall", "scores"):
        assert getattr(from_arrays, name).tolist() == getattr(from_lists, name).tolist()
    assert from_arrays.real == from_lists.real
    sides["b"][0][4] = 3
    with pytest.raises(ValueError, match=r"series 'b': .*label 4 is 3"):
        rw.pooled_curve(sides)
