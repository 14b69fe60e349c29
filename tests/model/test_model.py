import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import model as naive
from rangewise.model.bias import BIASES
from strategies import bias_pair, biases, cardinalities, cardinality_pair, ends, precision_weights, quadratic, side_pairs, steep

pytestmark = pytest.mark.kernel

as_points_options = st.sampled_from([None, "real", "predicted", "both"])
alphas = st.sampled_from([0.0, 0.25, 1.0, 1 / 3])


@given(
    side_pairs(),
    biases,
    biases,
    cardinalities,
    cardinalities,
    alphas,
    st.sampled_from([0.5, 1.0, 2.0]),
    as_points_options,
    precision_weights,
)
def test_matches_naive(sides, rb, pb, rc, pc, alpha, beta, as_points, precision_weight):
    (recall_bias, recall_delta), (precision_bias, precision_delta) = bias_pair(rb), bias_pair(pb)
    (recall_cardinality, recall_gamma), (precision_cardinality, precision_gamma) = cardinality_pair(rc), cardinality_pair(pc)
    settings = {"alpha": alpha, "beta": beta, "as_points": as_points, "precision_weight": precision_weight}
    score = rw.RangeModel(
        recall_bias=recall_bias,
        precision_bias=precision_bias,
        recall_cardinality=recall_cardinality,
        precision_cardinality=precision_cardinality,
        **settings,
    ).score(*sides)
    expected = naive.score(*sides, recall=(recall_gamma, recall_delta), precision=(precision_gamma, precision_delta), **settings)
    assert (score.precision, score.recall, score.f) == approx(expected, rel=0, abs=1e-12)


@given(side_pairs(), biases, cardinalities, alphas, as_points_options)
def test_rows_add_up_to_the_score(sides, bias, cardinality, alpha, as_points):
    score = rw.RangeModel(bias=bias_pair(bias)[0], cardinality=cardinality_pair(cardinality)[0], alpha=alpha, as_points=as_points).score(
        *sides
    )
    for rows, value in ((score.real, score.recall), (score.predicted, score.precision)):
        assert value == approx(rows.reward.mean() if len(rows) else 0.0, rel=0, abs=1e-12)


@given(side_pairs(), biases, cardinalities, alphas)
def test_rows_match_naive(sides, bias, cardinality, alpha):
    real, predicted = sides
    (model_bias, delta), (model_cardinality, gamma) = bias_pair(bias), cardinality_pair(cardinality)
    rows = rw.RangeModel(bias=model_bias, cardinality=model_cardinality, alpha=alpha).score(real, predicted).real
    assert list(zip(rows.start, rows.stop, strict=True)) == real
    assert rows.reward.tolist() == approx(naive.recall_rewards(real, predicted, alpha, gamma, delta), abs=1e-12)
    for own, row in zip(real, rows, strict=True):
        met = [naive.intersection(own, other) for other in predicted if len(naive.intersection(own, other))]
        assert (row.overlaps, row.existence, row.covered) == (len(met), bool(met), sum(map(len, met)))
        assert row.size == approx(sum(naive.omega(own, overlap, delta) for overlap in met), abs=1e-12)
        assert row.factor == approx(naive.cardinality_factor(own, len(met), gamma), rel=1e-15)


@given(side_pairs(), cardinalities, alphas, as_points_options)
def test_custom_size_function_matches_naive(sides, cardinality, alpha, as_points):
    def first_half(own, overlap, bias):
        """Only the first half of a range counts."""
        half = (own[0] + own[1] + 1) // 2
        return max(0, min(overlap[1], half) - overlap[0]) / (half - own[0]) * bias(np.arange(1, 2), 1)[0]

    def naive_first_half(own, overlap, delta):
        return first_half(own, (overlap[0], overlap[-1] + 1), lambda positions, length: [delta(1, 1)])

    model_cardinality, gamma = cardinality_pair(cardinality)
    score = rw.RangeModel(size=first_half, cardinality=model_cardinality, alpha=alpha, as_points=as_points).score(*sides)
    equations = {"recall": (gamma, naive.flat), "precision": (gamma, naive.flat)}
    expected = naive.score(*sides, alpha=alpha, as_points=as_points, size=naive_first_half, **equations)
    assert (score.precision, score.recall, score.f) == approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("detected", [(0, 1), (1, 2), (3, 8)])
