"""``rw.score_channels``, and the errors of ``rw.score`` for channels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw

REAL = np.array([[0, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 1]])
PREDICTED = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 1, 1]])


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(1, 40), st.randoms(use_true_random=False))
def test_rows_are_scores_of_channels(channels, points, random):
    real, predicted = (np.array([[random.randrange(2) for _ in range(channels)] for _ in range(points)]) for _ in range(2))
    scores = rw.score_channels(real, predicted, model=rw.early)
    tallies = [rw.early.tally(real[:, at], predicted[:, at]) for at in range(channels)]
    assert scores.tallies == tuple(tallies)
    assert scores.pooled == sum(tallies).score()
    assert scores.macro == rw.macro(tallies)


def test_arrays_tables_and_mappings_agree():
    names = ["x", "y", "z"]
    scores = rw.score_channels(REAL, PREDICTED, names=names)
    assert scores.names == ("x", "y", "z")
    for make in (pl.DataFrame, pd.DataFrame, dict):
        sides = [make({name: side[:, at] for at, name in enumerate(names)}) for side in (REAL, PREDICTED)]
        assert rw.score_channels(*sides) == scores
    assert rw.score_channels(REAL.tolist(), PREDICTED.tolist()).names == (0, 1, 2)
    ranges = rw.score_channels({"x": [(1, 3)]}, {"x": [(1, 2)]})
    assert ranges.rows[0].recall == 0.5


def test_output_names_channels():
    scores = rw.score_channels(REAL, PREDICTED)
    assert str(scores).startswith("channel")
    assert "mean of channels" in scores.to_markdown()
    assert scores.to_csv().startswith("channel,precision,")
    assert repr(scores).startswith("ManyScores(3 channels, ")


@pytest.mark.parametrize(
    ("real", "predicted", "options", "error", "message"),
    [
        (REAL[:, 0], PREDICTED[:, 0], {}, ValueError, r"shape \(4,\); expected labels \(points, channels\).*rw.score"),
        (REAL, PREDICTED[:, :2], {}, ValueError, "real has a channel 2 that predicted lacks; it has 0, 1"),
        (REAL[:, :2], PREDICTED, {}, ValueError, "predicted has a channel 2 that real lacks"),
        (REAL, PREDICTED[:3], {}, ValueError, "channel 0: real has 4 labels and predicted has 3"),
        (REAL * 2, PREDICTED, {}, ValueError, "channel 0: real: label 1 is 2"),
        (REAL, PREDICTED, {"names": ["a", "b"]}, ValueError, "3 channels and there are 2 names"),
        ({"a": [0, 1]}, {"a": [0, 1]}, {"names": ["a"]}, ValueError, "a mapping, which already names its channels"),
        (REAL, PREDICTED, {"model": "early"}, TypeError, "model must be a RangeModel"),
        ([[0, 1], [1]], PREDICTED, {}, ValueError, "real is ragged"),
    ],
)
def test_rejects_bad_input(real, predicted, options, error, message):
    with pytest.raises(error, match=message):
        rw.score_channels(real, predicted, **options)


@pytest.mark.parametrize("side", [REAL, REAL[:, :2], REAL[:, :2].astype(bool), REAL[:, :2].astype(float), [[0, 1], [0, 1]]])
def test_score_refers_channels_to_score_channels(side):
    with pytest.raises((ValueError, TypeError), match=r"rw\.score_channels"):
        rw.score(side, side)


def test_score_of_one_column_and_of_bad_pairs_gives_other_errors():
    with pytest.raises(ValueError, match=r"give one dimension, e.g. with .ravel\(\)"):
        rw.score(REAL[:, :1], REAL[:, :1])
    with pytest.raises(ValueError, match=r"is \[5, 5\); a range \[start, stop\) .*from_inclusive\)$"):
        rw.score([(5, 5), (7, 8)], [])


@pytest.mark.parametrize(
    "options", [{"ignore": [(3, 6)]}, {"close_gaps": 2}, {"ignore": [(0, 2)], "close_gaps": 1}, {"length": 12}], ids=str
)
def test_input_options_apply_to_every_channel(options):
    rng = np.random.default_rng(0)
    real, predicted = (rng.random((12, 3)) < 0.5 for _ in range(2))
    if "length" in options:
        real, predicted = ({name: rw.Ranges.from_labels(side[:, name]) for name in range(3)} for side in (real, predicted))
    scores = rw.score_channels(real, predicted, **options)
    each = lambda side, channel: side[channel] if isinstance(side, dict) else side[:, channel]  # noqa: E731
    binary = [rw.score(each(real, channel), each(predicted, channel), **options) for channel in range(3)]
    assert scores.recall.tolist() == [score.recall for score in binary]
    assert scores.precision.tolist() == [score.precision for score in binary]
    if "ignore" in options:
        assert scores.ignored.real.split == sum(score.ignored.real.split for score in binary)
        assert scores.ignored.predicted.removed == sum(score.ignored.predicted.removed for score in binary)


def test_refuses_options_that_do_not_add_up_or_do_not_exist():
    with pytest.raises(TypeError, match="score_channels does not support weights="):
        rw.score_channels([[0], [1]], [[0], [1]], weights=[1.0])
    with pytest.raises(TypeError, match="did you mean 'ignore'"):
        rw.score_channels([[0], [1]], [[0], [1]], ignored=[(0, 1)])
