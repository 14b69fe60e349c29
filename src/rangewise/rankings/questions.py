"""An interview: small questions, each with two predictions, that determine which settings match an expert's priorities."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.case import Case
from rangewise.inputs.ranges import Ranges
from rangewise.model.explain import place_words
from rangewise.model.rows import RangeRows
from rangewise.model.tally import f_scores
from rangewise.number_text import share_text
from rangewise.rankings.borders import EQUAL
from rangewise.rankings.judgements import Judgement, ModelFit, fit_model
from rangewise.rankings.settings import Settings, name_of, read_settings
from rangewise.rankings.tracks import count, kernel_models

WIDTH = 40
"""The points of a timeline: one character each."""

MAX_QUESTIONS = 10

ADVISED_TASKS: dict[str, dict[str, Any]] = {
    "incident-response": {"biases": "front", "cardinalities": "reciprocal"},
    "irreversible-action": {"biases": "back"},
    "medical": {"biases": "front"},
    "braking": {"biases": "middle"},
}
"""The paper's examples and their priorities: early and in one piece; certain before acting; early; neither too early nor too late."""

Answer = Literal["first", "second", "equal"]

_CANDIDATES = 600
_ALPHAS = (np.arange(80) + 0.5) / 80
# Of the questions that divide the remaining settings about as well as the best one, the simplest is asked.
_AS_GOOD = 0.02
# A question that rules out less than this share is not asked.
_WORTH = 0.02


class Question(NamedTuple):
    """Which of two predictions do you prefer?"""

    real: Ranges
    first: Ranges
    second: Ranges


@dataclass(frozen=True)
class Step:
    """An answer, and the settings that remain."""

    question: Question
    answer: Answer
    left: float
    decided: tuple[str, ...]


@dataclass
class Interview:
    """Asks at most ``most`` questions; each divides the remaining settings as evenly as possible.

    >>> interview = Interview()
    >>> while (question := interview.question()) is not None:
    ...     interview.answer("first")
    >>> len(interview.steps) <= 10 and len(interview.fit().intervals) > 0
    True
    """

    settings: Settings = field(default_factory=read_settings)
    most: int = MAX_QUESTIONS
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._order = _orders(self.settings)
        self._left = np.ones(self._order.shape[1], dtype=bool)
        self._asked: set[int] = set()
        self._now: int | None = None

    def question(self) -> Question | None:
        """The next question; None if ``most`` were asked or no question would narrow the settings further."""
        if len(self.steps) >= self.most:
            return None
        order = self._order[:, self._left]
        left = order.shape[1]
        shares = np.column_stack([(order > 0).sum(axis=1), (order < 0).sum(axis=1)]) / left
        worth = shares.min(axis=1)
        worth[list(self._asked)] = 0.0
        best = float(worth.max())
        if best < min(_WORTH, 1 / left):
            return None
        as_good = np.flatnonzero(worth >= best - _AS_GOOD)
        # The simplest has the fewest ranges.
        self._now = int(min(as_good, key=lambda at: (sum(map(len, bank()[at])), -worth[at])))
        return bank()[self._now]

    def answer(self, answer: Answer) -> None:
        """The expert's answer to the last question; ``"equal"`` is no preference, and rules nothing out."""
        if self._now is None:
            raise ValueError("there is no open question; ask for one with question()")
        if answer not in ("first", "second", "equal"):
            raise ValueError(f"an answer must be first, second or equal; got {answer!r}")
        before = self._names()
        if answer != "equal":
            self._left &= self._order[self._now] == (1 if answer == "first" else -1)
        after = self._names()
        decided = tuple(
            f"{kind} {' or '.join(after[kind])}" for kind in before if len(after[kind]) < len(before[kind]) or before[kind] != after[kind]
        )
        self.steps.append(Step(bank()[self._now], answer, float(self._left.mean()), decided))
        self._asked.add(self._now)
        self._now = None

    def fit(self) -> ModelFit:
        """The settings that agree with the answers so far."""
        judgements = [
            Judgement(step.question.real, *(step.question[1:] if step.answer == "first" else step.question[:0:-1]))
            for step in self.steps
            if step.answer != "equal"
        ]
        settings = self.settings
        return fit_model(
            judgements, alphas=(settings.low, settings.high), betas=settings.betas, biases=settings.biases,
            cardinalities=settings.cardinalities, precision_bias=settings.precision_bias,
        )  # fmt: skip

    def _names(self) -> dict[str, list[str]]:
        """The remaining values of each setting, by name; alpha as its span, to one decimal."""
        families = list(self.settings.families())
        at, alpha = np.divmod(np.flatnonzero(self._left), len(_ALPHAS))
        here = [families[index] for index in np.unique(at).tolist()]
        values = _alphas(self.settings)[alpha]
        return {
            "bias": list(dict.fromkeys(name_of(family.bias) for family in here)),
            "cardinality": list(dict.fromkeys(name_of(family.cardinality) for family in here)),
            "beta": list(dict.fromkeys(f"{family.beta:g}" for family in here)),
            "alpha": [f"{values.min():.1f} to {values.max():.1f}"],
        }


