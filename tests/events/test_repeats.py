import math

import pytest

from rangewise.events import score_events, score_repeats


def test_answers_without_intervals_count():
    scores = score_repeats([(10, 20)], [[(10, 20)], None, None, [(15, 20)]], unreadable=1)
    assert (scores.values("recall"), scores.refused, scores.unreadable) == ([1.0, 0.0, 0.0, 0.5], 1, 1)
    assert scores.mean("recall") == 0.375
    assert scores.standard_deviation("recall") == pytest.approx(0.4787135538781691)
    assert str(scores).splitlines()[1] == "4 answers, 1 refused, 1 unreadable"


def test_other_scores_and_a_single_answer():
    scores = score_repeats([(10, 20)], [[(10, 20)]], score=lambda real, predicted: score_events(real, predicted, protocol="ovlp"))
    assert scores.mean("sensitivity") == 1.0
    assert math.isnan(scores.standard_deviation("sensitivity"))
    assert (scores.mean(), str(scores).splitlines()[0]) == (1.0, "F mean 1.0000, standard deviation nan, 1.0000 to 1.0000")


def test_undefined_scores_are_left_out_of_the_text():
    scores = score_repeats([], [[(10, 20)], None], score=score_events)
    assert str(scores).startswith("F mean 0.0000, standard deviation nan, 0.0000 to 0.0000\n")
    assert str(score_repeats([], [None], score=score_events)).startswith("F mean nan, standard deviation nan, nan to nan\n")


def test_rejects_bad_input():
    with pytest.raises(ValueError, match="no answers"):
        score_repeats([(10, 20)], [])
    with pytest.raises(ValueError, match="unreadable is at most 0"):
        score_repeats([(10, 20)], [[]], unreadable=1)
