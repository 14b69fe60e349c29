"""``rangewise choose``: which metrics fit your job? Two or three questions, or ``--job``."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import Annotated

import typer

from rangewise.cli.printing import echo
from rangewise.metrics.choosing import ALWAYS, JOBS, QUESTIONS, Advice, Choice
from rangewise.metrics.choosing import choose as advice_for

_WIDE = 80
_ROUGH = "imprecise labels"


def choose(
    job: Annotated[
        str | None, typer.Option(help='Ask nothing: the job by name, e.g. "page a human"; --list shows all.', show_default=False)
    ] = None,
    list_jobs: Annotated[bool, typer.Option("--list", help="List the jobs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; needs --job or --list.")] = False,
) -> None:
    """Which metrics fit your job? A few questions, or --job: what to report, why, and the commands that compute it."""
    if list_jobs:
        echo(json.dumps({name: advice.when for name, advice in JOBS.items()}) if as_json else _listed())
        return
    if job is not None:
        chosen = [_by_name(job)]
    elif as_json:
        raise ValueError(f"--json asks no questions; give --job, one of {', '.join(JOBS)}")
    else:
        chosen = _interview()
    if as_json:
        echo(json.dumps(chosen[0].as_dict()))
        return
    echo("\n\n".join(map(str, chosen)))
    echo("\nalways:")
    for line in ALWAYS:
        echo(textwrap.fill(line, _WIDE, initial_indent="  ", subsequent_indent="  "))


def _by_name(job: str) -> Advice:
    try:
        return advice_for(job)
    except ValueError as error:
        raise ValueError(f"--{error}") from error


def _listed() -> str:
    width = max(map(len, JOBS)) + 2
    return "\n".join(
        textwrap.fill(advice.when, _WIDE, initial_indent=name.ljust(width), subsequent_indent=" " * width) for name, advice in JOBS.items()
    )


def _interview() -> list[Advice]:
    step: str | Choice = QUESTIONS
    while isinstance(step, Choice):
        step = step.answers[_answer(step.asks, [words for words, _ in step.answers])][1]
    chosen = [JOBS[step]]
    if not chosen[0].python and _answer("Are starts and ends of the real ranges exact?", ["yes", "only roughly"]):
        chosen.append(JOBS[_ROUGH])
    echo()
    return chosen


def _answer(question: str, answers: list[str]) -> int:
    """The place of the answer; asked again until it is one of them."""
    echo(question)
    for number, words in enumerate(answers, start=1):
        echo(f"  {number}  {words}")
    while True:
        sys.stdout.write(f"1 to {len(answers)}? ")
        sys.stdout.flush()
        if not (text := sys.stdin.readline()):
            raise ValueError("no answer; answer the questions on standard input, or give --job")
        word = text.strip()
        if word.isdecimal() and 1 <= int(word) <= len(answers):
            return int(word) - 1
        echo(f"please answer a number from 1 to {len(answers)}; got {word!r}")
