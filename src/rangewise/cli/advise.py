"""``rangewise advise``: find the settings that match your priorities by answering questions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from rangewise.checks import unknown_name
from rangewise.cli.printing import echo, print_data
from rangewise.files.tables import text_of
from rangewise.number_text import share_text
from rangewise.rankings.judgements import fit_model
from rangewise.rankings.questions import ADVISED_TASKS, MAX_QUESTIONS, Answer, Interview, Question, in_words, timeline
from rangewise.rankings.settings import read_settings

_ANSWERS: dict[str, Answer] = {"1": "first", "2": "second", "=": "equal"}
_FINISHED = "q"


def advise(
    answers: Annotated[str | None, typer.Option(help="Read the answers from this file, one per line: 1, 2 or =.", metavar="FILE")] = None,
    task: Annotated[str | None, typer.Option(help=f"Start with the settings of a task: {', '.join(ADVISED_TASKS)}.")] = None,
    questions: Annotated[int, typer.Option(help="Ask at most this many questions.", min=1, max=MAX_QUESTIONS)] = MAX_QUESTIONS,
    judgements: Annotated[
        str | None,
        typer.Option(help="Ask no questions: fit a CSV file with the columns real, preferred and other, each a file name.", metavar="CSV"),
    ] = None,
) -> None:
    """Find the settings that match your priorities: answer up to ten questions about small timelines and get a model.

    Each question shows real anomalies and two predictions. Answer 1 or 2 for the prediction you prefer, = for no preference, q to
    stop. The next question is the one that splits the remaining settings most evenly.
    """
    if task is not None and task not in ADVISED_TASKS:
        raise unknown_name("--task", task, ADVISED_TASKS)
    options = ADVISED_TASKS[task] if task is not None else {}
    if judgements is not None:
        for option, has_it in (("--answers", answers is not None), ("--questions", questions != MAX_QUESTIONS)):
            if has_it:
                raise ValueError(f"--judgements asks no questions, so {option} has no effect; give one of them")
        fit = fit_model(judgements, **options)
        echo(str(fit))
        _print_command(str(fit.model))
        return
    interview = Interview(read_settings(**options), questions)
    given = _asked() if answers is None else _answers(answers)
    if task is not None:
        echo(f"For {task} the paper recommends: {', '.join(f'{kind} {value}' for kind, value in options.items())}.\n")
    while (question := interview.question()) is not None:
        number = len(interview.steps) + 1
        echo(_shown(question, number))
        answer = next(given, _FINISHED)
        if answer == _FINISHED:
            echo("\nNo more answers. The result so far:\n")
            break
        interview.answer(_ANSWERS[answer])
        if answers is not None:
            echo(f"  answer: {answer}")
        echo()
    _conclude(interview)


def _shown(question: Question, number: int) -> str:
    lines = [f"{number}. Which prediction do you prefer?", f"     real  {timeline(question.real)}"]
    for name, predicted in (("1", question.first), ("2", question.second)):
        lines += [f"        {name}  {timeline(question.real, predicted)}", f"           {in_words(question.real, predicted)}"]
    if number == 1:
        lines.append("           # real   = correct alarm   ! false alarm")
    return "\n".join(lines)


def _conclude(interview: Interview) -> None:
    fit = interview.fit()
    answered = [step for step in interview.steps if step.answer != "equal"]
    for number, step in enumerate(interview.steps, start=1):
        decided = "; ".join(step.decided) if step.decided else "decides nothing alone" if step.answer != "equal" else "no preference"
        echo(f"answer {number:>2}: {share_text(step.left):>7} of the settings left; {decided}")
    left = len(fit.intervals)
    echo(f"\n{fit.model} #{fit.model.short_hash}")
    echo(
        f"agrees with {fit.agreed} of {len(answered)} answers, and so do:"
        if left > 1
        else f"agrees with {fit.agreed} of {len(answered)} answers"
    )
    if left > 1:
        for line in str(fit).splitlines()[2:]:
            echo(line)
    _print_command(str(fit.model))


def _print_command(model: str) -> None:
    print_data(f'\nUse it:  rangewise score REAL PREDICTED --model "{model}"')


def _answers(path: str) -> Iterator[str]:
    """Answers from a file, which is read before the first question."""
    words = []
    for line, text in enumerate(text_of(Path(path).read_bytes(), path).splitlines(), start=1):
        if not (word := text.partition("#")[0].strip().lower()):
            continue
        if word not in (*_ANSWERS, _FINISHED):
            raise ValueError(f"{path}, line {line}: an answer is 1, 2, = or q; got {word!r}")
        words.append(word)
    return iter(words)


def _asked() -> Iterator[str]:
    """Answers from a pipe, or from a person, who is asked again after a typo."""
    while True:
        sys.stdout.write("1, 2, = or q? ")
        sys.stdout.flush()
        if not (text := sys.stdin.readline()):
            return
        if (word := text.strip().lower()) in (*_ANSWERS, _FINISHED):
            yield word
        else:
            echo(f"please answer 1, 2, = (no preference) or q (stop); got {word!r}")
