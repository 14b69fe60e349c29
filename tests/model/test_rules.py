"""The names of Python match the enums of C++, and custom functions become tables for the kernel."""

import numpy as np
import pytest

import rangewise as rw
from naive import model as naive
from rangewise import _kernel
from rangewise.model.bias import BIASES
from rangewise.model.cardinality import CARDINALITIES
from rangewise.model.rules import cumulative_weights, factor_tables, range_factors

pytestmark = pytest.mark.kernel

# Members for custom functions, which have no names in Python.
TABLES = {"Bias": {"table", "sized"}, "Cardinality": {"table", "by_length", "each"}}


@pytest.mark.parametrize(
    ("enum", "functions", "naive_functions"),
    [(_kernel.Bias, BIASES, naive.BIASES), (_kernel.Cardinality, CARDINALITIES, naive.CARDINALITIES)],
    ids=["biases", "cardinalities"],
)
def test_kernel_library_and_naive_have_the_same_names(enum, functions, naive_functions):
    assert {member.name for member in enum} - TABLES[enum.__name__] == set(functions) == set(naive_functions)
    assert all(function.__name__ == name for name, function in functions.items())


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("length", [1, 2, 7, 8])
def test_each_name_reaches_its_own_closed_form(bias, length):
    # A prediction of a single position earns the share of its weight, in the score and in the curve that predicts it first.
    weights = [naive.BIASES[bias](i, length) for i in range(1, length + 1)]
    for i, weight in enumerate(weights):
        expected = pytest.approx(weight / sum(weights))
        assert rw.range_recall([(0, length)], [(i, i + 1)], bias=bias) == expected
        assert rw.RangeModel(bias=bias).curve([(0, length)], np.arange(length) == i).recall[0] == expected
        # For precision, the whole series is predicted and one point of it is real.
        assert rw.range_precision([(i, i + 1)], [(0, length)], bias=bias) == expected
        assert rw.RangeModel(bias=bias).curve([(i, i + 1)], np.ones(length)).precision[0] == expected


def test_cumulative_weights_of_each_distinct_length():
    table, offsets = cumulative_weights(lambda positions, length: positions, rw.Ranges([(0, 3), (5, 6), (8, 11)]))
    assert offsets.tolist() == [2, 0, 2]
    assert table.tolist() == [0, 1, 0, 1, 3, 6]


def test_cumulative_weights_of_long_ranges_do_not_drift():
    length = 200_000
    table, _ = cumulative_weights(lambda positions, length: np.full(length, 0.1), rw.Ranges([(0, length)]))
    exact = np.arange(1, length + 1) * np.longdouble(0.1)
    assert np.abs(table[1:] / exact - 1).max() < 1e-14
    assert np.abs(np.cumsum(np.full(length, 0.1)) / exact - 1).max() > 1e-12  # a plain sum of doubles drifts


def test_cardinality_is_called_once_per_number_of_overlaps():
    calls = []

    def cardinality(overlaps):
        calls.append(overlaps)
        return 1 / overlaps

    assert range_factors(cardinality, np.array([0, 1, 5, 2, 5]), None).tolist() == [1, 1, 1 / 5, 1 / 2, 1 / 5]
    assert calls == [2, 5]
    assert range_factors(cardinality, np.array([], dtype=np.int64), None).tolist() == []


def test_factor_tables_of_each_distinct_length():
    own = rw.Ranges([(0, 4), (10, 12), (20, 24)])
    table, offsets = factor_tables(lambda overlaps, length: overlaps / (10 * length), own, 3)
    assert offsets.tolist() == [3, 0, 3]
    assert table.tolist() == [1, 1, 2 / 20, 1, 1, 2 / 40, 3 / 40]
