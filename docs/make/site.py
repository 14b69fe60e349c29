"""The site: all pages, the reference, the notebooks, the sample report, staged in build/site for mkdocs. Run by ``make site``."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from reference import PAGES, commands_page, reference_page

import rangewise

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BUILD = ROOT / "build" / "site"
REPOSITORY = "https://github.com/rangewise/rangewise"
# Pages of the root folder, and what they are called on the site: the README is its front page, and the table of pages makes way.
ROOT_PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}
CONTENTS = "contents.md"
TITLES = {"benchmark-areas.md": "Benchmark of areas", "benchmark-scale.md": "Benchmark of scale"}
"""What the navigation calls pages that share a heading."""
TUTORIALS = ("index", "first_score", "threshold", "paper_table", "alerts", "backtest", "review", "switch")
"""In the order in which they build on each other."""
_LOOK = """
.md-grid { max-width: 80rem; }
/* Tables of numbers: as wide as their cells, not five letters and more. */
.md-typeset table:not([class]) th { min-width: 0; }
.md-typeset table:not([class]) :is(th, td) { padding: .6em .9em; }
/* Who copies an example wants what is typed, not what is answered. */
[data-md-copying] :is(.gp, .go) { display: none; }
"""
_LIVE = """

## The sample, live

<iframe src="report-sample.html" title="A sample report" style="width:100%;height:80vh;border:1px solid #ccc"></iframe>
"""


def main() -> None:
    shutil.rmtree(BUILD, ignore_errors=True)
    pages = BUILD / "pages"
    shutil.copytree(DOCS, pages, ignore=shutil.ignore_patterns("make", "__pycache__"))
    (pages / "index.md").rename(pages / CONTENTS)
    for source, target in ROOT_PAGES.items():
        if (ROOT / source).exists():
            (pages / target).write_text(from_root((ROOT / source).read_text(encoding="utf-8")), encoding="utf-8")
    for path in pages.rglob("*.md"):
        if path.relative_to(pages).as_posix() not in ROOT_PAGES.values():
            path.write_text(to_root(path.read_text(encoding="utf-8")), encoding="utf-8")
    with (pages / "report.md").open("a", encoding="utf-8") as page:
        page.write(_LIVE)
    (pages / "api").mkdir()
    for page_of in PAGES:
        (pages / "api" / f"{page_of.file}.md").write_text(reference_page(page_of), encoding="utf-8")
    (pages / "commands.md").write_text(commands_page(), encoding="utf-8")
    for path in pages.rglob("*.md"):
        path.write_text(as_session(path.read_text(encoding="utf-8")), encoding="utf-8")
    (pages / "look.css").write_text(_LOOK.lstrip(), encoding="utf-8")
    # JSON is YAML.
    (BUILD / "mkdocs.yml").write_text(json.dumps(settings(pages), indent=1), encoding="utf-8")


def from_root(text: str) -> str:
    """Links of a page of the root folder, as they are on the site."""
    return _relinked(text, _link_from_root)


def _link_from_root(link: str) -> str:
    if link == "docs/index.md":
        return CONTENTS
    return link.removeprefix("docs/") if link.startswith("docs/") else ROOT_PAGES.get(link, _on_github(link))


def to_root(text: str) -> str:
    """Links of a page of docs/ to files of the root folder."""
    return _relinked(text, lambda link: _root_link(link) if link.startswith("../") else link)


def _root_link(link: str) -> str:
    name = link.removeprefix("../")
    if name in ROOT_PAGES:
        return ROOT_PAGES[name]
    return link if (DOCS / "metrics" / link.partition("#")[0]).exists() else _on_github(name)


def as_session(text: str) -> str:
    """Examples as what is typed and what is answered, which look and copy differently; without the marks that doctest needs."""
    return re.sub(r"^<BLANKLINE>$", "", text.replace("```python\n>>>", "```pycon\n>>>"), flags=re.MULTILINE)


def _relinked(text: str, change: Any) -> str:
    return re.sub(r"(\]\()(?!https?://|#|mailto:)([^)\s]+)", lambda found: found[1] + change(found[2]), text)


def _on_github(link: str) -> str:
    """A file of the repository that is no page."""
    return f"{REPOSITORY}/blob/main/{link}" if (ROOT / link.partition("#")[0]).exists() else link


def settings(pages: Path) -> dict[str, Any]:
    """What mkdocs reads: nothing that it would fetch, and every broken link is an error."""
    return {
        "site_name": f"rangewise {rangewise.__version__}",
        "site_description": "How good is a time-series anomaly detector, when anomalies last?",
        # As repo_url, pages would ask GitHub for its stars.
        "edit_uri_template": f"{REPOSITORY}/edit/main/docs/{{path}}",
        "extra": {"social": [{"icon": "fontawesome/brands/git-alt", "link": REPOSITORY, "name": "the repository"}]},
        "docs_dir": str(pages),
        "site_dir": str(BUILD / "html"),
        "use_directory_urls": False,
        "strict": True,
        "theme": {
            "name": "material",
            "font": False,
            "features": ["navigation.top", "search.suggest", "search.highlight", "content.action.edit", "content.code.copy", "toc.follow"],
            "palette": [_colors("light", "default", "weather-night"), _colors("dark", "slate", "weather-sunny")],
        },
        "plugins": [{"search": {"separator": r"[\s\-,:=\[\]()\"'`/.]+"}}],
        "extra_css": ["look.css"],
        "hooks": [str(Path(__file__).with_name("site_hooks.py"))],
        "markdown_extensions": [
            "admonition", "tables", "toc", "md_in_html", "pymdownx.superfences", "pymdownx.highlight",
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
    """Every page, by what a reader is after."""

    def folder(name: str) -> list[str]:
        found = sorted(path.relative_to(pages).as_posix() for path in (pages / name).glob("*.md"))
        return sorted(found, key=lambda path: not path.endswith("index.md"))

    first = {"Start": "index.md", "Where to read what": CONTENTS}
    groups: dict[str, list[str]] = {
        "Tutorials": [f"tutorials/{name}.md" for name in TUTORIALS],
        "Guide": ["model.md", "thresholds.md", "choosing.md", "rankings.md", "alerts.md", "classes.md", "events.md", "eeg.md", "report.md",
                  "formats.md", "bench.md", "audit.md", "sql.md", "cluster.md"],
        "Metrics": folder("metrics"),
        "Detectors": folder("detectors"),
        "Reference": ["commands.md", *(f"api/{page.file}.md" for page in PAGES)],
        "Evidence": [
            "paper.md", "leaderboards.md", *folder("leaderboards"), "coverage.md", "benchmark.md", "benchmark-areas.md",
            "benchmark-scale.md", "differences.md", "migration.md", "gallery.md",
        ],
        "Project": [name for name in ("contributing.md", "changelog.md", "security.md") if (pages / name).exists()],
    }  # fmt: skip
    named = {*first.values(), *(path for paths in groups.values() for path in paths)}
    rest = sorted(path.relative_to(pages).as_posix() for path in pages.rglob("*.md"))
    groups["Guide"] += [path for path in rest if path not in named]
    titled = ({title: [{TITLES[path]: path} if path in TITLES else path for path in paths]} for title, paths in groups.items())
    return [*({title: path} for title, path in first.items()), *titled]


if __name__ == "__main__":
    main()
