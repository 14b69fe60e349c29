"""What mkdocs does besides: formulas become MathML, drawn without a script; edit links lead to what a page is made from."""

import html as entities
import re
from typing import Any

from latex2mathml.converter import convert

REPOSITORY = "https://github.com/rangewise/rangewise"
_ROOT = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md"}
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    path = page.file.src_uri
    if path in _ROOT:
        page.edit_url = f"{REPOSITORY}/edit/main/{_ROOT[path]}"
    elif path == "contents.md":
        page.edit_url = f"{REPOSITORY}/edit/main/docs/index.md"
    elif path == "commands.md":
        page.edit_url = f"{REPOSITORY}/tree/main/src/rangewise/cli"
    elif path.startswith("api/"):
        page.edit_url = f"{REPOSITORY}/tree/main/src/rangewise"
    return _FORMULA.sub(_mathml, html)


def _mathml(found: re.Match[str]) -> str:
    made = convert(entities.unescape(found[3]).strip(), display="block" if found[2] == "[" else "inline")
    return f'<div style="overflow-x:auto">{made}</div>' if found[2] == "[" else made
