import math

import pytest

import rangewise as rw
from rangewise.datasets import back_predicted, front_predicted


@pytest.mark.parametrize(("scenario", "front", "back"), [(front_predicted, 0.42, 0.11), (back_predicted, 0.11, 0.42)])
def test_scores_match_table_2(scenario, front, back):
    real, predicted = scenario()
    assert round(rw.RangeModel(recall_bias="front").score(real, predicted).f, 2) == front
    assert round(rw.RangeModel(recall_bias="back").score(real, predicted).f, 2) == back


def test_scenarios_mirror_each_other():
    (real, front), (same_real, back) = front_predicted(), back_predicted()
    assert real == same_real
    ends = real.starts[0] + real.stops[-1]
    assert list(back) == sorted((ends - stop, ends - start) for start, stop in front)


def nab_standard(real, predicted, length):
    """The score with NAB's standard profile, normalized to 0..1, in plain loops."""

    def sigma(y):
        return 2 / (1 + math.exp(5 * y)) - 1 if y <= 3 else -1.0

    total = 0.0
    rows = [row for start, stop in predicted for row in range(start, stop)]
    assert min(rows) >= min(int(0.15 * length), 750), "rows of the probation do not count"
    for start, stop in real:
        total += max((sigma(-(stop - row) / (stop - start)) / sigma(-1) for row in rows if start <= row < stop), default=-1.0)
    for row in rows:
        before = [(start, stop) for start, stop in real if start <= row]
        if not before:
            total -= 0.11
        elif row >= before[-1][1]:
            start, stop = before[-1]
            total += 0.11 * sigma((row - (stop - 1)) / (stop - start - 1))
    return (total + len(real)) / (2 * len(real))


def test_nab_hardly_separates_the_scenarios():
    # The paper's Table 2 has 0.67 and 0.63.
    front, back = (nab_standard(*map(list, scenario()), 6400) for scenario in (front_predicted, back_predicted))
    assert round(front, 2) == 0.67
    assert round(back, 2) == 0.63
