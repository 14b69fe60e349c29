import copy
import pickle
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from strategies import bias_pair, biases, cardinalities, cardinality_pair, precision_weights, quadratic, steep

pytestmark = pytest.mark.kernel

points = st.sampled_from([None, None, "real", "predicted", "both"])


@st.composite
def chunked_labels(draw):
    """Real and predicted labels in runs, and the borders of chunks; a chunk may be empty or lie inside one range."""
    runs = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 9)), min_size=1, max_size=14)
    sides = [[label for label, count in draw(runs) for _ in range(count)] for _ in range(2)]
    length = min(map(len, sides))
    cuts = sorted(draw(st.lists(st.integers(0, length), max_size=8)))
    borders = [0, *cuts, length]
    return [side[:length] for side in sides], list(pairwise(borders))


@st.composite
def models(draw):
    return rw.RangeModel(
        alpha=draw(st.sampled_from([0.0, 0.4])),
        recall_bias=bias_pair(draw(biases))[0],
        precision_bias=bias_pair(draw(biases))[0],
        recall_cardinality=cardinality_pair(draw(cardinalities))[0],
        precision_cardinality=cardinality_pair(draw(cardinalities))[0],
        as_points=draw(points),
        precision_weight=draw(precision_weights),
    )


@given(chunked_labels(), models())
def test_chunks_do_not_change_the_score(case, model):
    (real, predicted), chunks = case
    stream = rw.Stream(model)
    for start, stop in chunks:
        stream.update(real[start:stop], predicted[start:stop])
        assert stream.score() == model.tally(real[:stop], predicted[:stop]).score()
    assert len(stream) == len(real)
    assert stream.tally() == model.tally(real, predicted)


@given(chunked_labels(), models(), st.randoms())
def test_neighbors_join_in_any_grouping(case, model, random):
    (real, predicted), chunks = case
    parts = [rw.Stream(model).update(real[start:stop], predicted[start:stop]) for start, stop in chunks]
    while len(parts) > 1:
        at = random.randrange(len(parts) - 1)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    assert parts[0].tally() == model.tally(real, predicted)


@given(chunked_labels())
def test_joining_does_not_change_the_parts(case):
    (real, predicted), chunks = case
    parts = [rw.Stream(rw.unfragmented).update(real[start:stop], predicted[start:stop]) for start, stop in chunks]
    before = [part.tally() for part in parts]
    joined = rw.Stream(rw.unfragmented)
    for part in parts:
        joined = joined + part
        joined.score()
    joined.update([1], [1])
    assert [part.tally() for part in parts] == before


def test_user_defined_size():
    model = rw.RangeModel(size=lambda own, overlap, bias: (overlap[1] - overlap[0]) ** 2 / (own[1] - own[0]) ** 2, as_points=None)
    real, predicted = [0, 1, 1, 1, 1, 1, 0, 1], [1, 1, 1, 0, 1, 1, 1, 1]
    stream = rw.Stream(model)
    for start in range(0, 8, 3):
        stream.update(real[start : start + 3], predicted[start : start + 3])
    assert stream.tally() == model.tally(real, predicted)


def test_ranges_as_chunks():
    stream = rw.Stream().update([(8, 10)], [(7, 9)], length=10).update([(0, 2)], rw.Ranges(), length=5)
    assert stream.tally() == rw.RangeModel().tally([(8, 12)], [(7, 9)])


def test_scores_as_chunks():
    rng = np.random.default_rng(0)
    real, scores = rng.random(1000) < 0.3, rng.random(1000)
    stream = rw.Stream(rw.early)
    for start in range(0, 1000, 77):
        stream.update_scores(real[start : start + 77], scores[start : start + 77], threshold=0.6)
    assert stream.tally() == rw.early.tally(real, scores >= 0.6)


