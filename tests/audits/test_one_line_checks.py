import numpy as np
import pytest

from rangewise.audits.one_line_checks import better_shift, solves
from rangewise.detectors import AbsoluteDifference, MovingStd, SeasonalDifference
from rangewise.inputs.ranges import Ranges


def naive_solves(scores, real, slack, first):
    """Whether some threshold hits every range, within the slack, and nothing else, with a margin."""
    near = {row for start, stop in real for row in range(start - slack, stop + slack)}
    hits = [max(scores[row] for row in range(max(first, start - slack), min(len(scores), stop + slack))) for start, stop in real]
    elsewhere = sorted(scores[row] for row in range(first, len(scores)) if row not in near)
    if not elsewhere:
        return False
    return min(hits) > elsewhere[-1] and min(hits) - elsewhere[-1] >= 0.1 * (elsewhere[-1] - float(np.median(elsewhere)))


def test_solves_matches_naive():
    random = np.random.default_rng(0)
    answers = set()
    for _ in range(300):
        scores = random.random(60)
        real = [(10, 14), (30, 33)]
        for start, stop in real:
            scores[random.integers(start, stop)] += random.random()
        first = int(random.integers(0, 9))
        solved = solves(AbsoluteDifference(), scores, Ranges(real), first)
        assert solved == naive_solves(scores, real, 2, first)
        answers.add(solved)
    assert answers == {True, False}


def test_windows_may_hit_outside_the_range():
    scores = np.zeros(100)
    scores[46] = 1.0
    assert solves(MovingStd(window=10), scores, Ranges([(50, 52)]))
    assert not solves(MovingStd(window=2), scores, Ranges([(50, 52)]))


def test_echo_of_a_seasonal_difference_is_not_a_false_alarm():
    values = np.sin(2 * np.pi * np.arange(400) / 20)
    values[200:205] += 3
    one_liner = SeasonalDifference(period=20).fit(values)
    assert solves(one_liner, one_liner.decision_function(values), Ranges([(200, 205)]))


@pytest.mark.parametrize("shift", [-60, -25, 25, 60])
def test_finds_the_shift_of_moved_labels(shift):
    scores = np.random.default_rng(1).random(5000)
    real = np.array([(1000, 1040), (2500, 2540), (4000, 4040)])
    for start, stop in real:
        scores[start:stop] += 5
    assert better_shift(scores, Ranges(real)) == 0
    assert better_shift(scores, Ranges(real + shift)) == -shift


def test_distant_peaks_do_not_shift_labels():
    scores = np.random.default_rng(1).random(5000)
    scores[1060:1100] += 5
    scores[1500:1540] += 6
    assert better_shift(scores, Ranges([(1000, 1040)])) == 0
    assert better_shift(np.zeros(100), Ranges([(10, 20)])) == 0
