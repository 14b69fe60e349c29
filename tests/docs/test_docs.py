"""The documents: their output is that of the library, and their links and names exist."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def test_readme_shows_the_output_of_its_example():
    text = (ROOT / "README.md").read_text()
    names = {}
    for example in doctest.DocTestParser().get_examples(text):
        exec(compile(example.source, "README.md", "single"), names)
    assert f"```text\n{names['score']}\n```" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        path, _, anchor = target.partition("#")
        if "://" in target:
            continue
        target_page = page.parent / path if path else page
        assert target_page.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in _anchors(target_page), f"{page.name} links to {target}"


def _anchors(page):
    """The anchors of all headings: lowercase letters, no punctuation, hyphens for spaces."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_are_fenced(page):
    """Outside a fence, Markdown reads ``>>>`` as three nested quotes."""
    fenced, outside = False, []
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif line.lstrip().startswith(">>>") and not fenced:
            outside.append(number)
    assert not outside, f"{page.name} has examples outside a fence in lines {outside}"
    assert not fenced, f"{page.name} leaves a fence open"


def test_install_commands_work():
    """Nothing is published yet, so pages install from a clone. Only README names the package, to add what an extra needs."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "docs").rglob("*.ipynb"))]
    lines = [(path, line) for path in pages for line in path.read_text().splitlines() if "pip install" in line]
    assert len(lines) > 5
    for path, line in lines:
        by_name = re.search(r"pip install [^`#]*rangewise", line)
        assert not by_name or (path.name == "README.md" and "adds what an extra needs" in line), (path, line)


def _resolves(dotted):
    """Whether a dotted name of the package is a module or an attribute."""
    resolved = importlib.import_module("rangewise")
    for at, name in enumerate(names := dotted.split(".")):
        if hasattr(resolved, name):
            resolved = getattr(resolved, name)
            continue
        try:
            resolved = importlib.import_module(".".join(["rangewise", *names[: at + 1]]))
        except ImportError:
            return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_in_text_resolve(page):
    if page.name == "CHANGELOG.md":
        return  # it names what was removed
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`([^`\n]+)`", prose):
        if match := re.match(r"(?:rw|rangewise)\.((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?![\w/-])", code):
            assert _resolves(match[1]), f"{page.name} names {code}"
        elif match := re.fullmatch(r"(read_[a-z_]+)(?:\(.*\))?", code):
            assert _resolves(f"datasets.{match[1]}"), f"{page.name} names {code}"


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_badges_are_current():
    spec = importlib.util.spec_from_file_location("badges", ROOT / "docs" / "make" / "badges.py")
    badges = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(badges)
    for name, picture in badges.badges().items():
        assert (badges.FOLDER / f"{name}.svg").read_text() == picture, "run: python docs/make/badges.py"