def test_ranges_too_long_for_64_bits(bias, detected):
    # Sums of positions of a range of 2**40 points need more than 64 bits; the shares are those of a range short enough for loops.
    def sides(unit):
        return [(0, 8 * unit)], [(detected[0] * unit, detected[1] * unit)]

    expected = naive.score(*sides(512), recall=(naive.one, naive.BIASES[bias]))[1]
    assert rw.score(*sides(2**37), bias=bias).recall == approx(expected, abs=2e-4)


@st.composite
def huge_sides(draw):
    """Both sides with up to six ranges each, anywhere up to 2**62, some of them next to each other."""
    places = st.sampled_from([0, 1, 2**33, 2**34, 2**34 + 1, 2**40, 2**62 - 1, 2**62]) | st.integers(0, 2**62)
    bounds = [sorted(draw(st.sets(places, max_size=12))) for _ in range(2)]
    return tuple(list(zip(side[::2], side[1::2], strict=False)) for side in bounds)


@given(huge_sides(), cardinalities, st.sampled_from(["real", "predicted", "both"]))
def test_points_are_counted_exactly_up_to_2_to_the_62(sides, cardinality, as_points):
    model_cardinality, gamma = cardinality_pair(cardinality)
    model = rw.RangeModel(as_points=as_points, cardinality=model_cardinality)
    score, tally = model.score(*sides), model.tally(*sides)
    twice = (tally + tally).score()
    for side, ranges, others, value, pooled in (
        ("real", *sides, score.recall, twice.recall),
        ("predicted", *reversed(sides), score.precision, twice.precision),
    ):
        covered = [sum(len(naive.intersection(own, other)) for other in others) for own in ranges]
        lengths = [stop - start for start, stop in ranges]
        if as_points in (side, "both"):
            assert value == pooled == (sum(covered) / sum(lengths) if ranges else 0.0)
            continue
        rows = getattr(score, side)
        assert rows.covered.tolist() == covered
        # Each point of the other side is one overlap.
        assert rows.overlaps.tolist() == covered
        factors = [naive.cardinality_factor(own, count, gamma) for own, count in zip(ranges, covered, strict=True)]
        rewards = [factor * count / length for factor, count, length in zip(factors, covered, lengths, strict=True)]
        assert rows.reward.tolist() == approx(rewards)
        assert value == pooled == approx(sum(rewards) / len(rewards) if rewards else 0.0, rel=1e-12, abs=2**-94)


@pytest.mark.parametrize("bias", BIASES)
def test_built_in_functions_match_the_closed_forms_of_the_kernel(bias):
    function = BIASES[bias]
    sides = [(0, 31), (40, 41), (50, 54)], [(3, 9), (30, 52)]
    own = rw.score(*sides, bias=lambda positions, length: function(positions, length))
    assert (own.recall, own.precision) == approx((rw.score(*sides, bias=bias).recall, rw.score(*sides, bias=bias).precision))


def test_custom_functions_get_the_documented_arguments():
    calls = []

    def bias(positions, length):
        assert positions.tolist() == list(range(1, length + 1))
        calls.append(length)
        return positions

    def cardinality(overlaps):
        assert type(overlaps) is int
        assert overlaps >= 2
        calls.append(f"x{overlaps}")
        return 1.0

    rw.score([(0, 10), (20, 30), (40, 45)], [(1, 2), (3, 4), (5, 6), (21, 22)], recall_bias=bias, recall_cardinality=cardinality)
    assert sorted(map(str, calls)) == ["10", "5", "x3"]


def test_options_of_one_side_override_those_of_both():
    assert rw.RangeModel(bias="front") == rw.RangeModel(recall_bias="front", precision_bias="front")
    assert rw.RangeModel(bias="front", precision_bias="flat") == rw.RangeModel(recall_bias="front")
    assert rw.RangeModel(cardinality="reciprocal", recall_cardinality="one") == rw.RangeModel(precision_cardinality="reciprocal")
    assert rw.RangeModel(bias=rw.model.bias.front) == rw.RangeModel(bias="front")


