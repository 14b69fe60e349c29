"""The reference of the site: every public name from its docstring, every command from itself, as Markdown.

Docstrings use reStructuredText in a few places (formulas, roles, parameters); ``markdown_of`` turns these into Markdown. This file does not
depend on the site generator, so that the tests run without it.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import rangewise
from rangewise.cli.commands import COMMANDS, load_command


@dataclass(frozen=True)
class Page:
    """A page of the reference: the names of one module, either all that it lists as public or the given ones."""

    file: str
    title: str
    module: str
    names: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        return self.names or tuple(import_module(self.module).__all__)


PAGES = (
    Page(
        "scores", "Scores and the model", "rangewise",
        (
            "score", "RangeModel", "Score", "RangeRows", "RangeRow", "Ranges", "as_ranges",
            "range_precision", "range_recall", "range_fbeta", "PRESETS", "classical", "early", "late", "centered", "unfragmented",
            "numenta_standard", "numenta_low_fp", "numenta_low_fn",
            "Tally", "MacroScore", "macro", "Stream",
        ),
    ),
    Page("curves", "Cases and curves", "rangewise", ("Case", "Curve", "PooledCurve", "pooled_curve", "close_gaps", "set_threads")),
    Page("comparing", "Comparing detectors", "rangewise", (
        "compare", "DetectorTable", "ranking", "Ranking", "Crossing", "AlphaSegment", "fit_model", "ModelFit", "AlphaInterval",
    )),
    Page("many", "Many series and channels", "rangewise", ("score_many", "ManyScores", "ManyDetectors", "score_channels")),
    Page("alerts", "Alerts and reports", "rangewise", (
        "alert_summary", "AlertSummary", "backtest", "Backtest", "early_warning", "EarlyWarning", "warning_curve", "WarningCurve",
        "care_score", "CareEvent", "CareScore", "review", "Review", "report", "Report",
    )),
    Page("audit", "Audits of data sets", "rangewise", ("audit", "Audit")),
    Page("nab", "NAB and TSB-AD", "rangewise", (
        "nab_score", "NabScore", "NabProfile", "nab_curve", "NabCurve", "nab_corpus", "NabCorpus", "tsb_ad",
    )),
    Page("classes", "Several classes", "rangewise", (
        "score_classes", "ClassScores", "segmental_f1", "edit_score", "class_event_fbeta", "class_error_rate", "class_event_analysis",
        "frame_accuracy", "macro_frame_f1",
    )),
    Page("events", "Events", "rangewise", ("score_events", "EventScore", "EventProtocol", "average_by_subject", "ScoredRanges")),
    Page("pipelines", "With scikit-learn", "rangewise.pipelines"),
    *(Page(f"rangewise.{part}", f"rangewise.{part}", f"rangewise.{part}") for part in (
        "model", "metrics", "thresholds", "classes", "events", "rankings", "many", "reports", "datasets", "detectors", "training",
        "bench", "bench.statistics", "audits",
    )),
)  # fmt: skip
_OWN = "rangewise"
_OPTIONS = {
    "CaseOptions": "The input options of `Case.read`.",
    "ModelOptions": "The settings of `RangeModel`.",
    "ScoreOptions": "The settings of `RangeModel` and the input options of `Case.read`.",
}
"""What ``**options`` of each type are."""
_SOURCES = Path(rangewise.__file__).parent


@dataclass(frozen=True)
class Place:
    """Where a public name is explained: a page of the reference, and the heading there."""

    page: str
    anchor: str

    @property
    def link(self) -> str:
        return f"{self.page}.md#{self.anchor}"


@cache
def places() -> dict[str, Place]:
    """The place of every public name and method, by its full name; ``rangewise.nab_score`` is also ``rangewise.metrics.nab_score``."""
    found: dict[str, Place] = {}
    by_value: dict[int, Place] = {}
    for page in PAGES:
        for name in page.shown:
            value = getattr(import_module(page.module), name)
            full = f"{page.module}.{name}"
            place = by_value.setdefault(id(value), Place(page.file, full))
            found[full] = place
            if inspect.isclass(value):
                for method, _ in _methods(value):
                    found[f"{full}.{method}"] = Place(place.page, f"{place.anchor}.{method}")
    return found


def reference_page(page: Page) -> str:
    """A page of the reference: one section per name, with its signature, its parameters, its docstring and its public methods."""
    module = import_module(page.module)
    lines = [f"# {page.title}", ""]
    if page.module != _OWN:
        lines += [f"`import {page.module}`", "", markdown_of(inspect.getdoc(module) or ""), ""]
    for name in page.shown:
        lines += _section(page, name, getattr(module, name))
    return "\n".join(lines).rstrip() + "\n"


def _section(page: Page, name: str, value: Any) -> list[str]:
    full = f"{page.module}.{name}"
    heading = [f"## {name} {{ #{full} }}", ""]
    place = places()[full]
    if place.anchor != full:
        return [*heading, f"{summary_of(name, value)} See [`{place.anchor}`]({place.link}).", ""]
    if inspect.ismodule(value):
        return [*heading, f"The module [`{value.__name__}`]({value.__name__}.md).", ""]
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        shown = _code(repr(value)) if len(repr(value)) < 200 else ", ".join(map(_code, value))
        return [*heading, summary_of(name, value), "", f"`{type(value).__name__}`: {shown}", ""]
    lines = [*heading, _signature(full, value), "", *_explained(value)]
    if inspect.isclass(value):
        for method, plain in _methods(value):
            lines += [f"### {name}.{method} {{ #{full}.{method} }}", ""]
            if plain is None:
                lines += [markdown_of(inspect.getdoc(vars(value)[method]) or ""), ""]
            else:
                lines += [_signature(method, plain), "", *_explained(plain)]
    return lines


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods of a class with the function behind each, and its properties with None."""
    if issubclass(kind, (enum.Enum, Warning)):
        return
    for name, value in vars(kind).items():
        if name.startswith("_") or not inspect.getdoc(value):
            continue
        if inspect.isroutine(value) or isinstance(value, (classmethod, staticmethod)):
            yield name, value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        elif isinstance(value, property) or type(value).__name__ == "cached_property":
            yield name, None


