"""Cardinalities that depend on the length, and precision weighted by length (Wagner et al., 2023)."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.model.cardinality import CARDINALITIES, takes_length
from strategies import crowded, quadratic, range_lists, side_pairs

pytestmark = pytest.mark.kernel


@given(range_lists(), st.permutations(list(range(60))), st.sampled_from([0.0, 0.4]))
def test_recall_with_consistent_never_falls_when_more_is_predicted(real, scores, alpha):
    model = rw.RangeModel(alpha=alpha, recall_cardinality="consistent")
    recall = model.curve(real, scores).recall.tolist()
    assert all(later >= earlier - 1e-15 for earlier, later in pairwise(recall))


@given(st.integers(3, 60) | st.integers(3, 5000) | st.integers(2**40, 2**62), st.integers(2, 40))
@example(9, 2)  # exp and log1p of common C libraries miss it by one bit
def test_the_factor_of_consistent_is_rounded_once(length, pieces):
    # The kernel only adds, multiplies and divides, so that every machine gives these bits.
    pieces = min(pieces, (length + 1) // 2)
    predicted = [(2 * piece, 2 * piece + 1) for piece in range(pieces)]
    (row,) = rw.score([(0, length)], predicted, cardinality="consistent").real
    assert row.factor == float(Fraction(length - 1, length) ** (pieces - 1))


def test_recall_with_reciprocal_can_fall():
    recall = rw.RangeModel(cardinality="reciprocal").curve([(0, 5)], [5, 4, 1, 2, 3]).recall.tolist()
    assert recall != sorted(recall)


@given(side_pairs())
def test_flat_precision_by_length_is_the_precision_of_points(sides):
    by_length = rw.score(*sides, precision_weight="length").precision
    assert by_length == pytest.approx(rw.score(*sides, as_points="both").precision, abs=1e-15)


def test_tallies_by_length_add_up():
    model = rw.RangeModel(precision_weight="length", cardinality="reciprocal")
    both = model.tally([(0, 4)], [(2, 6)]) + model.tally([(0, 4)], [(0, 1), (8, 20)])
    assert both.score().precision == pytest.approx((0.5 * 4 + 1 * 1) / (4 + 1 + 12))


def test_takes_length():
    assert [name for name, function in CARDINALITIES.items() if takes_length(function)] == ["consistent"]
    assert takes_length(crowded)
    assert not takes_length(quadratic)
    assert not takes_length(lambda overlaps, power=2: overlaps**-power)
    assert not takes_length(min)  # has no readable signature


def test_hashes_without_settings_of_the_length_are_unchanged():
    assert rw.RangeModel().short_hash == "a0b97719"
    assert rw.RangeModel(cardinality=quadratic).short_hash == "970aa0d2"
    assert rw.RangeModel(cardinality=crowded).short_hash != rw.RangeModel(cardinality=lambda overlaps, length: 1.0).short_hash
    assert rw.RangeModel(precision_weight="length").short_hash != rw.RangeModel().short_hash


def test_settings_of_the_length_round_trip():
    model = rw.RangeModel(recall_cardinality="consistent", precision_weight="length")
    assert rw.RangeModel.parse(str(model)) == model


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"precision_weight": "lenght"}, "precision_weight is one of range, length; got 'lenght'; did you mean 'length'"),
        ({"cardinality": lambda overlaps, length: length}, "for 2 overlaps of a range of 4; a factor lies in 0..1"),
        ({"cardinality": lambda overlaps, length: "a lot"}, "expected a number from 0 to 1"),
    ],
)
def test_rejects_bad_settings(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        rw.score([(0, 4)], [(0, 1), (2, 3)], **options)


def test_rejects_more_points_than_a_weighted_sum_holds():
    with pytest.raises(ValueError, match="adds up at most"):
        rw.score([(0, 4)], [(0, 2**32 + 1)], precision_weight="length")
    assert rw.score([(0, 2**31)], [(0, 2**32)], precision_weight="length").precision == 0.5


def test_curve_limits_thresholds_for_cardinalities_of_the_length():
    with pytest.raises(ValueError, match="give thresholds="):
        rw.RangeModel(precision_cardinality=crowded).curve([(0, 4)], list(range(3000)))
    assert len(rw.RangeModel(recall_cardinality=crowded).curve([(0, 4)], list(range(3000)))) == 3000
