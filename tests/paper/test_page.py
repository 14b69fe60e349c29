"""docs/paper.md is up to date with the code, except for times and results of training."""

import importlib.util
from pathlib import Path

import pytest
from PIL import Image

from rangewise.paper.claims import claims
from rangewise.paper.figures import fig3, fig4, fig5, table2
from rangewise.paper.page import write_page
from rangewise.paper.study import PARTS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def script(monkeypatch):
    """docs/make/paper.py, which is not in a package."""
    monkeypatch.syspath_prepend(str(DOCS / "make"))
    spec = importlib.util.spec_from_file_location("docs_paper", DOCS / "make" / "paper.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def page():
    return (DOCS / "paper.md").read_text()


@pytest.mark.parametrize("part", [fig3, fig4, fig5], ids=lambda part: part.__name__)
def test_parts_from_published_labels_are_on_the_page(golden_folder, monkeypatch, script, page, part):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    assert script.with_links(part.make().markdown()) in page


def test_table_2_is_on_the_page(script, page):
    assert script.with_links(table2.make().markdown()) in page


def test_claims_from_published_labels_are_on_the_page(golden_folder, monkeypatch, page):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    for row in (claim.row() for claim in claims.FROM_LABELS):
        assert f"| {row.claim} | {row.section} | {row.computed} |" in page


def test_every_part_and_its_command_are_on_the_page(page):
    for name in PARTS:
        assert f"Made by `rangewise paper --figure {name}`" in page
    assert "Made by `rangewise paper --trained`" in page
    assert all(claim.text in page for claim in claims.FROM_TIMES)


def test_pictures_exist_and_are_small():
    pictures = list((DOCS / "images" / "paper").iterdir())
    assert {path.name for path in pictures} == {
        f"{name}.png" for name in ("fig3", "fig4", "table2", "fig5", "fig6", *(f"trained_fig{i}" for i in (3, 4, 5)))
    }
    assert max(path.stat().st_size for path in pictures) < 120_000


def test_page_shows_the_parts_in_the_folder(tmp_path):
    assert write_page(tmp_path) is None
    (tmp_path / "fig6.md").write_text("## six\n")
    (tmp_path / "fig3.md").write_text("## three\n")
    text = write_page(tmp_path).read_text()
    assert text.index("## three") < text.index("## six")


def test_script_copies_page_and_pictures(tmp_path, monkeypatch, script):
    monkeypatch.setattr(script, "DOCS", tmp_path / "docs")
    source = tmp_path / "made"
    source.mkdir()
    (source / "paper.md").write_text("![Three](fig3.png)\n")
    picture = Image.new("RGBA", (40, 30), "white")
    picture.paste("#0072b2", (5, 5, 20, 20))
    picture.save(source / "fig3.png")
    script.main(source)
    assert (tmp_path / "docs/paper.md").read_text() == "![Three](images/paper/fig3.png)\n"
    with Image.open(tmp_path / "docs/images/paper/fig3.png") as copied:
        assert copied.mode == "P"
        assert copied.convert("RGBA").tobytes() == picture.tobytes()


def test_parts_missing_in_the_folder_stay_on_the_page(monkeypatch, tmp_path, script):
    monkeypatch.setattr(script, "DOCS", tmp_path)
    (tmp_path / "paper.md").write_text("# Title\n\n## One\n\nold\n\n## Two\n\nold\n")
    source = tmp_path / "made"
    source.mkdir()
    (source / "paper.md").write_text("# Title\n\n## Two\n\nnew\n")
    script.main(source)
    assert (tmp_path / "paper.md").read_text() == "# Title\n\n## One\n\nold\n\n## Two\n\nnew\n"
