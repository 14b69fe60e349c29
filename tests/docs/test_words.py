"""``tools/words.py`` counts the words that are written by hand, and only those."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def counter():
    spec = importlib.util.spec_from_file_location("words", ROOT / "tools" / "words.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Three plain words.", 3),
        ("| a | b |\n| --- | ---: |\n| 0.5 | - |", 3),
        ("```python\n>>> x = 1\n1\n\n```", 4),
        ("before\n<!-- made by a.py -->\n\nmade\n\n<!-- end -->\nafter\n<!-- made by b.py -->\nmade\n<!-- end -->", 2),
    ],
)
def test_counts_words(counter, text, count):
    assert counter.words(text) == count


def test_every_pattern_of_generated_pages_matches_a_page(counter):
    assert [pattern for pattern in counter.GENERATED if not list(ROOT.glob(pattern))] == []


def test_pages_written_by_hand_are_counted(counter):
    names = {path.relative_to(ROOT).as_posix() for path in counter.pages()}
    assert {"README.md", "CHANGELOG.md", "docs/model.md", "docs/tutorials/alerts.md", "docs/coverage.md"} <= names
    assert not names & {"docs/names.md", "docs/paper.md", "docs/leaderboards/nab.md"}
