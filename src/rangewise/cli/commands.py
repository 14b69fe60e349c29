"""The commands by name. Each command is imported when it is called, so that none waits for the libraries of others."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rangewise.cli import QUIET, WIDE, version_line
from rangewise.cli.parameters import expanded
from rangewise.cli.printing import print_data

COMMANDS = {
    "score": "Score predicted against real anomalies: precision, recall and F for ranges, or the metrics named with --metric.",
    "curve": "Precision, recall and F at every threshold of a detector's scores: the best threshold and the average precision.",
    "compare": "Compare detectors: one row per detector, one column per metric, with ranks; * marks where metrics disagree on the order.",
    "classes": "Score several classes, such as activities, sounds or heart beats: one row per class, averages, and confusions.",
    "events": "Score events in seconds by the protocols of other fields: seizures (SzCORE, NEDC), sounds, activities, LLM answers.",
    "alerts": "Evaluate alerts against incidents: found and missed incidents, delays, false alerts, and the value of each rule.",
    "backtest": "Choose the threshold of an alert rule: backtest every threshold of a Prometheus rule against past incidents.",
    "review": "Review alerts week over week: is this week better or worse, and which rules should change first?",
    "ranking": "Find which detector ranks first under which settings of the model, with exact borders, as text, table and map.",
    "advise": "Find the settings that match your priorities: answer up to ten questions about small timelines and get a model.",
    "report": "Write a self-contained HTML report: which detector is best, whether to trust it, and what each detector missed.",
    "nab": "Score a detector's results on NAB: 0 finds nothing, 100 is perfect.",
    "metrics": "List every metric by family, describe some by name, or recommend metrics for a task (--for, --ask).",
    "convert": "Convert labels and ranges of anomalies between formats.",
    "plot": "Plot a series with its real and predicted ranges.",
    "generate": "Generate a labeled series into a CSV or Parquet file, with a JSON recipe beside it.",
    "detect": "Score every row of a series with a detector and write its labels: 1 where the score reaches the threshold.",
    "audit": "Can you trust a data set? Check its series for flaws before you compare detectors on them.",
    "bench": "Run benchmarks: many detectors on many series, with time and memory limits, resumable runs, and statistics.",
    "paper": "Reproduce the figures, tables and claims of the paper: pictures, CSV files, and a page, paper.md.",
    "demo": "Run the detectors on a generated series, score them in three ways, explain the scores, and plot them.",
    "data": "List and download public data sets.",
    "schema": "Print the JSON Schema of what a command prints with --json; without a command, list those that have one.",
}
"""Name and help of each command, in the order of ``rangewise --help``.

A command is a line here, and a function of that name in the file of that name (or ``app`` there, where it has commands of its own),
whose documentation begins with the same words.
"""
_LOOK: dict[str, Any] = {"rich_markup_mode": "rich", "pretty_exceptions_enable": False}


class _Commands(TyperGroup):
    """Knows the commands by name and help, and imports the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else load_command(name), rest


def load_command(name: str) -> Any:
    """The command of that name, from its file."""
    module = import_module(f"rangewise.cli.{name.replace('-', '_')}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, **_LOOK)
        app.command(name)(expanded(getattr(module, name.replace("-", "_"))))
    command = typer.main.get_command(app)
    command.name = name
    _let_flow(command)
    return command


def _let_flow(command: Any) -> None:
    """Reflow the paragraphs of the help to the width of the window, without the line breaks of the source."""
    if command.help:
        command.help = "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n"))
    for part in getattr(command, "commands", {}).values():
        _let_flow(part)


def _not_loaded() -> None:
    """The placeholder of a command until it is called."""


app = typer.Typer(name="rangewise", cls=_Commands, **_LOOK)
for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(_not_loaded)


@app.callback(invoke_without_command=True)
def _rangewise(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
    quiet: Annotated[bool, typer.Option(QUIET, help="Print errors only; accepted anywhere in a command.")] = False,
    wide: Annotated[
        bool, typer.Option(WIDE, help="All columns of tables, and lines that do not wrap; accepted anywhere in a command.")
    ] = False,
) -> None:
    """Evaluate time-series anomaly detectors by ranges."""
    if version:
        print_data(version_line())
        raise typer.Exit
    if context.invoked_subcommand is None:
        print_data(context.get_help())


def run_command(words: list[str]) -> Any:
    """Run the words of a command line. A command is built without the others, which take longer to build than to score."""
    if words and words[0] in COMMANDS:
        return load_command(words[0])(args=words[1:], prog_name=f"rangewise {words[0]}", standalone_mode=False)
    return app(args=words, prog_name="rangewise", standalone_mode=False)
