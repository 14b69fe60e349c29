import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from strategies import side_pairs


@given(sides=side_pairs(), data=st.data())
def test_weighted_recall_is_the_weighted_mean_of_rewards(sides, data):
    real, predicted = sides
    weights = data.draw(
        st.lists(st.sampled_from([0.0, 0.5, 1, 3]), min_size=len(real), max_size=len(real)).filter(lambda drawn: not drawn or any(drawn))
    )
    order = data.draw(st.permutations(range(len(real))))
    model = rw.RangeModel(alpha=0.25, recall_bias="back")
    score = model.score([real[at] for at in order], predicted, weights=[weights[at] for at in order])
    plain = model.score(real, predicted)
    rewards = plain.real.reward
    expected = sum(w * r for w, r in zip(weights, rewards, strict=True)) / sum(weights) if len(real) else 0.0
    assert score.recall == pytest.approx(expected)
    assert score.precision == plain.precision
    if len(real):
        assert score.real.weight.tolist() == weights


def test_ranges_cut_by_ignored_intervals_keep_their_weights():
    score = rw.score([(20, 30), (0, 10)], [(0, 2)], weights=[1, 4], ignore=[(4, 6)])
    assert score.real.weight.tolist() == [4, 4, 1]
    assert score.recall == pytest.approx((4 * 0.5) / 9)
    assert "(weight 4)" in score.explain()


def test_weights_may_be_a_column_of_the_table():
    table = pd.DataFrame({"start": [20, 0], "stop": [30, 10], "severity": [1, 3]})
    assert rw.score(table, [(0, 10)], weights="severity").recall == 0.75
    with pytest.raises(ValueError, match="is not a column of the real side; it has start, stop, severity"):
        rw.score(table, [(0, 10)], weights="severty")
    with pytest.raises(ValueError, match="which is not a table"):
        rw.score([(0, 4)], [(0, 4)], weights="severity")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "1 real ranges but 2 weights"),
        ([-1], "0 or more"),
        ([math.nan], "finite"),
        ([0], "all weights are 0"),
        ([[1]], "one per"),
        (["a"], "numbers"),
    ],
)
def test_rejects_bad_weights(weights, message):
    with pytest.raises((ValueError, TypeError), match=message):
        rw.score([(0, 4)], [(0, 4)], weights=weights)


def test_rejects_weights_where_they_have_no_meaning():
    with pytest.raises(ValueError, match="as_points"):
        rw.classical.score([(0, 4)], [(0, 4)], weights=[1])
    model = rw.RangeModel()
    for call in (
        lambda: model.curve([(0, 1)], [1.0], weights=[1]),
        lambda: model.tally([(0, 1)], [(0, 1)], weights=[1]),
        lambda: rw.Stream(model).update([1], [1], weights=[1]),
    ):
        with pytest.raises(TypeError, match="weights"):
            call()
    times = np.datetime64("2024-05-01") + np.arange(4) * np.timedelta64(1, "h")
    with pytest.raises(ValueError, match="joined"):
        rw.score(
            [("2024-05-01T00:00", "2024-05-01T00:10"), ("2024-05-01T00:20", "2024-05-01T00:30")], [1, 0, 0, 0], times=times, weights=[1, 2]
        )


@pytest.mark.parametrize("weights", [[1e308, 1e308], [1e300, 1e300], [1.7e308, 0.0]])
def test_rejects_weights_that_overflow(weights):
    with pytest.raises(ValueError, match=r"weights add up to .*, above the limit of 1e\+300; only their ratios matter"):
        rw.score([(0, 1), (2, 3)], [(0, 1)], weights=weights)
    assert rw.score([(0, 1), (2, 3)], [(0, 1)], weights=[1e299, 1e299]).recall == 0.5


@pytest.mark.parametrize(
    "real",
    [
        [(10, 20), (0, 5)],
        np.array([(10, 20), (0, 5)]),
        [np.array((10, 20)), np.array((0, 5))],
        pd.DataFrame({"start": [10, 0], "stop": [20, 5]}),
        pd.DataFrame({"start": [10, 0], "duration": [10, 5]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_weights_follow_ranges_in_every_representation(real):
    assert rw.score(real, [(0, 5)], weights=[1, 10]).recall == pytest.approx(10 / 11)
