"""``rangewise metrics``: the table of all metrics, and recommendations for a task."""

from __future__ import annotations

import math
import sys
from pathlib import PurePosixPath
from typing import Annotated

import typer

from rangewise.cli.inputs import FamilyName
from rangewise.cli.printing import UNKNOWN_WIDTH, echo, print_data, print_json
from rangewise.metrics import FAMILIES, METRICS, PROPERTIES, Family, Metric
from rangewise.metrics.evaluate import family_metrics, known_metric
from rangewise.metrics.recommendations import ALWAYS, QUESTIONS, TASKS, Question, Recommendation, recommend
from rangewise.tables import Markup, Table, current_width, wrapped

_ROUGH = "imprecise labels"


def metrics(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Metrics to describe in full; none for the list.")] = None,
    family: FamilyName = None,
    task: Annotated[
        str | None, typer.Option("--for", metavar="TASK", help='Recommend metrics for a task, e.g. "page a human"; --tasks lists them.')
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Recommend metrics after two or three questions.")] = False,
    tasks: Annotated[bool, typer.Option("--tasks", help="List the tasks of --for.")] = False,
    wide: Annotated[bool, typer.Option("--wide", help="One line per metric with everything known about it, however wide.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the metrics page of the documentation (docs/metrics/index.md).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with --for or --tasks.")] = False,
) -> None:
    """List every metric by family, describe some by name, or recommend metrics for a task (--for, --ask)."""
    _check_one_request(names, family, task, ask=ask, tasks=tasks, wide=wide, markdown=markdown, as_json=as_json)
    if task is not None or ask or tasks:
        _recommend(task, tasks=tasks, as_json=as_json)
        return
    if markdown:
        print_data(_markdown(), nl=False)
        return
    described = [known_metric(name) for name in names or ()]
    if wide:
        echo(_wide_listing(described or (family_metrics(family) if family else list(METRICS.values()))))
        return
    if described:
        echo("\n\n".join(map(_details, described)))
        return
    listed = family_metrics(family)
    for name, text in FAMILIES.items():
        members = listed if name == family else [] if family or name == "tsb-ad" else family_metrics(name)
        if members:
            echo(_listing(name, text, members))
    echo(
        "rangewise metrics NAME describes one; --for TASK and --ask recommend some.\n"
        "score and compare take --metric NAME and --family FAMILY."
    )


def _check_one_request(
    names: list[str] | None, family: str | None, task: str | None, *, ask: bool, tasks: bool, wide: bool, markdown: bool, as_json: bool
) -> None:
    """Refuse combinations of requests, so that no option is ignored."""
    given = [
        word
        for word, is_given in (("NAME", names), ("--family", family), ("--for", task is not None), ("--ask", ask), ("--tasks", tasks),
                               ("--markdown", markdown))
        if is_given
    ]  # fmt: skip
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} ask for different things; give one of them")
    if wide and given and given[0] not in {"NAME", "--family"}:
        raise ValueError(f"--wide is for lists of metrics; leave it out with {given[0]}")
    if as_json and given not in (["--for"], ["--tasks"]):
        raise ValueError("--json prints a recommendation or the list of tasks; give --for TASK or --tasks")


def _recommend(task: str | None, *, tasks: bool, as_json: bool) -> None:
    if tasks:
        if as_json:
            print_json({name: each.when for name, each in TASKS.items()})
        else:
            width = max(map(len, TASKS)) + 2
            echo("\n".join(f"{name:<{width}}{each.when}" for name, each in TASKS.items()))
        return
    chosen = _interview() if task is None else [recommend(task)]
    if as_json:
        print_json(chosen[0].to_dict())
        return
    echo("\n\n".join(map(str, chosen)))
    echo("\nalways:")
    for line in ALWAYS:
        echo(f"  {line}")


def _interview() -> list[Recommendation]:
    step: str | Question = QUESTIONS
    while isinstance(step, Question):
        step = step.answers[_answer(step.asks, [words for words, _ in step.answers])][1]
    chosen = [TASKS[step]]
    if not chosen[0].python and _answer("Are starts and ends of the real ranges exact?", ["yes", "only roughly"]):
        chosen.append(TASKS[_ROUGH])
    echo()
    return chosen


