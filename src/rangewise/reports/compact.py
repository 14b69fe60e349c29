"""Scripts and styles without what only their authors need: comments, indentation, spaces around signs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_JS_SIGNS = re.compile(r"[ \t]*([=+\-*<>!&|?:,;{}()\[\]%])[ \t]*")
_CSS_SIGNS = re.compile(r"[ \t]*([{};,])[ \t]*|(?<=[a-z]): ")
_BLANKS = re.compile(r"\s*\n\s*")
# What ends a stretch of plain code: a text, a template, a comment, a regular expression, or the end of a template's part.
_SPECIAL = re.compile(r"""["'`{}]|//[^\n]*|/(?=[^/*\s])(?:\\.|\[[^\]\n]*\]|[^/\\\n])+/[gimsuy]*""")
_TEXT_ENDS = {quote: re.compile(rf"(?:[^\\{quote}]|\\.)*{quote}") for quote in "\"'"}
_TEMPLATE_END = re.compile(r"(?:[^\\`$]|\\.|\$(?!\{))*(`|\$\{)")


@lru_cache(maxsize=16)
def compact_script(text: str) -> str:
    """The same script in fewer bytes. Lines stay lines, so that a fault still has a place.

    >>> compact_script("const a = 1; // one\\n  f(a, `x = ${ a + `b - ${c}` }`);")
    'const a=1;\\nf(a,`x = ${ a+`b - ${c}` }`);'
    """
    code = "".join(part if is_text else _JS_SIGNS.sub(r"\1", part) for part, is_text in _parts(text))
    return _BLANKS.sub("\n", code).strip()


def compact_style(text: str) -> str:
    """The same style in fewer bytes.

    >>> compact_style("a, b { color: red; }\\n  /* why */\\n@media screen and (x: 1) {}")
    'a,b{color:red;}\\n@media screen and (x:1){}'
    """
    return _BLANKS.sub("\n", _CSS_SIGNS.sub(lambda found: found[1] or ":", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))).strip()


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Code, and in between what stays as it is: texts, templates and regular expressions. Comments are left out."""
    at, begin = 0, 0
    braces: list[int] = []  # open braces in each part ${...} of a template that is open
    while found := _SPECIAL.search(text, at):
        sign, at = found[0], found.end()
        if sign in "{}" and not (sign == "}" and braces and not braces[-1]):
            if braces:
                braces[-1] += 1 if sign == "{" else -1
            continue
        if sign[0] == "/" and not sign.startswith("//") and not re.search(r"(?:[=(,:\[!&|?{};]|return)\s*$", text[begin : found.start()]):
            at = found.start() + 1  # a division
            continue
        yield text[begin : found.start()], False
        if sign.startswith("//"):
            begin = at
            continue
        if sign in "\"'":
            at = _end(_TEXT_ENDS[sign], text, at)
        elif sign in "`}":
            if sign == "}":
                braces.pop()
            end = _TEMPLATE_END.match(text, at)
            assert end is not None
            at = end.end()
            if end[1] == "${":
                braces.append(0)
        yield text[found.start() : at], True
        begin = at
    yield text[begin:], False


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    assert found is not None
    return found.end()
