"""README.md as a package shows it: links and pictures lead to the repository, at the tag of the release, because no file lies beside it.
Whoever reads it there installs the package by its name, not from a clone.

A provider of metadata for scikit-build-core: pyproject.toml names it for ``readme``, and has the address of the repository.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NOT_YET = re.compile(r"^rangewise is not on PyPI yet\b.*$", flags=re.MULTILINE)
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?!\w+:|#)(?P<path>[^)\s]+)\)")


def dynamic_metadata(field: str, settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, str]:
    if field != "readme" or settings:
        raise ValueError(f"description.py gives the readme and takes no settings; got {field} and {dict(settings)}")
    text = Path("README.md").read_text(encoding="utf-8")
    return {"content-type": "text/markdown", "text": absolute(by_name(text), project["urls"]["Repository"], f"v{project['version']}")}


def by_name(text: str) -> str:
    """The Markdown text with lines that install from a clone turned into those that install from PyPI."""
    text = _NOT_YET.sub("You need Python 3.11 or later. Wheels need no compiler.", text)
    return re.sub(r"(pip install '?)\.(?=\[| )", r"\1rangewise", text)


def absolute(text: str, repository: str, tag: str) -> str:
    """The Markdown text with the relative links and pictures made absolute: pages to read, pictures to show."""

    def turned(link: re.Match[str]) -> str:
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['text']}]({repository}/{kind}/{tag}/{link['path']})"

    return _LINK.sub(turned, text)
