"""The documents: what is printed in them is what the library prints, and their links lead somewhere."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def test_the_readme_prints_what_its_example_prints():
    text = (ROOT / "README.md").read_text()
    names = {}
    for example in doctest.DocTestParser().get_examples(text):
        exec(compile(example.source, "README.md", "single"), names)
    assert f"```text\n{names['score']}\n```" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        path, _, place = target.partition("#")
        if "://" in target:
            continue
        found = page.parent / path if path else page
        assert found.exists(), f"{page.name} links to {target}"
        if place:
            assert place in _places(found), f"{page.name} links to {target}"


def _places(page):
    """What a heading can be linked by: small letters, no punctuation, hyphens for spaces."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_are_fenced(page):
    """Outside a fence, Markdown takes ``>>>`` for three nested quotes."""
    fenced, outside = False, []
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif line.lstrip().startswith(">>>") and not fenced:
            outside.append(number)
    assert not outside, f"{page.name} has examples outside a fence in lines {outside}"
    assert not fenced, f"{page.name} leaves a fence open"


def test_install_lines_say_what_works():
    """Nothing is published yet: a page installs from a clone. README says what the name does once the package is installed."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "docs").rglob("*.ipynb"))]
    lines = [(path, line) for path in pages for line in path.read_text().splitlines() if "pip install" in line]
    assert len(lines) > 5
    for path, line in lines:
        by_name = re.search(r"pip install [^`#]*rangewise", line)
        assert not by_name or (path.name == "README.md" and "adds what an extra needs" in line), (path, line)


def _resolves(dotted):
    """Whether a dotted name of the package is a module or an attribute."""
    thing = importlib.import_module("rangewise")
    for at, name in enumerate(names := dotted.split(".")):
        if hasattr(thing, name):
            thing = getattr(thing, name)
            continue
        try:
            thing = importlib.import_module(".".join(["rangewise", *names[: at + 1]]))
        except ImportError:
            return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_name_in_a_table_or_sentence_imports(page):
    if page.name == "CHANGELOG.md":
        return  # it names what has gone
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`([^`\n]+)`", prose):
        if named := re.match(r"(?:rw|rangewise)\.((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?![\w/-])", code):
            assert _resolves(named[1]), f"{page.name} names {code}"
        elif named := re.fullmatch(r"(read_[a-z_]+)(?:\(.*\))?", code):
            assert _resolves(f"datasets.{named[1]}"), f"{page.name} names {code}"


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_badges_say_what_pyproject_says():
    spec = importlib.util.spec_from_file_location("badges", ROOT / "docs" / "make" / "badges.py")
    badges = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(badges)
    for name, picture in badges.badges().items():
        assert (badges.FOLDER / f"{name}.svg").read_text() == picture, "run: python docs/make/badges.py"
