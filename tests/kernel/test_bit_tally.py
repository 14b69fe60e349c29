"""Labels as bits: they give the same sums as ranges, bit for bit, and the ranges on request."""

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import model as naive
from rangewise import _kernel
from rangewise.inputs.ranges import read_side
from rangewise.model.rewards import both_rewards
from strategies import cardinality_names, cardinality_pair, labels

pytestmark = pytest.mark.kernel

WORD, BLOCK = 64, 4096
# From this length on, short ranges are counted instead of divided one by one.
COUNTED = 1024 * WORD


def rule(cardinality="one", alpha=0.0):
    return _kernel.Rule(bias=_kernel.Bias.flat, cardinality=_kernel.Cardinality[cardinality], alpha=alpha, as_points=False)


RULES = [(rule(), rule()), (rule(alpha=0.25), rule("reciprocal")), (rule("consistent", 1 / 3), rule())]


def assert_same_sums(real, predicted):
    bounds = _kernel.find_ranges(real), _kernel.find_ranges(predicted)
    bits = _kernel.LabelBits(real), _kernel.LabelBits(predicted)
    for rules in RULES:
        assert _kernel.tally_bits(*bits, *rules) == (*_kernel.tally(*bounds, *rules), *map(len, bounds))
    for own, expected in zip(bits, bounds, strict=True):
        assert own.ranges().tolist() == expected.tolist()


def runs(draw, length, longest):
    """Labels in runs of up to ``longest`` labels."""
    edges = np.cumsum(draw.integers(1, longest + 1, size=length))
    return (np.searchsorted(edges, np.arange(length), side="right") % 2).astype(np.uint8)


@given(labels(), labels(), cardinality_names, cardinality_names, st.sampled_from([0.0, 0.25, 1.0]))
def test_matches_naive(real, predicted, recall_cardinality, precision_cardinality, alpha):
    length = max(len(real), len(predicted), 1)
    real, predicted = (np.array(side + [0] * (length - len(side)), dtype=np.int64) for side in (real, predicted))
    model = rw.RangeModel(alpha=alpha, recall_cardinality=recall_cardinality, precision_cardinality=precision_cardinality)
    score = model.score(real, predicted)
    assert score._sides[0]._bits is not None
    assert score._sides[1]._bits is not None
    ranges = [naive.ranges_of(side.tolist()) for side in (real, predicted)]
    gammas = [cardinality_pair(name)[1] for name in (recall_cardinality, precision_cardinality)]
    expected = naive.score(*ranges, alpha=alpha, recall=(gammas[0], naive.flat), precision=(gammas[1], naive.flat))
    assert (score.precision, score.recall, score.f) == approx(expected, rel=0, abs=1e-12)
    assert model.tally(real, predicted) == model.tally(*map(rw.Ranges, ranges))


@given(labels(), labels())
def test_sides_of_different_lengths(real, predicted):
    assert_same_sums(np.array(real, dtype=np.uint8), np.array(predicted, dtype=np.uint8))


@pytest.mark.parametrize("length", [0, 1, *(size + by for size in (WORD, BLOCK, COUNTED, COUNTED + BLOCK) for by in (-1, 0, 1))])
@pytest.mark.parametrize("longest", [1, 2, 9, 31, 40, 200, 3 * BLOCK])
def test_runs_of_every_length(length, longest):
    draw = np.random.default_rng(length + longest)
    real, predicted = runs(draw, length, longest), runs(draw, length, longest)
    assert_same_sums(real, predicted)
    assert_same_sums(real, real)
    assert_same_sums(real, 1 - real)
    assert_same_sums(real, np.zeros_like(real))
    assert_same_sums(np.ones_like(real), predicted)