def test_options_of_chunks_of_scores():
    stream = rw.Stream()
    with pytest.raises(TypeError, match="a stream does not support close_gaps="):
        stream.update_scores([0, 1, 0], [0.1, 0.9, 0.1], threshold=0.5, close_gaps=1)
    # A chunk that is ignored completely does not change the score.
    stream.update_scores([0, 1, 0], [0.1, 0.9, 0.1], threshold=0.5).update_scores([1, 1], [0.0, 0.0], threshold=0.5, ignore=[1, 1])
    assert (len(stream), stream.score().f) == (5, 1.0)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("timed", [False, True])
def test_chunks_with_missing_scores_are_the_series_with_them(size, timed):
    rng = np.random.default_rng(1)
    real, scores = rng.random(40) < 0.4, rng.random(40)
    scores[rng.random(40) < 0.3] = np.nan
    scores[10:16] = np.nan
    times = np.datetime64("2024-05-01T00:00") + np.arange(40)
    stream = rw.Stream(rw.early)
    for start in range(0, 40, size):
        chunk = slice(start, start + size)
        own = {"times": times[chunk]} if timed else {}
        stream.update_scores(real[chunk], scores[chunk], threshold=0.5, missing="ignore", **own)
    assert stream.tally() == rw.early.tally(rw.Case.read(real, scores=scores, missing="ignore").at(0.5))
    with pytest.raises(TypeError, match="a stream does not support missing='lowest', because the lowest score"):
        stream.update_scores(real, scores, threshold=0.5, missing="lowest")


def test_memory_does_not_grow_with_the_points():
    rng = np.random.default_rng(0)
    stream = rw.Stream(rw.unfragmented)
    sizes = []
    for _ in range(50):
        stream.update(rng.random(2000) < 0.3, rng.random(2000) < 0.3)
        sizes.append(len(pickle.dumps(stream)))
    assert max(sizes) < 3 * min(sizes)


def test_range_over_many_chunks():
    stream = rw.Stream(rw.unfragmented)
    for _ in range(200):
        stream.update(np.ones(10), np.tile([1, 0], 5))
    assert stream.tally() == rw.unfragmented.tally(np.ones(2000), np.tile([1, 0], 1000))


def test_points_of_huge_chunks_are_counted_exactly():
    model, half = rw.RangeModel(as_points="both"), 2**61
    stream = rw.Stream(model).update([(1, half)], [(0, half - 2)], length=half).update([(0, half)], [(5, half)], length=half)
    assert stream.tally() == model.tally([(1, 2 * half)], [(0, half - 2), (half + 5, 2 * half)])
    assert stream.score().recall == (2 * half - 8) / (2 * half - 1)


@given(chunked_labels(), models(), st.integers(0, 8))
def test_copies_are_independent(case, model, at):
    (real, predicted), chunks = case
    stream = rw.Stream(model)
    for start, stop in chunks[:at]:
        stream.update(real[start:stop], predicted[start:stop])
    before, seen = stream.tally(), len(stream)
    for copied in (copy.copy(stream), copy.deepcopy(stream), pickle.loads(pickle.dumps(stream)), stream + rw.Stream(model)):
        copied.update([1, 0, 1], [1, 1, 0]).update([1], [1])
        assert copied.tally() == model.tally([*real[:seen], 1, 0, 1, 1], [*predicted[:seen], 1, 1, 0, 1])
        assert stream.tally() == before
    for start, stop in chunks[at:]:
        stream.update(real[start:stop], predicted[start:stop])
    assert stream.tally() == model.tally(real, predicted)


def test_copies_of_an_open_range_are_independent():
    # The real range is open when the stream is copied; then both streams append different pieces to it.
    model = rw.RangeModel(cardinality="reciprocal")
    stream = rw.Stream(model)
    for _ in range(6):
        stream.update([1, 1, 1, 1], [1, 0, 1, 0])
    copied = copy.copy(stream)
    for _ in range(6):
        stream.update([1, 1, 1, 1], [0, 1, 0, 0])
        copied.update([1, 1, 1, 1], [1, 0, 0, 1])
    assert stream.tally() == model.tally([1] * 48, [1, 0, 1, 0] * 6 + [0, 1, 0, 0] * 6)
    assert copied.tally() == model.tally([1] * 48, [1, 0, 1, 0] * 6 + [1, 0, 0, 1] * 6)


