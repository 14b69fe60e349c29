"""The page's scripts and styles without what only their authors need: comments, indentation, spaces around operators."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<template>`)|(?P<slash>/)|(?P<space>\s+)|"""
    r"""(?P<word>[\w$]+)|(?P<other>.)""",
    re.DOTALL,
)
_BEFORE_PATTERN = set("(,=:[!&|?{};>")
_STYLE = re.compile(r"\s*([{};,>])\s*|(?<=:)\s+|\s+")


@cache
def compact_asset(name: str) -> str:
    """A file of ``assets``, as a page has it."""
    code = (resources.files("rangewise.reports") / "assets" / name).read_text(encoding="utf-8")
    return compact_style(code) if name.endswith(".css") else compact_script(code)


def compact_script(code: str) -> str:
    """JavaScript that does the same. A line's end stays where a statement without a semicolon may end with
    it, but not after a brace. Texts and patterns stay as they are. Patterns with quotes do not stand inside templates.

    >>> compact_script("const a = (b) => {\\n  // why\\n  return b + +1 ? `x ${ b } y` : / \\\\/ /;\\n};")
    'let a=(b)=>{return b+ +1?`x ${b} y`:/ \\\\/ /};'
    """
    parts: list[str] = []
    at, last, gap = 0, "\n", ""
    while at < len(code):
        token = _TOKENS.match(code, at)
        assert token is not None
        kind, text = token.lastgroup, token.group()
        end = token.end()
        if kind == "template":
            text, end = _template(code, at)
        elif kind == "slash" and (last in _BEFORE_PATTERN or last == "\n"):
            found = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/\w*").match(code, at)
            assert found is not None
            text, end = found.group(), found.end()
        at = end
        if kind == "comment":
            continue
        if text == "const":
            text = "let"  # who never assigns may as well be allowed to
        if kind == "space":
            gap = "\n" if "\n" in text or gap == "\n" else " "
            continue
        if text == "}" and parts and parts[-1] == ";":
            parts.pop()
        if gap == "\n":
            needed = last not in "\n;{,(" and text[0] not in "})" and not (last == "}" and _is_word(text[0]))
        else:
            needed = bool(gap) and ((_is_word(last) and _is_word(text[0])) or last == text[0] in "+-")
        if needed:
            parts.append(gap)
        parts.append(text)
        last, gap = text[-1], ""
    return "".join(parts)


def compact_style(code: str) -> str:
    """CSS that looks the same; it has no texts in which spaces or numbers matter.

    >>> compact_style("a > b, c { color: red;\\n  margin: 0 0.5px; }")
    'a>b,c{color:red;margin:0 .5px}'
    """
    short = _STYLE.sub(lambda found: found.group(1) or ("" if code[found.start() - 1] == ":" else " "), code.strip()).replace(";}", "}")
    return re.sub(r"(?<![\d.])0\.(?=\d)", ".", short)


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter in "_$"


def _template(code: str, start: int) -> tuple[str, int]:
    """The template that begins at ``start``, the code in its ``${...}`` compact, and where it ends."""
    parts, at, begun = [], start + 1, start
    while code[at] != "`":
        if code.startswith("${", at):
            parts.append(code[begun : at + 2])
            begun = at = at + 2
            at = _closing_brace(code, at)
            parts.append(compact_script(code[begun:at]))
            begun = at
        at += 2 if code[at] == "\\" else 1
    return "".join([*parts, code[begun : at + 1]]), at + 1


def _closing_brace(code: str, at: int) -> int:
    """Where the brace that was opened before ``at`` is closed."""
    depth = 1
    while True:
        if code[at] == "`":
            at = _template(code, at)[1]
        elif code[at] in "\"'":
            found = _TOKENS.match(code, at)
            assert found is not None
            at = found.end()
        else:
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            if not depth:
                return at
            at += 1
