"""docs/paper.md and its pictures, from a folder that ``rangewise paper --trained --out FOLDER`` made: ``docs/make/paper.py FOLDER``.

A part that the folder lacks (``--figure`` makes only some) stays as it is.
"""

import re
import shutil
import sys
from pathlib import Path

from small_png import shrink

DOCS = Path(__file__).parents[1]
PICTURES = Path("images") / "paper"


def main(folder: Path) -> None:
    (DOCS / PICTURES).mkdir(parents=True, exist_ok=True)
    page = (folder / "paper.md").read_text(encoding="utf-8")
    for name in picture_names(page):
        shrink(shutil.copyfile(folder / name, DOCS / PICTURES / name))
    target = DOCS / "paper.md"
    known = parts_of(target.read_text(encoding="utf-8")) if target.is_file() else {}
    parts = known | parts_of(with_links(page))
    target.write_text("".join(parts.values()), encoding="utf-8")


def parts_of(page: str) -> dict[str, str]:
    """The parts of a page by their heading; what stands before the first has none."""
    return {part.split("\n", 1)[0]: part for part in re.split(r"^(?=## )", page, flags=re.MULTILINE)}


def picture_names(page: str) -> list[str]:
    return re.findall(r"\]\((\w+\.png)\)", page)


def with_links(page: str) -> str:
    """The page with its pictures where the documents keep theirs, and with links to the other documents."""
    page = re.sub(r"\]\((\w+\.png)\)", rf"]({PICTURES.as_posix()}/\1)", page)
    return re.sub(r"`docs/([\w/-]+\.md)`", r"[\1](\1)", page)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
