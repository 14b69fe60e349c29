"""Series in batches of any size score like whole series, bit for bit."""

import pickle
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import pooled as naive
from rangewise import _kernel
from rangewise.many.batches import Columns
from rangewise.many.cluster import tree
from rangewise.many.gathered import BatchJob, Gathered, gather
from rangewise.model.tally import UNIT_BITS
from strategies import bias_pair, biases, cardinalities, cardinality_pair, series_tables

pytestmark = pytest.mark.kernel

as_points_options = st.sampled_from([None, "real", "predicted", "both"])


def half(own, overlap, bias):
    """A custom size function."""
    return (overlap[1] - overlap[0]) / (2 * (own[1] - own[0]))


@st.composite
def models(draw):
    return rw.RangeModel(
        alpha=draw(st.sampled_from([0.0, 0.3])),
        recall_bias=bias_pair(draw(biases))[0],
        precision_bias=bias_pair(draw(biases))[0],
        recall_cardinality=cardinality_pair(draw(cardinalities))[0],
        precision_cardinality=cardinality_pair(draw(cardinalities))[0],
        as_points=draw(as_points_options),
        size=draw(st.sampled_from([None, None, None, half])),
    )


def pickled(part):
    return pickle.loads(pickle.dumps(part))


def expected_tallies(table, model, column):
    return {name: model.tally(part["real"], part[column]) for (name,), part in table.group_by("name", maintain_order=True)}


@settings(max_examples=120)
@given(series_tables(), models(), st.lists(st.integers(1, 25), min_size=1, max_size=12))
def test_batches_joined_in_any_order_match_whole_series(table, model, sizes):
    cuts = np.minimum(np.cumsum([0, *sizes, len(table)]), len(table)).tolist()
    parts = [table[start:stop] for start, stop in pairwise(cuts)]
    columns, jobs = Columns(("name",), "real", ("a", "b")), (BatchJob("a", model), BatchJob("b", rw.early))
    in_sequence = gather(parts, columns, jobs)
    leaves = [pickled(gather(part, columns, jobs, goes_on=True)) for part in parts]
    in_a_tree = tree(leaves, lambda *some: Gathered.joined(some))
    in_pairs = reduce(lambda *pair: Gathered.joined(pair), leaves)
    for job in jobs:
        expected = expected_tallies(table, job.model, job.column)
        for all_scores in (in_sequence.scores(), in_a_tree.scores(), in_pairs.scores()):
            scores = all_scores[job.column, job.model]
            assert dict(zip(scores.names, scores.tallies, strict=True)) == expected
            assert list(scores.names) == list(expected)
            assert scores.pooled == sum(expected.values(), start=rw.Tally(job.model, 0, 0, 0, 0)).score()
            assert [(row.precision, row.recall, row.f) for row in scores.rows] == [
                (score.precision, score.recall, score.f) for score in (tally.score() for tally in expected.values())
            ]
    assert in_sequence.rows() == in_a_tree.rows() == len(table)
    assert len(parts) == 1 or len(in_a_tree.blocks) <= 1, "the memory of a worker grows with the number of batches"


@given(series_tables(), biases, cardinalities, as_points_options, st.sampled_from([0.0, 0.4]))
def test_pooled_scores_match_naive(table, bias, cardinality, as_points, alpha):
    arguments, equations = zip(cardinality_pair(cardinality), bias_pair(bias), strict=True)
    scores = rw.score_many(
        table, series="name", real="real", predicted="a",
        model=rw.RangeModel(alpha=alpha, cardinality=arguments[0], bias=arguments[1], as_points=as_points),
    )  # fmt: skip
    series = [(part["real"].to_list(), part["a"].to_list()) for _, part in table.group_by("name", maintain_order=True)]
    real, predicted = naive.rewards(series, alpha=alpha, recall=equations, precision=equations, as_points=as_points)
    assert scores.pooled.recall == approx(sum(real) / max(1, len(real)), abs=1e-12)
    assert scores.pooled.precision == approx(sum(predicted) / max(1, len(predicted)), abs=1e-12)


@given(st.lists(st.integers(0, 2**94), min_size=1, max_size=5), st.integers(1, 2**31))
def test_means_are_rounded_like_python(rewards, count):
    totals = [reward * count // 3 for reward in rewards]
    high, low = (np.array([total >> shift & (1 << 64) - 1 for total in totals], dtype=np.uint64) for shift in (64, 0))
    means = _kernel.mean_rewards(high, low, np.full(len(totals), count), 0.0)
    assert means.tolist() == [total / (count << UNIT_BITS) for total in totals]


@given(st.lists(st.integers(-2, 2), max_size=300), st.sampled_from([np.int8, np.uint16, np.int32, np.int64]), st.sampled_from([1, -1, 2]))
def test_series_borders(values, dtype, step):
    names = np.repeat(np.array(values, dtype=np.int64).astype(dtype), 3)[::step]
    changes = [at for at in range(1, len(names)) if names[at] != names[at - 1]]
    assert _kernel.series_borders(names).tolist() == ([0, *changes, len(names)] if len(names) else [0])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_series_borders_of_long_arrays(dtype):
    # Full blocks of eight-byte names are compared four at a time. Some of these names differ only in their upper half.
    draw = np.random.default_rng(3)
    values = draw.integers(0, 3, size=4000) << draw.choice([0, 31, 32, 62], size=4000)
    names = np.repeat(values, draw.integers(1, 9, size=4000)).astype(dtype)
    for length in (4095, 4096, 4097, 8192, len(names)):
        changes = (np.flatnonzero(np.diff(names[:length])) + 1).tolist()
        assert _kernel.series_borders(names[:length]).tolist() == [0, *changes, length]


@pytest.mark.parametrize("borders", [[], [0, 3], [1, 4], [0, 4, 4], [0, 5, 4]])
def test_rejects_bad_borders(borders):
    with pytest.raises(ValueError, match="rise from 0"):
        _kernel.find_series_ranges(np.zeros(4, dtype=np.uint8), np.array(borders, dtype=np.int64))
