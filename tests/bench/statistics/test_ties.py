"""Numbers that are equal but for rounding are tied."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rangewise.bench.statistics import rank_rows
from rangewise.bench.statistics.ties import settled

hundredths = st.lists(st.integers(-100, 100), min_size=1, max_size=12)


@given(hundredths, st.integers(0, 100))
def test_decimals_are_tied_where_whole_hundredths_are(whole, shift):
    moved = settled([(value + shift) / 100 - shift / 100 for value in whole], 1.0)
    assert [[a == b for a in moved] for b in moved] == [[a == b for a in whole] for b in whole]


@given(hundredths)
def test_settled_values_keep_their_order_and_move_by_rounding_only(whole):
    values = np.array(whole) / 7
    assert np.allclose(settled(values), values, rtol=0, atol=1e-6)
    assert (np.argsort(settled(values), kind="stable") == np.argsort(values, kind="stable")).all()


def test_rows_are_settled_alone_and_what_is_no_number_stays():
    found = settled([[0.1 + 0.2, 0.3, math.nan], [1e9 + 0.1, 1e9, math.inf]])
    assert found[0].tolist()[:2] == [0.3, 0.3]
    assert math.isnan(found[0, 2])
    assert found[1].tolist() == [1e9, 1e9, math.inf]
    assert settled(np.empty((3, 0))).shape == (3, 0)


def test_ranks_of_decimals_share_the_middle():
    assert rank_rows([[0.1 + 0.2, 0.3, 0.1]]).tolist() == [[1.5, 1.5, 3.0]]