def test_zero_division():
    for zero in (0.0, 1.0):
        score = rw.score([], [], zero_division=zero)
        assert (score.precision, score.recall, score.f) == (zero, zero, zero)
    assert math.isnan(rw.score([0, 1], [0, 0], zero_division=math.nan).precision)
    assert rw.score([0, 1], [0, 0], zero_division=math.nan).recall == 0.0
    assert math.isnan(rw.score([0, 1], [0, 0], zero_division=math.nan).f)
    assert rw.score([(0, 1)], [(1, 2)], zero_division=1.0).f == 0.0


def test_presets():
    assert set(rw.PRESETS) == {
        "classical", "early", "late", "centered", "unfragmented", "numenta_standard", "numenta_low_fp", "numenta_low_fn",
    }  # fmt: skip
    assert rw.PRESETS["early"] is rw.early
    assert (rw.early.recall_bias, rw.late.recall_bias, rw.centered.recall_bias) == ("front", "back", "middle")
    assert (rw.unfragmented.recall_cardinality, rw.unfragmented.precision_cardinality) == ("reciprocal", "reciprocal")
    assert [rw.PRESETS[f"numenta_{name}"].beta for name in ("standard", "low_fp", "low_fn")] == [1.0, 0.5, 2.0]
    assert rw.classical.as_points == "both"


MODELS = [
    rw.RangeModel(),
    rw.RangeModel(alpha=0.1, beta=2, bias="front", cardinality="reciprocal", as_points="predicted", zero_division=math.nan),
    rw.RangeModel(alpha=1 / 3, precision_bias="middle"),
    *rw.PRESETS.values(),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_round_trip(model):
    assert "\n" not in str(model)
    assert rw.RangeModel.parse(str(model)) == model
    assert rw.RangeModel.parse(str(model)).short_hash == model.short_hash
    assert pickle.loads(pickle.dumps(model)) == model
    assert replace(model, beta=3.0).beta == 3.0


def test_custom_functions_round_trip():
    model = rw.RangeModel(recall_bias=steep, cardinality=quadratic)
    assert rw.RangeModel.parse(str(model), functions={"steep": steep, "quadratic": quadratic}) == model
    with pytest.raises(ValueError, match="functions="):
        rw.RangeModel.parse(str(model))
    with pytest.raises(ValueError, match="with def"):
        rw.RangeModel.parse(str(rw.RangeModel(cardinality=lambda x: 0.5)))


@pytest.mark.parametrize(
    "text", ["", "RangeModel(", "Other()", "RangeModel(3)", "RangeModel(alpha=open('x'))", "RangeModel(alhpa=1)", "1+1"]
)
def test_parse_rejects_other_text(text):
    with pytest.raises(ValueError, match=r"a model prints|alpha"):
        rw.RangeModel.parse(text)


def test_hash_is_stable_and_distinguishes_models():
    assert rw.RangeModel().short_hash == "a0b97719"
    hashes = {
        model.short_hash for model in (*MODELS, rw.RangeModel(bias=steep), rw.RangeModel(bias=ends), rw.RangeModel(cardinality=quadratic))
    }
    assert len(hashes) == len(set(map(str, MODELS))) + 3
    # A function of the same name with other values makes another model.
    assert rw.RangeModel(cardinality=lambda x: 0.5).short_hash != rw.RangeModel(cardinality=lambda x: 0.25).short_hash


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"alpha": -0.1}, ValueError, "0..1"),
        ({"alpha": 1.1}, ValueError, "0..1"),
        ({"alpha": math.nan}, ValueError, "0..1"),
        ({"alpha": "half"}, TypeError, "number"),
        ({"alpha": None}, TypeError, "number"),
        ({"beta": 0}, ValueError, "above 0"),
        ({"beta": -1}, ValueError, "above 0"),
        ({"beta": math.nan}, ValueError, "above 0"),
        ({"beta": math.inf}, ValueError, "finite"),
        ({"zero_division": 0.5}, ValueError, "nan"),
        ({"bias": "frnt"}, ValueError, "^bias .* did you mean 'front'"),
        ({"recall_bias": "bakc"}, ValueError, "did you mean 'back'"),
        ({"cardinality": "recipocal"}, ValueError, "did you mean 'reciprocal'"),
        ({"cardinality": 3}, TypeError, "function"),
        ({"bias": []}, TypeError, "function"),
        ({"as_points": "all"}, ValueError, "both"),
        ({"size": 3}, TypeError, "function"),
        ({"bais": "front"}, TypeError, "did you mean 'bias'"),
        ({"bias": lambda positions, length: positions[:-1]}, ValueError, "shape"),
        ({"bias": lambda positions, length: -positions}, ValueError, "0 or more"),
        ({"bias": lambda positions, length: positions * math.nan}, ValueError, "finite"),
        ({"bias": lambda positions, length: positions * math.inf}, ValueError, "gave inf at position 1"),
        ({"bias": lambda positions, length: positions * 0}, ValueError, "only zeros"),
        ({"bias": lambda positions, length: "x"}, TypeError, "numbers"),
        ({"bias": lambda positions, length: positions * 0, "as_points": "both"}, ValueError, "only zeros"),
        ({"cardinality": lambda overlaps: 1.5}, ValueError, "0..1"),
        ({"cardinality": lambda overlaps: math.nan}, ValueError, "0..1"),
        ({"cardinality": lambda overlaps: "x"}, TypeError, "number"),
        ({"size": lambda own, overlap, bias: 2.0}, ValueError, "0..1"),
        ({"size": lambda own, overlap, bias: 0.9}, ValueError, "add up to 1.8"),
        ({"size": lambda own, overlap, bias: None}, TypeError, "a number"),
    ],
)
def test_rejects_bad_settings(options, error, message):
    with pytest.raises(error, match=message):
        rw.score([(0, 10)], [(0, 2), (4, 6)], **options)


