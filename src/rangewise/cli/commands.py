"""The commands by name. A file is imported when its command is called, so that no command waits for the libraries of another."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rangewise.cli import QUIET, version_line
from rangewise.cli.parameters import expanded
from rangewise.cli.printing import echo

COMMANDS = {
    "score": "Score predicted against real anomalies: precision, recall and F for ranges, or the metrics named with --metric.",
    "curve": "Precision, recall and F at every threshold of a detector's scores: the best threshold and the average precision.",
    "compare": "Compare detectors: one row per detector, one column per metric, with ranks; * marks an order unlike the first metric's.",
    "classes": "Score several classes: one row per class, averages, what each was taken for; activities, sounds, heart beats.",
    "events": "Score events in seconds by the protocols of other fields: seizures (SzCORE, NEDC), sounds, activities, LLM answers.",
    "alerts": "How good are alerts? Incidents found and missed, how late, how noisy, and what each rule is worth.",
    "backtest": "Which threshold for my alert rule? Every threshold of a Prometheus rule, against the incidents that happened.",
    "review": "Was this week better? Incidents found and missed, how late and how noisy, week over week, and the rules to change first.",
    "ranking": "Who is first under which settings of the model? Exact borders, in words, as a table and as a map.",
    "advise": "Find the settings that match your priorities: at most ten questions, each two small timelines, and a model at the end.",
    "report": "Write a self-contained HTML report: which detector is best, whether to trust it, and what each of them missed.",
    "nab": "Score a detector's results on NAB: 0 finds nothing, 100 is perfect.",
    "metrics": "List every metric by family, describe some by name, or recommend metrics for a task (--for, --ask).",
    "convert": "Convert labels and ranges of anomalies between formats.",
    "plot": "Draw a series with its real ranges, and predicted ones, shaded.",
    "generate": "Generate a labeled series into a CSV or Parquet file, with a JSON recipe beside it.",
    "detect": "Score every row of a series with a detector and write its labels: 1 where the score reaches the threshold.",
    "audit": "May a data set be believed? Check its series for flaws before detectors are compared on them.",
    "bench": "Benchmarks: many detectors on many series, with limits, failures as rows, a store to go on from, and statistics.",
    "paper": "Make the figures, tables and claims of the paper anew: pictures, CSV files, and a page, paper.md.",
    "demo": "Generate the paper's sine series, run the detectors, score them in three ways, say why, and draw it.",
    "data": "Public data sets: what there is, what is here, and where.",
}
"""Name and help of each command, in the order of ``rangewise --help``.

A command is a line here, and a function of that name in the file of that name (or ``app`` there, where it has commands of its own),
whose documentation begins with the same words.
"""


class _Commands(TyperGroup):
    """Knows the commands by name and help, and imports the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else load_command(name), rest


def load_command(name: str) -> Any:
    """The command of that name, from its file."""
    module = import_module(f"rangewise.cli.{name.replace('-', '_')}")
    found = getattr(module, "app", None)
    if found is None:
        found = _typer()
        found.command(name)(expanded(getattr(module, name.replace("-", "_"))))
    command = typer.main.get_command(found)
    command.name = name
    _let_flow(command)
    return command


def _let_flow(command: Any) -> None:
    """Paragraphs of the help flow to the width of the window: the line breaks of the source are none of the reader's."""
    if command.help:
        command.help = "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n"))
    for part in getattr(command, "commands", {}).values():
        _let_flow(part)


def _typer(*, add_completion: bool = False, **options: Any) -> typer.Typer:
    return typer.Typer(add_completion=add_completion, rich_markup_mode="rich", pretty_exceptions_enable=False, **options)


def _not_loaded() -> None:
    """Stands for a command until it is called."""


app = _typer(name="rangewise", cls=_Commands, add_completion=True)
for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(_not_loaded)


@app.callback(invoke_without_command=True)
def _rangewise(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.", is_eager=True)] = False,
    quiet: Annotated[bool, typer.Option(QUIET, help="Print nothing but errors; anywhere in the command.")] = False,
) -> None:
    """How good is a time-series anomaly detector, when anomalies last?"""
    if version:
        echo(version_line())
        raise typer.Exit
    if context.invoked_subcommand is None:
        echo(context.get_help())
