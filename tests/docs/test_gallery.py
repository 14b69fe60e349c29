"""The gallery shows every base and every kind, each with the text of the library and a picture."""

from pathlib import Path

import pytest

from rangewise.datasets import BASES, KINDS

DOCS = Path(__file__).parents[2] / "docs"
BASES_AND_KINDS = [
    *(("base", name, base.text) for name, base in BASES.items()),
    *(("kind", name, kind.__doc__) for name, kind in KINDS.items()),
]


@pytest.mark.parametrize(("group", "name", "text"), BASES_AND_KINDS)
def test_every_base_and_kind_is_shown(group, name, text):
    picture = f"images/gallery/{group}-{name}.png"
    page = (DOCS / "gallery.md").read_text()
    assert f"### {name}\n\n{text[0].upper()}{text[1:]}" in page
    assert f"({picture})" in page
    assert (DOCS / picture).read_bytes().startswith(b"\x89PNG")


def test_pictures_are_small():
    assert sum(path.stat().st_size for path in (DOCS / "images" / "gallery").iterdir()) < 600_000
