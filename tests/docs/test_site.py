"""The sources of the site: every public name and command is in the reference, and links of root pages lead to pages of the site."""

import doctest
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


@pytest.fixture(scope="module")
def linker(site):
    links = site.links()
    links["ambiguous"] = frozenset(links["ambiguous"])
    return sys.modules["linking"].Linker(**links)


def public_packages():
    """The packages that list their public names."""
    package = Path(rw.__file__).parent
    texts = {path.parent: path.read_text(encoding="utf-8") for path in package.glob("*/**/__init__.py")}
    return [".".join(("rangewise", *folder.relative_to(package).parts)) for folder, text in texts.items() if "__all__ = " in text]


def test_no_public_name_is_missing_from_the_reference(site):
    names = [name for page in site.PAGES if page.module == "rangewise" for name in page.shown]
    elsewhere = {name for page in site.PAGES if page.module == "rangewise.pipelines" for name in page.shown}
    assert sorted(names) == sorted(set(names)), "a name is on two pages"
    assert set(rw.__all__) - set(names) - elsewhere == set()
    modules = {page.module for page in site.PAGES}
    assert set(public_packages()) <= modules


@pytest.mark.parametrize("module", ["rangewise", "rangewise.metrics", "rangewise.thresholds", "rangewise.bench.statistics"])
def test_every_name_has_a_section_with_text(site, module):
    for page in site.PAGES:
        if page.module != module:
            continue
        sections = dict(
            re.findall(r"^## (\w+) {[^}]*}\n\n(.*?)(?=^## |\Z)", sys.modules["reference"].reference_page(page), re.MULTILINE | re.DOTALL)
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


def test_consecutive_formulas_stay_separate(site):
    for first in (".. math::\n    a", ".. math::\n\n    a"):
        assert sys.modules["reference"].markdown_of(f"{first}\n\n    b\n\nc") == "$$\na\n$$\n\n$$\nb\n$$\n\nc"


@pytest.mark.parametrize("module", ["reference", "linking"])
def test_doctests_of_the_site_scripts_run(site, module):
    assert doctest.testmod(sys.modules[module]).failed == 0


def test_parameters_become_a_table(site):
    def example(real, *, a: int = 1, b: int = 2, **rest):
        """Says something.

        :param a, b: two
            lines of ``x | y`` | z.

        >>> 1
        1
        """

    text = "\n".join(sys.modules["reference"]._explained(example))
    assert "| `a` | `int` | `1` | two lines of `x | y` \\| z. |\n| `b` | `int` | `2` | two lines" in text
    assert text.index("Says something") < text.index("| `a` |") < text.index(">>> 1")
    assert ":param" not in text


def test_every_command_and_option_is_in_the_reference(site):
    pages = sys.modules["reference"].command_pages()
    assert list(pages) == ["index", *COMMANDS]
    assert [name for name in COMMANDS if not pages[name].startswith(f"# rangewise {name}\n")] == []
    assert [name for name in COMMANDS if f"]({name}.md)" not in pages["index"]] == []
    assert "## rangewise bench run\n" in pages["bench"]
    assert "| `--fail-under NAME=VALUE` |" in pages["score"]
    assert "`--inclusive`, `--exclusive`" in pages["score"]
    for page in pages.values():
        assert re.findall(r"(?<![`\w-])--[a-z]+", re.sub(r"```.*?```|`[^`]*`", "", page, flags=re.DOTALL)) == []


def test_list_of_names_is_current(site):
    made = importlib.import_module("names").names_page()
    assert (DOCS / "names.md").read_text(encoding="utf-8") == made, "run: make names (python docs/make/names.py)"


def test_list_of_names_has_every_public_name_with_text(site):
    page = (DOCS / "names.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.*) \|$", page, re.MULTILINE))
    assert {f"rw.{name}" for name in rw.__all__} <= rows.keys()
    assert [name for name, words in rows.items() if len(words.split()) < 3] == []


