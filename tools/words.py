"""Counts the words of the documents written by hand: ``python tools/words.py`` prints one line per page and the sum.

A word has at least one letter or digit, so table rules, signs and fences do not count; tables and examples do. Pages and parts of
pages that a script writes are left out, because their length depends on their figures.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
GENERATED = (
    "docs/audit.md",
    "docs/benchmark*.md",
    "docs/detectors/choices.md",
    "docs/detectors/results.md",
    "docs/detectors/ucr.md",
    "docs/leaderboards.md",
    "docs/leaderboards/*.md",
    "docs/metrics/index.md",
    "docs/names.md",
    "docs/paper.md",
    "docs/paper-series.md",
    "docs/training.md",
)
"""Patterns of the pages that ``make names``, ``paper``, ``bench``, ``training``, ``leaderboards`` and other scripts write."""
MADE = re.compile(r"<!-- made by .*?<!-- end -->", re.DOTALL)
"""A part of a page that a script writes."""


def pages() -> list[Path]:
    """Every document that is written by hand, in the order of its path."""
    generated = {path for pattern in GENERATED for path in ROOT.glob(pattern)}
    return [path for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]) if path not in generated]


def words(text: str) -> int:
    """The number of words that are written by hand."""
    return sum(bool(re.search(r"[^\W_]", part)) for part in MADE.sub("", text).split())


def main() -> None:
    counts = {path: words(path.read_text(encoding="utf-8")) for path in pages()}
    for path, count in sorted(counts.items(), key=lambda item: item[1]):
        print(f"{count:7,}  {path.relative_to(ROOT).as_posix()}")
    print(f"{sum(counts.values()):7,}  words in {len(counts)} documents")


if __name__ == "__main__":
    main()
