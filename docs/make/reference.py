"""The reference of the site: every public name from its docstring, every command from itself, as Markdown.

Docstrings speak reStructuredText in a few places (formulas, roles, parameters); ``markdown_of`` turns these into Markdown. Knows nothing of
the program that makes the site, so that the tests need not have it.
"""

from __future__ import annotations

import enum
import inspect
import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rangewise.cli.commands import COMMANDS, load_command


@dataclass(frozen=True)
class Page:
    """A page of the reference: names of one module, all that it says are public, or those listed."""

    file: str
    title: str
    module: str
    names: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        return self.names or tuple(import_module(self.module).__all__)


PAGES = (
    Page(
        "model", "Scores and the model", "rangewise",
        (
            "score", "RangeModel", "Score", "RangeRows", "RangeRow", "Ranges", "as_ranges",
            "range_precision", "range_recall", "range_fbeta", "PRESETS", "classical", "early", "late", "centered", "unfragmented",
            "numenta_standard", "numenta_low_fp", "numenta_low_fn",
            "Tally", "MacroScore", "macro", "Stream",
        ),
    ),
    Page("curves", "Cases and curves", "rangewise", ("Case", "Curve", "PooledCurve", "pooled_curve", "close_gaps")),
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
    Page("classes_top", "Several classes", "rangewise", (
        "score_classes", "ClassScores", "segmental_f1", "edit_score", "class_event_fbeta", "class_error_rate", "class_event_analysis",
        "frame_accuracy", "macro_frame_f1",
    )),
    Page("events_top", "Events", "rangewise", ("score_events", "EventScore", "EventProtocol", "average_by_subject", "ScoredRanges")),
    Page("pipelines", "With scikit-learn", "rangewise.pipelines"),
    Page("model_room", "rangewise.model", "rangewise.model"),
    Page("metrics", "rangewise.metrics", "rangewise.metrics"),
    Page("thresholds", "rangewise.thresholds", "rangewise.thresholds", (
        "ThresholdPolicy", "BestF", "Fixed", "Quantile", "Sigma", "parse_policy",
    )),
    Page("classes", "rangewise.classes", "rangewise.classes"),
    Page("events", "rangewise.events", "rangewise.events"),
    Page("rankings", "rangewise.rankings", "rangewise.rankings"),
    Page("many_room", "rangewise.many", "rangewise.many"),
    Page("reports", "rangewise.reports", "rangewise.reports"),
    Page("datasets", "rangewise.datasets", "rangewise.datasets"),
    Page("detectors", "rangewise.detectors", "rangewise.detectors"),
    Page("training", "rangewise.training", "rangewise.training"),
    Page("bench", "rangewise.bench", "rangewise.bench"),
    Page("statistics", "rangewise.bench.statistics", "rangewise.bench.statistics"),
    Page("audits", "rangewise.audits", "rangewise.audits"),
)  # fmt: skip
_OWN = "rangewise"


def reference_page(page: Page) -> str:
    """A page of the reference: a section a name, with its signature, its docstring and its public methods."""
    module = import_module(page.module)
    lines = [f"# {page.title}", ""]
    if page.module != _OWN:
        lines += [f"`import {page.module}`", "", markdown_of(inspect.getdoc(module) or ""), ""]
    for name in page.shown:
        lines += _section(page.module, name, getattr(module, name))
    return "\n".join(lines).rstrip() + "\n"


