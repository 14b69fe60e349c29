"""Text for users is plain English, without the constructions and old names that are listed here.

The list is short: it has only what came back before, and does not judge style.
"""

import ast
import re
from pathlib import Path

import pytest

from rangewise.cli.commands import COMMANDS, load_command

ROOT = Path(__file__).parents[2]
_PARTS = "1|row|file|line|column|page|lane|section|score|label|value|letter|number|class|entry|threshold"
_UNITS = (
    "point|row|line|series|range|metric|class|channel|detector|file|figure|format|kind|command|part|core|label|name|task|segment|event|step"
)
FORBIDDEN = {
    rf"\b(?:a|an|one|or) (?:{_PARTS}) an? (?:\w+ )?(?:{_UNITS})\b": "one row per series",
    r"\b(?:everybody|himself|herself)\b": "each detector; you",
    r"\bwhat one would add\b": "optional steps",
    r"\breads? back\b": "round-trips",
    r"\b(?:that|is|are) (?:yours|mine)\b": "that match your priorities",
    r"\bto mail\b": "self-contained HTML report",
    r"\bend of the night\b": "the run continues",
    r"\bmistakes? of ours\b": "internal error",
    r"\bcomplain(?:s|ts?|ed)?\b": "error",
    r"\b(?:is|are|was|were|be) told\b(?! apart| from)": "reported",
    r"\b(?:crews?|slots?)\b": "pool, worker",
    r"\brooms?\b(?! for| at)|\bdoors?\b": "package, input",
    r"(?<!power )\blaws?\b": "properties",
    r"\bshare marked\b|\bmarks? (?:at most|as many|nearly|more|most|too much|all|\d)": "alert rate; predicts",
    r"\bignored? zones?\b": "ignored interval",
    r"\bmark(?:s|ing|ed)? everything\b": "predicts everything",
    r"\b(?:bytes?|B|points|ranges|time|memory) a (?:point|side|range|second|series|row)\b": "bytes per point",
    r"\bby a hundredth\b": "divided by 100",
    r"\b(?:largest|highest) less (?:the )?(?:smallest|lowest)\b": "largest minus smallest",
    r"\bthe least of (?:many|several)\b|\btook turns\b": "the shortest of several; interleaved",
    r"\b(?:made|drawn|numbered|written) anew\b": "again; random",
    r"\bthat says nothing\b": "silent",
    r"\bknows? no (?:ranges|times?|rows)\b": "does not know ranges",
    r"\b(?:is|are) granted\b|\bgranted whole\b": "counts as found",
    r"\bthrown (?:at random|there)\b": "random",
    r"\bless and less\b": "with decreasing weight",
    r"\bof each the first\b": "each with its first",
    r"\ba (?:row|page|rule|range|table) of (?:its|their) own\b|\btables of (?:its|their) own\b": "its own row",
    r"\bstands? (?:beside|against|one after|in that order|between the borders)\b": "is",
    r"\blooked at (?:again|this way)\b": "tested again",
    r"\bcan(?:not)? be said\b": "shows",
    r"\b(?:only it|would go)\b": "found alone; avoidable",
    # Old names.
    r"\bnoise_gone\b": "avoidable_noise",
    r"\b(?:most_marked|marked_points|broken_laws|closed_scores|as_dict|least_p|FEWEST_SERIES)\b": "the new name",
    r"\brw\.choose\b|\brangewise choose\b|\brw\.(?:Fit|Segment|Interval)\b": "the new name",
    r"\b(?:e?tapr|best_(?:range|point|point_adjust|composite|affiliation|latency|tolerant))_f\b": "..._fbeta",
    r"\b(?:macro|micro)_range_f\b": "..._f1",
    r"(?<![\w-])--(?:at|job|most-marked|end-included|end-excluded)(?![\w-])": "the new option",
    r"\b(?:centred?|normalis\w+|colour\w*|behaviour\w*|neighbour\w*|labelled|licence|grey|analyse[sd]?)\b": "US spelling",
    r"\b(?:penal|recogn|summar|organ|optim)is(?:e[sd]?|ing)\b": "US spelling",
}


def texts():
    """All text for users with its source: pages, docstrings and help."""
    for path in [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        public = [node for node in ast.walk(tree) if isinstance(node, kinds) and not getattr(node, "name", "").startswith("_")]
        yield path.relative_to(ROOT).as_posix(), "\n".join(ast.get_docstring(node) or "" for node in public)
    for name in COMMANDS:
        yield f"rangewise {name} --help", "\n".join(_help(load_command(name)))


def _help(command):
    yield command.help or ""
    for one in command.params:
        yield getattr(one, "help", None) or ""
    for part in getattr(command, "commands", {}).values():
        yield from _help(part)


def faults(text):
    """Every forbidden construction in a text, with what to write instead."""
    return [f"{match[0]!r}: write {better!r}" for wrong, better in FORBIDDEN.items() for match in re.finditer(wrong, text)]


DIALECT = (
    "a row a series", "one 0 or 1 a line", "a score a point", "the settings that are yours", "one page to mail", "the crew",
    "marks at most a fifth", "`rw.choose(job)`", "give --job NAME", "best_range_f of scores", "a neighbour", "`constant` marks everything",
    "80 bytes a point", "drawn by a hundredth", "largest less smallest value", "the least of many calls", "labels drawn anew",
    "a detector that says nothing", "which knows no ranges", "a range is granted whole", "a point thrown at random", "a row of its own",
    "what cannot be said", "NAB penalises false rows", "which stand one after the other",
)  # fmt: skip
PLAIN = (
    "one row per series", "one sample a minute", "1 false alert a day", "best_range_fbeta", "--page-size", "room for more",
    "at least 10 points", "its own row", "a threshold of its own function", "`{series}` stands for a name", "optimistic",
)  # fmt: skip


@pytest.mark.parametrize("text", DIALECT)
def test_finds_forbidden_constructions(text):
    assert faults(text)


@pytest.mark.parametrize("text", PLAIN)
def test_accepts_plain_text(text):
    assert not faults(text)


def test_pages_docstrings_and_help_are_plain():
    faults_by_place = {place: messages for place, text in texts() if (messages := faults(text))}
    assert not faults_by_place, "\n".join(f"{place}: {'; '.join(messages)}" for place, messages in faults_by_place.items())
