"""``rangewise advise``: which settings match your priorities? Questions in the terminal, and a model at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from rangewise.checks import unknown_name
from rangewise.cli.printing import echo
from rangewise.files.tables import text_of
from rangewise.number_text import share_text
from rangewise.rankings.judgements import fit_model
from rangewise.rankings.questions import ADVISED_TASKS, MAX_QUESTIONS, Answer, Interview, Question, in_words, timeline
from rangewise.rankings.settings import read_settings

_ANSWERS: dict[str, Answer] = {"1": "first", "2": "second", "=": "equal"}
_FINISHED = "q"


def advise(
    answers: Annotated[
        str | None, typer.Option(help="Take the answers from this file, one a line: 1, 2 or =.", metavar="FILE", show_default=False)
    ] = None,
    task: Annotated[
        str | None, typer.Option(help=f"Begin with what a task settles: {', '.join(ADVISED_TASKS)}.", show_default=False)
    ] = None,
    questions: Annotated[int, typer.Option(help="Ask at most this many questions.", min=1, max=MAX_QUESTIONS)] = MAX_QUESTIONS,
    judgements: Annotated[
        str | None,
        typer.Option(
            help="Ask nothing: fit a CSV with the columns real, preferred, other, each the name of a file.",
            metavar="CSV",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Find the settings that match your priorities: at most ten questions, each two small timelines, and a model at the end.

    Each question shows what is real and two predictions: answer 1 or 2 for the one you would rather have, = for no preference, q to
    stop. The next question is the one that divides what is left of the settings most evenly.
    """
    if task is not None and task not in ADVISED_TASKS:
        raise unknown_name("--task", task, ADVISED_TASKS)
    options = ADVISED_TASKS[task] if task is not None else {}
    if judgements is not None:
        for option, has_it in (("--answers", answers is not None), ("--questions", questions != MAX_QUESTIONS)):
            if has_it:
                raise ValueError(f"--judgements asks nothing, so {option} has no use; give one of them")
        fit = fit_model(judgements, **options)
        echo(str(fit))
        _say_command(str(fit.model))
        return
    interview = Interview(read_settings(**options), questions)
    given = _answers(answers)
    if task is not None:
        echo(f"For {task} the paper settles: {', '.join(f'{kind} {value}' for kind, value in options.items())}.\n")
    while (question := interview.question()) is not None:
        number = len(interview.steps) + 1
        echo(_shown(question, number))
        answer = next(given, _FINISHED)
        if answer == _FINISHED:
            echo("\nNo more answers: what is known so far.\n")
            break
        interview.answer(_ANSWERS[answer])
        if answers is not None:
            echo(f"  answer: {answer}")
        echo()
    _conclude(interview)


def _shown(question: Question, number: int) -> str:
    lines = [f"{number}. Which would you rather have?", f"     real  {timeline(question.real)}"]
    for name, predicted in (("1", question.first), ("2", question.second)):
        lines.append(f"        {name}  {timeline(question.real, predicted)}  {in_words(question.real, predicted)}")
    if number == 1:
        lines.append("           # real   = alarm where it is real   ! alarm where nothing is")
    return "\n".join(lines)


def _conclude(interview: Interview) -> None:
    fit = interview.fit()
    answered = [step for step in interview.steps if step.answer != "equal"]
    for number, step in enumerate(interview.steps, start=1):
        decided = "; ".join(step.decided) if step.decided else "nothing new by itself" if step.answer != "equal" else "no preference"
        echo(f"answer {number:>2}: {share_text(step.left):>7} of the settings left; {decided}")
    left = len(fit.intervals)
    echo(f"\n{fit.model} #{fit.model.short_hash}")
    echo(
        f"agrees with {fit.agreed} of {len(answered)} answers; what else does:"
        if left > 1
        else f"agrees with {fit.agreed} of {len(answered)} answers"
    )
    if left > 1:
        for line in str(fit).splitlines()[2:]:
            echo(line)
    _say_command(str(fit.model))


def _say_command(model: str) -> None:
    echo(f'\nUse it:  rangewise score REAL PREDICTED --model "{model}"')


def _answers(path: str | None) -> Iterator[str]:
    """Answers from a file, from a person, or from a pipe; a person who mistypes is asked again."""
    if path is not None:
        for line, text in enumerate(text_of(Path(path).read_bytes(), path).splitlines(), start=1):
            if not (word := text.partition("#")[0].strip().lower()):
                continue
            if word not in (*_ANSWERS, _FINISHED):
                raise ValueError(f"{path}, line {line}: an answer is 1, 2, = or q; got {word!r}")
            yield word
        return
    while True:
        sys.stdout.write("1, 2, = or q? ")
        sys.stdout.flush()
        if not (text := sys.stdin.readline()):
            return
        if (word := text.strip().lower()) in (*_ANSWERS, _FINISHED):
            yield word
        else:
            echo(f"please answer 1, 2, = (no preference) or q (stop); got {word!r}")
