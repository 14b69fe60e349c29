"""The command line: one file per command, listed in ``commands.py``.

Bad input ends with one line on stderr and exit code 2, never with a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack

from rangewise import __version__

QUIET = "--quiet"
"""Accepted anywhere in a command: print errors only."""
WIDE = "--wide"
"""Accepted anywhere in a command: all columns of a table, and lines as long as they are."""
JSON = "--json"
"""Then standard output has exactly one JSON value: the result, or the error (``rangewise schema error``)."""
_GROUPS = ("bench", "data")
"""Commands that have commands of their own."""
_ELSEWHERE = {
    "--close-gaps": "; this command does not read predictions by row; close the gaps first with `rangewise convert IN OUT --close-gaps N`",
    "classes --close-gaps": "; runs of a class are separated by other classes or the background, so there are no gaps to close",
    **dict.fromkeys(("curve --predicted", "report --predicted"), "; --scores names the column"),
    **dict.fromkeys(("score --scores", "compare --scores", "ranking --scores"), "; --predicted names the column, also of scores"),
}
"""Options that most commands have, and what to do in a command without them, by option or by command and option."""
_MISSING = dict.fromkeys(
    ("compare", "ranking"), " Give a file for each detector; a table of many series alone is for `rangewise score`, `curve` and `report`."
)
"""What to do without an argument, by command."""
_INTERRUPTED = 130
_OWN_MISTAKE = 70  # sysexits.h: an internal software error


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 success, 1 a check failed, 2 bad input, 70 internal error, 130 interrupted."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    with ExitStack() as silenced:
        if QUIET in words:
            from rangewise.cli.errors import quiet

            silenced.enter_context(quiet())
            words = [word for word in words if word != QUIET]
        elif any(word.endswith((".parquet", ".pq")) for word in words):
            from rangewise.cli.errors import silent_libraries

            silenced.enter_context(silent_libraries())  # polars prints its own messages about a damaged file
        if words == ["--version"]:
            print(version_line())  # without the parser, which takes longer to load than NumPy
            return 0
        if JSON in words:
            return _run_json(words)
        code, message = _outcome(words)
        if message is not None:
            _print_error(message)
        return code


def _run_json(words: list[str]) -> int:
    """Standard output has one JSON value, whatever happens: the result, or the error."""
    import io
    import json
    from contextlib import redirect_stdout

    with redirect_stdout(io.StringIO()) as printed:
        code, message = _outcome(words)
    if message is None:
        print(printed.getvalue(), end="")
        return code
    from rangewise.cli.errors import error_text

    _print_error(message)
    command = " ".join(word for word in words[: 2 if words[0] in _GROUPS else 1] if not word.startswith("-"))
    print(json.dumps({"error": {"message": error_text(message), "exit_code": code, "command": command}}))
    return code


def _outcome(words: list[str]) -> tuple[int, str | None]:
    """Run a command: its exit code, and what went wrong."""
    try:
        import typer

        from rangewise.cli.commands import run_command
        from rangewise.cli.printing import terminal_width
        from rangewise.tables import text_width
    except KeyboardInterrupt:
        return _INTERRUPTED, "interrupted"
    try:
        with text_width(None if WIDE in words else terminal_width()):
            result = run_command(_without_wide(words))
    except typer.TyperException as error:
        message = error.format_message()
        if message.startswith("Missing argument"):
            return 2, message + _MISSING.get(words[0], "")
        unknown = getattr(error, "option_name", "") if message.startswith("No such option") else ""
        elsewhere = _ELSEWHERE.get(f"{words[0]} {unknown}", _ELSEWHERE.get(unknown))
        # Our hint replaces the parser's guess, which compares only the letters.
        return 2, message if elsewhere is None else f"{message.partition(' (Possible')[0].partition(' Did you mean')[0]}{elsewhere}"
    except OSError as error:
        # An error of the system as "name: what is wrong", without its number; ours have only a text.
        return 2, f"{error.filename}: {error.strerror}" if error.filename and error.strerror else error.strerror or str(error)
    except (ValueError, TypeError, ModuleNotFoundError) as error:
        return 2, str(error)
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED, "interrupted"
    except MemoryError:
        return 2, "not enough memory; use smaller input, or split it into parts"
    except BaseException as error:
        # A panic of polars is a BaseException. Exceptions that end the program on purpose pass through.
        if isinstance(error, (SystemExit, GeneratorExit)):
            raise
        return _OWN_MISTAKE, _own_mistake(error)
    if result == _INTERRUPTED:
        return _INTERRUPTED, "interrupted"
    return result if isinstance(result, int) else 0, None


def _without_wide(words: list[str]) -> list[str]:
    """The words of the command but ``--wide``, which ``metrics`` has as an option of its own."""
    if WIDE not in words or words[0] == "metrics":
        return words
    if data := next((word for word in words if word in ("--json", "--latex", "--markdown", "--csv")), None):
        raise ValueError(f"--wide is for tables in the terminal, and {data} is as wide as it needs to be; leave one out")
    return [word for word in words if word != WIDE]


def version_line() -> str:
    return f"rangewise {__version__}"


def _own_mistake(error: BaseException) -> str:
    """The text of an internal error, with the traceback only on request."""
    if os.environ.get("RANGEWISE_DEBUG"):
        import traceback

        traceback.print_exception(error)
    return (
        f"internal error, please report it with the command and, if you can, the file: {type(error).__name__}: {error} "
        "(RANGEWISE_DEBUG=1 shows where)"
    )


def _print_error(message: str) -> int:
    from rangewise.cli.errors import print_error

    print_error(message)
    return 2


def _one_line(message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None) -> str:
    """A warning without the source line, which means nothing to users of the command line."""
    from rangewise.checks import visible

    return visible(f"rangewise: {' '.join(str(message).split())}") + "\n"


def _open_closed_streams() -> None:
    """Replace standard streams that the caller closed by empty ones. Otherwise the next file that is opened gets their number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def main() -> None:
    import warnings

    warnings.formatwarning = _one_line
    _open_closed_streams()
    code = 0
    try:
        code = run()
        sys.stdout.flush()
    except OSError as error:
        if code != 2:  # otherwise the command has reported it already
            code = _print_error(f"cannot write to standard output: {error.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that Python does not try to write the rest again at exit
    if code == _INTERRUPTED:
        # All files are closed by now. Threads of other libraries may still run, and a regular exit of Python under them can abort.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
