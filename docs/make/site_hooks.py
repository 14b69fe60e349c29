"""What mkdocs does besides: formulas become MathML, drawn without a script; names and words become links; edit links lead to sources."""

import html as entities
import json
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from linking import Linker

REPOSITORY = "https://github.com/rangewise/rangewise"
_SOURCES = {
    "index.md": "edit/main/docs/home.md",
    "contents.md": "edit/main/docs/index.md",
    "contributing.md": "edit/main/CONTRIBUTING.md",
    "changelog.md": "edit/main/CHANGELOG.md",
    "security.md": "edit/main/SECURITY.md",
    "commands/": "tree/main/src/rangewise/cli",
    "api/": "tree/main/src/rangewise",
    "names.md": "tree/main/src/rangewise",
}
_NO_TERMS = ("glossary.md", "api/", "commands/", "names.md", "changelog.md", "contributing.md")
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)
_LONG = re.compile(r"<td><code>(?=[^<]{40})")
_linkers: dict[bool, Linker] = {}


def on_config(config: Any) -> None:
    links = json.loads((Path(config["docs_dir"]).parent / "links.json").read_text(encoding="utf-8"))
    links["ambiguous"] = frozenset(links["ambiguous"])
    _linkers[True], _linkers[False] = Linker(**links), Linker(**{**links, "terms": {}})


def on_page_content(html: str, page: Any, **_: Any) -> str:
    path = page.file.src_uri
    for start, source in _SOURCES.items():
        if path.startswith(start):
            page.edit_url = f"{REPOSITORY}/{source}"
    # A name in the first column stays on one line, a whole call may wrap.
    html = _LONG.sub('<td><code class="long">', _FORMULA.sub(_mathml, html))
    return _linkers[not path.startswith(_NO_TERMS)].linked(html, page.file.url)


def _mathml(formula: re.Match[str]) -> str:
    made = convert(entities.unescape(formula[3]).strip(), display="block" if formula[2] == "[" else "inline")
    return f'<div class="formula">{made}</div>' if formula[2] == "[" else made
