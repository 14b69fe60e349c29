"""The site: all pages, the reference, the notebooks, the sample report, staged in build/site for mkdocs. Run by ``make site``."""

import dataclasses
import inspect
import json
import re
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from linking import glossary_terms
from reference import PAGES, command_pages, places, reference_page

import rangewise
from rangewise.cli.commands import COMMANDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BUILD = ROOT / "build" / "site"
TEMPLATES = Path(__file__).parent / "templates" / "site"
REPOSITORY = "https://github.com/rangewise/rangewise"
# Pages of the root folder, and what they are called on the site.
ROOT_PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}
HOME, CONTENTS = "home.md", "contents.md"
"""The home page becomes index.md, and the table of pages in docs/index.md makes way."""
TITLES = {
    "names.md": "All names",
    "contributing.md": "Contributing",
    "changelog.md": "Changelog",
    "security.md": "Security",
}
"""What the navigation calls pages whose heading is too long or not their own."""
TUTORIALS = ("index", "first_score", "threshold", "paper_table", "alerts", "backtest", "review")
"""In the order in which they build on each other."""
_LIVE = """

## The sample, live

<iframe src="report-sample.html" title="A sample report" class="sample"></iframe>
"""
_BOOSTS = {"tutorials/": 3, "api/": 0.3, "commands/": 0.6, "names.md": 0.3, "changelog.md": 0.2, "contributing.md": 0.2}
"""How much a page counts in a search: who looks for a word wants a guide before the reference. Guides have 2."""


def main() -> None:
    shutil.rmtree(BUILD, ignore_errors=True)
    pages = BUILD / "pages"
    shutil.copytree(DOCS, pages, ignore=shutil.ignore_patterns("make", "__pycache__"))
    (pages / "index.md").rename(pages / CONTENTS)
    (pages / HOME).rename(pages / "index.md")
    for path in pages.rglob("*.md"):
        path.write_text(to_root(path.read_text(encoding="utf-8")), encoding="utf-8")
    home = (pages / "index.md").read_text(encoding="utf-8")
    (pages / "index.md").write_text(home.replace("(index.md)", f"({CONTENTS})"), encoding="utf-8")
    for source, target in ROOT_PAGES.items():
        if (ROOT / source).exists():
            (pages / target).write_text(from_root((ROOT / source).read_text(encoding="utf-8")), encoding="utf-8")
    with (pages / "report.md").open("a", encoding="utf-8") as page:
        page.write(_LIVE)
    (pages / "api").mkdir()
    for page_of in PAGES:
        (pages / "api" / f"{page_of.file}.md").write_text(reference_page(page_of), encoding="utf-8")
    (pages / "commands").mkdir()
    for name, text in command_pages().items():
        (pages / "commands" / f"{name}.md").write_text(text, encoding="utf-8")
    for path in pages.rglob("*.md"):
        text = in_both_colors(as_session(path.read_text(encoding="utf-8")), path.parent)
        path.write_text(boosted(text, path.relative_to(pages).as_posix()), encoding="utf-8")
    shutil.copy(TEMPLATES / "look.css", pages / "look.css")
    (BUILD / "links.json").write_text(json.dumps(links()), encoding="utf-8")
    # JSON is YAML.
    (BUILD / "mkdocs.yml").write_text(json.dumps(settings(pages), indent=1), encoding="utf-8")


def links() -> dict[str, Any]:
    """What the hook links: public names, commands and words of the glossary, with their addresses."""
    names = {full: f"api/{place.page}.html#{place.anchor}" for full, place in places().items()}
    names |= {page.module: f"api/{page.file}.html" for page in PAGES if page.module == page.file}
    commands = {f"rangewise {name}": f"commands/{name}.html" for name in COMMANDS}
    for page, text in command_pages().items():
        parts = re.findall(r"^## (rangewise [\w -]+)$", text, re.MULTILINE)
        commands |= {part: f"commands/{page}.html#{part.replace(' ', '-')}" for part in parts}
    terms = glossary_terms((DOCS / "glossary.md").read_text(encoding="utf-8"), "glossary.html")
    return {"names": names, "commands": commands, "terms": terms, "ambiguous": sorted(_ambiguous())}


