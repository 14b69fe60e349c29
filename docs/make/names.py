"""docs/names.md: every public name and every command with one line. ``make names`` writes it; a test checks that it is current.

``python docs/make/names.py --release`` also writes docs/released-names.txt: what the release promises to keep. tests/docs/test_promises.py
fails when something of it goes away without a line in CHANGELOG.md.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from reference import PAGES, summary_of

from rangewise import __version__
from rangewise.cli.commands import COMMANDS, load_command
from rangewise.cli.json_schemas import SHAPES, json_keys

PAGE = Path(__file__).parents[1] / "names.md"
RELEASED = PAGE.with_name("released-names.txt")
_INTRODUCTION = """# Public names

<!-- Made by docs/make/names.py from the docstrings; do not edit. -->

Everything that you can import, with one line each. `import rangewise as rw` gives the names of the first table; `help(rw.score)` and the
reference explain each in full. Names that `rangewise` and one of its packages share are listed once, in the first table.
The commands are in the last table.
"""


def names_page() -> str:
    lines = [_INTRODUCTION]
    seen: set[int] = set()
    for module, names in _modules().items():
        rows = list(_rows(module, names, seen))
        if rows:
            prefix = "rw" if module == "rangewise" else module
            lines += [f"## {module}", "", "| name | is |", "| --- | --- |", *(f"| `{prefix}.{name}` | {text} |" for name, text in rows), ""]
    commands = (f"| `rangewise {name}` | {text} |" for name, text in COMMANDS.items())
    lines += ["## Commands", "", "| command | does |", "| --- | --- |", *commands]
    return "\n".join(lines).rstrip() + "\n"


def _modules() -> dict[str, list[str]]:
    """The public names of each module, sorted; those of the package itself first."""
    found: dict[str, list[str]] = {}
    for page in PAGES:
        found.setdefault(page.module, []).extend(page.shown)
    found["rangewise"] += [name for name in import_module("rangewise").__all__ if name not in found["rangewise"]]
    return {module: sorted(names, key=str.lower) for module, names in found.items()}


def _rows(module: str, names: list[str], seen: set[int]) -> Iterator[tuple[str, str]]:
    for name in names:
        value = getattr(import_module(module), name)
        if id(value) not in seen:
            seen.add(id(value))
            yield name, summary_of(name, value).replace("|", "\\|")


def promises() -> list[str]:
    """What users may rely on, one line each: names, arguments, attributes, commands, options, and the keys of JSON."""
    lines = []
    for module, names in _modules().items():
        for name in names:
            value = getattr(import_module(module), name)
            lines += [f"{module}.{name}", *(f"{module}.{name}{part}" for part in _parts(value))]
    for name in COMMANDS:
        lines += _command_lines(f"rangewise {name}", load_command(name))
    lines += [f"json {name}: {key}" for name in SHAPES for key in json_keys(name)]
    return sorted(set(lines))


def _parts(value: object) -> Iterator[str]:
    """The arguments of a function, and the attributes and methods of a class of ours."""
    if inspect.isfunction(value):
        yield from (f"({name})" for name in inspect.signature(value).parameters)
    elif inspect.isclass(value):
        own = [each for each in value.__mro__ if each.__module__.startswith("rangewise")]
        attributes = {name for each in own for name in (*vars(each), *getattr(each, "__annotations__", ()))}
        yield from (f".{name}" for name in attributes if not name.startswith("_"))


def _command_lines(name: str, command: object) -> Iterator[str]:
    yield name
    for part, inner in getattr(command, "commands", {}).items():
        yield from _command_lines(f"{name} {part}", inner)
    for option in getattr(command, "params", ()):
        yield from (f"{name} {flag}" for flag in (*option.opts, *option.secondary_opts) if flag.startswith("--") and flag != "--help")


def gone(released: str, promised: list[str], changelog: str) -> list[str]:
    """The lines of a list of released names that are gone, and whose name no newer section of the changelog has in backticks."""
    first, *lines = released.splitlines()
    newer = re.split(rf"^## {re.escape(first.removeprefix('# '))}\b", changelog, flags=re.MULTILINE)[0]
    mentioned = {word for code in re.findall(r"`([^`]+)`", newer) for word in re.findall(r"[\w-]+", code)}
    return [line for line in lines if line not in promised and re.findall(r"[\w-]+", line)[-1] not in mentioned]


def main() -> None:
    PAGE.write_text(names_page(), encoding="utf-8")
    if "--release" in sys.argv[1:]:
        RELEASED.write_text("\n".join([f"# {__version__}", *promises()]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
