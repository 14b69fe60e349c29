"""The command line: one file a command. Bad input ends with one line on stderr and exit code 2, never with a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from rangewise import __version__
from rangewise.cli import data
from rangewise.cli.compare import compare
from rangewise.cli.convert import convert
from rangewise.cli.curve import curve
from rangewise.cli.demo import demo
from rangewise.cli.detect import detect
from rangewise.cli.generate import generate
from rangewise.cli.metrics import metrics
from rangewise.cli.nab import nab
from rangewise.cli.paper import paper
from rangewise.cli.plot import plot
from rangewise.cli.score import score

_INTERRUPTED = 130

app = typer.Typer(name="rangewise", add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
for command in (score, curve, compare, nab, metrics, convert, plot, generate, detect, paper, demo):
    app.command()(command)
app.add_typer(data.app, name="data")


@app.callback(invoke_without_command=True)
def _rangewise(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.", is_eager=True)] = False,
) -> None:
    """How good is a time-series anomaly detector, when anomalies last?"""
    if version:
        typer.echo(f"rangewise {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and give its exit code: 0 fine, 1 a check failed, 2 bad input, 130 interrupted."""
    try:
        result = app(args=list(sys.argv[1:] if arguments is None else arguments), prog_name="rangewise", standalone_mode=False)
    except typer.TyperException as error:
        return _complain(error.format_message())
    except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
        return _complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted")
        return _INTERRUPTED
    if result == _INTERRUPTED:
        _complain("interrupted")
    return result if isinstance(result, int) else 0


def _complain(message: str) -> int:
    print(f"rangewise: {' '.join(message.split())}", file=sys.stderr)
    return 2


def main() -> None:
    code = run()
    if code == _INTERRUPTED:
        # Everything is put away by now. Threads of other libraries may still be at work, and an orderly end of Python under them can abort.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
