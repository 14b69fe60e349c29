"""Each class is scored exactly like a binary score against the rest."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import classes as naive
from naive import model as naive_model
from strategies import built_in_models, class_pairs, labels, overlapping_classes, side_pairs

NAMES = {"a": "walk", "b": "run", "c": "swim", "-": "idle"}


def same(one, other):
    """Equal to the last bit; nan equals nan."""
    return all(x == y or (math.isnan(x) and math.isnan(y)) for x, y in zip(one, other, strict=True))


def three(score):
    return score.precision, score.recall, score.f


@pytest.mark.kernel
@settings(max_examples=60)
@given(labels(), labels(), built_in_models())
def test_one_class_on_background_is_the_binary_score(real, predicted, model):
    length = min(len(real), len(predicted))
    real, predicted = np.array(real[:length], dtype=int), np.array(predicted[:length], dtype=int)
    binary = model.score(real, predicted)
    scores = rw.score_classes(real, predicted, background=0 if 0 in {*real, *predicted} else None, classes=[1], model=model)
    assert same(three(scores.rows[0]), three(binary))
    assert same(three(scores.micro), three(binary))
    assert same(three(scores[1]), three(binary))
    if real.any():
        assert same(three(scores.macro), three(binary))
        assert three(scores.weighted) == pytest.approx(three(binary), nan_ok=True)


@pytest.mark.kernel
@settings(max_examples=60)
@given(side_pairs(), built_in_models())
def test_one_class_of_ranges_is_the_binary_score(sides, model):
    scores = rw.score_classes({"x": sides[0]}, {"x": sides[1]}, model=model)
    assert same(three(scores.rows[0]), three(model.score(*sides)))
    assert same(three(scores.micro), three(model.score(*sides)))


@pytest.mark.kernel
@settings(max_examples=60)
@given(class_pairs())
def test_every_row_matches_naive(sides):
    scores = rw.score_classes(*sides)
    real, predicted = (naive.by_class(side) for side in sides)
    for row in scores.rows:
        own_real, own_predicted = real.get(row.name, []), predicted.get(row.name, [])
        assert three(row) == pytest.approx(naive_model.score(own_real, own_predicted))
        assert (row.real_ranges, row.predicted_ranges) == (len(own_real), len(own_predicted))


@pytest.mark.kernel
@settings(max_examples=50)
@given(class_pairs(), built_in_models(), st.permutations("abc-"))
def test_renaming_classes_changes_only_the_order(sides, model, order):
    renamed = dict(zip("abc-", order, strict=True))
    scores = rw.score_classes(*sides, model=model)
    other = rw.score_classes(*([renamed[name] for name in side] for side in sides), model=model)
    for name in scores.classes:
        assert same(three(scores[name]), three(other[renamed[name]]))
    for average in ("macro", "micro", "weighted", "weighted_by_points"):
        assert three(getattr(scores, average)) == pytest.approx(three(getattr(other, average)), nan_ok=True, rel=1e-12)
    expected_shares = {
        (str(row), str(column)): value
        for row, shares in zip(scores.confusion.real, scores.confusion.shares.tolist(), strict=True)
        for column, value in zip((*scores.classes, None), shares, strict=True)
    }
    renamed_shares = {
        (row, column): value
        for row, shares in zip(other.confusion.real, other.confusion.shares.tolist(), strict=True)
        for column, value in zip((*other.classes, None), shares, strict=True)
    }
    for (row, column), value in expected_shares.items():
        assert renamed_shares[renamed[row], renamed.get(column)] == pytest.approx(value, abs=1e-12)


@settings(max_examples=50)
@given(class_pairs())
def test_points_tables_and_ranges_by_class_score_alike(sides):
    by_class = [naive.by_class(side) for side in sides]
    triples = [[(start, stop, name) for name, start, stop in naive.runs(side)] for side in sides]
    expected = rw.score_classes(*sides)
    assert rw.score_classes(*by_class) == rw.score_classes(*triples) == expected


@settings(max_examples=60)
@given(overlapping_classes())
def test_overlapping_classes_are_scored_independently(sides):
    scores = rw.score_classes(*sides)
    for name in scores.classes:
        assert three(scores[name]) == three(rw.score(*(side.get(name, []) for side in sides)))


def test_a_model_for_each_class():
    real, predicted = {"a": [(0, 4)], "b": [(6, 10)]}, {"a": [(2, 4)], "b": [(8, 10)]}
    scores = rw.score_classes(real, predicted, model={"b": rw.RangeModel(recall_bias="front")})
    assert (scores["a"].recall, scores["b"].recall) == (0.5, pytest.approx(0.3))
    assert scores.micro.recall == pytest.approx(0.4)
    # The confusion of a class uses the bias of its own model.
    assert scores.confusion.shares[1].tolist() == pytest.approx([0.0, 0.3, 0.7])


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        ({"c": rw.RangeModel()}, ValueError, "model has 'c', which is not one of the classes; there are a, b"),
        ({"a": "early"}, TypeError, "the model of class 'a' is 'early'; expected a RangeModel"),
        ("early", TypeError, "model is a RangeModel or"),
        ({"a": rw.RangeModel(beta=2.0)}, ValueError, "one beta and one zero_division"),
        ({"a": rw.RangeModel(zero_division=math.nan)}, ValueError, "one beta and one zero_division"),
    ],
)
def test_rejects_bad_models(model, error, message):
    with pytest.raises(error, match=message):
        rw.score_classes(["a", "b"], ["a", "b"], model=model)


@settings(max_examples=100)
@given(class_pairs(), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=4), built_in_models())
def test_ignored_intervals_mean_the_same_as_in_a_binary_score(pair, intervals, model):
    real, predicted = pair
    ignore = rw.Ranges.joined([(start, min(start + size, len(real))) for start, size in intervals if start < len(real)])
    if int(ignore.lengths.sum()) == len(real):
        return  # refused: nothing would be left
    scores = rw.score_classes(real, predicted, model=model, ignore=ignore)
    for name in scores.classes:
        own, others = ([int(each == name) for each in side] for side in (real, predicted))
        binary = model.score(own, others, ignore=ignore)
        assert same(three(scores[name]), three(binary))
        assert scores[name].alert_rate == binary.alert_rate
        assert str(scores[name].ignored) == str(binary.ignored)
        assert [row.reward for row in scores[name].real] == [row.reward for row in binary.real]
    for shares in scores.confusion.shares:
        assert sum(shares) == pytest.approx(1.0)


def test_ignored_intervals_are_counted_over_all_classes():
    real, predicted = ["a"] * 6 + ["b"] * 6, ["a"] * 4 + ["b"] * 8
    scores = rw.score_classes(real, predicted, ignore=[(2, 3), (5, 8)])
    assert str(scores.ignored) == ("2 intervals; real ranges: 1 shortened, 0 removed, 1 split; predicted: 0 shortened, 0 removed, 2 split")
    assert f"ignored: {scores.ignored}" in str(scores)
    assert scores.to_dict()["ignored"]["real"] == {"shortened": 1, "removed": 0, "split": 1}
    assert "ignored" not in rw.score_classes(real, predicted).to_dict()


@pytest.mark.parametrize(
    ("ignore", "message"),
    [
        ([(0, 12)], "nothing is left to score"),
        ([0, 1, 0], "ignore has 3 labels, but the series has 12 points"),
        ([("2024-05-01T00:00", "2024-05-01T01:00")], "ignore is in times, but the sides are in rows"),
    ],
)
def test_refuses_ignored_intervals_that_do_not_fit(ignore, message):
    with pytest.raises(ValueError, match=message):
        rw.score_classes(["a"] * 6 + ["b"] * 6, ["a"] * 4 + ["b"] * 8, ignore=ignore)


def test_ignored_intervals_in_times():
    """On a clock, and as rows of ``times``."""

    def minute(number):
        return np.datetime64("2024-05-01") + np.timedelta64(number, "m")

    real, predicted = [(minute(0), minute(6), "a")], [(minute(2), minute(5), "a"), (minute(8), minute(9), "a")]
    ignore = [(minute(0), minute(2)), (minute(8), minute(10))]
    scores = rw.score_classes(real, predicted, ignore=ignore)
    assert three(scores["a"]) == (1.0, 0.75, pytest.approx(6 / 7))
    labels = ["-"] * 2 + ["a"] * 3 + ["-"] * 3 + ["a"] + ["-"]
    of_rows = rw.score_classes(real, labels, background="-", times=minute(0) + np.arange(10) * np.timedelta64(1, "m"), ignore=ignore)
    assert three(of_rows["a"]) == three(scores["a"])
