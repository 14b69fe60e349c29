import zlib
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rangewise.inputs.ranges import Ranges
from rangewise.reports.pack import MOST_RANKS, packed, packed_ranges, packed_scores, packed_values, separated
from strategies import range_lists


def unpacked(pack):
    kind = np.dtype(pack["kind"])
    planes = np.frombuffer(zlib.decompress(b64decode(pack["data"])), dtype=np.uint8).reshape(kind.itemsize, pack["length"])
    return np.ascontiguousarray(planes.T).view(kind).ravel()


@given(st.lists(st.integers(0, 2**32 - 1), max_size=50))
def test_arrays_round_trip(numbers):
    assert unpacked(packed(np.array(numbers, dtype=np.uint32))).tolist() == numbers


@given(range_lists(), st.sampled_from([1, 2**27, 2**48, 2**55]))
def test_ranges_round_trip(ranges, stretch):
    bounds = np.array(ranges, dtype=np.int64).reshape(-1, 2) * stretch
    pack = packed_ranges(Ranges(bounds))
    values = [int(at) for at in pack["text"]] if "text" in pack else np.cumsum(unpacked(pack), dtype=np.int64).tolist()
    assert values == bounds.ravel().tolist()
    # Positions that a double does not hold exactly are text.
    assert not (len(values) and values[-1] >= 2**53) or isinstance(pack["text"][0], str)


@given(st.lists(st.floats(allow_nan=False) | st.floats(0, 1e-300) | st.floats(1, 1 + 1e-10), min_size=1, max_size=60, unique=True))
def test_separators_lie_between_neighbors(scores):
    distinct = np.unique(np.array(scores))
    narrow, exact = separated(distinct)
    thresholds = np.where(exact, distinct, narrow.astype(np.float64))
    assert (thresholds <= distinct).all()
    assert (thresholds[1:] > distinct[:-1]).all()


@pytest.mark.parametrize("count", [MOST_RANKS, MOST_RANKS + 1])
def test_scores_round_trip_as_ranks_and_thresholds(count):
    scores = np.random.default_rng(1).permutation(np.random.default_rng(2).normal(size=count))
    distinct, ranks = np.unique(scores, return_inverse=True)
    ranks = ranks.astype(np.uint32)
    pack = packed_scores(distinct, ranks)
    assert (unpacked(pack["ranks"]) == ranks).all()
    assert ("thresholds" in pack) == (count == MOST_RANKS)
    if "separators" in pack:
        keys = np.cumsum(unpacked(pack["separators"]), dtype=np.uint32)
        bits = np.where(keys >> 31, keys & np.uint32(0x7FFFFFFF), ~keys)
        thresholds = bits.view(np.float32).astype(np.float64)
        if "exact" in pack:
            thresholds[np.cumsum(unpacked(pack["exact_at"]))] = unpacked(pack["exact"])
    else:
        thresholds = unpacked(pack["thresholds"])
    middle = thresholds[count // 2]
    assert ((scores >= middle) == (ranks >= count // 2)).all()


def test_values_are_scaled_and_missing_ones_stay_missing():
    values = np.array([np.nan, -1e308, 0.0, 1e308, np.inf])
    pack = packed_values(values)
    levels = np.cumsum(unpacked(pack["steps"]), dtype=np.uint16).tolist()
    assert levels == [65_535, 0, 32_767, 65_534, 65_535]
    assert packed_values(np.full(3, np.nan))["low"] == 0.0
    assert packed_values(np.full(3, 7.0))["high"] == 7.0