def test_one_long_range_against_many_pieces():
    pieces = np.arange(0, 200_000, 2)
    predicted = np.column_stack([pieces, pieces + 1])
    score = rw.score([(0, 200_000)], predicted, cardinality="reciprocal")
    assert score.recall == approx(0.5 / 100_000)
    assert score.precision == 1.0


def test_many_threads_share_a_model():
    from concurrent.futures import ThreadPoolExecutor

    rng = np.random.default_rng(0)
    pairs = [(rng.random(5000) < 0.1, rng.random(5000) < 0.1) for _ in range(20)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda pair: rw.early.score(*pair).f, pairs)) == [rw.early.score(*pair).f for pair in pairs]


@pytest.mark.parametrize("kind", ["bias", "cardinality"])
def test_rejects_options_of_both_sides_beside_options_of_each(kind):
    value = {"bias": "front", "cardinality": "reciprocal"}[kind]
    one_sided = rw.RangeModel(**{f"recall_{kind}": value, kind: value})
    assert getattr(one_sided, f"precision_{kind}") == value
    # replace() passes the options of both sides.
    with pytest.raises(ValueError, match=f"{kind}= has no effect beside recall_{kind}= and precision_{kind}="):
        replace(one_sided, **{kind: value})
    assert replace(one_sided, alpha=0.25) == rw.RangeModel(alpha=0.25, **{kind: value})


@pytest.mark.parametrize("beta", [1e200, 1e-200, 5e-324, 1.7e308])
def test_extreme_betas_weigh_one_side_only(beta):
    score = rw.score([(0, 10)], [(5, 10), (20, 30)], beta=beta)
    assert score.f == approx(score.recall if beta > 1 else score.precision)
    assert rw.score([(0, 10)], [(20, 30)], beta=beta).f == 0.0
    curve = rw.RangeModel(beta=beta).curve([0, 1, 1, 0], [0.1, 0.9, 0.3, 0.4])
    assert curve.f.tolist() == [approx(curve.at(t).f) for t in curve.thresholds.tolist()]


def test_rejects_biases_whose_weights_overflow():
    with pytest.raises(ValueError, match="add up to more than a number can hold"):
        rw.score([(0, 10)], [(0, 5)], bias=lambda positions, length: np.full(length, 1e308))


@pytest.mark.parametrize(
    "call",
    [
        lambda: rw.RangeModel().curve([0, 1], [0.1, 0.9], weights=[1.0]),
        lambda: rw.RangeModel().tally([0, 1], [0, 1], weights=[1.0]),
        lambda: rw.Stream().update([0, 1], [0, 1], weights=[1.0]),
        lambda: rw.Stream().update_scores([0, 1], [0.1, 0.9], threshold=0.5, weights=[1.0]),
    ],
)
def test_rejects_weights_where_they_have_no_effect(call):
    with pytest.raises(TypeError, match="does not support weights="):
        call()