def _section(module: str, name: str, found: Any) -> list[str]:
    if inspect.ismodule(found):
        return [f"## {name}", "", f"The module `{found.__name__}`.", ""]
    called = f"{module}.{name}" if module != _OWN else f"rangewise.{name}"
    if not (inspect.isclass(found) or inspect.isroutine(found)):
        kind = type(found).__name__
        text = f"A `{kind}`: `{found!r}`" if len(repr(found)) < 200 else f"A `{kind}` of {len(found)}: {', '.join(map(_code, found))}"
        return [f"## {name}", "", text, ""]
    lines = [f"## {name}", "", f"```python\n{called}{_signature(found)}\n```", "", markdown_of(inspect.getdoc(found) or ""), ""]
    if inspect.isclass(found) and not issubclass(found, (enum.Enum, Warning)):
        for method, value in vars(found).items():
            if method.startswith("_") or not inspect.getdoc(value):
                continue
            if inspect.isroutine(value) or isinstance(value, (classmethod, staticmethod)):
                plain = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                lines += [
                    f"### {name}.{method}",
                    "",
                    f"```python\n{method}{_signature(plain)}\n```",
                    "",
                    markdown_of(inspect.getdoc(value) or ""),
                    "",
                ]
            elif isinstance(value, property) or type(value).__name__ == "cached_property":
                lines += [f"### {name}.{method}", "", markdown_of(inspect.getdoc(value) or ""), ""]
    return lines


def _code(name: object) -> str:
    return f"`{name}`"


def _signature(found: Any) -> str:
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    parts = [_plain(str(one)) for one in parameters]
    kinds = [one.kind for one in parameters]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parts.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    line = f"({', '.join(parts)})"
    return line if len(line) < 100 else "(\n    " + ",\n    ".join(parts) + ",\n)"


def _plain(parameter: str) -> str:
    """Without the quotes of a type that was not read, and without an address, which would change with every run."""
    unquoted = re.sub(r"^(\**\w+): '(.*?)'(?= = |$)", r"\1: \2", parameter)
    return re.sub(r"<(?:function|built-in function|object) ([\w.]+)[^>]*>", r"\1", unquoted)


def markdown_of(docstring: str) -> str:
    """A docstring as Markdown.

    >>> print(markdown_of("As :meth:`Score.explain` says, ``a < b``."))
    As `Score.explain` says, `a < b`.
    """
    blocks = []
    for block in re.split(r"\n\s*\n", docstring.strip()):
        if block.lstrip().startswith(">>>"):
            blocks.append(f"```python\n{inspect.cleandoc(block)}\n```")
        elif found := re.match(r"\.\. math::\s*(.*)", block.strip(), re.DOTALL):
            blocks.append(f"$$\n{' '.join(found[1].split())}\n$$")
        elif block.startswith(":param"):
            entries = re.split(r"^:param ", block, flags=re.MULTILINE)[1:]
            blocks.append("\n".join(_parameter(entry) for entry in entries))
        else:
            blocks.append(_inline(block))
    return "\n\n".join(blocks)


def _parameter(entry: str) -> str:
    names, _, text = entry.partition(":")
    return f"- {', '.join(_code(name.strip()) for name in names.split(','))}: {_inline(' '.join(text.split()))}"


def _inline(text: str) -> str:
    text = re.sub(r":math:`([^`]+)`", r"$\1$", text)
    text = re.sub(r":\w+:`~?(?:rangewise\.)?([^`]+)`", r"`\1`", text)
    return re.sub(r"``([^`]+)``", r"`\1`", text)


def commands_page() -> str:
    """Every command with its usage, its words and its options, from the commands themselves."""
    lines = ["# Commands", "", "Made from the commands themselves; each has `--help`.", ""]
    for name in COMMANDS:
        command = load_command(name)
        lines += _command(f"rangewise {name}", command, 2)
        for part, own in getattr(command, "commands", {}).items():
            lines += _command(f"rangewise {name} {part}", own, 3)
    return "\n".join(lines).rstrip() + "\n"


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
        lines += ["| given | means |", "| --- | --- |", *(f"| {left} | {_cell(text)} |" for left, text in rows), ""]
    return lines


def _cell(text: str) -> str:
    return _named_options(" ".join(text.split()).replace("|", "\\|").replace("<", "&lt;"))


def _named_options(text: str) -> str:
    """Options as code, which no browser breaks after the dashes."""
    return re.sub(r"(?<![\w`-])--[a-z][a-z-]*", lambda found: _code(found[0]), text)