def _explained(value: Any) -> list[str]:
    """The docstring, and the parameters as a table, before the examples."""
    described, text = _split_parameters(inspect.getdoc(value) or "")
    before, examples, after = text.partition("\n\n>>>") if not text.startswith(">>>") else ("", ">>>", text[3:])
    table = _parameter_table(value, described)
    return [markdown_of(before), "", *table, markdown_of((examples + after).strip()), ""]


def _split_parameters(docstring: str) -> tuple[dict[str, str], str]:
    """What ``:param a, b: text`` says of each parameter, and the docstring without it."""
    described: dict[str, str] = {}

    def take(block: re.Match[str]) -> str:
        for entry in re.split(r"^:param ", block[0], flags=re.MULTILINE)[1:]:
            names, _, text = entry.partition(":")
            described.update(dict.fromkeys((name.strip() for name in names.split(",")), " ".join(text.split())))
        return ""

    rest = re.sub(r"^:param .*?(?=\n\s*\n|\Z)", take, docstring, flags=re.MULTILINE | re.DOTALL)
    return described, re.sub(r"\n\s*\n(\s*\n)+", "\n\n", rest)


def _parameter_table(value: Any, described: dict[str, str]) -> list[str]:
    described = {**_field_texts(value), **described} if dataclasses.is_dataclass(value) else described
    rows = []
    for one in _parameters(value):
        text = described.get(one.name, "")
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            kind = re.search(r"Unpack\[(\w+)\]", str(one.annotation))
            text = text or _OPTIONS.get(kind[1] if kind else "", "")
            rows.append((f"`**{one.name}`", "", "", text))
        else:
            default = "" if one.default is inspect.Parameter.empty else _code(_plain(repr(one.default)))
            rows.append((_code(one.name), _type_text(one.annotation), default, text))
    if not rows:
        return []
    columns = [column for column in range(4) if column == 0 or any(row[column] for row in rows)]
    titles = ("parameter", "type", "default", "meaning")
    lines = ["| " + " | ".join(titles[column] for column in columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(_table_cell(_inline(row[column])) for column in columns) + " |" for row in rows]
    return [*lines, ""]


def _table_cell(text: str) -> str:
    """Bars end a cell, except in code."""
    return "".join(part if part.startswith("`") else part.replace("|", "\\|") for part in re.split(r"(`[^`]*`)", text))


def _parameters(value: Any) -> list[inspect.Parameter]:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    return [one for one in signature.parameters.values() if one.name not in ("self", "cls") and not one.name.startswith("_")]


def _type_text(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(?:rangewise|typing|collections\.abc|numpy)(?:\.\w+)*\.(?=\w)", "", text.strip("'\""))
    return "" if text == "Any" else _code(text)


def _field_texts(kind: type) -> dict[str, str]:
    """The string below each field of a dataclass, which explains it."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body  # type: ignore[attr-defined]
    except (OSError, TypeError):
        return {}
    pairs = itertools.pairwise(body)
    return {first.target.id: _text_of(second) for first, second in pairs if isinstance(first, ast.AnnAssign) and _text_of(second)}


def _text_of(node: ast.AST) -> str:
    """The words of a statement that is only a string."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return " ".join(inspect.cleandoc(node.value.value).split())
    return ""


def summary_of(name: str, value: Any) -> str:
    """One line on a public name, as Markdown: the first sentence of its docstring, or of the string below a constant.

    >>> summary_of("early", rangewise.early)
    'Finding the beginning counts most: real-time alarms, diagnosis.'
    """
    documented = inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)
    text = (inspect.getdoc(value) or "").partition("\n\n")[0] if documented else _constant_text(name, value)
    words = " ".join(text.split())
    return _inline(re.split(r"(?<=[.?!])\s+(?=[A-Z`:(])", words)[0]) if words else ""


def _constant_text(name: str, value: Any) -> str:
    for path in sorted(_SOURCES.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if not re.search(rf"^{name}\b.*=", source, re.MULTILINE):
            continue
        module = ".".join(("rangewise", *path.relative_to(_SOURCES).with_suffix("").parts)).removesuffix(".__init__")
        if getattr(import_module(module), name, None) is not value:
            continue
        body = ast.parse(source).body
        for first, second in itertools.pairwise(body):
            target = first.targets[0] if isinstance(first, ast.Assign) else getattr(first, "target", None)
            if getattr(target, "id", "") == name and _text_of(second):
                return _text_of(second)
    return ""


def _code(name: object) -> str:
    return f"`{name}`"


def _signature(called: str, value: Any) -> str:
    """The call with its defaults, without types: these are in the table."""
    try:
        inspect.signature(value)
    except (TypeError, ValueError):
        return f"```python\n{called}(...)\n```"
    parts, keyword_only = [], False
    for one in _parameters(value):
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        keyword_only = keyword_only or one.kind is inspect.Parameter.VAR_POSITIONAL
        parts.append(_plain(str(one.replace(annotation=inspect.Parameter.empty))))
    line = f"{called}({', '.join(parts)})"
    if len(line) > 88:
        line = f"{called}(\n" + textwrap.fill(", ".join(parts), 84, initial_indent="    ", subsequent_indent="    ") + ",\n)"
    return f"```python\n{line}\n```"


def _plain(text: str) -> str:
    """Without addresses, which would change with every run."""
    return re.sub(r"<(?:function|built-in function|object) ([\w.]+)[^>]*>", r"\1", text)


def markdown_of(docstring: str) -> str:
    """A docstring as Markdown.

    >>> print(markdown_of("As :meth:`Score.explain` says, ``a < b``."))
    As `Score.explain` says, `a < b`.
    """
    blocks = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(docstring)):
        if block.lstrip().startswith(">>>"):
            blocks.append(f"```python\n{inspect.cleandoc(block)}\n```")
        elif formula := re.match(r"\.\. math::\s*(.*)", block.strip(), re.DOTALL):
            # Without text, the formula is in the indented blocks that follow.
            blocks.append(f"$$\n{' '.join(formula[1].split())}\n$$" if formula[1] else "$$")
        elif block.startswith("    ") and blocks and blocks[-1] == "$$":
            blocks[-1] = f"$$\n{' '.join(block.split())}\n$$"
        elif block.startswith("    ") and blocks and blocks[-1].startswith("$$"):
            blocks.append(f"$$\n{' '.join(block.split())}\n$$")
        else:
            blocks.append(_inline(block))
    return "\n\n".join(blocks)


def _inline(text: str) -> str:
    text = re.sub(r":math:`([^`]+)`", r"$\1$", text)
    text = re.sub(r":\w+:`~?(?:rangewise\.)?([^`]+)`", r"`\1`", text)
    return re.sub(r"``([^`]+)``", r"`\1`", text)


def command_pages() -> dict[str, str]:
    """One page per command, by the name of its file, and a list of them: usage, text and options, from the commands themselves."""
    commands = {name: load_command(name) for name in COMMANDS}
    rows = [f"| [`rangewise {name}`]({name}.md) | {_cell(_first_line(command))} |" for name, command in commands.items()]
    listed = ["# Commands", "", "Every command has `--help`.", "", "| command | does |", "| --- | --- |", *rows]
    pages = {"index": "\n".join(listed) + "\n"}
    for name, command in commands.items():
        lines = _command(f"rangewise {name}", command, 1)
        for part, own in getattr(command, "commands", {}).items():
            lines += _command(f"rangewise {name} {part}", own, 2)
        pages[name] = "\n".join(lines).rstrip() + "\n"
    return pages


def _first_line(command: Any) -> str:
    return " ".join((command.help or "").partition("\n\n")[0].split())


def _command(called: str, command: Any, level: int) -> list[str]:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    usage = " ".join([called, "[OPTIONS]", *(one.metavar or one.name.upper() for one in arguments)])
    lines = [f"{'#' * level} {called}", "", f"```sh\n{usage}\n```", "", _named_options(command.help or ""), ""]
    rows = [(_code(one.metavar or one.name.upper()), one.help or "") for one in arguments]
    for one in command.params:
        if one.param_type_name == "option" and not one.hidden:
            value = "" if one.is_flag else f" {one.metavar or 'VALUE'}"
            rows.append((", ".join(_code(f"{opt}{value}") for opt in (*one.opts, *one.secondary_opts)), one.help or ""))
    if rows:
        lines += ["| option | meaning |", "| --- | --- |", *(f"| {left} | {_cell(text)} |" for left, text in rows), ""]
    return lines


def _cell(text: str) -> str:
    return _named_options(" ".join(text.split()).replace("|", "\\|").replace("<", "&lt;"))


def _named_options(text: str) -> str:
    """Options as code, which no browser breaks after the dashes."""
    return re.sub(r"(?<![\w`-])--[a-z][a-z-]*", lambda option: _code(option[0]), text)