@pytest.mark.parametrize("length", [WORD, BLOCK, COUNTED + 100])
def test_short_and_long_ranges_together(length):
    draw = np.random.default_rng(length)
    real, predicted = runs(draw, length, 5), runs(draw, length, 5)
    # Lengths around the longest range that is counted.
    for place, size in ((0, 31), (length // 2, 32), (length - 33, 33)):
        real[max(place - 1, 0) : place + size + 1] = 0
        real[place : place + size] = 1
    assert_same_sums(real, predicted)
    predicted[length // 4 : length - length // 4] = 1
    assert_same_sums(real, predicted)


@pytest.mark.parametrize("seed", range(12))
def test_stretches_of_every_density(seed):
    # Blocks of short, dense ranges are counted in another way than the blocks around them; ranges cross the borders between them.
    draw = np.random.default_rng(seed)
    kinds = [[4], [9, 14], [2, 9, 17, 31, 33], [6, 40, 1000, 3 * BLOCK]][seed % 4]
    sides = []
    for _ in range(2):
        stretches = []
        while sum(map(len, stretches)) < COUNTED + 8 * BLOCK:
            stretches.append(runs(draw, draw.integers(1, 4 * BLOCK), draw.choice(kinds)))
        sides.append(np.concatenate(stretches)[: COUNTED + 8 * BLOCK - seed])
    assert_same_sums(*sides)
    assert_same_sums(sides[0], sides[1][:-BLOCK])


@pytest.mark.parametrize("size", [1, 2, 14, 15, 16, 17, 29, 30, 31, 32, 33, 64, 65])
@pytest.mark.parametrize("place", [0, 1, 31, 32, 33, 63])
def test_ranges_at_borders_of_blocks(size, place):
    for around in (5, 9):
        draw = np.random.default_rng(size)
        real, predicted = runs(draw, COUNTED + 3 * BLOCK, around), runs(draw, COUNTED + 3 * BLOCK, around)
        for block in range(0, COUNTED, BLOCK):
            start = max(block + place - size, 1)
            real[start - 1 : start + size + 1] = 0
            real[start : start + size] = 1
        assert_same_sums(real, predicted)


@pytest.mark.parametrize("dtype", ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_labels_of_every_dtype_and_stride(dtype, step):
    draw = np.random.default_rng(7)
    real, predicted = (runs(draw, 2 * COUNTED, 12).astype(dtype)[::step] for _ in range(2))
    assert_same_sums(real, predicted)
    score, expected = rw.score(real, predicted), rw.score(*map(rw.Ranges, map(_kernel.find_ranges, (real, predicted))))
    assert score._sides[0]._bits is not None
    assert (score.recall, score.precision, score.f) == (expected.recall, expected.precision, expected.f)


@pytest.mark.parametrize("length", [10, 3 * COUNTED])
def test_errors_name_the_invalid_label(length):
    real = runs(np.random.default_rng(3), length, 9)
    predicted = real.astype(np.int64)
    predicted[[length - 2, length - 1]] = 2
    with pytest.raises(ValueError, match=f"^predicted: label {length - 2} is 2; labels are 0 or 1$"):
        rw.score(real, predicted)
    with pytest.raises(ValueError, match=f"^real has {length} labels and predicted has {length + 1}; both sides describe the same points"):
        rw.score(real, np.append(real, 0))


def test_labels_on_several_threads():
    draw = np.random.default_rng(5)
    for length in (0, 5, BLOCK, 5 * BLOCK, 5 * BLOCK + 7):
        real = runs(draw, length, 300)
        expected = naive.ranges_of(real.tolist())
        for threads in (2, 3):
            assert _kernel.LabelBits(real, threads).ranges().tolist() == [list(pair) for pair in expected]


@pytest.mark.parametrize(
    "other",
    [
        {"bias": _kernel.Bias.front},
        {"as_points": True},
        {"weigh_by_length": True},
        {"cardinality": _kernel.Cardinality.each, "factors": np.zeros(1)},
    ],
)
def test_rejects_rules_that_need_ranges(other):
    bits = _kernel.LabelBits(np.ones(3, dtype=np.uint8))
    plain = {"bias": _kernel.Bias.flat, "cardinality": _kernel.Cardinality.one, "alpha": 0.0, "as_points": False}
    for rules in ((rule(), _kernel.Rule(**plain | other)), (_kernel.Rule(**plain | other), rule())):
        with pytest.raises(ValueError, match="flat bias"):
            _kernel.tally_bits(bits, bits, *rules)


def bits_of(labels):
    return read_side(labels, "real", bits=True)[0]._bits


def test_bits_are_kept_unless_they_take_much_more_memory_than_the_ranges():
    assert bits_of(np.zeros(BLOCK, dtype=np.uint8)) is not None
    sparse, dense = np.zeros((2, 100 * BLOCK), dtype=np.uint8)
    sparse[::2000] = 1
    dense[::20] = 1
    assert bits_of(sparse) is None
    assert bits_of(dense) is not None
    # One side as bits and one as ranges.
    model = rw.RangeModel()
    assert model.tally(sparse, dense) == model.tally(*map(rw.Ranges, map(_kernel.find_ranges, (sparse, dense))))


def test_only_models_that_score_bits_keep_them():
    sides = [0, 1, 1, 0], [0, 0, 1, 1]
    assert rw.score(*sides)._sides[0]._bits is not None
    for other in (
        {"bias": "front"},
        {"precision_bias": "back"},
        {"as_points": "real"},
        {"precision_weight": "length"},
        {"cardinality": lambda x: 0.5},
    ):
        assert rw.score(*sides, **other)._sides[0]._bits is None
        # A model that does not score bits uses the ranges.
        model = rw.RangeModel(**other)
        assert both_rewards(model, *(read_side(side, "real", bits=True)[0] for side in sides)) == both_rewards(
            model, *map(rw.as_ranges, sides)
        )


class TestRangesOfBits:
    LABELS = np.array([0, 1, 1, 0, 1], dtype=np.uint8)

    def ranges(self):
        return read_side(self.LABELS, "real", bits=True)[0]

    def test_equal_the_ranges_of_the_labels(self):
        ranges = self.ranges()
        assert repr(ranges) == "Ranges([(1, 3), (4, 5)])"
        assert (len(ranges), ranges[1]) == (2, (4, 5))
        assert ranges == rw.Ranges([(1, 3), (4, 5)])
        assert hash(self.ranges()) == hash(ranges)
        assert not ranges.starts.flags.writeable

    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda ranges: pickle.loads(pickle.dumps(ranges))])
    def test_copies_are_equal(self, copied):
        assert copied(self.ranges()) == self.ranges()

    def test_are_immutable(self):
        ranges = self.ranges()
        with pytest.raises(AttributeError, match="immutable"):
            ranges._bits = None
        with pytest.raises(AttributeError, match="'Ranges' object has no attribute 'start'"):
            ranges.start  # noqa: B018

    def test_later_changes_of_the_labels_do_not_matter(self):
        array = self.LABELS.copy()
        score = rw.score(array, array)
        array[:] = 1 - array
        assert score._sides[0] == self.ranges()

    def test_threads_may_request_ranges_at_once(self):
        array = runs(np.random.default_rng(1), 50 * BLOCK, 9)
        expected = _kernel.find_ranges(array).tolist()
        ranges, start = read_side(array, "real", bits=True)[0], threading.Barrier(4)

        def bounds(_):
            start.wait()
            return np.asarray(ranges).tolist()

        with ThreadPoolExecutor(4) as pool:
            assert all(result == expected for result in pool.map(bounds, range(4)))