def _ambiguous() -> set[str]:
    """Words of small letters that are parameters, fields or commands, too."""
    found = set(COMMANDS)
    for page in PAGES:
        for name in page.shown:
            value = getattr(import_module(page.module), name)
            if dataclasses.is_dataclass(value):
                found |= {one.name for one in dataclasses.fields(value)}
            elif inspect.isroutine(value):
                found |= set(inspect.signature(value).parameters)
    return {name for name in found if name.isalpha() and name.islower()}


def boosted(text: str, path: str) -> str:
    """The page with how much it counts in a search; the home page without lists at its sides."""
    boost = next((value for start, value in _BOOSTS.items() if path.startswith(start)), 2)
    hidden = "hide: [navigation, toc]\n" if path == "index.md" else ""
    return f"---\n{hidden}search:\n  boost: {boost}\n---\n\n{text}"


def in_both_colors(text: str, folder: Path) -> str:
    """Pictures that have a dark version beside them, NAME-dark.png, with both."""

    def both(picture: re.Match[str]) -> str:
        words, link = picture[1], picture[2]
        dark = re.sub(r"(\.\w+)$", r"-dark\1", link)
        if "://" in link or not (folder / dark).exists():
            return picture[0]
        return f"![{words}]({link}#only-light)\n![{words}]({dark}#only-dark)"

    return re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", both, text)


def from_root(text: str) -> str:
    """Links of a page of the root folder, as they are on the site."""
    return _relinked(text, _link_from_root)


def _link_from_root(link: str) -> str:
    if link in ("docs/index.md", "README.md"):
        return CONTENTS if link.startswith("docs") else "index.md"
    return link.removeprefix("docs/") if link.startswith("docs/") else ROOT_PAGES.get(link, _on_github(link))


def to_root(text: str) -> str:
    """Links of a page of docs/ to files of the root folder."""
    return _relinked(text, lambda link: _root_link(link) if link.startswith("../") else link)


def _root_link(link: str) -> str:
    name = link.removeprefix("../")
    if name.partition("#")[0] == "README.md":
        return "index.md"
    if name in ROOT_PAGES:
        return ROOT_PAGES[name]
    return link if (DOCS / "metrics" / link.partition("#")[0]).exists() else _on_github(name)


def as_session(text: str) -> str:
    """Examples as what is typed and what is answered, which look and copy differently; without the marks that doctest needs."""
    return re.sub(r"^<BLANKLINE>$|\s+# doctest: .*$", "", text.replace("```python\n>>>", "```pycon\n>>>"), flags=re.MULTILINE)


def _relinked(text: str, change: Callable[[str], str]) -> str:
    return re.sub(r"(\]\()(?!https?://|#|mailto:)([^)\s]+)", lambda link: link[1] + change(link[2]), text)


def _on_github(link: str) -> str:
    """A file of the repository that is no page."""
    return f"{REPOSITORY}/blob/main/{link}" if (ROOT / link.partition("#")[0]).exists() else link


