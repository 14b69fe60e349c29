import os
from itertools import pairwise

import numpy as np
import pytest

import rangewise as rw
from experts import agreement, expert, judgements
from rangewise.rankings.questions import ADVISED_TASKS, WIDTH, Interview, bank, in_words, timeline
from rangewise.rankings.settings import read_settings

# The bank's first question: another generator of random numbers would ask others.
FIRST = "----#######--------#####----#########---"
EXPERTS = int(os.environ.get("RANGEWISE_EXPERTS", "12"))


def asked(interview, model):
    while (question := interview.question()) is not None:
        one, other = (model.score(question.real, side).f for side in question[1:])
        interview.answer("equal" if abs(one - other) < 1e-12 else "first" if one > other else "second")
    return interview


def test_ten_questions_find_an_expert():
    found = []
    for seed in range(EXPERTS):
        random = np.random.default_rng(seed)
        model = expert(random)
        interview = asked(Interview(), model)
        assert len(interview.steps) <= 10
        fit = interview.fit()
        assert fit.contradictions == ()
        found.append(agreement(fit.model, judgements(random, model, 100)))
    assert np.mean(found) >= 0.97


def test_each_answer_halves_what_is_left():
    interview = asked(Interview(), rw.RangeModel(alpha=0.31, recall_bias="front"))
    left = [1.0, *(step.left for step in interview.steps)]
    assert all(0.3 <= after / before <= 0.7 for before, after in pairwise(left[:7]))
    assert any("bias front" in step.decided for step in interview.steps)


@pytest.mark.parametrize("job", ADVISED_TASKS)
def test_a_job_settles_what_it_says(job):
    interview = asked(Interview(read_settings(**ADVISED_TASKS[job])), rw.RangeModel(alpha=0.6, recall_bias="front"))
    assert interview.fit().model.recall_bias == ADVISED_TASKS[job]["biases"]


def test_no_preference_rules_nothing_out():
    interview = Interview(most=3)
    questions = []
    while (question := interview.question()) is not None:
        questions.append(question)
        interview.answer("equal")
    assert len(set(questions)) == 3
    assert [step.left for step in interview.steps] == [1.0, 1.0, 1.0]
    assert len(interview.fit().intervals) == 24


def test_an_interview_that_is_misused_says_so():
    interview = Interview()
    with pytest.raises(ValueError, match="no open question"):
        interview.answer("first")
    interview.question()
    with pytest.raises(ValueError, match="first, second or equal"):
        interview.answer("left")


def test_the_bank_is_drawable_and_the_same_everywhere():
    assert all(side.stops[-1] <= WIDTH for question in bank() for side in question)
    assert len(set(bank())) == len(bank())
    assert timeline(bank()[0].real) == FIRST


@pytest.mark.parametrize(
    ("predicted", "words"),
    [
        ([], "no alarm, cover none of the anomaly"),
        ([(0, 12)], "one alarm, covers all of the anomaly"),
        ([(20, 22)], "one alarm, false, covers none of the anomaly"),
        ([(8, 12), (14, 15)], "2 alarms, one of them false, late, cover 33 % of the anomaly"),
    ],
)
def test_predictions_in_words(predicted, words):
    assert in_words(rw.Ranges([(0, 12)]), rw.Ranges(predicted)) == words
