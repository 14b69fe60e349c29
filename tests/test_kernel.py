"""Direct calls of the compiled kernel: input that it rejects, and sums that need 128 bits.

Python checks its input before the kernel does, so users never see these errors. They only matter if the tables of ``model/rules.py`` have a
mistake: then they keep the kernel from reading beyond the end of an array.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from naive import model as naive
from rangewise import _kernel
from rangewise.model.bias import BIASES
from rangewise.model.cardinality import CARDINALITIES
from strategies import range_lists, side_pairs

pytestmark = pytest.mark.kernel

Bias, Cardinality = _kernel.Bias, _kernel.Cardinality


def pairs(*ranges):
    return np.array(ranges, dtype=np.int64).reshape(-1, 2)


def rule(bias="flat", cardinality="one", *, alpha=0.0, as_points=False, **tables):
    return _kernel.Rule(bias=Bias[bias], cardinality=Cardinality[cardinality], alpha=alpha, as_points=as_points, **tables)


def floats(*values):
    return np.array(values, dtype=np.float64)


def integers(*values):
    return np.array(values, dtype=np.int64)


SIDES = pairs((0, 4), (6, 8)), pairs((1, 2), (3, 7))
SCORES = np.arange(10.0)
# Each table is one entry too short for the ranges of SIDES[0], or has an offset outside the table.
SHORT_TABLES = {
    "no offsets": (rule("table", weights=floats(0, 1, 2, 3, 4)), ValueError, "one offset a range"),
    "one offset missing": (rule("table", weights=floats(0, 1, 2, 3, 4), offsets=integers(0)), ValueError, "one offset a range"),
    "one weight missing": (rule("table", weights=floats(0, 1, 2, 3), offsets=integers(0, 0)), ValueError, "weights is too short"),
    "offset too large": (rule("table", weights=floats(0, 1, 2, 3, 4), offsets=integers(0, 3)), ValueError, "weights is too short"),
    "negative offset": (
        rule("table", weights=floats(0, 1, 2, 3, 4), offsets=integers(-1, 0)),
        ValueError,
        "weights is too short",
    ),
}
SHORT_PER_RANGE = {
    "no sizes": (rule("sized"), ValueError, "one size a range"),
    "one size missing": (rule("sized", sizes=floats(0.5)), ValueError, "one size a range"),
    "one size too many": (rule("sized", sizes=floats(0.5, 0.5, 0.5)), ValueError, "one size a range"),
    "no factors": (rule(cardinality="each"), ValueError, "one factor a range"),
    "one factor missing": (rule(cardinality="each", factors=floats(1.0)), ValueError, "one factor a range"),
}
SHORT_FACTORS = {
    "no table of factors": (rule(cardinality="table"), IndexError, "factors is too short"),
    "table of factors too short": (rule(cardinality="table", factors=floats(1, 1)), IndexError, "factors is too short"),
}
EVERYWHERE = SHORT_TABLES | SHORT_PER_RANGE | SHORT_FACTORS


def parametrized(cases):
    return pytest.mark.parametrize(("broken_rule", "error", "message"), cases.values(), ids=cases.keys())


@parametrized(EVERYWHERE)
def test_tally_rejects_short_tables_on_either_side(broken_rule, error, message):
    real, predicted = SIDES
    with pytest.raises(error, match=message):
        _kernel.tally(real, predicted, broken_rule, rule())
    with pytest.raises(error, match=message):
        _kernel.tally(predicted, real, rule(), broken_rule)


@parametrized(EVERYWHERE)
def test_rows_reject_short_tables(broken_rule, error, message):
    with pytest.raises(error, match=message):
        _kernel.rows(*SIDES, broken_rule, False)


@parametrized(SHORT_TABLES | SHORT_FACTORS)
def test_sweep_rejects_short_tables_for_recall(broken_rule, error, message):
    # Points 1 and 3 come first: two pieces in the real range [0, 4).
    scores = np.array([0, 9, 0, 8, 0, 0, 0, 0, 0, 0])
    with pytest.raises(error, match=message):
        _kernel.sweep(SIDES[0], scores, broken_rule, rule(), 0.0)


def test_sweep_rejects_short_table_of_factors_for_precision():
    with pytest.raises(IndexError, match="factors is too short"):
        _kernel.sweep(SIDES[0], np.ones(10), rule(), rule(cardinality="table", factors=floats(1, 1)), 0.0)


@pytest.mark.parametrize("broken_rule", [broken_rule for broken_rule, _, _ in SHORT_TABLES.values()])
def test_sweep_rejects_weights_for_precision(broken_rule):
    with pytest.raises(ValueError, match="no table of weights for precision"):
        _kernel.sweep(SIDES[0], SCORES, rule(), broken_rule, 0.0)


@pytest.mark.parametrize("per_range_rule", [rule("sized", sizes=floats(1, 1)), rule(cardinality="each", factors=floats(1, 1))])
@pytest.mark.parametrize("side", ["recall", "precision"])
def test_sweep_rejects_values_per_range(per_range_rule, side):
    rules = (per_range_rule, rule()) if side == "recall" else (rule(), per_range_rule)
    with pytest.raises(ValueError, match="single ranges"):
        _kernel.sweep(SIDES[0], SCORES, *rules, 0.0)


@pytest.mark.parametrize("bias", ["table", "sized"])
def test_points_need_no_tables(bias):
    as_points = rule(bias, "each", as_points=True)
    assert _kernel.tally(*SIDES, as_points, rule())[0] == (0, 0, 3)
    _, precision, recall = _kernel.sweep(SIDES[0], SCORES, as_points, as_points, 0.0)
    assert (precision[-1], recall[-1]) == (0.6, 1.0)


def test_valid_tables_are_used():
    weights, offsets = floats(0, 1, 3, 6, 10, 0, 5, 10), integers(0, 5)
    columns = _kernel.rows(*SIDES, rule("table", "table", weights=weights, offsets=offsets, factors=floats(9, 9, 0.5)), False)
    names = ("overlaps", "covered", "size", "factor", "reward", "center")
    rows = dict(zip(names, (column.tolist() for column in columns), strict=True))
    assert rows["overlaps"] == [2, 1]
    assert rows["covered"] == [2, 1]
    assert rows["size"] == approx([0.6, 0.5])
    assert rows["factor"] == [0.5, 1.0]
    assert rows["reward"] == approx([0.3, 0.5])
    assert rows["center"] == approx([2.5 / 4, 0.5 / 2])
    each = _kernel.rows(*SIDES, rule("sized", "each", sizes=floats(0.25, 1), factors=floats(0.5, 0.1)), False)
    assert each[2].tolist() == [0.25, 1.0]
    assert each[3].tolist() == [0.5, 1.0]  # one overlap has no factor, whatever the table says


def test_weights_larger_than_their_sum_are_clamped_to_1():
    # Three pieces weigh 3 and the whole range weighs 2: more than any rounding error, so that the clamp to 1 is visible.
    whole, pieces = pairs((0, 4)), pairs((0, 1), (1, 2), (2, 3))
    heavy_rule = rule("table", weights=floats(0, 1, 2, 3, 2), offsets=integers(0))
    assert _kernel.rows(whole, pieces, heavy_rule, False)[2].tolist() == [1.0]
    assert _kernel.tally(whole, pieces, heavy_rule, rule())[0] == (1 << 30, 0, 0)
    assert _kernel.sweep(whole, floats(3, 2, 1, 0), heavy_rule, rule(), 0.0)[2].tolist() == [0.5, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "bad",
    [integers(0, 4), np.zeros((1, 3), np.int64), np.zeros((2, 2)), np.zeros((2, 2), np.int32), np.asfortranarray([[0, 2], [4, 6]]), None],
    ids=["one dimension", "three columns", "floats", "32 bits", "columns first", "None"],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda bad: _kernel.tally(bad, SIDES[1], rule(), rule()),
        lambda bad: _kernel.tally(SIDES[0], bad, rule(), rule()),
        lambda bad: _kernel.rows(bad, SIDES[1], rule(), False),
        lambda bad: _kernel.rows(SIDES[0], bad, rule(), False),
        lambda bad: _kernel.sweep(bad, SCORES, rule(), rule(), 0.0),
        lambda bad: _kernel.sweep_overlaps(bad, SCORES, False, False),
        lambda bad: _kernel.overlap_counts(bad, SIDES[1], False),
        lambda bad: _kernel.overlap_counts(SIDES[0], bad, False),
    ],
    ids=["tally real", "tally predicted", "rows own", "rows other", "sweep", "sweep_overlaps", "counts own", "counts other"],
)
def test_rejects_ranges_of_another_shape_or_type(call, bad):
    with pytest.raises(TypeError, match="incompatible"):
        call(bad)


@pytest.mark.parametrize(
    "settings",
    [
        {"bias": 0, "cardinality": Cardinality.one},
        {"bias": Bias.flat, "cardinality": 0},
        {"bias": "flat", "cardinality": Cardinality.one},
        {"bias": Cardinality.one, "cardinality": Bias.flat},
        {"bias": Bias.flat},
        {"bias": Bias.flat, "cardinality": Cardinality.one, "weights": np.zeros((2, 2))},
        {"bias": Bias.flat, "cardinality": Cardinality.one, "offsets": "x"},
    ],
    ids=str,
)
def test_rule_rejects_arguments_of_another_type(settings):
    with pytest.raises(TypeError, match="incompatible"):
        _kernel.Rule(alpha=0.0, as_points=False, **settings)


SWEEPS = {
    "sweep": lambda real, scores: _kernel.sweep(real, scores, rule(), rule(), 0.0),
    "sweep_overlaps": lambda real, scores: _kernel.sweep_overlaps(real, scores, False, False),
}


@pytest.mark.parametrize("sweep", SWEEPS.values(), ids=SWEEPS)
class TestScores:
    def test_rejects_real_range_after_the_scores(self, sweep):
        sweep(pairs((8, 10)), SCORES)
        with pytest.raises(ValueError, match="stops after the last score"):
            sweep(pairs((8, 11)), SCORES)
        with pytest.raises(ValueError, match="stops after the last score"):
            sweep(pairs((0, 1)), np.empty(0))

    def test_rejects_real_range_before_the_scores(self, sweep):
        with pytest.raises(ValueError, match="starts before the first score"):
            sweep(pairs((-1, 3)), SCORES)

    @pytest.mark.parametrize("place", [0, 5, 9])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_error_names_the_first_nan(self, sweep, place, dtype):
        scores = SCORES.astype(dtype)
        scores[place:] = np.nan
        with pytest.raises(_kernel.InvalidValueError, match=f"^{place}$"):
            sweep(pairs((0, 2)), scores)

    @pytest.mark.parametrize("dtype", [np.float16, np.complex128])
    def test_rejects_unsupported_dtypes(self, sweep, dtype):
        with pytest.raises(TypeError, match="float32 or float64"):
            sweep(pairs((0, 2)), SCORES.astype(dtype))

    def test_rejects_more_points_than_a_sweep_can_index(self, sweep):
        # One byte, broadcast to 2**31 points: the check comes before any read.
        with pytest.raises(ValueError, match=r"fewer than 2\*\*31"):
            sweep(pairs(), np.broadcast_to(np.uint8(1), (2**31,)))

    def test_rejects_two_dimensions(self, sweep):
        with pytest.raises(TypeError, match="incompatible"):
            sweep(pairs(), np.zeros((3, 3)))


@pytest.mark.parametrize("dtype", [np.float16, np.complex64])
def test_rejects_labels_of_unsupported_dtype(dtype):
    with pytest.raises(TypeError, match="labels are bool, integers, float32 or float64"):
        _kernel.find_ranges(np.zeros(3, dtype=dtype))


@pytest.mark.parametrize("dtype", ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"])
@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 4095, 4096, 4097, 9000])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_labels_of_every_dtype_length_and_stride(dtype, length, step):
    labels = (np.random.default_rng(length).random(length * abs(step)) < 0.5).astype(dtype)[::step]
    assert _kernel.find_ranges(labels).tolist() == [list(pair) for pair in naive.ranges_of(labels.tolist())]
    if dtype != "?" and length:
        labels[length - 1] = 2
        with pytest.raises(_kernel.InvalidValueError, match=f"^{length - 1}$"):
            _kernel.find_ranges(labels)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        *[("i8", value) for value in (2, -1, 2**32, 2**63 - 1, -(2**63))],
        *[("u8", value) for value in (2, 2**32, 2**64 - 1)],
        *[("f8", value) for value in (0.5, 1 + 2**-52, 2.0, -1.0, np.inf, np.nan, 5e-324)],
    ],
)
def test_finds_invalid_labels_of_eight_bytes_in_every_lane(dtype, value):
    # Labels are read four at a time in blocks of 4,096; the last block is incomplete.
    for place in (0, 1, 2, 3, 62, 63, 64, 4093, 4094, 4095, 4096, 4099):
        labels = np.zeros(4100, dtype=dtype)
        labels[::3] = 1
        labels[place] = value
        with pytest.raises(_kernel.InvalidValueError, match=f"^{place}$"):
            _kernel.find_ranges(labels)


def test_negative_zero_is_a_label():
    labels = np.full(4096, -0.0)
    labels[64:70] = 1
    assert _kernel.find_ranges(labels).tolist() == [[64, 70]]


@given(st.lists(st.tuples(st.integers(-2, 12), st.integers(-2, 12)), max_size=4))
def test_are_ranges(ranges):
    numbers = [number for pair in ranges for number in pair]
    rising = all(low <= high for low, high in zip([0, *numbers], numbers, strict=False)) and all(start < stop for start, stop in ranges)
    assert _kernel.are_ranges(pairs(*ranges)) == rising


@given(side_pairs(), st.booleans())
def test_overlap_counts_match_naive(sides, other_points):
    own, other = sides
    expected = [sum(map(len, (naive.intersection(a, b) for b in other))) for a in own]
    if not other_points:
        expected = [sum(bool(naive.intersection(a, b)) for b in other) for a in own]
    assert _kernel.overlap_counts(pairs(*own), pairs(*other), other_points).tolist() == expected


# A distant range longer than 2**31 makes the kernel sum all ranges in 128 bits.
FAR = (2**40, 2**41)


@given(range_lists(), range_lists(), st.sampled_from([*BIASES]), st.sampled_from([*CARDINALITIES]), st.booleans())
def test_128_bit_sums_equal_64_bit_sums(own, other, bias, cardinality, other_points):
    same_rule = rule(bias, cardinality, alpha=0.25)
    narrow = _kernel.rows(pairs(*own), pairs(*other), same_rule, other_points)
    wide = _kernel.rows(pairs(*own, FAR), pairs(*other), same_rule, other_points)
    for narrow_column, wide_column, far_row in zip(narrow, wide, _kernel.rows(pairs(FAR), pairs(), same_rule, False), strict=True):
        assert np.array_equal(np.concatenate([narrow_column, far_row]), wide_column, equal_nan=True)
    for sides in ((pairs(*own), pairs(*other)), (pairs(*other), pairs(*own))):
        sums = _kernel.tally(*sides, same_rule, same_rule)
        assert _kernel.tally(np.concatenate([sides[0], pairs(FAR)]), sides[1], same_rule, same_rule) == sums


def many_ranges(count, seed):
    """Touching, short and long ranges, more than the kernel processes in one block."""
    edges = np.cumsum(np.random.default_rng(seed).integers(0, 9, size=2 * count) ** 2 // 8)
    return [(start, stop) for start, stop in edges.reshape(-1, 2).tolist() if start < stop]


@pytest.mark.parametrize("counts", [(700, 700), (700, 3), (3, 700)], ids=str)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("cardinality", CARDINALITIES)
def test_rewards_of_many_ranges_match_naive(counts, bias, cardinality):
    real, predicted = (many_ranges(count, seed) for seed, count in enumerate(counts))
    same_rule = rule(bias, cardinality, alpha=0.25)
    tallies = _kernel.tally(pairs(*real), pairs(*predicted), same_rule, same_rule)
    gamma = getattr(naive, cardinality)
    rewards = (
        naive.recall_rewards(real, predicted, 0.25, gamma, getattr(naive, bias)),
        naive.recall_rewards(predicted, real, 0.25, gamma, getattr(naive, bias)),
    )
    for (high, low, ones), expected in zip(tallies, rewards, strict=True):
        assert (high << 64 | low) / 2**94 + ones == approx(sum(expected), rel=1e-12)


@pytest.mark.parametrize("recall_points", [False, True])
@pytest.mark.parametrize("bias", BIASES)
def test_rewards_of_many_series_match_each_series(bias, recall_points):
    real, predicted = (np.array(many_ranges(900, seed)) for seed in (3, 4))
    last = int(max(real[-1, 1], predicted[-1, 1]))
    borders = np.unique(np.concatenate([np.arange(0, last, 37), [last // 2, last // 2 + 1, last, last + 5]]))
    whole = [np.array([(a, b) for a, b in cut_at(side, borders) if a < b]) for side in (real, predicted)]
    recall, precision = rule(bias, "reciprocal", alpha=0.5, as_points=recall_points), rule(bias)
    words, *_ = _kernel.tally_series(*whole, borders, recall, precision)
    for k, series in enumerate(words.reshape(-1, 4).tolist()):
        inside = [side[(side[:, 0] >= borders[k]) & (side[:, 0] < borders[k + 1])] for side in whole]
        (high, low, ones), (other_high, other_low, _) = _kernel.tally(*inside, recall, precision)
        assert series == [high + (ones << 30), low, other_high, other_low]


def cut_at(ranges, borders):
    for start, stop in ranges.tolist():
        inner = borders[(borders > start) & (borders < stop)].tolist()
        yield from zip([start, *inner], [*inner, stop], strict=True)


@st.composite
def long_pieces(draw):
    """A range of up to 2**62 points, and pieces of it."""
    length = draw(st.integers(2**31 - 1, 2**31 + 2) | st.integers(2**32, 2**62))
    cuts = sorted(draw(st.sets(st.integers(0, length), min_size=2, max_size=8)))
    start = draw(st.integers(0, 2**62 - length))
    return (start, start + length), [(start + a, start + b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]


def exact_weight(bias, positions, length):
    """The total weight of the first ``positions`` positions, by the sum formula of each linear part."""
    triangle = positions * (positions + 1) // 2
    if bias == "flat":
        return positions
    if bias == "back":
        return triangle
    if bias == "front":
        return (length + 1) * positions - triangle
    half = length // 2
    if positions <= half:
        return triangle
    return half * (half + 1) // 2 + exact_weight("front", positions, length) - exact_weight("front", half, length)


@given(long_pieces(), st.sampled_from(["flat", "front", "back", "middle"]))
def test_rows_of_the_longest_ranges_are_exact(case, bias):
    (start, stop), pieces = case
    length = stop - start
    _, covered, size, *_ = _kernel.rows(pairs((start, stop)), pairs(*pieces), rule(bias), False)
    weight = sum(exact_weight(bias, b - start, length) - exact_weight(bias, a - start, length) for a, b in pieces)
    assert covered.tolist() == [sum(b - a for a, b in pieces)]
    assert size[0] == approx(float(Fraction(weight, exact_weight(bias, length, length))), rel=1e-15, abs=0)
    ((high, low, ones), _) = _kernel.tally(pairs((start, stop)), pairs(*pieces), rule(bias), rule())
    assert ones == 0
    assert (high << 64 | low) == approx(size[0] * 2**94, rel=1e-15, abs=1)


@pytest.mark.parametrize("bias", ["flat", "front", "back", "middle"])
def test_exact_weight_matches_naive(bias):
    for length in range(1, 12):
        for positions in range(length + 1):
            expected = sum(naive.BIASES[bias](i, length) for i in range(1, positions + 1))
            assert exact_weight(bias, positions, length) == expected


@pytest.mark.parametrize("most_bits", [8, 31, 48])
def test_sums_of_rewards_are_exact(most_bits):
    """Every reward is rounded down to a multiple of 2^-94. There are more ranges than the kernel processes in one block."""
    draw = np.random.default_rng(most_bits)
    count = 1000
    lengths = (2 ** draw.uniform(0, most_bits, count)).astype(np.int64)
    starts = np.cumsum(lengths + 1) - lengths
    covered = np.minimum((2 ** draw.uniform(0, most_bits, count)).astype(np.int64), lengths)
    hit = draw.random(count) < 0.7
    real = np.stack([starts, starts + lengths], axis=1)
    ((high, low, ones), _) = _kernel.tally(real, np.stack([starts, starts + covered], axis=1)[hit], rule(), rule())
    expected = sum(int(Fraction(part / length) * 2**94) for part, length in zip(covered[hit].tolist(), lengths[hit].tolist(), strict=True))
    assert (ones, high << 64 | low) == (0, expected)
