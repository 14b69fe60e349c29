import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.thresholds import BestF, Fixed, LogMAD, Quantile, Sigma, ThresholdPolicy, parse_policy

SCORES = [0.1, 0.9, 0.8, 0.3, 0.2]


def test_every_policy_chooses_its_threshold():
    assert Fixed(2).choose(SCORES) == 2.0
    assert Quantile(0.5).choose(SCORES) == 0.3
    assert Sigma(1).choose(SCORES) == pytest.approx(np.mean(SCORES) + np.std(SCORES))
    logs = np.log(SCORES)
    middle = np.median(logs)
    assert LogMAD(2).choose(SCORES) == pytest.approx(np.exp(middle + 2 * 1.4826 * np.median(np.abs(logs - middle))))
    assert LogMAD(2).choose([0.0, *SCORES]) == LogMAD(2).choose([0.1, *SCORES])
    model = rw.RangeModel(recall_bias="front")
    assert model.curve([(1, 3)], SCORES).best().threshold == 0.8
    assert BestF(model).choose(SCORES, real=[(1, 3)]) == pytest.approx(math.sqrt(0.3 * 0.8))


def test_best_f_with_closed_gaps():
    scores, real = [0.0, 0.9, 0.2, 0.8, 0.0, 0.5, 0.5], [0, 1, 1, 1, 0, 0, 1]
    for gap in (0, 1):
        chosen = BestF(close_gaps=gap).choose(scores, real=real)
        f_at = {at: rw.score(real, rw.Ranges.from_labels(np.array(scores) >= at).close_gaps(gap)).f for at in {chosen, *scores}}
        assert f_at[chosen] == max(f_at.values())
    with pytest.raises(ValueError, match="close_gaps is 0 or more; got -1"):
        BestF(close_gaps=-1)


@given(st.lists(st.tuples(st.integers(-4, 9), st.booleans()), min_size=1, max_size=20), st.sampled_from([np.int64, np.float32, np.float64]))
def test_best_f_is_in_the_middle_of_its_plateau(points, kind):
    scores, real = np.array([score for score, _ in points]).astype(kind), [int(label) for _, label in points]
    f_at = {at: rw.score(real, scores >= at).f for at in sorted(set(scores.tolist()), reverse=True)}
    top = max(f_at, key=lambda at: (f_at[at], at))
    low = next((at for at in f_at if at < top and f_at[at] != f_at[top]), -math.inf)
    chosen = BestF().choose(scores, real=real)
    assert rw.score(real, scores >= chosen).f == f_at[top]
    assert low < chosen <= top
    expected = top if low == -math.inf else math.sqrt(low * top) if low > 0 else (low + top) / 2
    assert chosen == pytest.approx(expected, rel=1e-6)


def test_adjacent_floats_have_no_middle():
    low = np.float32(0.7)
    high = np.nextafter(low, np.float32(1))
    assert BestF().choose(np.array([low, high]), real=[0, 1]) == high


def test_thresholds_of_large_integers_are_not_rounded():
    """Above 2^53 not every integer is a float: a rounded threshold would predict the lower score too, or not its own."""
    scores, real = np.array([2**60, 2**60 + 1, 0]), [0, 1, 0]
    assert BestF().choose(scores, real) == 2**60 + 1
    assert BestF().plateau(scores, real) == (2**60, 2**60 + 1)
    table = rw.compare(real, {"a": scores}, metrics=["point_fbeta"], thresholds="equal-share")
    assert table.values.ravel().tolist() == [1.0]


def test_every_policy_implements_the_protocol():
    assert all(isinstance(policy, ThresholdPolicy) for policy in (Fixed(1), Quantile(0.5), Sigma(3), LogMAD(), BestF()))


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("0.5", Fixed(0.5)),
        ("fixed:2", Fixed(2.0)),
        ("quantile:0.99", Quantile(0.99)),
        ("sigma:3", Sigma(3.0)),
        ("log-mad:4", LogMAD()),
        ("best-f", BestF()),
    ],
)
def test_parse_policy(text, policy):
    assert parse_policy(text) == policy


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Quantile(2), "from 0 to 1"),
        (lambda: Quantile(math.nan), "from 0 to 1"),
        (lambda: Sigma(math.inf), "finite"),
        (lambda: LogMAD(math.nan), "finite"),
        (lambda: LogMAD().choose([1.0, -1.0]), "scores of 0 or more.*from -1 to 1"),
        (lambda: LogMAD().choose([1.0, math.inf]), "finite scores"),
        (lambda: LogMAD().choose([0.0, 0.0]), "all scores are 0"),
        (lambda: Fixed(math.nan), "number"),
        (lambda: BestF().choose(SCORES), "validation part"),
        (lambda: Quantile(0.5).choose([]), "no scores"),
        (lambda: Sigma(3).choose([1.0, math.nan]), "score 1 is nan"),
        (lambda: parse_policy("quantil:0.9"), "did you mean 'quantile'"),
        (lambda: parse_policy("much"), "a number"),
        (lambda: parse_policy("best-f:3"), "best-f takes no number; got 'best-f:3'"),
        (lambda: Quantile("0.9"), "a quantile must be a number from 0 to 1; got '0.9'"),
        (lambda: Sigma("3"), "k must be a finite number; got '3'"),
        (lambda: LogMAD(None), "k must be a finite number; got None"),
        (lambda: Fixed(True), "a fixed threshold must be a number; got True"),
    ],
)
def test_rejects_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_best_f_is_that_of_a_model():
    with pytest.raises(TypeError, match="model must be a RangeModel; got 'early'"):
        BestF("early")


@pytest.mark.parametrize(
    ("policy", "scores", "message"),
    [
        (Sigma(3), [0.0, math.inf], "as large as inf have no finite standard deviation"),
        (Sigma(3), [1e308, -1e308, 1e308], "no finite standard deviation"),
        (Quantile(0.5), [-math.inf, math.inf], "is between infinite scores"),
    ],
)
def test_infinite_scores_are_an_error_and_not_nan(policy, scores, message):
    with pytest.raises(ValueError, match=message):
        policy.choose(scores)
    assert Quantile(1.0).choose([0.0, math.inf]) == math.inf
