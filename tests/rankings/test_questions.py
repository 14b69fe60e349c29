import os
from itertools import pairwise

import numpy as np
import pytest

import rangewise as rw
from experts import agreement, expert, judgements
from rangewise.rankings.questions import ADVISED_TASKS, WIDTH, Interview, bank, in_words, timeline
from rangewise.rankings.settings import read_settings

# The first question of the bank. It would differ with another random number generator.
FIRST = "----#######--------#####----#########---"
EXPERTS = int(os.environ.get("RANGEWISE_EXPERTS", "12"))


def answered(interview, model):
    while (question := interview.question()) is not None:
        one, other = (model.score(question.real, side).f for side in question[1:])
        interview.answer("equal" if abs(one - other) < 1e-12 else "first" if one > other else "second")
    return interview


def test_ten_questions_recover_an_expert():
    agreements = []
    for seed in range(EXPERTS):
        random = np.random.default_rng(seed)
        model = expert(random)
        interview = answered(Interview(), model)
        assert len(interview.steps) <= 10
        fit = interview.fit()
        assert fit.contradictions == ()
        agreements.append(agreement(fit.model, judgements(random, model, 100)))
    assert np.mean(agreements) >= 0.97


def test_each_answer_halves_the_open_settings():
    interview = answered(Interview(), rw.RangeModel(alpha=0.31, recall_bias="front"))
    left = [1.0, *(step.left for step in interview.steps)]
    assert all(0.3 <= after / before <= 0.7 for before, after in pairwise(left[:7]))
    assert any("bias front" in step.decided for step in interview.steps)


@pytest.mark.parametrize("task", ADVISED_TASKS)
def test_task_decides_its_biases(task):
    interview = answered(Interview(read_settings(**ADVISED_TASKS[task])), rw.RangeModel(alpha=0.6, recall_bias="front"))
    assert interview.fit().model.recall_bias == ADVISED_TASKS[task]["biases"]


def test_equal_answers_exclude_nothing():
    interview = Interview(most=3)
    questions = []
    while (question := interview.question()) is not None:
        questions.append(question)
        interview.answer("equal")
    assert len(set(questions)) == 3
    assert [step.left for step in interview.steps] == [1.0, 1.0, 1.0]
    assert len(interview.fit().intervals) == 24


def test_rejects_misuse():
    interview = Interview()
    with pytest.raises(ValueError, match="no open question"):
        interview.answer("first")
    interview.question()
    with pytest.raises(ValueError, match="first, second or equal"):
        interview.answer("left")


def test_bank_fits_the_timeline_and_is_reproducible():
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
