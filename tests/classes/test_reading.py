"""Reading classes: every accepted representation, and errors about bad input."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import classes as naive
from rangewise import kernel
from rangewise.classes.reading import names_of, read_class_sides, read_runs
from strategies import class_pairs

SIDE = ["sit", "sit", "walk", "sit", "run", "run"]
BY_CLASS = {"sit": [(0, 2), (3, 4)], "walk": [(2, 3)], "run": [(4, 6)]}
TRIPLES = [(4, 6, "run"), (0, 2, "sit"), (2, 3, "walk"), (3, 4, "sit")]
NUMBERS = {"run": 0, "sit": 1, "walk": 2}
TABLE = {"start": [4, 0, 2, 3], "stop": [6, 2, 3, 4], "class": ["run", "sit", "walk", "sit"]}


def ranges_by_class(side, **options):
    read = read_class_sides(side, side, **options)
    assert read.real == read.predicted
    return {name: list(ranges) for name, ranges in zip(read.classes, read.real, strict=True)}


@pytest.mark.parametrize(
    "side",
    [
        SIDE,
        tuple(SIDE),
        np.array(SIDE),
        np.array(SIDE, dtype=object),
        pd.Series(SIDE),
        pd.Series(SIDE, dtype="category"),
        pd.Series(SIDE, dtype="string"),
        pl.Series(SIDE),
        pl.Series(SIDE, dtype=pl.Categorical),
        pl.Series(SIDE, dtype=pl.Enum(["walk", "run", "sit", "swim"])),
        pa.chunked_array([SIDE]),
        pa.chunked_array([pa.array(SIDE).dictionary_encode()]),
        BY_CLASS,
        {name: rw.Ranges(pairs) for name, pairs in BY_CLASS.items()},
        {name: [int(each == name) for each in SIDE] for name in BY_CLASS},
        TRIPLES,
        pl.DataFrame(TABLE),
        pd.DataFrame(TABLE).rename(columns={"stop": "end", "class": "label"}),
        pa.table(TABLE),
        pl.DataFrame(TABLE).rename({"stop": "offset", "class": "event_label"}),
    ],
    ids=lambda side: f"{type(side).__module__}.{type(side).__name__}",
)
def test_accepts_every_representation(side):
    assert ranges_by_class(side) == {name: BY_CLASS[name] for name in sorted(BY_CLASS)}


@pytest.mark.kernel
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", "?"])
@pytest.mark.parametrize("step", [1, -1, 2])
def test_accepts_integers_of_every_dtype_and_stride(dtype, step):
    numbers = np.array([NUMBERS[name] for name in SIDE]).astype(dtype)
    side = numbers[::step]
    expected = naive.by_class(side.tolist())
    assert ranges_by_class(side) == {name: expected[name] for name in sorted(expected)}


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([-128, 127, -128], np.int8),
        ([-(2**63), 2**63 - 1, 0], np.int64),
        ([2**64 - 1, 0, 2**64 - 1], np.uint64),
        ([2**64 - 1, 2**64 - 3], np.uint64),
        ([-(2**63), -(2**63) + 5], np.int64),
        ([10**6, 5, 10**6], np.int32),
    ],
)
def test_accepts_integers_at_the_limits_of_their_dtype(values, dtype):
    side = np.array(values, dtype=dtype)
    assert ranges_by_class(side) == {name: naive.by_class(values)[name] for name in sorted(set(values))}


@pytest.mark.kernel
@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([1, 2, 63, 64, 65, 4095, 4096])), max_size=8), st.sampled_from("bBhHiIqQ"))
def test_runs_match_naive(parts, kind):
    side = np.repeat([name for name, _ in parts], [count for _, count in parts]).astype(kind)
    runs = read_runs(side, "real")
    expected = naive.runs(side.tolist())
    assert [
        (runs.names[code], *pair) for code, pair in zip(runs.codes, zip(runs.borders, runs.borders[1:], strict=False), strict=True)
    ] == (expected)
    assert runs.length == len(side)


@pytest.mark.kernel
@given(st.data(), st.sampled_from("bBhHiIqQ?"))
def test_number_classes_matches_numpy_unique(data, kind):
    low, high = (0, 1) if kind == "?" else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    first = data.draw(st.integers(low, high))
    near = st.integers(max(low, first - 150), min(high, first + 150))
    values = np.array(data.draw(st.lists(near, max_size=30)), dtype=kind)
    distinct, codes = np.unique(values, return_inverse=True)
    numbers, firsts = kernel.number_classes(values, 301)
    assert numbers.tolist() == codes.tolist()
    assert values[firsts].tolist() == distinct.tolist()
    spread = int(values.max()) - int(values.min()) if len(values) else 0
    assert (kernel.number_classes(values, 100) is None) == (spread >= 100)


@pytest.mark.kernel
def test_number_classes_rejects_other_arrays():
    with pytest.raises(TypeError, match="bool or integers"):
        kernel.number_classes(np.array([0.5]), 10)
    with pytest.raises(ValueError, match="contiguous"):
        kernel.number_classes(np.array([1, 2, 3, 4])[::2], 10)


@pytest.mark.kernel
def test_kernel_rejects_invalid_codes():
    borders = np.array([0, 2, 5])
    for codes in ([0, 3], [-1, 0]):
        with pytest.raises(IndexError, match="code of no class"):
            kernel.class_ranges(borders, np.array(codes), 2)
    with pytest.raises(ValueError, match="one border more"):
        kernel.class_ranges(borders, np.array([0]), 2)


@settings(max_examples=60)
@given(class_pairs())
def test_background_is_excluded_and_classes_are_sorted(sides):
    left_out = [name for name in ("-", "b") if name in {*sides[0], *sides[1]}]
    read = read_class_sides(*sides, background=left_out)
    assert list(read.classes) == sorted({*sides[0], *sides[1]} - {*left_out})
    for side, ranges in zip(sides, (read.real, read.predicted), strict=True):
        expected = naive.by_class(side, left_out)
        assert [list(each) for each in ranges] == [expected.get(name, []) for name in read.classes]
    assert read.length == len(sides[0])


def test_classes_keep_the_requested_order():
    assert list(ranges_by_class(SIDE, classes=["walk", "swim", "sit", "run"])) == ["walk", "swim", "sit", "run"]


def test_names_that_cannot_be_sorted_keep_their_order():
    assert list(ranges_by_class(["b", 1, "a", 1])) == ["b", 1, "a"]


def test_numbers_and_their_text_are_two_classes():
    assert ranges_by_class(["1", 1]) == {"1": [(0, 1)], 1: [(1, 2)]}


def test_empty_side_fits_a_series_of_any_length():
    read = read_class_sides(["a", "a"], [])
    assert (list(read.real[0]), list(read.predicted[0]), read.length) == ([(0, 2)], [], 2)
    assert read_class_sides([], []).classes == ()


def test_combines_rows_and_times_with_an_index():
    times = pd.date_range("2024-05-01", periods=6, freq="1min")
    intervals = [("2024-05-01T00:00", "2024-05-01T00:02", "sit"), ("2024-05-01T00:04", "2024-05-01T00:06", "run")]
    read = read_class_sides(SIDE, intervals, background="walk", times=times)
    assert [list(each) for each in read.predicted] == [[(4, 6)], [(0, 2)]]
    with pytest.raises(ValueError, match="only 5 times"):
        read_class_sides(SIDE, intervals, background="walk", times=times[:5])


def test_times_of_all_classes_share_a_clock():
    real = [("2024-05-01T00:00", "2024-05-01T00:02", "a"), ("1960-05-01T00:04", "1960-05-01T00:06", "b")]
    scores = rw.score_classes(real, real)
    assert scores.macro.f == 1.0
    assert scores.confusion.shares.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def test_onsets_of_a_table_are_seconds_as_in_score():
    """Lists of DCASE and BIDS, also if all their seconds are whole numbers."""
    events = {"onset": [0, 20], "offset": [10, 35]}
    lasting = {"onset": [0, 20], "duration": [10, 15], "trial_type": ["dog", "car"]}
    expected = rw.score_classes([(0.0, 10.0, "dog"), (20.0, 35.0, "car")], [(1.0, 10.0, "dog")])
    for table in (pl.DataFrame(events | {"event_label": ["dog", "car"]}), pd.DataFrame(lasting), pa.table(lasting)):
        scores = rw.score_classes(table, [(1.0, 10.0, "dog")])
        assert scores == expected
        assert scores.sides.real[0] == rw.Ranges(pl.DataFrame({"onset": [20], "offset": [35]}))


def test_touching_ranges_of_a_table_stay_apart():
    assert ranges_by_class([(0, 2, "a"), (2, 4, "a")]) == {"a": [(0, 2), (2, 4)]}


def test_names_of_accepts_one_name_or_several():
    assert names_of(None, "background") == ()
    assert names_of({"a"}, "background") == ("a",)
    assert names_of(np.array([1, 2, 1]), "background") == (1, 2)
    assert names_of(frozenset({3}), "background") == (3,)


@pytest.mark.parametrize(
    ("real", "predicted", "options", "error", "message"),
    [
        (["a", "b"], ["a"], {}, ValueError, "real has 2 points and predicted has 1"),
        (["a", None], ["a", "a"], {}, ValueError, r"real: class 1 is missing \(None\).*background="),
        (["a", float("nan")], ["a", "a"], {}, ValueError, "real: class 1 is missing"),
        ([1, float("nan")], [1, 1], {}, ValueError, r"real: class 1 is missing \(nan\)"),
        (["a", "a"], np.array([1.0, np.nan]), {}, ValueError, "predicted: class 1 is missing"),
        (["a", "a"], pd.Series(["a", None]), {}, ValueError, "predicted: class 1 is missing"),
        (["a", "a"], pd.Series(["a", None], dtype="category"), {}, ValueError, "predicted: class 1 is missing"),
        (["a", "a"], pl.Series(["a", None]), {}, ValueError, "predicted: class 1 is missing"),
        (["a", pd.NA], ["a", "a"], {}, ValueError, "real: class 1 is missing"),
        (np.ma.masked_array([1, 2], [False, True]), [1, 1], {}, ValueError, "real: class 1 is missing"),
        ([(0, 2, None)], [], {}, ValueError, "the class of range 0 is missing"),
        (["a", "b"], ["a", "b"], {"background": "c"}, ValueError, "background 'c' is not one of the classes; there are a, b"),
        (["idle", "b"], ["b", "b"], {"background": "idel"}, ValueError, "did you mean 'idle'"),
        (["a", "b"], ["a", "b"], {"background": [["a"]]}, TypeError, "can be hashed"),
        ({"a": [(0, 4), (3, 6)]}, {}, {}, ValueError, "real, class 'a': range 0 .* overlap"),
        ([(0, 4, "a"), (3, 6, "a")], [], {}, ValueError, "real, class 'a': range 0 .* overlap"),
        ([(0, 4, "a"), (5, 5, "a")], [], {}, ValueError, "stops after it starts"),
        ([["a"], ["b"]], ["a", "b"], {}, TypeError, r"real: class 0 is \['a'\].*hashed, not a list"),
        ([(0, 4, ["a"])], [], {}, TypeError, "the class of range 0 is"),
        (np.zeros((3, 2)), np.zeros((3, 2)), {}, ValueError, r"shape \(3, 2\).*rw.score_channels"),
        (np.array([1.5, 2.0]), [1, 2], {}, TypeError, "dtype float64; classes are text, integers"),
        ("aab", ["a"], {}, TypeError, "real is 'aab'; expected one class per point"),
        (None, ["a"], {}, TypeError, "real is None"),
        (5, ["a"], {}, TypeError, "real is 5"),
        (["a", "b"], ["a", "b"], {"classes": ["a"]}, ValueError, "class 'b' is not one of classes="),
        (["a", "b"], ["a", "b"], {"classes": "ab"}, TypeError, "classes must be a list"),
        (["a", "b"], ["a", "b"], {"classes": ["a", "b"], "background": "b"}, ValueError, "in both classes= and background="),
        (["a", "b"], {"a": [(0, 3)]}, {}, ValueError, "predicted has a range of class 'a' that stops at 3; there are 2 points"),
        ({"a": [0, 1], "b": [0, 1, 1]}, {}, {}, ValueError, "have 2, 3 labels"),
        (pl.DataFrame({"start": [0], "stop": [1]}), [], {}, ValueError, "'start', 'stop' and 'class'"),
        (["a"], [("2024-05-01T00:00", "2024-05-01T00:02", "a")], {}, ValueError, "rows and others in times.*times="),
        (pd.Series(["a", "b"]), pd.Series(["a", "b"], index=[1, 2]), {}, ValueError, "different indexes"),
    ],
)
def test_rejects_bad_input(real, predicted, options, error, message):
    with pytest.raises(error, match=message):
        read_class_sides(real, predicted, **options)


@pytest.mark.parametrize("metric", [rw.segmental_f1, rw.edit_score, rw.frame_accuracy, rw.macro_frame_f1])
def test_every_metric_accepts_triples(metric):
    real, predicted = [(0, 4, "walk"), (6, 9, "sit")], [(0, 4, "walk"), (6, 8, "sit")]
    assert (
        metric(real, real)
        == metric({"walk": [(0, 4)], "sit": [(6, 9)]}, real)
        == pytest.approx(metric([*"wwww--sss"], [*"wwww--sss"], background="-"))
    )
    assert metric(real, predicted) == pytest.approx(metric([*"wwww--sss"], [*"wwww--ss-"], background="-"))
    with pytest.raises(ValueError, match="overlap at 3; this metric counts points"):
        metric([(0, 4, "walk"), (3, 9, "sit")], real)