def timeline(real: Ranges, predicted: Ranges | None = None) -> str:
    """A line of characters: the real ranges, or a prediction with hits and false alarms distinguished.

    >>> print(timeline(Ranges([(2, 6)])).rstrip("-"))
    --####
    >>> print(timeline(Ranges([(2, 6)]), Ranges([(4, 8)])).rstrip("-"))
    ----==!!
    """
    inside = real.to_labels(WIDTH).astype(bool)
    if predicted is None:
        return "".join(np.where(inside, "#", "-").tolist())
    alarm = predicted.to_labels(WIDTH).astype(bool)
    return "".join(np.where(alarm & inside, "=", np.where(alarm, "!", "-")).tolist())


def in_words(real: Ranges, predicted: Ranges) -> str:
    """A prediction described as text.

    >>> in_words(Ranges([(0, 12)]), Ranges([(0, 4)]))
    'one alarm, early, covers 33 % of the anomaly'
    >>> in_words(Ranges([(0, 12), (20, 24)]), Ranges([(2, 4), (6, 9), (30, 33)]))
    '3 alarms, one of them false, find 1 of 2 anomalies, cover 21 % of an anomaly on average'
    """
    score = kernel_models(read_settings())[0].score(real, predicted)
    rows = score.real
    alarms = "one alarm" if len(predicted) == 1 else f"{len(predicted)} alarms" if len(predicted) else "no alarm"
    false = len(predicted) - int(score.predicted.existence.sum())
    several = "" if not false else ", false" if len(predicted) == false == 1 else f", {false if false > 1 else 'one'} of them false"
    place = f", {_place(rows)}" if len(real) == 1 and _place(rows) else ""
    verb = "covers" if len(predicted) == 1 else "cover"
    if len(real) == 1:
        return f"{alarms}{several}{place}, {verb} {_percent(score.recall)} of the anomaly"
    finds = "finds" if len(predicted) == 1 else "find"
    covered = "all of them" if score.recall == 1.0 else f"{_percent(score.recall)} of an anomaly on average"
    return f"{alarms}{several}, {finds} {int(rows.existence.sum())} of {len(real)} anomalies, {verb} {covered}"


def _percent(share: float) -> str:
    return "all" if share == 1.0 else "none" if share == 0.0 else share_text(share)


def _place(rows: RangeRows) -> str:
    """Where what is covered of the only range lies."""
    row = rows[0]
    return place_words(row.covered / (row.stop - row.start), row.center, row.overlaps, True) if row.existence else ""


@lru_cache(maxsize=1)
def bank() -> tuple[Question, ...]:
    """The questions to choose from; the same on every machine."""
    random = np.random.Generator(np.random.PCG64(2018))
    questions: dict[Question, None] = {}
    while len(questions) < _CANDIDATES:
        real = _real(random)
        question = Question(real, _prediction(random, real), _prediction(random, real))
        if question.first != question.second and len(question.first) and len(question.second):
            questions[question] = None
    return tuple(questions)


def _real(random: np.random.Generator) -> Ranges:
    """One to three anomalies with gaps between them."""
    number = int(random.choice([1, 1, 2, 3]))
    room = WIDTH // number
    lengths = random.integers(4, min(16, room - 4) + 1, size=number)
    starts = [at * room + int(random.integers(2, room - length - 1)) for at, length in enumerate(lengths.tolist())]
    return Ranges([(start, start + length) for start, length in zip(starts, lengths.tolist(), strict=True)])


def _prediction(random: np.random.Generator, real: Ranges) -> Ranges:
    """Alarms that overlap some of the anomalies, in pieces, early or late, and sometimes false ones."""
    labels = np.zeros(WIDTH, dtype=bool)
    for start, stop in real:
        if random.random() < 0.85:
            for _ in range(int(random.choice([1, 1, 2, 3]))):
                length = int(random.integers(1, stop - start + 1))
                at = int(random.integers(start, stop - length + 1)) + int(random.choice([0, 0, 0, -2, 2]))
                labels[max(at, 0) : at + length] = True
    if random.random() < 0.5:
        at = int(random.integers(0, WIDTH - 4))
        labels[at : at + int(random.integers(1, 5))] = True
    return Ranges.from_labels(labels)


def _alphas(settings: Settings) -> NDArray[np.float64]:
    return settings.low + (settings.high - settings.low) * _ALPHAS


@lru_cache(maxsize=16)
def _orders(settings: Settings) -> NDArray[np.int8]:
    """1, -1 or 0 if the first, the second or neither is ahead; one row per question, one column per setting by family and alpha."""
    models = kernel_models(settings)
    lines = np.array([[count(models, Case(question.real, side)).lines() for side in question[1:]] for question in bank()])
    # questions x sides x (cardinality, bias) x parts -> one family after the other, betas innermost
    precision, overlap, existence = (lines[:, :, :, part, None] for part in range(3))
    recall = overlap + _alphas(settings) * (existence - overlap)
    columns = []
    for beta in settings.betas:
        f = f_scores(np.broadcast_to(precision, recall.shape), recall, beta)
        difference = f[:, 0] - f[:, 1]
        columns.append(np.where(np.abs(difference) <= EQUAL, 0, np.sign(difference)).astype(np.int8))
    order: NDArray[np.int8] = np.stack(columns, axis=2).reshape(len(lines), -1)
    return order