@pytest.mark.parametrize("interrupt", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("side", ["recall_bias", "precision_bias", "recall_cardinality", "precision_cardinality"])
@pytest.mark.parametrize("chunk", [([1, 0, 1, 1, 1, 0], [1, 0, 1, 0, 1, 0]), ([1, 0], [1, 0])], ids=["inside", "at the border"])
def test_failed_update_changes_nothing(interrupt, side, chunk):
    fails = False

    def raising(function):
        def wrapper(*arguments):
            if fails:
                raise interrupt
            return function(*arguments)

        return wrapper

    model = rw.RangeModel(**{side: raising(quadratic if side.endswith("cardinality") else steep)})
    first = [0, 1, 1, 1], [0, 1, 0, 1]
    parts = [first, chunk] if side.startswith("recall") else [first[::-1], chunk[::-1]]
    stream = rw.Stream(model).update(*parts[0])
    before = stream.tally()
    fails = True
    with pytest.raises(interrupt):
        stream.update(*parts[1])
    fails = False
    assert (len(stream), stream.tally()) == (4, before)
    stream.update(*parts[1])
    assert stream.tally() == model.tally(*([*one, *other] for one, other in zip(*parts, strict=True)))


def test_update_does_not_copy_the_open_range():
    # Measured in bytes that an update allocates, not in seconds: a copy of the open range would grow with the number of chunks.
    stream = rw.Stream(rw.unfragmented)
    chunks, allocated = 3_000, []
    for index in range(chunks):
        if index == chunks - 20:
            tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        stream.update([(0, 4)], [(0, 1), (2, 3)], length=4)
        allocated.append(tracemalloc.get_traced_memory()[1] - before)
    tracemalloc.stop()
    assert sorted(allocated[-20:])[10] < 8 * chunks / 3
    starts = np.arange(0, 4 * chunks, 2)
    assert stream.tally() == rw.unfragmented.tally([(0, 4 * chunks)], np.column_stack([starts, starts + 1]))


def test_empty_chunk_counts_its_points():
    stream = rw.Stream().update([0, 1], [0, 1]).update([], [], length=5).update([1], [1])
    assert len(stream) == 8
    assert stream.tally() == rw.RangeModel().tally([(1, 2), (7, 8)], [(1, 2), (7, 8)])


def test_empty_stream():
    assert rw.Stream().score().f == 0.0
    assert (rw.Stream() + rw.Stream().update([], [])).tally() == rw.RangeModel().tally([], [])


def test_rejects_bad_input():
    with pytest.raises(ValueError, match="real has 2 labels and predicted has 3"):
        rw.Stream().update([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="give length="):
        rw.Stream().update([(0, 1)], [(0, 1)])
    with pytest.raises(ValueError, match="stops at 9"):
        rw.Stream().update([(0, 9)], [0, 1])
    with pytest.raises(ValueError, match="score 1 is nan"):
        rw.Stream().update_scores([0, 1], [0.5, float("nan")], threshold=0.5)
    with pytest.raises(ValueError, match="different models"):
        rw.Stream(rw.early) + rw.Stream(rw.late)
    with pytest.raises(TypeError):
        rw.Stream() + 3


def test_rejects_the_name_of_a_model():
    with pytest.raises(TypeError, match=r"model must be a RangeModel, such as rw\.early; got 'early'"):
        rw.Stream("early")


@pytest.mark.parametrize(
    "sides",
    [
        ([("2024-05-01", "2024-05-02")], [("2025-05-01", "2025-05-02")]),
        ([("2024-05-01", "2024-05-02")], [(0, 10)]),
        ([(0.0, 10.0)], [(0.0, 10.0)]),
        (rw.Ranges([("2024-05-01", "2024-05-02")]), rw.Ranges([("2025-05-01", "2025-05-02")])),
    ],
)
def test_rejects_times(sides):
    for options in ({}, {"length": 10}):
        stream = rw.Stream()
        with pytest.raises(ValueError, match="times"):
            stream.update(*sides, **options)
        assert len(stream) == 0