def _answer(question: str, answers: list[str]) -> int:
    """The index of the answer; the question is repeated until the answer is valid."""
    echo(question)
    for number, words in enumerate(answers, start=1):
        echo(f"  {number}  {words}")
    while True:
        sys.stdout.write(f"1 to {len(answers)}? ")
        sys.stdout.flush()
        if not (text := sys.stdin.readline()):
            raise ValueError("no answer; answer the questions on standard input, or give --for TASK")
        word = text.strip()
        if word.isdecimal() and 1 <= int(word) <= len(answers):
            return int(word) - 1
        echo(f"please answer a number from 1 to {len(answers)}; got {word!r}")


def _listing(family: Family, text: str, members: list[Metric]) -> str:
    """A family, in lines that fit the terminal."""
    lines = [f"{family}: {text}"]
    indent = 2 + max(map(len, METRICS)) + 1
    for metric in members:
        begin = f"{f'  {metric.name}'.ljust(indent)}{_bounds(metric):6} "
        said = f"{metric.leaderboard + ': ' if family == 'tsb-ad' else ''}{metric.summary}"
        lines += wrapped(said, current_width() or UNKNOWN_WIDTH, first=begin)
    return "\n".join(lines) + "\n"


def _wide_listing(members: list[Metric]) -> str:
    rows = [
        {"metric": metric.name, "what it is": metric.summary} | _facts(metric) | {"breaks": ", ".join(metric.breaks)} for metric in members
    ]
    return Table(list(rows[0]), [list(row.values()) for row in rows], words=range(len(rows[0]))).to_text()


def _details(metric: Metric) -> str:
    lines = [f"{metric.name}: {metric.summary}", *(f"  {name:9} {text}" for name, text in _facts(metric).items())]
    return "\n".join([*lines, *_broken(metric)])


def _facts(metric: Metric) -> dict[str, str]:
    return {
        "needs": f"{metric.needs}{'; with ranges also length=' if metric.takes_length else ''}",
        "bounds": f"{_bounds(metric)}, {metric.better} is better",
        "family": f"{metric.family}{f', tsb-ad ({metric.leaderboard})' if metric.leaderboard else ''}",
        "reference": metric.reference,
        "page": metric.page,
    }


def _broken(metric: Metric) -> list[str]:
    """The properties that it breaks, each with its statement and the measured values; faults come before choices."""
    lines: list[str] = []
    for choice, heading in ((False, "breaks, as measured (docs/metrics/properties.md)"), (True, "differs by design (not a fault)")):
        properties = [PROPERTIES[name] for name in metric.breaks if PROPERTIES[name].choice == choice]
        if properties:
            lines.append(f"  {heading}:")
        for prop in properties:
            measured = prop.measure(metric)
            said = f"{prop.says}: {measured.words if measured else ''}"
            lines += wrapped(said, current_width() or UNKNOWN_WIDTH, first=f"    {prop.name:13} ")
    return lines


def _bounds(metric: Metric) -> str:
    return f"{metric.low:g}..{'' if math.isinf(metric.high) else f'{metric.high:g}'}".replace("-inf", "")


def _markdown() -> str:
    """The index page of the documentation, with links relative to its folder."""
    lines = [
        "# All metrics",
        "",
        "This page is generated from `src/rangewise/metrics/table.py`: `rangewise metrics --markdown > docs/metrics/index.md`.",
        "",
        "Each function takes the real ranges or labels first, then predicted ranges or labels (or scores, if its family says so).",
        "It returns a float. From a shell, use `rangewise score --metric NAME` or `rangewise compare --metric NAME`.",
        "The column *nothing* is the value without predictions. `--family NAME` selects a whole family;",
        "`tsb-ad` selects the metrics with a column on the TSB-AD leaderboard.",
    ]
    for family, text in FAMILIES.items():
        if family == "tsb-ad":
            continue
        lines += ["", f"## {family}", "", f"{text[0].upper()}{text[1:]}.", ""]
        columns = ["metric", "bounds", "better", "nothing", "what it is", "reference", "TSB-AD"]
        rows = [_row(metric) for metric in family_metrics(family)]
        lines.append(Table(columns, rows, words=range(len(columns))).to_markdown().rstrip("\n"))
    return "\n".join(lines) + "\n"


def _row(metric: Metric) -> list[str]:
    page = PurePosixPath(metric.page).relative_to("docs")
    link = page.name if page.parts[0] == "metrics" else f"../{page}"
    name, nothing = Markup(f"[`{metric.name}`]({link})"), f"{metric.nothing:g}"
    return [name, _bounds(metric), metric.better, nothing, metric.summary, metric.reference, metric.leaderboard]
