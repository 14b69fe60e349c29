"""docs/names.md: every public name and every command with one line. ``make names`` writes it; a test checks that it is current."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from reference import PAGES, summary_of

from rangewise.cli.commands import COMMANDS

PAGE = Path(__file__).parents[1] / "names.md"
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


def main() -> None:
    PAGE.write_text(names_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