def settings(pages: Path) -> dict[str, Any]:
    """What mkdocs reads: nothing that it would fetch, and every broken link is an error."""
    return {
        "site_name": "rangewise",
        "site_description": "How good is a time-series anomaly detector when anomalies last?",
        "copyright": f"rangewise {rangewise.__version__} · BSD-3-Clause",
        # The template of the link leaves out what would ask GitHub for its stars.
        "repo_url": REPOSITORY,
        "edit_uri_template": "edit/main/docs/{path}",
        "extra": {"version_line": rangewise.__version__, "generator": False},
        "docs_dir": str(pages),
        "site_dir": str(BUILD / "html"),
        "use_directory_urls": False,
        "strict": True,
        "theme": {
            "name": "material",
            "custom_dir": str(TEMPLATES / "overrides"),
            "font": False,
            "features": [
                "navigation.tabs", "navigation.tabs.sticky", "navigation.sections", "navigation.indexes", "navigation.footer",
                "navigation.top", "search.suggest", "search.highlight", "content.action.edit", "content.code.copy", "toc.follow",
            ],
            "palette": [_colors("light", "default", "weather-night"), _colors("dark", "slate", "weather-sunny")],
        },
        "plugins": [{"search": {"separator": r"[\s\-,:=\[\]()\"'`/.]+"}}],
        "extra_css": ["look.css"],
        "hooks": [str(Path(__file__).with_name("site_hooks.py"))],
        "markdown_extensions": [
            "admonition", "attr_list", "tables", "md_in_html", "pymdownx.superfences", "pymdownx.highlight",
            {"toc": {"permalink": True}}, {"pymdownx.arithmatex": {"generic": True}},
        ],
        "validation": {"nav": {"omitted_files": "warn"}, "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}},
        "nav": navigation(pages),
    }  # fmt: skip


def _colors(wish: str, scheme: str, icon: str) -> dict[str, Any]:
    """The look for readers who want it light or dark, and the button to the other."""
    other = {"icon": f"material/{icon}", "name": "the other colors"}
    return {"media": f"(prefers-color-scheme: {wish})", "scheme": scheme, "primary": "indigo", "toggle": other}


def navigation(pages: Path) -> list[Any]:
    """Every page, by what a reader is after: five tabs, of sections."""

    def folder(name: str) -> list[str]:
        inside = sorted(path.relative_to(pages).as_posix() for path in (pages / name).glob("*.md"))
        return sorted(inside, key=lambda path: not path.endswith("index.md"))

    def titled(paths: list[str]) -> list[Any]:
        return [{TITLES[path]: path} if path in TITLES else path for path in paths]

    tabs: dict[str, dict[str, list[str]]] = {
        "Learn": {
            "": [CONTENTS],
            "Tutorials": [f"tutorials/{name}.md" for name in TUTORIALS],
            "Ideas": ["model.md", "choosing.md", "glossary.md"],
        },
        "Guides": {
            "Score": ["thresholds.md", "classes.md", "events.md", "eeg.md", "cluster.md"],
            "Compare": ["rankings.md", "report.md", "bench.md", "audit.md"],
            "Operate": ["alerts.md", "automation.md"],
            "Connect": ["formats.md", "sql.md", "sklearn.md", "pyod.md", "pytorch.md", "migration.md"],
            "Detectors and data": [*folder("detectors"), "gallery.md"],
        },
        "Metrics": {"": folder("metrics")},
        "Reference": {
            "": ["names.md"],
            "Commands": ["commands/index.md", *(f"commands/{name}.md" for name in COMMANDS)],
            "Python": [f"api/{page.file}.md" for page in PAGES],
            "Project": [name for name in ("contributing.md", "changelog.md", "security.md") if (pages / name).exists()],
        },
        "Evidence": {
            "The paper": ["paper.md", "paper-series.md", "differences.md"],
            "Leaderboards": ["findings.md", "leaderboards.md", *folder("leaderboards"), "coverage.md"],
            "Speed and training": ["benchmark.md", "training.md"],
        },
    }
    named = {"index.md", *(path for sections in tabs.values() for paths in sections.values() for path in paths)}
    rest = sorted(path.relative_to(pages).as_posix() for path in pages.rglob("*.md"))
    tabs["Guides"]["Score"] += [path for path in rest if path not in named and path != HOME]
    made: list[Any] = [{"Home": "index.md"}]
    for tab, sections in tabs.items():
        entries: list[Any] = []
        for title, paths in sections.items():
            entries += titled(paths) if not title else [{title: titled(paths)}]
        made.append({tab: entries})
    return made


if __name__ == "__main__":
    main()
