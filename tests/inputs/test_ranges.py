import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from naive import model as naive
from strategies import labels, range_lists

pytestmark = pytest.mark.kernel

DTYPES = [bool, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", ">i4", ">f8"]


@given(labels(), st.sampled_from(DTYPES), st.sampled_from([1, 2, -1, -3]))
def test_reads_labels_of_every_dtype_and_stride(values, dtype, stride):
    strided = np.zeros(len(values) * abs(stride), dtype=dtype)[::stride]
    strided[:] = values
    assert list(rw.Ranges.from_labels(strided)) == naive.ranges_of(values)


@given(st.integers(0, 9000), st.integers(0, 2**32))
def test_reads_labels_longer_than_a_block(length, seed):
    values = np.random.default_rng(seed).random(length) < 0.3
    edges = np.flatnonzero(np.diff(np.concatenate(([0], values.astype(int), [0]))))
    assert np.array_equal(np.asarray(rw.Ranges.from_labels(values)), edges.reshape(-1, 2))


@given(labels())
def test_labels_round_trip(values):
    assert rw.Ranges.from_labels(values).to_labels(len(values)).tolist() == values


@given(range_lists())
def test_pairs_round_trip(pairs):
    ranges = rw.Ranges(pairs)
    assert list(ranges) == pairs
    assert rw.Ranges(pairs[::-1]) == ranges
    assert list(ranges.points()) == naive.points(pairs)
    assert list(ranges.merge_touching()) == naive.ranges_of(ranges.to_labels(60))
    assert rw.Ranges.from_inclusive([(a, b - 1) for a, b in pairs]) == ranges
    assert pickle.loads(pickle.dumps(ranges)) == ranges
    assert hash(rw.Ranges(pairs)) == hash(ranges)


@given(range_lists(), st.integers(0, 6))
def test_close_gaps(pairs, max_gap):
    expected: list[list[int]] = []
    for start, stop in pairs:
        if expected and start - expected[-1][1] <= max_gap:
            expected[-1][1] = stop
        else:
            expected.append([start, stop])
    assert [list(pair) for pair in rw.Ranges(pairs).close_gaps(max_gap)] == expected
    with pytest.raises(ValueError, match="is 0 or more; got -1"):
        rw.Ranges(pairs).close_gaps(-1)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([0, 1, 1, 0]),
        pd.Series([False, True, True, False]),
        pd.Series([0, 1, 1, 0], dtype="Int64"),
        pl.Series([0, 1, 1, 0]),
        pl.Series([False, True, True, False]),
        pa.array([0, 1, 1, 0]),
        pa.array([False, True, True, False]),
        pa.chunked_array([[0, 1], [1, 0]]),
        (0, 1, 1, 0),
        np.array([0, 1, 1, 0], dtype=object).astype(int),
    ],
    ids=lambda series: f"{type(series).__module__}.{getattr(series, 'dtype', getattr(series, 'type', ''))}",
)
def test_reads_labels_from_other_libraries(series):
    assert rw.as_ranges(series) == rw.Ranges([(1, 3)])


def test_reads_pairs_from_other_libraries():
    expected = rw.Ranges([(1, 3), (5, 6)])
    assert rw.as_ranges(pl.DataFrame({"a": [1, 5], "b": [3, 6]})) == expected
    assert rw.as_ranges(pd.DataFrame({"stop": [3, 6], "note": ["x", "y"], "start": [1, 5]})) == expected


def test_accepts_empty_input():
    for empty in ([], (), np.empty(0), np.empty((0, 2), dtype=int), rw.Ranges(), [0, 0], np.zeros(0, dtype=bool)):
        assert len(rw.as_ranges(empty)) == 0
    assert rw.Ranges.from_labels([1]) == rw.Ranges([(0, 1)])
    assert rw.Ranges.from_labels(np.ones(128)) == rw.Ranges([(0, 128)])
    assert rw.Ranges().to_labels(0).tolist() == []