def test_names_and_commands_in_code_font_become_links(linker):
    def linked(html):
        return re.findall(r'href="([^"]*)"', linker.linked(html, "metrics/vus.html"))

    assert linked("<p><code>rw.score(real, predicted)</code></p>") == ["../api/scores.html#rangewise.score"]
    assert linked("<p><code>vus_pr</code> and <code>RangeModel.curve</code></p>") == [
        "../api/rangewise.metrics.html#rangewise.metrics.vus_pr",
        "../api/scores.html#rangewise.RangeModel.curve",
    ]
    assert linked("<p><code>rangewise bench run exp.toml</code></p>") == ["../commands/bench.html#rangewise-bench-run"]
    for html_without_link in (
        "<p><code>score</code></p>",
        "<p><code>to_polars</code></p>",
        "<h2><code>rw.score</code></h2>",
        "<pre><code>rw.score</code></pre>",
        "<p>rw.score</p>",
    ):
        assert linked(html_without_link) == []
    assert linked('<p><a href="x"><code>rw.score</code></a></p>') == ["x"]


def test_words_link_to_the_glossary_once(linker):
    html = linker.linked("<p>Recall of ranges, and <em>recall</em> again; Range-AUC; <code>recall</code>.</p><td>precision</td>", "a.html")
    assert re.findall(r'href="([^"]*)">(\w+)<', html) == [("glossary.html#recall", "Recall"), ("glossary.html#range", "ranges")]


def test_every_name_has_an_anchor_in_its_page(site):
    pages = {page.file: sys.modules["reference"].reference_page(page) for page in site.PAGES}
    missing = [full for full, place in sys.modules["reference"].places().items() if f"{{ #{place.anchor} }}" not in pages[place.page]]
    assert missing == []


def test_links_are_rewritten_for_the_site(site):
    assert (
        site.from_root("[a](docs/model.md#x) [b](CHANGELOG.md) [c](https://x.org)")
        == "[a](model.md#x) [b](changelog.md) [c](https://x.org)"
    )
    assert site.from_root("[all](docs/index.md) [t](docs/tutorials/index.md)") == "[all](contents.md) [t](tutorials/index.md)"
    assert site.from_root("[m](Makefile) [r](README.md)") == f"[m]({site.REPOSITORY}/blob/main/Makefile) [r](index.md)"
    assert site.to_root("[a](../README.md#install) [b](../model.md)") == "[a](index.md) [b](../model.md)"


def test_pictures_with_a_dark_version_have_both(site, tmp_path):
    (tmp_path / "p-dark.png").touch()
    assert site.in_both_colors("![x](p.png) ![y](q.png)", tmp_path) == "![x](p.png#only-light)\n![x](p-dark.png#only-dark) ![y](q.png)"


def test_guides_come_before_the_reference_in_a_search(site):
    boosts = [float(re.search("boost: (.*)", site.boosted("", path))[1]) for path in ("tutorials/a.md", "thresholds.md", "api/scores.md")]
    assert boosts == sorted(boosts, reverse=True)
    assert len(set(boosts)) == 3


def test_examples_become_console_sessions(site):
    assert site.as_session("```python\n>>> f()\na\n<BLANKLINE>\nb\n```") == "```pycon\n>>> f()\na\n\nb\n```"
    assert site.as_session("```python\n>>> f()    # doctest: +ELLIPSIS\na...\n```") == "```pycon\n>>> f()\na...\n```"
    assert site.as_session("```python\nf()\n```") == "```python\nf()\n```"


def test_every_page_is_in_the_navigation(site):
    def paths(entries):
        for entry in entries:
            for value in [entry] if isinstance(entry, str) else entry.values():
                yield from [value] if isinstance(value, str) else paths(value)

    navigation = site.navigation(DOCS)
    assert [title for entry in navigation for title in entry] == ["Home", "Learn", "Guides", "Metrics", "Reference", "Evidence"]
    assert {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {site.HOME} <= set(paths(navigation))
