"""The scripts and styles of a page. ``tools/assets.py`` runs this file alone, so it imports nothing of the package."""

from __future__ import annotations

from hashlib import sha256

SCRIPTS = ("kernel.js", "words.js", "unpack.js", "charts.js", "timeline.js", "sort.js", "take.js", "index.js", "page.js")
STYLES = ("page.css",)
SHORT_SCRIPT, SHORT_STYLE = "page.min.js", "page.min.css"
"""What a page carries: made from the files above by ``make assets``."""


def source_mark(source: str) -> str:
    """The first line of a file that was made from a source."""
    return f"/* made by tools/assets.py from {sha256(source.encode()).hexdigest()} */"
