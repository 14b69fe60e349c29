"""What the site is made from: every public name and command has its place, and links of the root's pages lead to pages of the site."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import rangewise as rw
from rangewise.cli.commands import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def site():
    sys.path.insert(0, str(DOCS / "make"))
    try:
        spec = importlib.util.spec_from_file_location("site_maker", DOCS / "make" / "site.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(DOCS / "make"))


def public_rooms():
    """The parts of the package that say what is public."""
    package = Path(rw.__file__).parent
    doors = {path.parent: path.read_text(encoding="utf-8") for path in package.glob("*/**/__init__.py")}
    return [".".join(("rangewise", *folder.relative_to(package).parts)) for folder, text in doors.items() if "__all__ = " in text]


def test_no_public_name_is_missing_from_the_reference(site):
    shown = [name for page in site.PAGES if page.module == "rangewise" for name in page.shown]
    elsewhere = {name for page in site.PAGES if page.module == "rangewise.pipelines" for name in page.shown}
    assert sorted(shown) == sorted(set(shown)), "a name has two places"
    assert set(rw.__all__) - set(shown) - elsewhere == set()
    rooms = {page.module for page in site.PAGES}
    assert set(public_rooms()) <= rooms


@pytest.mark.parametrize("module", ["rangewise", "rangewise.metrics", "rangewise.thresholds", "rangewise.bench.statistics"])
def test_every_name_has_a_section_with_words(site, module):
    for page in site.PAGES:
        if page.module != module:
            continue
        sections = dict(
            re.findall(r"^## (\w+)\n\n(.*?)(?=^## |\Z)", sys.modules["reference"].reference_page(page), re.MULTILINE | re.DOTALL)
        )
        assert list(sections) == list(page.shown)
        assert [name for name, text in sections.items() if len(text.split()) < 3] == []


def test_docstrings_become_markdown(site):
    text = sys.modules["reference"].markdown_of(rw.range_fbeta.__doc__)
    assert "$$\nF_\\beta = " in text
    assert "`RangeModel`" in text
    assert "```python\n>>> range_fbeta(" in text
    assert ":class:" not in text
    assert "``zero_division``" not in text
    made = sys.modules["reference"].markdown_of(":param a, b: two\n    lines of ``x``.\n:param c: one.")
    assert made == "- `a`, `b`: two lines of `x`.\n- `c`: one."


def test_every_command_and_option_is_in_the_reference(site):
    page = sys.modules["reference"].commands_page()
    assert [name for name in COMMANDS if f"## rangewise {name}\n" not in page] == []
    assert "### rangewise bench run\n" in page
    assert "| `--fail-under NAME=VALUE` |" in page
    assert "`--inclusive`, `--exclusive`" in page
    assert re.findall(r"(?<![`\w-])--[a-z]+", re.sub(r"```.*?```|`[^`]*`", "", page, flags=re.DOTALL)) == []


def test_links_are_those_of_the_site(site):
    assert (
        site.from_root("[a](docs/model.md#x) [b](CHANGELOG.md) [c](https://x.org)")
        == "[a](model.md#x) [b](changelog.md) [c](https://x.org)"
    )
    assert site.from_root("[all](docs/index.md) [t](docs/tutorials/index.md)") == "[all](contents.md) [t](tutorials/index.md)"
    assert site.from_root("[m](Makefile)") == f"[m]({site.REPOSITORY}/blob/main/Makefile)"
    assert site.to_root("[a](../README.md) [b](../model.md)") == "[a](index.md) [b](../model.md)"


def test_examples_are_what_is_typed_and_what_is_answered(site):
    assert site.as_session("```python\n>>> f()\na\n<BLANKLINE>\nb\n```") == "```pycon\n>>> f()\na\n\nb\n```"
    assert site.as_session("```python\nf()\n```") == "```python\nf()\n```"


def test_every_page_is_in_the_navigation(site):
    found = site.navigation(DOCS)
    entries = [part for entry in found for value in entry.values() for part in ([value] if isinstance(value, str) else value)]
    listed = {path for entry in entries for path in ([entry] if isinstance(entry, str) else entry.values())}
    assert {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} <= listed
