"""kernel.js against the compiled kernel, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from javascript import Scripts, fewer_examples, same, settings, side
from rangewise.inputs.case import Case
from rangewise.model.bias import BIASES
from rangewise.model.cardinality import CARDINALITIES
from rangewise.model.tally import f_score
from rangewise.reports.entries import MOST_POINTS, SEEDS, baseline_f, random_ranges
from strategies import built_in_models, range_lists, side_pairs

_MORE = """
function curveOf(real, scores, model) {
  const distinct = [...new Set(scores)].sort((a, b) => a - b), ranks = scores.map((score) => distinct.indexOf(score));
  const sweep = new Sweep(real, pointsByRank(ranks, distinct.length), model);
  sweep.advance(0);
  const at = distinct.map((_, rank) => score(real, rangesAt(ranks, rank), model));
  return { precision: sweep.precision, recall: sweep.recall, at };
}
function rewardsOf(real, predicted, model) {
  const { real: one, predicted: other } = tally(real, predicted, model);
  return [one, other];
}
function sumOf(rewards) {
  const sum = new RewardSum();
  sum.steps = 1048570; // soon carries
  for (const reward of rewards) sum.add(reward, 1);
  for (const reward of rewards.slice(1)) sum.add(reward, -1);
  return [sum.whole(), sum.mean(3)];
}
"""


@pytest.fixture(scope="module")
def scripts():
    return Scripts("kernel.js", more=_MORE)


def test_names_and_constants_are_the_same(scripts):
    assert scripts.value("BIASES") == [*BIASES]
    assert scripts.value("CARDINALITIES") == [*CARDINALITIES]
    assert scripts.value("[BASELINE_SEEDS, BASELINE_POINTS]") == [SEEDS, MOST_POINTS]


@fewer_examples
@given(sides=side_pairs(), model=built_in_models())
def test_score_matches_python(scripts, sides, model):
    expected = model.score(*map(rw.Ranges, sides))
    result = scripts.call("score", *(side(one) for one in sides), settings(model))
    assert all(same(result[name], getattr(expected, name)) for name in ("precision", "recall", "f"))


@pytest.mark.parametrize("beta", [5e-324, 1e-200, 1e-8, 1.0, 1e8, 1e200, 1e308])
def test_f_with_an_extreme_beta_matches_python(scripts, beta):
    shares = [0.0, 1e-300, 0.25, 1.0, float("nan")]
    for precision in shares:
        for recall in shares:
            assert same(scripts.call("fScore", precision, recall, beta), f_score(precision, recall, beta))


@fewer_examples
@given(sides=side_pairs(), model=built_in_models(), which=st.sampled_from(["real", "predicted"]))
def test_rows_match_python(scripts, sides, model, which):
    expected = list(getattr(model.score(*map(rw.Ranges, sides)), which))
    result = scripts.call("rows", *(side(one) for one in sides), settings(model), which)
    assert len(result) == len(expected)
    for one, row in zip(result, expected, strict=True):
        del one["delay"]  # rows of a series have no delay; test_words.py compares rows in times
        assert all(same(float(one[name]), float(getattr(row, name))) for name in one)


@fewer_examples
@given(
    sides=side_pairs(),
    model=built_in_models(),
    stretch=st.sampled_from([2**25, 2**27 - 1, 86_400 * 10**9 + 7]),
    shift=st.sampled_from([0, 1_700_000_000 * 10**9]),
)
def test_very_long_ranges_match_python(scripts, sides, model, stretch, shift):
    # The kernel's sums do not hold as many points as these ranges have.
    model = rw.RangeModel(**(settings(model) | {"as_points": None}))
    real, predicted = ([(start * stretch + shift, stop * stretch + shift) for start, stop in one] for one in sides)
    big = shift > 0 or stretch * 60 >= 2**53
    expected = model.score(rw.Ranges(real), rw.Ranges(predicted))
    result = scripts.call("score", side(real, big), side(predicted, big), settings(model))
    assert all(same(result[name], getattr(expected, name)) for name in ("precision", "recall", "f"))
    for one, row in zip(scripts.call("rows", side(real, big), side(predicted, big), settings(model), "real"), expected.real, strict=True):
        assert all(same(float(one[name]), float(getattr(row, name))) for name in ("size", "reward", "center", "factor"))


@fewer_examples
@given(
    real=range_lists(40),
    scores=st.lists(st.sampled_from([0.0, -0.5, 0.1, 0.25, 1 / 3, 0.7, 3.5]) | st.floats(-1, 1), min_size=40, max_size=60),
    model=built_in_models(),
)
def test_curve_matches_python(scripts, real, scores, model):
    values = np.array(scores) + 0.0
    # Labels would join touching ranges, so the real side is given as ranges.
    expected = model.curve(rw.Ranges(real), values)
    result = scripts.call("curveOf", side(real), values.tolist(), settings(model))
    for name in ("precision", "recall"):
        assert all(same(one, other) for one, other in zip(result[name], getattr(expected, name).tolist(), strict=True))
    for at, threshold in zip(result["at"], np.unique(values), strict=True):
        score = expected.at(threshold)
        assert all(same(at[name], getattr(score, name)) for name in ("precision", "recall", "f"))


@fewer_examples
@given(sides=side_pairs(), model=built_in_models())
def test_rewards_are_the_same_integers(scripts, sides, model):
    tally = model.tally(*map(rw.Ranges, sides))
    assert scripts.call("rewardsOf", *(side(one) for one in sides), settings(model)) == [tally.real_reward, tally.predicted_reward]


@fewer_examples
@given(st.lists(st.floats(2**-40, 1), min_size=1, max_size=12))
def test_added_and_subtracted_rewards_cancel(scripts, rewards):
    whole, mean = scripts.call("sumOf", rewards)
    assert whole == int(rewards[0] * 2**94)
    assert mean == pytest.approx(rewards[0] / 3)


@fewer_examples
@given(number=st.integers(0, 2**100), by=st.integers(1, 2**110))
def test_quotient_is_correctly_rounded(scripts, number, by):
    assert scripts.call("quotient", {"big": str(number)}, {"big": str(by)}) == number / by


@fewer_examples
@given(points=st.integers(0, 400), share=st.floats(0, 1), seed=st.integers(0, 30), ignore=range_lists())
def test_random_ranges_match_python(scripts, points, share, seed, ignore):
    case = Case.read([], [], length=points, ignore=ignore)
    count = round(share * case.points)
    drawn = scripts.call("randomRanges", float(points), float(count), float(seed), side(case.ignored))
    expected = random_ranges(case, count, seed)
    assert (drawn["starts"], drawn["stops"]) == (expected.starts.tolist(), expected.stops.tolist())


@fewer_examples
@given(real=range_lists(), count=st.integers(0, 40), model=built_in_models(), ignore=range_lists(20))
def test_baseline_matches_python(scripts, real, count, model, ignore):
    case = Case.read(real, [], length=60, ignore=ignore)
    expected = baseline_f(model, replace(case, predicted=rw.Ranges([(20, 20 + count)] if count else [])))
    assert same(scripts.call("baselineF", side(case.real), 60.0, float(count), settings(model), side(case.ignored)), expected)
