"""Numbers that differ only by rounding are tied."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rangewise.bench.statistics import rank_rows
from rangewise.bench.statistics.ties import settled

hundredths = st.lists(st.integers(-100, 100), min_size=1, max_size=12)


@given(hundredths, st.integers(0, 100))
def test_decimals_tie_where_integers_tie(integers, shift):
    moved = settled([(value + shift) / 100 - shift / 100 for value in integers], 1.0)
    assert [[a == b for a in moved] for b in moved] == [[a == b for a in integers] for b in integers]


@given(hundredths)
def test_settled_values_keep_their_order_and_change_only_by_rounding(integers):
    values = np.array(integers) / 7
    assert np.allclose(settled(values), values, rtol=0, atol=1e-6)
    assert (np.argsort(settled(values), kind="stable") == np.argsort(values, kind="stable")).all()


def test_rows_are_settled_separately_and_nan_and_inf_stay():
    values = settled([[0.1 + 0.2, 0.3, math.nan], [1e9 + 0.1, 1e9, math.inf]])
    assert values[0].tolist()[:2] == [0.3, 0.3]
    assert math.isnan(values[0, 2])
    assert values[1].tolist() == [1e9, 1e9, math.inf]
    assert settled(np.empty((3, 0))).shape == (3, 0)


def test_tied_decimals_share_the_mean_rank():
    assert rank_rows([[0.1 + 0.2, 0.3, 0.1]]).tolist() == [[1.5, 1.5, 3.0]]