def test_ranges_are_immutable():
    pairs = np.array([[3, 8], [12, 13]])
    ranges = rw.Ranges(pairs)
    pairs[0, 0] = 0
    assert ranges == rw.Ranges([(3, 8), (12, 13)])
    with pytest.raises(AttributeError, match="immutable"):
        ranges.starts = 3
    with pytest.raises(ValueError, match="read-only"):
        ranges.starts[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        rw.Ranges.from_labels([1, 0]).stops[0] = 1


def test_repr_is_short():
    assert repr(rw.Ranges([(0, 1)])) == "Ranges([(0, 1)])"
    many = repr(rw.Ranges([(2 * i, 2 * i + 1) for i in range(1000)]))
    assert len(many) < 80
    assert "1000 ranges" in many


def test_indexing():
    ranges = rw.Ranges([(0, 1), (3, 8), (8, 9)])
    assert ranges[1] == (3, 8)
    assert ranges[1:] == rw.Ranges([(3, 8), (8, 9)])
    assert np.asarray(ranges).tolist() == [[0, 1], [3, 8], [8, 9]]


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ([0, 2], ValueError, "label 1 is 2"),
        ([0, -1], ValueError, "label 1 is -1"),
        ([0.5, 0], ValueError, "label 0 is 0.5"),
        ([0, float("nan")], ValueError, "label 1 is nan"),
        (np.array([0] * 70 + [3], dtype=np.uint8), ValueError, "label 70 is 3"),
        (np.array([0] * 5000 + [255] + [0] * 5000, dtype=np.uint8), ValueError, "label 5000 is 255"),
        (["a", "b"], TypeError, "dtype"),
        ([0, None], TypeError, "label 1 is None"),
        ("0101", TypeError, "expected"),
        (None, TypeError, "expected"),
        (3, TypeError, "expected"),
        ({"a": 1}, TypeError, "expected"),
        ([[1, 2, 3]], ValueError, "shape"),
        ([[0], [1]], ValueError, "ravel"),
        (np.zeros((2, 2, 2)), ValueError, "shape"),
        ([[1, 2], [3]], ValueError, "ragged"),
        ([(8, 3)], ValueError, r"range 0 is \[8, 3\)"),
        ([(3, 3)], ValueError, "stops after it starts"),
        ([(0, 5), (4, 8)], ValueError, "overlap"),
        ([(10, 12), (0, 5), (4, 8)], ValueError, r"range 1 \[0, 5\) and range 2 \[4, 8\) overlap"),
        ([(-1, 3)], ValueError, "from 0"),
        ([(0.0, 5.0)], ValueError, "write seconds as floats"),
        ((3, 8), ValueError, r"one range is \[\(3, 8\)\]"),
        ([1, -1], ValueError, "labels == -1"),
        ([0.2, 0.9], ValueError, "RangeModel.curve"),
        ([(2**64 - 1, 2**64)], (ValueError, TypeError), "64-bit|dtype"),
        (pl.Series([0, None, 1]), ValueError, "label 1 is missing"),
        (pd.Series([0, None, 1]), ValueError, "label 1 is (missing|nan)"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), TypeError, "dtype"),
    ],
)
def test_rejects_bad_input(bad, error, message):
    with pytest.raises(error, match=message) as caught:
        rw.score(bad, [0, 1])
    assert str(caught.value).startswith("real")


def test_from_inclusive_rejects_reversed_pairs():
    with pytest.raises(ValueError, match=r"range 1 is \[9, 8\)"):
        rw.Ranges.from_inclusive([(1, 1), (9, 8)])


def test_constructor_rejects_labels():
    with pytest.raises(ValueError, match=r"Ranges\.from_labels"):
        rw.Ranges([0, 1, 1])


def test_to_labels_rejects_short_lengths():
    with pytest.raises(ValueError, match="at least 5"):
        rw.Ranges([(1, 5)]).to_labels(4)
    with pytest.raises(ValueError, match="0 or more"):
        rw.Ranges().to_labels(-1)


def test_rejects_sides_of_different_lengths():
    with pytest.raises(ValueError, match="real has 3 labels and predicted has 2"):
        rw.score([0, 1, 0], [0, 1])
    with pytest.raises(ValueError, match="predicted has a range that stops at 9, but real has only 3 labels"):
        rw.score([0, 1, 0], [(1, 9)])


@pytest.mark.parametrize("pairs", [[range(1, 3)], [range(1, 5)], [range(2), range(4, 6)], [(0, 1), range(4, 6)], [range(3), (0, 1)]])
def test_rejects_python_range_objects(pairs):
    """NumPy reads range(1, 3) as the numbers 1 and 2."""
    position = next(at for at, entry in enumerate(pairs) if isinstance(entry, range))
    expected = f"entry {position} is {pairs[position]}; write a range as a pair, ({pairs[position].start}, {pairs[position].stop})"
    for call in (rw.Ranges, rw.Ranges.joined, lambda side: rw.score(side, [(0, 1)]), lambda side: rw.score([(0, 1)], side)):
        with pytest.raises(TypeError, match=re.escape(expected)):
            call(pairs)


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_every_reader_distinguishes_rows_from_seconds(kind):
    readers = (
        rw.Ranges.joined,
        lambda pairs: rw.Case.read([(0.0, 9.0)], [], ignore=pairs).ignored,
        lambda pairs: rw.ScoredRanges(pairs, [1, 2]),
    )
    for read in readers:
        # Two equal seconds may be joined, ignored twice, or have two confidences.
        assert read(kind([(0.0, 1.0), (0.0, 1.0)])).clock.elapsed
        with pytest.raises(ValueError, match="range 1 1 s to 1 s is empty"):
            read(kind([(0.0, 1.0), (1.0, 1.0)]))
    assert rw.Ranges.joined(kind([(0, 5), (7, 9)])).clock is None
    assert rw.ScoredRanges(kind([(0, 5), (7, 9)]), [1, 2]).clock is None
    assert list(rw.Case.read([(0, 9)], [], ignore=kind([(0, 5), (7, 9)])).ignored) == [(0, 5), (7, 9)]
    # Disjoint ranges cannot be several pairs of 0 and 1, so these must be labels of channels.
    for channels in ([(0.0, 1.0), (0.0, 1.0)], [(0.0, 1.0), (1.0, 1.0)]):
        with pytest.raises(TypeError, match="labels of two channels"):
            rw.Ranges(kind(channels))
