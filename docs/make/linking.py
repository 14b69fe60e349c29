"""Links that no page has to write: from a public name or a command in code font to its reference, from a word to the glossary.

Works on HTML and knows nothing of the program that makes the site, so that the tests need not have it.
"""

from __future__ import annotations

import html as entities
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_TAG = re.compile(r"(<[^>]+>)")
_QUIET = {"a", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "script", "style", "svg", "math", "button", "summary"}
"""Inside these nothing is linked."""
_PROSE = {"p", "li"}
"""Inside these words are linked to the glossary; a table of links would be no table."""


@dataclass
class Linker:
    """``names`` are addresses of public names by full name, ``commands`` those of commands, ``terms`` those of the glossary."""

    names: Mapping[str, str]
    commands: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    ambiguous: frozenset[str] = frozenset()
    """Names that are also words of other kinds, such as columns: linked only with their module or their brackets."""

    def __post_init__(self) -> None:
        self._short: dict[str, str] = {}
        for full, address in self.names.items():
            owner, _, name = full.rpartition(".")
            kind = owner.rpartition(".")[2]
            # A method without its class could be that of any other.
            self._short.setdefault(f"{kind}.{name}" if kind[:1].isupper() else name, address)
        words = "|".join(sorted(map(re.escape, self.terms), key=len, reverse=True))
        self._word = re.compile(rf"(?<![\w-])({words})(s?)(?![\w-])", re.IGNORECASE) if words else None

    def address(self, code: str) -> str | None:
        """Where a text in code font is explained, or None.

        >>> names = {"rangewise.score": "s", "rangewise.RangeModel.curve": "c"}
        >>> linker = Linker(names, {"rangewise score": "cli"}, ambiguous=frozenset({"score"}))
        >>> [linker.address(code) for code in ("rw.score(a, b)", "RangeModel.curve", "rangewise score A B", "score")]
        ['s', 'c', 'cli', None]
        """
        if code.startswith("rangewise "):
            words = code.split()
            return self.commands.get(" ".join(words[:3])) or self.commands.get(" ".join(words[:2]))
        called = re.fullmatch(r"([A-Za-z_][\w.]*)(\(.*\))?", code, re.DOTALL)
        if called is None:
            return None
        name = called[1]
        full = re.sub(r"^rw\.", "rangewise.", name)
        if full.startswith("rangewise."):
            return self.names.get(full)
        return None if name in self.ambiguous and not called[2] else self._short.get(name)

    def linked(self, html: str, page: str) -> str:
        """The HTML of the page at an address, with its links. A word of the glossary is linked where it first occurs."""
        linked: set[str] = set()
        open_tags: list[str] = []
        parts = _TAG.split(html)
        for index, part in enumerate(parts):
            if part.startswith("<"):
                _follow(part, open_tags)
            elif not part.strip() or _QUIET.intersection(open_tags):
                continue
            elif open_tags and open_tags[-1] == "code":
                address = self.address(entities.unescape(part))
                if address is not None:
                    parts[index] = f'<a class="name" href="{_relative(address, page)}">{part}</a>'
            elif self._word is not None and _PROSE.intersection(open_tags) and "code" not in open_tags:
                parts[index] = self._word.sub(lambda word: self._term(word, linked, page), part)
        return "".join(parts)

    def _term(self, word: re.Match[str], linked: set[str], page: str) -> str:
        address = self.terms[word[1].lower()]
        if address in linked:
            return word[0]
        linked.add(address)
        return f'<a class="term" href="{_relative(address, page)}">{word[0]}</a>'


def _follow(tag: str, open_tags: list[str]) -> None:
    name = re.match(r"</?([\w-]+)", tag)
    if name is None or tag.endswith("/>") or name[1] in {"br", "img", "hr", "input", "col", "source"}:
        return
    if not tag.startswith("</"):
        open_tags.append(name[1].lower())
    elif name[1].lower() in open_tags:
        while open_tags.pop() != name[1].lower():
            pass


def _relative(address: str, page: str) -> str:
    path, _, place = address.partition("#")
    link = posixpath.relpath(path, posixpath.dirname(page) or ".")
    return f"{link}#{place}" if place else link


def glossary_terms(text: str, page: str) -> dict[str, str]:
    """The terms of a glossary, which are its headings of the second level; ``A, B`` are two words for one thing.

    >>> glossary_terms("# G\\n\\n## Alert rate\\n\\n## F1, F-beta\\n", "glossary.html")
    {'alert rate': 'glossary.html#alert-rate', 'f1': 'glossary.html#f1-f-beta', 'f-beta': 'glossary.html#f1-f-beta'}
    """
    found = {}
    for heading in re.findall(r"^## (.+)$", text, re.MULTILINE):
        place = re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
        found.update({term.strip().lower(): f"{page}#{place}" for term in heading.split(",")})
    return found
