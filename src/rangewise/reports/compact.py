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
    """JavaScript that does the same. Lines stay lines, so that a statement may end with one; texts and patterns stay as they are.
    Patterns with quotes do not stand inside templates.

    >>> compact_script("const a = (b) => {\\n  // why\\n  return b + +1 ? `x ${ b } y` : / \\\\/ /;\\n};")
    'const a=(b)=>{\\nreturn b+ +1?`x ${ b } y`:/ \\\\/ /;\\n};'
    """
    parts: list[str] = []
    at, last, gap = 0, "\n", ""
    while at < len(code):
        token = _TOKENS.match(code, at)
        assert token is not None
        kind, text = token.lastgroup, token.group()
        if kind == "template":
            text = code[at : _template_end(code, at)]
        elif kind == "slash" and (last in _BEFORE_PATTERN or last == "\n"):
            found = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/\w*").match(code, at)
            assert found is not None
            text = found.group()
        at += len(text)
        if kind == "comment":
            continue
        if kind == "space":
            gap = "\n" if "\n" in text or gap == "\n" else " "
            continue
        if gap == "\n":
            needed = last != "\n"
        else:
            needed = bool(gap) and ((_is_word(last) and _is_word(text[0])) or last == text[0] in "+-")
        if needed:
            parts.append(gap)
        parts.append(text)
        last, gap = text[-1], ""
    return "".join(parts)


def compact_style(code: str) -> str:
    """CSS that looks the same; it has no texts with spaces that matter.

    >>> compact_style("a > b, c { color: red;\\n  margin: 0 2px; }")
    'a>b,c{color:red;margin:0 2px}'
    """
    return _STYLE.sub(lambda found: found.group(1) or ("" if code[found.start() - 1] == ":" else " "), code.strip()).replace(";}", "}")


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter in "_$"


def _template_end(code: str, start: int) -> int:
    """Where the template that begins at ``start`` ends; its ``${...}`` may hold other templates and texts."""
    at = start + 1
    while code[at] != "`":
        if code[at] == "\\":
            at += 2
        elif code.startswith("${", at):
            at, depth = at + 2, 1
            while depth:
                if code[at] == "`":
                    at = _template_end(code, at)
                    continue
                if code[at] in "\"'":
                    found = _TOKENS.match(code, at)
                    assert found is not None
                    at = found.end()
                    continue
                depth += {"{": 1, "}": -1}.get(code[at], 0)
                at += 1
        else:
            at += 1
    return at + 1
