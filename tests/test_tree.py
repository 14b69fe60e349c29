"""Where the tests of a file are: in the file of the same name in the same folder, or where the folder's README says."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "rangewise"
SOURCES = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py")) if path.name not in ("__init__.py", "__main__.py")]
FOLDERS = sorted({source.parent for source in SOURCES})


def said(folder):
    """What the README of a folder of tests says: the source file, and the tests, as seen from ``tests/``."""
    readme = TESTS / folder / "README.md"
    lines = readme.read_text().splitlines() if readme.exists() else []
    return dict(found.groups() for line in lines if (found := re.match(r"- `([\w.]+)`: `([\w./]+)`", line)))


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_every_file_has_its_tests(source):
    elsewhere = said(source.parent)
    own = TESTS / source.parent / f"test_{source.name}"
    if own.exists():
        assert source.name not in elsewhere, f"{source} has a test file of its name; the README need not say where it is"
    else:
        assert source.name in elsewhere, f"write {own.relative_to(TESTS)}, or say in the README beside it which file tests {source}"
        assert (TESTS / elsewhere[source.name]).is_file()


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_readmes_tell_of_files_that_exist(folder):
    assert all((PACKAGE / folder / name).is_file() for name in said(folder))
