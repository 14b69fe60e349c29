"""The tests of a source file are in ``test_<file>.py`` in the same folder, or where the README of the folder says."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "rangewise"
SOURCES = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py")) if path.name not in ("__init__.py", "__main__.py")]
FOLDERS = sorted({source.parent for source in SOURCES})


def listed_in_readme(folder):
    """The list in the README of a tests folder: each source file with its test file, relative to ``tests/``."""
    readme = TESTS / folder / "README.md"
    lines = readme.read_text().splitlines() if readme.exists() else []
    return dict(match.groups() for line in lines if (match := re.match(r"- `([\w.]+)`: `([\w./]+)`", line)))


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_every_source_file_has_tests(source):
    elsewhere = listed_in_readme(source.parent)
    own = TESTS / source.parent / f"test_{source.name}"
    if own.exists():
        assert source.name not in elsewhere, f"{source} has its own test file; remove it from the README"
    else:
        assert source.name in elsewhere, f"write {own.relative_to(TESTS)}, or add the file that tests {source} to the README of its folder"
        assert (TESTS / elsewhere[source.name]).is_file()


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_readmes_list_existing_files(folder):
    assert all((PACKAGE / folder / name).is_file() for name in listed_in_readme(folder))
