"""The short hash of a model distinguishes custom functions by their values for small ranges; errors of ``RangeModel.parse``."""

import pytest

import rangewise as rw


@pytest.mark.parametrize("length", range(1, 18))
def test_hash_covers_biases_of_lengths_up_to_16(length):
    def bias_of(weight):
        def bias(positions, size):
            return positions + (weight if size == length else 0.0)

        return bias

    plain, other = (rw.RangeModel(recall_bias=bias_of(weight)).short_hash for weight in (0.0, 0.5))
    assert (plain == other) == (length > 16)


@pytest.mark.parametrize("overlaps", range(1, 18))
def test_hash_covers_cardinalities_of_2_to_16_overlaps(overlaps):
    def cardinality_of(factor):
        def cardinality(count):
            return factor if count == overlaps else 1 / count

        return cardinality

    plain, other = (rw.RangeModel(cardinality=cardinality_of(factor)).short_hash for factor in (0.25, 0.75))
    assert (plain == other) == (overlaps not in range(2, 17))


@pytest.mark.parametrize("covered", [1, 5, 16])
def test_hash_covers_sizes_of_overlaps_at_the_front_of_a_small_range(covered):
    def size_of(share):
        def size(own, overlap, bias):
            return share if own == (0, 16) and overlap == (0, covered) else 0.5

        return size

    assert rw.RangeModel(size=size_of(0.25)).short_hash != rw.RangeModel(size=size_of(0.75)).short_hash


def test_hash_ignores_differences_after_the_twelfth_decimal():
    def bias_of(more):
        def bias(positions, length):
            return positions + more

        return bias

    plain, near, apart = (rw.RangeModel(bias=bias_of(more)).short_hash for more in (0.0, 1e-14, 1e-11))
    assert plain == near != apart


def test_parse_rejects_other_expressions():
    with pytest.raises(ValueError, match=r"alpha is a number, .*; got 1 \+ x"):
        rw.RangeModel.parse("RangeModel(alpha=1 + x)")
    with pytest.raises(ValueError, match="nested too deeply"):
        rw.RangeModel.parse(f"RangeModel(alpha={'-' * 5000}1)")


def test_parse_rejects_repeated_settings():
    with pytest.raises(ValueError, match=r"alpha is given twice in .*; give each setting once"):
        rw.RangeModel.parse("RangeModel(alpha=0.1, alpha=0.9)")
